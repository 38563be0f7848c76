// The table of people. Rows are kept from one message to the next, so that a button in use keeps the focus.
import { byId, element } from "/static/owner.js";

const HEADINGS = ["name", "answers", "undecided", "best guess", "state", "last answer", ""];
const rows = new Map();

// actions: { copy(person), rest(person, paused), watch(person) }
export function people(everybody, last, actions) {
  const body = byId("people").tBodies[0];
  byId("people").hidden = everybody.length === 0;
  for (const person of everybody) {
    if (!rows.has(person.participant)) {
      rows.set(person.participant, made(person, actions));
      body.append(rows.get(person.participant).row);
    }
    update(rows.get(person.participant), person, last.get(person.log));
  }
}

function made(person, actions) {
  const cells = HEADINGS.map((heading) => {
    const cell = element("td");
    cell.dataset.of = heading;
    return cell;
  });
  const found = { cells, row: element("tr", {}, ...cells), person };
  const button = (text, run) => element("button", { type: "button", className: "small", textContent: text, onclick: () => run(found.person) });
  found.copy = button("Copy link", actions.copy);
  found.rest = button("", (one) => actions.rest(one, !one.paused));
  cells.at(-1).append(element("div", { className: "row" }, found.copy, found.rest));
  found.copy.setAttribute("aria-label", `Copy the link of ${person.name}`);
  return found;
}

function update(found, person, diameter) {
  const known = person.diameter ?? diameter;
  const texts = [
    person.name,
    person.quota === null ? String(person.answers) : `${person.answers} of ${person.quota}`,
    known === undefined || known === null ? "" : known.toFixed(3),
    person.answers ? person.guess ?? "" : "",
    state(person),
    person.last === null ? "" : new Date(person.last).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
  ];
  found.person = person;
  texts.forEach((text, place) => {
    if (found.cells[place].textContent !== text) found.cells[place].textContent = text;
  });
  found.rest.textContent = person.paused ? "Go on" : "Pause";
  found.rest.setAttribute("aria-label", `${person.paused ? "Go on with" : "Pause"} ${person.name}`);
}

function state(person) {
  if (person.paused) return "paused";
  if (person.quota !== null && person.answers >= person.quota) return "quota reached";
  const trusted = person.trusted === null ? "" : `, trusted ${Math.round(100 * person.trusted)} %`;
  if (person.done) return `done: ${person.done}${trusted}`;
  return person.answers ? `answering${trusted}` : "not yet here";
}

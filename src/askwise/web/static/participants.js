// @ts-check
// The table of participants. Its rows stay from one message to the next, so that a button in use keeps the focus.

import { byId, element, setText } from "./dom.js";

/** @typedef {import("./types.d.ts").PersonOverview} PersonOverview */
/** @typedef {{copyLink: (one: PersonOverview) => void, setPaused: (one: PersonOverview, paused: boolean) => void}} Actions */
/** @typedef {{participant: PersonOverview, row: HTMLTableRowElement, cells: HTMLTableCellElement[], pause: HTMLButtonElement}} Row */

const HEADINGS = ["name", "answers", "undecided", "best guess", "state", "last answer", ""];
/** @type {Map<string, Row>} */
const rows = new Map();

/**
 * @param {PersonOverview[]} participants
 * @param {Map<number, number>} diameters  the last known one of each log
 * @param {Actions} actions
 */
export function showParticipants(participants, diameters, actions) {
  const table = byId("people", HTMLTableElement);
  table.hidden = participants.length === 0;
  for (const participant of participants) {
    let row = rows.get(participant.participant);
    if (!row) {
      row = newRow(participant, actions);
      rows.set(participant.participant, row);
      table.tBodies[0].append(row.row);
    }
    updateRow(row, participant, participant.diameter ?? diameters.get(participant.log) ?? null);
  }
}

/**
 * @param {PersonOverview} participant
 * @param {Actions} actions
 * @returns {Row}
 */
function newRow(participant, actions) {
  const cells = HEADINGS.map((heading) => element("td", { "data-of": heading }));
  const copy = element("button", { type: "button", className: "small", "aria-label": `Copy the link of ${participant.name}` }, "Copy link");
  const pause = element("button", { type: "button", className: "small" });
  cells[cells.length - 1].append(element("div", { className: "row" }, copy, pause));
  const row = { participant, row: element("tr", {}, ...cells), cells, pause };
  copy.addEventListener("click", () => actions.copyLink(row.participant));
  pause.addEventListener("click", () => actions.setPaused(row.participant, !row.participant.paused));
  return row;
}

/**
 * @param {Row} row
 * @param {PersonOverview} participant
 * @param {number | null} diameter
 */
function updateRow(row, participant, diameter) {
  const { answers, quota, guess, last, name, paused } = participant;
  const texts = [
    name,
    quota === null ? String(answers) : `${answers} of ${quota}`,
    diameter === null ? "" : diameter.toFixed(3),
    answers ? guess ?? "" : "",
    stateOf(participant),
    last === null ? "" : new Date(last).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
  ];
  row.participant = participant;
  texts.forEach((text, index) => setText(row.cells[index], text));
  row.pause.textContent = paused ? "Continue" : "Pause";
  row.pause.setAttribute("aria-label", `${paused ? "Continue with" : "Pause"} ${name}`);
}

/** @param {PersonOverview} participant */
function stateOf({ answers, done, paused, quota, settled, trusted }) {
  if (paused) return "paused";
  if (quota !== null && answers >= quota) return "quota reached";
  const trust = trusted === null ? "" : `, trusted ${Math.round(100 * trusted)} %`;
  if (done) return `${settled ? "settled" : `done: ${done}`}${trust}`;
  return answers ? `answering${trust}` : "not here yet";
}

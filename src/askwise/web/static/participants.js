// @ts-check
// The table of participants. Its rows stay from one message to the next, so that a button in use keeps the focus.

import { dayOf } from "./api.js";
import { byId, element, limitHeight, setText } from "./dom.js";

/** @typedef {import("./types.d.ts").PersonOverview} PersonOverview */
/** @typedef {import("./types.d.ts").StudyOverview} StudyOverview */
/** @typedef {{copyLink: (one: PersonOverview) => void, setPaused: (one: PersonOverview, paused: boolean) => void}} Actions */
/** @typedef {{participant: PersonOverview, row: HTMLTableRowElement, cells: HTMLTableCellElement[], pause: HTMLButtonElement}} Row */

const HEADINGS = ["name", "answers", "undecided", "best guess", "state", "last answer", ""];
const OPTIONAL_COLUMNS = [2, 3, 5];
/** @type {Map<string, Row>} */
const rows = new Map();

/**
 * In a shared study nobody has a result of their own. A column that says nothing is hidden.
 * @param {StudyOverview} overview
 * @param {Map<number, number>} diameters  the last known one of each log
 * @param {Record<string, number>} trust  how reliable people are in the log shown; the server says it only of logs in use
 * @param {Actions} actions
 */
export function showParticipants({ mode, participants }, diameters, trust, actions) {
  const table = byId("people", HTMLTableElement);
  table.hidden = participants.length === 0;
  byId("no-people").hidden = !table.hidden;
  limitHeight(byId("people-list"), participants.length);
  for (const participant of participants) {
    let row = rows.get(participant.participant);
    if (!row) {
      row = newRow(participant, actions);
      rows.set(participant.participant, row);
      table.tBodies[0].append(row.row);
    }
    const own = mode === "pooled" ? { diameter: null, guess: null } : { diameter: participant.diameter ?? diameters.get(participant.log) ?? null };
    const trusted = participant.trusted ?? trust[participant.participant] ?? trust[participant.name] ?? null;
    updateRow(row, { ...participant, ...own, trusted });
  }
  const left = new Set(participants.map((one) => one.participant));
  for (const [id, { row }] of rows) {
    if (left.has(id)) continue;
    row.remove();
    rows.delete(id);
  }
  for (const column of OPTIONAL_COLUMNS) {
    const cells = [...rows.values()].map((row) => row.cells[column]);
    const empty = cells.every((cell) => !cell.textContent);
    for (const cell of [table.tHead?.rows[0].cells[column], ...cells]) cell?.toggleAttribute("hidden", empty);
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
  cells[cells.length - 1].append(element("div", { className: "row owner-only while-open" }, copy, pause));
  const row = { participant, row: element("tr", {}, ...cells), cells, pause };
  copy.addEventListener("click", () => actions.copyLink(row.participant));
  pause.addEventListener("click", () => actions.setPaused(row.participant, !row.participant.paused));
  return row;
}

/**
 * @param {Row} row
 * @param {PersonOverview} participant
 */
function updateRow(row, participant) {
  const { answers, diameter, quota, guess, last, name, paused } = participant;
  const texts = [
    name,
    quota === null ? String(answers) : `${answers} of ${quota}`,
    diameter === null || !answers ? "" : diameter.toFixed(3),
    answers ? guess ?? "" : "",
    stateOf(participant),
    last === null ? "" : timeOrDay(new Date(last)),
  ];
  row.participant = participant;
  texts.forEach((text, index) => setText(row.cells[index], text));
  setText(row.pause, paused ? "Continue" : "Pause");
  row.pause.setAttribute("aria-label", `${paused ? "Continue with" : "Pause"} ${name}`);
}

/**
 * The time of an answer of today, the day of an older one.
 * @param {Date} time
 */
function timeOrDay(time) {
  if (time.toDateString() === new Date().toDateString()) return time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return dayOf(time);
}

/** @param {PersonOverview} participant */
function stateOf({ answers, done, paused, quota, settled, status, trusted }) {
  if (status !== null) return status;
  if (paused) return "paused";
  if (quota !== null && answers >= quota) return "quota reached";
  const trust = trusted === null ? "" : `, trusted ${Math.round(100 * trusted)} %`;
  if (done) return `${settled ? "settled" : `done: ${done}`}${trust}`;
  return answers ? `answering${trust}` : "not here yet";
}

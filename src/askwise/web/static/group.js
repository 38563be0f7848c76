// @ts-check
// A group that decides together, on the dashboard: whom to invite, who should answer next, and who holds it up.

import { byId, element, setText } from "./dom.js";

/** @typedef {import("./types.d.ts").Absence} Absence */
/** @typedef {import("./types.d.ts").StudyOverview} StudyOverview */

let shownButtons = ""; // what they say, so that a button in use keeps the focus

/**
 * Who should answer next, and whom to invite.
 * @param {StudyOverview} overview
 */
export function showGroup({ next_person: next, participants, to_invite: names }) {
  const uninvited = next && names.includes(next) ? ", and has no link yet" : "";
  setText(byId("next-person"), next ? `${next} should answer next${uninvited}. Others may answer, too.` : "");
  byId("names").replaceChildren(...names.map((name) => element("option", { value: name })));
  if (!participants.length && names.length) byId("name", HTMLInputElement).placeholder = names[0];
}

/**
 * Who keeps the choice from being settled, with a button to leave each of them out; and who is left out already.
 * @param {Absence | null} absence
 * @param {(without: string[]) => Promise<void>} leaveOut  called with all who do not count
 */
export function showAbsence(absence, leaveOut) {
  const { silent, left_out: leftOut, text } = absence ?? { silent: [], left_out: [], text: "" };
  byId("absence").hidden = silent.length + leftOut.length === 0;
  const without = leftOut.length ? `Left out: ${leftOut.join(", ")}.` : "";
  setText(byId("absence-text"), [text, without].filter(Boolean).join(" "));
  const choices = [
    ...silent.map((name) => ({ label: `Leave ${name} out`, names: [...leftOut, name] })),
    ...leftOut.map((name) => ({ label: `Count ${name} again`, names: leftOut.filter((other) => other !== name) })),
  ];
  if (shownButtons === JSON.stringify(choices)) return;
  shownButtons = JSON.stringify(choices);
  byId("absence-buttons").replaceChildren(...choices.map(({ label, names }) => {
    const button = element("button", { type: "button" }, label);
    button.addEventListener("click", async () => {
      button.disabled = true;
      await leaveOut(names);
      button.disabled = false;
    });
    return button;
  }));
}

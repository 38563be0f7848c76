// @ts-check
// What to do with a study that nobody has answered.

import { byId, setText } from "./dom.js";

/** @typedef {import("./types.d.ts").StudyOverview} StudyOverview */

const OWN_NAME = "Owner"; // of the owner who answers
export const mayChange = !document.body.classList.contains("viewer");

/** @param {StudyOverview} overview */
export function showNextStep({ answers, goal, participants, state }) {
  const others = participants.some((one) => one.name !== OWN_NAME);
  setText(byId("people-title"), answers || !mayChange || state === "closed" ? "People" : "What to do next");
  setText(byId("next-step"), state === "closed" ? "The study is closed and has no answers."
    : !mayChange ? "Nobody has answered yet. This page changes with the first answer."
    : state === "paused" ? "The study is paused. Start it, so that people can answer."
    : others ? "Send people their links: “Copy link” is beside each name. This page changes with the first answer."
    : participants.length ? "Your page is open in another tab. This page changes with the first answer."
    : "Nobody has answered yet.");
  byId("myself").hidden = state !== "open" || goal === "group_item"; // whose members have names
}

/**
 * The owner answers like anybody else, in another tab, with one link however often.
 * @param {StudyOverview} overview
 * @param {(body: object) => Promise<{link: string} | null>} invite
 */
export async function answerMyself({ participants }, invite) {
  const tab = window.open("", "_blank"); // at once: later a browser would refuse it
  const known = participants.find((one) => one.name === OWN_NAME) ?? await invite({ name: OWN_NAME, quota: null });
  if (!known) tab?.close();
  else if (tab) tab.location.replace(new URL(known.link, location.href));
  else location.assign(known.link);
}

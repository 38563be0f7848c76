// @ts-check
// What a screen reader hears while a dashboard is open: another state at once, more answers once a minute.

import { plural } from "./api.js";
import { byId } from "./dom.js";

const SPOKEN_EVERY = 60_000; // milliseconds, at least, between two counts
let spoken = { state: "", answers: 0, time: 0 };

/** @param {{answers: number, state: string}} overview */
export function speakChanges({ answers, state }) {
  const first = spoken.state === "", changed = state !== spoken.state;
  const more = answers !== spoken.answers && Date.now() - spoken.time > SPOKEN_EVERY;
  if (!changed && !more) return;
  if (!first) byId("spoken").textContent = `${changed ? `The study is ${state} now. ` : ""}${plural(answers, "answer")} so far.`;
  spoken = { state, answers, time: Date.now() };
}

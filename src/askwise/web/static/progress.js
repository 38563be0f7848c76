// @ts-check
// How many questions are answered, and how many are to come. What was promised does not grow again, nor after a reload.

import { byId, element } from "./dom.js";
import { load, save } from "./storage.js";
import { text } from "./texts.js";

/** @typedef {import("./types.d.ts").ParticipantState} ParticipantState */
/** @typedef {Pick<ParticipantState, "answers" | "quota" | "diameter" | "start" | "question"> & Partial<Pick<ParticipantState, "goal">>} Progress */

/** @typedef {import("./types.d.ts").CardsPage} CardsPage */
/** @typedef {{answers: number, goal?: string, percent: number, likely: number | null}} Promised */
/** @type {WeakMap<CardsPage, Promised>} */
const promises = new WeakMap(); // what each page has said

/**
 * What a page has promised; nothing if answers were taken back, or if the study has another goal by now.
 * @param {CardsPage} page
 * @param {Pick<Progress, "answers" | "goal">} state
 */
function promiseOf(page, { answers, goal }) {
  const before = promises.get(page) ?? storedPromise(page);
  const holds = before && before.goal === goal && before.answers <= answers;
  const promise = holds ? before : { answers, goal, percent: 100, likely: null };
  promise.answers = answers;
  promises.set(page, promise);
  return promise;
}

/**
 * @param {CardsPage} page
 * @returns {Promised | null}
 */
function storedPromise({ promiseName }) {
  const stored = promiseName === undefined ? null : load(promiseName);
  return stored === null ? null : JSON.parse(stored);
}

/**
 * @param {CardsPage} page
 * @param {Promised} promise
 */
function storePromise({ promiseName }, promise) {
  if (promiseName !== undefined) save(promiseName, JSON.stringify(promise));
}

/**
 * How far it is: how much of the quota is answered, or what is still undecided. The one only ever grows, the other only
 * ever shrinks, unless somebody takes answers back.
 * @param {CardsPage} page
 * @param {Progress} state
 * @returns {number | null}  percent; null if it is not known
 */
export function progressPercent(page, { answers, goal, quota, diameter, start }) {
  const promise = promiseOf(page, { answers, goal });
  if (quota) return Math.round(100 * Math.min(1, answers / quota));
  if (diameter === null || start === null) return null;
  promise.percent = Math.min(promise.percent, Math.round((100 * diameter) / Math.max(start, diameter, 1e-9)));
  storePromise(page, promise);
  return promise.percent;
}

/**
 * How many questions are to come, as long as that is not more than was said before.
 * @param {CardsPage} page
 * @param {Pick<Progress, "answers" | "goal" | "question"> & Pick<ParticipantState, "forecast">} state
 * @param {(questions: number | null) => string} minutes  how long they take, in words
 * @returns {string}  empty if nothing can be promised
 */
export function forecastText(page, { answers, goal, question, forecast }, minutes) {
  const promise = promiseOf(page, { answers, goal });
  if (!question || !forecast) return "";
  const likely = forecast.likely ?? Infinity;
  if (likely > (promise.likely ?? Infinity)) return "";
  promise.likely = forecast.likely;
  storePromise(page, promise);
  return `${forecast.text}${minutes(forecast.likely)}`;
}

/**
 * @param {CardsPage} page
 * @param {Progress} state
 * @param {string} forecast  how many questions are to come; or empty
 */
export function showProgress(page, state, forecast) {
  const { root } = page;
  const { answers, quota, question } = state;
  const bar = byId("progress", HTMLDivElement, root);
  const percent = progressPercent(page, state);
  bar.hidden = percent === null || !question;
  if (quota) bar.setAttribute("aria-label", text("answered_of", { count: answers, quota }));
  bar.setAttribute("aria-valuenow", String(percent ?? 0));
  bar.setAttribute("aria-valuetext", text("percent", { percent: percent ?? 0 }));
  /** @type {HTMLElement} */ (bar.firstElementChild).style.width = `${quota ? percent : 100 - (percent ?? 100)}%`; // it fills until the end
  const count = quota ? text("answered_of", { count: answers, quota }) : text("answered", { count: answers });
  const undecided = percent !== null && question && !quota ? ` · ${text("undecided_share", { percent })}` : "";
  byId("answer-count", HTMLElement, root).replaceChildren(count, element("span", { className: "share" }, undecided));
  byId("forecast", HTMLElement, root).textContent = forecast;
}

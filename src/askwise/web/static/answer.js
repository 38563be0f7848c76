// @ts-check
// The page where a participant answers: one question after the other, each answer exactly once.

import { isKeyOfBody } from "./bodies.js";
import { showQuestion, shownImages } from "./cards.js";
import { QuestionClock, UNREAD_MS } from "./clock.js";
import { byId, element, setText } from "./dom.js";
import { returnNodes, thanksNodes } from "./farewell.js";
import { commandOf, pressedKey } from "./keys.js";
import { localMoment } from "./moments.js";
import { Outbox, RequestRefused, request, ServerUnreachable } from "./outbox.js";
import { lettersAnswer, resultNodes, showAnswers, showHelp, showWelcome, showWhy } from "./panels.js";
import { forecastText, showProgress } from "./progress.js";
import { clearHalfAnswer } from "./sets.js";
import { pageLanguage, text } from "./texts.js";

/** @typedef {import("./types.d.ts").ParticipantState} ParticipantState */

const TYPICAL_ANSWER_SECONDS = 6; // until this person's own are known
const MIN_TIMED_ANSWERS = 3;
const MAX_RETRY_MS = 30_000;
const PAUSED_REFRESH_MS = 15_000;
const WAITING_REFRESH_MS = 1000;
const MAX_REFRESHES = 3; // of one question: for the pictures that may be next, and until the figures are up to date

const base = document.body.dataset.base ?? "";
/** @type {import("./types.d.ts").CardsPage} */
const page = {
  root: document,
  mediaUrl: (kind, name) => `${base}/${kind}/${name.split("/").map(encodeURIComponent).join("/")}`,
  promiseName: `askwise promise ${base}`,
};
const outbox = new Outbox(base);
const clock = new QuestionClock(`askwise clock ${base}`);
const undoButton = byId("undo", HTMLButtonElement);
const whyButton = byId("why", HTMLButtonElement);
const questionSection = byId("question");
/** @type {Map<string, HTMLImageElement>} */
const preloaded = new Map();
/** @type {number[]} */
const answerSeconds = []; // of this visit
/** @type {ParticipantState} */
let state;
let loaded = false;
/** @type {import("./cards.js").ButtonsByKey} */
let buttons = new Map();
let sending = false;
let revision = 0; // a reply to a request from before the last change is out of date
let failures = 0; // in a row
let refreshes = 0; // of the same question
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let shownEnd = "";
let refusal = ""; // why the last answer was refused, until another one is
/** @type {number | null} */
let answeredAt = null; // to measure how fast the next question comes

/** Sends what waits, or asks the server for the state. */
async function synchronize() {
  if (sending) return;
  const delivering = outbox.items.length > 0;
  const started = delivering ? (revision += 1) : revision;
  sending = delivering;
  let received;
  try {
    received = delivering ? await deliver() : await request(base);
  } catch (error) {
    if (started === revision) handleFailure(error);
    return;
  } finally {
    if (delivering) sending = false;
  }
  if (started !== revision) return;
  if (delivering || failures) notify(refusal);
  failures = 0;
  applyState(received);
}

/** Sends everything that waits; what the server refuses, the person reads. */
async function deliver() {
  refusal = "";
  const delivered = await outbox.deliver();
  if (delivered.refusal) {
    const whole = delivered.refusal.endsWith(".") ? delivered.refusal : text("not_accepted", { why: delivered.refusal });
    refusal = delivered.state.state === "paused" ? text("kept_here") : whole;
  }
  return delivered.state;
}

/**
 * Says that the server does not answer, and tries again later.
 * @param {unknown} error
 */
function handleFailure(error) {
  if (error instanceof RequestRefused) return showMessage(text("does_not_work"), [element("p", {}, error.message)]);
  if (!(error instanceof ServerUnreachable)) throw error;
  failures += 1;
  notify(`${error.message} ${text(outbox.items.length ? "saved_here" : "trying_again")}`);
  synchronizeLater(Math.min(MAX_RETRY_MS, 500 * 2 ** failures));
}

/** @param {number | null} delay  in milliseconds; null: not before something happens */
function synchronizeLater(delay) {
  clearTimeout(timer);
  if (delay !== null) timer = setTimeout(synchronize, delay);
}

/**
 * Shows the state that the server sent.
 * @param {ParticipantState} received
 */
function applyState(received) {
  const shownQuestion = questionSection.classList.contains("waiting") ? null : state?.question?.id;
  state = received;
  loaded = true;
  if (state.leaves) return location.reload(); // the server shows why, and the way back
  const open = state.state === "open";
  undoButton.disabled = !state.answers || !open;
  undoButton.hidden = !open;
  whyButton.disabled = !state.question;
  whyButton.hidden = !state.why || !open || Boolean(state.done);
  showProgress(page, state, forecastText(page, state, minutes));
  for (const name of state.preload.filter((image) => !preloaded.has(image))) {
    preloaded.set(name, element("img", { src: page.mediaUrl("image", name) }));
  }
  if (!state.question) showRest();
  else if (state.question.id !== shownQuestion) ask();
  if (state.question && state.behind && !refusal) notify(text("behind"));
  synchronizeLater(refreshDelay());
}

/** Milliseconds until the state may have changed; null: it changes only when the person does something. */
function refreshDelay() {
  if (state.state === "closed") return null;
  if (state.state === "paused") return PAUSED_REFRESH_MS;
  if (state.question) {
    const useful = state.catching_up || shownImages(page).length > 0;
    return useful && refreshes++ < MAX_REFRESHES ? 700 * refreshes : null;
  }
  const final = state.done && (state.certainty || state.estimate === null);
  return final ? null : WAITING_REFRESH_MS;
}

async function ask() {
  if (!state.question) return;
  refreshes = 0;
  byId("message").hidden = true; // or the question has less room than it will have
  buttons = showQuestion(page, state.question, answer, skip, (event) => clock.isStray(event));
  questionSection.hidden = false;
  questionSection.classList.add("unmoved"); // or the card under a mouse that rests looks chosen
  scrollTo(0, 0);
  (document.getElementById("number") ?? byId("question-text")).focus({ preventScroll: true });
  const painted = await clock.start(state.question.id, shownImages(page));
  if (!painted || answeredAt === null) return;
  performance.measure("next question", { start: answeredAt, end: clock.paintedAt ?? undefined });
  answeredAt = null;
}

function showRest() {
  const sentence = (/** @type {string} */ words) => element("p", {}, words);
  if (state.opens) showMessage(text("early"), [sentence(text("opens", { time: localMoment(state.opens, pageLanguage()) })), sentence(text("starts"))]);
  else if (state.state === "paused") showMessage(text("paused"), [sentence(state.refused ?? text("kept")), sentence(text("continues"))]);
  else if (state.done) showEnd();
  else if (state.state === "closed") showMessage(text("closed"), [sentence(state.refused ?? text("kept"))]);
  else if (state.held) showMessage(text("almost_done"), [sentence(text("held"))]);
  else showMessage(text("moment"), [sentence(text("on_its_way"))]);
}

/** The end, built once: a message of the server does not stop the way back. */
function showEnd() {
  const shown = JSON.stringify([state.done, state.result, state.certainty, state.code]);
  if (shown === shownEnd && !byId("message").hidden) return;
  shownEnd = shown;
  showMessage(text("thanks"), [...thanksNodes(state), ...returnNodes(state), ...resultNodes(base, state)]);
}

/**
 * @param {string} title
 * @param {Node[]} nodes
 */
function showMessage(title, nodes) {
  const isNew = byId("message").hidden || byId("message-title").textContent !== title;
  questionSection.hidden = true;
  byId("message").hidden = false;
  byId("message-title").textContent = title;
  byId("message-body").replaceChildren(...nodes);
  if (isNew) byId("message-title").focus();
}

/** @param {number | null} questions */
function minutes(questions) {
  if (questions === null) return "";
  const enough = answerSeconds.length >= MIN_TIMED_ANSWERS;
  const median = enough ? [...answerSeconds].sort((a, b) => a - b)[answerSeconds.length >> 1] : TYPICAL_ANSWER_SECONDS;
  const rounded = Math.round((questions * median) / 60);
  return `, ${rounded < 1 ? text("under_a_minute") : text("minutes", { count: rounded })}`;
}

/** @param {string} sentence */
function notify(sentence) {
  setText(byId("notice"), sentence.charAt(0).toUpperCase() + sentence.slice(1));
}

/**
 * Puts a request into the outbox, unless another one is on its way.
 * @param {import("./outbox.js").Path} path
 * @param {Record<string, unknown>} body
 * @param {HTMLButtonElement} [button]  the one that was pressed
 */
function submit(path, body, button) {
  if (sending || outbox.items.length) return;
  answeredAt = performance.now();
  if (path === "answers") answerSeconds.push(clock.seconds);
  outbox.add(path, body);
  questionSection.classList.add("waiting");
  button?.classList.add("chosen");
  synchronize();
}

/** @type {import("./cards.js").OnChoice<import("./types.d.ts").Response>} */
function answer(response, button, event) {
  if (clock.isStray(event)) return;
  if (Number.isNaN(response)) return notify(text("type_number"));
  submit("answers", { question: state.question?.id, response, seconds: clock.seconds }, button);
}

/** @type {import("./cards.js").OnChoice<string | null>} */
function skip(reason, button, event) {
  if (clock.isStray(event)) return;
  submit("skips", { question: state.question?.id, reason, seconds: clock.seconds }, button);
}

/** @param {string | null} question  null: the last one */
function undo(question) {
  if (question === null && clearHalfAnswer(page)) return;
  if (undoButton.disabled || (question === null && state.question && clock.millisecondsSincePaint < UNREAD_MS)) return;
  submit("undo", { question });
}

document.addEventListener("keydown", (event) => {
  const key = byId("panel", HTMLDialogElement).open ? null : pressedKey(event, lettersAnswer());
  if (key === null || isKeyOfBody(event)) return;
  const command = commandOf(key);
  const button = (questionSection.hidden ? undefined : buttons.get(key)) ?? (command === null ? null : byId(command));
  if (!button || button.hidden) return;
  event.preventDefault();
  button.click();
});
undoButton.addEventListener("click", () => undo(null));
whyButton.addEventListener("click", () => showWhy(base, state));
byId("my-answers").addEventListener("click", () => showAnswers(base, undo));
byId("help").addEventListener("click", () => showHelp(state));
document.addEventListener("pointermove", ({ movementX, movementY }) => {
  if (movementX || movementY) questionSection.classList.remove("unmoved");
});
document.addEventListener("visibilitychange", () => document.hidden || synchronize());
for (const name of ["focus", "online", "pageshow"]) addEventListener(name, () => loaded && synchronize());

if (document.body.dataset.preview) notify(text("preview"));
await showWelcome(() => request(base).catch(() => null)); // synchronize says if there is no connection
synchronize();

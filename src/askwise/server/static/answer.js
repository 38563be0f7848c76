// Where a participant answers: one question after the other, each answer exactly once.

import { lay, picture, pictures } from "./cards.js";
import { Clock } from "./clock.js";
import { make } from "./markup.js";
import { Outbox, Refused, request, Unreachable } from "./outbox.js";
import { ending, help, lettersAnswer, mine, welcome, why } from "./panels.js";

const SETTLE = 200; // ms after the paint in which nobody can have read the question
const DOUBLE = 500; // ms in which a second click belongs to the first
const USUAL = 6; // seconds for an answer, until this person's are known
const BEHIND = "Still catching up with your answers; this question is one in reserve. Nothing is lost.";
const place = (id) => document.getElementById(id);
const base = document.body.dataset.base;
const outbox = new Outbox(base);
const clock = new Clock(`askwise clock ${base}`);
const preloaded = new Map();
const took = []; // seconds of this visit's answers
let state = null;
let keys = new Map();
let busy = false; // something is on its way
let turn = 0; // a reply to what was asked before the last change is not news
let failed = 0; // times in a row
let looks = 0; // at the same question
let timer = null;
let refused = ""; // why the last answer was not taken, until another one is
let answered = null; // when, for the measure of how fast the next question came

/** Sends what waits, or asks where we are. */
async function proceed() {
  if (busy) return;
  const sending = outbox.items.length > 0;
  const begun = sending ? (turn += 1) : turn;
  busy = sending;
  let found, sentence;
  try {
    [found, sentence] = sending ? await deliver() : [await request(base), failed ? "" : null];
  } catch (error) {
    return begun === turn && stumble(error);
  } finally {
    if (sending) busy = false;
  }
  if (begun !== turn) return;
  failed = 0;
  if (sentence !== null) notify(refused || sentence);
  take(found);
}

/** Sends all that waits. What the server refuses for good is not sent again, and the person reads why. */
async function deliver() {
  let found = null;
  let sentence = "";
  refused = "";
  for (let item; (item = outbox.items[0]); outbox.drop(item)) {
    try {
      found = await outbox.send(item);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      found = await request(base);
      sentence = error.message;
      refused = item.path === "undo" ? sentence : `Your last answer was not taken: ${sentence}`;
      if (found.state === "paused") break; // kept until the study goes on
    }
  }
  return [found ?? (await request(base)), sentence]; // nothing left if another tab was faster
}

/** Without the server: says so, and tries again. */
function stumble(error) {
  if (error instanceof Refused) return rest("This does not work", [make("p", {}, error.message)]);
  if (!(error instanceof Unreachable)) throw error;
  failed += 1;
  const saved = "Your answer is saved on this device and will be sent.";
  notify(`${error.message} ${outbox.items.length ? saved : "Trying again."}`);
  later(Math.min(30_000, 500 * 2 ** failed));
}

function later(delay) {
  clearTimeout(timer);
  timer = delay === null ? null : setTimeout(proceed, delay);
}

/** What the server said becomes what is seen. */
function take(found) {
  const before = place("asking").classList.contains("waiting") ? null : state?.question?.id;
  state = found;
  place("undo").disabled = !found.answers || found.state !== "open";
  place("why").disabled = !found.question;
  place("why").hidden = !found.why;
  progress();
  for (const name of found.preload.filter((name) => !preloaded.has(name))) {
    preloaded.set(name, make("img", { src: picture(base, name) }));
  }
  if (!found.question) stop();
  else if (found.question.id !== before) ask();
  if (found.question && found.behind && !refused) notify(BEHIND);
  later(pause());
}

/** Milliseconds until it is worth asking where we are; null: when something happens. */
function pause() {
  if (state.state === "closed") return null;
  if (state.state === "paused") return 15_000;
  if (state.question) return pictures().length && looks++ < 3 ? 700 * looks : null; // for the pictures that may be next
  const final = state.done && (state.certificate || state.estimate === null);
  return final ? null : 1000;
}

async function ask() {
  looks = 0;
  keys = lay(base, state.question, answer, skip);
  place("resting").hidden = true;
  place("asking").hidden = false;
  (place("number") ?? place("text")).focus({ preventScroll: true });
  const shown = await clock.start(state.question.id, pictures());
  if (!shown || answered === null) return;
  performance.measure("next question", { start: answered, end: clock.painted });
  answered = null;
}

function stop() {
  const kept = make("p", {}, "What you answered is kept.");
  if (state.state === "paused") rest("The study is paused", [kept, make("p", {}, "This page goes on when it does.")]);
  else if (state.done) rest("Thank you", ending(base, state));
  else if (state.state === "closed") rest("The study is closed", [kept, make("p", {}, "Thank you.")]);
  else rest("One moment", [make("p", {}, "The next question is being worked out.")]);
}

function rest(title, nodes) {
  const fresh = place("resting").hidden || place("rest").textContent !== title;
  place("asking").hidden = true;
  place("resting").hidden = false;
  place("rest").textContent = title;
  place("result").replaceChildren(...nodes);
  if (fresh) place("rest").focus();
}

function progress() {
  const { answers, quota, diameter, start, forecast } = state;
  const share = diameter === null || start === null ? null : diameter / Math.max(start, diameter, 1e-9);
  place("bar").hidden = share === null;
  const percent = Math.round(100 * share);
  place("bar").setAttribute("aria-valuenow", percent);
  place("bar").setAttribute("aria-valuetext", `${percent} percent`);
  place("bar").firstElementChild.style.width = `${percent}%`;
  const undecided = share === null ? "" : ` · ${percent} % undecided`;
  place("count").textContent = `${answers} ${quota ? `of ${quota} ` : ""}answered${undecided}`;
  place("coming").textContent = state.question && forecast ? `${forecast.text}${minutes(forecast.likely)}` : "";
}

function minutes(questions) {
  if (questions === null) return "";
  const usual = took.length < 3 ? USUAL : [...took].sort((a, b) => a - b)[took.length >> 1];
  const found = Math.round((questions * usual) / 60);
  return found < 1 ? ", under a minute" : `, ${found} minute${found === 1 ? "" : "s"}`;
}

function notify(sentence) {
  const text = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  if (place("notice").textContent !== text) place("notice").textContent = text;
}

/** Puts something into the outbox, unless something is on its way already. */
function submit(path, body, button) {
  if (busy || outbox.items.length) return;
  answered = performance.now();
  if (path === "answers") took.push(body.seconds);
  outbox.add(path, body);
  place("asking").classList.add("waiting");
  button?.classList.add("chosen");
  proceed();
}

/** Whether a tap was meant for the question before. */
function stray(event) {
  return clock.age < SETTLE || (clock.age < DOUBLE && event.detail > 1);
}

function answer(response, button, event) {
  if (stray(event)) return;
  if (Number.isNaN(response)) return notify("Type a number such as 3.7.");
  submit("answers", { question: state.question.id, response, seconds: clock.seconds }, button);
}

function skip(reason, button, event) {
  if (stray(event)) return;
  submit("skips", { question: state.question.id, reason, seconds: clock.seconds }, button);
}

function undo(question = null) {
  if (place("undo").disabled || (question === null && state.question && clock.age < SETTLE)) return;
  submit("undo", { question });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || place("panel").open) return;
  if (event.key.length === 1 && !lettersAnswer()) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const commands = { u: "undo", w: "why", m: "mine", "?": "help" };
  const button = (place("asking").hidden ? null : keys.get(key)) ?? place(commands[key] ?? "");
  if (!button || button.hidden) return;
  event.preventDefault();
  button.click();
});
place("undo").addEventListener("click", () => undo());
place("why").addEventListener("click", () => why(base, state));
place("mine").addEventListener("click", () => mine(base, undo));
place("help").addEventListener("click", () => help(state));
document.addEventListener("visibilitychange", () => document.hidden || proceed());
for (const news of ["focus", "online", "pageshow"]) addEventListener(news, () => state && proceed());

await welcome(await request(base).catch(() => null)); // without a connection it is said below
proceed();

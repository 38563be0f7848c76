// @ts-check
// What opens on request: help, why this question, one's own answers. And what is shown at the end.

import { byId, element, plainText, richText } from "./dom.js";
import { keyLabel } from "./keys.js";
import { request } from "./outbox.js";
import { inOrderOfResponses, outlookSentences, receiptText, responseLabel, whyLead } from "./questions.js";
import { load, save } from "./storage.js";
import { text } from "./texts.js";

/** @typedef {import("./types.d.ts").OwnAnswer} OwnAnswer */
/** @typedef {import("./types.d.ts").ParticipantState} ParticipantState */
/** @typedef {import("./types.d.ts").ResponseOutlook} ResponseOutlook */

const LETTERS = "askwise letters"; // "off": single letters and digits do nothing
const WELCOMED = "askwise welcomed";
const ASK_AGAIN_MS = 1000; // for the first question
const panel = byId("panel", HTMLDialogElement);
const body = byId("panel-body");
const title = byId("panel-title");

/** Whether single letters and digits answer. */
export function lettersAnswer() {
  return load(LETTERS) !== "off";
}

/**
 * @param {string} heading
 * @param {string} closeLabel
 * @param {...Node} nodes
 */
function openPanel(heading, closeLabel, ...nodes) {
  title.textContent = heading;
  body.replaceChildren(...nodes);
  byId("close").textContent = closeLabel;
  if (!panel.open) panel.showModal();
  title.focus();
}

/**
 * How the page works, with a question to try. The owner's own words come first.
 * @param {ParticipantState | null} state
 * @param {boolean} [first]  whether this is the person's first visit
 */
export function showHelp(state, first = false) {
  const touch = matchMedia("(hover: none) and (pointer: coarse)").matches; // where no keys are printed
  const lines = [
    text(touch ? "how_one" : "how_one_keys"),
    text("how_skip"),
    text("how_undo"),
    text("how_saved"),
  ];
  const instructions = (state?.instructions ?? "").split("\n").filter((line) => line.trim());
  const own = instructions.map((line) => element("p", { className: "own" }, ...richText(line)));
  const list = element("ul", {}, ...lines.map((line) => element("li", {}, line)));
  const box = element("input", { type: "checkbox", checked: lettersAnswer() });
  box.addEventListener("change", () => save(LETTERS, box.checked ? "on" : "off"));
  const letters = element("label", { className: "check" }, box, text("letters"));
  const practice = practiceNodes(state?.question?.kind ?? "");
  openPanel(text("how"), text(first ? "start" : "close"), ...own, list, ...practice, ...(touch ? [] : [letters]));
}

/**
 * Shows the help to a person who has not seen it. Resolves when they have closed it. The question to try is of the kind
 * of the first one; if the server has none yet, it is added when there is one.
 * @param {() => Promise<ParticipantState | null>} ask  for the state
 */
export async function showWelcome(ask) {
  let state = await ask();
  const name = state?.instructions ? `${WELCOMED}: ${state.instructions}` : WELCOMED;
  if (load(name) !== null) return;
  showHelp(state, true);
  const closed = new Promise((resolve) => panel.addEventListener("close", resolve, { once: true }));
  while (panel.open && !state?.question && !state?.done) {
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))]);
    state = await ask();
    if (state?.question && panel.open) showHelp(state, true);
  }
  if (panel.open) await closed;
  save(name, "yes");
}

/** @type {Record<string, [string, Record<string, string>]>} */
const PRACTICE = {
  pair: ["practice_pair", { summer: "ArrowLeft", winter: "ArrowRight" }],
  same: ["practice_same", { same: "ArrowLeft", different: "ArrowRight" }],
  triple: ["practice_triple", { cat: "1", lion: "2", oak: "3" }],
  set: ["practice_set", { spring: "1", summer: "2", autumn: "3", winter: "4" }],
  label: ["practice_label", { sweet: "1", sour: "2" }],
};

/** @param {string} kind */
function practiceNodes(kind) {
  if (!PRACTICE[kind]) return [];
  const [question, answers] = PRACTICE[kind];
  const reply = element("p", { role: "status", className: "soft" }, text("practice_note"));
  const cards = Object.entries(answers).map(([answer, key]) => {
    const name = text(answer);
    const hint = element("kbd", { "aria-hidden": "true" }, keyLabel(key));
    const card = element("button", { type: "button", className: "card", "aria-keyshortcuts": key }, name, hint);
    card.addEventListener("click", () => {
      for (const other of cards) other.classList.toggle("chosen", other === card);
      reply.textContent = text("practice_said", { name });
    });
    return card;
  });
  const group = element("div", { className: "practice", role: "group", "data-kind": kind, "aria-label": text("practice_group") }, ...cards);
  panel.onkeydown = ({ key }) => {
    const chosen = Object.values(answers).indexOf(key);
    if (chosen >= 0 && group.isConnected) cards[chosen].click();
  };
  return [element("h3", {}, text(question)), group, reply];
}

/**
 * What each answer to the question would settle.
 * @param {string} base
 * @param {ParticipantState} state
 */
export async function showWhy(base, { question, diameter, start }) {
  if (!question) return;
  const full = Math.max(start ?? 0, diameter ?? 0);
  const wait = element("p", { className: "soft", role: "status" }, text("working"));
  openPanel(text("why_title"), text("close"), element("p", {}, whyLead(question)), wait);
  try {
    /** @type {ResponseOutlook[]} */
    const outlooks = await request(`${base}/why/${question.id}`);
    const rows = inOrderOfResponses(question, outlooks).map((outlook) => {
      const label = element("strong", {}, ...richText(responseLabel(question, outlook.response)));
      return element("li", {}, label, element("span", { className: "soft" }, outlookSentences(question.kind, outlook, full)));
    });
    wait.replaceWith(element("ul", { className: "rows" }, ...rows));
  } catch (error) {
    wait.textContent = String(error instanceof Error ? error.message : error);
  }
}

/**
 * The person's own answers, each with a button to take it back and answer again.
 * @param {string} base
 * @param {(question: string) => void} onChange
 */
export async function showAnswers(base, onChange) {
  const wait = element("p", { className: "soft", role: "status" }, text("one_moment"));
  openPanel(text("my_answers"), text("close"), wait);
  try {
    /** @type {OwnAnswer[]} */
    const answers = await request(`${base}/answers`);
    const rows = answers.map((answer) => {
      const name = text("change_answer", { question: plainText(answer.text) });
      const button = element("button", { type: "button", "aria-label": name }, text("change"));
      button.addEventListener("click", () => {
        panel.close();
        onChange(answer.question);
      });
      const question = element("span", { className: "soft" }, ...richText(answer.text));
      return element("li", {}, element("div", {}, question, element("strong", {}, ...richText(answerLabel(answer)))), button);
    });
    wait.replaceWith(rows.length ? element("ol", { className: "rows" }, ...rows) : element("p", {}, text("none_yet")));
  } catch (error) {
    wait.textContent = String(error instanceof Error ? error.message : error);
  }
}

/** @param {OwnAnswer} answer */
function answerLabel(answer) {
  return answer.skipped || answer.response === null ? text("cant_tell") : responseLabel(answer, answer.response);
}

/**
 * The end: what was found, how sure it is, and a receipt.
 * @param {string} base
 * @param {ParticipantState} state
 */
export function resultNodes(base, state) {
  /** @type {HTMLElement[]} */
  const nodes = [element("p", { className: "soft" }, state.done ?? "")];
  if (state.result) {
    const heading = text(state.shared ? "all_say" : "you_say");
    nodes.push(element("h2", {}, heading), linesNode(state.result, state.ordered));
  }
  if (state.certainty) nodes.push(element("p", { className: "certainty" }, state.certainty));
  const button = element("button", { type: "button", id: "receipt" }, text("receipt"));
  button.addEventListener("click", () => saveReceipt(base, state));
  return [...nodes, button];
}

/**
 * One line that was found, or a list of them.
 * @param {string[]} lines
 * @param {boolean} ordered
 */
function linesNode(lines, ordered) {
  if (lines.length === 1) return element("p", { className: "big" }, ...richText(lines[0]));
  return element(ordered ? "ol" : "ul", { className: "found" }, ...lines.map((line) => element("li", {}, ...richText(line))));
}

/**
 * @param {string} base
 * @param {ParticipantState} state
 */
async function saveReceipt(base, state) {
  /** @type {OwnAnswer[]} */
  const answers = await request(`${base}/answers`);
  const rows = answers.reverse().map((answer) => `${answer.time}\t${plainText(answer.text)}\t${plainText(answerLabel(answer))}`);
  const receipt = receiptText({ ...state, result: state.result?.map(plainText) ?? null }, rows);
  const url = URL.createObjectURL(new Blob([receipt], { type: "text/plain" }));
  element("a", { href: url, download: text("receipt_file", { study: state.title }) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

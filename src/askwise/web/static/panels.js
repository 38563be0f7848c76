// @ts-check
// What opens on request: help, why this question, one's own answers. And what is shown at the end.

import { byId, element, plainText, richText } from "./dom.js";
import { keyLabel } from "./keys.js";
import { request } from "./outbox.js";
import { inOrderOfResponses, outlookSentences, receiptText, responseLabel, whyLead } from "./questions.js";
import { load, save } from "./storage.js";

/** @typedef {import("./types.d.ts").OwnAnswer} OwnAnswer */
/** @typedef {import("./types.d.ts").ParticipantState} ParticipantState */
/** @typedef {import("./types.d.ts").ResponseOutlook} ResponseOutlook */

const LETTERS = "askwise letters"; // "off": single letters and digits do nothing
const WELCOMED = "askwise welcomed";
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
    `One question at a time. Tap an answer${touch ? "" : ", or press the key printed on it"}.`,
    "“Can't tell” is a fine answer. A reason helps, but is not needed.",
    "Undo takes back your last answer, as often as you like. Under “My answers” you can change any of them.",
    "Each answer is saved at once. Close the page whenever you want; the same link brings you back.",
  ];
  const instructions = (state?.instructions ?? "").split("\n").filter((line) => line.trim());
  const own = instructions.map((line) => element("p", { className: "own" }, ...richText(line)));
  const list = element("ul", {}, ...lines.map((line) => element("li", {}, line)));
  const box = element("input", { type: "checkbox", checked: lettersAnswer() });
  box.addEventListener("change", () => save(LETTERS, box.checked ? "on" : "off"));
  const letters = element("label", { className: "check" }, box, "Use letter and number keys as shortcuts");
  const practice = practiceNodes(state?.question?.kind ?? "");
  openPanel("How this works", first ? "Start" : "Close", ...own, list, ...practice, ...(touch ? [] : [letters]));
}

/**
 * Shows the help to a person who has not seen it. Resolves when they have closed it.
 * @param {ParticipantState | null} state
 */
export async function showWelcome(state) {
  const name = state?.instructions ? `${WELCOMED}: ${state.instructions}` : WELCOMED;
  if (load(name) !== null) return;
  showHelp(state, true);
  await new Promise((resolve) => panel.addEventListener("close", resolve, { once: true }));
  save(name, "yes");
}

/** @type {Record<string, [string, Record<string, string>]>} */
const PRACTICE = {
  pair: ["Which do you prefer?", { Summer: "ArrowLeft", Winter: "ArrowRight" }],
  same: ["Do a cat and a lion belong together?", { Same: "ArrowLeft", Different: "ArrowRight" }],
  triple: ["Which is the odd one out?", { "a cat": "1", "a lion": "2", "an oak": "3" }],
  set: ["Which season do you like best?", { Spring: "1", Summer: "2", Autumn: "3", Winter: "4" }],
  label: ["Which label fits a lemon?", { sweet: "1", sour: "2" }],
};

/** @param {string} kind */
function practiceNodes(kind) {
  if (!PRACTICE[kind]) return [];
  const [question, answers] = PRACTICE[kind];
  const reply = element("p", { role: "status", className: "soft" }, "For practice; this one is not saved.");
  const cards = Object.entries(answers).map(([name, key]) => {
    const hint = element("kbd", { "aria-hidden": "true" }, keyLabel(key));
    const card = element("button", { type: "button", className: "card", "aria-keyshortcuts": key }, name, hint);
    card.addEventListener("click", () => (reply.textContent = `You said ${name}. All questions work like this.`));
    return card;
  });
  const group = element("div", { className: "practice", role: "group", "aria-label": "Practice question" }, ...cards);
  panel.onkeydown = ({ key }) => {
    const chosen = Object.values(answers).indexOf(key);
    if (chosen >= 0 && group.isConnected) cards[chosen].click();
  };
  return [element("h3", {}, question), group, reply];
}

/**
 * What each answer to the question would settle.
 * @param {string} base
 * @param {ParticipantState} state
 */
export async function showWhy(base, { question, diameter, start }) {
  if (!question) return;
  const full = Math.max(start ?? 0, diameter ?? 0);
  const wait = element("p", { className: "soft", role: "status" }, "Working it out …");
  openPanel("Why this question?", "Close", element("p", {}, whyLead(question)), wait);
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
  const wait = element("p", { className: "soft", role: "status" }, "One moment …");
  openPanel("My answers", "Close", wait);
  try {
    /** @type {OwnAnswer[]} */
    const answers = await request(`${base}/answers`);
    const rows = answers.map((answer) => {
      const name = `Change the answer to: ${plainText(answer.text)}`;
      const button = element("button", { type: "button", "aria-label": name }, "Change");
      button.addEventListener("click", () => {
        panel.close();
        onChange(answer.question);
      });
      const question = element("span", { className: "soft" }, ...richText(answer.text));
      return element("li", {}, element("div", {}, question, element("strong", {}, ...richText(answerLabel(answer)))), button);
    });
    wait.replaceWith(rows.length ? element("ol", { className: "rows" }, ...rows) : element("p", {}, "None yet."));
  } catch (error) {
    wait.textContent = String(error instanceof Error ? error.message : error);
  }
}

/** @param {OwnAnswer} answer */
function answerLabel(answer) {
  return answer.skipped || answer.response === null ? "Can't tell" : responseLabel(answer, answer.response);
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
    const heading = state.shared ? "What all answers say" : "What your answers say";
    nodes.push(element("h2", {}, heading), linesNode(state.result, state.ordered));
  }
  if (state.certainty) nodes.push(element("p", { className: "certainty" }, state.certainty));
  const button = element("button", { type: "button", id: "receipt" }, "Save a receipt of my answers");
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
  const text = receiptText({ ...state, result: state.result?.map(plainText) ?? null }, rows);
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  element("a", { href: url, download: `${state.title} receipt.txt` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

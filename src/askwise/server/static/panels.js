// What opens on request: how it works, why this question, one's own answers; and what is shown at the end.

import { keep, recall } from "./keep.js";
import { make, plain, rich } from "./markup.js";
import { printed, said } from "./questions.js";
import { request } from "./outbox.js";

const LETTERS = "askwise letters"; // "off": single letters and digits do nothing
const WELCOMED = "askwise welcomed";
const panel = document.getElementById("panel");
const body = document.getElementById("panel-body");
const title = document.getElementById("panel-title");

/** Whether single letters and digits answer. */
export function lettersAnswer() {
  return recall(LETTERS) !== "off";
}

function open(named, close, ...nodes) {
  title.textContent = named;
  body.replaceChildren(...nodes);
  document.getElementById("close").textContent = close;
  if (!panel.open) panel.showModal();
  title.focus();
}

/** How it works, with a question to try like those of the study; the owner's own words come first. */
export function help(state, first = false) {
  const touch = matchMedia("(hover: none) and (pointer: coarse)").matches; // where no keys are printed
  const lines = [
    `One question at a time. Tap an answer${touch ? "" : ", or press the key printed on it"}.`,
    "“Can't tell” is a fine answer. A reason helps, but is not needed.",
    "Undo takes back your last answer, as often as you like. Under “My answers” you can change any of them.",
    "Each answer is saved at once. Close the page whenever you want; the same link brings you back.",
  ];
  const told = (state?.instructions ?? "").split("\n").filter((line) => line.trim());
  const own = told.map((line) => make("p", { className: "own" }, ...rich(line)));
  const list = make("ul", {}, ...lines.map((line) => make("li", {}, line)));
  const box = make("input", { type: "checkbox", checked: lettersAnswer() });
  box.addEventListener("change", () => keep(LETTERS, box.checked ? "on" : "off"));
  const letters = make("label", { className: "check" }, box, "Single letters and digits answer");
  open("How this works", first ? "Start" : "Close", ...own, list, ...practice(state?.question?.kind), ...(touch ? [] : [letters]));
}

/** Shows how it works to who has not seen it; done when it was closed. */
export async function welcome(state) {
  const place = state?.instructions ? `${WELCOMED}: ${state.instructions}` : WELCOMED;
  if (recall(place) !== null) return;
  help(state, true);
  await new Promise((done) => panel.addEventListener("close", done, { once: true }));
  keep(place, "yes");
}

const PRACTICE = {
  pair: ["Which do you prefer?", { Summer: "ArrowLeft", Winter: "ArrowRight" }],
  same: ["Do a cat and a lion belong together?", { Same: "ArrowLeft", Different: "ArrowRight" }],
  triple: ["Which is the odd one out?", { "a cat": "1", "a lion": "2", "an oak": "3" }],
  label: ["Which label fits a lemon?", { sweet: "1", sour: "2" }],
};

function practice(kind) {
  if (!PRACTICE[kind]) return [];
  const [question, answers] = PRACTICE[kind];
  const reply = make("p", { role: "status", className: "soft" }, "For practice; this one is not saved.");
  const cards = Object.entries(answers).map(([name, key]) => {
    const hint = make("kbd", { "aria-hidden": "true" }, printed(key));
    const card = make("button", { type: "button", className: "card", "aria-keyshortcuts": key }, name, hint);
    card.addEventListener("click", () => (reply.textContent = `You said ${name}. It works like this all the time.`));
    return card;
  });
  const group = make("div", { className: "practice", role: "group", "aria-label": "Practice question" }, ...cards);
  panel.onkeydown = ({ key }) => {
    const chosen = Object.values(answers).indexOf(key);
    if (chosen >= 0 && group.isConnected) cards[chosen].click();
  };
  return [make("h3", {}, question), group, reply];
}

/** What each answer to the question would settle. */
export async function why(base, state) {
  const { question, diameter, start } = state;
  const percent = (share) => `${Math.round(100 * Math.min(1, share))} %`;
  const undecided = (value) => percent(value / Math.max(start ?? 0, diameter));
  const lead = "Of the questions left, this one is expected to settle most. This is what each answer would leave open.";
  const wait = make("p", { className: "soft", role: "status" }, "Working it out …");
  open("Why this question?", "Close", make("p", {}, lead), wait);
  try {
    const found = await request(`${base}/why/${question.id}`);
    const rows = found.map(({ response, chance, diameter, guess }) => {
      const likely = question.kind === "number" ? "" : `, ${percent(chance)} likely`;
      const short = guess.length > 90 ? `${guess.slice(0, 90)} …` : guess;
      const after = make("span", { className: "soft" }, `${undecided(diameter)} undecided${likely}; best guess: ${short}`);
      return make("li", {}, make("strong", {}, ...rich(said(question, response))), after);
    });
    wait.replaceWith(make("ul", { className: "rows" }, ...rows));
  } catch (error) {
    wait.textContent = error.message;
  }
}

/** One's own answers, each with a button to take it back and answer anew. */
export async function mine(base, change) {
  const wait = make("p", { className: "soft", role: "status" }, "One moment …");
  open("My answers", "Close", wait);
  try {
    const found = await request(`${base}/answers`);
    const rows = found.map((answer) => {
      const name = `Change the answer to: ${plain(answer.text)}`;
      const button = make("button", { type: "button", "aria-label": name }, "Change");
      button.addEventListener("click", () => {
        panel.close();
        change(answer.question);
      });
      const asked = make("span", { className: "soft" }, ...rich(answer.text));
      return make("li", {}, make("div", {}, asked, make("strong", {}, ...rich(spoken(answer)))), button);
    });
    wait.replaceWith(rows.length ? make("ol", { className: "rows" }, ...rows) : make("p", {}, "None yet."));
  } catch (error) {
    wait.textContent = error.message;
  }
}

function spoken(answer) {
  return answer.skipped ? "Can't tell" : said(answer, answer.response);
}

/** The end: what was found, how sure it is, and a receipt. */
export function ending(base, state) {
  const many = `${state.answers} answer${state.answers === 1 ? "" : "s"}`;
  const settled = state.done.startsWith("the average diameter"); // in words of statistics, which the certificate has
  const end = settled ? `Settled after ${many}. We are confident enough to stop.` : `${many}: ${state.done}.`;
  const parts = [make("p", { className: "soft" }, end)];
  if (state.estimate !== null) parts.push(make("h2", {}, "What your answers say"), value(state.estimate, state.goal));
  if (state.certificate) parts.push(make("p", { className: "certificate" }, state.certificate));
  const button = make("button", { type: "button", id: "receipt" }, "Save a receipt of my answers");
  button.addEventListener("click", () => receipt(base, state));
  return [...parts, button];
}

function value(estimate, goal) {
  if (!Array.isArray(estimate)) return make("p", { className: "big" }, ...rich(String(estimate)));
  const names = estimate.map(String);
  if (goal === "classifier") {
    const labels = [...new Set(names)];
    const counts = labels.map((label) => `${label}: ${names.filter((name) => name === label).length} items`);
    return make("ul", {}, ...counts.map((line) => make("li", {}, ...rich(line))));
  }
  const entries = estimate.map((part) => make("li", {}, ...inline(part)));
  return make(goal === "ranking" ? "ol" : "ul", {}, ...entries);
}

function inline(part) {
  if (!Array.isArray(part)) return rich(String(part));
  return part.flatMap((each, place) => {
    const inner = Array.isArray(each) ? ["(", ...inline(each), ")"] : inline(each);
    return place ? [", ", ...inner] : inner;
  });
}

async function receipt(base, state) {
  const found = await request(`${base}/answers`);
  const rows = found.reverse().map((answer) => `${answer.time}\t${plain(answer.text)}\t${plain(spoken(answer))}`);
  const result = state.estimate === null ? [] : [`Result: ${JSON.stringify(state.estimate)}`, state.certificate ?? ""];
  const text = [`Study: ${state.title}`, ...result, "", "Time\tQuestion\tAnswer", ...rows, ""].join("\n");
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  make("a", { href: url, download: `${state.title} receipt.txt` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

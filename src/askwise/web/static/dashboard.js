// @ts-check
// The dashboard of one study. The server sends two kinds of messages; the page shows the last one of each.

import { callApi, copyLinkIn, percent, plural, sentenceOf, showSentence, studyUrl } from "./api.js";
import { offerCare } from "./care.js";
import { applyChanges } from "./changes.js";
import { offerCrowd, refreshCrowd } from "./crowd.js";
import { byId, element, replaceHtml, setText } from "./dom.js";
import { answerMyself, mayChange, showNextStep } from "./first_steps.js";
import { showAbsence, showGroup } from "./group.js";
import { showParticipants } from "./participants.js";
import { offerColumns } from "./shown.js";
import { speakChanges } from "./spoken.js";
import { sendWording, showWording } from "./wording.js";

/** @typedef {import("./types.d.ts").Learned} Learned */
/** @typedef {import("./types.d.ts").StudyOverview} StudyOverview */
/** @typedef {import("./types.d.ts").PersonOverview} PersonOverview */
/** @typedef {import("./types.d.ts").SavedQuestions} SavedQuestions */

const study = document.body.dataset.study ?? "";
const api = studyUrl(study);
const select = byId("log-select", HTMLSelectElement);
const startButton = byId("start", HTMLButtonElement);
const simulateButton = byId("simulate", HTMLButtonElement);
const linkField = byId("link", HTMLInputElement);
const actions = { copyLink, setPaused };
/** @type {StudyOverview} */
let overview;
/** @type {string | null} */
let shownCrowd = null; // what became of everybody
/** @type {Learned | null} */
let learned = null;
/** @type {number | null} */
let log = Number(new URLSearchParams(location.search).get("log")) || null; // the one looked at; null: the study's own
let chosenByHand = log !== null;
/** @type {EventSource | null} */
let stream = null;

// ------------------------------------------------------------------ messages

function listen() {
  stream?.close();
  const source = new EventSource(`${api}/live${logQuery()}`);
  source.addEventListener("overview", (message) => showOverview(JSON.parse(message.data)));
  source.addEventListener("changes", (message) => overview && showOverview(applyChanges(overview, JSON.parse(message.data))));
  source.addEventListener("learned", (message) => receiveLearned(JSON.parse(message.data)));
  source.onerror = () => showSentence(byId("error"), source.readyState === EventSource.CLOSED
    ? "The server refused. If it was started again, open the address that askwise serve printed, or your own link."
    : "The connection is lost; trying again.");
  stream = source;
}

function logQuery() {
  return log === null ? "" : `?log=${log}`;
}

/** @param {StudyOverview} received */
function showOverview(received) {
  overview = received;
  speakChanges(overview);
  document.querySelector("main")?.classList.toggle("fresh", overview.answers === 0);
  byId("may-ask-why", HTMLInputElement).checked = overview.why;
  showSentence(byId("error"), overview.behind ? "The process that chooses questions failed and is starting again. People can still answer." : "");
  showWording(overview);
  showHeader();
  showLogs();
  showFigures();
  showSaved();
  showGroup(overview);
  showParticipants(overview, lastDiameters(), learned?.trusted ?? {}, actions);
  const came = JSON.stringify(overview.participants.map((one) => one.status));
  if (shownCrowd !== null && came !== shownCrowd) refreshCrowd(api);
  shownCrowd = came;
}

/** @param {Learned} received */
function receiveLearned(received) {
  if (received.trouble) return showSentence(byId("error"), received.trouble);
  learned = received;
  showLearned();
}

/** What is learned about the log looked at; null before it came. */
function currentLearned() {
  return learned && overview && learned.log === (log ?? overview.log) ? learned : null;
}

/** What is shown belongs to the log that was looked at before. */
function clearLearned() {
  for (const id of ["charts", "curve"]) replaceHtml(byId(id), "");
  for (const id of ["guess", "remarks", "odd-lead"]) byId(id).textContent = "";
  byId("progress-sentence").textContent = "Being worked out …";
  for (const id of ["guess", "absence", "why-stopped", "odd-answers"]) byId(id).hidden = true;
  showFigures();
}

function showLearned() {
  const current = currentLearned();
  if (!current) return;
  const { answers, guess, reason } = current;
  byId("guess").textContent = answers ? guess : nothingAnswered();
  byId("guess").hidden = !byId("guess").textContent;
  byId("guess").classList.toggle("long", guess.length > 60);
  byId("found-title").textContent = reason && !overview.beyond ? "Result" : "Result so far";
  byId("found-title").closest(".found")?.classList.toggle("settled", current.settled && !overview.beyond);
  byId("progress-sentence").textContent = progressSentence(current);
  byId("remarks").textContent = answers ? current.remarks.join(" ") : "";
  showAbsence(answers ? current.absence : null, (names) => change("/group", { without: names }));
  byId("why-stopped").hidden = !answers || !reason;
  byId("stop-reason").textContent = reason ? `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` : "";
  replaceHtml(byId("charts"), answers ? current.html.charts : ""); // never those of another person
  replaceHtml(byId("curve"), answers ? current.html.curve : "");
  replaceHtml(byId("pace"), current.html.pace);
  showOddAnswers(current);
  showFigures();
  showParticipants(overview, lastDiameters(), learned?.trusted ?? {}, actions);
}

// ------------------------------------------------------------------ what is shown

function nothingAnswered() {
  return overview.participants.some((one) => one.log === log && log !== overview.log) ? "This person has not answered yet." : "Nobody has answered yet.";
}

/** @param {Learned} current */
function progressSentence({ answers, reason, settled }) {
  if (!answers) return "";
  const after = `After ${plural(answers, "answer")}.`;
  if (!reason) return `Not settled yet. More answers may change this. ${after}`;
  const end = settled ? "Settled. We are confident enough to stop." : "Finished, but not settled.";
  return `${end} ${after}${overview.beyond ? " It goes on, as you decided." : ""}`;
}

function showHeader() {
  const { state, mode, aim } = overview;
  const closed = state === "closed";
  byId("state").textContent = state;
  byId("state").className = `state ${state}`;
  document.body.classList.toggle("closed", closed);
  byId("goal-sentence").textContent = `${aim} ${mode === "pooled" ? "All answers make one result." : "Everybody gets a result of their own."}`;
  startButton.textContent = hasEnded() ? "Continue anyway" : "Start";
  startButton.hidden = closed || state === "open" || (hasEnded() && !overview.may_continue);
  startButton.classList.toggle("main", state === "paused");
  byId("pause").hidden = state !== "open";
  byId("close").hidden = closed;
  showNextStep(overview);
  Object.assign(byId("csv"), { href: `${api}/answers.csv`, download: `${study}.csv` });
  Object.assign(byId("report"), { href: `${api}/report.html${logQuery()}`, download: `${study}.html` });
}

/** Whether the study came to an end by itself. */
function hasEnded() {
  return overview.state === "settled" || overview.state === "finished";
}

/** Where everybody has a log of their own, shows one of them: the one chosen, or that of whoever answered most. */
function showLogs() {
  const { log: ownLog, mode, participants } = overview;
  const single = mode === "pooled" || participants.length === 0;
  byId("log-label").hidden = single;
  if (single) return;
  if (select.options.length !== participants.length + 1) {
    select.replaceChildren(...participants.map((one) => element("option", { value: one.log }, one.name)),
      element("option", { value: ownLog }, "the study's own log"));
  }
  const shown = participants.find((one) => one.log === log);
  const busiest = participants.reduce((one, other) => (other.answers > one.answers ? other : one));
  if (!chosenByHand && (!shown || (shown.answers === 0 && busiest.answers > 0))) showLog(busiest.log);
  select.value = String(log ?? ownLog);
}

/** @param {number} wanted */
function showLog(wanted) {
  if (wanted === log) return;
  log = wanted;
  clearLearned();
  showHeader();
  listen();
}

function showFigures() {
  const { answers, epsilon, fallbacks, participants } = overview;
  const current = currentLearned();
  const shown = participants.find((one) => one.log === log && log !== overview.log); // the other figures are of everybody
  const whose = shown ? `${shown.name}; ` : "";
  const active = participants.filter((one) => one.answers > 0).length;
  const rate = learned ? learned.rate : null;
  const rows = [
    ["answers", answers.toLocaleString("en"), fallbacks ? `${fallbacks} of them to fallback questions` : ""],
    ["people", participants.length.toLocaleString("en"), participants.length ? `${active} answered` : "nobody invited"],
    ["undecided", current ? current.diameter.toFixed(3) : "…", `${whose}stops below ${epsilon}`],
    ["expected error", current ? current.error.toFixed(3) : "…", "of the best guess"],
    ["answers a minute", rate === null ? "…" : rate ? rate.toFixed(1) : "0", rate === 0 ? "none in the last five minutes" : "over the last five minutes"],
    ["questions saved", savedShare(), "against random ones"],
  ];
  const list = byId("figures");
  if (!list.children.length) {
    list.append(...rows.map(([label]) => element("div", {}, element("dt", {}, label), element("dd"), element("dd"))));
  }
  rows.forEach(([, value, note], index) => {
    const [, big, small] = list.children[index].children;
    setText(big, value);
    setText(small, note);
    small.toggleAttribute("hidden", !note);
    list.children[index].toggleAttribute("hidden", value === "");
  });
}

function savedShare() {
  if (!overview.saved || overview.saved.share === null) return "";
  return `${overview.saved.at_least ? "> " : ""}${percent(Math.max(0, overview.saved.share))}`;
}

function showSaved() {
  const { saved, saved_by_people: before, simulating } = overview;
  byId("saved-by-people").hidden = !before;
  byId("saved-by-people").textContent = before?.text ?? "";
  simulateButton.disabled = simulating !== null;
  simulateButton.textContent = saved ? "Simulate again" : "Simulate people";
  byId("saved").textContent = simulating ? `Simulated people are answering: ${simulating[0]} of ${simulating[1]}.`
    : saved ? savedSentence(saved)
    : !mayChange ? "Not known yet: nobody was simulated."
    : "Not known yet: nobody was simulated. Simulated people answer this study's questions and, to compare, random ones. This takes a minute or two.";
}

/** @param {SavedQuestions} saved */
function savedSentence({ advice, known, limit, own, people, random, share }) {
  if (!known) return advice.join(" ");
  const count = (/** @type {number | null} */ value) => (value === null ? `more than ${limit}` : `at most ${value}`);
  const start = `Of ${people} simulated people, half needed ${count(own)} questions`;
  return share === null ? `${start}.` : `${start}, and ${count(random)} when asked at random: ${savedShare()} saved.`;
}

/** @returns {Map<number, number>} */
function lastDiameters() {
  const lines = (learned?.lines ?? []).filter((line) => line.points.length);
  const found = new Map(lines.map((line) => [line.log, line.points[line.points.length - 1][1]]));
  if (learned) found.set(learned.log, learned.diameter); // the log says it only with its next question
  return found;
}

/** @param {Learned} current */
function showOddAnswers({ answers, odd }) {
  const names = new Map(overview.participants.map((one) => [one.participant, one.name]));
  const table = byId("odd-answers", HTMLTableElement);
  table.hidden = odd.length === 0;
  byId("odd-lead").textContent = odd.length === 0 ? answers ? "No answer stands out." : "There are no answers yet."
    : "Judged by all the other answers. A few are normal. An answer with a very small chance may be a slip: ask again.";
  table.tBodies[0].replaceChildren(...odd.map(({ answer, fit, off, text, who }) => {
    const cells = { question: text, answer, who: names.get(who ?? "") ?? who ?? "", "how it fits": off === null ? `${fit} likely` : fit };
    return element("tr", {}, ...Object.entries(cells).map(([heading, cell]) => element("td", { "data-of": heading }, cell)));
  }));
}

// ------------------------------------------------------------------ what the owner does

/**
 * @param {string} path
 * @param {object} body
 */
async function act(path, body) {
  try {
    return await callApi(`${api}${path}`, body);
  } catch (error) {
    showSentence(byId("error"), sentenceOf(error));
    return null;
  }
}

/**
 * @param {string} path
 * @param {object} body
 */
async function change(path, body) {
  const received = await act(path, body);
  if (received) showOverview(received);
}

/**
 * @param {PersonOverview} participant
 * @param {boolean} paused
 */
function setPaused({ participant }, paused) {
  return change(`/participants/${encodeURIComponent(participant)}/pause?paused=${paused}`, {});
}

/** @param {SubmitEvent} event */
async function invite(event) {
  event.preventDefault();
  const nameField = byId("name", HTMLInputElement);
  const quota = Number(byId("quota", HTMLInputElement).value) || null;
  const invited = await act("/participants", { name: nameField.value, quota });
  if (!invited) return;
  showLink(invited.name, invited.link);
  byId("invite", HTMLFormElement).reset();
  nameField.focus();
}

/**
 * @param {string} name
 * @param {string} link
 */
function showLink(name, link) {
  byId("invited").hidden = false;
  linkField.value = link;
  byId("link-for").textContent = name;
}

/** @param {PersonOverview} participant */
function copyLink({ name, link }) {
  showLink(name, `${location.origin}${link}`);
  return copyShownLink();
}

async function copyShownLink() {
  byId("link-status").textContent = await copyLinkIn(linkField, `The link for ${byId("link-for").textContent}`);
}

const confirmClose = byId("confirm-close", HTMLDialogElement);
offerColumns(api);
offerCrowd(api, study);
offerCare(api, study);
startButton.addEventListener("click", () => (hasEnded() ? change("/settings", { beyond: true }) : change("/state", { state: "open" })));
byId("may-ask-why", HTMLInputElement).addEventListener("change", (event) =>
  change("/settings", { why: /** @type {HTMLInputElement} */ (event.target).checked }));
byId("pause").addEventListener("click", () => change("/state", { state: "paused" }));
byId("close").addEventListener("click", () => confirmClose.showModal());
confirmClose.addEventListener("close", () => confirmClose.returnValue === "yes" && change("/state", { state: "closed" }));
simulateButton.addEventListener("click", () => act("/plan", {}));
byId("invite").addEventListener("submit", invite);
byId("copy").addEventListener("click", copyShownLink);
byId("answer-myself").addEventListener("click", () => answerMyself(overview, (body) => act("/participants", body)));
select.addEventListener("change", () => {
  chosenByHand = true;
  showLog(Number(select.value));
});
document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? listen() : stream?.close()));
sendWording(api, showOverview);
if (document.getElementById("items")) import("./items.js"); // only where the table of the goal can change
listen();

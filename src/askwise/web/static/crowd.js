// @ts-check
// The door of a study on the dashboard: its link, its settings, and several invitations at once.

import { callApi, copyLinkIn, plural, sentenceOf, showSentence } from "./api.js";
import { byId, element, setText } from "./dom.js";
import { localMoment } from "./moments.js";

/** @typedef {{text: string, options: string[], answer: string}} CheckQuestion */
/** @typedef {Record<string, string | number | boolean | null | CheckQuestion[]>} CrowdSettings */
/** @typedef {{link: string, settings: CrowdSettings, people: Record<string, number>, languages: string[]}} CrowdOverview */

const form = byId("crowd-form", HTMLFormElement);
const fields = /** @type {(HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement)[]} */ ([...form.querySelectorAll("[data-setting]")]);
const openButton = byId("crowd-open", HTMLButtonElement);
const linkField = byId("crowd-link", HTMLInputElement);
let edited = false; // what somebody is writing is not overwritten
/** @type {CrowdSettings} */
let settings = {};

/**
 * Shows the door, and lets the owner change it.
 * @param {string} api  the address of the study
 * @param {string} study
 */
export function offerCrowd(api, study) {
  form.addEventListener("input", () => {
    edited = true;
    setText(byId("crowd-form-status"), "");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(api, Object.fromEntries(fields.map((field) => [field.dataset.setting ?? "", valueOf(field)])), "crowd-form-error");
  });
  openButton.addEventListener("click", () => send(api, { open: !settings.open }, "crowd-error"));
  byId("copy-crowd-link").addEventListener("click", async () => setText(byId("crowd-status"), await copyLinkIn(linkField, "The link")));
  const list = byId("names-list", HTMLTextAreaElement);
  Object.assign(byId("links-csv"), { href: `${api}/links.csv`, download: `${study} links.csv` });
  byId("invite-list").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const made = await callApi(`${api}/invitations`, { names: list.value.split("\n") });
      list.value = "";
      setText(byId("invite-status"), `${plural(made.length, "link")} made. “All links (CSV)” has them.`);
    } catch (error) {
      setText(byId("invite-status"), sentenceOf(error));
    }
  });
  refreshCrowd(api);
}

/**
 * Asks how many people came.
 * @param {string} api
 */
export async function refreshCrowd(api) {
  try {
    show(await callApi(`${api}/crowd`));
  } catch (error) {
    showSentence(byId("crowd-error"), sentenceOf(error));
  }
}

/**
 * @param {string} api
 * @param {object} changes
 * @param {"crowd-error" | "crowd-form-error"} trouble  where a refusal is shown: beside the button that was pressed
 */
async function send(api, changes, trouble) {
  const saves = trouble === "crowd-form-error";
  showSentence(byId(trouble));
  try {
    const received = await callApi(`${api}/crowd`, changes);
    if (saves) edited = false;
    show(received);
    if (saves) setText(byId("crowd-form-status"), "Saved.");
  } catch (error) {
    showSentence(byId(trouble), sentenceOf(error));
  }
}

/** @param {CrowdOverview} overview */
function show({ link, settings: received, people, languages }) {
  settings = received;
  const total = Object.values(people).reduce((sum, count) => sum + count, 0);
  openButton.textContent = settings.open ? "Close the link" : "Open the link";
  byId("crowd-door").hidden = !settings.open;
  byId("crowd-off").hidden = Boolean(settings.open);
  linkField.value = link;
  const became = Object.entries(people).filter(([status]) => status !== "answering").map(([status, count]) => `, ${count} ${status}`).join("");
  setText(byId("crowd-status"), total ? `${plural(total, "person").replace("persons", "people")} joined${became}.` : settings.open ? `${doorSentence(settings)} Nobody has joined yet.` : "");
  if (edited) return;
  const select = byId("crowd-language", HTMLSelectElement);
  if (select.options.length === 1) {
    const names = new Intl.DisplayNames(["en"], { type: "language" });
    select.append(...languages.map((code) => element("option", { value: code }, names.of(code) ?? code)));
  }
  for (const field of fields) fill(field, settings[field.dataset.setting ?? ""]);
}

/**
 * Whether people may come now: an open link has hours, too.
 * @param {CrowdSettings} settings
 */
function doorSentence({ opens, closes }) {
  if (typeof opens === "string" && new Date(opens) > new Date()) return `The link opens on ${localMoment(opens, "en")}.`;
  if (typeof closes === "string" && new Date(closes) <= new Date()) return `The link closed on ${localMoment(closes, "en")}.`;
  return "The link is open.";
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} field
 * @param {CrowdSettings[string]} value
 */
function fill(field, value) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = Boolean(value);
  else if (field instanceof HTMLInputElement && field.type === "datetime-local") field.value = localTime(value);
  else if (Array.isArray(value)) field.value = value.map(lineOf).join("\n");
  else field.value = value === null || value === undefined ? "" : String(value);
}

/** @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} field */
function valueOf(field) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") return field.checked;
  const text = field.value.trim();
  if (field.dataset.setting === "checks") return text.split("\n").filter((line) => line.trim()).map(checkOf);
  if (!text) return null;
  if (field instanceof HTMLInputElement && field.type === "number") return Number(text);
  if (field instanceof HTMLInputElement && field.type === "datetime-local") return new Date(text).toISOString();
  return text;
}

/**
 * A stored time as a field of this browser shows it.
 * @param {CrowdSettings[string]} value
 */
function localTime(value) {
  if (typeof value !== "string") return "";
  const time = new Date(value);
  return new Date(time.getTime() - 60_000 * time.getTimezoneOffset()).toISOString().slice(0, 16);
}

/** @param {CheckQuestion} check */
function lineOf({ text, options, answer }) {
  return [text, ...options.map((option) => (option === answer ? `*${option}` : option))].join(" | ");
}

/** @param {string} line */
function checkOf(line) {
  const [text, ...options] = line.split("|").map((part) => part.trim());
  const right = options.find((option) => option.startsWith("*"));
  return { text, options: options.map((option) => (option === right ? option.slice(1).trim() : option)), answer: right?.slice(1).trim() ?? "" };
}

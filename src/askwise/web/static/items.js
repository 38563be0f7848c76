// @ts-check
// The items of a study on the owner's page: which there are, rows to add, and names to retire.

import { callApi, plural, sentenceOf, studyUrl } from "./api.js";
import { byId, element } from "./dom.js";

/** @typedef {import("./types.d.ts").StudyItems} StudyItems */

const api = `${studyUrl(document.body.dataset.study ?? "")}/items`;
const panel = byId("items", HTMLDetailsElement);
const addForm = byId("add-items", HTMLFormElement);
const retireForm = byId("retire-items", HTMLFormElement);

/** @param {StudyItems} received */
function showItems({ items, retired, columns, can_retire: canRetire }) {
  const gone = retired.length ? `, and ${plural(retired.length, "item")} that retired: ${retired.join(", ")}` : "";
  byId("items-lead").textContent = `${plural(items.length, "item")}${gone}. All answers stay.`;
  byId("rows-hint").textContent = columns.length === 1 ? "One name a line."
    : `With a line of headings: ${columns.join(", ")}. Rows of a spreadsheet will do.`;
  byId("active-items", HTMLSelectElement).replaceChildren(...items.map((name) => element("option", { value: name }, name)));
  retireForm.hidden = !canRetire;
}

async function load() {
  if (!panel.open) return;
  try {
    showItems(await callApi(api));
  } catch (error) {
    showStatus(sentenceOf(error));
  }
}

/**
 * @param {SubmitEvent} event
 * @param {HTMLFormElement} form
 * @param {(body: FormData) => string} describe  what was done, in words
 */
async function send(event, form, describe) {
  event.preventDefault();
  const body = new FormData(form);
  const table = body.get("table");
  if (table instanceof File && !table.name) body.delete("table"); // none was chosen
  body.set("key", `items-${Date.now()}-${Math.random()}`);
  const button = form.querySelector("button");
  button?.toggleAttribute("disabled", true);
  showStatus("One moment…");
  try {
    showItems(await callApi(api, body));
    showStatus(describe(body));
    form.reset();
  } catch (error) {
    showStatus(sentenceOf(error));
  } finally {
    button?.toggleAttribute("disabled", false);
  }
}

/** @param {string} sentence */
function showStatus(sentence) {
  byId("items-status").textContent = sentence;
}

panel.addEventListener("toggle", load);
addForm.addEventListener("submit", (event) => send(event, addForm, () => "The items are added. People are asked about them from now on."));
retireForm.addEventListener("submit", (event) =>
  send(event, retireForm, (body) => `${body.getAll("retire").join(", ")}: not asked about any more.`));

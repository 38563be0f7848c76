// @ts-check
// The form for a new study.

import { callApi, pageUrl, root, sentenceOf, showSentence } from "./api.js";
import { listColumns, tickedColumns } from "./columns.js";
import { byId, element } from "./dom.js";

const form = byId("new-study", HTMLFormElement);
const table = byId("table", HTMLInputElement);
const files = byId("files", HTMLInputElement);
const nameField = byId("name", HTMLInputElement);
const goal = byId("goal", HTMLSelectElement);
const readButton = byId("read-table", HTMLButtonElement);
const makeButton = byId("make-study", HTMLButtonElement);

/** Only the options of the chosen goal can be filled in and are sent. */
function showOptions() {
  for (const field of form.querySelectorAll("[data-goals]")) {
    if (!(field instanceof HTMLElement)) continue;
    field.hidden = !field.dataset.goals?.split(" ").includes(goal.value);
    for (const input of field.querySelectorAll("[data-option]")) {
      input.toggleAttribute("disabled", field.hidden);
      if (input instanceof HTMLInputElement && input.dataset.defaults) input.placeholder = JSON.parse(input.dataset.defaults)[goal.value] ?? "";
    }
  }
  for (const details of form.querySelectorAll("details")) details.hidden = details.querySelector(".field:not([hidden])") === null;
}

/** The options that are filled in. Each field says by data-option whether it holds a number, a text, a list or a check. */
function filledOptions() {
  /** @type {Record<string, number | string | boolean | string[]>} */
  const options = {};
  for (const field of form.querySelectorAll("[data-option]")) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    const value = field.value.trim();
    if (field.disabled || !value) continue;
    if (field instanceof HTMLInputElement && field.dataset.option === "check") {
      if (field.checked) options[field.name] = true;
      continue;
    }
    if (field.dataset.option === "number") options[field.name] = Number(value);
    else if (field.dataset.option === "list") options[field.name] = value.split(",").map((part) => part.trim()).filter(Boolean);
    else options[field.name] = value;
  }
  return options;
}

/** @param {boolean} preview */
async function sendForm(preview) {
  const filled = new FormData(form);
  const body = new FormData();
  for (const name of ["name", "goal", "mode", "instructions"]) body.set(name, String(filled.get(name)).trim());
  body.set("table", filled.get("table") ?? "");
  for (const file of files.files ?? []) body.append("files", file);
  const show = preview ? null : tickedColumns(byId("shown-columns"));
  body.set("options", JSON.stringify(show === null ? filledOptions() : { ...filledOptions(), show }));
  body.set("preview", String(preview));
  return callApi(`${root}/api/v1/studies`, body);
}

/** @param {SubmitEvent} event */
async function readTable(event) {
  event.preventDefault();
  hidePreview();
  readButton.disabled = true;
  readButton.textContent = "Reading…";
  try {
    /** @type {{words: string[], columns: string[], shown: string[]}} */
    const { words, columns, shown } = await sendForm(true);
    listColumns(byId("shown-columns"), columns, shown);
    byId("shown-fieldset").hidden = columns.length === 0;
    byId("understood-sentences").replaceChildren(...words.map((sentence) => element("li", {}, sentence)));
    byId("understood").hidden = false;
    byId("understood-title").focus();
  } catch (error) {
    showSentence(byId("form-error"), sentenceOf(error));
  } finally {
    readButton.disabled = false;
    readButton.textContent = "Read the table";
  }
}

async function makeStudy() {
  makeButton.disabled = true;
  try {
    const { study } = await sendForm(false);
    location.assign(pageUrl(study));
  } catch (error) {
    hidePreview();
    showSentence(byId("form-error"), sentenceOf(error));
  } finally {
    makeButton.disabled = false;
  }
}

/** What was understood holds only for the form as it was sent. */
function hidePreview() {
  byId("understood").hidden = true;
  showSentence(byId("form-error"));
}

function suggestName() {
  const file = table.files?.[0];
  if (!file || nameField.value) return;
  const stem = file.name.replace(/\.[^.]*$/, "");
  nameField.value = stem.replace(/[^A-Za-z0-9 _.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(0, 60);
}

/**
 * A browser cannot point at a field that is folded away.
 * @param {Event} event
 */
function unfold(event) {
  const folded = event.target instanceof Element ? event.target.closest("details") : null;
  if (folded) folded.open = true;
}

form.addEventListener("submit", readTable);
form.addEventListener("invalid", unfold, true);
form.addEventListener("input", hidePreview);
table.addEventListener("change", suggestName);
goal.addEventListener("change", showOptions);
makeButton.addEventListener("click", makeStudy);
showOptions();

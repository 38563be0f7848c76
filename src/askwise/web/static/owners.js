// @ts-check
// Who may see and change the studies, on the home page: everybody with a token, one more, and one less.

import { callApi, copyLinkIn, dayOf, root, sentenceOf, showSentence } from "./api.js";
import { byId, element } from "./dom.js";

/** @typedef {import("./types.d.ts").ListedOwner} ListedOwner */
/** @typedef {import("./types.d.ts").NewOwner} NewOwner */

const api = `${root}/api/v1/owners`;
const form = byId("add-owner", HTMLFormElement);
const nameField = byId("owner-name", HTMLInputElement);
const roleField = byId("owner-role", HTMLSelectElement);
const linkField = byId("owner-link", HTMLInputElement);
const confirmRevoke = byId("confirm-revoke", HTMLDialogElement);

async function load() {
  try {
    showOwners(await callApi(api));
  } catch (error) {
    showSentence(byId("owners-error"), sentenceOf(error));
  }
}

/** @param {ListedOwner[]} owners */
function showOwners(owners) {
  const table = byId("owners", HTMLTableElement);
  table.hidden = owners.length === 0;
  table.tBodies[0].replaceChildren(...owners.map(row));
}

/** @param {ListedOwner} owner */
function row(owner) {
  const { name, role, created, you } = owner;
  const cells = { name: you ? `${name} (you)` : name, role, since: dayOf(new Date(created)) };
  const revoke = element("button", { type: "button", className: "small", "aria-label": `Revoke the access of ${name}` }, "Revoke");
  revoke.addEventListener("click", () => askToRevoke(owner));
  const shown = Object.entries(cells).map(([heading, text]) => element("td", { "data-of": heading }, text));
  return element("tr", {}, ...shown, element("td", {}, element("div", { className: "row" }, revoke)));
}

/** @param {SubmitEvent} event */
async function add(event) {
  event.preventDefault();
  clearMessages();
  try {
    /** @type {NewOwner} */
    const made = await callApi(api, { name: nameField.value, role: roleField.value });
    byId("owner-link-for").textContent = made.name;
    linkField.value = made.link;
    byId("new-owner").hidden = false;
    form.reset();
    byId("copy-owner-link").focus();
    await load();
  } catch (error) {
    showSentence(byId("owners-error"), sentenceOf(error));
  }
}

/** @param {ListedOwner} owner */
function askToRevoke({ name, you }) {
  byId("revoke-name").textContent = name;
  byId("revoke-self").hidden = !you;
  confirmRevoke.onclose = () => confirmRevoke.returnValue === "yes" && revoke(name, you);
  confirmRevoke.returnValue = "no";
  confirmRevoke.showModal();
}

/**
 * @param {string} name
 * @param {boolean} you
 */
async function revoke(name, you) {
  clearMessages();
  try {
    const left = await callApi(`${api}/${encodeURIComponent(name)}/revoke`, {});
    if (you) return location.reload();
    showOwners(left);
    byId("owners-status").textContent = `${name} has no access any more.`;
    byId("owners-title").focus(); // the button is gone
  } catch (error) {
    showSentence(byId("owners-error"), sentenceOf(error));
  }
}

/** What was said, and the link of whoever was added last. */
function clearMessages() {
  showSentence(byId("owners-error"));
  byId("owners-status").textContent = "";
  byId("new-owner").hidden = true;
  linkField.value = "";
}

form.addEventListener("submit", add);
byId("copy-owner-link").addEventListener("click", async () => {
  byId("owners-status").textContent = await copyLinkIn(linkField, `The link for ${byId("owner-link-for").textContent}`);
});
load();

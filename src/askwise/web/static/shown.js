// @ts-check
// What people see with each name: the owner may change it while they answer.

import { callApi, sentenceOf } from "./api.js";
import { listColumns, tickedColumns } from "./columns.js";
import { byId, setText } from "./dom.js";

const list = byId("shown-columns");
const status = byId("shown-status");

/**
 * Lets the owner choose, once they open the list.
 * @param {string} api  the address of the study
 */
export function offerColumns(api) {
  const details = byId("shown", HTMLDetailsElement);
  details.addEventListener("toggle", () => details.open && attempt(() => load(api)));
  byId("save-shown").addEventListener("click", () => attempt(async () => {
    const show = tickedColumns(list);
    if (show !== null) await callApi(`${api}/shown`, { show });
    await load(api);
    setText(status, "People see this from their next question on.");
  }));
}

/** @param {string} api */
async function load(api) {
  /** @type {{columns: string[], shown: string[]}} */
  const { columns, shown } = await callApi(`${api}/shown`);
  listColumns(list, columns, shown);
  byId("save-shown").hidden = columns.length === 0;
  setText(status, columns.length ? "" : "The questions of this study show no table.");
}

/** @param {() => Promise<void>} work */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    setText(status, sentenceOf(error));
  }
}

// @ts-check
// How carefully people answer, on the dashboard: flags, and whom to leave out or erase.

import { callApi, percent, sentenceOf } from "./api.js";
import { byId, element, limitHeight, setText } from "./dom.js";

/** @typedef {{participant: string, name: string, status: string | null, answers: number, checks: number, checks_passed: number,
 *   repeats: number, repeats_same: number, seconds: number | null, same_place: number | null, flags: string[]}} Quality */

const details = byId("care", HTMLDetailsElement);
/** @typedef {{time: string, kind: string, participant: string | null, detail: Record<string, unknown>}} NotedAction */

const dialog = byId("confirm-erase", HTMLDialogElement);
const exclusion = byId("confirm-exclude", HTMLDialogElement);
const reason = byId("exclude-reason", HTMLInputElement);

/**
 * Lets the owner look, once they open the list.
 * @param {string} api  the address of the study
 * @param {string} study
 */
export function offerCare(api, study) {
  Object.assign(byId("people-csv"), { href: `${api}/people.csv`, download: `${study} people.csv` });
  Object.assign(byId("study-data"), { href: `${api}/data.json`, download: `${study} data.json` });
  details.addEventListener("toggle", () => details.open && load(api));
  byId("refresh-care").addEventListener("click", () => load(api));
  const confirm = byId("confirm-delete", HTMLDialogElement);
  byId("delete-study").addEventListener("click", () => confirm.showModal());
  confirm.addEventListener("close", async () => {
    if (confirm.returnValue !== "yes") return;
    try {
      await callApi(`${api}/delete`, { name: byId("delete-name", HTMLInputElement).value.trim() });
      location.assign(/** @type {HTMLAnchorElement} */ (document.querySelector(".back a")).href);
    } catch (error) {
      setText(byId("delete-status"), sentenceOf(error));
    }
  });
}

/** @param {string} api */
async function load(api) {
  try {
    /** @type {Quality[]} */
    const people = await callApi(`${api}/quality`);
    showNoted(await callApi(`${api}/actions`), new Map(people.map((one) => [one.participant, one.name])));
    const table = byId("care-table", HTMLTableElement);
    table.hidden = people.length === 0;
    limitHeight(byId("care-list"), people.length);
    table.tBodies[0].replaceChildren(...people.map((one) => row(api, one)));
    setText(byId("care-status"), people.length ? "" : "Nobody was invited yet.");
  } catch (error) {
    setText(byId("care-status"), sentenceOf(error));
  }
}

/**
 * What was done about people, the last first.
 * @param {NotedAction[]} actions
 * @param {Map<string | null, string>} names
 */
function showNoted(actions, names) {
  const rows = actions.reverse().map(({ time, kind, participant, detail }) => {
    const { reason, ...more } = detail;
    const others = Object.entries(more).filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : value}`);
    const cells = { what: kind, who: names.get(participant) ?? "", when: new Date(time).toLocaleString(), details: [...(reason ? [String(reason)] : []), ...others].join("; ") };
    return element("tr", {}, ...Object.entries(cells).map(([heading, text]) => element("td", { "data-of": heading }, text)));
  });
  byId("noted").hidden = rows.length === 0;
  limitHeight(byId("noted-list"), rows.length);
  byId("noted-table", HTMLTableElement).tBodies[0].replaceChildren(...rows);
}

/**
 * @param {string} api
 * @param {Quality} one
 */
function row(api, one) {
  const cells = {
    name: one.name,
    answers: String(one.answers),
    "checks passed": one.checks ? `${one.checks_passed} of ${one.checks}` : "",
    "same again": one.repeats ? `${one.repeats_same} of ${one.repeats}` : "",
    seconds: one.seconds === null ? "" : one.seconds.toFixed(1),
    "one place": one.same_place === null ? "" : percent(one.same_place),
    flags: one.flags.join(", "),
  };
  const shown = Object.entries(cells).map(([heading, text]) => element("td", { "data-of": heading }, text));
  return element("tr", {}, ...shown, element("td", {}, element("div", { className: "row" }, ...actions(api, one))));
}

/**
 * @param {string} api
 * @param {Quality} one
 * @returns {HTMLElement[]}
 */
function actions(api, one) {
  if (one.status === "erased") return [];
  const here = `${api}/participants/${encodeURIComponent(one.participant)}`;
  const excluded = one.status === "excluded";
  const exclude = element("button", { type: "button", className: "small owner-only", "aria-label": `${excluded ? "Include" : "Exclude"} ${one.name}` }, excluded ? "Include" : "Exclude");
  exclude.addEventListener("click", () => {
    if (excluded) return act(api, `${here}/exclude`, { excluded: false });
    byId("exclude-name").textContent = one.name;
    reason.value = "";
    exclusion.onclose = () => exclusion.returnValue === "yes" && act(api, `${here}/exclude`, { excluded: true, reason: reason.value.trim() });
    exclusion.returnValue = "no";
    exclusion.showModal();
  });
  const data = element("a", { className: "button small", href: `${here}/data.json`, "aria-label": `Data of ${one.name}`, download: "" }, "Data");
  const erase = element("button", { type: "button", className: "small owner-only", "aria-label": `Erase ${one.name}` }, "Erase");
  erase.addEventListener("click", () => {
    byId("erase-name").textContent = one.name;
    dialog.onclose = () => dialog.returnValue === "yes" && act(api, `${here}/erase`, {});
    dialog.returnValue = "no";
    dialog.showModal();
  });
  return [exclude, data, erase];
}

/**
 * @param {string} api
 * @param {string} path
 * @param {object} body
 */
async function act(api, path, body) {
  try {
    await callApi(path, body);
    await load(api);
  } catch (error) {
    setText(byId("care-status"), sentenceOf(error));
  }
}

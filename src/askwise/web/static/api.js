// @ts-check
// What the owner's pages share: calls of the API, and words for numbers.

/** What stands before every address: a proxy may serve askwise under a prefix. */
export const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/**
 * The address of a study's API.
 * @param {string} name
 */
export function studyUrl(name) {
  return `${root}/api/v1/studies/${encodeURIComponent(name)}`;
}

/**
 * The address of a study's page.
 * @param {string} name
 */
export function pageUrl(name) {
  return `${root}/s/${encodeURIComponent(name)}`;
}

/**
 * The reply as JSON. What the server refuses becomes an Error with its sentence.
 * @param {string} path
 * @param {object | FormData} [body]  with it, the request is a POST
 * @returns {Promise<any>}
 */
export async function callApi(path, body) {
  /** @type {RequestInit} */
  let options = {};
  if (body instanceof FormData) options = { method: "POST", headers: { "X-Askwise": "page" }, body };
  else if (body !== undefined) {
    const headers = { "X-Askwise": "page", "Content-Type": "application/json" };
    options = { method: "POST", headers, body: JSON.stringify(body) };
  }
  let reply;
  try {
    reply = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is askwise serve still running?");
  }
  const json = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(typeof json.detail === "string" ? json.detail : `The server replied with status ${reply.status}.`);
  return json;
}

/**
 * The sentence of an error, as a person writes it: programs read it without a capital letter and a full stop.
 * @param {unknown} error
 */
export function sentenceOf(error) {
  const text = error instanceof Error ? error.message : String(error);
  const file = /^[^.;:]*\.[a-z]+ /.test(text); // which keeps its name
  const start = /^[a-z]+ /.test(text) && !file ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.?!]$/.test(start) ? start : `${start}.`;
}

/**
 * Shows a sentence in a paragraph that is hidden without one.
 * @param {HTMLElement} paragraph
 * @param {string} [sentence]
 */
export function showSentence(paragraph, sentence = "") {
  paragraph.textContent = sentence;
  paragraph.hidden = !sentence;
}

/**
 * A share as a percentage that is never rounded to 0 % or 100 %.
 * @param {number} share
 */
export function percent(share) {
  if (share > 0 && share < 0.01) return "< 1 %";
  if (share > 0.99 && share < 1) return "> 99 %";
  return `${Math.round(100 * share)} %`;
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {Date} time */
export function dayOf(time) {
  return time.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

/**
 * Copies the link in a field; says what happened. Browsers copy only on pages of this machine or with https; elsewhere
 * the link is marked, and the person copies it.
 * @param {HTMLInputElement} field
 * @param {string} whose
 * @returns {Promise<string>}
 */
export async function copyLinkIn(field, whose) {
  try {
    await navigator.clipboard.writeText(field.value);
    return `${whose} is copied.`;
  } catch {
    field.select();
    return "Copy the marked link.";
  }
}

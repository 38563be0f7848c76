// @ts-check
// The end of a visit: what the owner says, the completion code, and the way back.

import { element, richText } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {import("./types.d.ts").ParticipantState} ParticipantState */

const RETURN_SECONDS = 10;
/** @type {ReturnType<typeof setInterval> | undefined} */
let countdown;

/**
 * What the owner says, and the completion code.
 * @param {ParticipantState} state
 * @returns {HTMLElement[]}
 */
export function thanksNodes({ thanks, code }) {
  const own = (thanks ?? "").split("\n").filter((line) => line.trim());
  const nodes = own.map((line) => element("p", { className: "own", dir: "auto" }, ...richText(line)));
  if (!code) return nodes;
  const status = element("span", { role: "status", className: "soft" });
  const copy = element("button", { type: "button" }, text("copy"));
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code);
      status.textContent = text("copied");
    } catch { // only pages with https, or of this machine, may copy; the person does it by hand
      getSelection()?.selectAllChildren(shown);
    }
  });
  const shown = element("strong", { id: "completion-code", dir: "ltr" }, code);
  return [...nodes, element("div", { className: "completion" }, element("span", { className: "soft" }, text("code")), shown, copy, status)];
}

/**
 * The way back to where somebody came from. They go by themselves after a while, unless they want to stay.
 * @param {ParticipantState} state
 * @returns {HTMLElement[]}
 */
export function returnNodes({ returns }) {
  clearInterval(countdown);
  if (!returns) return [];
  const address = `${location.pathname}/return`;
  const link = element("a", { className: "button main", id: "return", href: address }, text("return_now"));
  const left = element("p", { className: "soft", id: "return-soon" });
  const stay = element("button", { type: "button" }, text("stay"));
  let seconds = RETURN_SECONDS;
  const tell = () => (left.textContent = text("return_soon", { count: seconds }));
  tell();
  countdown = setInterval(() => {
    seconds -= 1;
    tell();
    if (seconds > 0) return;
    clearInterval(countdown);
    location.assign(address);
  }, 1000);
  const staying = element("div", { className: "staying" }, left, stay);
  stay.addEventListener("click", () => {
    clearInterval(countdown);
    staying.remove();
    link.focus();
  });
  return [link, staying];
}

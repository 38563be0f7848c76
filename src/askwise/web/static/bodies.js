// @ts-check
// Long texts, sounds and films of a question. The server has made the texts safe HTML.

import { byId, element, plainText, replaceHtml } from "./dom.js";

/** @typedef {import("./types.d.ts").ShownOption} ShownOption */

const SCROLL_KEYS = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];
const questionSection = byId("question");
const expandButton = byId("expand", HTMLButtonElement);

/**
 * Whether an option has more than a card can hold as one large button.
 * @param {ShownOption} option
 */
export function hasBody({ body_html: html, audio, video }) {
  return Boolean(html ?? audio ?? video);
}

/**
 * The address of a sound or a film of the study.
 * @param {string} base
 * @param {"audio" | "video"} kind
 * @param {string} name
 */
function mediaUrl(base, kind, name) {
  return `${base}/${kind}/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The players and the long text of an option.
 * @param {string} base
 * @param {ShownOption} option
 * @returns {HTMLElement[]}
 */
export function bodyNodes(base, { name, body_html: html, audio, video }) {
  /** @type {HTMLElement[]} */
  const nodes = [];
  for (const [kind, file] of /** @type {["audio" | "video", string | null][]} */ ([["video", video], ["audio", audio]])) {
    if (!file) continue;
    const properties = { src: mediaUrl(base, kind, file), controls: true, preload: "metadata", "aria-label": plainText(name) };
    const player = element(kind, kind === "video" ? { ...properties, playsInline: true } : properties);
    player.addEventListener("error", () => player.replaceWith(element("p", { className: "soft" }, `${file} cannot be played here.`)));
    nodes.push(player);
  }
  if (html !== null) {
    const text = element("div", { className: "body", tabIndex: 0, role: "region", "aria-label": `Text of ${plainText(name)}` });
    replaceHtml(text, html);
    nodes.push(text);
  }
  return nodes;
}

/** Offers to unfold texts that do not fit. Long lines and wide tables scroll by keys, too. */
export function offerToExpand() {
  fold(true);
  expandButton.hidden = true;
  const texts = [...questionSection.querySelectorAll(".body")];
  for (const wide of /** @type {NodeListOf<HTMLElement>} */ (questionSection.querySelectorAll(".body :is(pre, table)"))) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
  expandButton.hidden = !texts.some((text) => text.scrollHeight > text.clientHeight + 1);
}

/** @param {boolean} folded */
function fold(folded) {
  questionSection.classList.toggle("expanded", !folded);
  expandButton.setAttribute("aria-expanded", String(!folded));
  expandButton.textContent = folded ? "Show all of it" : "Show less";
}

/**
 * Whether a key belongs to what has the focus: to a player, or to a text that it scrolls. It is no answer then.
 * @param {KeyboardEvent} event
 */
export function isKeyOfBody({ target, key }) {
  if (!(target instanceof Element)) return false;
  if (target.closest("audio, video, pre, table")) return key.length > 1 || key === " ";
  return target.closest(".body") !== null && (SCROLL_KEYS.includes(key) || key === "Enter");
}

expandButton.addEventListener("click", () => fold(questionSection.classList.contains("expanded")));

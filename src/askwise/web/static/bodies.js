// @ts-check
// Long texts, sounds and films of a question. The server has made the texts safe HTML.

import { byId, element, plainText, replaceHtml } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {import("./types.d.ts").ShownOption} ShownOption */
/** @typedef {import("./types.d.ts").CardsPage} CardsPage */

const SCROLL_KEYS = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];

/**
 * Whether an option has more than a card can hold as one large button.
 * @param {ShownOption} option
 */
export function hasBody({ body_html: html, audio, video }) {
  return Boolean(html ?? audio ?? video);
}

/**
 * The players and the long text of an option.
 * @param {CardsPage} page
 * @param {ShownOption} option
 * @returns {HTMLElement[]}
 */
export function bodyNodes(page, { name, body_html: html, audio, video }) {
  /** @type {HTMLElement[]} */
  const nodes = [];
  for (const [kind, file] of /** @type {["audio" | "video", string | null][]} */ ([["video", video], ["audio", audio]])) {
    if (!file) continue;
    const properties = { src: page.mediaUrl(kind, file), controls: true, preload: "metadata", "aria-label": plainText(name) };
    const player = element(kind, kind === "video" ? { ...properties, playsInline: true } : properties);
    player.addEventListener("error", () => player.replaceWith(element("p", { className: "soft" }, text("cannot_play", { file }))));
    nodes.push(player);
  }
  if (html !== null) {
    const region = element("div", { className: "body", tabIndex: 0, role: "region", "aria-label": text("text_of", { name: plainText(name) }) });
    replaceHtml(region, html);
    nodes.push(region);
  }
  return nodes;
}

/**
 * Offers to unfold texts that do not fit. Long lines and wide tables scroll by keys, too.
 * @param {CardsPage} page
 */
export function offerToExpand({ root }) {
  const questionSection = byId("question", HTMLElement, root);
  const expandButton = byId("expand", HTMLButtonElement, root);
  const fold = (/** @type {boolean} */ folded) => {
    questionSection.classList.toggle("expanded", !folded);
    expandButton.setAttribute("aria-expanded", String(!folded));
    expandButton.textContent = text(folded ? "show_all" : "show_less");
  };
  fold(true);
  expandButton.onclick = () => fold(questionSection.classList.contains("expanded"));
  expandButton.hidden = true;
  const texts = [...questionSection.querySelectorAll(".body")];
  for (const wide of /** @type {NodeListOf<HTMLElement>} */ (questionSection.querySelectorAll(".body :is(pre, table)"))) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
  expandButton.hidden = !texts.some((text) => text.scrollHeight > text.clientHeight + 1);
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

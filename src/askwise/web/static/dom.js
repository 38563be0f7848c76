// @ts-check
// Building pages from text that nobody has vetted: as nodes here, or as HTML that the server's templates escaped.

/** @type {WeakMap<HTMLElement, string>} */
const shownHtml = new WeakMap();
const MAX_ROWS = 30; // of a table that is shown in full height
const SIMPLE_TAGS = /<\/?(?:b|br|em|i|strong|sub|sup)\s*\/?>/gi; // without attributes

/**
 * The element of the page, or of a part of it, with this id, of this class.
 * @template {HTMLElement} T
 * @overload
 * @param {string} id
 * @param {new () => T} kind
 * @param {Document | ShadowRoot} [root]
 * @returns {T}
 */
/**
 * @overload
 * @param {string} id
 * @returns {HTMLElement}
 */
/**
 * @param {string} id
 * @param {new () => HTMLElement} [kind]
 * @param {Document | ShadowRoot} [root]
 */
export function byId(id, kind = HTMLElement, root = document) {
  const found = root.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} with the id ${id}`);
  return found;
}

/**
 * A new element with properties, attributes (names with a hyphen, and role) and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") created.setAttribute(name, String(value));
    else Object.assign(created, { [name]: value });
  }
  created.append(...children);
  return created;
}

/**
 * A text as nodes. Simple emphasis is kept; a text with any other markup is shown letter by letter.
 * @param {string} text
 * @returns {Node[]}
 */
export function richText(text) {
  const stripped = text.replace(SIMPLE_TAGS, "");
  if (stripped === text || stripped.includes("<")) return [document.createTextNode(text)];
  return [...new DOMParser().parseFromString(text, "text/html").body.childNodes].map(copyWithoutAttributes);
}

/**
 * A text without its emphasis, for attributes and files.
 * @param {string} text
 * @returns {string}
 */
export function plainText(text) {
  return richText(text).map((node) => node.textContent).join("");
}

/**
 * Changes a text only if it is different, so that screen readers do not read it again.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Lets a long table scroll in a part of the page, so that what follows is not far below.
 * @param {HTMLElement} region
 * @param {number} rows
 */
export function limitHeight(region, rows) {
  const long = rows > MAX_ROWS;
  region.classList.toggle("scroll", long);
  if (long) region.tabIndex = 0; // for the arrow keys
  else region.removeAttribute("tabindex");
}

/**
 * Replaces what is inside an element by HTML of the server, whose templates escape every text. What the person opened
 * stays open, and what they scrolled stays where it was.
 * @param {HTMLElement} parent
 * @param {string} html
 */
export function replaceHtml(parent, html) {
  if (shownHtml.get(parent) === html) return;
  shownHtml.set(parent, html);
  const open = [...parent.querySelectorAll("details")].map((details) => details.open);
  const scrolled = [...parent.querySelectorAll(".scroll")].map((region) => region.scrollTop);
  parent.innerHTML = html;
  parent.querySelectorAll("details").forEach((details, index) => (details.open = open[index] ?? false));
  parent.querySelectorAll(".scroll").forEach((region, index) => (region.scrollTop = scrolled[index] ?? 0));
}

/**
 * @param {Node} node
 * @returns {Node}
 */
function copyWithoutAttributes(node) {
  if (!(node instanceof Element)) return document.createTextNode(node.textContent ?? "");
  const copy = document.createElement(node.tagName);
  copy.append(...[...node.childNodes].map(copyWithoutAttributes));
  return copy;
}

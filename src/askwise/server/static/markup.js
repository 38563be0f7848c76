// Building the page from text that nobody has vetted: nodes only, never markup as a string.

const SIMPLE = /<\/?(?:b|br|em|i|strong|sub|sup)\s*\/?>/gi; // without attributes

/** An element with properties or attributes (those with a hyphen, and role) and children. */
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

/** A text as nodes: simple emphasis is kept; if anything else is in it, it is shown letter by letter. */
export function rich(text) {
  const rest = text.replace(SIMPLE, "");
  if (rest === text || rest.includes("<")) return [document.createTextNode(text)];
  return [...new DOMParser().parseFromString(text, "text/html").body.childNodes].map(copied);
}

/** What a text says without its emphasis: for where only letters can be. */
export function plain(text) {
  return rich(text).map((node) => node.textContent).join("");
}

function copied(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return document.createTextNode(node.textContent);
  return make(node.tagName, {}, ...[...node.childNodes].map(copied));
}

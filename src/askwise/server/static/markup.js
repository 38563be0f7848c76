// Building the page from text that nobody has vetted: nodes only, never markup as a string.

const ALLOWED = new Set(["B", "BR", "EM", "I", "STRONG", "SUB", "SUP"]);

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
  const parsed = new DOMParser().parseFromString(text, "text/html"); // inert: nothing in it loads or runs
  const inside = [...parsed.querySelectorAll("head *, body *")];
  const simple = inside.every((node) => ALLOWED.has(node.tagName) && !node.attributes.length);
  if (!inside.length || !simple) return [document.createTextNode(text)];
  return [...parsed.body.childNodes].map(copied);
}

/** What a text says without its emphasis: for where only letters can be. */
export function plain(text) {
  return rich(text).map((node) => node.textContent).join("");
}

function copied(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return document.createTextNode(node.textContent);
  return make(node.tagName, {}, ...[...node.childNodes].map(copied));
}

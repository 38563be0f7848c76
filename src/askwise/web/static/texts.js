// @ts-check
// What people read, in the language of the page. The server puts the catalogue into it.

/** @typedef {string | Record<string, string>} CatalogueText  one text, or one for each plural form */

/** @type {Record<string, CatalogueText>} */
let catalogue = {};
let language = "en";

/**
 * Takes the texts of a language.
 * @param {Record<string, CatalogueText>} texts
 * @param {string} [code]  of the language
 */
export function setTexts(texts, code = "en") {
  catalogue = texts;
  language = code;
}

/** The language of the page. */
export function pageLanguage() {
  return language;
}

/**
 * A text with its placeholders filled in. `count` chooses the plural form.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function text(key, values = {}) {
  const found = catalogue[key] ?? key;
  const chosen = typeof found === "string" ? found : found[new Intl.PluralRules(language).select(Number(values.count))] ?? found.other;
  return chosen.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

const embedded = typeof document === "undefined" ? null : document.getElementById("texts"); // a notebook has none
if (embedded) setTexts(JSON.parse(embedded.textContent ?? "{}"), document.documentElement.lang);

// The English catalogue, which the server puts into the page.

import { readFileSync } from "node:fs";

import { setTexts } from "../../src/askwise/web/static/texts.js";

/** @param {string} language */
export function useLanguage(language) {
  const file = new URL(`../../src/askwise/web/languages/${language}.json`, import.meta.url);
  const all = Object.entries(JSON.parse(readFileSync(file, "utf-8")));
  setTexts(Object.fromEntries(all.filter(([key]) => key.startsWith("page.")).map(([key, text]) => [key.slice(5), text])), language);
}

useLanguage("en");

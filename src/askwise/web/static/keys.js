// @ts-check
// Which key answers what. Pure functions: the page hands in questions and key presses.

import { text } from "./texts.js";

/** @typedef {{kind: string, responses: unknown[]}} Answerable */

/** @type {Record<string, string[]>} */
const ARROW_KEYS = { pair: ["ArrowLeft", "ArrowRight", "ArrowDown"], same: ["ArrowLeft", "ArrowRight"] };
/** @type {Record<string, string>} */
const COMMANDS = { u: "undo", w: "why", m: "my-answers", "?": "help" }; // key -> id of the button
const SKIP_KEYS = ["s", "a", "d", "x"]; // without a reason, and for each of the three reasons
const RESPONSE_KEYS = [..."1234567890bcefghijklnopqrtvyz"]; // the letters that no command and no reason has
/** @type {Record<string, string>} */
const TOO_ALIKE = { label: "several_fit", number: "no_value" };
/** @type {Record<string, string>} */
const KEY_LABELS = { ArrowLeft: "←", ArrowRight: "→", ArrowDown: "↓" };

/**
 * The ways to say "can't tell": the key, the text of the button, and the reason that is stored.
 * @param {{kind: string}} question
 * @returns {{key: string, label: string, reason: string | null}[]}
 */
export function skipChoices({ kind }) {
  const reasons = ["cant_tell", TOO_ALIKE[kind] ?? "too_alike", "unfamiliar", "unclear"];
  return reasons.slice(0, kind === "check" ? 1 : undefined).map((reason, index) => ({ key: SKIP_KEYS[index], label: text(reason), reason: index ? reason.replace("_", " ") : null }));
}

/**
 * The keys of each response, in order. A label of one letter or digit is its own key.
 * @param {Answerable} question
 * @returns {string[][]}
 */
export function responseKeys({ kind, responses }) {
  const letters = responses.map((response) => String(response).toLowerCase());
  const free = (/** @type {string} */ letter) => letter.length === 1 && letter.trim() && letter !== "s" && !(letter in COMMANDS);
  const lettersAreKeys = kind === "label" && letters.every(free) && new Set(letters).size === letters.length;
  const keys = lettersAreKeys ? letters : RESPONSE_KEYS;
  const arrows = kind === "pair" && String(responses[0]).includes(", ") ? [] : (ARROW_KEYS[kind] ?? []); // grades have digits
  return responses.map((_, index) => [keys[index], arrows[index]].filter(Boolean));
}

/**
 * A key as it is printed on a button.
 * @param {string} key
 * @returns {string}
 */
export function keyLabel(key) {
  return KEY_LABELS[key] ?? key;
}

/**
 * The key that a press means, letters in lower case; null for presses that belong to the browser, repeats of a held key,
 * and single characters where the person switched them off.
 * Ctrl+Z undoes as everywhere, save in a field that somebody types in.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat" | "target">} press
 * @param {boolean} lettersAnswer
 * @returns {string | null}
 */
export function pressedKey({ key, ctrlKey, metaKey, altKey, shiftKey, repeat, target }, lettersAnswer) {
  const typed = target && "value" in target && target.value;
  if (key.toLowerCase() === "z" && ctrlKey !== metaKey && !altKey && !shiftKey && !repeat && !typed) return "u";
  if (ctrlKey || metaKey || altKey || repeat) return null;
  if (key.length > 1) return key;
  return lettersAnswer ? key.toLowerCase() : null;
}

/**
 * The id of the button that a key presses on every question; null if there is none.
 * @param {string} key
 * @returns {string | null}
 */
export function commandOf(key) {
  return Object.hasOwn(COMMANDS, key) ? COMMANDS[key] : null;
}

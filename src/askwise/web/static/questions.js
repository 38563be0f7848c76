// @ts-check
// What a question and its answers are called.

import { text } from "./texts.js";

/** @typedef {import("./types.d.ts").ShownOption} ShownOption */
/** @typedef {import("./types.d.ts").Response} Response */
/** @typedef {import("./types.d.ts").ResponseOutlook} ResponseOutlook */

const MAX_GUESS_LENGTH = 90;

/** @type {Record<string, number>} */
const SIDES = { left: 0, right: 1 };
const TOGETHER = ["same", "different"];

/**
 * A response as the person would say it. "left" and "right" become the names of the items, with the grade if there is
 * one. A name that the owner gave comes first.
 * @param {{kind: string, options: ShownOption[], answer_names?: Record<string, string>}} question
 * @param {Response} response
 * @returns {string}
 */
export function responseLabel({ kind, options, answer_names: given = {} }, response) {
  const word = String(response);
  const named = Object.hasOwn(given, word) ? given[word] : "";
  const [side, ...grade] = word.split(", ");
  if (kind === "pair" && Object.hasOwn(SIDES, side)) {
    return `${named && `${named}: `}${[options[SIDES[side]].name, ...grade].join(", ")}`;
  }
  if (named) return named;
  if (kind === "pair" && response === "equal") return text("equal");
  if (kind === "same") return TOGETHER.includes(word) ? text(word) : word;
  return typeof response === "number" ? String(Number(response.toPrecision(4))) : word;
}

/**
 * The side and the grade of each answer to a pair with grades; null where answers have none.
 * @param {{kind: string, responses: Response[]}} question
 * @returns {{side: string, grade: string}[] | null}
 */
export function gradedResponses({ kind, responses }) {
  const parts = responses.map((response) => String(response).split(", "));
  if (kind !== "pair" || parts[0].length < 2) return null;
  return parts.map(([side, grade]) => ({ side: grade ? side : "middle", grade: grade ?? text("equal") }));
}

/**
 * What stands before a question, such as the prompt that both options reply to; "" for a question alone.
 * @param {string} text
 */
export function contextOf(text) {
  return text.slice(0, Math.max(0, text.lastIndexOf("\n\n")));
}

/**
 * The text of a question without the names that its cards show anyway.
 * @param {{kind: string, text: string, options: ShownOption[]}} question
 * @returns {string}
 */
export function questionHeading({ kind, text: whole, options }) {
  const asked = whole.slice(contextOf(whole).length).trimStart();
  const names = options.map((option) => option.name);
  const listed = text("listed", { names: `${names.slice(0, -1).join(", ")}${text("or")}${names.at(-1)}` });
  if (["pair", "triple", "set", "best-worst"].includes(kind) && asked.endsWith(listed)) return asked.slice(0, -listed.length) + listed.slice(-1);
  if (names.length > 1 && asked === text("text_same", { first: names[0], second: names[1] })) return text("these_two");
  if (kind === "label" && asked === text("text_label", { first: names[0] })) return text("which_label");
  return asked;
}

/**
 * The columns whose values are not the same for all options.
 * @param {ShownOption[]} options
 * @returns {Set<string>}
 */
export function differingColumns(options) {
  const columns = options.flatMap(({ fields }) => Object.keys(fields));
  return new Set(columns.filter((column) => new Set(options.map(({ fields }) => fields[column])).size > 1));
}

/**
 * The name of a column beside its value: without the unit that the value has.
 * @param {string} column
 * @param {string} value
 * @returns {string}
 */
export function fieldHeading(column, value) {
  const [, heading, round, square] = /^(.*\S)\s*(?:\(([^()]+)\)|\[([^[\]]+)\])$/s.exec(column) ?? [];
  const unit = (round ?? square ?? "").trim();
  const written = unit && (value.endsWith(` ${unit}`) || value.replace(/^-/, "").startsWith(unit));
  return written ? heading : column;
}

/**
 * Why the question is asked. Only a question that the learner chose is expected to settle most.
 * @param {{fallback: boolean, kind: string}} question
 * @returns {string}
 */
export function whyLead({ fallback, kind }) {
  return `${text(fallback ? "why_fallback" : "why_best")} ${text(kind === "best-worst" ? "why_each_best" : "why_each")}`;
}

/**
 * The outlooks in the order in which the question shows its responses.
 * @param {{responses: Response[]}} question
 * @param {ResponseOutlook[]} outlooks
 * @returns {ResponseOutlook[]}
 */
export function inOrderOfResponses({ responses }, outlooks) {
  const place = (/** @type {ResponseOutlook} */ { response }) => responses.indexOf(response);
  return [...outlooks].sort((one, other) => place(one) - place(other));
}

/**
 * What one answer would leave open.
 * @param {string} kind  of the question
 * @param {ResponseOutlook} outlook
 * @param {number} full  the diameter at the start
 * @returns {string}
 */
export function outlookSentences(kind, { chance, diameter, guess }, full) {
  const likely = kind === "number" ? "" : `${text("likely", { share: percent(chance) })} `;
  const shown = guess.length > MAX_GUESS_LENGTH ? `${guess.slice(0, MAX_GUESS_LENGTH)} …` : `${guess}.`;
  const open = text("then_undecided", { share: percent(diameter / full) });
  return `${likely}${open}${guess ? ` ${text("best_guess", { guess: shown })}` : ""}`;
}

/** @param {number} share */
function percent(share) {
  if (share < 0.005) return text("less_than_1");
  return `${Math.round(100 * Math.min(1, share))} %`;
}

/**
 * A receipt as plain text.
 * @param {{title: string, result: string[] | null, ordered: boolean, certainty: string | null}} state
 * @param {string[]} rows  time, question and answer of each answer
 * @returns {string}
 */
export function receiptText({ title, result, ordered, certainty }, rows) {
  const lines = (result ?? []).map((line, index) => (ordered ? `${index + 1}. ${line}` : line));
  const found = lines.length ? ["", text("receipt_result"), ...lines, ...(certainty ? [certainty] : [])] : [];
  return [text("receipt_study", { study: title }), ...found, "", text("receipt_head"), ...rows, ""].join("\n");
}

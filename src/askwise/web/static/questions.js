// @ts-check
// What a question and its answers are called.

/** @typedef {import("./types.d.ts").ShownOption} ShownOption */
/** @typedef {import("./types.d.ts").Response} Response */
/** @typedef {import("./types.d.ts").ResponseOutlook} ResponseOutlook */

const MAX_GUESS_LENGTH = 90;

/** @type {Record<string, number>} */
const SIDES = { left: 0, right: 1 };
/** @type {Record<string, string>} */
const TOGETHER = { same: "Same", different: "Different" };

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
  if (kind === "pair" && response === "equal") return "Equal";
  if (kind === "same") return TOGETHER[word] ?? word;
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
  return parts.map(([side, grade]) => ({ side: grade ? side : "middle", grade: grade ?? "Equal" }));
}

/**
 * The text of a question without the names that its cards show anyway.
 * @param {{kind: string, text: string, options: ShownOption[]}} question
 * @returns {string}
 */
export function questionHeading({ kind, text, options }) {
  const names = options.map((option) => option.name);
  const listed = `: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}?`;
  if (["pair", "triple", "set", "best-worst"].includes(kind) && text.endsWith(listed)) return `${text.slice(0, -listed.length)}?`;
  if (text === `Do ${names[0]} and ${names[1]} belong together?`) return "Do these two belong together?";
  if (kind === "label" && text === `Which label fits ${names[0]}?`) return "Which label fits?";
  return text;
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
 * @param {{fallback: boolean}} question
 * @returns {string}
 */
export function whyLead({ fallback }) {
  return fallback ? "This question came while the best one was still being worked out. This is what each answer would leave open."
    : "Of the questions left, this one is expected to settle most. This is what each answer would leave open.";
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
  const likely = kind === "number" ? "" : `${percent(chance)} likely. `;
  const shown = guess.length > MAX_GUESS_LENGTH ? `${guess.slice(0, MAX_GUESS_LENGTH)} …` : `${guess}.`;
  return `${likely}We would then be ${percent(diameter / full)} undecided.${guess ? ` Best guess: ${shown}` : ""}`;
}

/** @param {number} share */
function percent(share) {
  if (share < 0.005) return "less than 1 %";
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
  const found = lines.length ? ["", "Result:", ...lines, ...(certainty ? [certainty] : [])] : [];
  return [`Study: ${title}`, ...found, "", "Time\tQuestion\tAnswer", ...rows, ""].join("\n");
}

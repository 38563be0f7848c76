// @ts-check
// What a question and its answers are called.

/** @typedef {import("./types.d.ts").ShownOption} ShownOption */
/** @typedef {import("./types.d.ts").Response} Response */

/** @type {Record<string, number>} */
const SIDES = { left: 0, right: 1 };
/** @type {Record<string, string>} */
const TOGETHER = { same: "Same", different: "Different" };

/**
 * A response as the person would say it. "left" and "right" become the names of the items.
 * @param {{kind: string, options: ShownOption[]}} question
 * @param {Response} response
 * @returns {string}
 */
export function responseLabel({ kind, options }, response) {
  const word = String(response);
  if (kind === "pair" && Object.hasOwn(SIDES, word)) return options[SIDES[word]].name;
  if (kind === "pair" && response === "equal") return "Equal";
  if (kind === "same") return TOGETHER[word] ?? word;
  return typeof response === "number" ? String(Number(response.toPrecision(4))) : word;
}

/**
 * The text of a question without the names that its cards show anyway.
 * @param {{kind: string, text: string, options: ShownOption[]}} question
 * @returns {string}
 */
export function questionHeading({ kind, text, options }) {
  const names = options.map((option) => option.name);
  const listed = `: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}?`;
  if ((kind === "pair" || kind === "triple") && text.endsWith(listed)) return `${text.slice(0, -listed.length)}?`;
  if (text === `Do ${names[0]} and ${names[1]} belong together?`) return "Do these two belong together?";
  if (kind === "label" && text === `Which label has ${names[0]}?`) return "Which label fits?";
  return text;
}

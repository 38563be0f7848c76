// What a question's parts are called, and the key of each answer.

const SIDES = { left: 0, right: 1 };
const ARROWS = { pair: ["ArrowLeft", "ArrowRight", "ArrowDown"], same: ["ArrowLeft", "ArrowRight"] };
const COMMANDS = "suwm?";
const SPARE = [..."1234567890bcefghijklnopqrtvyz"]; // the letters that neither a command nor a reason has
const ALIKE = { label: "several fit", number: "no value" };

/** [key, reason] of each way to say why one can't tell. */
export function reasonsOf({ kind }) {
  return [["a", ALIKE[kind] ?? "too alike"], ["d", "unfamiliar"], ["x", "unclear"]];
}

/** The keys of each response, in their order; a label of one letter or digit is its own key. */
export function keysOf({ kind, responses }) {
  const letters = responses.map((response) => String(response).toLowerCase());
  const short = letters.every((letter) => letter.length === 1 && letter.trim() && !COMMANDS.includes(letter));
  const own = kind === "label" && short && new Set(letters).size === letters.length;
  const keys = own ? letters : SPARE;
  return responses.map((_, place) => [keys[place], ARROWS[kind]?.[place]].filter(Boolean));
}

/** A key as it is printed. */
export function printed(key) {
  return { ArrowLeft: "←", ArrowRight: "→", ArrowDown: "↓" }[key] ?? key;
}

/** A response as the person would say it: the item, where it names a side. */
export function said({ kind, options }, response) {
  if (kind === "pair" && response in SIDES) return options[SIDES[response]].name;
  if (kind === "pair" && response === "equal") return "Equal";
  if (kind === "same") return { same: "Same", different: "Different" }[response] ?? String(response);
  return typeof response === "number" ? String(Number(response.toPrecision(4))) : String(response);
}

/** The question without the names that the cards show anyway. */
export function heading({ kind, text, options }) {
  const names = options.map((option) => option.name);
  const listed = `: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}?`;
  if ((kind === "pair" || kind === "triple") && text.endsWith(listed)) return `${text.slice(0, -listed.length)}?`;
  if (text === `Do ${names[0]} and ${names[1]} belong together?`) return "Do these two belong together?";
  if (kind === "label" && text === `Which label has ${names[0]}?`) return "Which label fits?";
  return text;
}

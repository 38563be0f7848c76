// @ts-check
// A question on the page: cards, buttons, or a field for a number.

import { byId, element, plainText, richText } from "./dom.js";
import { keyLabel, responseKeys, skipChoices } from "./keys.js";
import { questionHeading, responseLabel } from "./questions.js";
import { bestWorstTaps } from "./sets.js";

/** @typedef {import("./types.d.ts").ShownQuestion} ShownQuestion */
/** @typedef {import("./types.d.ts").ShownOption} ShownOption */
/** @typedef {import("./types.d.ts").Response} Response */
/** @typedef {Map<string, HTMLButtonElement>} ButtonsByKey */
/**
 * @template T
 * @typedef {(value: T, button: HTMLButtonElement, event: UIEvent | SubmitEvent) => void} OnChoice
 */

const questionSection = byId("question");
const CARD_KINDS = ["pair", "triple", "set", "best-worst"];
const COLUMNS = [0, 1, 2, 3, 2, 3, 3]; // of so many cards, where the screen is wide

/**
 * The address of a picture of the study.
 * @param {string} base
 * @param {string} name
 */
export function imageUrl(base, name) {
  return `${base}/image/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * Shows a question, and returns its buttons by key.
 * @param {string} base
 * @param {ShownQuestion} question
 * @param {OnChoice<Response>} onAnswer  called with the response
 * @param {OnChoice<string | null>} onSkip  called with the reason
 * @param {(event: UIEvent) => boolean} [ignores]  whether a tap was meant for the question before
 * @returns {ButtonsByKey}
 */
export function showQuestion(base, question, onAnswer, onSkip, ignores = () => false) {
  const { kind, options, responses } = question;
  const hasCards = CARD_KINDS.includes(kind);
  const hasImages = options.some((option) => option.image);
  /** @type {ButtonsByKey} */
  const buttons = new Map();
  questionSection.dataset.kind = kind;
  questionSection.classList.remove("waiting");
  questionSection.classList.toggle("pictures", hasImages);
  byId("question-text").replaceChildren(...richText(questionHeading(question)));
  byId("question-text").setAttribute("aria-label", plainText(question.text));
  byId("hint").textContent = kind === "triple" ? "Tap the odd one; the other two belong together." : "";
  const size = nameSize(options);
  const figures = hasCards || (kind === "number" && !hasImages) ? [] : options;
  byId("options").replaceChildren(...figures.map((option) => element("figure", {}, ...cardContent(base, option, size))));
  const keys = responseKeys(question);
  questionSection.style.setProperty("--columns", String(COLUMNS[options.length] ?? 1));
  const taps = kind === "best-worst" ? bestWorstTaps(question, onAnswer, ignores) : null;
  const choices = taps ? options.map((option, index) =>
    choiceButton(buttons, keys[index], "card", cardContent(base, option, size), taps[index]),
  ) : responses.map((response, index) => {
    const isCard = hasCards && index < options.length;
    const content = isCard ? cardContent(base, options[index], size) : richText(responseLabel(question, response));
    return choiceButton(buttons, keys[index], isCard ? "card" : "", content, (button, event) => onAnswer(response, button, event));
  });
  byId("responses").replaceChildren(...(kind === "number" ? [numberForm(onAnswer)] : choices));
  const skips = skipChoices(question).map(({ key, label, reason }) =>
    choiceButton(buttons, [key], "", [label], (button, event) => onSkip(reason, button, event)));
  byId("skips").replaceChildren(...skips);
  return buttons;
}

/** The pictures of the question on the page. */
export function shownImages() {
  return [...questionSection.querySelectorAll("img")];
}

/**
 * The same for all options: a larger name would look like a better one.
 * @param {ShownOption[]} options
 */
function nameSize(options) {
  const longest = Math.max(...options.map(({ name }) => name.length));
  return longest < 14 ? "large" : longest < 48 ? "middle" : longest < 140 ? "small" : "tiny";
}

/**
 * @param {string} base
 * @param {ShownOption} option
 * @param {string} size
 */
function cardContent(base, { name, image }, size) {
  const label = element("span", { className: `name ${size}` }, ...richText(name));
  if (!image) return [label];
  const picture = element("img", { src: imageUrl(base, image), alt: "" });
  picture.addEventListener("error", () => picture.remove());
  return [picture, label];
}

/**
 * @param {ButtonsByKey} buttons
 * @param {string[]} wanted  the keys, except those that another button has already
 * @param {string} className
 * @param {(Node | string)[]} content
 * @param {(button: HTMLButtonElement, event: MouseEvent) => void} onPress
 */
function choiceButton(buttons, wanted, className, content, onPress) {
  const keys = wanted.filter((key) => !buttons.has(key));
  const hints = keys.map((key) => element("kbd", { "aria-hidden": "true" }, keyLabel(key)));
  const button = element("button", { type: "button", className }, ...content, element("span", { className: "keys" }, ...hints));
  if (keys.length) button.setAttribute("aria-keyshortcuts", keys.join(" "));
  button.addEventListener("click", (event) => onPress(button, event));
  for (const key of keys) buttons.set(key, button);
  return button;
}

/** @param {OnChoice<number>} onAnswer */
function numberForm(onAnswer) {
  const field = element("input", { id: "number", inputMode: "decimal", autocomplete: "off", "aria-labelledby": "question-text" });
  const sign = element("button", { type: "button", "aria-label": "Change the sign" }, "±"); // some phones' keys lack a minus
  sign.addEventListener("click", () => {
    field.value = field.value.startsWith("-") ? field.value.slice(1) : `-${field.value}`;
    field.focus();
  });
  const send = element("button", { type: "submit", className: "send" }, "Send", element("kbd", { "aria-hidden": "true" }, "⏎"));
  const form = element("form", { noValidate: true }, sign, field, send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = field.value.trim().replace(",", ".").replace("−", "-");
    const number = typed === "" ? NaN : Number(typed);
    field.setAttribute("aria-invalid", String(!Number.isFinite(number)));
    onAnswer(number, send, event);
  });
  return form;
}

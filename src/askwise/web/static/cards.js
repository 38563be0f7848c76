// @ts-check
// A question on the page: cards, buttons, or a field for a number.

import { bodyNodes, hasBody, offerToExpand } from "./bodies.js";
import { byId, element, plainText, richText } from "./dom.js";
import { keyLabel, responseKeys, skipChoices } from "./keys.js";
import { contextOf, differingColumns, fieldHeading, gradedResponses, questionHeading, responseLabel } from "./questions.js";
import { bestWorstTaps } from "./sets.js";
import { keepHeights } from "./steady.js";
import { text } from "./texts.js";

/** @typedef {import("./types.d.ts").ShownQuestion} ShownQuestion */
/** @typedef {import("./types.d.ts").ShownOption} ShownOption */
/** @typedef {import("./types.d.ts").CardsPage} CardsPage */
/** @typedef {import("./types.d.ts").Response} Response */
/** @typedef {Map<string, HTMLButtonElement>} ButtonsByKey */
/**
 * @template T
 * @typedef {(value: T, button: HTMLButtonElement, event: UIEvent | SubmitEvent) => void} OnChoice
 */

const LONG_VALUE = 24; // letters, beyond which a field has a line of its own on a phone
const CARD_KINDS = ["pair", "triple", "set", "best-worst"];
const COLUMNS = [0, 1, 2, 3, 2, 3, 3]; // of so many cards, where the screen is wide
const BODY_COLUMNS = [0, 1, 2, 3, 4, 3, 3]; // of so many long texts

/**
 * Shows a question, and returns its buttons by key.
 * @param {CardsPage} page
 * @param {ShownQuestion} question
 * @param {OnChoice<Response>} onAnswer  called with the response
 * @param {OnChoice<string | null>} onSkip  called with the reason
 * @param {(event: UIEvent) => boolean} [ignores]  whether a tap was meant for the question before
 * @returns {ButtonsByKey}
 */
export function showQuestion(page, question, onAnswer, onSkip, ignores = () => false) {
  const part = (/** @type {string} */ id) => byId(id, HTMLElement, page.root);
  const questionSection = part("question");
  const { kind, options, responses } = question;
  const graded = gradedResponses(question);
  const hasBodies = options.some(hasBody);
  const namesOptions = !graded && CARD_KINDS.includes(kind); // each response is one of the options, or two of them
  const hasCards = namesOptions && !hasBodies; // a button can hold neither links nor players
  const hasImages = options.some((option) => option.image);
  /** @type {ButtonsByKey} */
  const buttons = new Map();
  questionSection.dataset.kind = kind;
  questionSection.classList.remove("waiting");
  questionSection.classList.toggle("pictures", hasImages);
  questionSection.classList.toggle("bodies", hasBodies);
  questionSection.classList.toggle("with-fields", options.some((option) => Object.keys(option.fields).length > 0));
  questionSection.classList.toggle("graded", graded !== null);
  questionSection.classList.toggle("several", options.length > 2);
  const context = contextOf(question.text);
  part("context").textContent = context;
  part("context").hidden = context === "";
  part("context").scrollTop = 0;
  part("question-text").replaceChildren(...richText(questionHeading(question)));
  part("question-text").setAttribute("aria-label", plainText(question.text));
  part("hint").textContent = kind === "triple" ? text("odd_hint") : "";
  const size = hasBodies ? "small" : nameSize(options);
  const figures = hasCards || (kind === "number" && !hasImages) ? [] : options;
  const caption = (/** @type {number} */ index) => (namesOptions ? question.answer_names[String(responses[index])] : undefined);
  const differing = options.length > 1 ? differingColumns(options) : null;
  part("options").replaceChildren(...figures.map((option, index) => element("figure", {}, ...cardContent(page, option, size, caption(index)),
    ...fieldList(option, differing, ["dl", "div", "dt", "dd"]), ...bodyNodes(page, option))));
  const keys = responseKeys(question);
  questionSection.style.setProperty("--columns", String((hasBodies ? BODY_COLUMNS : COLUMNS)[options.length] ?? 1));
  const taps = kind === "best-worst" ? bestWorstTaps(page, question, onAnswer, ignores) : null;
  const fieldsOf = (/** @type {number} */ index) => fieldList(options[index], differing, ["span", "span", "span", "span"]);
  const choices = taps ? options.map((option, index) => {
    const content = hasCards ? cardContent(page, option, size) : [answerName(option.name)];
    const button = choiceButton(buttons, keys[index], hasCards ? "card" : "", content, taps[index]);
    if (hasCards) describe(button, option, fieldsOf(index), index);
    return button;
  }) : responses.map((response, index) => {
    if (graded) return gradeButton(buttons, keys[index], question, index, graded, onAnswer);
    const isCard = hasCards && index < options.length;
    const content = isCard ? cardContent(page, options[index], size, caption(index)) : [answerName(caption(index) ?? responseLabel(question, response))];
    const button = choiceButton(buttons, keys[index], isCard ? "card" : "", content, (pressed, event) => onAnswer(response, pressed, event));
    if (isCard) describe(button, options[index], fieldsOf(index), index);
    return button;
  });
  const sides = graded ? options.map(sideHeading) : [];
  part("responses").replaceChildren(...(kind === "number" ? [numberForm(onAnswer)] : [...sides, ...choices]));
  const skips = skipChoices(question).map(({ key, label, reason }) =>
    choiceButton(buttons, [key], "", [label], (button, event) => onSkip(reason, button, event)));
  part("skips").replaceChildren(...skips);
  questionSection.hidden = false; // or nothing has a height
  keepHeights(page, `${questionSection.className} ${kind} ${responses.length}`, highElements(page));
  offerToExpand(page);
  return buttons;
}

/**
 * What may be higher on one question than on another: the text; cards with fields; and answers below long texts.
 * @param {CardsPage} page
 */
function highElements({ root }) {
  const hasBodies = byId("question", HTMLElement, root).classList.contains("bodies");
  const which = hasBodies ? "#responses > *" : ".with-fields :is(.card, figure)";
  return [byId("context", HTMLElement, root), byId("question-text", HTMLElement, root), .../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(which))];
}

/**
 * The name above the grades that speak for it, where the cards are not above them.
 * @param {ShownOption} option
 * @param {number} index
 */
function sideHeading({ name }, index) {
  const heading = element("span", { className: `side ${index ? "right" : "left"}`, "aria-hidden": "true" }, ...richText(name));
  heading.style.setProperty("--row", "1");
  return heading;
}

/**
 * A button with a grade, under the card that it speaks for. On a phone, strong grades stand above weak ones.
 * @param {ButtonsByKey} buttons
 * @param {string[]} keys
 * @param {ShownQuestion} question
 * @param {number} index  of the response
 * @param {{side: string, grade: string}[]} graded
 * @param {OnChoice<Response>} onAnswer
 */
function gradeButton(buttons, keys, question, index, graded, onAnswer) {
  const response = question.responses[index];
  const { side, grade } = graded[index];
  const button = choiceButton(buttons, keys, side, [grade], (pressed, event) => onAnswer(response, pressed, event));
  button.setAttribute("aria-label", plainText(responseLabel(question, response)));
  button.style.setProperty("--row", String(side === "left" ? index + 2 : graded.length + 1 - index));
  return button;
}

/**
 * The pictures of the question on the page.
 * @param {CardsPage} page
 */
export function shownImages({ root }) {
  return [...byId("question", HTMLElement, root).querySelectorAll("img")];
}

/**
 * The same for all options: a larger name would look like a better one.
 * @param {ShownOption[]} options
 */
function nameSize(options) {
  const longest = Math.max(...options.map(({ name }) => name.length));
  return longest < 14 ? "large" : longest < 48 ? "middle" : longest < 140 ? "small" : "tiny";
}

/** @param {string} name */
function answerName(name) {
  return element("span", { className: "answer-name" }, ...richText(name));
}

/**
 * @param {CardsPage} page
 * @param {ShownOption} option
 * @param {string} size
 * @param {string} [caption]  what the owner calls this answer
 */
function cardContent(page, { name, image }, size, caption) {
  const label = element("span", { className: `name ${size}` }, ...richText(name));
  if (caption) label.prepend(element("span", { className: "caption" }, ...richText(caption)), " ");
  if (!image) return [label];
  const picture = element("img", { src: page.mediaUrl("image", image), alt: "" });
  picture.addEventListener("error", () => picture.remove());
  return [picture, label];
}

/**
 * What the columns of the table say about an option: nothing, or one element. A button may only hold spans.
 * @param {ShownOption} option
 * @param {Set<string> | null} differing  the columns in which the options differ; null if there is nothing to compare
 * @param {("dl" | "div" | "dt" | "dd" | "span")[]} tags  of the list, its fields, their headings and their values
 */
function fieldList({ fields }, differing, [list, field, heading, value]) {
  const rows = Object.entries(fields).map(([column, shown]) => {
    const compared = differing === null ? "" : differing.has(column) ? " differs" : " same";
    const className = `field${compared}${shown.length > LONG_VALUE ? " long" : ""}`;
    const end = element("span", { className: "unseen" }, ", "); // for whoever hears it
    return element(field, { className }, element(heading, { className: "heading" }, fieldHeading(column, shown), " "),
      element(value, { className: "value" }, shown, end));
  });
  return rows.length ? [element(list, { className: "fields" }, ...rows)] : [];
}

/**
 * A card is called by its name alone; its fields describe it.
 * @param {HTMLButtonElement} button
 * @param {ShownOption} option
 * @param {HTMLElement[]} list
 * @param {number} index
 */
function describe(button, option, list, index) {
  for (const fields of list) {
    fields.id = `fields-${index}`;
    button.lastElementChild?.before(fields);
    button.setAttribute("aria-label", plainText(option.name));
    button.setAttribute("aria-describedby", fields.id);
  }
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
  const sign = element("button", { type: "button", "aria-label": text("change_sign") }, "±"); // some phones' keys lack a minus
  sign.addEventListener("click", () => {
    field.value = field.value.startsWith("-") ? field.value.slice(1) : `-${field.value}`;
    field.focus();
  });
  const send = element("button", { type: "submit", className: "send" }, text("send"), element("kbd", { "aria-hidden": "true" }, "⏎"));
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

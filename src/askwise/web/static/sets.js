// @ts-check
// The best and the worst of several cards: two taps. Until the second one, the first can be taken back.

import { byId, element, setText } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {import("./types.d.ts").CardsPage} CardsPage */
/** @type {WeakMap<CardsPage, {clear: () => void, isHalf: boolean}>} */
const halfAnswers = new WeakMap(); // clear takes back the first tap

/**
 * The answer to a question for the best and the worst of its options.
 * @param {{options: import("./types.d.ts").ShownOption[]}} question
 * @param {number} best
 * @param {number} worst
 * @returns {string}
 */
export function bestWorstResponse({ options }, best, worst) {
  return `${options[best].name} > ${options[worst].name}`;
}

/**
 * Takes back the first of two taps; false if there is none.
 * @param {CardsPage} page
 */
export function clearHalfAnswer(page) {
  const half = halfAnswers.get(page);
  const had = half?.isHalf ?? false;
  half?.clear();
  return had;
}

/**
 * A function for each card that takes its taps, for a question that is now shown.
 * @param {CardsPage} page
 * @param {import("./types.d.ts").ShownQuestion} question
 * @param {import("./cards.js").OnChoice<string>} onAnswer  called with the response after the second tap
 * @param {(event: UIEvent) => boolean} ignores  whether a tap was meant for the question before
 * @returns {((button: HTMLButtonElement, event: UIEvent) => void)[]}
 */
export function bestWorstTaps(page, question, onAnswer, ignores) {
  const hint = byId("hint", HTMLElement, page.root);
  const undoButton = byId("undo", HTMLButtonElement, page.root);
  let undoWasDisabled = undoButton.disabled;
  /** @type {HTMLButtonElement | null} */
  let bestButton = null;
  let best = -1;
  const half = { clear, isHalf: false };
  halfAnswers.set(page, half);
  function clear() {
    if (bestButton) {
      mark(bestButton, null);
      undoButton.disabled = undoWasDisabled;
    }
    bestButton = null;
    half.isHalf = false;
    setText(hint, text("best_hint"));
  }
  clear();
  return question.options.map((option, place) => (button, event) => {
    if (event.detail > 1 || ignores(event)) return; // the second of a double click is no second choice
    if (bestButton === button) return clear();
    if (bestButton) {
      mark(button, "least");
      half.isHalf = false;
      return onAnswer(bestWorstResponse(question, best, place), button, event);
    }
    undoWasDisabled = undoButton.disabled;
    undoButton.disabled = false;
    [bestButton, best, half.isHalf] = [button, place, true];
    mark(button, "best");
    setText(hint, text("worst_hint"));
  });
}

/**
 * Writes on a card what it was chosen as; null: nothing.
 * @param {HTMLButtonElement} button
 * @param {"best" | "least" | null} role
 */
function mark(button, role) {
  button.querySelector(".role")?.remove();
  button.classList.toggle("chosen", role !== null);
  button.setAttribute("aria-pressed", String(role !== null));
  if (role) button.prepend(element("span", { className: `role ${role}` }, text(role)));
}

// @ts-check
// The best and the worst of several cards: two taps. Until the second one, the first can be taken back.

import { byId, element, setText } from "./dom.js";

const START = "Tap the one you like best, then the one you like least.";
let clear = () => {}; // takes back the first tap; nothing where there is none
let isHalf = false;

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

/** Takes back the first of two taps; false if there is none. */
export function clearHalfAnswer() {
  const had = isHalf;
  clear();
  return had;
}

/**
 * A function for each card that takes its taps, for a question that is now shown.
 * @param {import("./types.d.ts").ShownQuestion} question
 * @param {import("./cards.js").OnChoice<string>} onAnswer  called with the response after the second tap
 * @param {(event: UIEvent) => boolean} ignores  whether a tap was meant for the question before
 * @returns {((button: HTMLButtonElement, event: UIEvent) => void)[]}
 */
export function bestWorstTaps(question, onAnswer, ignores) {
  const undoButton = byId("undo", HTMLButtonElement);
  let undoWasDisabled = undoButton.disabled;
  /** @type {HTMLButtonElement | null} */
  let bestButton = null;
  let best = -1;
  clear = () => {
    if (bestButton) {
      mark(bestButton, null);
      undoButton.disabled = undoWasDisabled;
    }
    bestButton = null;
    isHalf = false;
    setText(byId("hint"), START);
  };
  clear();
  return question.options.map((option, place) => (button, event) => {
    if (event.detail > 1 || ignores(event)) return; // the second of a double click is no second choice
    if (bestButton === button) return clear();
    if (bestButton) {
      mark(button, "Least");
      isHalf = false;
      return onAnswer(bestWorstResponse(question, best, place), button, event);
    }
    undoWasDisabled = undoButton.disabled;
    undoButton.disabled = false;
    [bestButton, best, isHalf] = [button, place, true];
    mark(button, "Best");
    setText(byId("hint"), "Now tap the one you like least. To change the best, tap it again.");
  });
}

/**
 * Writes on a card what it was chosen as; null: nothing.
 * @param {HTMLButtonElement} button
 * @param {"Best" | "Least" | null} role
 */
function mark(button, role) {
  button.querySelector(".role")?.remove();
  button.classList.toggle("chosen", role !== null);
  button.setAttribute("aria-pressed", String(role !== null));
  if (role) button.prepend(element("span", { className: `role ${role.toLowerCase()}` }, role));
}

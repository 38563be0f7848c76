// What questions and answers are called on the page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { questionHeading, responseLabel } from "../../src/askwise/web/static/questions.js";

const options = ["tea", "milk", "water"].map((name) => ({ name, image: null }));

test("a side is called by its item", () => {
  const pair = { kind: "pair", options: options.slice(0, 2) };
  assert.deepEqual(["left", "right", "equal"].map((side) => responseLabel(pair, side)), ["tea", "milk", "Equal"]);
  assert.equal(responseLabel({ kind: "label", options }, "left"), "left");
  assert.equal(responseLabel({ kind: "same", options }, "different"), "Different");
  assert.equal(responseLabel({ kind: "number", options }, 3.14159265), "3.142");
  assert.equal(responseLabel({ kind: "label", options }, true), "true");
});

test("names on cards are not repeated above them", () => {
  const heading = (/** @type {string} */ kind, /** @type {string} */ text, count = 2) =>
    questionHeading({ kind, text, options: options.slice(0, count) });
  assert.equal(heading("pair", "Which do you prefer: tea or milk?"), "Which do you prefer?");
  assert.equal(heading("triple", "Which is the odd one out: tea, milk or water?", 3), "Which is the odd one out?");
  assert.equal(heading("same", "Do tea and milk belong together?"), "Do these two belong together?");
  assert.equal(heading("label", "Which label has tea?", 1), "Which label fits?");
  assert.equal(heading("pair", "Which is the greener one?"), "Which is the greener one?");
});

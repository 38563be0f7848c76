// Keys: each one does one thing, and presses that belong to the browser do nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.js";
import { commandOf, keyLabel, pressedKey, responseKeys, skipChoices } from "../../src/askwise/web/static/keys.js";

const KINDS = ["pair", "same", "triple", "label", "number"];

/** @param {Partial<KeyboardEvent>} press */
function press(press) {
  return { key: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, target: null, ...press };
}

test("a check has no reasons", () => {
  assert.deepEqual(skipChoices({ kind: "check" }).map(({ label }) => label), ["Can't tell"]);
});

test("a label of one letter or digit is its own key", () => {
  const keys = (/** @type {unknown[]} */ responses) => responseKeys({ kind: "label", responses });
  assert.deepEqual(keys([0, 1, 2]), [["0"], ["1"], ["2"]]);
  assert.deepEqual(keys(["A", "b"]), [["a"], ["b"]]);
  assert.deepEqual(keys(["s", "t"]), [["1"], ["2"]], "s means can't tell");
  assert.deepEqual(keys(["u", "v"]), [["1"], ["2"]], "u means undo");
  assert.deepEqual(keys(["a", "A"]), [["1"], ["2"]], "both would be a");
  assert.deepEqual(keys(["cold", "hot"]), [["1"], ["2"]]);
});

test("pairs answer to arrows and digits", () => {
  const pair = { kind: "pair", responses: ["left", "right", "equal"] };
  assert.deepEqual(responseKeys(pair), [["1", "ArrowLeft"], ["2", "ArrowRight"], ["3", "ArrowDown"]]);
  const graded = { kind: "pair", responses: ["left, much", "left, slightly", "right, slightly", "right, much"] };
  assert.deepEqual(responseKeys(graded), [["1"], ["2"], ["3"], ["4"]]);
  assert.deepEqual(responseKeys({ kind: "triple", responses: ["a", "b", "c"] }), [["1"], ["2"], ["3"]]);
});

for (const kind of KINDS) {
  test(`no key has two meanings: ${kind}`, () => {
    const responses = Array.from({ length: 29 }, (_, index) => `label ${index}`);
    const keys = [...responseKeys({ kind, responses }).flat(), ...skipChoices({ kind }).map(({ key }) => key)];
    assert.equal(new Set(keys).size, keys.length);
    for (const key of keys) assert.equal(commandOf(key), null, key);
  });
}

test("many labels: those beyond the keys have none", () => {
  const responses = Array.from({ length: 40 }, (_, index) => `label ${index}`);
  const keys = responseKeys({ kind: "label", responses });
  assert.equal(keys.length, 40);
  assert.deepEqual(keys.at(-1), []);
});

test("can't tell comes first and needs no reason", () => {
  assert.deepEqual(skipChoices({ kind: "pair" }).map(({ reason }) => reason), [null, "too alike", "unfamiliar", "unclear"]);
  assert.equal(skipChoices({ kind: "label" })[1].reason, "several fit");
  assert.equal(skipChoices({ kind: "number" })[1].reason, "no value");
});

test("presses of the browser and held keys are ignored", () => {
  for (const modifier of ["ctrlKey", "metaKey", "altKey", "repeat"]) {
    assert.equal(pressedKey(press({ key: "u", [modifier]: true }), true), null, modifier);
  }
  assert.equal(pressedKey(press({ key: "U" }), true), "u");
  assert.equal(pressedKey(press({ key: "ArrowLeft" }), true), "ArrowLeft");
});

test("Ctrl+Z undoes, but not what somebody types in a field", () => {
  for (const modifier of ["ctrlKey", "metaKey"]) {
    const undo = { key: "z", [modifier]: true };
    assert.equal(pressedKey(press(undo), false), "u", modifier);
    assert.equal(pressedKey(press({ ...undo, shiftKey: true }), true), null, "redo");
    const field = (/** @type {string} */ value) => /** @type {any} */ ({ value });
    assert.equal(pressedKey(press({ ...undo, target: field("3.7") }), true), null);
    assert.equal(pressedKey(press({ ...undo, target: field("") }), true), "u");
  }
});

test("with letters switched off, arrows still answer", () => {
  assert.equal(pressedKey(press({ key: "1" }), false), null);
  assert.equal(pressedKey(press({ key: "?" }), false), null);
  assert.equal(pressedKey(press({ key: "ArrowRight" }), false), "ArrowRight");
});

test("commands", () => {
  assert.deepEqual(["u", "w", "m", "?"].map(commandOf), ["undo", "why", "my-answers", "help"]);
  for (const key of ["constructor", "toString", "Enter", "q"]) assert.equal(commandOf(key), null);
});

test("arrows are printed as arrows", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "ArrowDown", "s"].map(keyLabel), ["←", "→", "↓", "s"]);
});

// What the owner reads when the server refuses.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sentenceOf } from "../../src/askwise/web/static/api.js";
import { applyChanges } from "../../src/askwise/web/static/changes.js";

test("a refusal reads as a sentence", () => {
  assert.equal(sentenceOf(new Error("this is too large; send 64 MB at most")), "This is too large; send 64 MB at most.");
  assert.equal(sentenceOf(new Error("cars.csv is empty")), "cars.csv is empty.");
  assert.equal(sentenceOf(new Error("my cars.csv is empty")), "my cars.csv is empty.");
  assert.equal(sentenceOf(new Error("a table is one of .csv, .tsv; save it")), "A table is one of .csv, .tsv; save it.");
  assert.equal(sentenceOf(new Error("Is askwise serve still running?")), "Is askwise serve still running?");
});

test("changes of an overview replace, add and remove people", () => {
  /** @type {any[]} */
  const [ann, ben, eva] = ["a", "b", "e"].map((participant) => ({ participant, answers: 0 }));
  /** @type {any} */
  const before = { answers: 1, state: "open", participants: [ann, ben] };
  const after = applyChanges(before, { answers: 2, participants: [{ ...ben, answers: 1 }, eva], gone: ["a"] });
  assert.deepEqual(after, { answers: 2, state: "open", participants: [{ ...ben, answers: 1 }, eva] });
  assert.deepEqual(applyChanges(before, { state: "paused" }), { ...before, state: "paused" });
});

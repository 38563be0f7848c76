// What the owner reads when the server refuses.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sentenceOf } from "../../src/askwise/web/static/api.js";

test("a refusal reads as a sentence", () => {
  assert.equal(sentenceOf(new Error("this is too large; send 64 MB at most")), "This is too large; send 64 MB at most.");
  assert.equal(sentenceOf(new Error("cars.csv is empty")), "cars.csv is empty.");
  assert.equal(sentenceOf(new Error("Is askwise serve still running?")), "Is askwise serve still running?");
});

// What questions and answers are called on the page.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.js";
import {
  contextOf,
  differingColumns,
  fieldHeading,
  gradedResponses,
  inOrderOfResponses,
  outlookSentences,
  questionHeading,
  receiptText,
  responseLabel,
  whyLead,
} from "../../src/askwise/web/static/questions.js";

/** @param {string} name @param {Record<string, string>} [fields] */
const option = (name, fields = {}) => ({ name, image: null, row: null, fields, body: null, body_html: null, audio: null, video: null });
const options = ["tea", "milk", "water"].map((name) => option(name));

test("a side is called by its item", () => {
  const pair = { kind: "pair", options: options.slice(0, 2) };
  assert.deepEqual(["left", "right", "equal"].map((side) => responseLabel(pair, side)), ["tea", "milk", "Equal"]);
  assert.equal(responseLabel(pair, "right, clearly"), "milk, clearly");
  assert.equal(responseLabel({ kind: "label", options }, "left"), "left");
  const named = { ...pair, answer_names: { left: "A", equal: "Neither" } };
  assert.deepEqual(["left", "right", "equal"].map((side) => responseLabel(named, side)), ["A: tea", "milk", "Neither"]);
  assert.equal(responseLabel({ kind: "same", options, answer_names: { same: "Yes" } }, "same"), "Yes");
  assert.equal(responseLabel({ kind: "same", options }, "different"), "Different");
  assert.equal(responseLabel({ kind: "number", options }, 3.14159265), "3.142");
  assert.equal(responseLabel({ kind: "label", options }, true), "true");
});

test("grades stand on the side that they speak for", () => {
  const responses = ["left, much", "left, slightly", "equal", "right, slightly", "right, much"];
  const found = gradedResponses({ kind: "pair", responses });
  assert.deepEqual(found?.map(({ side }) => side), ["left", "left", "middle", "right", "right"]);
  assert.deepEqual(found?.map(({ grade }) => grade), ["much", "slightly", "Equal", "slightly", "much"]);
  assert.equal(gradedResponses({ kind: "pair", responses: ["left", "right", "equal"] }), null);
});

test("names on cards are not repeated above them", () => {
  const heading = (/** @type {string} */ kind, /** @type {string} */ text, count = 2) =>
    questionHeading({ kind, text, options: options.slice(0, count) });
  assert.equal(heading("pair", "Which do you prefer: tea or milk?"), "Which do you prefer?");
  assert.equal(heading("triple", "Which is the odd one out: tea, milk or water?", 3), "Which is the odd one out?");
  assert.equal(heading("set", "Which of these do you like best: tea, milk or water?", 3), "Which of these do you like best?");
  assert.equal(heading("best-worst", "Best, and worst: tea, milk or water?", 3), "Best, and worst?");
  assert.equal(heading("same", "Do tea and milk belong together?"), "Do these two belong together?");
  assert.equal(heading("label", "Which label fits tea?", 1), "Which label fits?");
  assert.equal(heading("pair", "Which is the greener one?"), "Which is the greener one?");
});

test("why a question is asked is said in sentences, in the order of its responses", () => {
  const outlook = (/** @type {string} */ response, /** @type {number} */ chance, guess = "tea") => ({ response, chance, diameter: 0.34, guess });
  const sorted = inOrderOfResponses({ responses: ["left", "right"] }, [outlook("right", 0.6), outlook("left", 0.4)]);
  assert.deepEqual(sorted.map(({ response }) => response), ["left", "right"]);
  assert.equal(outlookSentences("pair", outlook("left", 0.44), 0.5), "44 % likely. We would then be 68 % undecided. Best guess: tea.");
  assert.equal(outlookSentences("number", outlook("left", 0.44, ""), 0.5), "We would then be 68 % undecided.");
  assert.match(outlookSentences("pair", outlook("left", 0.001), 0.5), /^less than 1 % likely/);
  assert.match(whyLead({ fallback: false, kind: "pair" }), /settle most. This is what each answer would leave open/);
  assert.match(whyLead({ fallback: false, kind: "best-worst" }), /each choice of the best/);
  assert.doesNotMatch(whyLead({ fallback: true, kind: "pair" }), /settle most/);
});

test("a receipt has the result in words", () => {
  const state = { title: "drinks", result: ["tea", "milk"], ordered: true, certainty: "We are 63 % sure that these are the top 2." };
  const lines = receiptText(state, ["10:00\ttea or milk?\ttea"]).split("\n");
  assert.deepEqual(lines, ["Study: drinks", "", "Result:", "1. tea", "2. milk", state.certainty, "", "Time\tQuestion\tAnswer", "10:00\ttea or milk?\ttea", ""]);
  assert.equal(receiptText({ ...state, result: null }, []), "Study: drinks\n\nTime\tQuestion\tAnswer\n");
});

test("columns differ where not all options have the same value", () => {
  const shown = [option("tea", { price: "2", hot: "yes" }), option("milk", { price: "2", hot: "no" }), option("rum", { price: "2", hot: "no" })];
  assert.deepEqual([...differingColumns(shown)], ["hot"]);
  assert.deepEqual([...differingColumns(shown.slice(1))], []);
});

test("a heading does not repeat the unit of its value", () => {
  assert.equal(fieldHeading("price ($)", "-$8.60"), "price");
  assert.equal(fieldHeading("weight [kg]", "12,400 kg"), "weight");
  assert.equal(fieldHeading("price ($)", "–"), "price ($)");
  assert.equal(fieldHeading("mpg (city)", "25"), "mpg (city)");
});

test("what stands before a question is shown apart from it", () => {
  const text = "Write a poem.\n\n- four lines\n\nWhich is better?";
  assert.equal(contextOf(text), "Write a poem.\n\n- four lines");
  assert.equal(questionHeading({ kind: "pair", text, options: options.slice(0, 2) }), "Which is better?");
  assert.equal(contextOf("Which do you prefer: tea or milk?"), "");
});

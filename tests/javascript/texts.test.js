// Texts in other languages: plural forms as in the server's catalogue, and what was promised.

import assert from "node:assert/strict";
import { test } from "node:test";

import { forecastText, progressPercent } from "../../src/askwise/web/static/progress.js";
import { questionHeading } from "../../src/askwise/web/static/questions.js";
import { text } from "../../src/askwise/web/static/texts.js";
import { useLanguage } from "./english.js";

const options = ["tea", "milk"].map((name) => ({ name, image: null, row: null, fields: {}, body: null, body_html: null, audio: null, video: null }));
const page = () => /** @type {any} */ ({});

test("a count chooses the plural form of the language", () => {
  useLanguage("de");
  assert.equal(text("minutes", { count: 1 }), "1 Minute");
  assert.equal(text("minutes", { count: 3 }), "3 Minuten");
  useLanguage("ar");
  assert.deepEqual([1, 2, 3, 11].map((count) => text("minutes", { count })), ["دقيقة واحدة", "دقيقتان", "3 دقائق", "11 دقيقة"]);
  useLanguage("en");
});

test("a heading leaves out the names in every language", () => {
  useLanguage("de");
  assert.equal(questionHeading({ kind: "pair", text: "Was ist Ihnen lieber: tea oder milk?", options }), "Was ist Ihnen lieber?");
  assert.equal(questionHeading({ kind: "same", text: "Gehören tea und milk zusammen?", options }), "Gehören diese beiden zusammen?");
  useLanguage("ar");
  assert.equal(questionHeading({ kind: "pair", text: "أيهما تفضل: tea أو milk؟", options }), "أيهما تفضل؟");
  useLanguage("en");
});

test("progress does not go backwards, unless an answer is taken back", () => {
  const shown = page();
  const left = (/** @type {number} */ answers, /** @type {number} */ diameter) =>
    progressPercent(shown, { answers, quota: null, diameter, start: 1, question: null });
  assert.deepEqual([left(0, 1), left(1, 0.5), left(2, 0.7), left(3, 0.4)], [100, 50, 50, 40]);
  assert.equal(left(2, 0.6), 60);
});

test("another goal is another promise", () => {
  const shown = page();
  const left = (/** @type {string} */ goal, /** @type {number} */ diameter) =>
    progressPercent(shown, { answers: 3, goal, quota: null, diameter, start: 1, question: null });
  assert.deepEqual([left("best_item", 0.2), left("best_item", 0.3), left("ranking", 0.8)], [20, 20, 80]);
});

test("what was promised holds after a reload, for each link", () => {
  const opened = (/** @type {string} */ promiseName, /** @type {number} */ answers, /** @type {number} */ diameter) => {
    const shown = { ...page(), promiseName };
    const forecast = { likely: 20 * diameter, text: `about ${20 * diameter}` };
    const told = forecastText(shown, { answers, question: /** @type {any} */ ({}), forecast }, () => "");
    return [progressPercent(shown, { answers, quota: null, diameter, start: 1, question: null }), told];
  };
  assert.deepEqual(opened("a", 2, 0.5), [50, "about 10"]);
  assert.deepEqual(opened("a", 2, 0.6), [50, ""]);
  assert.deepEqual(opened("b", 2, 0.7), [70, "about 14"]);
  assert.deepEqual(opened("a", 1, 0.8), [80, "about 16"], "after an undo it may grow");
});

test("of a quota, the share that is answered", () => {
  const shown = page();
  const left = (/** @type {number} */ answers) => progressPercent(shown, { answers, quota: 4, diameter: 0.9, start: 1, question: null });
  assert.deepEqual([0, 1, 4].map(left), [0, 25, 100]);
});

test("a forecast is not said where it exceeds what was said before", () => {
  const shown = page();
  const says = (/** @type {number} */ answers, /** @type {number} */ likely) =>
    forecastText(shown, { answers, question: /** @type {any} */ ({}), forecast: { likely, text: `about ${likely}` } }, () => "");
  assert.deepEqual([says(1, 12), says(2, 14), says(3, 9)], ["about 12", "", "about 9"]);
  assert.equal(says(2, 14), "about 14", "after an undo it may");
});

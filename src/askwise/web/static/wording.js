// @ts-check
// The form with which an owner changes what people read.

import { callApi, sentenceOf, showSentence } from "./api.js";
import { byId, setText } from "./dom.js";

/** @typedef {import("./types.d.ts").StudyOverview} StudyOverview */

const form = byId("wording", HTMLFormElement);
const fields = {
  question: byId("wording-question", HTMLInputElement),
  answers: byId("wording-answers", HTMLInputElement),
  instructions: byId("wording-instructions", HTMLTextAreaElement),
};
let edited = false; // a message of the server does not overwrite what somebody is writing

/**
 * Fills in what people read now.
 * @param {StudyOverview} overview
 */
export function showWording({ wording: { question = "", answers = {}, instructions = "" } }) {
  if (edited) return;
  fields.question.value = question;
  fields.answers.value = Object.entries(answers).map(([response, name]) => `${response}=${name}`).join(", ");
  fields.instructions.value = instructions;
}

/**
 * Sends what is filled in when somebody saves it.
 * @param {string} api
 * @param {(received: StudyOverview) => void} onSaved
 */
export function sendWording(api, onSaved) {
  form.addEventListener("input", () => {
    edited = true;
    setText(byId("wording-status"), "");
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    showSentence(byId("wording-error"));
    const wanted = Object.fromEntries(Object.entries(fields).map(([part, field]) => [part, field.value.trim()]));
    try {
      const received = await callApi(`${api}/settings`, wanted);
      edited = false;
      onSaved(received);
      setText(byId("wording-status"), "Saved. It holds from the next question of each person on.");
    } catch (error) {
      showSentence(byId("wording-error"), sentenceOf(error));
    }
  });
}

// @ts-check
// The list of studies: all that a viewer sees of the home page.

import { callApi, pageUrl, plural, root, sentenceOf, showSentence } from "./api.js";
import { byId, element } from "./dom.js";

/** @typedef {import("./types.d.ts").ListedStudy} ListedStudy */

async function showStudies() {
  try {
    /** @type {ListedStudy[]} */
    const studies = await callApi(`${root}/api/v1/studies`);
    byId("studies").replaceChildren(...studies.map(studyItem));
    byId("no-studies").hidden = studies.length > 0;
    document.getElementById("shortcuts")?.toggleAttribute("hidden", studies.length === 0);
    showSentence(byId("error"));
  } catch (error) {
    showSentence(byId("error"), sentenceOf(error));
  }
}

/** @param {ListedStudy} listed */
function studyItem({ study, goal: readable, aim, state, answers, people }) {
  const name = readable === null ? element("b", {}, study) : element("a", { href: pageUrl(study) }, study);
  const nobody = state === "closed" ? "No answers" : "No answers yet";
  const counted = [answers ? plural(answers, "answer") : nobody, ...(people ? [people === 1 ? "1 person" : `${people} people`] : [])].join(", ");
  const counts = readable === null ? [] : [element("small", {}, counted)];
  const title = element("div", { className: "title" }, name, element("span", { className: `state ${state}` }, state), ...counts);
  return element("li", {}, title, element("div", {}, aim));
}

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && showStudies());
showStudies();

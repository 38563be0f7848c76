// @ts-check
// The questions of a session in a cell of a notebook. The session is in the kernel; here, people see and answer.
/* global PAGE, STYLES, TEXTS */

import { isKeyOfBody } from "../../web/static/bodies.js";
import { showQuestion, shownImages } from "../../web/static/cards.js";
import { QuestionClock, UNREAD_MS } from "../../web/static/clock.js";
import { byId, element, replaceHtml, setText } from "../../web/static/dom.js";
import { commandOf, pressedKey } from "../../web/static/keys.js";
import { showProgress } from "../../web/static/progress.js";
import { clearHalfAnswer } from "../../web/static/sets.js";
import { setTexts } from "../../web/static/texts.js";

/** @typedef {import("./types.d.ts").Model} Model */
/** @typedef {import("./types.d.ts").WidgetState} WidgetState */

const SLOW_MS = 10_000; // after which people read that the kernel does not reply
const NO_REPLY = "The kernel does not reply: it is busy, or it has stopped. Your answer counts once it replies.";
const DARK_LIGHTNESS = 140; // of a text, from 0 to 255, above which what is behind it is dark
let views = 0;
setTexts(TEXTS);

/** One view of the widget; a notebook may show several. */
class View {
  /**
   * @param {Model} model
   * @param {HTMLElement} parent
   */
  constructor(model, parent) {
    this.model = model;
    this.parent = parent;
    this.host = element("div", { "data-lm-suppress-shortcuts": "true" }); // or letters would also be commands of Jupyter
    this.root = this.host.attachShadow({ mode: "open" });
    this.root.append(element("style", {}, STYLES), element("div", { className: "page", tabIndex: -1, innerHTML: PAGE }));
    for (const unused of this.root.querySelectorAll("footer button:not(#undo), dialog, noscript")) unused.remove();
    this.chart = element("section", { id: "chart", "aria-label": "What is known so far" });
    this.root.querySelector(".page")?.append(this.chart);
    parent.append(this.host);
    this.page = { root: this.root, mediaUrl: (/** @type {string} */ _, /** @type {string} */ name) => name }; // a data URL
    this.section = byId("question", HTMLElement, this.root);
    this.undoButton = byId("undo", HTMLButtonElement, this.root);
    this.clock = new QuestionClock(`askwise clock widget ${(views += 1)}`);
    /** @type {import("../../web/static/cards.js").ButtonsByKey} */
    this.buttons = new Map();
    /** @type {string | null} */
    this.question = null; // on screen
    /** @type {string | null} */
    this.pending = null; // the key of the request that waits for its reply
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.root.addEventListener("keydown", (event) => this.press(/** @type {KeyboardEvent} */ (event)));
    this.undoButton.addEventListener("click", () => this.undo());
  }

  /** Shows the state that the kernel sent. */
  apply() {
    const state = this.model.get("state");
    if (state.reply === this.pending) this.settle();
    setText(byId("title", HTMLElement, this.root), state.title);
    showProgress(this.page, state, "");
    this.undoButton.disabled = !state.can_undo;
    this.notify(state.notice);
    replaceHtml(this.chart, state.chart);
    if (state.question && state.question.id === this.question && !this.section.classList.contains("waiting")) return;
    const hadFocus = this.root.activeElement !== null;
    this.question = state.question?.id ?? null;
    byId("message", HTMLElement, this.root).hidden = state.question !== null;
    this.section.hidden = state.question === null;
    if (state.question) this.ask(state.question);
    else if (state.message) this.showMessage(state.message);
    const number = this.root.getElementById("number");
    const place = number ?? byId(state.question ? "question-text" : "message-title", HTMLElement, this.root);
    if (hadFocus) place.focus({ preventScroll: true }); // what had it is gone
  }

  /** @param {import("../../web/static/types.d.ts").ShownQuestion} question */
  ask(question) {
    /** @type {import("../../web/static/cards.js").OnChoice<import("../../web/static/types.d.ts").Response>} */
    const onAnswer = (response, button, event) => {
      if (this.clock.isStray(event)) return;
      if (Number.isNaN(response)) return this.notify("Type a number such as 3.7.");
      this.send({ path: "answers", question: question.id, response, seconds: this.clock.seconds }, button);
    };
    /** @type {import("../../web/static/cards.js").OnChoice<string | null>} */
    const onSkip = (reason, button, event) => {
      if (this.clock.isStray(event)) return;
      this.send({ path: "skips", question: question.id, reason, seconds: this.clock.seconds }, button);
    };
    this.buttons = showQuestion(this.page, question, onAnswer, onSkip, (event) => this.clock.isStray(event));
    this.clock.start(question.id, shownImages(this.page));
  }

  /** @param {{title: string, html: string}} message */
  showMessage({ title, html }) {
    setText(byId("message-title", HTMLElement, this.root), title);
    replaceHtml(byId("message-body", HTMLElement, this.root), html);
  }

  undo() {
    if (clearHalfAnswer(this.page)) return;
    if (this.undoButton.disabled || (this.question !== null && this.clock.millisecondsSincePaint < UNREAD_MS)) return;
    this.send({ path: "undo" });
  }

  /**
   * Sends a request to the kernel, unless another one waits for its reply.
   * @param {Record<string, unknown>} body
   * @param {HTMLButtonElement} [button]  the one that was pressed
   */
  send(body, button) {
    if (this.pending !== null) return;
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    this.pending = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.section.classList.add("waiting");
    button?.classList.add("chosen");
    this.timer = setTimeout(() => this.notify(NO_REPLY), SLOW_MS);
    this.model.set("request", { ...body, key: this.pending });
    this.model.save_changes();
  }

  settle() {
    clearTimeout(this.timer);
    this.pending = null;
  }

  /** @param {string} sentence */
  notify(sentence) {
    setText(byId("notice", HTMLElement, this.root), sentence.charAt(0).toUpperCase() + sentence.slice(1));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const key = pressedKey(event, true);
    if (key === null || isKeyOfBody(event)) return;
    const button = (this.section.hidden ? undefined : this.buttons.get(key)) ?? (commandOf(key) === "undo" ? this.undoButton : null);
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    button.click();
  }

  /** Follows the theme of the notebook: light letters stand on something dark. */
  followTheme() {
    const [red, green, blue] = (getComputedStyle(this.parent).color.match(/[\d.]+/g) ?? []).map(Number);
    this.host.dataset.theme = 0.3 * red + 0.59 * green + 0.11 * blue > DARK_LIGHTNESS ? "dark" : "light";
  }
}

/**
 * Shows the widget in a cell; returns what to do when the cell goes.
 * @param {{model: Model, el: HTMLElement}} given
 */
function render({ model, el }) {
  const view = new View(model, el);
  const apply = () => view.apply();
  const follow = () => requestAnimationFrame(() => view.followTheme());
  const themes = new MutationObserver(follow);
  const night = matchMedia("(prefers-color-scheme: dark)");
  for (const node of [document.documentElement, document.body]) themes.observe(node, { attributes: true });
  night.addEventListener("change", follow);
  model.on("change:state", apply);
  apply();
  view.followTheme();
  follow(); // once it stands in the page
  return () => {
    view.settle();
    themes.disconnect();
    night.removeEventListener("change", follow);
    model.off("change:state", apply);
  };
}

export default { render };

// @ts-check
// How long a person looks at a question: from its first paint, without the time the tab is hidden.

import { load, save } from "./storage.js";

export const UNREAD_MS = 200; // after the paint; nobody can have read the question yet
const DOUBLE_CLICK_MS = 500; // in which a second click belongs to the first
const IMAGE_TIMEOUT_MS = 4000;

export class QuestionClock {
  #viewedMs = 0; // until #resumedAt
  /** @type {number | null} */
  #resumedAt = null; // null: not painted yet, or hidden
  /** @type {string | null} */
  #question = null;
  #starts = 0;
  /** @type {number | null} */
  paintedAt = null;

  /** @param {string} storageName  where the time is kept during a reload */
  constructor(storageName) {
    this.storageName = storageName;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#pause() : this.#resume()));
    addEventListener("pagehide", () => this.#pause());
  }

  /**
   * Starts once the question is painted. A question that was on screen before a reload goes on from there.
   * Resolves to false if another question came meanwhile.
   * @param {string} question
   * @param {HTMLImageElement[]} images
   * @returns {Promise<boolean>}
   */
  async start(question, images) {
    const start = (this.#starts += 1);
    this.#resumedAt = this.paintedAt = this.#question = null;
    const decoded = Promise.allSettled(images.map((image) => image.decode()));
    await Promise.race([decoded, new Promise((resolve) => setTimeout(resolve, IMAGE_TIMEOUT_MS))]);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    if (start !== this.#starts) return false;
    const [stored, viewedMs] = (load(this.storageName) ?? "").split(" ");
    this.#question = question;
    this.#viewedMs = stored === question ? Number(viewedMs) : 0;
    save(this.storageName, ""); // asked again after an undo, it starts from zero
    this.paintedAt = performance.now();
    this.#resume();
    return true;
  }

  /** Milliseconds since the question was painted, hidden or not; 0 before. */
  get millisecondsSincePaint() {
    return this.paintedAt === null ? 0 : performance.now() - this.paintedAt;
  }

  /**
   * Whether a tap was meant for the question before.
   * @param {Event} event
   */
  isStray(event) {
    const age = this.millisecondsSincePaint;
    return age < UNREAD_MS || (age < DOUBLE_CLICK_MS && event instanceof UIEvent && event.detail > 1);
  }

  /** Seconds the question was looked at. */
  get seconds() {
    const current = this.#resumedAt === null ? 0 : performance.now() - this.#resumedAt;
    return Math.round(this.#viewedMs + current) / 1000;
  }

  #pause() {
    if (this.#resumedAt === null) return;
    this.#viewedMs += performance.now() - this.#resumedAt;
    this.#resumedAt = null;
    save(this.storageName, `${this.#question} ${this.#viewedMs}`);
  }

  #resume() {
    if (this.#question !== null && this.#resumedAt === null && !document.hidden) this.#resumedAt = performance.now();
  }
}

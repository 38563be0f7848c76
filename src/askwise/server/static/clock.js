// How long a person looked at a question: from its first paint, without the time the tab was hidden.

import { keep, recall } from "./keep.js";

export class Clock {
  #seen = 0; // milliseconds looked at, up to #since
  #since = null; // null: not painted yet, or hidden
  #question = null;
  #shown = null;
  painted = null;

  constructor(place) {
    this.place = place;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#rest() : this.#resume()));
    addEventListener("pagehide", () => this.#rest());
  }

  /** Begins once the question is painted; one that was on screen before a reload goes on from there. False if another
   * question came meanwhile. */
  async start(question, images) {
    const shown = (this.#shown = {});
    this.#since = this.painted = this.#question = null;
    const decoded = Promise.allSettled(images.map((image) => image.decode()));
    await Promise.race([decoded, new Promise((done) => setTimeout(done, 4000))]);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    if (shown !== this.#shown) return false;
    const kept = (recall(this.place) ?? "").split(" ");
    this.#question = question;
    this.#seen = kept[0] === question ? Number(kept[1]) : 0;
    keep(this.place, ""); // asked once more after an undo, it begins anew
    this.painted = performance.now();
    this.#resume();
    return true;
  }

  /** Milliseconds since the question was painted, hidden or not; 0 before. */
  get age() {
    return this.painted === null ? 0 : performance.now() - this.painted;
  }

  get seconds() {
    const now = this.#since === null ? 0 : performance.now() - this.#since;
    return Math.round(this.#seen + now) / 1000;
  }

  #rest() {
    if (this.#since === null) return;
    this.#seen += performance.now() - this.#since;
    this.#since = null;
    keep(this.place, `${this.#question} ${this.#seen}`);
  }

  #resume() {
    if (this.#question !== null && this.#since === null && !document.hidden) this.#since = performance.now();
  }
}

// @ts-check
// Requests to the server. What a person does is stored on this device first, and sent until the server has it.

import { load, save } from "./storage.js";
import { pageLanguage, text } from "./texts.js";

/** @typedef {import("./types.d.ts").ParticipantState} ParticipantState */
/** @typedef {"answers" | "skips" | "undo"} Path */
/** @typedef {{path: Path, body: Record<string, unknown> & {key: string}}} Item */

const TIMEOUT_MS = 20_000;

/** The server cannot be reached, or failed: try again. */
export class ServerUnreachable extends Error {}

/** The server understood the request and refused it; the message is its sentence. */
export class RequestRefused extends Error {}

/**
 * The server's reply as JSON. With a body it is a POST, else a GET.
 * @param {string} url
 * @param {object | null} [body]
 * @returns {Promise<any>}
 */
export async function request(url, body = null) {
  const headers = { "X-Language": pageLanguage(), "X-Askwise": "page", ...(body && { "Content-Type": "application/json" }) };
  const post = { method: "POST", body: JSON.stringify(body) };
  let reply, received;
  try {
    reply = await fetch(url, { ...(body && post), headers, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    received = await reply.text();
  } catch {
    throw new ServerUnreachable(text("no_connection"));
  }
  if (reply.ok) return JSON.parse(received);
  const kind = reply.status !== 429 && reply.status < 500 ? RequestRefused : ServerUnreachable;
  throw new kind(errorSentence(received));
}

/** @param {string} received */
function errorSentence(received) {
  try {
    return String(JSON.parse(received).detail);
  } catch {
    return text("server_away");
  }
}

/** A key that no other answer has. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is missing without https
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What waits to be sent for one participant, oldest first. All tabs of this browser share it. */
export class Outbox {
  /** @param {string} base  the address of the participant's API */
  constructor(base) {
    this.base = base;
    this.storageName = `askwise outbox ${base}`;
  }

  /** @returns {Item[]} */
  get items() {
    return JSON.parse(load(this.storageName) ?? "[]") ?? [];
  }

  /**
   * Stores a request under a key of its own, so that the server counts it once however often it is sent.
   * @param {Path} path
   * @param {Record<string, unknown>} body
   */
  add(path, body) {
    this.#store([...this.items, { path, body: { ...body, key: newKey() } }]);
  }

  /**
   * Sends everything, oldest first. An item that the server refuses is not sent again, unless the study is paused.
   * Throws ServerUnreachable, and then keeps what was not sent.
   * @returns {Promise<{state: ParticipantState, refusal: string}>}  refusal: why the last refused item was; or empty
   */
  async deliver() {
    let state = null;
    let refusal = "";
    for (let item; (item = this.items[0]); this.#remove(item)) {
      try {
        state = await request(`${this.base}/${item.path}`, item.body);
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error;
        state = await request(this.base);
        refusal = error.message;
        if (state.state === "paused") break;
      }
    }
    return { state: state ?? (await request(this.base)), refusal }; // another tab may have sent it all
  }

  /** @param {Item} item */
  #remove(item) {
    this.#store(this.items.filter((other) => other.body.key !== item.body.key));
  }

  /** @param {Item[]} items */
  #store(items) {
    save(this.storageName, JSON.stringify(items));
  }
}

// What goes to the server: kept on this device until it has arrived, and sent again as often as it takes.

import { keep, recall } from "./keep.js";

/** The server cannot be reached or is not well: try again. */
export class Unreachable extends Error {}

/** The server understood and said no; the message is its sentence. */
export class Refused extends Error {}

export async function request(url, body = null) {
  const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let reply, content;
  try {
    const signal = AbortSignal.timeout(20_000);
    reply = await fetch(url, { ...(body && sent), cache: "no-store", signal });
    content = await reply.json();
  } catch {
    throw new Unreachable("No connection.");
  }
  if (reply.ok) return content;
  const sentence = typeof content.detail === "string" ? content.detail : "Something went wrong.";
  throw reply.status === 429 || reply.status >= 500 ? new Unreachable(sentence) : new Refused(sentence);
}

/** A key that no other answer has. */
function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is missing where there is no https
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  constructor(base) {
    this.base = base;
    this.place = `askwise outbox ${base}`;
  }

  get items() {
    return JSON.parse(recall(this.place)) ?? [];
  }

  add(path, body) {
    keep(this.place, JSON.stringify([...this.items, { path, body: { ...body, key: freshKey() } }]));
  }

  drop(item) {
    keep(this.place, JSON.stringify(this.items.filter((other) => other.body.key !== item.body.key)));
  }

  send(item) {
    return request(`${this.base}/${item.path}`, item.body);
  }
}

// What goes to the server: kept on this device until it has arrived, and sent again as often as it takes.

import { keep, recall } from "./keep.js";

/** The server cannot be reached or is not well: try again. */
export class Unreachable extends Error {}

/** The server understood and said no; the message is its sentence. */
export class Refused extends Error {}

export async function request(url, body = null) {
  const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let reply, text;
  try {
    reply = await fetch(url, { ...(body && sent), cache: "no-store", signal: AbortSignal.timeout(20_000) });
    text = await reply.text();
  } catch {
    throw new Unreachable("No connection.");
  }
  if (reply.ok) return JSON.parse(text);
  if (reply.status !== 429 && reply.status < 500) throw new Refused(sentence(text));
  throw new Unreachable(sentence(text));
}

function sentence(text) {
  try {
    return String(JSON.parse(text).detail);
  } catch {
    return "The server is not well at the moment.";
  }
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

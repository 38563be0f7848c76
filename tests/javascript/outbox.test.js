// The outbox: nothing is lost, nothing counts twice, and what the server refuses is said.

import "./english.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Outbox, RequestRefused, request, ServerUnreachable } from "../../src/askwise/web/static/outbox.js";

const BASE = "/api/v1/s/cars/p/token";

/** @typedef {{url: string, method: string, body: any}} Sent */

/** @type {Sent[]} */
let sent = [];

/**
 * Lets the server reply with these, one after the other; "offline" breaks the connection.
 * @param {...("offline" | [status: number, json: unknown])} replies
 */
function serve(...replies) {
  sent = [];
  globalThis.fetch = async (url, options) => {
    sent.push({ url: String(url), method: options?.method ?? "GET", body: options?.body ? JSON.parse(String(options.body)) : null });
    const reply = replies.shift();
    assert.ok(reply, `an unexpected request to ${url}`);
    if (reply === "offline") throw new TypeError("fetch failed");
    return new Response(JSON.stringify(reply[1]), { status: reply[0] });
  };
}

/** @type {Outbox} */
let outbox;

beforeEach(() => {
  const stored = new Map();
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    value: {
      getItem: (/** @type {string} */ name) => stored.get(name) ?? null,
      setItem: (/** @type {string} */ name, /** @type {string} */ value) => stored.set(name, value),
    },
  });
  outbox = new Outbox(BASE);
});

test("an answer stays until the server has it", async () => {
  outbox.add("answers", { question: "q1", response: "left" });
  serve("offline");
  await assert.rejects(outbox.deliver(), ServerUnreachable);
  assert.equal(outbox.items.length, 1);
  serve([503, { detail: "the study cannot be reached" }]);
  await assert.rejects(outbox.deliver(), { message: "the study cannot be reached" });
  assert.equal(outbox.items.length, 1);
  serve([200, { state: "open", answers: 1 }]);
  assert.deepEqual(await outbox.deliver(), { state: { state: "open", answers: 1 }, refusal: "" });
  assert.deepEqual(outbox.items, []);
});

test("every attempt carries the same key, and two answers have two", async () => {
  outbox.add("answers", { question: "q1", response: "left" });
  serve("offline");
  await assert.rejects(outbox.deliver());
  const [first] = sent;
  outbox.add("answers", { question: "q2", response: "left" });
  serve([200, {}], [200, {}]);
  await outbox.deliver();
  assert.equal(sent[0].body.key, first.body.key);
  assert.notEqual(sent[1].body.key, first.body.key);
  assert.match(first.body.key, /^[0-9a-f]{32}$/);
});

test("items are sent in order, to their own path", async () => {
  outbox.add("answers", { question: "q1", response: "left" });
  outbox.add("skips", { question: "q2", reason: null });
  outbox.add("undo", { question: null });
  serve([200, { answers: 1 }], [200, { answers: 2 }], [200, { answers: 1 }]);
  const { state } = await outbox.deliver();
  assert.deepEqual(sent.map(({ url, method }) => [url, method]), ["answers", "skips", "undo"].map((path) => [`${BASE}/${path}`, "POST"]));
  assert.deepEqual(state, { answers: 1 });
});

test("a refused answer is not sent again, and its sentence comes back", async () => {
  outbox.add("answers", { question: "q1", response: "left" });
  outbox.add("answers", { question: "q2", response: "left" });
  serve([409, { detail: "q1 was answered before" }], [200, { state: "open" }], [200, { state: "open", answers: 2 }]);
  const { state, refusal } = await outbox.deliver();
  assert.equal(refusal, "q1 was answered before");
  assert.deepEqual(state, { state: "open", answers: 2 });
  assert.deepEqual(outbox.items, []);
});

test("while the study is paused, the answer waits", async () => {
  outbox.add("answers", { question: "q1", response: "left" });
  serve([409, { detail: "the study is paused" }], [200, { state: "paused" }]);
  const { state, refusal } = await outbox.deliver();
  assert.equal(state.state, "paused");
  assert.equal(refusal, "the study is paused");
  assert.equal(outbox.items.length, 1);
});

test("too many requests are a reason to wait, not a refusal", async () => {
  serve([429, { detail: "too many requests at once; wait a second" }]);
  await assert.rejects(request(BASE), ServerUnreachable);
  serve([404, { detail: "this link is not valid" }]);
  await assert.rejects(request(BASE), RequestRefused);
});

test("an error without a sentence still says something", async () => {
  globalThis.fetch = async () => new Response("<h1>Bad Gateway</h1>", { status: 502 });
  await assert.rejects(request(BASE), { message: "The server cannot answer at the moment." });
});

test("two tabs share the outbox; the slower one asks for the state", async () => {
  outbox.add("answers", { question: "q1", response: "left" });
  const otherTab = new Outbox(BASE);
  assert.deepEqual(otherTab.items, outbox.items);
  serve([200, { answers: 1 }]);
  await otherTab.deliver();
  serve([200, { answers: 1 }]);
  assert.deepEqual((await outbox.deliver()).state, { answers: 1 });
  assert.deepEqual(sent, [{ url: BASE, method: "GET", body: null }]);
  assert.deepEqual(new Outbox("/api/v1/s/cars/p/other").items, []);
});

test("a browser that stores nothing keeps answers until the tab closes", async () => {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  Object.defineProperty(globalThis, "localStorage", { configurable: true, value: { getItem: refuse, setItem: refuse } });
  outbox.add("answers", { question: "q1", response: "left" });
  assert.equal(outbox.items.length, 1);
  serve([200, {}]);
  await outbox.deliver();
  assert.deepEqual(outbox.items, []);
});

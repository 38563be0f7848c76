// What the owner's pages share. Text from studies only ever goes into textContent and attributes, never into markup.

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

export function study(name) {
  return `/api/v1/studies/${encodeURIComponent(name)}`;
}

// The reply as JSON; what the server refuses is an Error with its sentence.
export async function call(path, body) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "X-Askwise": "page" }, body };
  if (body !== undefined && !(body instanceof FormData)) {
    sent.headers["Content-Type"] = "application/json";
    sent.body = JSON.stringify(body);
  }
  let reply;
  try {
    reply = await fetch(path, sent);
  } catch {
    throw new Error("The server does not answer; is askwise serve still running?");
  }
  const said = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(typeof said.detail === "string" ? said.detail : `The server said ${reply.status}.`);
  return said;
}

// Shows a sentence in a paragraph that is hidden otherwise.
export function tell(paragraph, sentence) {
  paragraph.textContent = sentence ?? "";
  paragraph.hidden = !sentence;
}

export function percent(share) {
  if (share > 0 && share < 0.01) return "< 1 %";
  if (share > 0.99 && share < 1) return "> 99 %";
  return `${Math.round(100 * share)} %`;
}

export function plural(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

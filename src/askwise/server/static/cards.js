// A question as it is seen: cards, buttons, or a field for a number.

import { make, plain, rich } from "./markup.js";
import { heading, keysOf, printed, reasonsOf, said } from "./questions.js";

const asking = document.getElementById("asking");
const place = (id) => document.getElementById(id);

export const picture = (base, name) => `${base}/image/${name.split("/").map(encodeURIComponent).join("/")}`;

/** Shows the question. `answer(response, button, event)` and `skip(reason, button, event)` are told what was tapped;
 * returned are the buttons by key. */
export function lay(base, question, answer, skip) {
  const { kind, options, responses } = question;
  const cards = kind === "pair" || kind === "triple";
  const keys = new Map();
  asking.dataset.kind = kind;
  asking.classList.remove("waiting");
  asking.classList.toggle("pictures", options.some((option) => option.image));
  place("text").replaceChildren(...rich(heading(question)));
  place("text").setAttribute("aria-label", plain(question.text));
  place("hint").textContent = kind === "triple" ? "Tap the odd one; the other two belong together." : "";
  const size = sizeOf(options);
  const shown = cards || (kind === "number" && !options.some((option) => option.image)) ? [] : options;
  place("options").replaceChildren(...shown.map((option) => make("figure", {}, ...face(base, option, size))));
  const buttons = responses.map((response, number) => {
    const inside = cards && number < options.length ? face(base, options[number], size) : rich(said(question, response));
    const press = (event) => answer(response, event.currentTarget, event);
    return button(keys, keysOf(question)[number], cards && number < options.length ? "card" : "", inside, press);
  });
  place("responses").replaceChildren(...(kind === "number" ? [numberForm(answer)] : buttons));
  place("responses").dataset.many = responses.length;
  place("skips").replaceChildren(...skips(keys, question, skip));
  return keys;
}

/** Its pictures, for whoever waits until they are there. */
export function pictures() {
  return [...asking.querySelectorAll("img")];
}

/** The same for all options: a larger name would look like a better one. */
function sizeOf(options) {
  const longest = Math.max(...options.map(({ name }) => name.length));
  return longest < 14 ? "large" : longest < 48 ? "middle" : longest < 140 ? "small" : "tiny";
}

function face(base, { name, image }, size) {
  const label = make("span", { className: `name ${size}` }, ...rich(name));
  if (!image) return [label];
  const shown = make("img", { src: picture(base, image), alt: "" });
  shown.addEventListener("error", () => shown.remove());
  return [shown, label];
}

function button(keys, own, style, inside, press) {
  const shortcuts = own.filter((key) => !keys.has(key));
  const hints = shortcuts.map((key) => make("kbd", { "aria-hidden": "true" }, printed(key)));
  const made = make("button", { type: "button", className: style }, ...inside, make("span", { className: "keys" }, ...hints));
  if (shortcuts.length) made.setAttribute("aria-keyshortcuts", shortcuts.join(" "));
  made.addEventListener("click", press);
  for (const key of shortcuts) keys.set(key, made);
  return made;
}

function skips(keys, question, skip) {
  const all = [["s", "Can't tell", null], ...reasonsOf(question).map(([key, reason]) => [key, reason, reason])];
  return all.map(([key, label, reason]) =>
    button(keys, [key], "", [label], (event) => skip(reason, event.currentTarget, event)));
}

function numberForm(answer) {
  const field = make("input", { id: "number", inputMode: "decimal", autocomplete: "off", "aria-labelledby": "text" });
  const sign = make("button", { type: "button", "aria-label": "Change the sign" }, "±"); // some phones' keys lack a minus
  sign.addEventListener("click", () => {
    field.value = field.value.startsWith("-") ? field.value.slice(1) : `-${field.value}`;
    field.focus();
  });
  const send = make("button", { type: "submit", className: "send" }, "Send", make("kbd", { "aria-hidden": "true" }, "⏎"));
  const form = make("form", { noValidate: true }, sign, field, send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = field.value.trim().replace(",", ".").replace("−", "-");
    const number = typed === "" ? NaN : Number(typed);
    field.setAttribute("aria-invalid", String(!Number.isFinite(number)));
    answer(number, send, event);
  });
  return form;
}

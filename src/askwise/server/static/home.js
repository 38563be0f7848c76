// The list of studies, and the form for a new one.
import { byId, call, element, plural, study, tell } from "/static/owner.js";

const form = byId("new");

async function list() {
  try {
    const found = await call("/api/v1/studies");
    byId("studies").replaceChildren(...found.map(row));
    byId("none").hidden = found.length > 0;
    tell(byId("trouble"), "");
  } catch (error) {
    tell(byId("trouble"), error.message);
  }
}

function row(one) {
  const name = one.goal === null ? element("b", { textContent: one.study })
    : element("a", { href: `/s/${encodeURIComponent(one.study)}`, textContent: one.study });
  const counts = one.goal === null ? [] : [
    element("small", { textContent: `${plural(one.answers, "answer")}, ${one.people === 1 ? "1 person" : `${one.people} people`} invited` })];
  return element("li", {},
    element("div", { className: "title" }, name, element("span", { className: `state ${one.state}`, textContent: one.state })),
    element("div", { textContent: one.aim }), ...counts);
}

// Only the options of the chosen goal can be filled in and are sent.
function choose() {
  for (const field of form.querySelectorAll("[data-goals]")) {
    field.hidden = field.dataset.goals !== form.elements.goal.value;
    field.querySelector("input, select").disabled = field.hidden;
  }
}

function options() {
  const value = (name) => {
    const field = form.elements.namedItem(name); // elements.item is a function
    return field.disabled ? "" : field.value.trim();
  };
  const given = {};
  for (const name of ["k", "epsilon", "budget"]) if (value(name)) given[name] = Number(value(name));
  for (const name of ["item", "fair_on", "score"]) if (value(name)) given[name] = value(name);
  if (value("labels")) given.labels = value("labels").split(",").map((label) => label.trim()).filter(Boolean);
  return given;
}

async function send(preview) {
  const body = new FormData();
  for (const name of ["name", "goal", "mode", "instructions"]) body.set(name, form.elements[name].value.trim());
  body.set("table", form.elements.table.files[0]);
  body.set("options", JSON.stringify(options()));
  body.set("preview", String(preview));
  return call("/api/v1/studies", body);
}

async function read(event) {
  event.preventDefault();
  forget();
  byId("read").disabled = true;
  byId("read").textContent = "Reading…";
  try {
    const found = await send(true);
    byId("words").replaceChildren(...found.words.map((words) => element("li", { textContent: words })));
    byId("understood").hidden = false;
    byId("understood-title").focus();
  } catch (error) {
    tell(byId("refused"), error.message);
  } finally {
    byId("read").disabled = false;
    byId("read").textContent = "Read the table";
  }
}

async function make() {
  byId("make").disabled = true;
  try {
    const made = await send(false);
    location.assign(`/s/${encodeURIComponent(made.study)}`);
  } catch (error) {
    forget();
    tell(byId("refused"), error.message);
  } finally {
    byId("make").disabled = false;
  }
}

// What was understood holds only for what was sent.
function forget() {
  byId("understood").hidden = true;
  tell(byId("refused"), "");
}

function named() {
  const file = form.elements.table.files[0];
  if (file && !form.elements.name.value) {
    form.elements.name.value = file.name.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9 _.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(0, 60);
  }
}

form.addEventListener("submit", read);
form.addEventListener("input", forget);
form.elements.table.addEventListener("change", named);
form.elements.goal.addEventListener("change", choose);
byId("make").addEventListener("click", make);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && list());
choose();
list();

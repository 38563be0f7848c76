// The dashboard of one study: two kinds of messages come from the server, and everything is drawn from the last of each.
import { byId, call, element, percent, plural, study as address, tell } from "/static/owner.js";
import { curve, findings, pace } from "/static/charts.js";
import { people } from "/static/people.js";

const name = document.body.dataset.study;
const api = address(name);
let seen = null; // the last overview
let found = null; // the last of what is learned
let log = Number(new URLSearchParams(location.search).get("log")) || null; // whose, if chosen by hand
let chosen = log !== null;
let stream = null;

// ------------------------------------------------------------------ messages

function listen() {
  stream?.close();
  stream = new EventSource(`${api}/live${log === null ? "" : `?log=${log}`}`);
  stream.addEventListener("overview", (message) => glance(JSON.parse(message.data)));
  stream.addEventListener("learned", (message) => learn(JSON.parse(message.data)));
  stream.onerror = () => tell(byId("trouble"), stream.readyState === EventSource.CLOSED
    ? "The server refused. If it was started again, open the address that askwise serve printed."
    : "The connection is lost; trying again.");
}

function glance(news) {
  seen = news;
  document.querySelector("main").classList.toggle("fresh", seen.answers === 0);
  byId("may-ask-why").checked = seen.why;
  tell(byId("trouble"), news.behind ? "The learner stumbled and is being started again; people go on answering meanwhile." : "");
  header();
  whose();
  figures();
  saved();
  people(seen.participants, lastDiameters(), { copy, rest });
}

function learn(news) {
  if (news.trouble) return tell(byId("trouble"), news.trouble);
  found = news;
  show();
}

function show() {
  if (!found || !seen || found.log !== (log ?? seen.log)) return;
  const unasked = found.answers === 0;
  byId("guess").textContent = unasked ? "Nothing was answered yet" : found.guess;
  byId("guess").hidden = !byId("guess").textContent;
  byId("guess").classList.toggle("long", found.guess.length > 60);
  byId("standing").textContent = unasked ? "What follows is a guess from the table alone."
    : found.reason ? `The end after ${plural(found.answers, "answer")}: ${found.reason}.${seen.beyond ? " It goes on, as you decided." : ""}` : `After ${plural(found.answers, "answer")}; more may change it.`;
  if (unasked) return; // nothing of what follows is shown
  findings(byId("charts"), found.charts);
  curve(byId("curve"), found, seen.epsilon, new Map(seen.participants.map((one) => [one.log, one.name])));
  odd();
  figures();
  people(seen.participants, lastDiameters(), { copy, rest });
}

// ------------------------------------------------------------------ what is shown

function header() {
  byId("state").textContent = seen.state;
  byId("state").className = `state ${seen.state}`;
  byId("aim").textContent = `${seen.aim} ${seen.mode === "pooled" ? "All answers make one result." : "Everybody gets an answer of their own."}`;
  const closed = seen.state === "closed";
  byId("start").disabled = closed || seen.state === "open";
  byId("start").textContent = ended() ? "Go on all the same" : "Start";
  byId("pause").disabled = closed || seen.state === "paused";
  byId("close").disabled = closed;
  const query = log === null ? "" : `?log=${log}`;
  Object.assign(byId("csv"), { href: `${api}/answers.csv`, download: `${name}.csv` });
  Object.assign(byId("report"), { href: `${api}/report.html${query}`, download: `${name}.html` });
}

// Whether it came to an end by itself.
function ended() {
  return seen.state === "settled" || seen.state === "finished";
}

// Where everybody has an answer of their own, one of them is looked at: by choice, or whoever answered most.
function whose() {
  const alone = seen.mode === "pooled" || seen.participants.length === 0;
  byId("whose-label").hidden = alone;
  if (alone) return;
  const select = byId("whose");
  if (select.options.length !== seen.participants.length + 1) {
    select.replaceChildren(...seen.participants.map((one) => element("option", { value: one.log, textContent: one.name })),
      element("option", { value: seen.log, textContent: "the study's own log" }));
  }
  const shown = seen.participants.find((one) => one.log === log);
  const busiest = seen.participants.reduce((one, other) => (other.answers > one.answers ? other : one));
  if (!chosen && (!shown || (shown.answers === 0 && busiest.answers > 0))) look(busiest.log);
  select.value = String(log ?? seen.log);
}

function look(at) {
  if (at === log) return;
  log = at;
  header();
  listen();
}

function figures() {
  const mine = found && found.log === (log ?? seen.log) ? found : null;
  const rate = found && seen.answers ? pace(byId("pace"), found.minutes) : { now: 0, rate: 0 };
  const going = seen.participants.filter((one) => one.answers > 0).length;
  const rows = [
    ["answers", seen.answers.toLocaleString("en"), seen.fallbacks ? `${seen.fallbacks} from the reserve` : ""],
    ["people", seen.participants.length.toLocaleString("en"), seen.participants.length ? `${going} answered` : "nobody invited"],
    ["undecided", mine ? mine.diameter.toFixed(3) : "…", `stops below ${seen.epsilon}`],
    ["expected error", mine ? mine.error.toFixed(3) : "…", "of the best guess"],
    ["answers a minute", rate.rate.toFixed(1), "over the last five minutes"],
    ["questions saved", share(), "against random ones"],
  ];
  byId("pace-lead").textContent = `${rate.now} so far in this minute.`;
  const list = byId("figures");
  if (!list.children.length) {
    list.append(...rows.map(([label]) => element("div", {}, element("dt", { textContent: label }), element("dd"), element("dd"))));
  }
  rows.forEach(([, value, more], place) => {
    const [, big, small] = list.children[place].children;
    if (big.textContent !== value) big.textContent = value;
    small.textContent = more;
    small.hidden = !more;
  });
}

function share() {
  if (!seen.saved || seen.saved.share === null) return "?";
  return `${seen.saved.at_least ? "> " : ""}${percent(Math.max(0, seen.saved.share))}`;
}

function saved() {
  const plan = seen.saved, running = seen.simulating;
  byId("simulate").disabled = running !== null;
  byId("simulate").textContent = plan ? "Simulate again" : "Simulate people";
  if (running) byId("saved").textContent = `Simulated people are answering: ${running[0]} of ${running[1]}.`;
  else if (!plan) byId("saved").textContent = "Not known yet: nobody was simulated. Simulated people answer by this study's rule and at random; it takes a minute or two.";
  else byId("saved").textContent = sentence(plan);
}

function sentence(plan) {
  const count = (value) => (value === null ? `more than ${plan.limit}` : `at most ${value}`);
  const start = `Of ${plan.people} simulated people, half needed ${count(plan.own)} questions`;
  if (plan.share === null) return `${start}.`;
  return `${start}, and ${count(plan.random)} when asked at random: ${share()} saved.`;
}

function lastDiameters() {
  return new Map((found?.lines ?? []).filter((line) => line.points.length).map((line) => [line.log, line.points.at(-1)[1]]));
}

function odd() {
  const names = new Map(seen.participants.map((one) => [one.participant, one.name]));
  byId("odd").hidden = found.odd.length === 0;
  byId("odd-lead").textContent = found.answers === 0 ? "There are no answers yet."
    : found.odd.length === 0 ? `None of ${plural(found.answers, "answer")} stands out.`
    : "As all the other answers would have it. Some are normal; a very small chance may be a slip worth asking about again.";
  byId("odd").tBodies[0].replaceChildren(...found.odd.map((one) => {
    const fit = one.off === null ? `chance ${percent(one.chance)}` : `${Math.abs(one.off).toPrecision(2)} sd ${one.off > 0 ? "above" : "below"}`;
    const texts = { question: one.text, answer: one.said, who: names.get(one.who) ?? one.who ?? "", "how it fits": one.rough ? `~ ${fit}` : fit };
    return element("tr", {}, ...Object.entries(texts).map(([heading, text]) => {
      const cell = element("td", { textContent: text });
      cell.dataset.of = heading;
      return cell;
    }));
  }));
}

// ------------------------------------------------------------------ what the owner does

async function act(path, body) {
  try {
    return await call(`${api}${path}`, body);
  } catch (error) {
    tell(byId("trouble"), error.message);
    return null;
  }
}

async function change(state) {
  const news = await act("/state", { state });
  if (news) glance(news);
}

async function decide(settings) {
  const news = await act("/settings", settings);
  if (news) glance(news);
}

async function rest(person, paused) {
  const news = await act(`/participants/${encodeURIComponent(person.participant)}/pause?paused=${paused}`, {});
  if (news) glance(news);
}

async function invite(event) {
  event.preventDefault();
  const made = await act("/participants", { name: byId("name").value, quota: Number(byId("quota").value) || null });
  if (!made) return;
  offer(made.name, made.link);
  byId("invite").reset();
  byId("name").focus();
}

function offer(who, link) {
  byId("invited").hidden = false;
  byId("link").value = link;
  byId("link-for").textContent = who;
}

// Browsers copy only on pages of this machine or with https; elsewhere the link is there to be copied by hand.
async function copy(person) {
  const link = person ? `${location.origin}${person.link}` : byId("link").value;
  offer(person?.name ?? byId("link-for").textContent, link);
  try {
    await navigator.clipboard.writeText(link);
    byId("said").textContent = `The link for ${byId("link-for").textContent} is copied.`;
  } catch {
    byId("link").select();
    byId("said").textContent = "Copy the marked link.";
  }
}

byId("start").addEventListener("click", () => (ended() ? decide({ beyond: true }) : change("open")));
byId("may-ask-why").addEventListener("change", (event) => decide({ why: event.target.checked }));
byId("pause").addEventListener("click", () => change("paused"));
byId("close").addEventListener("click", () => byId("sure").showModal());
byId("sure").addEventListener("close", () => byId("sure").returnValue === "yes" && change("closed"));
byId("simulate").addEventListener("click", () => act("/plan", {}));
byId("invite").addEventListener("submit", invite);
byId("copy").addEventListener("click", () => copy(null));
byId("whose").addEventListener("change", (event) => {
  chosen = true;
  look(Number(event.target.value));
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
setInterval(() => seen && found && figures(), 20000); // a quiet minute is one, too
document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? listen() : stream?.close()));
listen();

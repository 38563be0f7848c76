// Charts by Plotly. Names are escaped, since Plotly reads some markup in texts; call every one with fresh numbers.
import { element, percent, plural } from "/static/owner.js";

const LONGEST = 26; // letters of a name beside an axis
const QUIET = { displayModeBar: false, responsive: true };

export function plain(text) {
  return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function short(text) {
  const letters = [...String(text)];
  return plain(letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : text);
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function draw(place, traces, layout) {
  const title = (part) => (part?.title ? { title: { font: { size: 12, color: colour("soft") }, standoff: 8, ...part.title } } : {});
  const axis = { fixedrange: true, gridcolor: colour("line"), zerolinecolor: colour("line"), linecolor: colour("line"), automargin: true };
  Plotly.react(place, traces, {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", dragmode: false, showlegend: false,
    font: { family: "system-ui, sans-serif", size: 13, color: colour("ink") },
    margin: { l: 8, r: 12, t: 8, b: 8 },
    hoverlabel: { bgcolor: colour("card"), bordercolor: colour("edge"), font: { color: colour("ink") } },
    ...layout, xaxis: { ...axis, ...layout.xaxis, ...title(layout.xaxis) }, yaxis: { ...axis, ...layout.yaxis, ...title(layout.yaxis) },
  }, QUIET);
}

// Names down the side, first on top; rows by number, so that equal names stay apart.
function down(names, more = {}) {
  return { tickvals: names.map((_, row) => row), ticktext: names.map(short), range: [names.length - 0.4, -0.6], showgrid: false, zeroline: false, ...more };
}

function bars(place, chart) {
  const longest = Math.max(0.1, ...chart.rows.map(([, share]) => share));
  const rows = chart.rows.map((_, row) => row), names = chart.rows.map(([name]) => name);
  draw(place, [{
    type: "bar", orientation: "h", x: chart.rows.map(([, share]) => share), y: rows, marker: { color: colour("one") },
    text: chart.rows.map(([, share]) => percent(share)), textposition: "outside", cliponaxis: false, width: 0.62,
    hovertext: names.map((name, row) => `${plain(name)}: ${percent(chart.rows[row][1])}`), hoverinfo: "text",
  }], { height: 40 + 28 * rows.length, xaxis: { range: [0, 1.15 * longest], tickformat: ".0%", nticks: 5 }, yaxis: down(names) });
}

function spans(place, chart) {
  const rows = chart.rows.map((_, row) => row), names = chart.rows.map(([name]) => name);
  const middle = chart.rows.map(([, , value]) => value);
  draw(place, [{
    type: "scatter", mode: "markers", x: middle, y: rows, marker: { color: colour("one"), size: 10 },
    error_x: {
      type: "data", symmetric: false, array: chart.rows.map(([, , value, high]) => high - value),
      arrayminus: chart.rows.map(([, low, value]) => value - low), color: colour("one"), thickness: 3, width: 0,
    },
    hovertext: chart.rows.map(([name, low, value, high]) => `${plain(name)}: ${digits(value)} (${digits(low)} to ${digits(high)})`), hoverinfo: "text",
  }], { height: 60 + 26 * rows.length, xaxis: { title: { text: plain(chart.axis) }, zeroline: false }, yaxis: down(names) });
}

function tree(place, chart) {
  const lines = { true: [[], []], false: [[], []] };
  for (const fork of chart.rows) {
    const [xs, ys] = lines[fork.strong];
    for (const [x, y] of fork.children) {
      xs.push(fork.x, fork.x, x, null);
      ys.push(fork.row, y, y, null);
    }
  }
  const noted = chart.rows.filter((fork) => fork.note);
  const line = (strong) => ({
    type: "scatter", mode: "lines", x: lines[strong][0], y: lines[strong][1], hoverinfo: "skip",
    line: { color: colour("ink"), width: 1.6, dash: strong ? "solid" : "dot" },
  });
  draw(place, [line(true), line(false), {
    type: "scatter", mode: "text", x: noted.map((fork) => fork.x), y: noted.map((fork) => fork.row), text: noted.map((fork) => `\u00a0${fork.note}`),
    textposition: "middle right", textfont: { color: colour("one"), size: 12 }, hoverinfo: "skip",
  }], { height: 30 + 22 * chart.names.length, xaxis: { visible: false, range: [-0.03, 1.03] }, yaxis: down(chart.names, { side: "right" }) });
}

function groups(place, chart) {
  place.replaceChildren(element("ul", { className: "groups" }, ...chart.rows.map((cluster, number) => element("li", {},
    element("b", { textContent: `Cluster ${number + 1}: ${plural(cluster.size, "item")}` }),
    element("ul", {}, ...cluster.members.map(([name, sure]) => element("li", {},
      element("span", { textContent: name }), element("small", { textContent: percent(sure) }))))))));
}

function digits(value) {
  return Number(value.toPrecision(3)).toString();
}

const KINDS = { bars, spans, tree, groups };

// One figure for each chart of the goal; the places are kept, so that what changed moves and nothing jumps.
export function findings(parent, charts) {
  const kinds = charts.map((chart) => chart.kind).join(" ");
  if (parent.dataset.kinds !== kinds) {
    parent.dataset.kinds = kinds;
    parent.replaceChildren(...charts.map(frame));
  }
  charts.forEach((chart, place) => {
    const figure = parent.children[place];
    figure.querySelector("h3").textContent = chart.title;
    figure.querySelector(".lead").textContent = chart.lead;
    figure.querySelector(".more").textContent = chart.others ? `and ${chart.others.toLocaleString("en")} more` : "";
    const drawn = figure.querySelector(".drawn");
    if (chart.kind !== "groups") drawn.setAttribute("aria-label", said(chart));
    KINDS[chart.kind](drawn, chart);
    const table = figure.querySelector("tbody");
    if (table) table.replaceChildren(...chart.rows.map((row) => element("tr", {}, ...row.map((value) =>
      element("td", { textContent: typeof value === "number" ? digits(value) : value })))));
  });
}

function frame(chart) {
  const drawn = element("div", { className: `drawn${chart.kind === "tree" ? " chart tall" : ""}` });
  if (chart.kind !== "groups") drawn.setAttribute("role", "img");
  if (chart.kind === "tree") drawn.tabIndex = 0;
  const parts = [element("h3"), element("p", { className: "lead" }), drawn, element("p", { className: "lead more" })];
  const headings = { bars: ["name", "probability"], spans: ["name", "low", "middle", "high"] }[chart.kind];
  if (headings) {
    parts.push(element("details", {}, element("summary", { textContent: "As a table" }), element("table", {},
      element("thead", {}, element("tr", {}, ...headings.map((name) => element("th", { scope: "col", textContent: name })))), element("tbody"))));
  }
  return element("div", { className: "figure" }, ...parts);
}

function said(chart) {
  if (chart.kind === "tree") return `A tree of ${chart.names.length} items`;
  const first = chart.rows.slice(0, 3).map((row) => `${row[0]} ${chart.kind === "bars" ? percent(row[1]) : digits(row[2])}`);
  return `${chart.title}: ${first.join(", ")}`;
}

// Undecided and error of the log looked at; with several people, everybody's undecided in the background.
export function curve(place, found, epsilon, names) {
  const others = found.lines.filter((line) => line.log !== found.log && line.points.length > 1);
  const own = found.lines.find((line) => line.log === found.log)?.points ?? [];
  const whole = new Map([...own, ...found.curve.map(([turn, diameter]) => [turn, diameter])]);
  const turns = [...whole.keys()].sort((one, other) => one - other);
  const last = Math.max(1, ...turns, ...others.map((line) => line.points.at(-1)[0]));
  const traces = others.map((line) => ({
    type: "scatter", mode: "lines", x: line.points.map(([x]) => x), y: line.points.map(([, y]) => y),
    line: { color: colour("edge"), width: 1 }, opacity: 0.6, hoverinfo: "text", hovertext: plain(names.get(line.log) ?? ""), showlegend: false,
  }));
  traces.push(
    { type: "scatter", mode: "lines+markers", name: "undecided", x: turns, y: turns.map((turn) => whole.get(turn)), line: { color: colour("one"), width: 2.5 }, marker: { size: turns.length > 40 ? 1 : 5 }, hovertemplate: "%{y:.3f} undecided<extra></extra>", showlegend: true },
    { type: "scatter", mode: "lines+markers", name: "expected error", x: found.curve.map(([turn]) => turn), y: found.curve.map(([, , error]) => error), line: { color: colour("two"), width: 2.5, dash: "dash" }, marker: { size: found.curve.length > 40 ? 1 : 5 }, hovertemplate: "%{y:.3f} error<extra></extra>", showlegend: true },
  );
  place.setAttribute("aria-label", `Undecided ${digits(found.diameter)}, expected error ${digits(found.error)} after ${plural(found.answers, "answer")}; it stops below ${epsilon}`);
  draw(place, traces, {
    height: 300, showlegend: true, legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
    xaxis: { title: { text: "answers given or taken back" }, range: [-0.02 * last, 1.02 * last], zeroline: false, tickformat: "d", nticks: Math.min(8, last + 1) },
    yaxis: { rangemode: "tozero" },
    shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: epsilon, y1: epsilon, line: { color: colour("soft"), width: 1.5, dash: "dot" } }],
    annotations: [{ text: `stops below ${epsilon}`, xref: "paper", x: 0.01, y: epsilon, xanchor: "left", yanchor: "bottom", showarrow: false, font: { color: colour("soft"), size: 12 } }],
  });
}

// Answers in each of the last 30 minutes, quiet ones too.
export function pace(place, minutes, now = Date.now()) {
  const counts = new Map(minutes), shown = 30, xs = [], ys = [];
  for (let ago = shown - 1; ago >= 0; ago--) {
    const minute = new Date(now - ago * 60000);
    xs.push(-ago);
    ys.push(counts.get(minute.toISOString().slice(0, 16)) ?? 0);
  }
  draw(place, [{ type: "bar", x: xs, y: ys, marker: { color: colour("three") }, hovertemplate: "%{y} answers<extra></extra>" }], {
    height: 170, bargap: 0.15, xaxis: { title: { text: "minutes ago" }, tickvals: [-29, -20, -10, 0], ticktext: ["29", "20", "10", "now"], showgrid: false },
    yaxis: { range: [0, Math.max(4, 1.15 * Math.max(...ys))], tickformat: "d", nticks: 4 },
  });
  return { now: ys.at(-1), rate: rateOf(minutes, ys, now) };
}

// Answers a minute in the last five, this one too; in a study that is younger, since its first answer.
function rateOf(minutes, counts, now) {
  const recent = counts.slice(-5).reduce((sum, count) => sum + count, 0);
  const age = minutes.length ? (now - Date.parse(`${minutes[0][0]}Z`)) / 60000 : 0;
  return recent / Math.max(1, Math.min(age, 4 + (now % 60000) / 60000));
}

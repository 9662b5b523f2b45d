// Setting up a position by clicking, for every game that lays its positions out: what stands where, and the rest in fields. The
// server judges every change, and what is not possible yet is shown over the last position that was.

import { $, call, copy, el, every, hold } from "./api.js";
import { Board } from "./board.js";

const game = document.body.dataset.game;
const about = await call(`/api/games/${game}`);
const known = new Set(about.options.map((option) => option.name));
const FEW = 9; // signs that are named in words beside them

const page = {
  options: {}, // of the game, as the address gives them
  origin: "", // the text of the position that is changed
  before: null, // its sheet: what stands where, what may, and the fields
  last: null, // the last position that was possible, as the server tells it
  cells: {}, // what was changed since, by places
  fields: {}, // and by fields
  sign: null, // what a click places
  past: [], // changes as they were, for undoing
  asked: 0, // counts questions, so that a late answer is dropped
};

const board = new Board($("board"), { clicked() {}, pointed() {}, picked() {}, stepped() {} });
board.enlarge($("zoom"));
const problem = (text = "") => ($("problem").textContent = text);
const body = (more = {}) => ({ game, options: page.options, position: page.origin, ...more });
const stands = (name) => page.cells[name] ?? page.before.cells[name];
const nothing = () => page.before.signs[0].text;

async function begin() {
  const query = new URLSearchParams(location.hash.length > 1 ? location.hash.slice(1) : location.search);
  for (const [name, value] of query) if (known.has(name)) page.options[name] = value;
  page.origin = query.get("position") ?? "";
  try {
    // what chance decides before anything can be changed is drawn
    page.last = await call(`/api/sheet?seed=${Math.floor(Math.random() * 2 ** 40)}`, { body: body() });
    if (page.last.drawn) page.origin = page.last.text;
  } catch (error) {
    $("status").textContent = "This position cannot be set up.";
    return problem(error.message);
  }
  if (!page.last.sheet) {
    $("status").textContent = `Positions of ${about.title} are not set up by clicking; the analysis page takes them as text.`;
    for (const part of every(".side > *, .stage > .row")) part.hidden = true;
    document.querySelector(".stage").append(el("p", {}, el("a", { href: `/analyse/${encodeURIComponent(game)}` }, "To the analysis")));
    return undefined;
  }
  page.before = page.last.sheet;
  signs();
  fields();
  show();
  return undefined;
}

// ---- what is placed

function signs() {
  const all = page.before.signs;
  $("placing").hidden = !all.length;
  $("clear").hidden = !all.length;
  $("signs").replaceChildren(...all.map((sign) => {
    const input = el("input", { type: "radio", name: "sign", value: sign.text, checked: sign === all[1], class: "unseen",
      onchange: () => chosen(sign) });
    const named = sign.words === sign.text || sign.words.startsWith(`${sign.text},`); // which say the sign themselves
    const shown = all.length > FEW ? sign.text : named ? sign.words : `${sign.text} ${sign.words}`;
    return el("label", { class: "sign", title: sign.words }, input, el("span", {}, shown), all.length > FEW ? el("span", { class: "unseen" }, sign.words) : null);
  }));
  if (all.length) chosen(all[1]);
}

function chosen(sign) {
  page.sign = sign;
  $("counting").hidden = !sign.counted;
  $("counted").textContent = page.before.counted;
  $("count").value = sign.usual;
  $("meant").textContent = page.before.signs.length > FEW ? sign.words : "";
}

function put(name) {
  const { sign } = page;
  const count = Math.min(9999, Math.max(0, Math.trunc(Number($("count").value) || 0)));
  const text = sign.counted ? `${sign.text}${count}` : sign.text;
  const cells = { ...page.cells, [name]: stands(name) === text ? nothing() : text };
  // what there is one of leaves the place where it stood
  if (sign.only) {
    const alike = new Set(page.before.signs.filter(({ only }) => only === sign.only).map((other) => other.text));
    for (const other of Object.keys(page.before.cells)) if (other !== name && alike.has(stands(other))) cells[other] = nothing();
  }
  change(cells, page.fields);
}

// ---- the rest

function fields() {
  $("rest").hidden = !page.before.fields.length;
  $("fields").replaceChildren(...page.before.fields.map(({ name, words, choices, most }) => {
    const set = (event) => change(page.cells, { ...page.fields, [name]: event.target.value.trim() });
    const common = { id: `f-${name}`, "data-field": name, onchange: set };
    const control = choices.length
      ? el("select", common, ...choices.map((choice) => el("option", {}, choice)))
      : el("input", { ...common, ...(most === null ? { type: "text", maxlength: "1000" } : { type: "number", min: "0", max: most, step: "1" }) });
    return el("div", { class: "field" }, el("label", { for: `f-${name}` }, words), control);
  }));
  filled();
}

/** The fields as they are now. */
function filled() {
  for (const { name, value } of page.before.fields) {
    const control = $("fields").querySelector(`[data-field="${CSS.escape(name)}"]`);
    const now = page.fields[name] ?? value;
    if (control.tagName === "SELECT" && ![...control.options].some((option) => option.value === now)) control.append(el("option", {}, now));
    control.value = now;
  }
}
$("fields").addEventListener("submit", (event) => event.preventDefault());

// ---- changes

async function change(cells, changed, undone = false) {
  if (!undone) page.past.push([page.cells, page.fields]);
  page.cells = cells;
  page.fields = changed;
  $("undo").disabled = !page.past.length;
  const mine = ++page.asked;
  sketch();
  try {
    const found = await call("/api/edit", { body: body({ cells, fields: changed }) });
    if (mine !== page.asked) return;
    page.last = found;
    problem();
  } catch (error) {
    if (mine !== page.asked) return;
    problem(error.message);
  }
  show();
}

/** The last position that was possible, with what differs from it by now written over it. */
function sketch() {
  const { last, before } = page;
  const wrong = Object.keys(before.cells).filter((name) => stands(name) !== last.sheet?.cells[name]);
  board.draw(last.svg);
  board.places(Object.keys(before.cells), (name) => `${name}: ${meaning(stands(name))}`, put);
  board.layer("sketch", wrong.map((name) => ({ kind: "sign", places: [name], words: stands(name) === nothing() ? "" : stands(name) })));
}

/** The same, and what the server said of it. */
function show() {
  const { last } = page;
  const open = Boolean($("problem").textContent);
  sketch();
  $("position").value = last.text;
  $("status").textContent = open ? "Not a position of the game yet." : inWords(last);
  $("analyse").classList.toggle("off", open);
  $("analyse").setAttribute("aria-disabled", String(open));
  $("play").disabled = open || last.turn === "over";
  const query = new URLSearchParams({ ...page.options, position: last.text });
  $("analyse").href = `/analyse/${encodeURIComponent(game)}#${query}`;
}

function meaning(text) {
  const sign = page.before.signs.find((one) => (one.counted ? text.startsWith(one.text) : text === one.text));
  return sign ? `${sign.counted ? `${text.slice(sign.text.length)} ` : ""}${sign.words}` : text;
}

function inWords({ turn, asked, seats }) {
  if (turn === "over") return "A position in which the game is over.";
  if (turn === "seat") return `A position: ${seats[asked[0]]} to decide.`;
  return turn === "chance" ? "A position: chance decides next." : "A position: all decide at once.";
}

$("undo").addEventListener("click", () => {
  const [cells, changed] = page.past.pop() ?? [{}, {}];
  change(cells, changed, true);
  filled();
});
$("clear").addEventListener("click", () =>
  change(Object.fromEntries(Object.keys(page.before.cells).map((name) => [name, nothing()])), page.fields));
$("reset").addEventListener("click", () => {
  change({}, {});
  filled();
});
$("analyse").addEventListener("click", (event) => {
  if ($("analyse").classList.contains("off")) event.preventDefault();
});
$("copy").addEventListener("click", (event) => copy($("position").value, event.target));
$("play").addEventListener("click", async () => {
  try {
    const { engines } = await call("/api/games", { body: { game, options: page.options } });
    const level = ["medium", "strong", "easy"].find((name) => engines.includes(name)) ?? engines[0];
    const seat = page.last.asked[0] ?? 0;
    const seats = page.last.seats.map((_, p) => (p === seat ? "person" : level));
    const made = await call("/api/tables", { body: { game, options: page.options, seats, position: page.last.text } });
    for (const [held, token] of Object.entries(made.tokens)) hold(made.table, { game, title: about.title }, held, token);
    location.href = `/play/${made.table}`;
  } catch (error) {
    problem(error.message);
  }
});

begin();

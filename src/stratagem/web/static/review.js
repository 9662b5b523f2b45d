// The review page, for every game: the course of a game that is over, its worst decisions, and what was better, on the board.

import { $, call, el, held, keep, kept, worth } from "./api.js";
import { Board } from "./board.js";
import { pieces, redrawn } from "./drawings.js";
import { graph } from "./graph.js";
import { address, remember } from "./mistakes.js";
import { avatar, dot, player } from "./people.js";

const key = document.body.dataset.table;
const api = `/api/tables/${key}`;
const LONG = 200; // letters of a decision that is folded
const PAUSE = 700; // milliseconds between two looks at a review that runs

const page = {
  table: null, // the game as it ended
  review: null, // what is known of the review, without its decisions
  decisions: [],
  ply: null, // what the board shows: the position before this ply
  viewer: null, // the seat whose view is shown; null: everything
  moment: null, // that position, with what was decided there
  plan: 0, // of the decision shown: 0 what was played, 1 what was better
  chosen: 0, // which of the decisions of this ply, where several decided at once
  asked: 0, // counts positions asked for, so that a late answer is dropped
};

const board = new Board($("board"), { clicked() {}, pointed() {}, picked() {}, stepped() {} });
board.enlarge($("zoom"));
const problem = (line = "") => ($("problem").textContent = line);
const name = (seat) => page.table.seats[seat].called;
const unit = (value) => worth(value, page.table.range);
const said = (words, text) => (kept("notation") ? text : words) || text;

// ---- the review

async function look() {
  try {
    const { decisions, ...review } = await call(`${api}/review?since=${page.decisions.length}`);
    page.review = review;
    page.decisions.push(...decisions);
    show();
    const waited = page.moment && !page.moment.decisions.length && decisions.some((one) => one.ply === page.ply);
    if (waited) await to(page.ply); // what is looked at is judged now
  } catch (error) {
    problem(error.message);
    if (error.status !== 0) return; // a server that does not answer may come back
  }
  if (page.review?.state === "running") setTimeout(look, PAUSE);
}

async function ask(method) {
  problem();
  try {
    const { decisions, ...review } = await call(`${api}/review`, { method });
    page.review = review;
    page.decisions = decisions;
    show();
    if (review.state === "running") setTimeout(look, PAUSE);
  } catch (error) {
    problem(error.message);
  }
}
$("go").addEventListener("click", () => ask(page.review?.state === "running" ? "DELETE" : "POST"));

const STATES = {
  none: () => "Nobody has reviewed this game yet.",
  running: ({ done, total, note }) => `Judging: ${done} of ${total} moves${note ? ` (${note})` : ""} …`,
  stopped: ({ done, total }) => `Stopped after ${done} of ${total} moves.`,
  failed: ({ note }) => `The review failed: ${note}.`,
  done: ({ engine }) => `Judged by the engine “${engine}”, each decision by what its seat knew.`,
};
const BUTTONS = { none: "Review the game", running: "Stop", stopped: "Go on", failed: "Try again" };

function show() {
  const { review, decisions } = page;
  const words = STATES[review.state](review);
  if ($("work").textContent !== words) $("work").textContent = words;
  $("go").hidden = review.state === "done";
  $("go").textContent = BUTTONS[review.state] ?? "";
  $("progress").hidden = review.state === "done" || review.state === "none";
  $("progress").value = review.total ? review.done / review.total : 1;
  $("accuracy").tBodies[0].replaceChildren(
    ...review.accuracy.map((share, seat) => el("tr", {},
      el("th", { scope: "row" }, avatar(page.table.seats[seat]), player(page.table.seats[seat], page.table.seat)), el("td", {}, name(seat)),
      el("td", { class: "number" }, share === null ? "nothing is known" : `accuracy ${share.toFixed(1)} %`))));
  const worst = review.worst.map((k) => decisions[k]).filter((one) => one && !/^[0. %]*$/.test(lossOf(one)));
  $("worst").replaceChildren(...worst.map((one) => el("li", {}, row(one))));
  if (!worst.length) $("worst").append(el("li", { class: "note" }, review.state !== "done" ? "None yet." : decisions.some((one) => one.value !== null) ? "No decision lost anything that the engine can see." : "The engine cannot tell what these decisions were worth."));
  $("mistakes").hidden = review.state !== "done" || !own(worst).length;
  $("mistakes").textContent = page.table.seat === null ? "Mistakes as puzzles" : "My mistakes as puzzles";
  table();
  course();
}

/** Of decisions or mistakes those of whoever looks on; whoever had no seat here learns from all of them. */
const own = (found) => found.filter((one) => page.table.seat === null || one.seat === page.table.seat);

$("mistakes").addEventListener("click", async () => {
  problem();
  try {
    const found = own((await call(`${api}/mistakes`)).mistakes);
    if (!found.length) return problem("No decision here lost enough to be asked again.");
    remember(found);
    location.assign(address(found[0]));
  } catch (error) {
    problem(error.message);
  }
});

/** A decision as a button that leads to it. */
function row(one) {
  const lost = one.loss > 0 ? `, ${lossOf(one)} lost` : "";
  return el("button", { type: "button", class: "quiet decision", "data-ply": one.ply, "data-seat": one.seat, title: one.move,
    onclick: () => to(one.ply, one.seat, one.loss > 0 ? 1 : 0) },
    dot(page.table.seats[one.seat].colour), el("b", {}, `${one.ply + 1}. ${name(one.seat)}${lost}`), el("span", { class: "clamp" }, said(one.words, one.move)));
}

/** What a decision lost, in points or in points of a per cent. */
function lossOf({ loss }) {
  const [low, high] = page.table.range;
  return high === 1 && low <= 0 && low >= -1 ? `${((100 * loss) / (high - low)).toFixed(1)} %` : loss.toFixed(2);
}

function table() {
  const head = ["move", "seat", "played", "worth", "better", "worth"];
  $("decisions").replaceChildren(
    el("thead", {}, el("tr", {}, ...head.map((one) => el("th", { scope: "col" }, one)))),
    el("tbody", {}, ...page.decisions.map((one) => el("tr", {},
      el("td", {}, el("button", { type: "button", class: "quiet", "aria-label": `Move ${one.ply + 1} of ${name(one.seat)}`, onclick: () => to(one.ply, one.seat) }, String(one.ply + 1))),
      el("td", {}, name(one.seat)), el("td", {}, el("span", { class: "clamp" }, said(one.words, one.move))), el("td", { class: "number" }, unit(one.value)),
      el("td", {}, el("span", { class: "clamp" }, one.move === one.best ? "" : said(one.best_words, one.best))), el("td", { class: "number" }, unit(one.best_value))))));
}

// ---- the graph

function course() {
  const { review, decisions, table: { seats, range } } = page;
  /** @type {any} */ ($("graph").parentElement).hidden = review.total < 2; // one decision has no course
  const worst = new Set(review.worst);
  const [low, high] = range;
  const point = (one, k, value) => ({
    ply: one.ply, value, marked: worst.has(k), title: `${one.ply + 1}. ${name(one.seat)}: ${said(one.words, one.move)}, ${unit(one.value)}${one.loss > 0 ? `, lost ${lossOf(one)}` : ""}`,
  });
  const known = decisions.map((one, k) => [one, k]).filter(([one]) => one.value !== null);
  // Of two players who see everything one line says all: what it is worth to the first.
  const lines = review.shared
    ? [{ name: `for ${seats[0].called}`, colour: seats[0].colour, points: known.map(([one, k]) => point(one, k, one.seat ? low + high - one.value : one.value)) }]
    : seats.map(({ seat, called, colour }) => ({ name: called, colour, points: known.filter(([one]) => one.seat === seat).map(([one, k]) => point(one, k, one.value)) }));
  const lost = review.worst.map((k) => decisions[k]).filter(Boolean).map((one) => `move ${one.ply + 1} of ${name(one.seat)} lost ${lossOf(one)}`);
  const words = `${known.length} decisions judged. ${lost.length ? `The worst: ${lost.join("; ")}.` : ""}`;
  $("graph").replaceChildren(graph({ lines, range, total: review.total, at: page.ply ?? 0, unit: (value) => unit(value).replace(".0 %", " %"), words, wide: $("graph").clientWidth, clicked: (ply) => to(ply, null) }));
}

// ---- the board

/** Show the position before a ply; of a seat's decision there, as that seat saw it. */
async function to(ply, seat = page.viewer, plan = 0) {
  const asked = ++page.asked;
  const wanted = Math.max(0, Math.min(ply, page.review?.total ?? 0));
  const hidden = page.table.hidden;
  const viewer = seat === null ? (hidden ? page.viewer : null) : hidden ? seat : null;
  try {
    const moment = await call(`${api}/review/${wanted}${viewer === null ? "" : `?seat=${viewer}`}`);
    if (asked !== page.asked) return;
    const chosen = Math.max(0, moment.decisions.findIndex((one) => one.seat === seat));
    Object.assign(page, { ply: wanted, viewer, moment, plan, chosen });
    draw();
    here();
    course();
  } catch (error) {
    problem(error.message);
  }
}

function draw() {
  const { moment, plan, chosen } = page;
  const one = moment.decisions[chosen];
  const sketch = one?.sketches[plan];
  board.draw(sketch ? redrawn(pieces(moment.svg), sketch) : moment.svg, { tween: 200 });
  board.layer("last", moment.marks);
  board.layer("candidate", one?.marks[plan] ?? []);
  const parts = one?.named[plan] ?? [];
  board.mark(plan ? [] : parts, "chosen", one?.seat ?? null);
  board.mark(plan ? parts : [], "candidate", one?.seat ?? null);
  $("viewer").value = page.viewer === null ? "" : String(page.viewer);
  $("first").disabled = $("before").disabled = page.ply === 0;
  $("last").disabled = $("after").disabled = page.ply === page.review.total;
  const moved = one ? `${plan ? (one.loss > 0 ? "Better" : "The engine’s own") : "Played"} (${name(one.seat)}): ${said(plan ? one.best_words : one.words, plan ? one.best : one.move)}` : (moment.words?.replace(/^./u, (letter) => letter.toUpperCase()) ?? (page.ply === page.review.total ? `The end: ${page.table.outcome}` : moment.turn === "chance" ? "Chance decides" : ""));
  $("status").textContent = `${page.ply + (page.ply === page.review.total ? 0 : 1)} of ${page.review.total}. ${moved}`;
}

/** The decision that is shown: what was played, what was better, and what tells them apart. */
function here() {
  const { moment, plan, chosen } = page;
  const [one, others] = [moment.decisions[chosen], moment.decisions.length > 1 ? moment.decisions : []];
  if (!one) return $("here").replaceChildren(el("p", { class: "note" }, moment.asked.length ? "This decision is not judged yet." : "Nobody decided anything here."));
  const choose = (k) => () => ((page.plan = k), draw(), here());
  const same = one.move === one.best;
  const apart = (k) => (one.differences[k].length && 2 * one.differences[k].length <= (k ? one.best : one.move).split(";").length ? el("p", { class: "note" }, `Only here: ${one.differences[k].join("; ")}`) : null);
  const shown = (k, title, words, text, value) => el("div", { class: "finding" },
    el("button", { type: "button", "aria-pressed": String(plan === k), "data-plan": k, onclick: choose(k) }, title), " ",
    el("span", { class: "number" }, unit(value)), ...folded(said(words, text), text), apart(k));
  const seats = others.map((other, k) => el("button", { type: "button", class: "quiet", "aria-pressed": String(k === chosen),
    onclick: () => (page.table.hidden ? to(page.ply, other.seat) : ((page.chosen = k), (page.plan = 0), draw(), here())) }, name(other.seat)));
  $("here").replaceChildren(
    ...(seats.length ? [el("p", { class: "row", role: "group", "aria-label": "Whose decision" }, ...seats)] : []),
    shown(0, "Played", one.words, one.move, one.value),
    ...(same ? [el("p", {}, "The engine would have done the same.")] : [shown(1, one.loss > 0 ? "Better" : "The engine’s own", one.best_words, one.best, one.best_value)]),
    ...(one.value === null ? [el("p", { class: "note" }, "The engine cannot tell what this was worth.")] : []),
    el("p", {}, el("a", { class: "button quiet", href: analysis(one) }, "Analyse this position")));
}

/** A decision in words; a long one is folded. */
function folded(words, text) {
  const whole = (more) => el("p", { title: text, ...more }, words);
  return words.length > LONG ? [whole({ class: "clamp" }), el("details", {}, el("summary", {}, "All of it"), whole())] : [whole()];
}

/** Where the position can be analysed: with the game up to there, or as the seat saw it where something was hidden. */
function analysis(one) {
  const { game, options, hidden, moves } = page.table;
  const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== null).map(([option, value]) => [option, String(value)]));
  if (hidden) query.set("position", page.moment.text);
  else {
    if (page.origin) query.set("position", page.origin);
    for (const { text } of moves.slice(0, one.ply)) query.append("m", text);
  }
  return `/analyse/${encodeURIComponent(game)}#${query}`;
}

$("first").addEventListener("click", () => to(0));
$("before").addEventListener("click", () => to(page.ply - 1));
$("after").addEventListener("click", () => to(page.ply + 1));
$("last").addEventListener("click", () => to(Infinity));
$("viewer").addEventListener("change", () => {
  page.viewer = $("viewer").value === "" ? null : Number($("viewer").value);
  to(page.ply, page.viewer);
});
$("notation").checked = Boolean(kept("notation"));
$("notation").addEventListener("change", () => {
  keep("notation", $("notation").checked || null);
  show(), draw(), here();
});
addEventListener("keydown", (/** @type {any} */ event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (!step || page.ply === null || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input, select, textarea, .scroll")) return;
  event.preventDefault();
  to(page.ply + step);
});

// ---- begin

async function begin() {
  const token = Object.values(held()[key]?.seats ?? {})[0] ?? null;
  try {
    page.table = await call(api, { token }).catch((error) => (error.status === 403 ? call(api) : Promise.reject(error)));
    if (page.table.turn !== "over") {
      $("go").hidden = $("progress").hidden = true;
      $("status").textContent = "This game is not over yet; it can be reviewed when it is.";
      return;
    }
    page.origin = (await call(`${api}/record`)).origin;
  } catch (error) {
    $("status").textContent = "This game cannot be shown.";
    return problem(error.message);
  }
  const own = page.table.seat;
  page.viewer = page.table.hidden ? (own ?? 0) : null;
  $("viewer").replaceChildren(el("option", { value: "" }, "everybody: all is open"), ...page.table.seats.map(({ seat, called }) => el("option", { value: seat }, called)));
  $("viewer").parentElement.hidden = !page.table.hidden;
  await look();
  if (page.review?.state === "none") await ask("POST"); // whoever comes here wants it
  if (page.review) await to(page.decisions[page.review.worst[0]]?.ply ?? 0, page.decisions[page.review.worst[0]]?.seat ?? page.viewer);
}
begin();

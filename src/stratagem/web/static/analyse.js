// The analysis page, for every game: a position by its URL, an engine beside it, variations as a tree.

import { $, call, copy, download, el, focused, hold, keep, kept, stream, worth } from "./api.js";
import { pieces, redrawn } from "./drawings.js";
import { differences, miniature } from "./candidates.js";
import { Engine, NotHere } from "./engine.js";
import { boardWithPlan } from "./plan.js";
import { add, grown, movesTo, promote, row, saved, start } from "./tree.js";

const LONGEST_MOVE = 40; // letters of a move in the tree
const game = document.body.dataset.game;
const about = await call(`/api/games/${game}`);
const known = new Set(about.options.map((option) => option.name));

const page = {
  options: {}, // of the game, as the URL gives them
  origin: "", // the text of the position that the tree grows from
  root: start(),
  at: null, // the node of the tree that the board shows
  state: null, // that position, as the server describes it
  seat: null, // whose decision is looked at
  joint: {}, // where all decide at once: the moves chosen so far, by seat
  thinking: null, // aborts the engine's stream
  choice: null, // what the engine last said
  preview: 0, // counts previews, so that a late one is dropped
};
const engine = new Engine(); // in this browser, where the game is one for it
const drawings = new Map(); // of candidates, by the moves that lead there

const session = crypto.randomUUID?.() ?? String(Math.random()); // so that an engine goes on where it stopped
const { board, plan } = boardWithPlan($("board"), $("plan"), {
  drawing: () => page.state.svg,
  ask: async (prefix, play) => {
    const { at, state } = page;
    const body = { ...line(), prefix, seat: page.seat, play: play && state.turn === "seat" };
    const parts = await call("/api/parts", { body });
    if (page.at !== at || page.state !== state) return parts; // which is about another position by now
    if (parts.played) arrive(add(at, prefix.join(";")), parts.played);
    else if (play && parts.complete && !parts.next.length) await decide(prefix.join(";"));
    return parts;
  },
  commit: (text) => decide(text),
});
board.enlarge($("zoom"));
const problem = (text = "") => ($("problem").textContent = text);
const status = (text) => ($("status").textContent = text);

const line = (node = page.at) => ({ game, options: page.options, position: page.origin, moves: movesTo(node) });

// ---- questions that the game itself answers: a form and its answer for each panel that it declares

for (const panel of about.panels) {
  const inputs = panel.fields.map(([name, help]) => el("input", { type: "text", name, placeholder: help, maxlength: 200 }));
  const labels = panel.fields.map(([name], k) => el("label", { class: "grow" }, name, inputs[k]));
  const answer = el("p", { role: "status", "aria-live": "polite", class: "panel-answer" });
  const moves = el("ol", { class: "panel-moves" });
  const ask = async (event) => {
    event.preventDefault();
    const from = page.at;
    answer.textContent = "…";
    moves.replaceChildren();
    try {
      const given = Object.fromEntries(inputs.map((input) => [input.name, input.value]));
      const found = await call("/api/panel", { body: { ...line(), panel: panel.name, given } });
      if (page.at !== from) return;
      answer.textContent = found.text;
      board.layer("found", found.marks);
      for (const { move, words } of found.moves) {
        moves.append(el("li", {}, el("button", { type: "button", class: "quiet", onclick: () => go(add(from, move)) }, words)));
      }
    } catch (error) {
      if (page.at === from) answer.textContent = error.message;
    }
  };
  const form = el("form", { class: "row", autocomplete: "off", onsubmit: ask }, ...labels, el("button", { type: "submit" }, "Ask"));
  const title = el("h2", { id: `panel-${panel.name}` }, panel.title);
  const card = el("section", { class: "card panel", "aria-labelledby": title.id }, title, el("p", {}, panel.help), form, answer, moves);
  $("plan").before(card);
}

// ---- the URL is the position

function address(node = page.at) {
  const query = new URLSearchParams(page.options);
  if (page.origin) query.set("position", page.origin);
  for (const move of movesTo(node)) query.append("m", move);
  return written(game, query);
}

/** Long lines go behind #, where no server limits them. */
function written(name, query) {
  const text = query.toString();
  return `/analyse/${encodeURIComponent(name)}${text && (text.length > 4000 ? "#" : "?")}${text}`;
}

/** `opened`: the page has just been opened, and shows something to analyse rather than a start that chance decides. */
async function fromAddress(opened = false) {
  const query = new URLSearchParams(location.hash.length > 1 ? location.hash.slice(1) : location.search);
  const options = {};
  for (const [name, value] of query) if (known.has(name)) options[name] = value;
  const origin = query.get("position") ?? "";
  const same = (tree) => tree && tree.origin === origin && JSON.stringify(tree.options) === JSON.stringify(options);
  // The tree of this start is kept: on the way back, and when the page is loaded again.
  if (!(page.state && same(page))) {
    const tree = kept(`tree ${game}`);
    page.root = same(tree) ? grown(tree.root) : start();
    page.state = null;
  }
  page.options = options;
  page.origin = origin;
  let node = page.root;
  for (const move of query.getAll("m")) node = add(node, move);
  await go(node, { replace: true });
  // A bare start that chance decides is drawn, so that there is something to analyse; "start" leads back to the choice.
  if (node !== page.root || page.origin) return;
  while (opened && page.state?.turn === "chance" && page.at.children.length) await go(page.at.children[0], { replace: true });
  if (!node.children.length) while (page.state?.turn === "chance" && (await drawLots({ replace: true, on: true })));
}
addEventListener("popstate", () => fromAddress());

// ---- going to a position

async function go(node, { replace = false } = {}) {
  stop();
  problem();
  let state;
  try {
    state = await call("/api/position", { body: line(node) });
  } catch (error) {
    if (!page.state && node !== page.root) {
      const { parent } = node;
      parent.children = parent.children.filter((other) => other !== node);
      await go(parent, { replace }); // the last position of the line that can be set up
      problem(`The move ${node.move} cannot be played here: ${error.message}`);
      return;
    }
    if (!page.state) status("This position cannot be set up.");
    problem(error.message);
    return;
  }
  arrive(node, state, replace);
}

/** Show a position of the tree as the server describes it. */
function arrive(node, state, replace = false) {
  stop();
  problem();
  // the server's own text of each move
  for (let n = node, k = state.moves.length - 1; n.parent && k >= 0; n = n.parent, k -= 1) n.move = state.moves[k];
  page.at = node;
  page.state = state;
  page.joint = {};
  page.seat = state.asked[0] ?? null;
  history[replace ? "replaceState" : "pushState"](null, "", address());
  $("position").value = state.text;
  status(words());
  show();
  tree();
  keep(`tree ${game}`, { options: page.options, origin: page.origin, root: saved(page.root) });
  clearThoughts();
  for (const old of document.querySelectorAll(".panel-answer, .panel-moves")) old.replaceChildren();
  board.layer("found");
  if (state.asked.length) think();
}

/** What people call a seat: the same above the board and beside the bar. */
const called = (seat) => page.state.people[seat].called;

function words() {
  const { state } = page;
  if (state.turn === "over") return `Over: ${state.outcome}.`;
  if (state.turn === "chance") return "Chance decides: choose an outcome, or draw one.";
  if (state.turn === "together") {
    const chosen = Object.entries(page.joint).map(([seat, move]) => `${called(seat)} ${move}`);
    return `All decide at once. ${chosen.length ? `${chosen.join(", ")}. ` : ""}${called(page.seat)} now.`;
  }
  return `${called(page.seat)} to decide.`;
}

function show() {
  const { state } = page;
  board.draw(state.svg, { tween: 250 });
  board.layer("last", [...state.trace, ...state.marks]);
  board.layer("candidate");
  let parts = page.seat === null ? null : state.parts[page.seat];
  if (state.turn === "chance") parts = { next: state.outcomes, complete: false, free: null, more: 0 };
  const title = state.turn === "chance" ? "Chance" : page.seat === null ? "" : `${called(page.seat)}'s ${state.plan}`;
  plan.begin(parts, { simple: true, title, seat: page.seat });
  $("look").hidden = state.turn !== "over";
  $("draw")?.remove();
  if (state.turn === "chance") {
    const draw = el("p", { id: "draw", class: "row" }, el("button", { type: "button", onclick: () => drawLots() }, "Draw by its odds"),
      el("button", { type: "button", class: "quiet", onclick: () => drawLots({ on: true }) }, "Draw until somebody decides"));
    $("plan").append(draw);
  }
}

/** Whether chance could be drawn, and was; `on`: until somebody decides. */
async function drawLots({ replace = false, on = false } = {}) {
  const seed = Math.floor(Math.random() * 2 ** 40);
  try {
    const { outcomes } = await call(`/api/draw?seed=${seed}&on=${on}`, { body: line() });
    const before = page.at;
    await go(outcomes.reduce(add, before), { replace });
    return page.at !== before;
  } catch (error) {
    problem(error.message);
    return false;
  }
}

/** A whole move of the seat looked at; where all decide at once, the next seat is asked. */
async function decide(text) {
  const { state } = page;
  if (state.turn !== "together") {
    const state = await call("/api/position", { body: line(start(text, page.at)) }); // a refusal stays in the plan
    return arrive(add(page.at, text), state);
  }
  page.joint[page.seat] = text;
  const open = state.asked.find((seat) => !(seat in page.joint));
  if (open !== undefined) {
    page.seat = open;
    status(words());
    show();
    clearThoughts();
    think();
    return;
  }
  const joint = state.people.map((_, seat) => page.joint[seat] ?? "-").join(" | ");
  page.joint = {};
  page.seat = state.asked[0];
  await go(add(page.at, joint));
  if (page.at.move !== joint && page.state === state) show();
}

// Chance outcomes are parts too, but nobody's decision: the plan's question about them is answered here.
const asked = plan.add.bind(plan);
plan.add = async (...parts) => {
  if (page.state?.turn === "chance") return go(add(page.at, parts[0]));
  const done = await asked(...parts);
  markBest();
  return done;
};

// ---- the engine

function stop() {
  page.thinking?.abort();
  page.thinking = null;
  $("think").textContent = "Analyse";
}

async function think() {
  stop();
  const form = new FormData($("engine"));
  const thinking = (page.thinking = new AbortController());
  const endless = form.get("endless") !== null;
  $("think").textContent = "Stop";
  const body = {
    ...line(), engine: here() ? about.engine : form.get("engine"), seconds: endless ? 60 : Number(form.get("seconds")), lines: Number(form.get("lines")), seat: page.seat, session,
  };
  try {
    if (here() && (await thoughtHere(form, thinking))) return;
    do {
      let failed = false;
      await stream("/api/analyse", { method: "POST", body, signal: thinking.signal }, (kind, data) => {
        if (page.thinking !== thinking) return;
        if (kind === "queued") $("work").textContent = `number ${data} in the queue`;
        else if (kind === "thinking") (page.since = performance.now()), ($("work").textContent = "thinking …");
        else if (kind === "compiling") $("work").textContent = `${data} …`;
        else if (kind === "failed") ($("work").textContent = data), (failed = true);
        else thoughts(data, kind === "done");
      });
      if (failed || page.choice?.seconds < 0.2) break; // it has nothing more to find
    } while (endless && page.thinking === thinking);
  } catch (error) {
    if (error.name !== "AbortError") $("work").textContent = error.message;
  } finally {
    if (page.thinking === thinking) stop();
  }
}

/** Whether the engine in this browser has answered; a line says why the server's must.
 * @param {FormData} form  @param {AbortController} thinking */
async function thoughtHere(form, thinking) {
  const seconds = form.get("endless") !== null ? null : Number(form.get("seconds"));
  $("work").textContent = "thinking …";
  page.since = performance.now();
  try {
    await engine.think(line(), { seconds, lines: Number(form.get("lines")), signal: thinking.signal }, (choice, done) => {
      if (page.thinking === thinking) thoughts(choice, done);
    });
    where();
    return true;
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    if (page.thinking === thinking) where(`The server’s engine answers: ${error.message}.`);
    return false;
  }
}

/** Whether the switch says that the engine runs in this browser. */
const here = () => $("engine").elements.place?.value === "here";

/** Where the engine runs, and what that means. */
function where(line = "") {
  $("which").hidden = here();
  $("where").textContent = line || (here() ? "The search runs in your browser, without the networks and tables of the server’s engines." : "");
}

function clearThoughts() {
  page.choice = null;
  $("lines").replaceChildren();
  stages({});
  $("strategy").replaceChildren();
  $("work").textContent = "";
  $("worth").textContent = "";
  const over = page.state.payoff;
  bar(over ? over[page.state.value_seat] : null);
}

function thoughts(choice, done) {
  page.choice = choice;
  const seconds = done ? choice.seconds : Math.max(choice.seconds, (performance.now() - page.since) / 1000); // not all report theirs
  const work = [choice.engine, choice.depth === null ? "" : `depth ${choice.depth}`,
    choice.nodes === null ? "" : `${choice.nodes.toLocaleString("en")} nodes`, `${seconds.toFixed(2)} s`];
  $("work").textContent = work.filter(Boolean).join(", ") + (done ? "" : " …");
  bar(choice.value);
  const lines = choice.lines.length ? choice.lines : [{ moves: [choice.best], value: choice.value }];
  const last = focused()?.dataset?.move;
  const first = choice.apart ? "what it does otherwise than the best" : choice.differences ? "differs in" : "move";
  const mixed = lines.every((one) => one.value === null || one.value === undefined); // which only say how often to play each
  $("lines").replaceChildren(
    el("caption", { class: "unseen" }, "Candidates"),
    el("thead", {}, el("tr", {}, ...[first, mixed ? "how often" : "value", "visits", "then"].map((name) => el("th", { scope: "col", class: name }, name)))),
    el("tbody", {}, ...lines.map((one, k) => candidate(one, choice.differences?.[k], choice.words?.[k], choice.named?.[k], choice.marks?.[k], choice.apart?.[k], k))),
  );
  $("lines").classList.toggle("unvisited", lines.every((one) => one.visits === undefined));
  $("lines").classList.toggle("unfollowed", lines.every((one) => one.moves.length < 2)); // long plans need the room
  if (last) $("lines").querySelector(`[data-move="${CSS.escape(last)}"]`)?.focus();
  if (choice.apart && done) pictures(choice);
  strategy(choice, lines);
  stages(choice);
  if (choice.svg && !plan.prefix.length) {
    board.draw(choice.svg);
    plan.redraw();
  }
  if (!$("lines").querySelector("tbody tr:hover, tbody :focus")) markBest();
}

/** What the engine would play, marked on the board as long as nobody points at another candidate or has begun a plan. */
function markBest() {
  board.layer("candidate", plan.prefix.length ? [] : (page.choice?.marks?.[0] ?? []));
}

/** A miniature of each plan, once they are known. */
function pictures({ marks = [] }) {
  for (const [k, place] of [...$("lines").querySelectorAll(".miniature")].entries()) miniature($("board").querySelector("svg"), marks[k] ?? [], marks[0] ?? [], place);
}
addEventListener("stratagem:theme", () => page.choice?.apart && pictures(page.choice)); // after the board, which heard of it first

function candidate({ moves, value, error, visits, moves_to_end: end, probability }, apart, words, named, marks, groups, number) {
  const [move, ...rest] = moves;
  const shown = apart ? apart.join("; ") || "nothing: it has what all have" : (!kept("notation") && words) || move;
  const plans = groups && (number ? el("div", {}, differences(groups)) : el("details", {}, el("summary", {}, "The best plan"), el("p", {}, words ?? move)));
  const button = groups
    ? el("button", { type: "button", class: "quiet", "data-move": move, onclick: () => choose(move), title: words ?? move }, el("span", { class: "miniature" }), number ? `Plan ${number + 1}` : "Best plan")
    : el("button", { type: "button", class: "quiet", "data-move": move, onclick: () => choose(move), title: move }, el("span", { class: "clamp" }, ...breakable(shown)));
  const [low, high] = page.state.range;
  const spread = error ? `±${high === 1 && low <= 0 && low >= -1 ? `${((100 * error) / (high - low)).toFixed(1)} %` : error.toFixed(2)}` : "";
  const figures = [worth(value, page.state.range), spread, end ?? null ? `in ${end} move${end === 1 ? "" : "s"}` : ""].filter(Boolean);
  const row = el("tr", { onmouseenter: () => preview(move, named, marks), onmouseleave: unpreview },
    el("td", {}, button, plans ?? "", probability === undefined || !figures.length ? "" : el("small", {}, ` played ${often(probability)}`)),
    el("td", { class: "number" }, figures.length || probability === undefined ? "" : often(probability), ...figures.map((text) => el("span", { class: "number" }, text))),
    el("td", { class: "number visits" }, visits === undefined ? "" : visits.toLocaleString("en")),
    el("td", { class: "line then" }, el("span", { class: "clamp" }, rest.slice(0, 12).join(rest.some((one) => one.includes(" ")) ? ", " : " "))));
  button.addEventListener("focus", () => preview(move, named, marks));
  button.addEventListener("blur", unpreview);
  return row;
}

const often = (probability) => `${(100 * probability).toFixed(1)} %`;

/** A move's text that breaks between its parts. */
const breakable = (move) => move.split(/(?<=[,;])/).flatMap((piece) => [piece, el("wbr")]);

function strategy(choice, lines) {
  const mixed = choice.strategy
    ? Object.entries(choice.strategy)
    : lines.filter((one) => one.probability !== undefined).map((one) => [one.moves[0], one.probability]);
  const shown = mixed.filter(([, p]) => p > 0.0005).sort((a, b) => b[1] - a[1]).slice(0, 30);
  if (shown.length < 1) return $("strategy").replaceChildren();
  $("strategy").replaceChildren(
    el("h3", {}, "Mixed strategy"),
    el("ul", { class: "bars" }, ...shown.map(([move, p]) => {
      const fill = el("span", { class: "fill" });
      fill.style.width = `${(100 * p).toFixed(1)}%`;
      return el("li", {}, el("span", { class: "name" }, move), el("span", { class: "track" }, fill), el("span", { class: "number" }, often(p)));
    })),
  );
}

/** What each stage of a plan proposed around the best one so far, and the reasons once there is a choice. */
function stages({ stages: seen = [], why = [] }) {
  $("why").replaceChildren(...why.map((sentence) => el("li", {}, sentence)));
  $("stages-part").hidden = !seen.length;
  $("stages").replaceChildren(...seen.map(({ name, proposed, refined, passed_over: over, best }) => el("section", {},
    el("h3", {}, name), el("p", { class: "note" },
      [`${proposed} proposed`, refined ? `${refined} refined` : "", over ? `${over} passed over` : ""].filter(Boolean).join(", ")),
    el("table", { class: "stage-parts" }, el("tbody", {}, ...best.map(({ words, value, visits }) => el("tr", {},
      el("td", { class: "number" }, value === null ? "" : worth(value, page.state.range)),
      el("td", { class: "number" }, visits.toLocaleString("en")),
      el("td", {}, ...breakable(words)))))))));
}

function choose(move) {
  unpreview();
  decide(move).catch((error) => problem(error.message));
}

/** Draw a candidate on the board: its parts marked, and the position it leads to where it can be played alone. */
async function preview(move, named = [], marks = []) {
  const mine = ++page.preview;
  board.mark(named, "candidate", page.seat);
  board.layer("candidate", marks);
  if (marks.length) return; // which show what it does
  const name = JSON.stringify([...movesTo(page.at), page.seat, move]);
  try {
    if (!drawings.has(name)) {
      await new Promise((done) => setTimeout(done, 80));
      if (mine !== page.preview) return;
      drawings.set(name, await drawn(move));
      if (drawings.size > 60) drawings.delete(drawings.keys().next().value);
    }
    if (mine !== page.preview || !drawings.get(name)) return;
    board.draw(drawings.get(name));
    $("board").classList.add("preview");
    page.previewed = true;
  } catch {
    // a candidate that cannot be drawn stays marked
  }
}

/** A candidate's drawing: the position that it leads to; where all decide at once, the plan as the game sketches it, if it does. */
async function drawn(move) {
  if (page.state.turn !== "together") return (await call("/api/position", { body: { ...line(), moves: [...movesTo(page.at), move] } })).svg;
  const { svg } = page.state;
  const { sketch } = await call("/api/parts", { body: { ...line(), prefix: move.split(";"), seat: page.seat } });
  return sketch ? redrawn(pieces(svg), sketch) : null;
}

function unpreview() {
  page.preview += 1;
  $("board").classList.remove("preview");
  if (page.previewed) {
    page.previewed = false;
    board.draw(page.state.svg);
    plan.redraw();
  }
  board.mark([], "candidate");
  markBest();
}

/** The bar stands for one side all game long: of two players the first is at the bottom, the second at the top; of several,
 * the one to decide against the rest. */
function bar(value) {
  const { state } = page;
  const [low, high] = state.range;
  const known = value !== null && value !== undefined;
  const seat = state.turn === "together" ? (page.seat ?? 0) : state.value_seat;
  const two = state.people.length === 2 && state.zero_sum;
  const first = known && two && seat === 1 ? low + high - value : value;
  const share = known ? Math.min(1, Math.max(0, (first - low) / (high - low))) : 0.5;
  const name = state.people[two ? 0 : seat].called;
  $("bar").style.setProperty("--bar-own", state.people[two ? 0 : seat].colour);
  $("bar").style.setProperty("--bar-rest", two ? state.people[1].colour : "var(--soft)");
  $("bar").firstElementChild.style.setProperty("--share", share.toFixed(3));
  const text = known ? `${worth(first, state.range)} for ${name}` : "no value yet";
  $("bar").setAttribute("aria-label", text);
  $("bar").title = text;
  $("worth").textContent = known ? text : "";
}

// ---- variations

/** A move as the tree shows it: of a long one its beginning. */
const brief = (move) => (move.length > LONGEST_MOVE ? `${move.slice(0, LONGEST_MOVE).trimEnd()} …` : move);

function tree() {
  const item = (node, number) =>
    el("button", { type: "button", class: "quiet", "aria-current": node === page.at, title: node.comment ?? node.move ?? "", onclick: () => go(node) },
      node.move === null ? "start" : `${number ? `${number}. ` : ""}${brief(node.move)}`);
  $("tree").replaceChildren(...row(page.root, item));
  $("up").disabled = $("prune").disabled = $("promote").disabled = page.at === page.root;
  $("comment").value = page.at.comment ?? "";
}
$("up").addEventListener("click", () => page.at?.parent && go(page.at.parent));
$("promote").addEventListener("click", () => {
  promote(page.at);
  changed();
});
$("comment").addEventListener("change", () => {
  page.at.comment = $("comment").value.trim() || undefined;
  changed();
});
function changed() {
  tree();
  keep(`tree ${game}`, { options: page.options, origin: page.origin, root: saved(page.root) });
}
$("prune").addEventListener("click", () => {
  const { parent } = page.at ?? {};
  if (!parent) return;
  parent.children.splice(parent.children.indexOf(page.at), 1);
  go(parent);
});
addEventListener("keydown", (/** @type {any} */ event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, textarea, .may, .choices") || !page.at) return;
  const to = { ArrowLeft: page.at.parent, ArrowRight: page.at.children[0] }[event.key];
  if (to) event.preventDefault(), go(to);
});

// ---- set up, import, export

async function setUp(text) {
  const before = [page.origin, page.root, page.at, page.state];
  page.origin = text.trim();
  page.root = start();
  page.state = null;
  await go(page.root);
  if (!page.state) {
    const line = $("problem").textContent;
    [page.origin, page.root, page.at, page.state] = before;
    if (page.state) status(words());
    problem(line);
  }
}

async function load(text) {
  problem();
  let record = null;
  try {
    record = JSON.parse(text);
  } catch {
    // not a record, so a position
  }
  if (record === null || typeof record !== "object") return setUp(text);
  const options = {};
  for (const [name, value] of Object.entries(record.options ?? {})) if (value !== null) options[name] = String(value);
  const query = new URLSearchParams(options);
  if (record.origin) query.set("position", record.origin);
  if (!Array.isArray(record.moves) || record.moves.some((move) => typeof move !== "string"))
    return problem("this file is not a saved game: its moves are not a list of texts");
  for (const move of record.moves) query.append("m", move);
  if (record.tree?.children) keep(`tree ${record.game ?? game}`, { options, origin: record.origin ?? "", root: record.tree });
  location.href = written(record.game ?? game, query);
}

$("go").addEventListener("submit", (event) => {
  event.preventDefault();
  setUp($("position").value);
});
$("load").addEventListener("click", () => load($("import").value));
$("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) load((await file.text()).slice(0, 1_000_000));
});
$("save").addEventListener("click", () => {
  const record = { stratagem: 1, game, options: page.state.options, moves: movesTo(page.at), origin: page.origin || null, seats: [], seed: 0, tree: saved(page.root) };
  download(`${game}.json`, JSON.stringify(record, null, 1));
});
$("look").addEventListener("click", async () => {
  try {
    const { table } = await call("/api/records", { body: line() });
    location.href = `/review/${table}`;
  } catch (error) {
    problem(error.message);
  }
});
$("link").addEventListener("click", (event) => copy(location.origin + address(), event.target));
$("play").addEventListener("click", async () => {
  const { engines } = await call("/api/games", { body: { game, options: page.options } });
  const level = ["medium", "strong", "easy"].find((name) => engines.includes(name)) ?? engines[0];
  const seat = page.state.asked[0] ?? 0;
  try {
    const seats = page.state.people.map((_, p) => (p === seat ? "person" : level));
    const made = await call("/api/tables", { body: { game, options: page.options, seats, position: page.state.text } });
    for (const [held, token] of Object.entries(made.tokens)) hold(made.table, { game, title: about.title }, held, token);
    location.href = `/play/${made.table}`;
  } catch (error) {
    problem(error.message);
  }
});
$("edit").addEventListener("click", () => {
  const query = new URLSearchParams({ ...page.options, position: page.state?.text ?? page.origin });
  location.href = `/edit/${encodeURIComponent(game)}#${query}`;
});
if (about.here) {
  const { place } = $("engine").elements;
  if (kept("where") === "server") place.value = "server";
  for (const choice of place) {
    choice.addEventListener("change", () => {
      keep("where", place.value);
      where();
      if (page.state?.asked.length) think();
    });
  }
  where();
}
$("engine").addEventListener("submit", (event) => {
  event.preventDefault();
  if (page.thinking) stop();
  else if (page.state?.asked.length) think();
});

fromAddress(true);

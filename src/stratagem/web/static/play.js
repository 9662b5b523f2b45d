// The play page, for every game: the table as this seat may see it, a plan that grows, playback from the record.

import { $, call, copy, download, el, held, hold, join, keep, kept, number, stream, worth } from "./api.js";
import { pieces, redrawn, unfold } from "./drawings.js";
import { avatar, dot, inkOn, opponents, paint, player, verdict } from "./people.js";
import { boardWithPlan } from "./plan.js";
import { FirstTime, rulesPanel, tips } from "./rules.js";
import { chime } from "./sound.js";

const key = document.body.dataset.table;
const api = `/api/tables/${key}`;
const LATE = 3000; // milliseconds after which a stream that tells nothing is not waited for
const FRAME = [1600, 1000, 600, 250, 0]; // milliseconds a step, by the speed control; 0: at once

const page = {
  token: null, // of the seat that this page plays, or null for a spectator
  state: null, // the table as the server last sent it
  shown: null, // the ply that the board shows; null: nothing yet
  looking: null, // a ply of the past that is being looked at; null: the present
  running: false, // whether something is being played back
  playing: 0, // the ply that is being played back
  playback: 0, // counts playbacks, so that a newer one ends an older one
  following: null, // aborts the stream
  streamed: null, // the table as the stream has sent it, which then sends changes of it; null: it does not run
  texts: new Map(), // drawings of plies that this page has, for the next ones are sent as changes of them
  looked: 0, // counts questions about things looked at, so that a late answer is dropped
  unfolded: new Set(), // headings of the record that are unfolded by hand
  awaited: [], // [version, call back]: who waits for the stream to tell of what they did
};

const { board, plan } = boardWithPlan($("board"), $("plan"), {
  looked: (place) => look(place),
  drawing: () => page.state.svg,
  ask: async (prefix, play) => {
    const body = play ? { prefix, ply: page.state.ply } : { prefix };
    const parts = await call(`${api}/parts`, { body, token: page.token, brief: Boolean(page.streamed) });
    if (parts.played) await done(parts.played);
    else overlook();
    return parts;
  },
  commit: (move) => act("moves", { move, ply: page.state.ply }),
  finish: async (prefix, tell) => {
    let parts = null;
    await stream(`${api}/finish`, { method: "POST", body: { prefix }, token: page.token }, (kind, data) => {
      if (kind === "done") ({ parts } = data);
      else if (kind === "failed") throw new Error(data);
      else tell(kind === "queued" ? `number ${data} in the queue` : kind === "compiling" ? `${data} …` : "thinking …");
    });
    return parts;
  },
});

board.enlarge($("zoom"));
tips($("board"), (words) => board.say(words));
rulesPanel(api, () => page.token);
const first = new FirstTime();
plan.grown = () => first.at(plan.commitButton.disabled || plan.untouched ? Math.min(plan.prefix.length, 1) : 2);

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const pace = () => FRAME[Number($("speed").value)];
const problem = (line = "") => ($("problem").textContent = line);

// ---- seats: links bring tokens and invitations behind #, which never reaches the server's log

async function sit() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const mine = held()[key]?.seats ?? {};
  if (hash.has("join")) {
    let lost = false; // the answer: a reload asks again
    if (!Object.keys(mine).length) {
      try {
        const { seat, token } = await join(api, hash.get("join"));
        hold(key, {}, seat, token);
      } catch (error) {
        problem(error.message);
        lost = !error.status;
      }
    }
    if (!lost) history.replaceState(null, "", location.pathname);
  } else if (hash.has("seat")) {
    history.replaceState(null, "", location.pathname);
    try {
      const { seat } = await call(api, { token: hash.get("seat") });
      hold(key, {}, seat, hash.get("seat"));
    } catch (error) {
      problem(error.message);
    }
  }
  page.token = Object.values(held()[key]?.seats ?? {})[0] ?? null;
}

// ---- the stream

async function follow() {
  let pause = 500;
  for (;;) {
    if (document.hidden && page.state) {
      await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
      continue;
    }
    page.following = new AbortController();
    try {
      await stream(`${api}/events`, { token: page.token, signal: page.following.signal }, (kind, data) => {
        pause = 500;
        page.streamed = kind === "table" ? data : changed(page.streamed, data);
        hear(page.streamed);
      });
    } catch (error) {
      if (error.status === 403) page.token = null;
      if (error.status === 404) return status("This table is gone.");
      if (error.name !== "AbortError") status("The server does not answer; trying again …");
    }
    page.streamed = null;
    await wait(pause);
    pause = Math.min(pause * 2, 8000);
  }
}

// A page that nobody sees lets go of its connection: browsers have few of them.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) page.following?.abort();
});

/** A table with what has become different; of its moves the first `kept` have stayed, of its drawing only what is new is sent. */
const changed = (table, { kept, drawing, ...change }) =>
  ({ ...table, ...change, ...(drawing ? { svg: redrawn(pieces(table.svg), drawing) } : {}), ...(change.moves ? { moves: [...table.moves.slice(0, kept), ...change.moves] } : {}) });

// ---- what this seat does: the answer says how far the table is then, and the stream tells the rest

async function act(what, body) {
  await done(await call(`${api}/${what}`, { body, token: page.token, brief: Boolean(page.streamed) }));
}

/** After an answer: until the table is heard of as it is then. */
async function done(answer) {
  if (answer.seats) return hear(answer); // all of it: nothing else tells this page
  if (page.state?.version >= answer.version) return;
  const heard = new Promise((tell) => page.awaited.push([answer.version, tell]));
  await Promise.race([heard, wait(LATE)]);
  if (!(page.state?.version >= answer.version)) hear(await call(api, { token: page.token }));
}

// ---- what the server says

function hear(state) {
  const before = page.state;
  if (before && state.seat === before.seat && state.version < before.version) return; // overtaken by a later one
  if (before && state.ply < before.ply) page.texts.clear(); // a move was taken back, and others may follow
  if (before && state.ply !== before.ply) unadvise();
  const others = ({ by }) => by === "together" || (typeof by === "number" && by !== state.seat);
  if (before?.parts && (!state.parts || state.moves.slice(before.ply).some(others))) first.learnt(); // this seat has finished a turn
  page.state = state;
  page.heard = performance.now();
  page.texts.set(state.ply, state.svg);
  for (const [version, tell] of page.awaited) if (version <= state.version) tell();
  page.awaited = page.awaited.filter(([version]) => version > state.version);
  hold(key, { game: state.game, title: state.title, seen: summary(state) });
  seats();
  moves();
  tools();
  title();
  document.body.classList.toggle("seated", state.seat !== null && state.turn !== "over");
  if (before && !before.parts && state.parts) chime();
  if (page.shown === null || state.ply < page.shown) show(state.ply);
  else if (page.looking !== null) marks(); // whoever looks back is left alone; the way to the present says what is new
  else if (state.ply > page.shown) playOn();
  else if (!page.running) present();
}

/** What the front page says of this game. */
function summary(state) {
  return { others: opponents(state.seats, state.seat), turn: state.turn === "over" ? verdict(state) : state.parts ? "your turn" : "waiting" };
}

/** The tab says whose turn it is. */
function title() {
  const { state } = page;
  document.title = `${state.parts ? "● Your turn · " : ""}${state.title} · Stratagem`;
}

/** The steps of a ply, as changes since the drawing that the board shows. */
async function steps(ply) {
  const since = page.texts.has(page.shown) ? page.shown : null;
  const { frames } = await call(`${api}/frames/${ply}${since === null ? "" : `?since=${since}`}`, { token: page.token });
  return unfold(since === null ? "" : page.texts.get(since), frames);
}

/** Play back what happened since the board was last drawn, then show the present. What comes in meanwhile is played too: one
 * playback runs at a time, and every step is shown once. */
async function playOn() {
  if (page.running) return;
  const run = ++page.playback;
  page.running = true;
  page.looking = null;
  plan.begin(null);
  overlook();
  board.layer("last");
  board.layer("found");
  while (page.shown < page.state.ply && pace()) {
    const ply = page.shown + 1;
    const own = page.state.seat !== null && page.state.moves[ply - 1]?.by === page.state.seat;
    let frames;
    try {
      frames = await steps(ply);
    } catch {
      break;
    }
    if (run !== page.playback) return;
    if (own) frames = frames.slice(-1); // which this seat has just made itself
    for (const [step, { svg, words }] of frames.entries()) {
      page.playing = ply;
      marks();
      board.draw(svg, { tween: pace() * 0.6 });
      status(caption(ply, step, frames.length, words));
      board.layer("last", step === frames.length - 1 ? page.state.moves[ply - 1]?.marks : []);
      const last = ply === page.state.ply && step === frames.length - 1;
      if (!last && !(own && frames.length === 1)) await wait(pace());
      if (run !== page.playback) return;
    }
    page.texts.set(ply, frames.at(-1).svg);
    if (page.texts.size > 40) page.texts.delete(page.texts.keys().next().value);
    page.shown = ply;
  }
  page.running = false;
  show(page.state.ply);
}

function caption(ply, step, many, words = "") {
  const move = page.state.moves[ply - 1];
  if (many > 1 && words) return `${ply}. ${words} (${step + 1} of ${many})`;
  return `${ply}. ${inWords(move)}${many > 1 ? ` (${step + 1} of ${many})` : ""}`;
}

/** A move of the record as it is read: in words where the game has some, unless notation is wanted. */
/** @param {{ by?: any, text?: string, words?: string | null }} [move] */
function inWords({ by, text, words } = {}) {
  if (words && !kept("notation")) return typeof by === "number" ? `${who(by)} ${words}` : `${words[0].toUpperCase()}${words.slice(1)}`;
  return `${who(by)} ${text ?? "…"}`;
}

/** Show a ply at once; the last one is the present. */
async function show(ply) {
  page.playback += 1;
  page.running = false;
  if (ply >= page.state.ply) {
    page.shown = page.state.ply;
    page.looking = null;
    board.draw(page.state.svg, { tween: pace() && 250 });
    board.layer("last", [...(page.state.moves.at(-1)?.marks ?? []), ...page.state.marks]);
    present();
    return;
  }
  page.looking = ply;
  unadvise();
  plan.begin(null);
  overlook();
  try {
    if (!page.texts.has(ply)) {
      const { frames } = await call(`${api}/frames/${ply}`, { token: page.token });
      if (page.looking !== ply) return;
      page.texts.set(ply, unfold("", frames).at(-1).svg);
    }
    board.draw(page.texts.get(ply), { tween: pace() && 200 });
    board.layer("last", page.state.moves[ply - 1]?.marks ?? []);
    page.shown = ply;
    status(ply ? `Looking back: ${caption(ply, 0, 1)}` : "Looking back: the start");
    marks();
  } catch (error) {
    problem(error.message);
  }
}

/** The present: what is asked of whom, and the plan if it is this seat's turn. */
function present() {
  const { state } = page;
  const mine = state.parts !== null;
  const name = `${key} ${state.seat} ${state.ply}`;
  const same = plan.parts && page.planned === name;
  if (!mine) plan.begin(null);
  else if (!same) plan.begin(state.parts, { simple: state.turn === "seat", title: `Your ${kind(state)}`, seat: state.seat, name, finish: state.may.finish });
  if (mine && !same) first.begin(state.first);
  page.planned = mine ? name : null;
  if (!mine && state.mine) board.mark(state.mine_named, "chosen", state.seat); // what is in, and still secret
  status(words(state));
  overlook();
  result();
  marks();
}

// ---- looking at one thing: where it may go, what it may strike

async function look(place) {
  const { state } = page;
  if (!state?.looks || page.looking !== null || page.running || !place) return overlook();
  const mine = ++page.looked;
  try {
    const { marks, words } = await call(`${api}/look`, { body: { place, prefix: plan.prefix }, token: page.token });
    if (mine !== page.looked) return undefined;
    board.layer("look", marks);
    $("seen").textContent = words;
    $("look").value = marks.length ? place : "";
  } catch (error) {
    problem(error.message);
  }
  return undefined;
}

/** Nothing is looked at any more. */
function overlook() {
  page.looked += 1;
  board.layer("look");
  $("seen").textContent = "";
  const things = page.state?.looks && page.looking === null ? board.things() : [];
  $("looking").hidden = !things.length;
  $("look").replaceChildren(el("option", { value: "" }, "nothing"), ...things.map(([place, said]) => el("option", { value: place }, said)));
}
$("look").addEventListener("change", () => look($("look").value));

/** What is asked for: a plan, where it is made by all at once or part by part; else what is done in turn is a move. */
const kind = (state) => (state.turn === "together" || state.by_parts ? state.plan : "move");

function words(state) {
  if (state.turn === "over") return `The game is over. ${verdict(state)}`;
  if (state.trouble) return `${state.trouble}.`;
  if (state.parts) {
    const meanwhile = state.compiling ? ` Meanwhile: ${state.compiling}.` : "";
    return `Your ${kind(state)}, ${state.seats[state.seat].called}${state.question ? `: ${state.question}` : ""}${state.question.endsWith("?") ? "" : "."}${meanwhile}`;
  }
  const waiting = state.asked.filter((seat) => !state.ready.includes(seat)).map((seat) => {
    const { called, person, player: engine, open } = state.seats[seat];
    if (person) return open ? `${called}, whom nobody plays yet` : called;
    const place = state.places[seat];
    if (typeof place === "string") return `${called} (${engine}): ${place}`; // what is compiled, and about how long it takes
    return place ? `${called} (${engine}), number ${place} in the queue` : `${called} (${engine}), who is thinking`;
  });
  const committed = state.mine !== null ? "Your move is in. " : "";
  return `${committed}Waiting for ${waiting.join(" and ")} …`;
}

const status = (line) => {
  if ($("status").textContent !== line) $("status").textContent = line;
};
const who = (by) => (typeof by === "number" ? page.state.seats[by].called : by === "together" ? "all:" : "chance:");

function seats() {
  const { state } = page;
  const mine = held()[key] ?? { seats: {} };
  $("seats").replaceChildren(
    ...state.seats.map((one) => {
      const { seat, called, colour, person, open } = one;
      const notes = [called];
      if (person && seat !== state.seat && !open) notes.push(state.here.includes(seat) ? "here" : "away");
      const ready = state.ready.includes(seat);
      if (state.asked.includes(seat)) notes.push(ready ? "has decided" : "to decide");
      // where all decide at once a card, face down once its seat has decided
      const card = state.turn === "together" && state.asked.includes(seat) ? el("span", { class: ready ? "back" : "back open", "aria-hidden": "true" }) : null;
      const token = mine.seats[seat];
      const sitHere = token && seat !== state.seat
        ? el("button", { type: "button", class: "quiet", onclick: () => changeSeat(token) }, `Play ${called}`) : null;
      const clock = state.clock ? el("span", { class: "clock", "data-clock": seat }) : null;
      const row = el("li", { class: state.asked.includes(seat) && !state.ready.includes(seat) ? "seat now" : "seat" }, avatar(one),
        el("span", { class: "who" }, el("b", {}, player(one, state.seat)), " ", el("small", {}, notes.join(", "))), card, clock, sitHere);
      row.style.setProperty("--seat", colour);
      row.style.setProperty("--on-seat", inkOn(colour));
      return row;
    }),
  );
  paint(state.seats);
  if (state.watching > (state.seat === null ? 1 : 0))
    $("seats").append(el("li", { class: "note" }, `${state.watching} watching`));
  const invitations = Object.entries(mine.invitations ?? {}).filter(([seat]) => state.seats[seat]?.open);
  $("invite").hidden = !invitations.length;
  $("invite").querySelector("ul").replaceChildren(
    ...invitations.map(([seat, invitation]) => {
      const link = `${location.origin}/play/${key}#join=${invitation}`;
      return el("li", {},
        el("span", {}, `${state.seats[seat].called}: `),
        el("button", { type: "button", onclick: (event) => copy(link, event.target) }, "Copy link"), " ",
        el("button", { type: "button", class: "quiet", onclick: () => takeSeat(invitation) }, "Sit here too"), " ",
        el("button", { type: "button", class: "quiet", onclick: (event) => code(link, event.target) }, "QR code"),
        el("output", { class: "link" }, link));
    }),
  );
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  $("invite").querySelector("p").textContent = local ? "This address is of this machine alone; a server started with --host is reached from others." : "";
}

/** A QR code of a link below the button that asks for it, and away again. */
async function code(link, button) {
  const shown = button.parentElement.querySelector(".qr");
  if (shown) return shown.remove();
  try {
    const { svg } = await call("/api/qr", { body: { text: link } });
    const drawn = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
    const holder = el("div", { class: "qr", role: "img", "aria-label": "QR code of the link" });
    drawn.removeAttribute("role");
    holder.append(drawn);
    button.parentElement.append(holder);
  } catch (error) {
    problem(error.message);
  }
  return undefined;
}
$("code").addEventListener("click", (event) => code(`${location.origin}/play/${key}`, event.target));
$("share").addEventListener("click", (event) => copy(`${location.origin}/play/${key}`, event.target));

function changeSeat(token) {
  page.token = token;
  page.planned = null;
  page.state = null;
  page.shown = null;
  plan.begin(null);
  page.following?.abort();
  call(api, { token }).then(hear, (error) => problem(error.message));
}

async function takeSeat(invitation) {
  try {
    const { seat, token } = await join(api, invitation);
    hold(key, {}, seat, token);
    seats();
  } catch (error) {
    problem(error.message);
  }
}

function moves() {
  const played = page.state.moves;
  // Where a seat decides several times in a row, its turns are set apart.
  const grouped = played.some(({ by }, k) => k && typeof by === "number" && by === played[k - 1].by);
  let last = null;
  const begins = ({ by }) => typeof by === "number" && by !== last && ((last = by), grouped);
  const line = (move, index) =>
    el("li", { class: begins(move) ? "turn" : null }, el("button", { type: "button", class: "quiet", "data-ply": index + 1, title: move.text ?? "", onclick: () => review(index + 1) },
      typeof move.by === "number" ? dot(page.state.seats[move.by].colour) : null, inWords(move)));
  // What stands under one heading is folded, but the last.
  const groups = [];
  for (const [k, { heading }] of played.entries()) {
    if (groups.at(-1)?.heading === heading) groups.at(-1).lines.push(line(played[k], k));
    else groups.push({ heading, first: k + 1, lines: [line(played[k], k)] });
  }
  $("moves").replaceChildren(...groups.map(({ heading, first, lines }, k) => {
    const list = el("ol", { start: first }, ...lines);
    if (!heading) return list;
    const open = k === groups.length - 1 || page.unfolded.has(heading);
    const remember = ({ currentTarget: { parentElement } }) => (parentElement.open ? page.unfolded.delete(heading) : page.unfolded.add(heading));
    const steps = `${lines.length} step${lines.length === 1 ? "" : "s"}`;
    return el("details", { open }, el("summary", { onclick: remember }, heading, " ", el("span", { class: "note" }, steps)), list);
  }));
  $("moves").scrollTop = $("moves").scrollHeight;
}

/** Scroll a box, and nothing else, so that what is in it is seen whole; its beginning, if it is higher than the box. */
function seenWithin(box, inner) {
  const below = inner.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom;
  if (below > 0) box.scrollTop += below;
  const above = box.getBoundingClientRect().top - inner.getBoundingClientRect().top;
  if (above > 0) box.scrollTop -= above;
}

function marks() {
  for (const button of $("moves").querySelectorAll("button")) {
    const here = Number(button.dataset.ply) === at();
    button.toggleAttribute("aria-current", here);
    if (here && page.looking !== null) button.closest("details")?.setAttribute("open", "");
    if (here) seenWithin($("moves"), button); // it has grown by being marked
  }
  $("first").disabled = $("before").disabled = at() === 0;
  $("last").disabled = $("after").disabled = page.looking === null && !page.running; // what is played back can be skipped
  $("where").textContent = page.state.ply ? `${at()} of ${page.state.ply}` : "";
  $("skip").hidden = !page.running;
  $("last").classList.toggle("news", page.looking !== null && page.state.ply > page.looking);
}

/** When the game is over: what came of it, and what to do next. */
function result() {
  const { state } = page;
  const over = state.turn === "over";
  $("result").hidden = !over;
  if (!over) return;
  const plain = /^(a draw|[^,:;]+ wins)$/.test(state.outcome); // the heading says so already
  const counted = state.tally ?? state.payoff;
  const rows = state.seats.map((one) => {
    const value = counted[one.seat];
    const row = el("li", { class: "seat" }, avatar(one), el("span", { class: "who" }, el("b", {}, player(one, state.seat)), " ", el("small", {}, one.called)),
      el("span", { class: "number" }, state.tally ? String(Number(value.toFixed(2))) : plain ? "" : number(value, Number.isInteger(value) ? 0 : 2)));
    row.style.setProperty("--seat", one.colour);
    return row;
  });
  $("result-title").textContent = verdict(state);
  $("outcome").textContent = plain ? "" : `${state.outcome[0].toUpperCase()}${state.outcome.slice(1)}.`;
  $("result").querySelector("ul").replaceChildren(...rows);
  $("rematch").hidden = $("swap").hidden = state.seat === null;
  const asked = state.agreed?.filter((seat) => seat !== state.seat).map((seat) => state.seats[seat].called) ?? [];
  $("agreement").textContent = state.next ? "" : asked.length ? `${asked.join(" and ")} would play again.` : state.agreed?.includes(state.seat) ? "Waiting for the others to agree …" : "";
  if (state.next && page.token && page.agreed) location.href = `/play/${state.next}#seat=${page.token}`;
}

for (const [id, swap] of /** @type {[string, boolean][]} */ ([["rematch", false], ["swap", true]]))
  $(id).addEventListener("click", async () => {
    problem();
    try {
      page.agreed = true;
      const { next } = await call(`${api}/rematch`, { body: { swap }, token: page.token });
      if (next) location.href = `/play/${next}#seat=${page.token}`;
    } catch (error) {
      page.agreed = false;
      problem(error.message);
    }
  });

// ---- looking back

const at = () => (page.running ? page.playing : page.looking ?? page.state.ply);
const review = (ply) => page.state && show(Math.max(0, Math.min(ply, page.state.ply)));
$("first").addEventListener("click", () => review(0));
$("before").addEventListener("click", () => review(at() - 1));
$("after").addEventListener("click", () => review(at() + 1));
for (const id of ["last", "skip"]) $(id).addEventListener("click", () => review(Infinity));
$("run").addEventListener("click", async () => {
  if (!page.state) return;
  await show(page.looking ?? 0);
  if (page.looking === null && page.state.ply) await show(0);
  page.looking = null;
  playOn();
});
// Arrow keys look back and forth wherever they mean nothing else.
addEventListener("keydown", (/** @type {any} */ event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (!step || !page.state || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input, select, textarea, .may, .choices")) return;
  event.preventDefault();
  review(at() + step);
});
$("speed").value = String(kept("speed") ?? 2);
$("speed").addEventListener("change", () => keep("speed", Number($("speed").value)));
$("notation").checked = Boolean(kept("notation"));
$("notation").addEventListener("change", () => {
  keep("notation", $("notation").checked || null);
  dispatchEvent(new Event("stratagem:notation"));
  if (page.state) moves(), marks();
});

// ---- tools

function tools() {
  const { state } = page;
  $("back").disabled = !state.may.take_back;
  $("hint").disabled = !state.may.hint;
  $("resign").hidden = !state.may.resign;
  $("draw").hidden = !state.may.draw;
  const offered = state.offers.some((seat) => seat !== state.seat);
  $("draw").textContent = offered ? "Accept the draw" : state.offers.length ? "A draw is offered" : "Offer a draw";
  $("draw").disabled = state.offers.includes(state.seat);
  $("analyse").hidden = !state.may.analyse;
  $("advice").replaceChildren();
  if (page.advised !== state.ply) board.layer("found");
  $("panels").replaceChildren(...(state.may.hint ? state.panels.filter(({ fields }) => !fields.length) : []).map((panel) =>
    el("button", { type: "button", title: panel.help, onclick: () => ask(panel) }, panel.title)));
  if (state.trouble && state.seat !== null)
    $("advice").append(el("button", { type: "button", onclick: () => attempt("retry", {}) }, "Ask the engine again"));
}

async function attempt(what, body) {
  problem();
  try {
    await act(what, body);
  } catch (error) {
    problem(error.message);
  }
}

$("resign").addEventListener("click", () => {
  if (!$("resign").dataset.sure) {
    $("resign").dataset.sure = "1";
    $("resign").textContent = "Really resign?";
    return;
  }
  delete $("resign").dataset.sure;
  $("resign").textContent = "Resign";
  attempt("resign", {});
});
$("draw").addEventListener("click", () => attempt("draw", {}));

// The clocks tick here between what the server says of them.
setInterval(() => {
  const { state, heard } = page;
  if (!state?.clock) return;
  for (const shown of $("seats").querySelectorAll("[data-clock]")) {
    const seat = Number(shown.dataset.clock);
    const gone = state.clock.running.includes(seat) ? (performance.now() - heard) / 1000 : 0;
    const left = Math.max(0, state.clock.left[seat] - gone);
    shown.textContent = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    shown.classList.toggle("short", left < 10);
  }
}, 250);

$("back").addEventListener("click", () => {
  page.planned = null;
  attempt("back", { ply: page.state.ply });
});
$("hint").addEventListener("click", async () => {
  const ply = page.state.ply;
  problem();
  $("hint").disabled = true;
  try {
    await stream(`${api}/hint`, { method: "POST", token: page.token }, (kind, data) => {
      if (page.state.ply !== ply) return;
      if (kind === "queued") $("advice").textContent = `number ${data} in the queue`;
      else if (kind === "compiling") $("advice").textContent = `${data} …`;
      else if (kind === "thinking") $("advice").textContent = "thinking …";
      else if (kind === "failed") problem(data);
      else advise(data);
    });
  } catch (error) {
    problem(error.message);
  } finally {
    $("hint").disabled = !page.state.may.hint;
  }
});

/** A question that the game itself answers: what it is about is marked, and a click takes up a plan. */
async function ask(panel) {
  const { ply } = page.state;
  problem();
  $("advice").textContent = "…";
  try {
    const found = await call(`${api}/panel`, { body: { panel: panel.name, given: {} }, token: page.token });
    if (page.state.ply !== ply) return;
    page.advised = ply;
    board.layer("found", found.marks);
    const take = (move) => el("button", { type: "button", class: "quiet", title: move.move, onclick: () => plan.become(move.move.split(";")) }, move.words);
    $("advice").replaceChildren(el("p", {}, `${found.text}.`), el("ul", { class: "plain" }, ...found.moves.map((move) => el("li", {}, take(move)))));
  } catch (error) {
    $("advice").replaceChildren();
    problem(error.message);
  }
}

function advise(choice) {
  const value = choice.value === null ? "" : `, worth ${worth(choice.value, page.state.range)}`;
  const said = (!kept("notation") && choice.words?.[0]) || choice.best;
  $("advice").replaceChildren(
    el("p", {}, "Hint: ", el("button", { type: "button", title: choice.best, onclick: () => plan.become(choice.best.split(";")) }, said), value),
  );
  board.mark(choice.named[0], "candidate", page.state.seat);
  board.layer("candidate", choice.marks?.[0] ?? []);
}

/** A hint is of one position: its marks go with it. */
function unadvise() {
  board.layer("candidate");
  board.mark([], "candidate");
}

// The whole game goes along, so that one can step through it there.
$("analyse").addEventListener("click", async (event) => {
  event.preventDefault();
  try {
    const { game, options, moves: played, origin } = await call(`${api}/record`, { token: page.token });
    const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== null).map(([name, value]) => [name, String(value)]));
    if (origin) query.set("position", origin);
    for (const move of played) query.append("m", move);
    location.href = `/analyse/${encodeURIComponent(game)}#${query}`;
  } catch (error) {
    problem(error.message);
  }
});
$("save").addEventListener("click", async () => {
  try {
    const record = await call(`${api}/record`, { token: page.token });
    download(`${record.game}-${key.slice(0, 8)}.json`, JSON.stringify(record, null, 1));
  } catch (error) {
    problem(error.message);
  }
});
$("copy").addEventListener("click", (event) => copy(page.state?.text ?? "", event.target));

await sit();
follow();

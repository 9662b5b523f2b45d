// The play page, for every game: the table as this seat may see it, a plan that grows, playback from the record.

import { $, call, copy, download, el, held, hold, number, stream } from "./api.js";
import { Board } from "./board.js";
import { Plan } from "./plan.js";

const key = document.body.dataset.table;
const api = `/api/tables/${key}`;
const LATE = 3000; // milliseconds after which a stream that tells nothing is not waited for
const FRAME = [1600, 1000, 600, 250, 0]; // milliseconds a step, by the speed control; 0: at once

const page = {
  token: null, // of the seat that this page plays, or null for a spectator
  state: null, // the table as last told by the server
  shown: null, // the ply that the board shows; null: nothing yet
  looking: null, // a ply of the past that is being looked at; null: the present
  running: false, // whether something is being played back
  playing: 0, // the ply that is being played back
  playback: 0, // counts playbacks, so that a newer one ends an older one
  following: null, // aborts the stream
  told: null, // the table as the stream has told it, which it tells changes of; null: it does not run
  awaited: [], // [version, call back]: who waits for the stream to tell of what they did
};

const board = new Board($("board"), (part) => plan.add(part), (place) => plan.point(place), (piece) => plan.pick(piece));
const plan = new Plan($("plan"), board, {
  drawing: () => page.state.svg,
  ask: async (prefix, play) => {
    const body = play ? { prefix, ply: page.state.ply } : { prefix };
    const parts = await call(`${api}/parts`, { body, token: page.token, brief: Boolean(page.told) });
    if (parts.played) await done(parts.played);
    return parts;
  },
  commit: (move) => act("moves", { move, ply: page.state.ply }),
});

board.enlarge($("zoom"));

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const pace = () => FRAME[Number($("speed").value)];
const problem = (line = "") => ($("problem").textContent = line);

// ---- seats: links bring tokens and invitations behind #, which never reaches the server's log

async function sit() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const mine = held()[key]?.seats ?? {};
  if (hash.has("join")) {
    history.replaceState(null, "", location.pathname);
    if (!Object.keys(mine).length) {
      try {
        const { seat, token } = await call(`${api}/join`, { body: { invitation: hash.get("join") } });
        hold(key, {}, seat, token);
      } catch (error) {
        problem(error.message);
      }
    }
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
        page.told = kind === "table" ? data : changed(page.told, data);
        hear(page.told);
      });
    } catch (error) {
      if (error.status === 403) page.token = null;
      if (error.status === 404) return status("This table is gone.");
      if (error.name !== "AbortError") status("The server does not answer; trying again …");
    }
    page.told = null;
    await wait(pause);
    pause = Math.min(pause * 2, 8000);
  }
}

// A page that nobody sees lets go of its connection: browsers have few of them.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) page.following?.abort();
});

/** A table with what has become different; of its moves the first `kept` have stayed. */
const changed = (table, { kept, ...change }) =>
  ({ ...table, ...change, ...(change.moves ? { moves: [...table.moves.slice(0, kept), ...change.moves] } : {}) });

// ---- what this seat does: the answer says how far the table is then, and the stream tells the rest

async function act(what, body) {
  await done(await call(`${api}/${what}`, { body, token: page.token, brief: Boolean(page.told) }));
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
  page.state = state;
  for (const [version, tell] of page.awaited) if (version <= state.version) tell();
  page.awaited = page.awaited.filter(([version]) => version > state.version);
  hold(key, { game: state.game, title: state.title });
  seats();
  moves();
  tools();
  const mover = before && state.seat !== null && state.moves[before.ply]?.by === state.seat;
  if (page.shown === null || state.ply < page.shown) show(state.ply);
  else if (state.ply > page.shown) playOn(mover ? page.shown + 1 : page.shown);
  else if (page.looking === null && !page.running) present();
}

/** Play back what happened since the board was last drawn, then show the present. */
async function playOn(quick) {
  const run = ++page.playback;
  page.running = true;
  page.looking = null;
  plan.begin(null);
  while (page.shown < page.state.ply && pace()) {
    const ply = page.shown + 1;
    let frames;
    try {
      ({ frames } = await call(`${api}/frames/${ply}`, { token: page.token }));
    } catch {
      break;
    }
    for (const [step, frame] of frames.entries()) {
      if (run !== page.playback) return;
      page.playing = ply;
      marks();
      board.draw(frame);
      status(caption(ply, step, frames.length));
      const last = ply === page.state.ply && step === frames.length - 1;
      if (!last && !(ply <= quick && frames.length === 1)) await wait(pace());
    }
    if (run !== page.playback) return;
    page.shown = ply;
  }
  page.running = false;
  show(page.state.ply);
}

function caption(ply, step, steps) {
  const move = page.state.moves[ply - 1];
  const words = move?.words ? `: ${move.words}` : "";
  return `${ply}. ${who(move?.by)} ${move?.text ?? ""}${words}${steps > 1 ? ` (${step + 1} of ${steps})` : ""}`;
}

/** Show a ply at once; the last one is the present. */
async function show(ply) {
  page.playback += 1;
  page.running = false;
  if (ply >= page.state.ply) {
    page.shown = page.state.ply;
    page.looking = null;
    board.draw(page.state.svg);
    present();
    return;
  }
  page.looking = ply;
  plan.begin(null);
  try {
    const { frames } = await call(`${api}/frames/${ply}`, { token: page.token });
    if (page.looking !== ply) return;
    board.draw(frames.at(-1));
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
  const same = plan.parts && page.planned === `${state.seat} ${state.ply}`;
  if (!mine) plan.begin(null);
  else if (!same) plan.begin(state.parts, { simple: state.turn === "seat", title: `Your ${kind(state)}`, seat: state.seat });
  page.planned = mine ? `${state.seat} ${state.ply}` : null;
  status(words(state));
  marks();
}

/** What is asked for: a plan, where it is made by all at once or part by part; else what is done in turn is a move. */
const kind = (state) => (state.turn === "together" || state.by_parts ? state.plan : "move");

function words(state) {
  if (state.turn === "over") {
    const payoff = state.payoff.map((x, seat) => `${state.seats[seat].name} ${number(x, Number.isInteger(x) ? 0 : 2)}`);
    return `The game is over: ${state.outcome} (${payoff.join(", ")}).`;
  }
  if (state.trouble) return `${state.trouble}.`;
  if (state.parts) return `Your ${kind(state)}, ${state.seats[state.seat].name}.`;
  const waiting = state.asked.filter((seat) => !state.ready.includes(seat)).map((seat) => {
    const { name, person, player, open } = state.seats[seat];
    if (person) return open ? `${name}, whom nobody plays yet` : name;
    const place = state.places[seat];
    return place ? `${name} (${player}), number ${place} in the queue` : `${name} (${player}), who is thinking`;
  });
  const committed = state.mine !== null ? "Your move is in. " : "";
  return `${committed}Waiting for ${waiting.join(" and ")} …`;
}

const status = (line) => {
  if ($("status").textContent !== line) $("status").textContent = line;
};
const who = (by) => (typeof by === "number" ? page.state.seats[by].name : by === "together" ? "all:" : "chance:");

function seats() {
  const { state } = page;
  const mine = held()[key] ?? { seats: {} };
  $("seats").replaceChildren(
    ...state.seats.map(({ seat, name, person, player, open }) => {
      const notes = [person ? (open ? "nobody yet" : "a person") : player];
      if (seat === state.seat) notes.push("you");
      if (state.asked.includes(seat)) notes.push(state.ready.includes(seat) ? "has decided" : "to decide");
      const token = mine.seats[seat];
      const sitHere = token && seat !== state.seat
        ? el("button", { type: "button", class: "quiet", onclick: () => changeSeat(token) }, `Play ${name}`) : null;
      return el("li", { class: state.asked.includes(seat) && !state.ready.includes(seat) ? "seat now" : "seat" }, el("b", {}, name), ` ${notes.join(", ")} `, sitHere);
    }),
  );
  const invitations = Object.entries(mine.invitations ?? {}).filter(([seat]) => state.seats[seat]?.open);
  $("invite").hidden = !invitations.length;
  $("invite").querySelector("ul").replaceChildren(
    ...invitations.map(([seat, invitation]) => {
      const link = `${location.origin}/play/${key}#join=${invitation}`;
      return el("li", {},
        el("span", {}, `${state.seats[seat].name}: `),
        el("button", { type: "button", onclick: (event) => copy(link, event.target) }, "Copy link"), " ",
        el("button", { type: "button", class: "quiet", onclick: () => takeSeat(invitation) }, "Sit here too"),
        el("output", { class: "link" }, link));
    }),
  );
}

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
    const { seat, token } = await call(`${api}/join`, { body: { invitation } });
    hold(key, {}, seat, token);
    seats();
  } catch (error) {
    problem(error.message);
  }
}

function moves() {
  $("moves").replaceChildren(
    ...page.state.moves.map(({ by, text, words }, index) =>
      el("li", {}, el("button", { type: "button", class: "quiet", "data-ply": index + 1, onclick: () => review(index + 1) },
        `${who(by)} ${text ?? "…"}`, words ? el("span", { class: "words" }, ` ${words}`) : null))),
  );
  $("moves").lastElementChild?.scrollIntoView?.({ block: "nearest" });
}

function marks() {
  for (const button of $("moves").querySelectorAll("button"))
    button.toggleAttribute("aria-current", Number(button.dataset.ply) === at());
  $("first").disabled = $("before").disabled = at() === 0;
  $("last").disabled = $("after").disabled = page.looking === null && !page.running; // what is played back can be skipped
}

// ---- looking back

const at = () => (page.running ? page.playing : page.looking ?? page.state.ply);
const review = (ply) => page.state && show(Math.max(0, Math.min(ply, page.state.ply)));
$("first").addEventListener("click", () => review(0));
$("before").addEventListener("click", () => review(at() - 1));
$("after").addEventListener("click", () => review(at() + 1));
$("last").addEventListener("click", () => review(Infinity));
$("run").addEventListener("click", () => {
  if (!page.state) return;
  page.shown = page.looking ?? 0;
  playOn(0);
});
try {
  $("speed").value = localStorage.getItem("stratagem.speed") ?? "2";
} catch {
  // the speed in the middle then
}
$("speed").addEventListener("change", () => {
  try {
    localStorage.setItem("stratagem.speed", $("speed").value);
  } catch {
    // it lasts as long as the page
  }
});

// ---- tools

function tools() {
  const { state } = page;
  $("back").disabled = !state.may.take_back;
  $("hint").disabled = !state.may.hint;
  $("analyse").href = `/analyse/${state.game}?${new URLSearchParams([
    ...Object.entries(state.options).filter(([, value]) => value !== null).map(([name, value]) => [name, String(value)]),
    ["position", state.text],
  ])}`;
  $("analyse").hidden = state.hidden;
  $("advice").replaceChildren();
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

function advise(choice) {
  const value = choice.value === null ? "" : `, worth ${number(choice.value)}`;
  $("advice").replaceChildren(
    el("p", {}, "Hint: ", el("button", { type: "button", onclick: () => plan.add(...choice.best.split(";")) }, choice.best), value),
  );
  board.mark(choice.best.split(";"), "candidate", page.state.seat);
}

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

// The front page: games that this browser has a seat in, as they stand, and one click to a new one.

import { $, call, el, every, held, hold, keep, kept } from "./api.js";
import { fitPictures } from "./night.js";
import { opponents, verdict } from "./people.js";

const DRAWN = matchMedia("(max-width: 500px)").matches ? 4 : 8; // games that are shown as they stand, the latest ones; others are named
const AGAIN = 15_000; // milliseconds between two looks at them
const SPANS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([["day", 86_400], ["hour", 3_600], ["minute", 60]]); // in seconds
const TALL = 1.5; // times as high as wide: of such a board a part is shown

const mine = Object.entries(held()).sort((a, b) => b[1].at - a[1].at).slice(0, 30);
const cards = new Map(); // of tables: their elements

/** Whether a game of this browser's waits for its player, as far as the browser knows. */
const waits = ([, { seen }]) => seen?.turn === "your turn";
mine.sort((a, b) => Number(waits(b)) - Number(waits(a))); // yours first, and among them the latest

/** When a game was last seen, as people say it. */
function when(at) {
  const seconds = (Date.now() - at) / 1000;
  const [unit, long] = SPANS.find(([, span]) => seconds >= span) ?? [];
  const ago = unit ? new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.floor(seconds / long), unit) : "just now";
  return el("small", { title: new Date(at).toLocaleString() }, ago);
}

/** A game of this browser's: whom against, whose turn it is or how it ended, and where it goes on. */
function card([table, { title, game, at, seen, room }]) {
  const name = title ?? game ?? "a game";
  if (room) {
    return el("li", { class: "card" }, el("h3", {}, el("a", { href: `/room/${table}` }, name)), when(at),
      el("p", { class: "row" }, el("a", { class: "button", href: `/room/${table}` }, "Open", el("span", { class: "unseen" }, ` ${name}`))));
  }
  const parts = {
    board: el("a", { class: "thumbnail board", href: `/play/${table}`, tabindex: "-1", "aria-hidden": "true" }),
    state: el("b", {}, seen ? seen.turn : ""),
    others: el("span", {}, seen ? `against ${seen.others.join(", ")}: ` : ""),
    review: el("a", { class: "button quiet", href: `/review/${table}`, hidden: true }, "Review", el("span", { class: "unseen" }, ` of ${name}`)),
  };
  cards.set(table, parts);
  parts.whole = el("li", { class: "card" }, parts.board,
    el("h3", {}, el("a", { href: `/play/${table}` }, name)),
    el("p", {}, parts.others, parts.state), when(at),
    el("p", { class: "row" }, el("a", { class: "button", href: `/play/${table}` }, "Open", el("span", { class: "unseen" }, ` ${name}`)), parts.review));
  return parts.whole;
}

/** An older one, by name alone. */
const line = ([table, { title, game, at, seen, room }]) =>
  el("li", {}, el("a", { href: `/${room ? "room" : "play"}/${table}` }, title ?? game ?? "a game"),
    ` ${seen ? `against ${seen.others.join(", ")}: ${seen.turn}, ` : ""}`, when(at));

fitPictures();

async function refresh(Board) {
  for (const [table, { seats, room }] of mine.slice(0, DRAWN)) {
    if (room) continue;
    const parts = cards.get(table);
    try {
      const state = await call(`/api/tables/${table}`, { token: Object.values(seats ?? {})[0] });
      const over = state.turn === "over";
      parts.drawn ??= new Board(parts.board, {});
      parts.drawn.draw(state.svg, { tween: 250 });
      const svg = parts.board.querySelector("svg");
      svg?.setAttribute("aria-hidden", "true");
      const { width = 1, height = 1 } = svg?.viewBox.baseVal ?? {};
      parts.board.classList.toggle("tall", height > TALL * width);
      parts.others.textContent = `against ${opponents(state.seats, state.seat).join(", ")}: `;
      parts.state.textContent = over ? verdict(state) : state.parts ? "your turn" : "waiting for the others";
      parts.whole.classList.toggle("turn-mine", Boolean(state.parts));
      parts.review.hidden = !over;
    } catch (error) {
      if (error.status === 404) parts.state.textContent = "gone from this server";
    }
  }
  const yours = (card) => Number(!card.classList.contains("turn-mine"));
  const list = $("mine").querySelector("ul");
  const before = [...list.children];
  const after = [...before].sort((a, b) => yours(a) - yours(b));
  if (after.some((card, k) => card !== before[k]) && !list.contains(document.activeElement)) list.append(...after);
}

if (mine.length) {
  $("mine").hidden = false;
  $("mine").querySelector("ul").append(...mine.slice(0, DRAWN).map(card));
  $("older").hidden = mine.length <= DRAWN;
  $("older").querySelector("ul").append(...mine.slice(DRAWN).map(line));
  import("./board.js").then(({ Board }) => { // which a first visit does not need, and no button waits for
    refresh(Board);
    setInterval(() => document.hidden || refresh(Board), AGAIN);
  });
}

for (const link of every("[data-puzzle]")) {
  if (kept("puzzles")?.[link.dataset.puzzle]?.solved) link.textContent = "Solved: look again";
}

$("level").value = kept("level") ?? "medium";
$("level").addEventListener("change", () => keep("level", $("level").value));

/** A game in one of its usual ways: the first seat is this page's, the others are engines of the level chosen. */
async function play(button) {
  const game = button.dataset.quick;
  const list = button.parentElement.querySelector("[data-presets]");
  const options = list?.value ? JSON.parse(list.dataset.presets)[list.value] : {};
  button.disabled = true;
  $("problem").textContent = "";
  try {
    const { seats, engines } = await call("/api/games", { body: { game, options } });
    const level = [$("level").value, "medium", "strong", "easy"].find((name) => engines.includes(name)) ?? engines[0];
    const made = await call("/api/tables", { body: { game, options, seats: seats.map((_, seat) => (seat ? level : "person")) } });
    for (const [seat, token] of Object.entries(made.tokens)) hold(made.table, { game }, seat, token);
    location.href = `/play/${made.table}`;
  } catch (error) {
    $("problem").textContent = error.message;
    button.disabled = false;
  }
}
for (const button of document.querySelectorAll("[data-quick]")) button.addEventListener("click", () => play(button));

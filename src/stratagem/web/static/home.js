// The front page: games that this browser has a seat in, and one click to a new one.

import { $, call, el, held, hold, keep, kept } from "./api.js";

const mine = Object.entries(held()).sort((a, b) => b[1].at - a[1].at).slice(0, 12);
if (mine.length) {
  $("mine").hidden = false;
  $("mine").querySelector("ul").append(
    ...mine.map(([table, { title, game, at, seen }]) =>
      el("li", {}, el("a", { href: `/play/${table}` }, title ?? game ?? "a game"), " ",
        seen ? `against ${seen.others.join(", ")}: ${seen.turn} ` : "",
        el("small", {}, new Date(at).toLocaleString()))),
  );
}

$("level").value = kept("level") ?? "medium";
$("level").addEventListener("change", () => keep("level", $("level").value));

/** A game with its usual options: the first seat is this page's, the others are engines of the level chosen. */
async function play(button) {
  const game = button.dataset.quick;
  button.disabled = true;
  $("problem").textContent = "";
  try {
    const { seats, engines } = await call("/api/games", { body: { game, options: {} } });
    const level = [$("level").value, "medium", "strong", "easy"].find((name) => engines.includes(name)) ?? engines[0];
    const made = await call("/api/tables", { body: { game, options: {}, seats: seats.map((_, seat) => (seat ? level : "person")) } });
    for (const [seat, token] of Object.entries(made.tokens)) hold(made.table, { game }, seat, token);
    location.href = `/play/${made.table}`;
  } catch (error) {
    $("problem").textContent = error.message;
    button.disabled = false;
  }
}
for (const button of document.querySelectorAll("[data-quick]")) button.addEventListener("click", () => play(button));

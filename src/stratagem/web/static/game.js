// A game's page: the form of its options and seats.

import { $, call, el, hold } from "./api.js";
import { paintStill } from "./night.js";

const game = document.body.dataset.game;
const form = $("new");
let about = null; // what the server says of the game with the options chosen

function options() {
  const found = {};
  for (const control of form.querySelectorAll("[name]")) {
    if (control.name.startsWith("seat-")) continue;
    const other = form.querySelector(`[data-other="${control.id}"]`);
    if (other && !other.hidden) found[control.name] = other.value;
    else if (control.type === "checkbox") found[control.name] = control.checked;
    else if (control.value !== "") found[control.name] = control.value;
  }
  return found;
}

function seatRows() {
  const before = [...form.querySelectorAll("select[name^=seat-]")].map((select) => select.value);
  const level = ["medium", "strong", "easy"].find((name) => about.engines.includes(name)) ?? about.engines[0];
  $("seats").replaceChildren(
    ...about.seats.map((name, seat) => {
      const chosen = about.engines.includes(before[seat]) || before[seat] === "person" ? before[seat] : seat ? level : "person";
      const choices = [["person", seat ? "a person" : "you"], ...about.engines.map((engine) => [engine, engine])];
      return el("div", { class: "field" },
        el("label", { for: `seat-${seat}` }, name),
        el("select", { id: `seat-${seat}`, name: `seat-${seat}` },
          ...choices.map(([value, text]) => el("option", { value, selected: value === chosen }, text))));
    }),
  );
}

const problem = (error) => ($("problem").textContent = error?.message ?? "");

async function refresh() {
  try {
    about = await call("/api/games", { body: { game, options: options() } });
    problem();
    seatRows();
  } catch (error) {
    problem(error);
  }
}

async function create(seats) {
  try {
    const [seconds, increment] = $("clock").value.split("+").map(Number);
    const clock = seconds ? { seconds, increment: increment ?? 0, each_move: increment === undefined } : null;
    const made = await call("/api/tables", { body: { game, options: options(), seats, clock } });
    const title = document.querySelector("h1").textContent;
    hold(made.table, { game, title, invitations: made.invitations });
    for (const [seat, token] of Object.entries(made.tokens)) hold(made.table, {}, seat, token);
    location.href = `/play/${made.table}`;
  } catch (error) {
    problem(error);
  }
}

form.addEventListener("change", (event) => {
  const other = form.querySelector(`[data-other="${event.target.id}"]`); // what is not in the list is typed
  if (other) {
    other.hidden = event.target.value !== "";
    if (!other.hidden) return other.focus();
  }
  if (!event.target.name.startsWith("seat-")) refresh();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await refresh();
  if (!$("problem").textContent) create([...form.querySelectorAll("select[name^=seat-]")].map((select) => select.value));
});
$("watch").addEventListener("click", async () => {
  await refresh();
  if ($("problem").textContent) return;
  const level = ["medium", "strong", "easy"].find((name) => about.engines.includes(name)) ?? about.engines[0];
  const chosen = [...form.querySelectorAll("select[name^=seat-]")].map((select) => select.value);
  create(chosen.map((who) => (who === "person" ? level : who)));
});
$("analyse").addEventListener("click", () => {
  location.href = `/analyse/${game}?${new URLSearchParams(options())}`;
});
refresh();
paintStill();

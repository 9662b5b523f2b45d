// The page of an auction: who is up, how far to go for him, who has what money.

import { $, call, el, every } from "./api.js";
import { api, badge, enter, filters, fits, follow, friends, plain, playerRow, rosterTable, tab, teamChoice, teamText } from "./room.js";

const SHOWN = 60;
let league = null;
let state = null;
let advice = null;
let wanted = "";
let shownTeam = null;
let token = null;

async function act(path, body) {
  $("problem").textContent = "";
  try {
    become(await call(`${api}/${path}`, { body: { ...body, turn: state.turn }, token }));
    return true;
  } catch (error) {
    $("problem").textContent = error.message;
    return false;
  }
}

const live = () => league.kind === "live";
const mayNominate = () => state.you !== null && !state.over && (live() || (state.item === null && state.nominator === state.you));
const myBid = () => state.you !== null && state.waiting.includes(state.you);

async function nominate(item) {
  if (await act("nominate", { item })) {
    $("search").value = "";
    players();
    tab($("tab-block"));
  }
}

$("undo").addEventListener("click", () => act("undo", {}));
$("search").addEventListener("input", () => players());
$("team").addEventListener("change", () => {
  shownTeam = Number($("team").value);
  teams();
});
$("sale")?.addEventListener("submit", (event) => {
  event.preventDefault();
  if (state.item === null) $("problem").textContent = "put a player on the block first";
  else act("sold", { item: state.item, team: Number($("buyer").value), price: Number($("price").value) });
});
$("bid")?.addEventListener("submit", (event) => {
  event.preventDefault();
  act("bid", { limit: Number($("limit").value) });
});
$("pass")?.addEventListener("click", () => act("bid", { limit: 0 }));

function become(now) {
  if (state && now.count < state.count) return;
  const moved = !state || now.count !== state.count;
  state = now;
  show();
  if (moved) ask();
}

let asked = 0;
async function ask() {
  const mine = ++asked;
  advice = null;
  adviceShown();
  if (state.you === null || state.over) return;
  $("advice").ariaBusy = "true";
  try {
    const found = await call(`${api}/advice`, { token });
    if (mine !== asked || found.count !== state.count) return;
    advice = found;
    adviceShown(true);
    if (found.searched === false) setTimeout(() => mine === asked && ask(), 1500);
  } catch (error) {
    if (mine === asked) $("advice").replaceChildren(el("p", {}, error.message));
  } finally {
    if (mine === asked) $("advice").ariaBusy = "false";
  }
}

function show() {
  const name = (k) => state.seats[k].name;
  if (state.over) $("status").textContent = "The auction is over.";
  else if (state.item !== null) {
    const wait = myBid() ? "; your bid" : state.waiting.length ? `; waiting for ${state.waiting.map(name).join(", ")}` : "";
    $("status").textContent = `${league.items[state.item].name} is up${wait}`;
  } else $("status").textContent = `${name(state.nominator)}${state.nominator === state.you ? " (you)" : ""} nominates`;
  const x = state.item;
  $("block").replaceChildren(x === null
    ? el("p", { class: "note" }, mayNominate() ? "Choose a player among the players." : "Nobody is up.")
    : el("p", {}, badge(league, league.items[x]), " ", el("strong", {}, league.items[x].name), ` worth ${worth(x)} now`));
  for (const control of every("#bid input, #bid button")) control.disabled = !myBid();
  if ($("limit")) $("limit").max = String(state.you === null ? 0 : state.rosters[state.you].most);
  for (const control of every("#sale input, #sale select, #sale button")) {
    control.disabled = state.you === null || x === null;
  }
  if ($("buyer")) teamChoice($("buyer"), state.seats.map((_, k) => teamText(state, k, live())), $("buyer").value || 0);
  $("undo").disabled = state.you === null || (!state.turn && x === null);
  players();
  teams();
  friends(state);
  $("sales").replaceChildren(...state.sales.map(([item, team, price]) =>
    el("li", {}, `${league.items[item].name} to ${name(team)} for ${price}`)).reverse());
}

const worth = (x) => `${(state.values[x] ?? 1).toFixed(0)}`;

function adviceShown(fresh) {
  const part = $("advice");
  $("market").replaceChildren(
    el("li", {}, `inflation: ${state.inflation.toFixed(2)} of the values at the start`),
    ...(advice?.market ?? []).map((line) => el("li", {}, line)));
  if (!advice) {
    part.replaceChildren(el("p", { class: "note" }, state.you === null ? "You are watching." : state.over ? "" : "Thinking …"));
    return;
  }
  const lines = [];
  if (advice.bid) {
    const b = advice.bid;
    lines.push(el("p", { class: "limit" }, b.limit ? `Go to ${b.limit}` : "Let him go"),
      el("p", {}, b.reason),
      el("p", { class: "note" }, `value ${b.value.toFixed(0)}, likely price ${b.likely.toFixed(0)}, your most ${b.most}`));
    if (fresh && $("limit") && myBid()) $("limit").value = String(b.limit);
    if (fresh && $("price")) $("price").value = String(Math.max(1, Math.round(b.likely)));
  }
  if (advice.nominate.length && mayNominate()) {
    lines.push(el("h3", {}, "Nominate"), el("ul", { class: "plain" }, ...advice.nominate.map((n) =>
      playerRow(league, n.item, [n.wanted ? "wanted" : "not wanted", `worth ${worth(n.item)}`], button(n.item)))));
  }
  if (!advice.searched) lines.push(el("p", { class: "note" }, "A preliminary answer by values alone; the search follows."));
  part.replaceChildren(...lines);
}

function button(x) {
  return el("button", {
    type: "button", class: "take", disabled: !mayNominate(), onclick: () => nominate(x),
    "aria-label": `Put ${league.items[x].name} up`,
  }, "Up");
}

function players() {
  if (!state) return;
  const words = plain($("search").value).split(" ").filter(Boolean);
  const gone = new Set(state.sales.map(([item]) => item));
  const found = league.items.map((_, x) => x).filter((x) => !gone.has(x) && fits(league.items[x], words, wanted))
    .sort((a, b) => (state.values[b] ?? 1) - (state.values[a] ?? 1) || league.items[a].adp - league.items[b].adp);
  const rows = found.slice(0, SHOWN).map((x) =>
    playerRow(league, x, [`worth ${worth(x)}`, `${league.items[x].points.toFixed(0)} pts`], button(x)));
  if (!rows.length) rows.push(el("li", { class: "note" }, "Nobody of that name is free."));
  $("players").replaceChildren(...rows);
}

function choose(position) {
  wanted = position;
  filters(league, wanted, choose);
  players();
}

function teams() {
  if (shownTeam === null) shownTeam = state.you ?? 0;
  teamChoice($("team"), state.seats.map((_, k) => teamText(state, k, live())), shownTeam);
  $("roster").replaceChildren(...rosterTable(league, state.rosters[shownTeam]));
  const head = el("thead", {}, el("tr", {}, ...["team", "money", "most", "places"].map((x) => el("th", { scope: "col" }, x))));
  $("budgets").replaceChildren(head, el("tbody", {}, ...state.rosters.map((r, k) => el("tr", {},
    el("th", { scope: "row", class: k === state.you ? "mine" : null }, state.seats[k].name),
    ...[r.money, r.most, r.left].map((x) => el("td", { class: "number" }, String(x)))))));
}

try {
  token = await enter();
  league = await call(`${api}/league`);
  choose("");
  tab($("tab-block"));
  follow(token, become);
} catch (error) {
  $("status").textContent = error.message;
}

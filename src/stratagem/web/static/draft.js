// The page of one draft: what to take, who is there, who has whom. Everything shown comes from the room's state.

import { $, call, el } from "./api.js";
import { api, badge as badgeOf, enter, filters as filterButtons, fits, follow, friends, plain, playerRow, rosterTable, tab, teamChoice, teamText } from "./room.js";

const SHOWN = 60; // players listed at once; the search finds the others
let league = null; // what does not change
let state = null;
let advice = null;
let before = null; // the advice before the last pick
let wanted = ""; // the position that is filtered by
let shownTeam = null;
let fixing = null; // the pick that is being corrected
let token = null;

// ---------------------------------------------------------------------------------------------------------- doing

async function act(path, body) {
  $("problem").textContent = "";
  try {
    become(await call(`${api}/${path}`, { body, token }));
    return true;
  } catch (error) {
    $("problem").textContent = error.message;
    return false;
  }
}

async function take(item) {
  if (fixing !== null) {
    const turn = fixing;
    fixing = null;
    await act("fix", { item, turn });
    show();
    return;
  }
  if (await act("picks", { item, turn: state.turn })) {
    $("search").value = "";
    players();
  }
}

$("undo").addEventListener("click", () => act("undo", { turn: state.turn }));
$("auto").addEventListener("click", () => act("auto", { turn: state.turn }));
$("search").addEventListener("input", () => players());
$("search").addEventListener("keydown", (event) => {
  const first = $("players").querySelector("button.take:not(:disabled)");
  if (event.key === "Enter" && first) first.click();
});
$("team").addEventListener("change", () => {
  shownTeam = Number($("team").value);
  rosters();
});

// -------------------------------------------------------------------------------------------------------- showing

const mayAct = () => state.you !== null;
const mine = () => state.team === state.you;
const mayPick = () => mayAct() && !state.over && (league.kind === "live" || mine());
const item = (x) => league.items[x];
const pickName = (turn) =>
  `${Math.floor(turn / league.teams) + 1}.${String((turn % league.teams) + 1).padStart(2, "0")}`;
const percent = (x) => `${Math.round(100 * x)}%`;

function become(now) {
  if (state && now.count < state.count) return; // an answer that a later event has overtaken
  const moved = !state || now.count !== state.count;
  state = now;
  show();
  if (moved) ask();
}

let asked = 0;
async function ask() {
  if (!mayAct() || state.over) {
    advice = null;
    adviceShown();
    return;
  }
  const mineNow = ++asked;
  if (!advice) adviceShown(); // which says that it is thought about
  $("advice").ariaBusy = "true";
  try {
    const found = await call(`${api}/advice`, { token });
    if (mineNow !== asked || found.turn !== state.turn) return;
    if (advice && advice.turn !== found.turn) before = advice;
    advice = found;
    adviceShown();
    if (!found.simulations && found.recommendations.length) setTimeout(() => mineNow === asked && ask(), 1500);
  } catch (error) {
    if (mineNow === asked) $("advice-about").textContent = error.message;
  } finally {
    if (mineNow === asked) $("advice").ariaBusy = "false";
  }
}

function show() {
  status();
  players();
  rosters();
  board();
  best();
  friends(state);
  $("undo").disabled = !mayAct() || !state.turn;
  $("auto").disabled = !mayAct() || state.over || mine();
  if (state.over) adviceShown();
}

function status() {
  if (state.over) {
    $("status").textContent = "The draft is over. The report says how it went.";
    return;
  }
  const who = state.seats[state.team].name;
  const you = mine() ? " (you)" : "";
  const sample = league.sample ? " · sample players" : "";
  const wait = state.next === null || mine() ? "" : `; yours is ${pickName(state.next)}, ${state.next - state.turn} to go`;
  $("status").textContent = fixing === null
    ? `${state.pick}: ${who}${you} picks${wait}${sample}`
    : `Who was taken at ${pickName(fixing)}, in place of ${item(state.picks[fixing]).name}?`;
}

/** A button that takes a player. */
function takeButton(x, label) {
  const taken = state.picks.includes(x);
  const whose = mine() || state.over || league.kind !== "live" ? "" : ` for ${state.seats[state.team].name}`; // of a draft that is followed
  return el("button", {
    type: "button", class: "take", onclick: () => take(x), "aria-label": `Take ${item(x).name}${whose}`,
    disabled: !(mayPick() || fixing !== null) || taken || state.barred.includes(x),
    title: state.barred.includes(x) ? "it would leave the line-up incomplete" : null,
  }, label ?? (whose ? whose.trim().replace(/^for /, "→ ") : "Take"));
}

const badge = (x) => badgeOf(league, item(x));

function adviceShown() {
  const list = $("advice");
  $("learnt-part").hidden = !advice?.learnt?.length || state.over;
  if (!advice || state.over) {
    $("advice-about").textContent = state?.over ? "Nothing is left to decide." : mayAct() ? "Thinking …" : "You are watching.";
    list.replaceChildren();
    for (const id of ["alerts", "learnt", "changed"]) $(id).replaceChildren();
    return;
  }
  $("advice-about").textContent = advice.simulations
    ? `For ${pickName(advice.for)}: ${advice.simulations} simulated drafts a player, ${advice.seconds.toFixed(2)} s`
    : "A preliminary answer; simulated drafts follow in a moment.";
  $("advice-title").textContent = mine() ? "Advice" : `Targets for ${pickName(advice.for)}: who can still be there`;
  list.replaceChildren(...advice.recommendations.map((r, k) => {
    const wait = r.cost_of_waiting;
    return el("li", { class: "choice-row", "data-item": r.item },
      el("div", { class: "row tight" },
        el("span", { class: "number place" }, `${k + 1}`), badge(r.item), el("strong", { class: "grow-name" }, r.name),
        takeButton(r.item)),
      el("div", { class: "facts" },
        mine()
          ? el("span", {}, `survives ${percent(r.survival)}`, el("span", { class: "track small" }, meter(r.survival)))
          : el("span", {}, `there ${percent(r.there)}`, el("span", { class: "track small" }, meter(r.there))),
        el("span", {}, `waiting costs ${wait.toFixed(1)}`),
        el("span", {}, k ? `${r.behind.toFixed(1)} behind` : "best"),
        r.tier ? el("span", {}, `tier ${r.tier}, ${r.tier_left} left`) : null),
      k ? null : el("p", { class: "note" }, r.reason));
  }));
  $("alerts").replaceChildren(...advice.alerts.map((text) => el("li", { class: "alert" }, text)));
  $("learnt").replaceChildren(...(advice.learnt ?? []).map((text) => el("li", {}, text)));
  changed();
}

function meter(share) {
  const made = el("meter", { min: "0", max: "1", value: String(share), "aria-hidden": "true" });
  return made;
}

/** What is different from the advice before. */
function changed() {
  const lines = [];
  if (before && advice) {
    const old = new Map(before.recommendations.map((r, k) => [r.item, { ...r, place: k }]));
    const since = state.picks.slice(before.turn);
    const gone = before.recommendations.filter((r) => since.includes(r.item));
    if (gone.length) lines.push(`gone: ${gone.map((r) => r.name).join(", ")}`);
    advice.recommendations.forEach((r, k) => {
      const was = old.get(r.item);
      if (!was) lines.push(`${r.name} is new among them`);
      else if (Math.abs(was.survival - r.survival) >= 0.1) {
        lines.push(`${r.name}: survives ${percent(was.survival)} → ${percent(r.survival)}`);
      } else if (was.place - k >= 2) lines.push(`${r.name} is up from ${was.place + 1} to ${k + 1}`);
    });
  }
  $("changed").replaceChildren(
    ...(lines.length ? [el("h3", {}, "Since your last look"), el("ul", { class: "plain" }, ...lines.slice(0, 6).map((x) => el("li", {}, x)))] : []),
  );
}

function free() {
  const taken = new Set([...state.picks, ...Object.values(league.keepers)]);
  return league.items.map((_, x) => x).filter((x) => !taken.has(x));
}

function players() {
  if (!state) return;
  const words = plain($("search").value).split(" ").filter(Boolean);
  const found = free().filter((x) => fits(item(x), words, wanted)).sort((a, b) => item(a).adp - item(b).adp);
  let tier = null;
  const rows = [];
  for (const x of found.slice(0, SHOWN)) {
    const i = item(x);
    if (wanted && i.tier && i.tier !== tier) {
      tier = i.tier;
      rows.push(el("li", { class: "tier" }, `Tier ${tier}`));
    }
    rows.push(playerRow(league, x, [`${i.points.toFixed(0)} pts`, `adp ${i.adp.toFixed(0)}`], takeButton(x)));
  }
  if (found.length > SHOWN) rows.push(el("li", { class: "note" }, `and ${found.length - SHOWN} more: type a name`));
  if (!found.length) rows.push(el("li", { class: "note" }, "Nobody of that name is free."));
  $("players").replaceChildren(...rows);
}

function choose(position) {
  wanted = position;
  filterButtons(league, wanted, choose);
  players();
}

function best() {
  const there = free();
  $("best").replaceChildren(...league.positions.map((position) => {
    const of = there.filter((x) => item(x).position.split("/").includes(position)).sort((a, b) => item(b).points - item(a).points);
    const tier = of.length && item(of[0]).tier;
    const left = tier ? of.filter((x) => item(x).tier === tier).length : 0;
    return el("p", { class: "best" }, badge(of[0] ?? league.items.findIndex((i) => i.position === position)), " ",
      of.slice(0, 3).map((x) => `${item(x).name} ${item(x).points.toFixed(0)}`).join(", ") || "none left",
      tier ? el("small", {}, ` tier ${tier}: ${left} left`) : null);
  }));
}

function rosters() {
  if (shownTeam === null) shownTeam = state.you ?? 0;
  teamChoice($("team"), state.seats.map((_, k) => teamText(state, k, league.kind === "live")), shownTeam);
  $("roster").replaceChildren(...rosterTable(league, state.rosters[shownTeam]));
}

function board() {
  const head = el("tr", {}, el("td", {}), ...state.seats.map((seat, k) =>
    el("th", { scope: "col", class: k === state.you ? "mine" : null }, seat.name)));
  const rows = [];
  for (let round = 0; round * league.teams < league.turns; round++) {
    const cells = state.seats.map(() => el("td", {}));
    for (let turn = round * league.teams; turn < Math.min((round + 1) * league.teams, league.turns); turn++) {
      const x = turn < state.picks.length ? state.picks[turn] : league.keepers[turn];
      const cell = cells[league.order[turn]];
      if (x === undefined || x === null) {
        if (turn === state.turn) cell.append(el("span", { class: "now" }, "on the clock"));
        continue;
      }
      const fix = mayAct() && league.kind === "live" && turn < state.picks.length && !(turn in league.keepers);
      const text = item(x).name;
      cell.append(fix
        ? el("button", { type: "button", class: "cell", title: `correct ${pickName(turn)}`, onclick: () => { fixing = turn; status(); players(); tab($("tab-players")); $("search").focus(); } }, badge(x), " ", text)
        : el("span", { class: "cell" }, badge(x), " ", text));
    }
    rows.push(el("tr", {}, el("th", { scope: "row" }, String(round + 1)), ...cells));
  }
  $("board").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
}

// ----------------------------------------------------------------------------------------------------------- start

try {
  token = await enter();
  league = await call(`${api}/league`);
  if (league.kind === "mock") $("undo").title = "back to your last pick";
  choose("");
  tab($("tab-advice"));
  follow(token, become);
} catch (error) {
  $("status").textContent = error.message;
}

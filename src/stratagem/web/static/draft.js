// The page of one draft: what to take, who is there, who has whom. Everything shown comes from the room's state.

import { $, call, el, held, hold, stream } from "./api.js";

const key = document.body.dataset.room;
const api = `/api/rooms/${key}`;
const SHOWN = 60; // players listed at once; the search finds the others
let league = null; // what does not change
let state = null;
let advice = null;
let before = null; // the advice before the last pick
let wanted = ""; // the position that is filtered by
let shownTeam = null;
let fixing = null; // the pick that is being corrected
let token = null;

// ------------------------------------------------------------------------------------------------------ who one is

async function enter() {
  const behind = location.hash.slice(1);
  const known = held()[key];
  if (behind.startsWith("join=")) {
    const mine = Object.entries(known?.seats ?? {})[0];
    if (mine) {
      token = mine[1];
    } else {
      const made = await call(`${api}/join`, { body: { invitation: behind.slice(5) } });
      token = made.token;
      hold(key, { title: "a mock draft" }, made.seat, token);
    }
    history.replaceState(null, "", `#${token}`);
  } else if (behind) {
    token = behind;
    hold(key, { title: "a draft" }, 0, token);
  } else {
    token = Object.values(known?.seats ?? {})[0] ?? null;
  }
}

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

const tabs = [...document.querySelectorAll("[role=tab]")];
function tab(chosen) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", String(one === chosen));
    $(one.getAttribute("aria-controls")).classList.toggle("open", one === chosen);
  }
}
for (const one of tabs) one.addEventListener("click", () => tab(one));

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
  friends();
  $("undo").disabled = !mayAct() || !state.turn;
  const bot = league.kind === "live" ? mine() : mine();
  $("auto").disabled = !mayAct() || state.over || bot;
  if (state.over) adviceShown();
}

function status() {
  if (state.over) {
    $("status").textContent = "The draft is over. The report says how it went.";
    return;
  }
  const who = state.seats[state.team].name;
  const you = mine() ? " (you)" : "";
  const wait = state.next === null || mine() ? "" : `; yours is ${pickName(state.next)}, ${state.next - state.turn} to go`;
  $("status").textContent = fixing === null
    ? `${state.pick}: ${who}${you} picks${wait}`
    : `Who was taken at ${pickName(fixing)}, in place of ${item(state.picks[fixing]).name}?`;
}

/** A button that takes a player. */
function takeButton(x, label) {
  const taken = state.picks.includes(x);
  return el("button", {
    type: "button", class: "take", onclick: () => take(x), "aria-label": `Take ${item(x).name}`,
    disabled: !(mayPick() || fixing !== null) || taken || state.barred.includes(x),
    title: state.barred.includes(x) ? "it would leave the line-up incomplete" : null,
  }, label ?? "Take");
}

function badge(x) {
  const position = item(x).position;
  return el("span", { class: `badge p${league.positions.indexOf(position.split("/")[0]) % 8}` }, position);
}

function adviceShown() {
  const list = $("advice");
  if (!advice || state.over) {
    $("advice-about").textContent = state?.over ? "Nothing is left to decide." : mayAct() ? "Thinking …" : "You are watching.";
    list.replaceChildren();
    for (const id of ["alerts", "learnt", "changed"]) $(id).replaceChildren();
    return;
  }
  $("advice-about").textContent = advice.simulations
    ? `For ${pickName(advice.for)}: ${advice.simulations} simulated drafts a player, ${advice.seconds.toFixed(2)} s`
    : "A first look; simulated drafts follow in a moment.";
  list.replaceChildren(...advice.recommendations.map((r, k) => {
    const wait = r.cost_of_waiting;
    return el("li", { class: "choice-row", "data-item": r.item },
      el("div", { class: "row tight" },
        el("span", { class: "number place" }, `${k + 1}`), badge(r.item), el("strong", { class: "grow-name" }, r.name),
        takeButton(r.item)),
      el("div", { class: "facts" },
        el("span", {}, `survives ${percent(r.survival)}`,
          el("span", { class: "track small" }, meter(r.survival))),
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

const plain = (text) => text.normalize("NFKD").replace(/[̀-ͯ]/g, "").toLowerCase().replace(/[^a-z0-9 ]/g, "");

function players() {
  if (!state) return;
  const words = plain($("search").value).split(" ").filter(Boolean);
  const found = free().filter((x) => {
    const i = item(x);
    if (wanted && !i.position.split("/").includes(wanted)) return false;
    const text = plain(`${i.name} ${i.team} ${i.position}`);
    return words.every((word) => text.includes(word));
  }).sort((a, b) => item(a).adp - item(b).adp);
  let tier = null;
  const rows = [];
  for (const x of found.slice(0, SHOWN)) {
    const i = item(x);
    if (wanted && i.tier && i.tier !== tier) {
      tier = i.tier;
      rows.push(el("li", { class: "tier" }, `Tier ${tier}`));
    }
    rows.push(el("li", { class: "player", "data-item": x },
      badge(x),
      el("span", { class: "who" }, i.name, " ", el("small", {}, [i.team, i.bye && `bye ${i.bye}`, i.status].filter(Boolean).join(" · "))),
      el("span", { class: "numbers" }, `${i.points.toFixed(0)} pts`, el("br"), el("small", {}, `adp ${i.adp.toFixed(0)}`)),
      takeButton(x)));
  }
  if (found.length > SHOWN) rows.push(el("li", { class: "note" }, `and ${found.length - SHOWN} more: type a name`));
  if (!found.length) rows.push(el("li", { class: "note" }, "Nobody of that name is free."));
  $("players").replaceChildren(...rows);
}

function filters() {
  const button = (position) => el("button", {
    type: "button", class: "quiet", "aria-pressed": String(position === wanted),
    onclick: () => { wanted = position; filters(); players(); },
  }, position || "all");
  $("filters").replaceChildren(...["", ...league.positions].map(button));
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
  const choice = $("team");
  if (choice.options.length !== state.seats.length || [...choice.options].some((o, k) => o.text !== teamText(k))) {
    choice.replaceChildren(...state.seats.map((_, k) => el("option", { value: String(k) }, teamText(k))));
  }
  if (shownTeam === null) shownTeam = state.you ?? 0;
  choice.value = String(shownTeam);
  const roster = state.rosters[shownTeam];
  const row = (slot, x) => el("tr", {}, el("th", { scope: "row" }, slot),
    el("td", {}, x === null ? "—" : item(x).name),
    el("td", { class: "number" }, x === null ? "" : item(x).points.toFixed(0)));
  $("roster").replaceChildren(
    el("table", {}, el("tbody", {}, ...league.slots.map((slot, k) => row(slot.replaceAll("/", "/\u200b"), roster.starters[k])),
      ...roster.bench.map((x) => row("bench", x)))),
    el("p", { class: "note" }, `line-up: ${roster.points.toFixed(1)} points`),
  );
}

function teamText(k) {
  const seat = state.seats[k];
  const what = seat.bot ? ` (${seat.bot} bot)` : k === state.you ? " (you)" : seat.here || league.kind === "live" ? "" : " (not here yet)";
  return `${seat.name}${what}`;
}

function board() {
  const head = el("tr", {}, el("th", {}, ""), ...state.seats.map((seat, k) =>
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

function friends() {
  const open = state.seats.map((seat, k) => [seat, k]).filter(([seat]) => seat.invitation);
  $("friends").hidden = !open.length;
  $("friends").querySelector("ul").replaceChildren(...open.map(([seat, k]) => {
    const link = `${location.origin}/room/${key}#join=${seat.invitation}`;
    return el("li", {}, `${seat.name}: `, el("span", { class: "link" }, link));
  }));
}

// ----------------------------------------------------------------------------------------------------------- start

async function follow() {
  for (;;) {
    try {
      await stream(`${api}/events`, { token }, (kind, data) => kind === "room" && become(data));
    } catch (error) {
      if (error.status && error.status !== 429 && error.status < 500) {
        $("status").textContent = error.message;
        return;
      }
      $("status").textContent = "The server does not answer; the page goes on as soon as it does.";
    }
    await new Promise((again) => setTimeout(again, 700));
  }
}

try {
  await enter();
  league = await call(`${api}/league`);
  if (league.kind === "mock") $("undo").title = "back to your last pick";
  filters();
  tab($("tab-advice"));
  follow();
} catch (error) {
  $("status").textContent = error.message;
}

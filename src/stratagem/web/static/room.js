// What the pages of drafts and of auctions share: who one is, following a room, tabs, finding players.

import { $, el, held, hold, join, kept, stream } from "./api.js";

export const key = document.body.dataset.room;
export const api = `/api/rooms/${key}`;

/** The token of one's seat: from the link, from an invitation, or kept from before; null for somebody who watches. */
export async function enter() {
  const behind = location.hash.slice(1);
  const mine = Object.values(held()[key]?.seats ?? {})[0] ?? null;
  if (behind.startsWith("join=")) {
    let token = mine;
    if (!token) {
      const made = await join(api, behind.slice(5));
      token = made.token;
      hold(key, { title: "A mock draft", room: true }, made.seat, token);
    }
    history.replaceState(null, "", `#${token}`);
    return token;
  }
  if (behind) hold(key, { title: "A draft", room: true }, 0, behind);
  return behind || mine || document.body.dataset.own || null; // the last: at the machine that serves the draft
}

/** Tell every state of the room, and find the server again where it is gone for a while. */
export async function follow(token, become) {
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

const tabs = [...document.querySelectorAll("[role=tab]")];
export function tab(chosen) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", String(one === chosen));
    $(one.getAttribute("aria-controls")).classList.toggle("open", one === chosen);
  }
}
for (const one of tabs) one.addEventListener("click", () => tab(one));

export const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9 ]/g, "");

/** Whether a player fits what is typed and the position that is chosen. */
export function fits(item, words, position) {
  if (position && !item.position.split("/").includes(position)) return false;
  const text = plain(`${item.name} ${item.team} ${item.position}`);
  return words.every((word) => text.includes(word));
}

export function badge(league, item) {
  return el("span", { class: `badge p${league.positions.indexOf(item.position.split("/")[0]) % 8}` }, item.position);
}

/** A player's row, with a button at its end. */
export function playerRow(league, x, numbers, button) {
  const i = league.items[x];
  const about = [i.team, i.bye && `bye ${i.bye}`, i.status].filter(Boolean).join(" · ");
  return el("li", { class: "player", "data-item": x },
    badge(league, i), el("span", { class: "who" }, i.name, " ", el("small", {}, about)),
    el("span", { class: "numbers" }, numbers[0], el("br"), el("small", {}, numbers[1])), button);
}

/** Buttons that filter by position. */
export function filters(league, chosen, choose) {
  $("filters").replaceChildren(...["", ...league.positions].map((position) => el("button", {
    type: "button", class: "quiet", "aria-pressed": String(position === chosen), onclick: () => choose(position),
  }, position || "all")));
}

/** The names of the teams in a choice, kept as it was where they are the same. */
export function teamChoice(choice, names, value) {
  if (choice.options.length !== names.length || [...choice.options].some((o, k) => o.text !== names[k])) {
    choice.replaceChildren(...names.map((name, k) => el("option", { value: String(k) }, name)));
  }
  choice.value = String(value);
}

export function teamText(state, k, live) {
  const seat = state.seats[k];
  const what = seat.bot ? ` (${seat.bot} bot)` : k === state.you ? " (you)" : seat.here || live ? "" : " (not here yet)";
  return `${seat.name}${what}`;
}

export function rosterTable(league, roster) {
  const row = (slot, x) => el("tr", {}, el("th", { scope: "row" }, slot),
    el("td", {}, x === null ? "—" : league.items[x].name),
    el("td", { class: "number" }, x === null ? "" : league.items[x].points.toFixed(0)));
  return [
    el("table", {}, el("tbody", {}, ...league.slots.map((slot, k) => row(slot.replaceAll("/", "/\u200b"), roster.starters[k])),
      ...roster.bench.map((x) => row("bench", x)))),
    el("p", { class: "note" }, `line-up: ${roster.points.toFixed(1)} points`),
  ];
}

/** Links for the seats of friends who are not here yet. */
export function friends(state) {
  const given = kept(`invitations ${key}`) ?? {}; // to whoever opened the room, and to nobody else
  const open = state.seats.map((seat, k) => ({ ...seat, invitation: given[k] })).filter((seat) => seat.invitation && !seat.here);
  $("friends").hidden = !open.length;
  $("friends").querySelector("ul").replaceChildren(...open.map((seat) =>
    el("li", {}, `${seat.name}: `, el("span", { class: "link" }, `${location.origin}/room/${key}#join=${seat.invitation}`))));
}

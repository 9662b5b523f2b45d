// Who sits where: names, colours and faces of seats, and how a game ended for whoever looks.

import { el } from "./api.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{ seat: number, name: string, called: string, colour: string, person: boolean, player: string, open?: boolean }} Seat */
/** @typedef {{ seats: Seat[], seat: number | null, turn: string, payoff: number[] | null, tally: number[] | null, outcome: string | null }} Game */

// Faces in a square of 24: a person's head and shoulders; a computer's with an aerial.
const FACES = {
  person: "M12 5.2a3.6 3.6 0 1 1 0 7.2a3.6 3.6 0 1 1 0-7.2M4.8 20.5c.6-4.4 3.4-6.4 7.2-6.4s6.6 2 7.2 6.4z",
  engine: "M11.3 3h1.4v3h4.8v10.5h-11V6h4.8zM8.6 9.2v2.6h2.2V9.2zM13.2 9.2v2.6h2.2V9.2zM9 13.6v1.2h6v-1.2zM8 17.7h8v2.8H8z",
};

/** Ink that is read on a colour: dark or light. @param {string} colour */
export function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((k) => (parseInt(colour.slice(k, k + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.3 ? "#1b1b1b" : "#ffffff";
}

/** The face of whoever plays a seat, on the seat's colour. @param {Pick<Seat, "colour" | "person">} seat */
export function avatar({ colour, person }) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "avatar");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("fill-rule", "evenodd");
  const ground = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ x: 1, y: 1, width: 22, height: 22, rx: person ? 11 : 5, fill: colour })) ground.setAttribute(name, String(value));
  ground.setAttribute("class", "ground");
  const face = document.createElementNS(SVG, "path");
  face.setAttribute("d", person ? FACES.person : FACES.engine);
  face.setAttribute("fill", inkOn(colour));
  svg.append(ground, face);
  return svg;
}

/** A small disc in a seat's colour. @param {string} colour */
export function dot(colour) {
  const made = el("span", { class: "dot", "aria-hidden": "true" });
  made.style.setProperty("--seat", colour);
  return made;
}

/** Who plays a seat: you, somebody by link, or the computer at a level. @param {Seat} seat @param {number | null} own */
export function player(seat, own) {
  if (seat.seat === own) return "You";
  if (!seat.person) return `Computer (${seat.player})`;
  return seat.open ? "Nobody yet" : "Guest";
}

/** Whom a seat plays against. @param {Seat[]} seats @param {number | null} own */
export function opponents(seats, own) {
  const others = seats.filter(({ seat }) => seat !== own).map(({ person, player: level }) => (person ? "a person" : `the computer (${level})`));
  return [...new Set(others)];
}

/** Number as it is counted: without a fraction where it has none. @param {number} x */
const counted = (x) => (Number.isInteger(x) ? String(x) : x.toFixed(2)).replace("-", "−");

/** How a game that is over ended, for whoever looks, in a short sentence. @param {Game} state */
export function verdict({ seats, seat, payoff, tally }) {
  if (!payoff) return "The game is over.";
  const most = Math.max(...payoff);
  const winners = seats.filter((one) => payoff[one.seat] === most);
  const numbers = (first) => {
    if (!tally) return "";
    const others = seats.map((one) => one.seat).filter((one) => one !== first).sort((a, b) => tally[b] - tally[a]);
    const order = [first, ...others]; // one's own, then from the best on
    return order.map((one) => counted(tally[one])).join(" : ");
  };
  const by = (first) => (tally ? ` ${numbers(first)}` : "");
  if (winners.length === seats.length) return `A draw${tally ? `, ${numbers(seat ?? 0)}` : ""}.`;
  if (seat === null) return `${winners.map((one) => one.called).join(" and ")} won${by(winners[0].seat)}.`;
  if (payoff[seat] === most) return winners.length > 1 ? `You share the win${by(seat)}.` : `You won${by(seat)}.`;
  if (seats.length === 2) return `You lost${tally ? ` by ${numbers(seat)}` : ""}.`;
  const place = 1 + payoff.filter((x) => x > payoff[seat]).length;
  return `You came ${{ 2: "second", 3: "third" }[place] ?? `${place}th`} of ${seats.length}${tally ? `: ${numbers(seat)}` : ""}.`;
}

/** The seats' colours as variables of the page, for whatever shows them: --seat-0, --seat-1 .. @param {{ colour: string }[]} seats */
export function paint(seats) {
  for (const [seat, { colour }] of seats.entries()) document.documentElement.style.setProperty(`--seat-${seat}`, colour);
}

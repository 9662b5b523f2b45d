// A turn with steps: the list of them, and the walk from one unit to the next.

import { el } from "./api.js";

/** One step of a turn, as the server says; `parts`: the numbers of those that may come next and belong to it.
 * @typedef {{ name: string, state: "open" | "done" | "later", said: string, note: string, parts: number[] }} Step */

const SIGNS = { open: "○", done: "✓", later: "·" };

/** The steps of a turn with what was done in each; a click turns to one. */
export class Checklist {
  /** @type {(step: number) => void} */
  #chosen;

  /** @param {(step: number) => void} chosen */
  constructor(chosen) {
    this.#chosen = chosen;
    this.list = el("ol", { class: "steps", "aria-label": "The steps of the turn" });
  }

  /** @param {Step[]} steps  @param {number | null} current */
  show(steps, current) {
    this.list.hidden = !steps.length;
    const focused = [...this.list.querySelectorAll("button")].indexOf(document.activeElement);
    this.list.replaceChildren(...steps.map(({ name, state, said, note, parts }, k) => {
      const words = [el("span", { class: "tick", "aria-hidden": "true" }, SIGNS[state]), " ", el("b", {}, name),
        el("span", { class: "unseen" }, state === "done" ? ", done" : state === "later" ? ", later" : ""),
        el("small", {}, [said, note].filter(Boolean).join("; "))];
      return el("li", { class: `step ${state}` }, parts.length
        ? el("button", { type: "button", class: "quiet", "aria-pressed": String(k === current), onclick: () => this.#chosen(k) }, ...words)
        : el("span", { class: "still" }, ...words));
    }));
    if (focused >= 0) this.list.querySelectorAll("button")[focused]?.focus();
  }
}

/** From unit to unit: those that were passed over are not asked again. */
export class Walk {
  #on = false;
  /** @type {string[]} */
  #before = []; // who could act when the last one was pointed at
  /** @type {string[]} */
  #at = []; // what the walk points at, which nobody has chosen
  /** @type {Set<string>} */
  #over = new Set();

  stop() {
    this.#on = false;
    this.#at = [];
    this.#over.clear();
  }

  /** Whether places were pointed at by the walk.
   * @param {string[]} places */
  chose(places) {
    return places.length > 0 && this.#at.length === places.length && this.#at.every((place, k) => place === places[k]);
  }

  /** What the last part leaves pointed at is nobody's choice either.
   * @param {string[]} places */
  hold(places) {
    this.#at = places;
  }

  /** The next one, past the one that is pointed at.
   * @param {string[]} actors  @param {string[]} places  @returns {string[]} */
  next(actors, places) {
    if (!this.#on) this.#over.clear();
    this.#on = true;
    if (places.length) this.#over.add(places[0]);
    return this.#go(actors, places[0]);
  }

  /** After a part was added: whoever comes after the one that acted, if the walk is on.
   * @param {string[]} actors  @param {string} [acted]  @returns {string[]} */
  on(actors, acted) {
    if (!this.#on) return [];
    return this.#go(actors, acted !== undefined && this.#before.includes(acted) ? acted : this.#at[0]);
  }

  /** While the walk is on: the others that can act, in the order in which it comes to them.
   * @param {string[]} actors  @returns {string[]} */
  ahead(actors) {
    const from = actors.indexOf(this.#at[0]) + 1;
    return this.#on ? [...actors.slice(from), ...actors.slice(0, from)] : [];
  }

  /** @param {string[]} actors  @param {string | undefined} last  @returns {string[]} */
  #go(actors, last) {
    const known = this.#before.length ? this.#before : actors;
    const from = last === undefined ? 0 : known.indexOf(last) + 1;
    const order = [...known.slice(from), ...known.slice(0, from), ...actors];
    const found = order.find((place) => actors.includes(place) && !this.#over.has(place));
    this.#before = actors;
    this.#at = found === undefined ? [] : [found];
    if (found === undefined) this.#on = false;
    return this.#at;
  }
}

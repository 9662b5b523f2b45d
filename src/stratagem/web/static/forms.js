// How a part that is written is filled in: slots for pieces of the drawing, or a number for each entry.

import { el } from "./api.js";

/** How a part that is written is filled in, as the server says.
 * @typedef {{ kind: "numbers" | "pieces", labels: string[], total: number | null, spare: boolean }} Form */

const DRAGGED = 8; // pixels that a pointer moves before it drags

/** Slots such as registers with cards: a click fills the first that is empty, or empties one; a card is dragged to any slot and
 * the others keep their places. */
export class Slots {
  /** @type {(string | null)[]} */
  #held; // the piece of each slot
  #form;
  #meaning; // pieces with what they mean
  #picture;
  #changed;
  #dragged = false; // whether the pointer that is down drags something

  /** @param {HTMLElement} place  @param {Form} form  @param {[string, string][]} pieces
   * @param {(piece: string) => Element | null} picture  @param {() => void} changed */
  constructor(place, form, pieces, picture, changed) {
    this.#form = form;
    this.#held = form.labels.map(() => null);
    this.#meaning = new Map(pieces);
    this.#picture = picture;
    this.#changed = changed;
    place.setAttribute("aria-label", "Pieces to pick, in order");
    this.slots = el("ol", { class: "slots" });
    this.hand = el("div", { class: "hand", role: "group", "aria-label": "To pick from" });
    place.replaceChildren(this.slots, this.hand);
    this.#show();
  }

  /** The pieces that are picked. */
  get pieces() {
    return this.#held.filter((piece) => piece !== null);
  }

  /** What the slots say up to the first empty one. */
  get text() {
    const empty = this.#held.indexOf(null);
    return (empty < 0 ? this.#held : this.#held.slice(0, empty)).join(",");
  }

  /** What is in each slot, those that are empty among them, as `read` takes it; nothing where all are empty. */
  get begun() {
    return this.pieces.length ? this.#held.map((piece) => piece ?? "").join(",") : "";
  }

  get ready() {
    return !this.#held.includes(null);
  }

  /** What is wrong, if anything.
   * @param {string} piece */
  pick(piece) {
    const at = this.#held.indexOf(piece);
    const empty = this.#held.indexOf(null);
    if (at >= 0) this.#held[at] = null;
    else if (empty >= 0) this.#held[empty] = piece;
    else return `${this.#form.labels.length} are picked; pick one of them again to put it back`;
    this.#altered();
    return "";
  }

  undo() {
    const last = this.#held.findLast((piece) => piece !== null);
    if (last) this.pick(last);
  }

  /** Whether a text was taken over; nothing between two commas leaves a slot empty.
   * @param {string} text */
  read(text) {
    const wanted = text.split(",").map((piece) => piece.trim());
    const named = wanted.filter(Boolean);
    if (!named.length || wanted.length > this.#form.labels.length || named.some((piece) => !this.#meaning.has(piece))) return false;
    this.#held = this.#form.labels.map((_, k) => wanted[k] || null);
    this.#altered();
    return true;
  }

  /** Put a piece into a slot; what lay there goes where the piece came from.
   * @param {string} piece  @param {number} slot */
  put(piece, slot) {
    const from = this.#held.indexOf(piece);
    if (from === slot || !this.#meaning.has(piece) || !(slot in this.#held)) return;
    if (from >= 0) this.#held[from] = this.#held[slot];
    this.#held[slot] = piece;
    this.#altered();
  }

  /** Let go of a piece at a point of the page: over a slot it goes there.
   * @param {number} x  @param {number} y  @param {string} piece */
  dropped(x, y, piece) {
    const slot = /** @type {HTMLElement | null | undefined} */ (document.elementFromPoint(x, y)?.closest("[data-slot]"));
    if (slot) this.put(piece, Number(slot.dataset.slot));
  }

  #altered() {
    this.#show();
    this.#changed();
  }

  /** @param {any} down  @param {string} piece */
  #drag(down, piece) {
    const [x, y] = [down.clientX, down.clientY];
    const carried = down.currentTarget;
    this.#dragged = false;
    const move = (/** @type {PointerEvent} */ event) => {
      this.#dragged ||= Math.hypot(event.clientX - x, event.clientY - y) >= DRAGGED;
      if (this.#dragged) carried.style.transform = `translate(${event.clientX - x}px, ${event.clientY - y}px)`;
      carried.classList.toggle("carried", this.#dragged);
    };
    const up = (/** @type {PointerEvent} */ event) => {
      for (const [kind, hear] of /** @type {[string, any][]} */ ([["pointermove", move], ["pointerup", up], ["pointercancel", up]])) removeEventListener(kind, hear);
      carried.style.transform = "";
      carried.classList.remove("carried");
      if (!this.#dragged) return;
      if (event.type === "pointerup") this.dropped(event.clientX, event.clientY, piece);
      setTimeout(() => (this.#dragged = false)); // after the click that follows
    };
    for (const [kind, hear] of /** @type {[string, any][]} */ ([["pointermove", move], ["pointerup", up], ["pointercancel", up]])) addEventListener(kind, hear);
  }

  #show() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.pick;
    const taken = (/** @type {string} */ piece) => ({
      onclick: () => this.#dragged || this.pick(piece), onpointerdown: (/** @type {PointerEvent} */ event) => this.#drag(event, piece),
    });
    this.slots.replaceChildren(...this.#form.labels.map((label, k) => {
      const piece = this.#held[k];
      const meaning = piece === null ? "empty" : this.#meaning.get(piece);
      const slot = el("button", {
        type: "button", class: piece === null ? "slot" : "slot full", disabled: piece === null, "aria-label": `${label}: ${meaning}`,
        title: `${label}: ${meaning}`, ...(piece === null ? {} : taken(piece)),
      }, piece === null ? String(k + 1) : (this.#picture(piece) ?? piece));
      return el("li", { "data-slot": k }, slot);
    }));
    this.hand.replaceChildren(...[...this.#meaning].map(([piece, meaning]) =>
      el("button", {
        type: "button", class: "pick", "data-pick": piece, "aria-pressed": String(this.#held.includes(piece)), "aria-label": meaning,
        title: meaning, ...taken(piece),
      }, this.#picture(piece) ?? meaning)));
    if (focused) this.hand.querySelector(`[data-pick="${CSS.escape(focused)}"]`)?.focus();
  }
}

/** Numbers with commas between: each has a field with steps, with their sum beside what it may be. */
export class Numbers {
  #fields;
  #form;
  #sum;
  #changed;
  #example;

  /** @param {HTMLElement} place  @param {Form} form  @param {string | undefined} example  @param {() => void} changed */
  constructor(place, form, example, changed) {
    const given = example?.split(",") ?? [];
    this.#example = example;
    this.#form = form;
    this.#changed = changed;
    this.#sum = el("output", { class: "total" });
    this.#fields = form.labels.map((label, at) => /** @type {HTMLInputElement} */ (
      el("input", { type: "number", min: "0", max: form.total, step: "1", inputmode: "numeric", value: given[at] ?? "0", "aria-label": label, title: label,
        oninput: () => this.#altered() })));
    place.setAttribute("aria-label", "A number for each");
    place.replaceChildren(
      ...this.#fields.map((field, k) => el("span", { class: "stepper" }, el("small", { "aria-hidden": "true" }, form.labels[k]),
        el("button", { type: "button", "aria-label": `${form.labels[k]}, one less`, onclick: () => this.step(k, -1) }, "−"), field,
        el("button", { type: "button", "aria-label": `${form.labels[k]}, one more`, onclick: () => this.step(k, 1) }, "+"))),
      this.#sum);
    this.#total();
  }

  /** @returns {string[]} */
  get pieces() {
    return [];
  }

  get #numbers() {
    return this.#fields.map((field) => Math.max(0, Math.trunc(Number(field.value) || 0)));
  }

  get text() {
    return this.#numbers.join(",");
  }

  get begun() {
    return this.text;
  }

  /** Whether it holds what it began with. */
  get untouched() {
    return this.text === this.#example;
  }

  get ready() {
    const { total, spare } = this.#form;
    const all = this.#numbers.reduce((a, b) => a + b, 0);
    return total === null || all === total || (spare && all < total);
  }

  /** @param {number} entry  @param {number} by */
  step(entry, by) {
    const field = this.#fields[entry];
    field.value = String(Math.max(0, (Number(field.value) || 0) + by));
    this.#altered();
  }

  /** @param {string} text */
  read(text) {
    const wanted = text.split(",").map((one) => one.trim());
    if (wanted.length !== this.#fields.length || wanted.some((one) => !/^\d+$/.test(one))) return false;
    for (const [k, field] of this.#fields.entries()) field.value = wanted[k];
    this.#altered();
    return true;
  }

  #altered() {
    this.#total();
    this.#changed();
  }

  #total() {
    const { total, spare } = this.#form;
    const all = this.#numbers.reduce((a, b) => a + b, 0);
    const left = (total ?? all) - all;
    this.#sum.textContent = total === null ? `${all} in all` : left < 0 ? `${-left} too many` : `${all} of ${spare ? "at most " : ""}${total}${left && !spare ? `, ${left} left` : ""}`;
    this.#sum.classList.toggle("wrong", !this.ready);
  }
}

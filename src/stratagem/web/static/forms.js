// How a part that is written is filled in: slots for pieces of the drawing, or a number for each entry.

import { el } from "./api.js";

/** Slots that are filled in their order, such as registers with cards; a click on a full slot empties it. */
export class Slots {
  #held = []; // pieces, in the order of the slots
  #place;
  #form;
  #meaning; // pieces with what they mean
  #picture;
  #changed;

  constructor(place, form, pieces, picture, changed) {
    this.#place = place;
    this.#form = form;
    this.#meaning = new Map(pieces);
    this.#picture = picture;
    this.#changed = changed;
    place.setAttribute("aria-label", "Pieces to pick, in order");
    this.slots = el("ol", { class: "slots" });
    this.hand = el("div", { class: "hand", role: "group", "aria-label": "To pick from" });
    place.replaceChildren(this.slots, this.hand);
    this.#show();
  }

  get pieces() {
    return this.#held;
  }

  get text() {
    return this.#held.join(",");
  }

  get sound() {
    return true;
  }

  get ready() {
    return this.#held.length === this.#form.labels.length;
  }

  /** What is wrong, if anything. */
  pick(piece) {
    const at = this.#held.indexOf(piece);
    if (at >= 0) this.#held = this.#held.filter((_, k) => k !== at);
    else if (this.#held.length < this.#form.labels.length) this.#held = [...this.#held, piece];
    else return `${this.#form.labels.length} are picked; pick one of them again to put it back`;
    this.#show();
    this.#changed();
    return "";
  }

  undo() {
    if (this.#held.length) this.pick(this.#held.at(-1));
  }

  /** Whether a text was taken over. */
  read(text) {
    const wanted = text.split(",").map((piece) => piece.trim()).filter(Boolean);
    if (!wanted.length || wanted.length > this.#form.labels.length || wanted.some((piece) => !this.#meaning.has(piece))) return false;
    this.#held = wanted;
    this.#show();
    this.#changed();
    return true;
  }

  /** Exchange two slots, or take a piece of the hand to a slot. */
  #swap(from, to) {
    const held = [...this.#held];
    if (from >= held.length || to >= held.length) return;
    [held[from], held[to]] = [held[to], held[from]];
    this.#held = held;
    this.#show();
    this.#changed();
  }

  #show() {
    const focused = document.activeElement?.dataset?.pick;
    this.slots.replaceChildren(...this.#form.labels.map((label, k) => {
      const piece = this.#held[k];
      const meaning = piece === undefined ? "empty" : this.#meaning.get(piece);
      const slot = el("button", {
        type: "button", class: piece === undefined ? "slot" : "slot full", disabled: piece === undefined, draggable: piece !== undefined,
        "aria-label": `${label}: ${meaning}`, title: `${label}: ${meaning}`, onclick: () => this.pick(piece),
        ondragstart: (event) => event.dataTransfer.setData("text/plain", String(k)),
        ondragover: (event) => event.preventDefault(),
        ondrop: (event) => { event.preventDefault(); this.#swap(Number(event.dataTransfer.getData("text/plain")), k); },
      }, piece === undefined ? String(k + 1) : (this.#picture(piece) ?? piece));
      return el("li", {}, slot);
    }));
    this.hand.replaceChildren(...[...this.#meaning].map(([piece, meaning]) =>
      el("button", {
        type: "button", class: "pick", "data-pick": piece, "aria-pressed": String(this.#held.includes(piece)), "aria-label": meaning,
        title: meaning, onclick: () => this.pick(piece),
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

  constructor(place, form, example, changed) {
    const given = example?.split(",") ?? [];
    this.#form = form;
    this.#changed = changed;
    this.#sum = el("output", { class: "total" });
    this.#fields = form.labels.map((label, at) =>
      el("input", { type: "number", min: "0", max: form.total, step: "1", inputmode: "numeric", value: given[at] ?? "0", "aria-label": label, title: label,
        oninput: () => this.#told() }));
    place.setAttribute("aria-label", "A number for each");
    place.replaceChildren(
      ...this.#fields.map((field, k) => el("span", { class: "stepper" }, el("small", { "aria-hidden": "true" }, form.labels[k]),
        el("button", { type: "button", "aria-label": `${form.labels[k]}, one less`, onclick: () => this.step(k, -1) }, "−"), field,
        el("button", { type: "button", "aria-label": `${form.labels[k]}, one more`, onclick: () => this.step(k, 1) }, "+"))),
      this.#sum);
    this.#total();
  }

  get pieces() {
    return [];
  }

  get #numbers() {
    return this.#fields.map((field) => Math.max(0, Math.trunc(Number(field.value) || 0)));
  }

  get text() {
    return this.#numbers.join(",");
  }

  get ready() {
    const { total, spare } = this.#form;
    const all = this.#numbers.reduce((a, b) => a + b, 0);
    return total === null || all === total || (spare && all < total);
  }

  /** A sum that is too small is drawn too; the server refuses it only when it is committed. */
  get sound() {
    return this.ready;
  }

  step(entry, by) {
    const field = this.#fields[entry];
    field.value = String(Math.max(0, (Number(field.value) || 0) + by));
    this.#told();
  }

  read(text) {
    const wanted = text.split(",").map((one) => one.trim());
    if (wanted.length !== this.#fields.length || wanted.some((one) => !/^\d+$/.test(one))) return false;
    for (const [k, field] of this.#fields.entries()) field.value = wanted[k];
    this.#told();
    return true;
  }

  #told() {
    this.#total();
    this.#changed();
  }

  #total() {
    const { total, spare } = this.#form;
    const all = this.#numbers.reduce((a, b) => a + b, 0);
    const left = total - all;
    this.#sum.textContent = total === null ? `${all} in all` : left < 0 ? `${-left} too many` : `${all} of ${spare ? "at most " : ""}${total}${left && !spare ? `, ${left} left` : ""}`;
    this.#sum.classList.toggle("wrong", !this.ready);
  }
}

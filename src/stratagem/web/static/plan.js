// Building a plan part by part: what it is so far, what may come next, undo, commit. The server judges; this only asks.

import { el } from "./api.js";

const SHOWN = 60; // buttons at first; typing or pointing at places narrows them down

const words = (text) => text.toLowerCase().match(/[a-z]+\d+|\d+|[a-z_]+/g) ?? [];

/** Whether a part mentions places in the order in which they were pointed at: `east move c1c2` mentions `east c1`, `east c2`. */
function mentions(part, places) {
  const said = words(part);
  let from = 0;
  return places.every((place) => {
    const wanted = words(place);
    const at = said.indexOf(wanted.at(-1), from);
    if (at < 0 || !wanted.every((word) => said.includes(word))) return false;
    from = at + 1;
    return true;
  });
}

export class Plan {
  prefix = []; // the parts chosen so far
  parts = null; // what the server says may come next
  places = []; // pointed at on the board, to narrow down what may come next
  #place;
  #board;
  #ask;
  #commit;
  #simple;
  #drawing; // gives the position's own drawing
  #sketched = false; // whether the board shows a plan begun
  #busy = false;
  #seat = null; // whose plan it is
  #turn = 0; // counts positions, so that a late answer about an old one is dropped

  /** ask(prefix, play) gives parts as the server does, or plays a move to which nothing can be added and gives `played`;
   * commit(text) plays. simple: a whole move of one part is played at once. */
  constructor(place, board, { ask, commit, drawing }) {
    this.#place = place;
    this.#board = board;
    this.#ask = ask;
    this.#commit = commit;
    this.#drawing = drawing;
    this.title = place.querySelector("h2");
    this.chips = el("ol", { class: "chips", "aria-label": "The plan so far" });
    this.input = el("input", { type: "text", maxlength: "20000", spellcheck: "false", autocapitalize: "off", "aria-label": "Type a move or a part of it" });
    this.list = el("div", { class: "choices", role: "group", "aria-label": "What may come next" });
    this.undoButton = el("button", { type: "button", onclick: () => this.undo() }, "Undo part");
    this.commitButton = el("button", { type: "button", class: "primary", onclick: () => this.commit() }, "Commit");
    this.note = el("p", { class: "note" });
    this.problem = el("p", { role: "alert" });
    const form = el(
      "form",
      { class: "row", autocomplete: "off", onsubmit: (event) => { event.preventDefault(); this.#entered(); } },
      this.input,
      el("button", { type: "submit" }, "Add"),
    );
    this.fields = el("div", { class: "entries", role: "group" });
    this.input.addEventListener("input", () => { this.#list(); this.#mark(); });
    place.append(this.chips, this.fields, form, this.note, this.list, el("p", { class: "row" }, this.undoButton, this.commitButton), this.problem);
  }

  /** Start anew with what the server said about the empty plan; null: nothing to decide. */
  begin(parts, { simple = false, title = "Your move", seat = null } = {}) {
    this.#turn += 1;
    this.#simple = simple;
    this.#seat = seat;
    this.prefix = [];
    this.parts = parts;
    this.places = [];
    this.#busy = false;
    this.input.value = "";
    this.title.textContent = title;
    this.problem.textContent = "";
    this.#sketched = false;
    this.#place.hidden = !parts;
    this.#show();
  }

  get text() {
    return this.prefix.join(";");
  }

  async add(...more) {
    await this.#become([...this.prefix, ...more], true);
  }

  /** A place of the board was pointed at: keep the parts that mention it; the last one left is meant. */
  async point(place) {
    this.places = [...this.places, place];
    const left = this.parts.next.filter((part) => mentions(part, this.places));
    if (left.length === 1 && !this.parts.more) await this.add(left[0]);
    else this.#show();
  }

  /** A piece of a part that is written, such as a card: it goes to the end of what is written, or out of it again. */
  pick(piece) {
    const written = this.#written();
    const at = written.indexOf(piece);
    const most = this.parts?.form?.labels.length ?? Infinity;
    this.problem.textContent = "";
    if (at >= 0) written.splice(at, 1);
    else if (written.length < most) written.push(piece);
    else this.problem.textContent = `${most} are picked; pick one of them again to put it back`;
    this.input.value = written.join(",");
    this.#list();
    this.#mark();
  }

  #written() {
    return this.input.value.split(",").map((piece) => piece.trim()).filter(Boolean);
  }

  #mark() {
    const written = this.parts?.free ? [...this.prefix, this.input.value].flatMap((part) => part.split(/[ ,]+/)) : [];
    this.#board.mark([...this.prefix, ...this.places, ...written], "chosen", this.#seat);
    for (const button of this.fields.querySelectorAll("[data-pick]"))
      button.setAttribute("aria-pressed", String(written.includes(button.dataset.pick)));
  }

  /** The drawing's pieces as buttons too, large enough for a finger. */
  #pieces(pieces) {
    this.fields.setAttribute("aria-label", "Pieces to pick, in order");
    this.fields.replaceChildren(
      ...pieces.map(([piece, meaning]) => el("button", { type: "button", "data-pick": piece, onclick: () => this.pick(piece) }, meaning)),
    );
  }

  async undo() {
    if (this.places.length) {
      this.places = [];
      this.#show();
    } else if (this.prefix.length) await this.#become(this.prefix.slice(0, -1), false);
  }

  async commit() {
    const typed = this.input.value.trim();
    const text = [...this.prefix, ...(typed ? typed.split(";").map((part) => part.trim()) : [])].join(";");
    if (this.commitButton.disabled || this.#busy) return;
    this.#busy = true;
    this.#place.setAttribute("aria-busy", "true");
    this.problem.textContent = "";
    try {
      await this.#commit(text);
    } catch (error) {
      this.problem.textContent = error.message;
    } finally {
      this.#busy = false;
      this.#place.setAttribute("aria-busy", "false");
    }
  }

  async #entered() {
    const typed = this.input.value.trim();
    if (!typed) {
      if (this.parts?.complete) await this.commit();
      return;
    }
    await this.#become([...this.prefix, ...typed.split(";").map((part) => part.trim())], true);
  }

  async #become(prefix, growing) {
    if (this.#busy) return;
    const turn = this.#turn;
    const play = growing && this.#simple && prefix.length === 1;
    this.#busy = play; // what may be played is not asked for twice
    this.problem.textContent = "";
    this.#place.setAttribute("aria-busy", "true");
    try {
      const parts = await this.#ask(prefix, play);
      if (parts.played || turn !== this.#turn) return;
      this.prefix = parts.prefix ?? prefix;
      this.parts = parts;
      this.places = [];
      this.input.value = "";
      this.#show();
      if (growing && parts.complete && !parts.next.length) this.commitButton.focus();
    } catch (error) {
      if (turn === this.#turn) this.problem.textContent = error.message;
    } finally {
      if (turn === this.#turn) this.#busy = false;
      this.#place.setAttribute("aria-busy", "false");
    }
  }

  /** Offer the same again on a board that was drawn anew. */
  redraw() {
    this.#show();
  }

  #show() {
    const parts = this.parts;
    if (parts?.svg) this.#board.draw(parts.svg);
    else if (this.#sketched && parts) this.#board.draw(this.#drawing());
    this.#sketched = Boolean(parts?.svg);
    this.chips.replaceChildren(
      ...this.prefix.map((part) => el("li", {}, part)),
      ...(this.places.length ? [el("li", { class: "pointed" }, `${this.places.join(", ")} …`)] : []),
    );
    this.chips.hidden = !this.prefix.length && !this.places.length;
    this.undoButton.disabled = this.chips.hidden;
    this.note.textContent = parts?.free ?? "";
    this.input.placeholder = parts?.next?.length ? `such as ${parts.next[0]}` : "type here";
    this.#list();
    const next = parts?.next ?? [];
    const written = Boolean(parts?.free && !parts.complete);
    const here = this.#board.offer(next, (place) => next.some((part) => mentions(part, [...this.places, place])), written, this.#seat);
    this.fields.replaceChildren();
    if (written && parts.form?.kind === "numbers") this.#numbers(parts.form, next[0]);
    else if (written) this.#pieces(this.#board.pieces(this.#seat));
    this.#mark();
    this.list.classList.toggle("many", here > 0);
  }

  /** Numbers with commas between: each has a field of its own, with their sum beside what it may be. */
  #numbers({ labels, total, spare }, example) {
    const given = example?.split(",") ?? [];
    const sum = el("output", { class: "note" });
    const fields = labels.map((label, at) =>
      el("input", { type: "number", min: "0", max: total, step: "1", value: given[at] ?? "0", "aria-label": label, title: label }));
    const told = () => {
      const now = fields.map((field) => Math.max(0, Math.trunc(Number(field.value) || 0)));
      const all = now.reduce((a, b) => a + b, 0);
      sum.textContent = total === null ? ` ${all} in all` : ` ${all} of ${spare ? "at most " : ""}${total}`;
      sum.classList.toggle("wrong", total !== null && (all > total || (!spare && all < total)));
      return now;
    };
    const write = () => {
      this.input.value = told().join(",");
      this.#list();
    };
    for (const field of fields) field.addEventListener("input", write);
    told();
    this.fields.setAttribute("aria-label", "A number for each");
    this.fields.append(...fields, sum);
  }

  #list() {
    const { parts, input } = this;
    this.commitButton.disabled = !parts || !(input.value.trim() ? parts.free || !parts.next.length : parts.complete);
    const wanted = this.input.value.trim().toLowerCase();
    const next = (this.parts?.next ?? []).filter(
      (part) => part.toLowerCase().includes(wanted) && mentions(part, this.places),
    );
    const hidden = next.length - Math.min(next.length, SHOWN) + (this.parts?.more ?? 0);
    this.list.replaceChildren(
      ...next.slice(0, SHOWN).map((part) => el("button", { type: "button", class: "choice", onclick: () => this.add(part) }, part)),
      ...(hidden > 0 ? [el("span", { class: "note" }, `and ${hidden} more: type to narrow them down`)] : []),
    );
  }
}

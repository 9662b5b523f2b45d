// Building a plan part by part: what it is so far, what may come next, undo, commit. The server judges; this only asks.

import { el, kept, keep } from "./api.js";
import { Board } from "./board.js";
import { pieces, told } from "./drawings.js";
import { Numbers, Slots } from "./forms.js";

const SHOWN = 60; // buttons at first; typing or pointing at places narrows them down
const SOON = 120; // milliseconds after the last change of a form until its sketch is asked for

const read = new Map(); // texts with their words: the same few hundred are asked about for every place

function words(text) {
  if (read.size > 5000) read.clear();
  if (!read.has(text)) read.set(text, text.toLowerCase().match(/[a-z]+\d+|\d+|[a-z_]+/g) ?? []);
  return read.get(text);
}

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

/** A board whose clicks go into a plan, and the plan; `looked` hears of things that are only looked at. */
export function boardWithPlan(place, card, { looked, ...asked }) {
  const board = new Board(place, {
    clicked: (part) => plan.add(part),
    pointed: (at) => plan.point(at),
    picked: (piece) => plan.pick(piece),
    stepped: (entry, by) => plan.step(entry, by),
    looked,
  });
  const plan = new Plan(card, board, asked);
  return { board, plan };
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
  #form = null; // what a written part is filled in with, if it has a form
  #formed = null; // what the server says of what the form holds
  #later = 0; // the timer of its sketch
  #told = new Map(); // parts in words, as they were offered
  #name = null; // under which the plan is kept through a reload
  #reached = new Set(); // what may come next that the board offers

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
    this.hint = el("p", { class: "note" }, "Click on the board.");
    this.list = el("div", { class: "choices", role: "group", "aria-label": "What may come next" });
    this.more = el("div", { class: "choices", role: "group", "aria-label": "What the board offers too" });
    this.grave = el("div", { class: "grave row", role: "group", "aria-label": "Giving up" });
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
    this.input.addEventListener("input", () => this.#list());
    this.folded = el("details", { class: "typing" }, el("summary", {}, "Type it"), form, this.note, this.more);
    place.append(this.chips, this.fields, el("p", { class: "row" }, this.undoButton, this.commitButton), this.problem, this.hint,
      this.list, this.grave, this.folded);
    addEventListener("stratagem:notation", () => this.redraw());
  }

  /** Start anew with what the server said about the empty plan; null: nothing to decide. A plan that was begun under the
   * same name is taken up again. */
  begin(parts, { simple = false, title = "Your move", seat = null, name = null } = {}) {
    this.#turn += 1;
    if (!parts && this.parts) this.#place.style.minHeight = `${this.#place.offsetHeight}px`; // nothing below it jumps meanwhile
    if (parts) this.#place.style.minHeight = "";
    this.#simple = simple;
    this.#seat = seat;
    this.#name = name;
    this.prefix = [];
    this.parts = parts;
    this.places = [];
    this.#busy = false;
    this.#form = this.#formed = null;
    this.input.value = "";
    this.title.textContent = title;
    this.problem.textContent = "";
    this.#place.hidden = !parts;
    this.#show();
    const begun = parts && name ? kept(`plan ${name}`) : null;
    if (Array.isArray(begun) && begun.length) this.#become(begun, false);
  }

  get text() {
    return this.prefix.join(";");
  }

  async add(...more) {
    await this.#become([...this.prefix, ...more], true);
  }

  /** Another plan in place of this one. */
  async become(parts) {
    await this.#become(parts.map((part) => part.trim()), false);
  }

  /** A place of the board was pointed at: keep the parts that mention it; the last one left is meant, once all its places were
   * pointed at. One that does not go on from what was pointed at begins anew, and pointing at the same again lets go of it. */
  async point(place) {
    const again = this.places.at(-1) === place && !this.#fitting([...this.places, place]).length;
    if (again) this.places = this.places.slice(0, -1);
    else this.places = this.#fitting([...this.places, place]).length ? [...this.places, place] : [place];
    const left = this.#fitting(this.places);
    const meant = !again && left.length === 1 && !this.parts.more;
    if (meant && this.#board.named().every((name) => this.places.includes(name) || !mentions(left[0], [name]))) await this.add(left[0]);
    else this.#show();
  }

  #fitting(places) {
    return (this.parts?.next ?? []).filter((part) => mentions(part, places));
  }

  /** A piece of a part that is written, such as a card: it goes into the next place of the form, or out of it again. */
  pick(piece) {
    this.problem.textContent = this.#form?.pick?.(piece) ?? "";
  }

  /** A number of the form, up or down. */
  step(entry, by) {
    this.#form?.step?.(entry, by);
  }

  async undo() {
    if (this.places.length) {
      this.places = [];
      this.#show();
    } else if (this.prefix.length) await this.#become(this.prefix.slice(0, -1), false);
    else this.#form?.undo?.();
  }

  /** Without one of its parts, if what follows still fits. */
  async drop(index) {
    await this.#become(this.prefix.filter((_, k) => k !== index), false);
  }

  async commit() {
    if (this.commitButton.disabled || this.#busy) return;
    const text = [...this.prefix, ...(this.#form ? [this.#form.text] : [])].join(";");
    this.#busy = true;
    this.#place.setAttribute("aria-busy", "true");
    this.problem.textContent = "";
    try {
      await this.#commit(text);
      if (this.#name) keep(`plan ${this.#name}`, null);
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
      if (!this.commitButton.disabled) await this.commit();
      return;
    }
    const wanted = typed.split(";").map((part) => part.trim());
    if (this.#form?.read(wanted[0])) {
      this.input.value = "";
      return;
    }
    await this.#become([...this.prefix, ...wanted], true);
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
      this.#form = this.#formed = null;
      this.input.value = "";
      if (this.#name) keep(`plan ${this.#name}`, this.prefix);
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

  /** A part in words, unless notation is wanted. */
  #saying(part) {
    return kept("notation") ? part : (this.#told.get(part) ?? part);
  }

  #show() {
    const { parts } = this;
    for (const [k, part] of (parts?.next ?? []).entries()) if (parts.said) this.#told.set(part, parts.said[k]);
    this.#sketch(parts);
    this.chips.replaceChildren(
      ...this.prefix.map((part, k) => el("li", { title: part }, this.#saying(part), " ",
        el("button", { type: "button", class: "quiet drop", "aria-label": `Take out: ${this.#saying(part)}`, onclick: () => this.drop(k) }, "×"))),
      ...(this.places.length ? [el("li", { class: "pointed" }, `${this.places.map((place) => this.#board.called(place)).join(", then ")} …`)] : []),
    );
    this.chips.hidden = !this.prefix.length && !this.places.length;
    this.note.textContent = parts?.free ?? "";
    this.input.placeholder = parts?.next?.length ? `such as ${parts.next[0]}` : "type here";
    const written = Boolean(parts?.free && !parts.complete);
    if (written && parts.form && !this.#form) this.#fill(parts);
    if (!written) this.fields.replaceChildren();
    this.#offer();
    this.#list();
  }

  /** The sketch that comes with an answer, or the position's own drawing when there is none any more. */
  #sketch(parts) {
    if (parts?.sketch) this.#board.draw(told(pieces(this.#drawing()), parts.sketch), { tween: 250 });
    else if (this.#sketched && parts) this.#board.draw(this.#drawing(), { tween: 250 });
    this.#sketched = Boolean(parts?.sketch);
  }

  #offer() {
    const { parts } = this;
    const next = parts?.next ?? [];
    const chosen = this.places.length > 0;
    this.#reached = new Set();
    const mentioned = (place) => {
      const found = this.#fitting([place]);
      for (const part of found) this.#reached.add(part);
      return found.length > 0;
    };
    this.#board.offer({
      parts: next,
      mentioned,
      targets: (place) => chosen && this.#fitting([...this.places, place]).length > 0,
      written: Boolean(parts?.form?.kind === "pieces"),
      numbers: Boolean(parts?.form?.kind === "numbers"),
      seat: this.#seat,
    });
    const held = this.#form?.pieces ?? [];
    this.#board.mark([...this.prefix, ...this.places, ...held], "chosen", this.#seat);
    for (const part of this.#board.offered()) this.#reached.add(part);
  }

  /** A form for a part that is written: slots for pieces of the drawing, or a number for each entry. */
  #fill(parts) {
    const changed = () => this.#changed();
    this.#form = parts.form.kind === "numbers"
      ? new Numbers(this.fields, parts.form, parts.next[0], changed)
      : new Slots(this.fields, parts.form, this.#board.pieces(this.#seat), (piece) => this.#board.picture(piece), changed);
    if (this.#form.text) this.#changed();
  }

  /** What the form holds is other than before: say so at once, and ask for its sketch soon. */
  #changed() {
    const turn = this.#turn;
    this.#formed = null;
    this.problem.textContent = "";
    this.#board.mark([...this.prefix, ...this.#form.pieces], "chosen", this.#seat);
    this.#list();
    clearTimeout(this.#later);
    const text = this.#form.text;
    if (!text || !this.#form.sound) return;
    this.#later = setTimeout(async () => {
      try {
        const answer = await this.#ask([...this.prefix, text], false);
        if (turn !== this.#turn || this.#form?.text !== text) return;
        this.#formed = answer;
        this.#sketch(answer);
        this.#offer();
        this.#list();
      } catch (error) {
        if (turn === this.#turn && this.#form?.text === text) this.problem.textContent = error.message;
      }
    }, SOON);
  }

  #list() {
    const { parts, input } = this;
    this.commitButton.disabled = !parts || Boolean(input.value.trim()) || !(this.#form ? this.#form.ready && this.#formed?.complete !== false : parts.complete && this.prefix.length);
    this.commitButton.hidden = this.#simple && !this.#form && !this.prefix.length; // a click plays, or begins a plan
    this.undoButton.hidden = this.commitButton.hidden && this.chips.hidden;
    this.undoButton.disabled = this.chips.hidden && !this.#form?.pieces.length;
    const wanted = input.value.trim().toLowerCase();
    const grave = new Set(parts?.grave ?? []);
    const next = this.#form ? [] : this.#fitting(this.places).filter(
      (part) => part.toLowerCase().includes(wanted) || this.#saying(part).toLowerCase().includes(wanted),
    );
    const button = (part, more) =>
      el("button", { type: "button", class: "choice", "data-choice": part, title: part, onclick: () => this.add(part), ...more }, this.#saying(part));
    // What the board offers is folded away, until something on it was pointed at: then what is left is to be chosen from.
    const shown = next.filter((part) => !grave.has(part));
    const open = this.places.length ? shown : shown.filter((part) => !this.#reached.has(part));
    this.#fillList(this.list, open, button, this.places.length ? (parts?.more ?? 0) : 0);
    const also = this.places.length ? [] : shown.filter((part) => this.#reached.has(part));
    this.#fillList(this.more, also, button, this.places.length ? 0 : (parts?.more ?? 0));
    this.hint.hidden = !also.length || this.prefix.length > 0;
    this.folded.firstChild.textContent = also.length ? "List, or type it" : "Type it";
    this.grave.replaceChildren(
      ...next.filter((part) => grave.has(part)).map((part) =>
        button(part, { class: "danger", onclick: (event) => this.#sure(event.target, part) })),
    );
    this.grave.hidden = !this.grave.children.length;
  }

  #fillList(list, found, button, unlisted) {
    const hidden = found.length - Math.min(found.length, SHOWN) + unlisted;
    list.replaceChildren(
      ...found.slice(0, SHOWN).map((part) => button(part, {})),
      ...(hidden > 0 ? [el("span", { class: "note" }, `and ${hidden} more: type to narrow them down`)] : []),
    );
    list.hidden = !list.children.length;
  }

  /** What gives something up is asked about once more. */
  #sure(asked, part) {
    if (asked.dataset.sure) return this.add(part);
    asked.dataset.sure = "1";
    asked.textContent = `Really: ${this.#saying(part)}?`;
  }
}

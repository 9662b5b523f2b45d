// Building a plan part by part: what it is so far, what may come next, undo, commit. The server judges; this only asks.

import { el, kept, keep } from "./api.js";
import { Board } from "./board.js";
import { pieces, redrawn } from "./drawings.js";
import { Numbers, Slots } from "./forms.js";
import { Checklist, Walk } from "./steps.js";

const SHOWN = 60; // buttons at first; typing or pointing at places narrows them down
const SOON = 120; // milliseconds after the last change of a form until its sketch is asked for

/** What went wrong, in a line.
 * @param {unknown} error */
const line = (error) => (error instanceof Error ? error.message : String(error));

/** Whether a part that is about some places goes on from those that were pointed at: it has all of them, in their order.
 * @param {string[]} about  @param {string[]} places */
export function goesOn(about, places) {
  let from = 0;
  return places.every((place) => {
    const at = about.indexOf(place, from);
    from = at + 1;
    return at >= 0;
  });
}

/** What the server says of a plan as it grows.
 * @typedef {{
 *   prefix: string[], worded?: string[] | null, next: string[], said: string[] | null, places: string[][] | null, more: number, complete: boolean,
 *   steps?: import("./steps.js").Step[], held?: string[], free: string | null, grave: string[], form: import("./forms.js").Form | null, sketch: import("./drawings.js").Telling | null,
 *   played: any,
 * }} Parts
 * @typedef {{
 *   ask: (prefix: string[], play: boolean) => Promise<Parts>, commit: (text: string) => any, drawing: () => string,
 *   looked?: (place: string) => void, finish?: (prefix: string[], tell: (words: string) => void) => Promise<string[] | null>,
 * }} Asked */

/** A board whose clicks go into a plan, and the plan; `looked` hears of things that are only looked at.
 * @param {HTMLElement} place  @param {HTMLElement} card  @param {Asked} asked */
export function boardWithPlan(place, card, asked) {
  const board = new Board(place, {
    clicked: (part) => plan.add(part),
    pointed: (at) => plan.point(at),
    picked: (piece) => plan.pick(piece),
    stepped: (entry, by) => plan.step(entry, by),
    looked: asked.looked,
    dropped: (x, y, piece) => plan.dropped(x, y, piece),
  });
  /** @type {Plan} */
  const plan = new Plan(card, board, asked);
  return { board, plan };
}

export class Plan {
  /** @type {string[]} */
  prefix = []; // the parts chosen so far
  grown = () => {}; // is called with every change
  /** @type {Parts | null} */
  parts = null; // what the server says may come next
  /** @type {string[]} */
  places = []; // pointed at on the board, to narrow down what may come next
  #place;
  #board;
  #ask;
  #commit;
  #simple = false;
  #finishes = false; // whether an engine may complete it
  #finish; // asks an engine for the rest
  #drawing; // gives the position's own drawing
  #sketched = false; // whether the board shows a plan begun
  #busy = false;
  /** @type {number | null} */
  #seat = null; // whose plan it is
  #walk = new Walk(); // from unit to unit
  /** @type {number | null} */
  #step = null; // of the turn, that was chosen
  #added = Infinity; // parts from this one on are the engine's
  #turn = 0; // counts positions, so that a late answer about an old one is dropped
  /** @type {Slots | Numbers | null} */
  #form = null; // what a written part is filled in with, if it has a form
  /** @type {Parts | null} */
  #formed = null; // what the server says of what the form holds
  /** @type {any} */
  #later = 0; // the timer of its sketch
  /** @type {Map<string, string>} */
  #described = new Map(); // parts in words, as they were offered
  /** @type {Map<string, string[]>} */
  #about = new Map(); // parts with the places of the board that they are about
  /** @type {string | null} */
  #name = null; // under which the plan is kept through a reload
  /** @type {Parts | null} */
  #before = null; // what might have come in place of the last part of a plan that is whole, so that another choice replaces it
  /** @type {{ prefix: string[], written: string } | null} */
  #replaced = null; // the plan that another one replaced as a whole, which undo brings back
  /** @type {Set<string>} */
  #reached = new Set(); // what may come next that the board offers

  /** ask(prefix, play) gives parts as the server does, or plays a move to which nothing can be added and gives `played`;
   * commit(text) plays. simple: a whole move of one part is played at once.
   * @param {HTMLElement} place  @param {Board} board  @param {Asked} asked */
  constructor(place, board, { ask, commit, drawing, finish }) {
    this.#place = place;
    this.#board = board;
    this.#ask = ask;
    this.#commit = commit;
    this.#drawing = drawing;
    this.#finish = finish;
    this.title = /** @type {HTMLElement} */ (place.querySelector("h2"));
    this.chips = el("ol", { class: "chips", "aria-label": "The plan so far" });
    this.input = el("input", { type: "text", maxlength: "20000", spellcheck: "false", autocapitalize: "off", "aria-label": "Type a move or a part of it" });
    this.hint = el("p", { class: "note" }, "Click on the board.");
    this.list = el("div", { class: "choices", role: "group", "aria-label": "What may come next" });
    this.more = el("div", { class: "choices", role: "group", "aria-label": "What the board offers too" });
    this.grave = el("div", { class: "grave row", role: "group", "aria-label": "Giving up" });
    this.undoButton = el("button", { type: "button", onclick: () => this.undo() }, "Undo part");
    this.commitButton = el("button", { type: "button", class: "primary", onclick: () => this.commit() }, "Commit");
    this.checklist = new Checklist((step) => this.#turnTo(step));
    this.nextButton = el("button", { type: "button", onclick: () => this.nextUnit() }, "Next unit");
    this.finishButton = el("button", { type: "button", onclick: () => this.finish() }, "Finish the rest for me");
    this.finished = el("p", { class: "note", role: "status" });
    this.note = el("p", { class: "note" });
    this.problem = el("p", { role: "alert" });
    const form = el(
      "form",
      { class: "row", autocomplete: "off", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.#entered(); } },
      this.input,
      el("button", { type: "submit" }, "Add"),
    );
    this.fields = el("div", { class: "entries", role: "group" });
    this.input.addEventListener("input", () => this.#list());
    this.folded = el("details", { class: "typing" }, el("summary", {}, "Type it"), form, this.note, this.more);
    const buttons = el("p", { class: "row commit" }, this.undoButton, this.nextButton, this.finishButton, this.commitButton);
    place.append(this.checklist.list, this.chips, this.fields, buttons, this.finished, this.problem, this.hint,
      this.list, this.grave, this.folded);
    for (const changed of ["stratagem:notation", "stratagem:theme"]) addEventListener(changed, () => this.redraw());
  }

  /** Start anew with what the server said about the empty plan; null: nothing to decide. A plan that was begun under the
   * same name is taken up again.
   * @param {Parts | null} parts  @param {{ simple?: boolean, title?: string, seat?: number | null, name?: string | null, finish?: boolean }} [more] */
  begin(parts, { simple = false, title = "Your move", seat = null, name = null, finish = false } = {}) {
    this.#turn += 1;
    if (!parts && this.parts) this.#place.style.minHeight = `${this.#place.offsetHeight}px`; // nothing below it jumps meanwhile
    if (parts) this.#place.style.minHeight = "";
    this.#simple = simple;
    this.#finishes = finish;
    this.#seat = seat;
    this.#name = name;
    this.prefix = [];
    this.parts = parts;
    this.places = [];
    this.#busy = false;
    this.#form = this.#formed = this.#before = this.#replaced = null;
    this.#walk.stop();
    this.#step = null;
    this.finished.textContent = "";
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

  /** @param {...string} more */
  async add(...more) {
    const parts = more.flatMap((part) => part.split(";")); // several may be offered as one
    await this.#become([...(this.#before ? this.prefix.slice(0, -1) : this.prefix), ...parts], true);
  }

  /** Another plan in place of this one, which undo brings back; a whole move of one part is played at once.
   * @param {string[]} parts */
  async become(parts) {
    const wanted = parts.map((part) => part.trim());
    if (this.#simple && !this.prefix.length && wanted.length === 1) return this.add(...wanted);
    const had = { prefix: this.prefix, written: this.#form?.begun ?? "" };
    if (!(wanted.length === 1 && this.#form?.read(wanted[0]))) await this.#become(wanted, false);
    if (!this.problem.textContent) this.#replaced = had;
    this.#list();
    return undefined;
  }

  /** A place of the board was pointed at: keep the parts that mention it; the last one left is meant, once all its places were
   * pointed at. One that does not go on from what was pointed at begins anew, and pointing at the same again lets go of it.
   * @param {string} place */
  async point(place) {
    const anew = this.#walk.chose(this.places) && this.#actors.includes(place); // nobody chose the unit that is pointed at
    if (anew && this.places.at(-1) !== place) this.places = [];
    else if (this.#walk.chose(this.places) && !this.#fitting([...this.places, place]).length) {
      // where the unit that is pointed at cannot go, the next one goes that can
      const next = this.#walk.ahead(this.#actors).find((unit) => this.#fitting([unit, place]).length);
      if (next) this.places = [next];
    }
    const again = this.places.at(-1) === place && !this.#fitting([...this.places, place]).length;
    if (again) this.places = this.places.slice(0, -1);
    else this.places = this.#fitting([...this.places, place]).length ? [...this.places, place] : [place];
    const left = this.#fitting(this.places);
    const meant = !again && left.length === 1 && !this.parts?.more;
    if (meant && this.#about.get(left[0])?.every((name) => this.places.includes(name))) await this.add(left[0]);
    else this.#show();
  }

  /** What may come next; of a plan that is whole, what may come in place of its last part. */
  get #next() {
    return (this.#before ?? this.parts)?.next ?? [];
  }

  /** What may come next and goes on from places.
   * @param {string[]} places */
  #fitting(places) {
    const found = places.length ? this.#next.filter((part) => goesOn(this.#about.get(part) ?? [], places)) : this.#next;
    const chosen = this.#step === null ? [] : (this.parts?.steps?.[this.#step]?.parts ?? []).map((k) => this.parts?.next[k]);
    const within = places.length ? found.filter((part) => chosen.includes(part)) : []; // the step that was chosen comes first
    return within.length ? within : found;
  }

  /** The units that can still act: what parts of two places or more begin at, those of the chosen step alone. */
  get #actors() {
    const { steps, next } = this.parts ?? {};
    if (!steps || !next) return [];
    const open = steps.filter(({ parts }, k) => parts.length && (this.#step === null || this.#step === k));
    const found = open.map(({ parts }) => [...new Set(parts.map((k) => this.#about.get(next[k]) ?? []).filter((about) => about.length > 1)
      .map(([first]) => first))]);
    return found.find((actors) => actors.length) ?? [];
  }

  /** Point at the next unit that can still act, and from now on do so after every one. */
  nextUnit() {
    this.#point(this.#walk.next(this.#actors, this.places));
    if (!this.places.length) this.finished.textContent = "Every unit has acted or was passed over.";
  }

  /** @param {string[]} places */
  #point(places) {
    this.places = places;
    this.#show();
    this.#board.near(places.at(-1));
  }

  /** Go to a step of the turn: what is pointed at is meant for it.
   * @param {number} step */
  #turnTo(step) {
    this.#step = this.#step === step ? null : step;
    this.#walk.stop();
    this.places = [];
    this.#show();
  }

  /** The engine adds what is missing; it is shown and can be undone before it is committed. */
  async finish() {
    if (!this.#finish || this.#busy) return;
    const [turn, had] = [this.#turn, this.prefix.length];
    this.finishButton.disabled = true;
    this.finished.textContent = "The engine completes your plan …";
    this.problem.textContent = "";
    try {
      const parts = await this.#finish(this.prefix, (words) => turn === this.#turn && (this.finished.textContent = `The engine: ${words}`));
      if (turn !== this.#turn || !parts) return;
      await this.become(parts);
      const added = parts.length - had;
      this.finished.textContent = added > 0 ? `The engine has added ${added} part${added > 1 ? "s" : ""}. Commit them, or undo.` : "The engine would add nothing.";
      this.#added = had;
      this.#show();
    } catch (error) {
      if (turn === this.#turn) [this.finished.textContent, this.problem.textContent] = ["", line(error)];
    } finally {
      this.finishButton.disabled = false;
    }
  }

  /** A piece of a part that is written, such as a card: it goes into the next place of the form, or out of it again.
   * @param {string} piece */
  pick(piece) {
    this.problem.textContent = this.#form instanceof Slots ? this.#form.pick(piece) : "";
  }

  /** A piece of the drawing that was let go of somewhere on the page.
   * @param {number} x  @param {number} y  @param {string | undefined} piece */
  dropped(x, y, piece) {
    if (this.#form instanceof Slots && piece !== undefined) this.#form.dropped(x, y, piece);
  }

  /** A number of the form, up or down.
   * @param {number} entry  @param {number} by */
  step(entry, by) {
    if (this.#form instanceof Numbers) this.#form.step(entry, by);
  }

  async undo() {
    if (this.places.length && !this.#walk.chose(this.places)) {
      this.places = [];
      this.#show();
    } else if (this.#replaced) {
      const { prefix, written } = this.#replaced;
      this.#replaced = null;
      await this.#become(prefix, false);
      if (written) this.#form?.read(written);
    } else if (this.prefix.length) await this.#become(this.prefix.slice(0, -1), false);
    else if (this.#form instanceof Slots) this.#form.undo();
  }

  /** Without one of its parts, if what follows still fits.
   * @param {number} index */
  async drop(index) {
    await this.#become(this.prefix.filter((_, k) => k !== index), false);
  }

  /** Whether a form holds the numbers that it began with. */
  get untouched() {
    return this.#form instanceof Numbers && this.#form.untouched;
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
      this.problem.textContent = line(error);
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
    const wanted = typed.split(";").map((/** @type {string} */ part) => part.trim());
    if (this.#form?.read(wanted[0])) {
      this.input.value = "";
      return;
    }
    await this.#become([...this.prefix, ...wanted], true);
  }

  /** @param {string[]} prefix  @param {boolean} growing */
  async #become(prefix, growing) {
    if (this.#busy) return;
    const turn = this.#turn;
    const acted = this.places[0];
    const play = growing && this.#simple && prefix.length === 1;
    this.#busy = play; // what may be played is not asked for twice
    this.problem.textContent = "";
    this.#place.setAttribute("aria-busy", "true");
    try {
      const parts = await this.#ask(prefix, play);
      if (parts.played || turn !== this.#turn) return;
      const before = await this.#alternatives(parts, parts.prefix ?? prefix);
      if (turn !== this.#turn) return;
      this.prefix = parts.prefix ?? prefix;
      this.parts = parts;
      this.#before = before;
      this.#replaced = null;
      this.places = [];
      this.#added = Infinity;
      this.finished.textContent = "";
      this.#form = this.#formed = null;
      this.input.value = "";
      this.#learn();
      const held = growing && parts.held?.length && this.#fitting(parts.held).length;
      if (held) this.#walk.hold(this.places = parts.held ?? []);
      else if (growing) this.places = this.#walk.on(this.#actors, acted);
      if (this.#name) keep(`plan ${this.#name}`, this.prefix);
      this.#show();
      if (growing) {
        this.chips.scrollTop = this.chips.scrollHeight; // the latest part
        if (!held) this.#board.near(this.places.at(-1)); // what stays pointed at was just clicked, or is put down elsewhere
      }
      if (growing && parts.complete && !parts.next.length) this.commitButton.focus();
    } catch (error) {
      if (turn === this.#turn) this.problem.textContent = line(error);
    } finally {
      if (turn === this.#turn) this.#busy = false;
      this.#place.setAttribute("aria-busy", "false");
    }
  }

  /** What might have come in place of the last part, where nothing can be added to a plan of several seats at once.
   * @param {Parts} parts  @param {string[]} prefix */
  async #alternatives({ complete, next, form }, prefix) {
    if (this.#simple || !complete || next.length || form || !prefix.length) return null;
    const kept = prefix.slice(0, -1);
    const known = this.#before ?? this.parts;
    const same = known?.prefix?.length === kept.length && known.prefix.every((part, k) => part === kept[k]);
    const before = same && known ? known : await this.#ask(kept, false);
    return before.free && !before.complete && !before.next.length ? null : before;
  }

  /** Offer the same again on a board that was drawn anew. */
  redraw() {
    this.#show();
  }

  /** A part in words, unless notation is wanted.
   * @param {string} part */
  #saying(part) {
    return kept("notation") ? part : (this.#described.get(part) ?? part);
  }

  /** What the server says of the parts that it offers. */
  #learn() {
    const { parts } = this;
    for (const [k, words] of (parts?.worded ?? []).entries()) this.#described.set(this.prefix[k], words);
    for (const offer of [parts, this.#before])
      for (const [k, part] of (offer?.next ?? []).entries()) {
        if (offer?.said) this.#described.set(part, offer.said[k]);
        this.#about.set(part, offer?.places?.[k] ?? []);
      }
  }

  #show() {
    const { parts } = this;
    this.#learn();
    this.checklist.show(parts?.steps ?? [], this.#step);
    this.nextButton.hidden = !this.#actors.length;
    this.finishButton.hidden = !this.#finishes || !parts || !(parts.next.length || !parts.complete);
    this.#sketch(parts);
    this.chips.replaceChildren(
      ...this.prefix.map((part, k) => el("li", { title: part, class: k >= this.#added ? "added" : null }, this.#saying(part), " ",
        el("button", { type: "button", class: "quiet drop", "aria-label": `Take out: ${this.#saying(part)}`, onclick: () => this.drop(k) }, "×"))),
      ...(this.places.length ? [el("li", { class: "pointed" }, `${this.places.map((place) => this.#board.called(place)).join(", then ")} …`)] : []),
    );
    this.chips.hidden = !this.prefix.length && !this.places.length;
    this.note.textContent = parts?.free ?? "";
    this.input.placeholder = parts?.next?.length ? `such as ${parts.next[0]}` : "type here";
    const written = Boolean(parts?.free && !parts.complete);
    if (parts && written && parts.form && !this.#form) this.#fill(parts);
    if (!written) this.fields.replaceChildren();
    this.#offer();
    this.#list();
  }

  /** The sketch that comes with an answer, or the position's own drawing when there is none any more.
   * @param {Parts | null} parts */
  #sketch(parts) {
    if (parts?.sketch) this.#board.draw(redrawn(pieces(this.#drawing()), parts.sketch), { tween: 250 });
    else if (this.#sketched && parts) this.#board.draw(this.#drawing(), { tween: 250 });
    this.#sketched = Boolean(parts?.sketch);
  }

  #offer() {
    const { parts } = this;
    const next = this.#next;
    const chosen = this.places.length > 0;
    this.#reached = new Set();
    /** @param {string} place */
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

  /** A form for a part that is written: slots for pieces of the drawing, or a number for each entry.
   * @param {Parts} parts */
  #fill(parts) {
    if (!parts.form) return;
    const changed = () => this.#changed();
    this.#form = parts.form.kind === "numbers"
      ? new Numbers(this.fields, parts.form, parts.next[0], changed)
      : new Slots(this.fields, parts.form, this.#board.pieces(this.#seat), (/** @type {string} */ piece) => this.#board.picture(piece), changed);
    const begun = this.#name ? kept(`plan ${this.#name}`)?.written : null;
    if (begun && this.#form.begun !== begun && this.#form.read(begun)) return; // which tells of it
    if (this.#form.text) this.#changed();
  }

  /** What the form holds is other than before: say so at once, and ask for its sketch soon. */
  #changed() {
    if (!this.#form) return;
    const turn = this.#turn;
    this.#formed = null;
    this.problem.textContent = "";
    this.#board.mark([...this.prefix, ...this.#form.pieces], "chosen", this.#seat);
    this.#list();
    clearTimeout(this.#later);
    const { text, begun } = this.#form;
    if (this.#name) keep(`plan ${this.#name}`, begun ? { written: begun } : null);
    if (!text) {
      if (this.#sketched) this.#sketch(this.parts);
      this.#offer();
      return;
    }
    this.#later = setTimeout(async () => {
      try {
        const answer = await this.#ask([...this.prefix, text], false);
        if (turn !== this.#turn || this.#form?.text !== text) return;
        this.#formed = answer;
        this.#sketch(answer);
        this.#offer();
        this.#list();
      } catch (error) {
        if (turn === this.#turn && this.#form?.text === text) this.problem.textContent = line(error);
      }
    }, SOON);
  }

  #list() {
    const { parts, input } = this;
    this.commitButton.disabled = !parts || Boolean(input.value.trim()) || !(this.#form ? this.#form.ready && this.#formed?.complete !== false : parts.complete && this.prefix.length);
    this.commitButton.hidden = this.#simple && !this.#form && !this.prefix.length; // a click plays, or begins a plan
    this.grown();
    this.undoButton.hidden = this.commitButton.hidden && this.chips.hidden;
    this.undoButton.disabled = this.chips.hidden && !this.#form?.pieces.length && !this.#replaced;
    const wanted = input.value.trim().toLowerCase();
    const grave = new Set(parts?.grave ?? []);
    const next = this.#form ? [] : this.#fitting(this.places).filter(
      (part) => part.toLowerCase().includes(wanted) || this.#saying(part).toLowerCase().includes(wanted),
    );
    /** @param {string} part  @param {object} more */
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
        button(part, { class: "danger", onclick: (/** @type {any} */ event) => this.#sure(event.target, part) })),
    );
    this.grave.hidden = !this.grave.children.length;
  }

  /** @param {HTMLElement} list  @param {string[]} found  @param {(part: string, more: object) => Node} button  @param {number} unlisted */
  #fillList(list, found, button, unlisted) {
    const hidden = found.length - Math.min(found.length, SHOWN) + unlisted;
    list.replaceChildren(
      ...found.slice(0, SHOWN).map((part) => button(part, {})),
      ...(hidden > 0 ? [el("span", { class: "note" }, `and ${hidden} more: type to narrow them down`)] : []),
    );
    list.hidden = !list.children.length;
  }

  /** What gives something up is asked about once more.
   * @param {any} asked  @param {string} part */
  #sure(asked, part) {
    if (asked.dataset.sure) return this.add(part);
    asked.dataset.sure = "1";
    asked.textContent = `Really: ${this.#saying(part)}?`;
  }
}

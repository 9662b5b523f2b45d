// The board: it draws what it is given, moves what has moved, lays marks over it and reports what was clicked or dragged. It
// knows no rules and no game.

import { el } from "./api.js";
import { lay, offerMarks } from "./layers.js";
import { isNight, night } from "./night.js";
import { animate, moves, rooted, standing } from "./tween.js";

const SHAPES = new Set(
  ("svg g title desc rect circle ellipse line polyline polygon path text tspan defs lineargradient radialgradient stop " +
    "pattern clippath mask marker use symbol").split(" "),
);
const SVG = "http://www.w3.org/2000/svg";
const NAMED = "[data-part], [data-place], [data-piece], [data-entry], .may";
const ROOMY = 840; // pixels across in which panels stand side by side
const DRAGGED = 8; // pixels that a pointer moves before it drags
const SEEN = 4000; // milliseconds
const FINGER = 44; // pixels across that a finger touches
const SMALL = 0.9 * FINGER; // of a target that a finger cannot tell from the one beside it
const LEGIBLE = 11; // pixels that a label is high, at least
const GROWTH = 1.25; // by which labels grow where they stand; where they would have to more, all of the drawing does
const FOOT = 72; // pixels of the window that the buttons of a plan cover on a telephone
const EDGE = 8; // pixels beyond the edge that are worth a word
const CLOSEST = 2400; // pixels across, at most, that a drawing is looked at from near

/** @typedef {import("./layers.js").Mark} Mark */
/** What a board tells of what is clicked, dragged or looked at.
 * @typedef {{
 *   clicked: (part: string) => void,
 *   pointed: (place: string) => void,
 *   picked: (piece: string) => void,
 *   stepped: (entry: number, by: number) => void,
 *   looked?: (place: string) => void,
 *   dropped?: (x: number, y: number, name: string | undefined) => void,
 * }} Listeners */
/** What may be clicked; see `offer`.
 * @typedef {{ parts?: string[], mentioned?: (place: string) => boolean, targets?: (place: string) => boolean, written?: boolean,
 *   numbers?: boolean, seat?: number | null }} Offer */

/** Only shapes and text; no script, no handler, no reference to anything outside the drawing.
 * @param {Element} element */
function tame(element) {
  for (const child of [...element.children]) {
    if (!SHAPES.has(child.localName.toLowerCase()) || child.namespaceURI !== SVG) child.remove();
    else tame(child);
  }
  for (const { name, value } of [...element.attributes]) {
    const outside = /^(?:xlink:)?href$/i.test(name) && !value.startsWith("#");
    const remote = /url\(/i.test(value) && !/^\s*url\(\s*['"]?#/i.test(value);
    if (/^on/i.test(name) || name === "style" || outside || remote) element.removeAttribute(name);
  }
}

/** What an element of a drawing stands for.
 * @type {(element: any) => string | undefined} */
const said = ({ dataset }) => dataset.part ?? dataset.place ?? dataset.at ?? dataset.piece ?? (dataset.entry && `${dataset.entry} ${dataset.by}`);
/** @type {(element: Element) => string | null | undefined} */
const titled = (element) => element.querySelector(":scope > title")?.textContent;

/** The shorter side of what is seen of an element, in pixels.
 * @param {Element} element */
function across(element) {
  const { width, height } = element.getBoundingClientRect();
  return Math.min(width, height);
}

/** Make what is shown of one drawing the next: what is alike in both stays as it is, so that little is laid out and painted
 * anew. `old` and `fresh` are the drawings as they were parsed.
 * @param {any} live  @param {any} old  @param {any} fresh */
function patch(live, old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const alike = old.nodeType === Node.ELEMENT_NODE && old.localName === fresh.localName && old.dataset.id === fresh.dataset.id &&
    old.childNodes.length === fresh.childNodes.length && live.childNodes.length === old.childNodes.length;
  if (!alike) {
    live.replaceWith(document.importNode(fresh, true));
    return;
  }
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) live.setAttribute(name, value);
  for (const { name } of old.attributes) if (!fresh.hasAttribute(name)) live.removeAttribute(name);
  const nodes = [...live.childNodes];
  for (const [k, node] of nodes.entries()) patch(node, old.childNodes[k], fresh.childNodes[k]);
}

/** Where a group is moved to.
 * @type {(element: Element) => number[]} */
const shifted = (element) => (/translate\(([\d.]+) ([\d.]+)\)/.exec(element?.getAttribute("transform") ?? "") ?? []).slice(1).map(Number);
/** @type {(element: Element, x: number, y: number) => void} */
const shift = (element, x, y) => element.setAttribute("transform", `translate(${x} ${y})`);
/** @type {(svg: Element) => any[]} */
const panelsOf = (svg) => [...svg.querySelectorAll(":scope > [data-panel]")];

/** Panels of a drawing (`data-panel`: how wide and high) stand below each other; where there is room, two in a row. What flows
 * (`data-flow`) fills the rows above them, and what stands after it (`data-after`) moves up.
 * @param {Element} svg */
function arrange(svg) {
  const panels = panelsOf(svg);
  const [left, top] = shifted(panels[0]);
  if (panels.length < 2 || left === undefined) return null;
  const sizes = panels.map(({ dataset }) => dataset.panel.split(" ").map(Number));
  const across = left + sizes[0][0] + 12;
  const width = across + left + sizes[0][0] + 8;
  let y = top - flow(svg, width);
  for (const [k, panel] of panels.entries()) {
    shift(panel, left + (k % 2) * across, y);
    if (k % 2 || k === panels.length - 1) y += Math.max(...sizes.slice(k - (k % 2), k + 1).map(([, high]) => high));
  }
  const height = y + 6;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const paper = svg.querySelector(":scope > rect");
  paper?.setAttribute("width", String(width));
  paper?.setAttribute("height", String(height));
  return [width, height];
}

/** Lay what flows out over the whole width; how much height that saves.
 * @param {Element} svg  @param {number} width */
function flow(svg, width) {
  /** @type {any[]} */
  const flowing = [...svg.querySelectorAll(":scope > [data-flow]")];
  if (!flowing.length) return 0;
  const [wide, high] = flowing[0].dataset.flow.split(" ").map(Number);
  const [left, top] = shifted(flowing[0]);
  const rows = new Set(flowing.map((element) => shifted(element)[1])).size;
  const many = Math.max(1, Math.floor((width - left) / wide));
  for (const [k, element] of flowing.entries()) shift(element, left + (k % many) * wide, top + Math.floor(k / many) * high);
  const saved = (rows - Math.ceil(flowing.length / many)) * high;
  for (const element of svg.querySelectorAll(":scope > [data-after]")) {
    const [x, y] = shifted(element);
    shift(element, x, y - saved);
  }
  return saved;
}

/** Labels as they were drawn.
 * @param {Element} svg */
function unread(svg) {
  for (const text of /** @type {NodeListOf<SVGTextElement>} */ (svg.querySelectorAll("text[data-size]"))) {
    text.setAttribute("font-size", text.dataset.size ?? "");
    text.removeAttribute("visibility");
    delete text.dataset.size;
  }
}

/** Make labels at least so large; `crowded`: the smaller ones give way to those that they would run into.
 * @param {[number, SVGTextElement][]} sizes  @param {number} wanted  @param {boolean} crowded */
function grow(sizes, wanted, crowded) {
  for (const [size, text] of sizes) {
    if (size >= wanted) continue;
    text.dataset.size = String(size);
    text.setAttribute("font-size", wanted.toFixed(2));
  }
  if (!crowded) return;
  /** @type {DOMRect[]} */
  const taken = [];
  for (const [size, text] of [...sizes].sort(([a], [b]) => b - a)) {
    const box = text.getBoundingClientRect();
    const hit = taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
    if (!hit) taken.push(box);
    else if (size < wanted) text.setAttribute("visibility", "hidden");
  }
}

export class Board {
  #place;
  #tell;
  /** @type {string | null | undefined} */
  #last = null; // what the part that last had the focus says
  #large = 0; // pixels across, looked at larger
  #width = 0; // of the drawing, in its own units
  #whole = false; // whether all of it is asked for, however small
  #near = 0; // the same, so that a finger tells what may be clicked apart
  #touched = false; // whether the pointer that was last down is a finger
  /** @type {HTMLElement | null} */
  #toast = null; // says what a tap has done
  /** @type {any} */
  #later = 0; // the timer of what it says
  /** @type {HTMLElement | null} */
  #button = null; // that shows the drawing larger
  /** @type {Map<string, Mark[]>} */
  #layers = new Map(); // marks by the name of their layer, laid again over every drawing
  /** @type {Animation[]} */
  #running = []; // animations under way
  #night = false; // whether it is shown in the colours of the night
  /** @type {string | null} */
  #drawn = null; // the text of the drawing shown
  /** @type {Element | null} */
  #parsed = null; // the same as it was parsed, before anything was offered or marked
  /** @type {number[] | null} */
  #first = null; // width and height of the first drawing of this width, which decides how large a unit is
  #dragged = false; // whether the pointer that is down drags something

  /** tell: { clicked(part), pointed(place), picked(piece), stepped(entry, by) } are called with what the drawing names, and
   * looked(place), if it is there, with any place that is clicked.
   * @param {HTMLElement} place  @param {Listeners} tell */
  constructor(place, tell) {
    this.#place = place;
    this.#tell = tell;
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener("pointerdown", (event) => {
      this.#touched = event.pointerType === "touch";
      this.#drag(event);
    });
    place.addEventListener("click", (event) => this.#tap(event), { capture: true });
    place.addEventListener("click", (event) => this.#look(event.target));
    place.addEventListener("scroll", () => this.#edge(), { passive: true });
    addEventListener("stratagem:theme", () => this.#drawn && this.draw(this.#drawn));
  }

  /** The drawing that is shown.
   * @returns {any} */
  get #svg() {
    return this.#place.querySelector(":scope > svg");
  }

  /** Show a drawing; with `tween`, over so many milliseconds, what moved is seen to move.
   * @param {string} text */
  draw(text, { tween = 0 } = {}) {
    this.settle();
    if (text === this.#drawn && this.#night === isNight()) return;
    this.#night = isNight();
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const svg = parsed.documentElement;
    if (svg.localName !== "svg") return;
    this.#drawn = text;
    tame(svg);
    if (this.#night) night(svg);
    document.body.classList.toggle("panelled", panelsOf(svg).length > 1); // which is given more of the page's width
    const room = this.#place.clientWidth >= ROOMY ? arrange(svg) : null;
    const width = room?.[0] ?? (Number(svg.getAttribute("width")) || 400);
    const height = room?.[1] ?? (Number(svg.getAttribute("height")) || width);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    const tweened = tween && moves() && this.#svg;
    const before = tweened ? rooted(this.#svg, standing(this.#svg)) : [];
    const focused = this.#leave();
    const shown = this.#become(svg);
    // It fits the page's width; the height of a window makes it no smaller than it was drawn. The first drawing decides: a
    // later one that is higher makes the page longer, and the board keeps its size. What is small on a small screen can be
    // looked at larger, and then scrolls within its own box.
    if (this.#first?.[0] !== width) this.#first = [width, height];
    const [, high] = /** @type {number[]} */ (this.#first);
    shown.style.maxWidth = `min(${Math.min(Math.max(width * 2, 480), 1100)}px, max(72vh, ${high}px) * ${(width / high).toFixed(4)})`;
    shown.style.maxHeight = "none";
    this.#large = Math.max(width * 1.25, 640);
    this.#size(shown);
    this.#width = width;
    if (this.#button) this.#read(shown);
    for (const part of shown.querySelectorAll("[data-part]")) part.setAttribute("cursor", "default");
    this.#name(shown);
    if (focused) this.#place.focus({ preventScroll: true }); // until there is a part again to give it to
    for (const [name, marks] of this.#layers) lay(shown, name, marks);
    if (before.length) this.#running = animate(before, shown, tween);
  }

  /** The element that shows a drawing: the one that is there, with what differs exchanged, or a new one.
   * @param {Element} svg */
  #become(svg) {
    const [live, old] = [this.#svg, this.#parsed];
    this.#parsed = svg;
    if (live && old && old.childNodes.length === svg.childNodes.length) {
      for (const layer of live.querySelectorAll(":scope > .layer")) layer.remove();
      unread(live);
      for (const element of live.querySelectorAll(NAMED)) {
        element.onclick = null;
        element.classList.remove("may", "target", "cannot", "chosen", "candidate");
        for (const name of ["role", "tabindex", "aria-label"]) element.removeAttribute(name);
      }
      patch(live, old, svg);
      return this.#svg;
    }
    const shown = document.importNode(svg, true);
    this.#place.replaceChildren(shown);
    return shown;
  }

  /** Whatever still moves is where it goes. */
  settle() {
    for (const animation of this.#running) animation.finish();
    this.#running = [];
  }

  /** Marks over the drawing: [{ kind, places }], which stay over later drawings until they are replaced.
   * @param {string} name  @param {Mark[]} [marks] */
  layer(name, marks = []) {
    this.#layers.set(name, marks);
    if (!this.#svg) return;
    const svg = this.#svg;
    this.#atRest(() => lay(svg, name, marks));
  }

  /** Do something where things come to rest, also while they still move: for a moment all of it is over.
   * @param {() => void} act */
  #atRest(act) {
    const times = this.#running.map((animation) => animation.currentTime);
    for (const animation of this.#running) animation.currentTime = animation.effect?.getComputedTiming().endTime ?? null;
    act();
    for (const [k, animation] of this.#running.entries()) animation.currentTime = times[k];
  }

  /** Labels that can be read: a little larger where they stand, or on a drawing that is wider than the page and scrolls. Where
   * all of it is asked for, those stay that find room.
   * @param {any} svg */
  #read(svg) {
    this.#legible(svg);
    const scrolls = this.#enlarged || svg.style.minWidth;
    if (this.#button) this.#button.textContent = scrolls ? "All of it" : "Larger";
    this.#edge();
  }

  /** Whether there is more to the right: the edge then fades. */
  #edge() {
    const { scrollWidth, clientWidth, scrollLeft } = this.#place;
    this.#place.classList.toggle("more", scrollWidth - clientWidth - scrollLeft > EDGE);
  }

  /** @param {any} svg */
  #legible(svg) {
    svg.style.minWidth = "";
    unread(svg);
    const shown = svg.getBoundingClientRect().width;
    if (!shown || this.#enlarged) return;
    const wanted = (LEGIBLE * this.#width) / shown; // a label's height in the drawing's units
    /** @type {[number, SVGTextElement][]} */
    const sizes = [...svg.querySelectorAll("text[font-size]")].map((text) => [Number(text.getAttribute("font-size")), text]);
    const smallest = Math.min(...sizes.map(([size]) => size));
    if (!Number.isFinite(smallest) || smallest >= wanted) return;
    const fits = smallest * GROWTH >= wanted;
    if (fits || this.#whole) grow(sizes, wanted, !fits);
    else svg.style.minWidth = `${Math.ceil((shown * wanted) / smallest)}px`;
  }

  get #enlarged() {
    return this.#place.classList.contains("large");
  }

  /** @param {any} svg */
  #size(svg) {
    svg.style.width = this.#enlarged ? `${Math.max(this.#large, this.#near, 1.6 * this.#place.clientWidth)}px` : "";
  }

  /** A button that shows the drawing larger, within a box that scrolls, and back.
   * @param {HTMLElement} button */
  enlarge(button) {
    this.#button = button;
    button.addEventListener("click", () => this.#stand(!this.#enlarged && !this.#svg?.style.minWidth));
  }

  /** @param {boolean} near */
  #stand(near) {
    this.#place.classList.toggle("large", near);
    this.#button?.setAttribute("aria-pressed", String(near));
    this.#place.setAttribute("tabindex", near ? "0" : "-1");
    this.#whole = !near;
    if (!near) this.#near = 0;
    if (this.#svg) {
      this.#size(this.#svg);
      this.#read(this.#svg);
    }
  }

  // A finger touches more than a point. What alone may be clicked under it is meant, also a little beside it; where it touches
  // several small things, the drawing comes so near that it can tell them apart, and nothing is clicked yet.
  /** @param {any} event */
  #tap(event) {
    if (!this.#touched || this.#dragged) return;
    const touched = this.#under(event.clientX, event.clientY);
    const hit = event.target.closest?.(".may") ?? touched[0];
    if (!hit) return;
    if (touched.length > 1 && across(hit) < SMALL && this.#nearer(event.clientX, event.clientY)) {
      event.stopPropagation();
      this.say("Closer now: tap again to choose.");
    } else if (!hit.contains(event.target)) {
      event.stopPropagation();
      hit.onclick?.();
      this.#look(hit);
    }
  }

  /** A line over the page for a while.
   * @param {string} words */
  say(words) {
    this.#toast?.remove();
    const toast = (this.#toast = el("p", { class: "toast", role: "status" }, words));
    this.#place.after(toast);
    clearTimeout(this.#later);
    this.#later = setTimeout(() => toast.remove(), SEEN);
  }

  /** What may be clicked and is touched by a finger there, the nearest first.
   * @param {number} x  @param {number} y  @returns {any[]} */
  #under(x, y) {
    /** @param {DOMRect} box */
    const away = ({ left, right, top, bottom }) => Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
    /** @type {[number, Element][]} */
    const all = [...this.#place.querySelectorAll(".may")].map((element) => [away(element.getBoundingClientRect()), element]);
    return all.filter(([far]) => far < FINGER / 2).sort(([a], [b]) => a - b).map(([, element]) => element);
  }

  /** Look from so near that everything that may be clicked is as large as a finger, at a point that stays in sight; whether
   * that is any nearer.
   * @param {number} x  @param {number} y */
  #nearer(x, y) {
    const svg = this.#svg;
    const box = svg.getBoundingClientRect();
    const smallest = () => Math.min(...[...svg.querySelectorAll(".may")].map(across));
    const wanted = () => Math.min((svg.getBoundingClientRect().width * FINGER) / smallest() + 1, CLOSEST);
    if (wanted() < box.width * 1.05) return false;
    const [right, down] = [(x - box.left) / box.width, (y - box.top) / box.height];
    this.#near = wanted();
    this.#stand(true);
    this.#near = Math.max(this.#near, wanted()); // for lines do not grow with what they surround
    this.#size(svg);
    const grown = svg.getBoundingClientRect();
    this.#place.scrollTo(right * grown.width - this.#place.clientWidth / 2, down * grown.height - this.#place.clientHeight / 2);
    return true;
  }

  /** Remember which part has the focus, if one has, so that it can have it again on another drawing. */
  #leave() {
    const at = document.activeElement;
    if (!this.#place.contains(at)) return false;
    if (at !== this.#place) this.#last = said(at);
    return true;
  }

  /** @param {Element} svg */
  #name(svg) {
    const described = svg.querySelector(":scope > desc")?.textContent;
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", described ?? titled(svg) ?? "board");
  }

  /** Make clickable: the parts that may come next, the places (`data-place`) that some of them mention, the pieces
   * (`data-piece`) of what is written and the steps (`data-entry`) of numbers; no others, and nothing that is another
   * seat's. `targets(place)`: whether a place goes on from what is chosen.
   * @param {Offer} offered */
  offer({ parts = [], mentioned = (_) => false, targets = (_) => false, written = false, numbers = false, seat = null }) {
    const wanted = new Set(parts);
    const asking = wanted.size > 0;
    const refocus = this.#leave();
    /** @type {any} */
    let first = null;
    if (refocus) this.#place.focus({ preventScroll: true });
    let found = 0;
    for (const element of this.#named) {
      const { part, place, piece, entry } = element.dataset;
      const own = this.#own(element, seat);
      const whole = own && part !== undefined && wanted.has(part);
      const target = place !== undefined && targets(place);
      const may = whole || target || (own && written && piece !== undefined) || (own && numbers && entry !== undefined) ||
        (place !== undefined && mentioned(place));
      element.classList.toggle("may", may);
      element.classList.toggle("target", target);
      element.classList.toggle("cannot", asking && own && part !== undefined && !whole && place === undefined);
      element.onclick = may ? () => this.#dragged || this.#report(element) : null;
      element.setAttribute("cursor", may ? "pointer" : "default");
      if (may) {
        element.setAttribute("role", "button");
        element.setAttribute("tabindex", "-1");
        element.setAttribute("aria-label", titled(element) ?? said(element));
        if (!found || said(element) === this.#last) first = element;
        found += 1;
      } else {
        for (const name of ["role", "tabindex", "aria-label"]) element.removeAttribute(name);
      }
    }
    first?.setAttribute("tabindex", "0"); // one stop on the way through the page; arrow keys lead on from it
    if (refocus) first?.focus({ preventScroll: true });
    this.#atRest(() => this.#svg && offerMarks(this.#svg, this.#place.querySelectorAll(".may:not([data-entry])")));
    return found;
  }

  /** All that has a name in the drawing.
   * @returns {NodeListOf<any>} */
  get #named() {
    return this.#place.querySelectorAll(NAMED);
  }

  /** @param {any} element */
  #report({ dataset: { part, place, piece, entry, by } }) {
    if (part !== undefined) this.#tell.clicked(part);
    else if (piece !== undefined) this.#tell.picked(piece);
    else if (entry !== undefined) this.#tell.stepped(Number(entry), Number(by));
    else this.#tell.pointed(place);
  }

  /** @param {any} element  @param {number | null} seat */
  #own({ dataset }, seat) {
    return dataset.seat === undefined || seat === null || Number(dataset.seat) === seat;
  }

  /** @param {any} target */
  #look(target) {
    const at = target.closest?.("[data-place]");
    if (at && !this.#dragged) this.#tell.looked?.(at.dataset.place);
  }

  /** The whole parts that are offered on the drawing. */
  offered() {
    return [.../** @type {NodeListOf<any>} */ (this.#place.querySelectorAll(".may[data-part]"))].map(({ dataset }) => dataset.part);
  }

  /** Bring a place into sight: within the drawing, where that scrolls, and on the page.
   * @param {string | undefined} place */
  near(place) {
    const element = place === undefined ? null : this.#place.querySelector(`[data-place="${CSS.escape(place)}"]`);
    if (!element) return;
    const seen = this.#place.getBoundingClientRect();
    const found = element.getBoundingClientRect();
    const aside = this.#enlarged || found.left < seen.left || found.right > seen.right;
    if (aside) this.#place.scrollBy(found.x + found.width / 2 - seen.x - seen.width / 2, found.y + found.height / 2 - seen.y - seen.height / 2);
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight - FOOT) scrollBy(0, (top + bottom - innerHeight) / 2);
  }

  /** What the drawing says of a place.
   * @param {string} place */
  called(place) {
    const found = this.#place.querySelector(`[data-place="${CSS.escape(place)}"]`);
    return (found && titled(found)) ?? place;
  }

  /** The names of all places. */
  named() {
    return [.../** @type {NodeListOf<any>} */ (this.#place.querySelectorAll("[data-place]"))].map(({ dataset }) => dataset.place);
  }

  /** The things of the drawing that stand on places: [place, what it says of it].
   * @returns {[string, string][]} */
  things() {
    const standing = [.../** @type {NodeListOf<any>} */ (this.#place.querySelectorAll("[data-place]"))].filter((element) => element.querySelector("[data-id]"));
    return standing.map((element) => [element.dataset.place, titled(element) ?? element.dataset.place]);
  }

  /** Make places clickable by their names, whatever may be played there; `said(name)` is what each is called.
   * @param {Iterable<string>} names  @param {(name: string) => string} said  @param {(name: string) => void} clicked */
  places(names, said, clicked) {
    const refocus = this.#leave();
    /** @type {any} */
    let first = null;
    for (const name of names) {
      const escaped = CSS.escape(name);
      /** @type {any} */
      const element = ["place", "at", "part"].map((kind) => this.#place.querySelector(`[data-${kind}="${escaped}"]`)).find(Boolean);
      if (!element) continue;
      element.classList.add("may");
      element.onclick = () => clicked(name);
      element.setAttribute("cursor", "pointer");
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", "-1");
      element.setAttribute("aria-label", said(name));
      if (!first || name === this.#last) first = element;
    }
    first?.setAttribute("tabindex", "0");
    if (refocus) first?.focus({ preventScroll: true });
  }

  /** A seat's pieces of the drawing with what they mean, in its order.
   * @param {number | null} seat  @returns {[string, string][]} */
  pieces(seat = null) {
    return [.../** @type {NodeListOf<any>} */ (this.#place.querySelectorAll("[data-piece]"))].filter((element) => this.#own(element, seat)).map((element) =>
      [element.dataset.piece, titled(element) ?? element.dataset.piece]);
  }

  /** A picture of one piece of the drawing, for use elsewhere on the page.
   * @param {string} piece */
  picture(piece) {
    /** @type {SVGGElement | null} */
    const found = this.#place.querySelector(`[data-piece="${CSS.escape(piece)}"]`);
    if (!found) return null;
    const { x, y, width, height } = found.getBBox();
    const made = document.createElementNS(SVG, "svg");
    made.setAttribute("viewBox", `${x - 2} ${y - 2} ${width + 4} ${height + 4}`);
    made.setAttribute("aria-hidden", "true");
    const copy = /** @type {SVGGElement} */ (found.cloneNode(true));
    copy.querySelector("title")?.remove();
    for (const { name } of [...copy.attributes]) copy.removeAttribute(name);
    made.append(copy);
    return made;
  }

  /** Mark what is chosen, by what it is: whole parts, places and pieces of the drawing.
   * @param {Iterable<string>} names  @param {string} kind  @param {number | null} seat */
  mark(names, kind = "chosen", seat = null) {
    const wanted = new Set(names);
    for (const element of this.#named) {
      const { part, place, piece } = element.dataset;
      element.classList.toggle(kind, this.#own(element, seat) && [part, place, piece].some((one) => one !== undefined && wanted.has(one)));
    }
  }

  // From one thing to another by dragging: the first is clicked when it is taken up, the second where it is let go.
  /** @param {any} down */
  #drag(down) {
    const from = down.target.closest?.(".may");
    if (!from || down.button !== 0) return;
    const [x, y] = [down.clientX, down.clientY];
    this.#dragged = false;
    /** @param {PointerEvent} event */
    const move = (event) => {
      if (this.#dragged || Math.hypot(event.clientX - x, event.clientY - y) < DRAGGED) return;
      this.#dragged = true;
      this.#place.classList.add("dragging");
      if (!from.classList.contains("chosen")) this.#report(from);
    };
    /** @param {PointerEvent} event */
    const up = (event) => {
      end();
      if (!this.#dragged) return;
      const to = document.elementFromPoint(event.clientX, event.clientY)?.closest(".may");
      if (to && to !== from && this.#place.contains(to)) this.#report(to);
      else if (!to) this.#tell.dropped?.(event.clientX, event.clientY, said(from));
      setTimeout(() => (this.#dragged = false)); // after the click that some browsers report besides
    };
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", end);
      this.#place.classList.remove("dragging");
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", end);
  }

  // Arrow keys go to the nearest part that way, PageDown and PageUp to all in turn (no arrow leads to one in the middle of four
  // that are nearer to each other), Enter and space click it.
  /** @param {any} event */
  #key(event) {
    const at = event.target.closest?.(".may");
    if (!at) return;
    /** @param {any} to */
    const go = (to) => {
      at.setAttribute("tabindex", "-1");
      to.setAttribute("tabindex", "0");
      to.focus();
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      at.onclick?.();
      this.#look(at);
      return;
    }
    /** @type {Record<string, number>} */
    const turns = { PageDown: 1, PageUp: -1 };
    const turn = turns[event.key];
    if (turn) {
      event.preventDefault();
      const all = [...this.#place.querySelectorAll(".may")];
      go(all.at((all.indexOf(at) + turn) % all.length));
      return;
    }
    /** @type {Record<string, number[]>} */
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    /** @param {Element} element */
    const centre = (element) => {
      const box = element.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = centre(at);
    let best = null;
    let nearest = Infinity;
    for (const other of this.#place.querySelectorAll(".may")) {
      if (other === at) continue;
      const [ox, oy] = centre(other);
      const along = (ox - x) * way[0] + (oy - y) * way[1];
      const aside = Math.abs((ox - x) * way[1]) + Math.abs((oy - y) * way[0]);
      if (along > 1 && along + 2 * aside < nearest) [best, nearest] = [other, along + 2 * aside];
    }
    if (best) go(best);
  }
}

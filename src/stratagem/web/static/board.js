// The board: it draws what it is given and reports what was clicked. It knows no rules.

const SHAPES = new Set(
  ("svg g title desc rect circle ellipse line polyline polygon path text tspan defs lineargradient radialgradient stop " +
    "pattern clippath mask marker use symbol").split(" "),
);
const SVG = "http://www.w3.org/2000/svg";

/** Only shapes and text; no script, no handler, no reference to anything outside the drawing. */
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

const said = ({ dataset }) => dataset.part ?? dataset.place ?? dataset.piece;

export class Board {
  #place;
  #clicked;
  #pointed;
  #picked;
  #last = null; // what the part that last had the focus says
  #large = 0; // pixels across, looked at larger

  /** clicked(part), pointed(place) and picked(piece) are called with what the drawing names. */
  constructor(place, clicked, pointed, picked) {
    this.#place = place;
    this.#clicked = clicked;
    this.#pointed = pointed;
    this.#picked = picked;
    place.addEventListener("keydown", (event) => this.#key(event));
  }

  draw(text) {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const svg = parsed.documentElement;
    if (svg.localName !== "svg") return;
    tame(svg);
    const width = Number(svg.getAttribute("width")) || 400;
    const height = Number(svg.getAttribute("height")) || width;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    const shown = document.importNode(svg, true);
    // It fits the page's width; the height of a window makes it no smaller than it was drawn. What is small on a small
    // screen can be looked at larger, and then scrolls within its own box.
    shown.style.maxWidth = `${Math.min(Math.max(width * 1.5, 320), 1100)}px`;
    shown.style.maxHeight = `max(78vh, ${height}px)`;
    this.#large = Math.max(width * 1.25, 640);
    this.#size(shown);
    for (const part of shown.querySelectorAll("[data-part]")) part.setAttribute("cursor", "default");
    this.#name(shown);
    const focused = this.#leave();
    this.#place.replaceChildren(shown);
    if (focused) this.#place.focus({ preventScroll: true }); // until there is a part again to give it to
  }

  #size(svg) {
    const large = this.#place.classList.contains("large");
    svg.style.width = large ? `${Math.max(this.#large, 1.6 * this.#place.clientWidth)}px` : "";
  }

  /** A button that shows the drawing larger, within a box that scrolls, and back. */
  enlarge(button) {
    button.addEventListener("click", () => {
      const large = this.#place.classList.toggle("large");
      button.setAttribute("aria-pressed", String(large));
      this.#place.setAttribute("tabindex", large ? "0" : "-1");
      for (const svg of this.#place.querySelectorAll(":scope > svg")) this.#size(svg);
    });
  }

  /** Remember which part has the focus, if one has, so that it can have it again on another drawing. */
  #leave() {
    const at = document.activeElement;
    if (!this.#place.contains(at)) return false;
    if (at !== this.#place) this.#last = said(at);
    return true;
  }

  #name(svg) {
    const title = svg.querySelector(":scope > title")?.textContent ?? "board";
    const described = svg.querySelector(":scope > desc")?.textContent;
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", described ?? title);
  }

  /** Make the parts that may come next clickable, the places (`data-place`) that some of them mention, and where a part is
   * written the pieces (`data-piece`) it is made of; no others, and nothing that is another seat's. */
  offer(parts, mentioned = () => false, written = false, seat = null) {
    const wanted = new Set(parts);
    const refocus = this.#leave();
    let first = null;
    if (refocus) this.#place.focus({ preventScroll: true });
    let found = 0;
    for (const element of this.#place.querySelectorAll("[data-part], [data-place], [data-piece]")) {
      const { part, place, piece } = element.dataset;
      const own = this.#own(element, seat);
      const whole = own && part !== undefined && wanted.has(part);
      const picked = own && written && piece !== undefined;
      const may = whole || picked || (place !== undefined && mentioned(place));
      element.classList.toggle("may", may);
      element.onclick = may ? () => (whole ? this.#clicked(part) : picked ? this.#picked(piece) : this.#pointed(place)) : null;
      element.setAttribute("cursor", may ? "pointer" : "default");
      if (may) {
        element.setAttribute("role", "button");
        element.setAttribute("tabindex", "-1");
        element.setAttribute("aria-label", element.querySelector(":scope > title")?.textContent ?? part ?? place ?? piece);
        if (!found || said(element) === this.#last) first = element;
        found += 1;
      } else {
        element.removeAttribute("role");
        element.removeAttribute("tabindex");
      }
    }
    first?.setAttribute("tabindex", "0"); // one stop on the way through the page; arrow keys lead on from it
    if (refocus) first?.focus({ preventScroll: true });
    return found;
  }

  #own({ dataset }, seat) {
    return dataset.seat === undefined || seat === null || Number(dataset.seat) === seat;
  }

  /** A seat's pieces of the drawing with what they mean, in its order. */
  pieces(seat = null) {
    return [...this.#place.querySelectorAll("[data-piece]")].filter((element) => this.#own(element, seat)).map((element) =>
      [element.dataset.piece, element.querySelector(":scope > title")?.textContent ?? element.dataset.piece]);
  }

  /** Mark the parts of a plan or of a candidate. */
  mark(parts, name = "chosen", seat = null) {
    const wanted = new Set(parts);
    for (const element of this.#place.querySelectorAll("[data-part], [data-place], [data-piece]")) {
      const { part, place, piece } = element.dataset;
      element.classList.toggle(name, this.#own(element, seat) && [part, place, piece].some((said) => wanted.has(said)));
    }
  }

  // Arrow keys go to the nearest part that way, Enter and space click it.
  #key(event) {
    const at = event.target.closest?.(".may");
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      at.onclick();
      return;
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
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
    if (best) {
      at.setAttribute("tabindex", "-1");
      best.setAttribute("tabindex", "0");
      best.focus();
    }
  }
}

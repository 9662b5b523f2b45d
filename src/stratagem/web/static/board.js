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

export class Board {
  #place;
  #clicked;
  #pointed;
  #picked;

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
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    const shown = document.importNode(svg, true);
    // A wide drawing stays readable on a narrow screen: the board scrolls instead.
    if (width > 600) shown.style.minWidth = `${Math.min(width * 0.55, 760)}px`;
    shown.style.maxWidth = `${Math.min(Math.max(width * 1.5, 320), 1100)}px`;
    for (const hex of shown.querySelectorAll("[data-hex]")) hex.dataset.place ??= hex.dataset.hex;
    for (const part of shown.querySelectorAll("[data-part]")) part.setAttribute("cursor", "default");
    this.#name(shown);
    const focused = this.#place.contains(document.activeElement);
    this.#place.replaceChildren(shown);
    if (focused) this.#place.focus({ preventScroll: true }); // until there is a part again to give it to
  }

  #name(svg) {
    const title = svg.querySelector(":scope > title")?.textContent ?? "board";
    const described = svg.querySelector(":scope > desc")?.textContent;
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", described ?? title);
  }

  /** Make the parts that may come next clickable, the places (`data-place`) that some of them mention, and where a part is
   * written the pieces (`data-piece`) it is made of; no others. */
  offer(parts, mentioned = () => false, written = false) {
    const wanted = new Set(parts);
    const refocus = this.#place.contains(document.activeElement);
    if (refocus) this.#place.focus({ preventScroll: true });
    let found = 0;
    for (const element of this.#place.querySelectorAll("[data-part], [data-place], [data-piece]")) {
      const { part, place, piece } = element.dataset;
      const whole = part !== undefined && wanted.has(part);
      const picked = written && piece !== undefined;
      const may = whole || picked || (place !== undefined && mentioned(place));
      element.classList.toggle("may", may);
      element.onclick = may ? () => (whole ? this.#clicked(part) : picked ? this.#picked(piece) : this.#pointed(place)) : null;
      element.setAttribute("cursor", may ? "pointer" : "default");
      if (may) {
        element.setAttribute("role", "button");
        element.setAttribute("tabindex", found ? "-1" : "0");
        element.setAttribute("aria-label", element.querySelector(":scope > title")?.textContent ?? part ?? place ?? piece);
        if (!found && refocus) element.focus({ preventScroll: true });
        found += 1;
      } else {
        element.removeAttribute("role");
        element.removeAttribute("tabindex");
      }
    }
    return found;
  }

  /** The pieces of the drawing with what they mean, in its order. */
  get pieces() {
    return [...this.#place.querySelectorAll("[data-piece]")].map((element) =>
      [element.dataset.piece, element.querySelector(":scope > title")?.textContent ?? element.dataset.piece]);
  }

  /** Mark the parts of a plan or of a candidate. */
  mark(parts, name = "chosen") {
    const wanted = new Set(parts);
    for (const { dataset, classList } of this.#place.querySelectorAll("[data-part], [data-place], [data-piece]"))
      classList.toggle(name, [dataset.part, dataset.place, dataset.piece].some((said) => wanted.has(said)));
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

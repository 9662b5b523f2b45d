// What a page lays over a drawing: marks that the game declares, by the names that the drawing gives its places.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{ kind: string, places: string[], words?: string }} Mark  What the game lays over places of its drawing. */
/** @typedef {{ x: number, y: number, r: number, rx: number, ry: number }} Box  A place: its middle and half its size. */

/** @param {string} name  @param {Record<string, string | number>} attributes */
function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
  return made;
}

/** The box of a place in the drawing's own units; null if it has none of that name.
 * @param {SVGSVGElement} svg  @param {string} place  @returns {Box | null} */
function box(svg, place) {
  const name = CSS.escape(place);
  const found = ["at", "place", "part", "piece"].map((kind) => svg.querySelector(`[data-${kind}="${name}"]`)).find(Boolean);
  return found ? boxOf(svg, found) : null;
}

/** The same of an element. @param {SVGSVGElement} svg  @param {Element} found  @returns {Box | null} */
function boxOf(svg, found) {
  const matrix = svg.getScreenCTM()?.inverse();
  const seen = found.getBoundingClientRect();
  if (!matrix || !(seen.width || seen.height)) return null; // it is not laid out
  const from = new DOMPoint(seen.left, seen.top).matrixTransform(matrix);
  const to = new DOMPoint(seen.right, seen.bottom).matrixTransform(matrix);
  const [wide, high] = [to.x - from.x, to.y - from.y];
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2, r: Math.min(wide, high) / 2, rx: wide / 2, ry: high / 2 };
}

/** @type {Record<string, (places: Box[], words: string) => Element[]>} */
const DRAWN = {
  last: (places) => places.map(({ x, y, rx, ry }) => shape("rect", { x: x - rx, y: y - ry, width: 2 * rx, height: 2 * ry, rx: Math.min(rx, ry, 9) })),
  reach: (places) => places.map(({ x, y, r }) => shape("circle", { cx: x, cy: y, r: Math.max(Math.min(r * 0.25, 9), 4) })),
  threat: (places) => places.map(({ x, y, r }) => shape("circle", { cx: x, cy: y, r: Math.max(r - 2, 5) })),
  zone: (places) => places.map(({ x, y, r }) => shape("circle", { cx: x, cy: y, r })),
  sign: (places, words) => places.flatMap(({ x, y, r }) => [
    shape("circle", { cx: x, cy: y, r: Math.max(r * 0.8, 9) }), written(words, x, y, Math.max(Math.min(1.1 * r, 22, (2.4 * r) / (words.length || 1)), 11)),
  ]),
  gone: (places) => places.map(({ x, y, r }) => {
    const far = Math.max(r * 0.6, 6);
    const d = `M${(x - far).toFixed(1)} ${(y - far).toFixed(1)}l${2 * far} ${2 * far}m0 ${-2 * far}l${-2 * far} ${2 * far}`;
    return shape("path", { d });
  }),
  line: (places) => [shape("polyline", { points: places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") })],
  arrow: (places) => places.slice(1).flatMap((to, k) => arrow(places[k], to)),
  strike: (places) => places.slice(1).flatMap((to) => [
    shape("line", { x1: places[0].x, y1: places[0].y, x2: to.x, y2: to.y }),
    shape("circle", { cx: to.x, cy: to.y, r: 5, class: "tip" }),
  ]),
};

/** @param {string} words  @param {number} x  @param {number} y  @param {number} size */
function written(words, x, y, size) {
  const made = shape("text", { x, y, "font-size": size, "text-anchor": "middle", "dominant-baseline": "central" });
  made.textContent = words;
  return made;
}

/** @param {Box} from  @param {Box} to */
function arrow(from, to) {
  const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / far, (to.y - from.y) / far];
  const tip = [to.x, to.y];
  /** @param {number} k */
  const side = (k) => `${(tip[0] - 13 * dx - 6 * k * dy).toFixed(1)},${(tip[1] - 13 * dy + 6 * k * dx).toFixed(1)}`;
  return [
    shape("line", { x1: from.x, y1: from.y, x2: tip[0] - 11 * dx, y2: tip[1] - 11 * dy }),
    shape("polygon", { points: `${tip[0].toFixed(1)},${tip[1].toFixed(1)} ${side(1)} ${side(-1)}`, class: "tip" }),
  ];
}

/** Draw a layer of marks over a drawing in place of the one of the same name.
 * @param {SVGSVGElement} svg  @param {string} name  @param {Mark[]} marks */
export function lay(svg, name, marks) {
  svg.querySelector(`:scope > .layer-${name}`)?.remove();
  if (!marks.length) return;
  const layer = shape("g", { class: `layer layer-${name}`, "aria-hidden": "true" });
  for (const { kind, places, words } of marks) {
    const boxes = places.map((place) => box(svg, place)).filter((found) => found !== null);
    if (!boxes.length || !DRAWN[kind]) continue;
    const group = shape("g", { class: `mark mark-${kind}` });
    group.append(...DRAWN[kind](boxes, words ?? ""));
    layer.append(group);
  }
  svg.append(layer);
}

const MANY = 40; // rings; more of them are drawn faintly

/** Show what may be clicked, in the same way on every board: a ring where something can come to stand, a frame around a piece, a
 * card or a button that can be taken, the outline of a shape of its own (a territory). Where pieces are to be taken up first, where
 * they may go is shown then.
 * @param {SVGSVGElement} svg  @param {Iterable<Element>} elements */
export function offerMarks(svg, elements) {
  svg.querySelector(":scope > .layer-may")?.remove();
  const all = [...elements].map((element) => ({ element, at: boxOf(svg, element) }));
  const piece = (/** @type {Element} */ element) => element.querySelector("[data-id]");
  const taken = all.some(({ element }) => element.hasAttribute("data-place") && piece(element));
  const marks = [];
  for (const { element, at } of all) {
    const inside = [...element.children].filter((child) => child.localName !== "title");
    const own = inside[0]?.localName === "path";
    if (own && at) marks.push(outline(svg, inside[0]));
    const later = taken && element.hasAttribute("data-place") && !piece(element) && !element.querySelector("text") && !element.classList.contains("target");
    if (at?.r && !own && !later) marks.push(mayMark(at, piece(element) ? "piece" : element.querySelector("text") ? "card" : "space"));
  }
  if (!marks.length) return;
  const layer = shape("g", { class: `layer layer-may${marks.length > MANY ? " many" : ""}`, "aria-hidden": "true" });
  layer.append(...marks);
  svg.append(layer);
}

/** The outline of a path, over it: the path itself keeps its stroke, and with it its size.
 * @param {SVGSVGElement} svg  @param {any} path */
function outline(svg, path) {
  const [own, whole] = [path.getScreenCTM(), svg.getScreenCTM()];
  const { a, b, c, d, e, f } = whole && own ? whole.inverse().multiply(own) : new DOMMatrix();
  return shape("path", { d: path.getAttribute("d") ?? "", transform: `matrix(${[a, b, c, d, e, f].map((x) => x.toFixed(4)).join(" ")})`, class: "may-outline" });
}

/** @param {Box} box  @param {"piece" | "card" | "space"} what */
function mayMark({ x, y, r, rx, ry }, what) {
  const ring = (/** @type {number} */ cy) => shape("circle", { cx: x, cy, r: Math.max(Math.min(r * 0.25, 8), 3), class: "may-ring" });
  if (ry > 2.2 * rx) return ring(y - ry + rx); // a column of a board: what is let fall into it enters at its top
  if (what === "space") return ring(y);
  if (what === "piece" && Math.max(rx, ry) < 1.25 * Math.min(rx, ry)) return shape("circle", { cx: x, cy: y, r: r * 0.94, class: "may-frame" });
  return shape("rect", { x: x - rx - 1, y: y - ry - 1, width: 2 * rx + 2, height: 2 * ry + 2, rx: 6, class: "may-frame" });
}

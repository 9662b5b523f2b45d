// What a page lays over a drawing: marks that the game declares, by the names that the drawing gives its places.

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
  return made;
}

/** The box of a place in the drawing's own units; null if it has none of that name. */
function box(svg, place) {
  const name = CSS.escape(place);
  const found = ["at", "place", "part", "piece"].map((kind) => svg.querySelector(`[data-${kind}="${name}"]`)).find(Boolean);
  const matrix = svg.getScreenCTM()?.inverse();
  if (!found || !matrix) return null;
  const seen = found.getBoundingClientRect();
  const from = new DOMPoint(seen.left, seen.top).matrixTransform(matrix);
  const to = new DOMPoint(seen.right, seen.bottom).matrixTransform(matrix);
  const [wide, high] = [to.x - from.x, to.y - from.y];
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2, r: Math.min(wide, high) / 2, rx: wide / 2, ry: high / 2 };
}

const DRAWN = {
  last: (places) => places.map(({ x, y, rx, ry }) => shape("rect", { x: x - rx, y: y - ry, width: 2 * rx, height: 2 * ry, rx: Math.min(rx, ry, 9) })),
  reach: (places) => places.map(({ x, y, r }) => shape("circle", { cx: x, cy: y, r: Math.max(Math.min(r * 0.25, 9), 4) })),
  threat: (places) => places.map(({ x, y, r }) => shape("circle", { cx: x, cy: y, r: Math.max(r - 2, 5) })),
  zone: (places) => places.map(({ x, y, r }) => shape("circle", { cx: x, cy: y, r })),
  sign: (places, words) => places.flatMap(({ x, y, r }) => [
    shape("circle", { cx: x, cy: y, r: Math.max(r * 0.8, 9) }), written(words, x, y, Math.max(Math.min(r, 22, (2.4 * r) / (words.length || 1)), 11)),
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

function written(words, x, y, size) {
  const made = shape("text", { x, y, "font-size": size, "text-anchor": "middle", "dominant-baseline": "central" });
  made.textContent = words;
  return made;
}

function arrow(from, to) {
  const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / far, (to.y - from.y) / far];
  const tip = [to.x, to.y];
  const side = (k) => `${(tip[0] - 13 * dx - 6 * k * dy).toFixed(1)},${(tip[1] - 13 * dy + 6 * k * dx).toFixed(1)}`;
  return [
    shape("line", { x1: from.x, y1: from.y, x2: tip[0] - 11 * dx, y2: tip[1] - 11 * dy }),
    shape("polygon", { points: `${tip[0].toFixed(1)},${tip[1].toFixed(1)} ${side(1)} ${side(-1)}`, class: "tip" }),
  ];
}

/** Draw a layer of marks over a drawing in place of the one of the same name. */
export function lay(svg, name, marks) {
  svg.querySelector(`:scope > .layer-${name}`)?.remove();
  if (!marks.length) return;
  const layer = shape("g", { class: `layer layer-${name}`, "aria-hidden": "true" });
  for (const { kind, places, words } of marks) {
    const boxes = places.map((place) => box(svg, place)).filter(Boolean);
    if (!boxes.length || !DRAWN[kind]) continue;
    const group = shape("g", { class: `mark mark-${kind}` });
    group.append(...DRAWN[kind](boxes, words));
    layer.append(group);
  }
  svg.append(layer);
}

// The course of a game as lines: what each decision was worth to its seat. It draws, and reports which decision was clicked.

const SVG = "http://www.w3.org/2000/svg";
const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [220, 56, 12, 14, 30];

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** lines: [{ name, colour, points: [{ ply, value, title, marked }] }]; at: the ply that is looked at; wide: pixels there are. */
export function graph({ lines, range: [low, high], total, at, unit, clicked, words, wide }) {
  const WIDTH = Math.max(300, Math.min(wide, 1000)); // letters are as large as elsewhere on the page
  const apart = Math.min(120, (WIDTH - 76) / Math.max(lines.length, 1)); // from one name to the next, below the axis
  const begin = Math.min(total - 1, ...lines.flatMap(({ points }) => points.map(({ ply }) => ply))); // a deal before it takes no room
  const x = (ply) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.max(ply - begin, 0)) / Math.max(total - begin, 1);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - low)) / (high - low || 1);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words });
  for (const value of [low, (low + high) / 2, high]) {
    svg.append(shape("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "grid" }));
    svg.append(shape("text", { x: LEFT - 9, y: y(value) + 4, "text-anchor": "end" }, unit(value)));
  }
  svg.append(shape("text", { x: WIDTH - RIGHT, y: HEIGHT - 8, "text-anchor": "end" }, `move ${total}`));
  svg.append(shape("line", { x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM, class: "now" }));
  for (const [k, { name, points, colour }] of lines.entries()) {
    const drawn = shape("g", { class: `course course-${k % 6}` });
    if (colour) drawn.style.setProperty("--ink-of", colour);
    const along = points.map(({ ply, value }) => `${x(ply).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    drawn.append(shape("polyline", { points: along, class: "casing" }), shape("polyline", { points: along }));
    const from = 6 + apart * k;
    drawn.append(shape("line", { x1: from, x2: from + 18, y1: HEIGHT - 12, y2: HEIGHT - 12, class: "casing" }), shape("line", { x1: from, x2: from + 18, y1: HEIGHT - 12, y2: HEIGHT - 12 }));
    drawn.append(shape("text", { x: from + 22, y: HEIGHT - 8 }, name));
    for (const point of points) {
      const dot = shape("circle", { cx: x(point.ply), cy: y(point.value), r: point.marked ? 6 : 3, class: point.marked ? "dot worst" : "dot" });
      dot.append(shape("title", {}, point.title));
      drawn.append(dot);
    }
    svg.append(drawn);
  }
  // the decision nearest to where the pointer is, so that nobody has to hit a dot
  svg.addEventListener("click", (event) => {
    const { x: across } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const plies = lines.flatMap(({ points }) => points.map(({ ply }) => ply));
    const nearest = plies.sort((a, b) => Math.abs(x(a) - across) - Math.abs(x(b) - across))[0];
    if (nearest !== undefined) clicked(nearest);
  });
  return svg;
}

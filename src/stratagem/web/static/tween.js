// From one drawing to the next: what has the same `data-id` moves and turns to where it is now, the rest fades.

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether things may move on this screen. */
export const moves = () => !still.matches;

/** @typedef {{ element: any, id: string, x: number, y: number, turn: number, taken: boolean, matrix?: DOMMatrix | null }} Thing
 * What has a name in a drawing, and where it stands. */

const SVG = "http://www.w3.org/2000/svg";

/** Where everything with a name is: its middle in the drawing's own units, and how far it is turned.
 * @param {SVGSVGElement} svg  @returns {Thing[]} */
export function standing(svg) {
  const matrix = svg.getScreenCTM()?.inverse();
  if (!matrix) return [];
  return [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-id]"))].map((element) => {
    const box = element.getBoundingClientRect();
    const { x, y } = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(matrix);
    return { element, id: element.dataset.id ?? "", x, y, turn: Number(element.dataset.turn ?? 0), taken: false };
  });
}

/** @type {(a: Thing, b: Thing) => number} */
const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** Pairs of old and new: things that are alike are paired with the nearest, those that stayed first.
 * @param {Thing[]} before  @param {Thing[]} after */
export function pairs(before, after) {
  /** @type {[Thing, Thing][]} */
  const found = [];
  /** @type {Map<string, Thing[]>} */
  const alike = new Map();
  for (const one of before) alike.set(one.id, [...(alike.get(one.id) ?? []), one]);
  /** @type {[number, Thing, Thing][]} */
  const candidates = after.flatMap((now) => (alike.get(now.id) ?? []).map((was) => [far(was, now), was, now]));
  candidates.sort((a, b) => a[0] - b[0]);
  const met = new Set();
  for (const [, was, now] of candidates) {
    if (was.taken || met.has(now)) continue;
    was.taken = true;
    met.add(now);
    found.push([was, now]);
  }
  return { found, come: after.filter((now) => !met.has(now)), gone: before.filter((was) => !was.taken) };
}

/** Animate the way from what stood before to the drawing now; gives the animations, which can be finished at once.
 * @param {Thing[]} before  @param {SVGSVGElement} svg  @param {number} milliseconds */
export function animate(before, svg, milliseconds) {
  const { found, come, gone } = pairs(before, standing(svg));
  /** @type {Animation[]} */
  const running = [];
  /** @type {(element: Element, frames: Keyframe[]) => Animation} */
  const play = (element, frames) => {
    const animation = element.animate(frames, { duration: milliseconds, easing: "ease-in-out" });
    running.push(animation);
    return animation;
  };
  for (const [was, now] of found) {
    const turn = ((was.turn - now.turn + 540) % 360) - 180;
    if (far(was, now) < 0.5 && !turn) continue;
    const from = `translate(${(was.x - now.x).toFixed(2)}px, ${(was.y - now.y).toFixed(2)}px) rotate(${turn}deg)`;
    play(now.element, [{ transform: from }, { transform: "translate(0px, 0px) rotate(0deg)" }]);
  }
  for (const now of come) play(now.element, [{ opacity: 0 }, { opacity: 1 }]);
  if (gone.length) {
    const ghosts = document.createElementNS(SVG, "g");
    ghosts.setAttribute("class", "layer ghosts");
    ghosts.setAttribute("aria-hidden", "true");
    for (const { element, matrix } of gone) {
      const holder = document.createElementNS(SVG, "g");
      if (matrix) holder.setAttribute("transform", `matrix(${matrix.a} ${matrix.b} ${matrix.c} ${matrix.d} ${matrix.e} ${matrix.f})`);
      const ghost = element.cloneNode(true);
      ghost.removeAttribute("data-id");
      holder.append(ghost);
      ghosts.append(holder);
    }
    svg.append(ghosts);
    play(ghosts, [{ opacity: 1 }, { opacity: 0 }]).onfinish = () => ghosts.remove();
  }
  return running;
}

/** Remember where each thing's parent lies, before its drawing is taken away.
 * @param {SVGSVGElement} svg  @param {Thing[]} things */
export function rooted(svg, things) {
  const own = svg.getScreenCTM()?.inverse();
  for (const thing of things) {
    const parent = thing.element.parentNode.getScreenCTM?.();
    thing.matrix = own && parent ? own.multiply(parent) : null;
  }
  return things;
}

// Candidate plans as pictures: what each does otherwise than the best, board by board, with a small drawing of it.

import { el } from "./api.js";
import { lay } from "./layers.js";

/** @typedef {import("./layers.js").Mark} Mark */
/** How a plan differs from the best on one board.
 * @typedef {{ name: string, has: string[], lacks: string[] }} Apart */

const AROUND = 34; // units of the drawing that are shown around what a plan touches
const FOLDED = 3; // differences that are shown before the rest is unfolded

/** The differences of a plan from the best one, by boards.
 * @param {Apart[]} groups */
export function differences(groups) {
  return el("div", { class: "apart" }, ...groups.map(({ name, has, lacks }) => {
    const lines = [...has.map((words) => el("li", { class: "has" }, words)),
      ...lacks.map((words) => el("li", { class: "lacks" }, el("span", { class: "unseen" }, "without: "), words))];
    const list = (/** @type {any[]} */ some) => el("ul", { class: "plain" }, ...some);
    const rest = lines.slice(FOLDED);
    return el("section", {}, name ? el("h4", {}, name) : null, list(lines.slice(0, FOLDED)),
      rest.length ? el("details", {}, el("summary", {}, `${rest.length} more`), list(rest)) : null);
  }));
}

/** Which panel of a drawing a mark is on; -1: none.
 * @param {SVGSVGElement} board  @param {Mark} mark */
function panelOf(board, { places: [place = ""] }) {
  const name = CSS.escape(place);
  const found = board.querySelector(`[data-at="${name}"], [data-place="${name}"], [data-part="${name}"]`)?.closest("[data-panel]");
  return found ? [...board.querySelectorAll(":scope > [data-panel]")].indexOf(found) : -1;
}

/** Marks by the panels that they are on.
 * @param {SVGSVGElement} board  @param {Mark[]} marks  @returns {Map<number, Mark[]>} */
function byPanel(board, marks) {
  /** @type {Map<number, Mark[]>} */
  const found = new Map();
  for (const mark of marks) {
    const panel = panelOf(board, mark);
    found.set(panel, [...(found.get(panel) ?? []), mark]);
  }
  if (found.size > 1) found.delete(-1); // what stands above the boards has no picture of its own
  return found;
}

/** Put small drawings of a plan into a place: of each board, or of those on which it differs from the best one.
 * @param {SVGSVGElement | null} board  @param {Mark[]} marks  @param {Mark[]} best  @param {HTMLElement} place */
export function miniature(board, marks, best, place) {
  place.replaceChildren();
  if (!board) return;
  const others = byPanel(board, best);
  for (const [panel, own] of [...byPanel(board, marks)].sort(([a], [b]) => a - b))
    if (marks === best || JSON.stringify(own) !== JSON.stringify(others.get(panel))) pictured(board, panel, own, place);
}

/** The part of a board that some marks touch.
 * @param {SVGSVGElement} board  @param {number} panel  @param {Mark[]} marks  @param {HTMLElement} place */
function pictured(board, panel, marks, place) {
  const small = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  for (const element of small.querySelectorAll(":scope > .layer, title, desc")) element.remove();
  const panels = [...small.querySelectorAll(":scope > [data-panel]")];
  if (panel >= 0) for (const element of small.querySelectorAll(":scope > g, :scope > text")) if (element !== panels[panel]) element.remove();
  for (const element of [small, ...small.querySelectorAll("[tabindex], [role], [aria-label]")])
    for (const name of ["tabindex", "role", "aria-label"]) element.removeAttribute(name);
  small.removeAttribute("style");
  small.setAttribute("aria-hidden", "true");
  place.append(small);
  lay(small, "candidate", marks);
  const box = /** @type {SVGGElement | null} */ (small.querySelector(":scope > .layer-candidate"))?.getBBox();
  if (!box || (!box.width && !box.height)) small.remove();
  else small.setAttribute("viewBox", `${box.x - AROUND} ${box.y - AROUND} ${box.width + 2 * AROUND} ${box.height + 2 * AROUND}`);
}

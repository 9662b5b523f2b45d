// Candidate plans as pictures: what each does otherwise than the best, board by board, with a small drawing of it.

import { el } from "./api.js";
import { lay } from "./layers.js";

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

/** Put a small drawing of a plan into a place: the board around what the plan touches, with its marks.
 * @param {SVGSVGElement | null} board  @param {import("./layers.js").Mark[]} marks  @param {HTMLElement} place */
export function miniature(board, marks, place) {
  if (!board || !marks.length) return;
  const small = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  for (const element of small.querySelectorAll(":scope > .layer, title, desc")) element.remove();
  for (const element of [small, ...small.querySelectorAll("[tabindex], [role], [aria-label]")])
    for (const name of ["tabindex", "role", "aria-label"]) element.removeAttribute(name);
  small.removeAttribute("style");
  small.setAttribute("aria-hidden", "true");
  place.replaceChildren(small);
  lay(small, "candidate", marks);
  const box = /** @type {SVGGElement | null} */ (small.querySelector(":scope > .layer-candidate"))?.getBBox();
  if (!box || (!box.width && !box.height)) place.replaceChildren();
  else small.setAttribute("viewBox", `${box.x - AROUND} ${box.y - AROUND} ${box.width + 2 * AROUND} ${box.height + 2 * AROUND}`);
}

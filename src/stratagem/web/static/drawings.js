// Drawings as the server tells them: by what is new since one that this page has.

/** @typedef {(string | [number, number])[]} Telling  A drawing as its changes from the one before. */

/** A drawing cut before every `<` and after every sentence, as the server cuts it.
 * @type {(drawing: string) => string[]} */
export const pieces = (drawing) => drawing.split(/(?=<)|(?<=[.;] )/).filter(Boolean);

/** The drawing of a telling: texts that are new, and [first, how many] pieces of the drawing before it.
 * @type {(before: string[], telling: Telling) => string} */
export const redrawn = (before, telling) =>
  telling.map((part) => (typeof part === "string" ? part : before.slice(part[0], part[0] + part[1]).join(""))).join("");

/** The steps of a ply as {svg, words}; `known`: the drawing that the first is a change of, or "".
 * @param {string} known  @param {{ drawing: Telling, words: string }[]} frames */
export function unfold(known, frames) {
  let before = known;
  return frames.map(({ drawing, words }) => {
    before = redrawn(before ? pieces(before) : [], drawing);
    return { svg: before, words };
  });
}

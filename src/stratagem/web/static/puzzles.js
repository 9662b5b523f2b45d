// The list of puzzles: those that this browser has solved are marked.

import { $, kept } from "./api.js";

const known = kept("puzzles") ?? {};
let solved = 0;
for (const link of document.querySelectorAll(".numbers [data-puzzle]")) {
  const mine = known[link.dataset.puzzle];
  if (!mine) continue;
  link.classList.add(mine.solved ? "solved" : "tried");
  link.setAttribute("aria-label", `${link.textContent}, ${mine.solved ? "solved" : "tried"}`);
  solved += mine.solved ? 1 : 0;
}
$("count").textContent = solved ? `${solved} solved so far.` : "";

// The list of puzzles: those that this browser has solved are marked, and each game leads to the next one that it has not.

import { $, fitPictures, kept } from "./api.js";

const known = kept("puzzles") ?? {};
let solved = 0;
for (const set of document.querySelectorAll(".sets > li")) {
  const links = [...set.querySelectorAll(".numbers [data-puzzle]")];
  for (const link of links) {
    const mine = known[link.dataset.puzzle];
    if (!mine) continue;
    link.classList.add(mine.solved ? "solved" : "tried");
    link.setAttribute("aria-label", `${link.textContent}, ${mine.solved ? "solved" : "tried"}`);
  }
  const done = links.filter((link) => known[link.dataset.puzzle]?.solved).length;
  solved += done;
  if (done) set.querySelector("[data-solved]").textContent = `${done} of ${links.length} solved`;
  const next = links.find((link) => !known[link.dataset.puzzle]?.solved)?.getAttribute("href");
  if (!next || !done) continue;
  for (const link of set.querySelectorAll("[data-next], .thumbnail")) link.href = next;
  set.querySelector("img").src = `${next}/picture.svg`;
}
$("count").textContent = solved ? `${solved} solved so far.` : "";
fitPictures();

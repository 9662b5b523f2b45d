// The list of puzzles: those that this browser has solved are marked, and each game leads to the next one that it has not. Mistakes of
// one's own games, which a review has made puzzles of, come first.

import { $, el, every, kept } from "./api.js";
import { address, due, mistakes } from "./mistakes.js";
import { fitPictures } from "./night.js";

const known = kept("puzzles") ?? {};
let solved = 0;
for (const set of every(".sets > li")) {
  const links = every(".numbers [data-puzzle]", set);
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
  for (const link of every("[data-next], .thumbnail", set)) link.href = next;
  set.querySelector("img").src = `${next}/picture.svg`;
}
$("count").textContent = solved ? `${solved} solved so far.` : "";

const own = Object.values(mistakes());
if (own.length) {
  const now = due();
  $("mine").hidden = false;
  $("mine-count").textContent = now.length ? `${now.length} to do now, ${own.filter((one) => one.missed).length} of them missed before.` : "None to do now: what you missed is asked again on another day.";
  $("mine-next").hidden = !now.length;
  if (now.length) $("mine-next").href = address(now[0]);
  const states = (one) => (one.missed ? "missed" : one.due === null ? "solved" : one.due > Date.now() ? "solved, asked again later" : "to do");
  $("mine").querySelector("ul").append(...own.reverse().map((one) => el("li", {}, el("a", { href: address(one) }, `${one.title}, move ${one.ply + 1}`), ` ${states(one)}`)));
}
fitPictures();

// The front page: games that this browser has a seat in.

import { $, el, held } from "./api.js";

const mine = Object.entries(held()).sort((a, b) => b[1].at - a[1].at).slice(0, 12);
if (mine.length) {
  $("mine").hidden = false;
  $("mine").querySelector("ul").append(
    ...mine.map(([table, about]) =>
      el("li", {}, el("a", { href: `/play/${table}` }, about.title ?? about.game ?? "a game"), " ",
        el("small", {}, new Date(about.at).toLocaleString()))),
  );
}

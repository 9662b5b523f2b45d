// Boards in dark themes. Drawings are made in day colours; here each colour becomes that of the night, by what it is used for, so
// that a game declares none. `stratagem.drawing.night` does the same to files.

const KEPT = new Set("#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #d55e00 #f0e442 #ffd75e #fcfbf8 #1c1b1b".split(" ")); // seats' and stones'
const COLOUR = /^#[0-9a-f]{6}$/;

/** @param {number[]} channels */
const written = (channels) => `#${channels.map((c) => Math.min(255, Math.max(0, Math.floor(c))).toString(16).padStart(2, "0")).join("")}`;

/** A pale ground as a dark one of the same hue. @param {number[]} rgb @param {number} sum */
const ground = (rgb, sum) => written(rgb.map((c, k) => (4 * c - (4 * sum) / 3 + 180 + 3 * (255 - sum / 3)) / 6 + [-4, 0, 8][k]));
/** Dark ink as pale one of the same hue. @param {number[]} rgb @param {number} sum */
const ink = (rgb, sum) => written(rgb.map((c) => 236 + (c - sum / 3) / 2 - 0.35 * (sum / 3)));

/** The colour of the night for one of the day. @param {string} colour @param {string} element @param {"fill" | "stroke"} use */
export function nightly(colour, element, use) {
  if (!COLOUR.test(colour) || KEPT.has(colour)) return colour;
  const rgb = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
  const sum = rgb[0] + rgb[1] + rgb[2];
  if (element === "text") return use === "fill" && sum < 360 ? ink(rgb, sum) : use === "stroke" && sum > 450 ? ground(rgb, sum) : colour;
  if (sum > 450) return ground(rgb, sum);
  if (use === "stroke") return sum < 260 ? ink(rgb, sum) : colour;
  if (sum >= 180 || element === "circle" || element === "ellipse") return colour;
  return element === "rect" ? "#050607" : ink(rgb, sum); // a hole is darker than the floor
}

/** Whether the page is dark now. */
export function isNight() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Give a drawing the colours of the night. @param {Element} svg */
export function night(svg) {
  for (const element of svg.querySelectorAll("[fill], [stroke]")) {
    for (const use of /** @type {("fill" | "stroke")[]} */ (["fill", "stroke"])) {
      const colour = element.getAttribute(use);
      if (colour) element.setAttribute(use, nightly(colour, element.localName, use));
    }
  }
}

/** Pictures in the colours of the theme; those that are much higher than wide fill their frame, cut off above and below. */
export function fitPictures() {
  for (const img of /** @type {NodeListOf<HTMLImageElement>} */ (document.querySelectorAll(".thumbnail img"))) {
    const fit = () => {
      img.classList.toggle("tall", img.naturalHeight > 1.5 * img.naturalWidth);
      img.classList.toggle("taller", img.naturalHeight > 2 * img.naturalWidth);
    };
    const [day] = (img.getAttribute("src") ?? "").split("?");
    const paint = () => isNight() === img.src.includes("?") || img.setAttribute("src", isNight() ? `${day}?night=1` : day);
    if (img.complete) fit();
    img.addEventListener("load", fit);
    addEventListener("stratagem:theme", paint);
    paint();
  }
}

/** Drawings that are part of a page, in the colours of the theme. */
export function paintStill() {
  for (const svg of document.querySelectorAll(".board.still > svg")) {
    const day = svg.cloneNode(true);
    let shown = svg;
    const paint = () => {
      const next = /** @type {Element} */ (day.cloneNode(true));
      if (isNight()) night(next);
      shown.replaceWith(next);
      shown = next;
    };
    addEventListener("stratagem:theme", paint);
    if (isNight()) paint();
  }
}

// The rules at the table: in brief with the pieces, three steps for a first plan, and what a finger holds on.

import { $, call, el, keep, kept } from "./api.js";

const HELD = 450; // milliseconds that a finger stays on something for its description
const STILL = 10; // pixels that it may move meanwhile

/** The panel with the rules; they are fetched when it is opened.
 * @param {string} api  @param {() => string | null} token */
export function rulesPanel(api, token) {
  const panel = $("rules");
  panel.addEventListener("toggle", async () => {
    if (!panel.open || panel.dataset.filled) return;
    try {
      const { rules, pieces } = await call(`${api}/rules`, { token: token() });
      panel.dataset.filled = "1";
      panel.querySelector("p").textContent = rules;
      panel.querySelector("dl").replaceChildren(...pieces.flatMap((/** @type {{ name: string, words: string }} */ { name, words }) =>
        [el("dt", {}, name), el("dd", {}, words)]));
    } catch (error) {
      panel.querySelector("p").textContent = error instanceof Error ? error.message : String(error);
    }
  });
}

/** Three steps for somebody who has never made a plan of this kind; the one that is due is marked. */
export class FirstTime {
  #name = "";
  /** @type {HTMLElement} */
  #card = $("first-time");

  constructor() {
    this.#card.querySelector("button")?.addEventListener("click", () => this.learnt());
  }

  /** Under their own text it is kept that they are known, so that other steps are shown all the same.
   * @param {string[]} steps */
  begin(steps) {
    this.#name = `knows ${steps.join(" ")}`;
    this.#card.hidden = !steps.length || Boolean(kept(this.#name));
    this.#card.querySelector("ol")?.replaceChildren(...steps.map((step) => el("li", {}, step)));
    this.at(0);
  }

  /** @param {number} step */
  at(step) {
    for (const [k, line] of [...this.#card.querySelectorAll("li")].entries()) {
      line.classList.toggle("past", k < step);
      if (k === step) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    }
  }

  learnt() {
    if (this.#name) keep(this.#name, true);
    this.#card.hidden = true;
  }
}

/** Whatever has a title tells it to a finger that stays on it, or taps on it where nothing can be played: a mouse need only rest.
 * @param {HTMLElement} board  @param {(words: string) => void} say */
export function tips(board, say) {
  /** @type {any} */
  let waiting = 0;
  let [x, y] = [0, 0]; // where the finger came down
  /** @param {any} target */
  const titled = (target) => target.closest?.("g:has(> title)")?.querySelector(":scope > title")?.textContent;
  board.addEventListener("pointerdown", ({ pointerType, target, clientX, clientY }) => {
    clearTimeout(waiting);
    [x, y] = [clientX, clientY];
    const words = pointerType === "touch" && titled(target);
    if (words) waiting = setTimeout(() => say(words), HELD);
  });
  for (const end of ["pointerup", "pointercancel"]) board.addEventListener(end, () => clearTimeout(waiting));
  board.addEventListener("pointermove", ({ clientX, clientY }) => Math.hypot(clientX - x, clientY - y) > STILL && clearTimeout(waiting));
  board.addEventListener("click", (event) => {
    const touched = /** @type {PointerEvent} */ (event).pointerType === "touch";
    const target = /** @type {any} */ (event.target);
    const words = touched && !target.closest?.(".may") && titled(target);
    if (words) say(words);
  });
}

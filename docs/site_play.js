// The page to play on: rules and engine are WebAssembly modules, and nothing is asked of a server but files.
//
// `site_play.py` writes the files. A position is drawn from three drawings of the game: the empty board, and boards full of the
// pieces of either seat, out of which the pieces that stand now are taken.

import { el } from "./api.js";
import { Board } from "./board.js";
import { open } from "./wasm.js";

/** @typedef {{ module: string, manifest: import("./wasm.js").Manifest }} Part
 * @typedef {{ title: string, brief: string, guide: string, seats: string[], low: number, pictures: string[], places: string[],
 *   texts: string[], puzzles: Puzzle[], rules: Part, search: Part }} Built  A game; `texts` are its moves by their numbers.
 * @typedef {{ moves: number[], best: number[], task: string }} Puzzle  `moves` lead to it from the start of the game
 * @typedef {{ turn: number, moves: number[], held: number[], payoffs: number[] }} Position  `held`: 0 nobody's, else seat + 1 */

const LEVELS = { easy: 200, medium: 2000, strong: 20000 }; // simulations
const OVER = -1, NO_MOVE = -1;
const FILES = new URL("./", import.meta.url).href;

/** @param {string} name  @returns {Promise<Response>} */
async function fetched(name) {
  const response = await fetch(FILES + name);
  if (!response.ok) throw new Error(`${name} cannot be loaded (${response.status})`);
  return response;
}

/** Play a move by the rules, or none, and read the position that follows.
 * @param {import("./wasm.js").Opened} rules  @param {number} move  @returns {Position} */
function follow({ call, arrays }, move) {
  const count = call({ m: BigInt(move) });
  if (count < 0) throw new Error(`the move ${move} is not legal here`);
  /** @type {(array: Iterable<bigint>) => number[]} */
  const numbers = (array) => Array.from(array, Number);
  return { turn: numbers(arrays.who)[0], moves: numbers(arrays.listed.subarray(0, count)), held: numbers(arrays.held), payoffs: [...arrays.out] };
}

/** The search's manifest for a position, by the state of the rules.
 * @param {import("./wasm.js").Manifest} manifest  @param {BigInt64Array} s */
function from({ entry, fields }, s) {
  /** @param {import("./wasm.js").Field} field */
  const state = (field) => new Uint8Array(s.buffer, s.byteOffset, s.BYTES_PER_ELEMENT * (field.shape ?? [0])[0]);
  return { entry, fields: fields.map((field) => (field.name === "start" ? { ...field, first: btoa(String.fromCharCode(...state(field))) } : field)) };
}

/** What a drawing calls so. @param {ParentNode} drawing  @param {string} name */
const find = (drawing, name) => drawing.querySelector(`[data-at="${CSS.escape(name)}"], [data-part="${CSS.escape(name)}"]`);

class Table {
  /** @param {HTMLElement} place  @param {Record<string, string>} titles */
  constructor(place, titles) {
    /** @type {(words: string, options: Record<string, string>, chosen: string) => any} */
    const choice = (words, options, chosen) => {
      const select = el("select", {}, ...Object.entries(options).map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
      return [el("label", {}, words, " ", select), select];
    };
    const levels = Object.fromEntries(Object.entries(LEVELS).map(([name, most]) => [name, `${name}, ${most} simulations`]));
    const [gameLabel, game] = choice("Game", titles, "connect4");
    const [levelLabel, level] = choice("Engine", levels, "medium");
    const [sideLabel, side] = choice("You move", { 0: "first", 1: "second" }, "0");
    const [puzzleLabel, puzzle] = choice("From", {}, "");
    this.choices = { game, level, side, puzzle };
    this.about = el("p", { class: "about" });
    this.status = el("p", { role: "status" });
    this.more = el("p", { class: "more" }); // moves that stand nowhere on the board, such as a pass
    const board = el("div", { class: "board", tabindex: "-1" });
    const again = el("button", { type: "button", class: "md-button", onclick: () => this.begin() }, "New game");
    const larger = el("button", { type: "button", class: "md-button", "aria-pressed": "false" }, "Larger");
    place.replaceChildren(el("p", { class: "choices" }, gameLabel, puzzleLabel, levelLabel, sideLabel, again, larger), this.about, this.status, board, this.more);
    for (const select of [game, side, puzzle]) select.addEventListener("change", () => this.begin());
    const none = () => {};
    this.board = new Board(board, { clicked: (text) => this.person(text), pointed: none, picked: none, stepped: none });
    this.board.enlarge(larger);
    this.session = 0; // of the game that is on: what is said of another one comes too late
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {{ built: Built, drawings: Document[], rules: import("./wasm.js").Opened } | null} */
    this.game = null;
    /** @type {Position | null} */
    this.position = null;
    this.me = 0; // the person's seat
    /** @type {number[]} */
    this.best = []; // the moves that solve the puzzle which is on
    this.solved = ""; // said of it until the next move
    /** @type {Map<string, Promise<{ built: Built, drawings: Document[], compiled: WebAssembly.Module }>>} */
    this.games = new Map();
  }

  /** @param {string} name */
  async load(name) {
    const built = /** @type {Built} */ (await (await fetched(`${name}.json`)).json());
    const compiled = await WebAssembly.compile(await (await fetched(`${built.rules.module}.wasm`)).arrayBuffer());
    return { built, compiled, drawings: built.pictures.map((text) => new DOMParser().parseFromString(text, "image/svg+xml")) };
  }

  /** Begin a new game, whatever is under way. */
  async begin() {
    const session = (this.session += 1);
    const name = this.choices.game.value;
    this.position = null; // nothing is played in the old game while the new one is loaded
    this.worker?.postMessage({ kind: "stop" });
    try {
      if (!this.games.has(name)) this.games.set(name, this.load(name));
      const { built, drawings, compiled } = await /** @type {NonNullable<ReturnType<typeof this.games.get>>} */ (this.games.get(name));
      const rules = await open(compiled, built.rules.manifest);
      if (session !== this.session) return;
      this.game = { built, drawings, rules };
      this.about.textContent = `${built.brief} ${built.guide}`;
      const puzzle = this.puzzle(name, built.puzzles);
      this.best = puzzle?.best ?? [];
      this.solved = "";
      this.me = Number(this.choices.side.value);
      for (const move of puzzle?.moves ?? []) this.me = follow(rules, move).turn;
      this.moved(NO_MOVE, "");
      if (puzzle) this.status.textContent = `You are ${built.seats[this.me]}: ${puzzle.task}.`;
    } catch (error) {
      this.games.delete(name);
      this.fail(error);
    }
  }

  /** The puzzle that was chosen of a game; the choice is that game's from then on.
   * @param {string} name  @param {Puzzle[]} puzzles */
  puzzle(name, puzzles) {
    const { puzzle, side } = this.choices;
    if (puzzle.dataset.game !== name) {
      const named = puzzles.map((_, k) => el("option", { value: String(k) }, `puzzle ${k + 1}`));
      puzzle.replaceChildren(el("option", { value: "" }, "the beginning"), ...named);
      puzzle.dataset.game = name;
    }
    puzzle.parentElement.hidden = !puzzles.length;
    side.disabled = puzzle.value !== "";
    return puzzle.value === "" ? null : puzzles[Number(puzzle.value)];
  }

  /** @param {unknown} error */
  fail(error) {
    this.status.textContent = `This does not work here: ${error instanceof Error ? error.message : error}.`;
  }

  /** The person chose a move. @param {string} text */
  person(text) {
    if (!this.game || this.position?.turn !== this.me) return;
    const move = this.game.built.texts.indexOf(text), asked = this.best;
    if (asked.length && !asked.includes(move)) {
      this.status.textContent = `${text} is not it: another move is better. Try again.`;
      return;
    }
    this.best = [];
    this.solved = asked.length ? "Right: no other move is as good, which is proved. " : "";
    this.moved(move, this.solved);
  }

  /** Play a move, or none, show the position, and ask the engine if it is next.
   * @param {number} move  @param {string} said  of the move, before what follows */
  moved(move, said) {
    if (!this.game) return;
    const { built, rules } = this.game;
    const before = move === NO_MOVE ? null : this.position;
    const position = (this.position = follow(rules, move));
    const mine = position.turn === this.me;
    const legal = mine ? position.moves.map((m) => built.texts[m]) : [];
    const words = said + this.words(position);
    const drawing = this.drawing(position, legal);
    this.board.draw(new XMLSerializer().serializeToString(drawing));
    const fresh = built.places.filter((_, k) => before && !before.held[k] && position.held[k]);
    this.board.layer("last", fresh.length ? [{ kind: "last", places: fresh }] : []);
    this.board.offer({ parts: legal });
    const others = legal.filter((text) => !find(drawing, text));
    this.more.replaceChildren(...others.map((text) => el("button", { type: "button", class: "md-button", onclick: () => this.person(text) }, text)));
    this.status.textContent = words;
    if (!mine && position.turn !== OVER) this.ask(position);
  }

  /** The drawing of a position. @param {Position} position  @param {string[]} legal  moves that may be clicked */
  drawing({ held }, legal) {
    const { built, drawings } = /** @type {NonNullable<typeof this.game>} */ (this.game);
    const [empty, ...full] = drawings;
    const drawn = /** @type {Element} */ (empty.documentElement.cloneNode(true));
    for (const [k, owner] of held.entries()) {
      const piece = owner ? find(full[owner - 1], built.places[k]) : null;
      if (piece) find(drawn, built.places[k])?.replaceWith(empty.importNode(piece, true));
    }
    for (const title of drawn.querySelectorAll("g > title")) title.remove(); // they describe the empty board
    for (const text of legal) find(drawn, text)?.setAttribute("data-part", text);
    const stands = built.seats.map((seat, p) => `${seat} on ${built.places.filter((_, k) => held[k] === p + 1).join(", ") || "no cell"}`);
    const words = drawn.querySelector(":scope > desc");
    if (words) words.textContent = `${built.title}: ${stands.join("; ")}`;
    return drawn;
  }

  /** Whose turn it is, or how the game has ended. @param {Position} position */
  words({ turn, payoffs }) {
    const { built: { seats } } = /** @type {NonNullable<typeof this.game>} */ (this.game);
    if (turn !== OVER) return turn === this.me ? `You are ${seats[turn]}: your move.` : `${seats[turn]}, the engine, is thinking.`;
    if (payoffs[0] === payoffs[1]) return "The game is over: a draw.";
    const won = payoffs[0] > payoffs[1] ? 0 : 1;
    return `The game is over: ${seats[won]} wins. ${won === this.me ? "You have won." : "The engine has won."}`;
  }

  /** Let the engine think about a position and move. @param {Position} position */
  ask({ turn }) {
    const { built: { search, low, texts }, rules } = /** @type {NonNullable<typeof this.game>} */ (this.game);
    const session = this.session;
    const worker = (this.worker ??= new Worker(`${FILES}here.js`, { type: "module" }));
    worker.onerror = () => this.fail("the engine could not be started in this browser");
    worker.onmessage = ({ data }) => {
      if (data.session !== session || session !== this.session) return;
      if (data.kind === "failed") this.fail(data.line);
      if (data.kind !== "done") return;
      const [{ move }] = data.arms;
      this.moved(move, `${this.solved}The engine played ${texts[move]}. `);
    };
    const simulations = LEVELS[/** @type {keyof typeof LEVELS} */ (this.choices.level.value)];
    const manifest = from(search.manifest, rules.arrays.s);
    worker.postMessage({ kind: "search", module: search.module, folder: FILES, manifest, seat: turn, low, simulations, session });
  }
}

/** The site's theme, as the board knows it. */
function paint() {
  document.documentElement.dataset.theme = document.body.dataset.mdColorScheme === "slate" ? "dark" : "light";
  dispatchEvent(new Event("stratagem:theme"));
}

const place = document.getElementById("play");
if (place && typeof WebAssembly === "object" && typeof Worker === "function") {
  new MutationObserver(paint).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
  paint();
  fetched("games.json").then((answer) => answer.json()).then((titles) => new Table(place, titles).begin()).catch((error) => {
    place.textContent = `The board cannot be shown: ${error.message}.`;
  });
} else if (place) place.textContent = "This browser runs no WebAssembly, so there is no board here.";

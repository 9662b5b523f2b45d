// The engine that runs in the visitor's browser: a worker that searches slice by slice and says what it finds.
//
// The module and the arrays are those of `stratagem.search.browser`; how the tree is read is as in `MCTS` of
// `stratagem/search/tree/mcts.py`, whose tests compare the two. Moves are numbers here; the page knows their texts.

import { open } from "./wasm.js";

/** A root move as the search judges it, and the moves after it, by their numbers.
 * @typedef {{ move: number, visits: number, value: number | null, error: number | null, proven: boolean, line: number[] }} Arm
 * @typedef {{ arms: Arm[], nodes: number, proven: number | null }} Found
 * @typedef {{ seat: number, low: number, manifest: import("./wasm.js").Manifest }} Begun  what is searched, by the seat that decides
 * @typedef {{ seconds?: number | null, simulations?: number }} Limits  without any: until stopped
 * @typedef {Begun & Limits & { module: string, session: number, folder?: string }} Asked  folder: where modules are fetched from */

const SLICE = 50; // milliseconds that a slice of the search should take: between two, messages are heard
const FIRST = 200; // simulations of the first slice, whose speed is not known yet
const REPORT = 150; // milliseconds between two reports
const LONGEST_LINE = 64; // moves
// Offsets of `stratagem/search/tree/records.py`.
const PAIR = 2, QUICK = 4, FIRST_CHILD = 3, ARM = 3;
const FLAG_BITS = 4n, PROVEN = 1n;
const ERRORS = [ // what the template returns in place of a count
  [-1, "a playout did not end"], [-3, "a player has no move"], [-5, "a value is out of range"],
];

/** A search that has begun. */
export class Search {
  /** @param {import("./wasm.js").Opened} opened  @param {Begun} begun */
  constructor(opened, { seat, low }) {
    this.opened = opened;
    this.seat = seat;
    this.low = low;
    this.done = 0;
  }

  /** Search on, by so many simulations; whether there is more to find.
   * @param {number} simulations */
  slice(simulations) {
    const most = BigInt(simulations);
    const done = this.opened.call({ limits_at_least: most, limits_at_most: most });
    if (done < 0) throw new Error(ERRORS.find(([code]) => code === done)?.[1].toString() ?? `the search ended with the error ${done}`);
    this.done += done;
    return done === simulations;
  }

  /** @param {number} node */
  visits(node) {
    return this.opened.arrays.tree_stats[PAIR * node];
  }

  /** @param {number} node */
  move(node) {
    return Number(this.opened.arrays.tree_nodes[PAIR * node]);
  }

  /** @param {number} node  @returns {number[]} */
  children(node) {
    const first = this.opened.arrays.tree_firsts[QUICK * node + FIRST_CHILD];
    const count = first ? Number(this.opened.arrays.tree_nodes[PAIR * node + 1] >> FLAG_BITS) : 0;
    return Array.from({ length: count }, (_, k) => first + k);
  }

  /** The exact value to the first seat, where there is a proof.
   * @param {number} node  @returns {number | null} */
  proof(node) {
    const { tree_nodes: nodes, tree_exact: exact } = this.opened.arrays;
    return nodes[PAIR * node + 1] & PROVEN ? exact[node] : null;
  }

  /** A value to the first seat as one to the seat that decides.
   * @param {number} value */
  own(value) {
    return (this.seat === 1 ? -value : value) + 0;
  }

  /** What was found so far: the moves, best first.
   * @returns {Found} */
  found() {
    const arms = this.children(0).map((node, k) => this.arm(node, k));
    const open = arms.filter((arm) => !arm.proven && arm.visits);
    const most = Math.max(0, ...open.map((arm) => arm.visits));
    const favourite = open.find((arm) => arm.visits === most)?.value ?? -Infinity;
    /** @type {(arm: Arm) => [number, number, number]} */
    const rank = ({ proven, visits, value }) => {
      if (!proven) return [1, visits, value ?? this.low];
      return (value ?? 0) >= favourite ? [2, value ?? 0, visits] : [0, value ?? 0, visits];
    };
    const ranked = arms.map((arm) => ({ arm, by: rank(arm) }));
    ranked.sort(({ by: a }, { by: b }) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2]);
    const proof = this.proof(0);
    return { arms: ranked.map(({ arm }) => arm), nodes: this.done, proven: proof === null ? null : this.own(proof) };
  }

  /** @param {number} node  @param {number} k  its place among the root's  @returns {Arm} */
  arm(node, k) {
    const visits = this.visits(node), proof = this.proof(node), move = this.move(node), line = this.line(node);
    if (proof !== null) return { move, visits, value: this.own(proof), error: 0, proven: true, line };
    const value = visits ? this.opened.arrays.tree_stats[PAIR * node + 1] / visits + this.low : null;
    return { move, visits, value, error: this.error(k, visits), proven: false, line };
  }

  /** The standard error of a mean, from this search's own samples (count, sum, squares) and all visits known.
   * @param {number} k  @param {number} visits  @returns {number | null} */
  error(k, visits) {
    const [n, sum, squares] = this.opened.arrays.walker_arms.subarray(ARM * k, ARM * k + ARM);
    if (n < 2) return null;
    const variance = (Math.max(squares / n - (sum / n) ** 2, 0) * n) / (n - 1);
    return Math.sqrt(variance / Math.max(visits, n));
  }

  /** The moves that follow from a node on, each the one most visited.
   * @param {number} node */
  line(node) {
    const line = [this.move(node)];
    while (line.length < LONGEST_LINE) {
      const children = this.children(node).filter((child) => this.visits(child) > 0);
      if (!children.length) break;
      const proof = this.proof(node);
      const same = children.filter((child) => proof !== null && this.proof(child) === proof);
      node = (same.length ? same : children).reduce((best, child) => (this.visits(child) > this.visits(best) ? child : best));
      line.push(this.move(node));
    }
    return line;
  }
}

/** Search in slices until a limit is reached, nothing is left to find, or somebody stops it.
 * @param {Search} search  @param {Limits} limits  @param {(found: Found & { seconds: number }) => void} report  @param {() => boolean} stopped */
export async function searchOn(search, { seconds = null, simulations: most = Infinity }, report, stopped) {
  const began = performance.now();
  const spent = () => (performance.now() - began) / 1000;
  const count = search.children(0).length;
  const left = () => Math.max(0, most - search.done);
  let simulations = Math.min(Math.max(count, FIRST), left()); // every move is tried, whatever the clock says
  let reported = began;
  for (let more = true; more; ) {
    const from = performance.now();
    more = search.slice(simulations);
    const now = performance.now();
    simulations = Math.min(Math.max(1, Math.round((simulations * SLICE) / Math.max(now - from, SLICE / 4))), left());
    await new Promise((done) => setTimeout(done)); // messages are heard here
    if (stopped() || !left() || (seconds !== null && spent() >= seconds)) break;
    if (more && now - reported >= REPORT) {
      reported = now;
      report({ ...search.found(), seconds: spent() });
    }
  }
  return { ...search.found(), seconds: spent() };
}

/** @type {{ key: string, search: Search } | null} */
let last = null; // the search of the position that was asked about last: asked again, it goes on
let session = 0; // of the question that is answered; any other one is stopped

/** @param {Asked} asked */
async function answer({ module, folder = "/modules/", manifest, seat, low, seconds, simulations, session: mine }) {
  session = mine;
  try {
    const key = JSON.stringify([module, manifest]);
    if (last?.key !== key) {
      last = null; // its memory may go before the next one is taken
      const compiled = await WebAssembly.compileStreaming(fetch(`${folder}${module}.wasm`));
      last = { key, search: new Search(await open(compiled, manifest), { seat, low, manifest }) };
    }
    const done = await searchOn(last.search, { seconds, simulations }, (found) => session === mine && postMessage({ kind: "report", session: mine, ...found }), () => session !== mine);
    postMessage({ kind: "done", session: mine, ...done });
  } catch (error) {
    last = null;
    postMessage({ kind: "failed", session: mine, line: error instanceof Error ? error.message : String(error) });
  }
}

if (typeof document === "undefined" && typeof addEventListener === "function" && typeof postMessage === "function") {
  addEventListener("message", ({ data }) => {
    if (data.kind === "stop") session = 0;
    else answer(data);
  });
}

// The engine in the visitor's browser, as a page asks it: the server gives the arrays of a position once, a worker searches.

import { call } from "./api.js";

/** A move of the position, as the server tells it.
 * @typedef {{ number: number, move: string, words: string, marks: any[] }} Move
 * @typedef {{ module: string, manifest: import("./wasm.js").Manifest, seat: number, low: number, moves: Move[] }} Begun
 * @typedef {import("./here.js").Found & { kind: string, session: number, seconds: number, line?: string }} Said
 * @typedef {{ seconds: number | null, lines: number, signal: AbortSignal }} How  seconds: null means until stopped */

const FOLLOWED = 13; // moves of a line that are shown: as many as the page shows
const ASK_AGAIN = 1000; // milliseconds between two questions for the texts of lines
const KEPT = 500; // lines whose texts are kept

/** The search cannot run here; the message says why. */
export class NotHere extends Error {}

export class Engine {
  constructor() {
    /** @type {Worker | null} */
    this.worker = null;
    this.session = 0; // of the question that is answered now
    /** @type {{ key: string, begun: Begun } | null} */
    this.last = null; // the position that was asked about last
    this.broken = ""; // why nothing can run in this browser
    /** @type {Map<string, string[]>} */
    this.texts = new Map(); // of lines, by their numbers, in that position
  }

  /** Think about a position; `tell` hears each report and at last the answer. Without an answer it throws: NotHere where the
   * server's engine must answer, an AbortError where the signal stopped it.
   * @param {object} line  the position, as the server takes it  @param {How} how  @param {(choice: any, done: boolean) => void} tell */
  async think(line, { seconds, lines, signal }, tell) {
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") throw new NotHere("this browser runs no WebAssembly");
    if (this.broken) throw new NotHere(this.broken);
    const key = JSON.stringify(line);
    if (this.last?.key !== key) {
      const begun = await call("/api/here", { body: line, signal }).catch((error) => {
        throw error.name === "AbortError" ? error : new NotHere(error.message);
      });
      if (!begun.module) throw new NotHere(begun.why);
      this.last = { key, begun };
      this.texts.clear();
    }
    const { begun } = this.last;
    const session = (this.session += 1);
    let asked = -Infinity; // when texts were last asked for
    /** @type {Promise<void> | null} */
    let asking = null;
    /** @type {(found: Said, done: boolean) => Promise<void>} */
    const say = async (found, done) => {
      const arms = found.arms.slice(0, lines);
      if (done) await asking;
      const unknown = arms.map((arm) => arm.line.slice(0, FOLLOWED)).filter((one) => one.length > 1 && !this.texts.has(one.join()));
      if (unknown.length && (done || (!asking && performance.now() - asked > ASK_AGAIN))) {
        asked = performance.now();
        asking = this.name(line, unknown).finally(() => (asking = null));
        if (done) await asking;
      }
      if (session === this.session && !signal.aborted) tell(choice(begun, found, arms, this.texts), done);
    };
    await new Promise((resolve, reject) => {
      const worker = (this.worker ??= new Worker("/static/here.js", { type: "module" }));
      /** @param {string} why */
      const fail = (why) => {
        this.close();
        this.broken = why;
        reject(new NotHere(why));
      };
      worker.onerror = () => fail("the engine could not be started in this browser");
      worker.onmessage = ({ data }) => {
        if (data.session !== session) return;
        if (data.kind === "failed") fail(`the engine failed in this browser (${data.line})`);
        else if (data.kind === "report") say(data, false);
        else say(data, true).then(resolve, reject);
      };
      const stop = () => {
        this.session += 1;
        worker.postMessage({ kind: "stop" });
        reject(new DOMException("stopped", "AbortError"));
      };
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      const { module, manifest, seat, low } = begun;
      worker.postMessage({ kind: "search", module, manifest, seat, low, seconds, session });
    });
  }

  /** Ask for the texts of lines; without an answer they stay unknown.
   * @param {object} line  @param {number[][]} lines */
  async name(line, lines) {
    try {
      const { lines: described } = await call("/api/here/lines", { body: { ...line, lines } });
      if (this.texts.size > KEPT) this.texts.clear();
      for (const [k, one] of lines.entries()) this.texts.set(one.join(), described[k]);
    } catch {
      // the values stand without what follows
    }
  }

  /** End the worker. */
  close() {
    this.worker?.terminate();
    this.worker = null;
    this.last = null;
  }
}

/** What was found as the page shows choices of the server's engines.
 * @param {Begun} begun  @param {Said} found  @param {import("./here.js").Arm[]} arms  @param {Map<string, string[]>} texts */
export function choice(begun, found, arms, texts) {
  const moves = new Map(begun.moves.map((one) => [one.number, one]));
  const known = arms.map((arm) => moves.get(arm.move)).filter((one) => one !== undefined);
  return {
    engine: "here: mcts",
    depth: null,
    nodes: found.nodes,
    seconds: found.seconds,
    best: known[0].move,
    value: found.proven ?? arms[0].value,
    lines: arms.map(({ value, error, visits, line }, k) => ({
      moves: texts.get(line.slice(0, FOLLOWED).join()) ?? [known[k].move], value, error, visits,
    })),
    words: known.map((one) => one.words),
    marks: known.map((one) => one.marks),
  };
}

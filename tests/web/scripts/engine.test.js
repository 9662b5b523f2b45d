import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";

const { Engine, NotHere, choice } = await import("../../../src/stratagem/web/static/engine.js");

const begun = {
  module: "simulate_0", manifest: { entry: "simulate", fields: [] }, seat: 0, low: -1,
  moves: [{ number: 3, move: "4", words: "drops into 4", marks: [1] }, { number: 2, move: "3", words: "drops into 3", marks: [] }],
};
const arm = (move, visits, value, ...rest) => ({ move, visits, value, error: 0.1, proven: false, line: [move, ...rest] });
const found = (session, kind = "done") => ({ kind, session, arms: [arm(2, 9, 0.5, 3), arm(3, 1, -0.5)], nodes: 10, proven: null, seconds: 1 });

/** A worker that hears what the page posts, and says what a test wants. */
class FakeWorker {
  constructor() {
    FakeWorker.last = this;
    this.heard = [];
  }
  postMessage(message) {
    this.heard.push(message);
    if (message.kind === "search") setTimeout(() => this.answer(message));
  }
  answer({ session }) {
    this.onmessage({ data: found(session) });
  }
  terminate() {
    this.ended = true;
  }
}

function served(answers) {
  const asked = [];
  globalThis.fetch = async (path, { body }) => {
    asked.push([path, JSON.parse(body)]);
    return new Response(JSON.stringify(answers[path]));
  };
  globalThis.Worker = FakeWorker;
  return asked;
}

const how = () => ({ seconds: 3, lines: 5, signal: new AbortController().signal });

test("what was found is shown as the server's choices are", () => {
  const shown = choice(begun, found(1), found(1).arms, new Map([["2,3", ["3", "4"]]]));
  assert.equal(shown.best, "3");
  assert.equal(shown.value, 0.5);
  assert.deepEqual(shown.lines[0], { moves: ["3", "4"], value: 0.5, error: 0.1, visits: 9 });
  assert.deepEqual(shown.lines[1].moves, ["4"]);
  assert.deepEqual(shown.words, ["drops into 3", "drops into 4"]);
});

test("a position is asked about once, and the texts of its lines once", async () => {
  const asked = served({ "/api/here": begun, "/api/here/lines": { lines: [["3", "4"]] } });
  const engine = new Engine();
  const seen = [];
  for (let k = 0; k < 2; k += 1) await engine.think({ game: "connect4" }, how(), (shown, done) => seen.push([shown.lines[0].moves, done]));
  assert.deepEqual(seen, [[["3", "4"], true], [["3", "4"], true]]);
  assert.deepEqual(asked.map(([path]) => path), ["/api/here", "/api/here/lines"]);
  assert.deepEqual(asked[1][1].lines, [[2, 3]]);
});

test("without a module, a worker or WebAssembly the page says why", async () => {
  served({ "/api/here": { module: null, why: "it is being made" } });
  await assert.rejects(new Engine().think({}, how(), () => {}), (error) => error instanceof NotHere && error.message === "it is being made");
  const { WebAssembly: there } = globalThis;
  globalThis.WebAssembly = undefined;
  await assert.rejects(new Engine().think({}, how(), () => {}), /no WebAssembly/);
  globalThis.WebAssembly = there;
});

test("a module that fails is not tried again, and its worker is ended", async () => {
  const asked = served({ "/api/here": begun });
  const engine = new Engine();
  FakeWorker.prototype.answer = function ({ session }) {
    this.onmessage({ data: { kind: "failed", session, line: "bad magic" } });
  };
  await assert.rejects(engine.think({}, how(), () => {}), (error) => error instanceof NotHere && error.message.includes("bad magic"));
  assert.ok(FakeWorker.last.ended);
  await assert.rejects(engine.think({}, how(), () => {}), /bad magic/);
  assert.equal(asked.length, 1);
});

test("whoever stops it hears nothing more", async () => {
  served({ "/api/here": begun });
  const engine = new Engine(), stopping = new AbortController(), seen = [];
  FakeWorker.prototype.answer = function ({ session }) {
    stopping.abort();
    this.onmessage({ data: found(session, "report") });
  };
  await assert.rejects(engine.think({}, { ...how(), signal: stopping.signal }, (shown) => seen.push(shown)), { name: "AbortError" });
  assert.deepEqual(seen, []);
  assert.equal(FakeWorker.last.heard.at(-1).kind, "stop");
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./page.js";

const { answered, due, forget, mistakes, remember } = await import("../../../src/stratagem/web/static/mistakes.js");

const DAY = 24 * 60 * 60 * 1000;
const one = (id, table = "t") => ({ id, table, ply: 1, seat: 0, title: "Hex", question: "Red: find a better move." });
const asked = (now) => due("", now).map(({ id }) => id);
beforeEach(() => localStorage.clear());

test("what is found at once is asked no more", () => {
  remember([one("a"), one("b")], 100);
  assert.deepEqual(asked(200), ["a", "b"]);
  answered("a", true, 200);
  assert.deepEqual(asked(10 * DAY), ["b"]);
  remember([one("a")], 300); // the same game looked at again
  assert.deepEqual(asked(10 * DAY), ["b"]);
});

test("what is missed is asked again behind the others, and once more on another day", () => {
  remember([one("a"), one("b")], 100);
  answered("a", false, 200);
  assert.deepEqual(asked(300), ["b", "a"]);
  answered("a", true, 400);
  assert.deepEqual(asked(500), ["b"]);
  assert.deepEqual(asked(400 + DAY), ["b", "a"]);
  answered("a", true, 400 + DAY);
  assert.deepEqual(asked(10 * DAY), ["b"]);
});

test("mistakes of a game that is gone are forgotten, and of very many the oldest", () => {
  remember([one("a", "gone"), one("b")], 100);
  forget("gone");
  assert.deepEqual(Object.keys(mistakes()), ["b"]);
  remember(Array.from({ length: 250 }, (_, k) => one(`n${k}`)), 200);
  assert.equal(Object.keys(mistakes()).length, 200);
  assert.ok(!mistakes().b);
});

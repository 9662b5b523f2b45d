import assert from "node:assert/strict";
import { test } from "node:test";

import { click, place } from "./page.js";

const { Checklist, Walk } = await import("../../../src/stratagem/web/static/steps.js");

test("a walk goes from unit to unit, and does not come back to one that was passed over", () => {
  const walk = new Walk();
  assert.deepEqual(walk.next(["a", "b", "c"], []), ["a"]);
  assert.deepEqual(walk.next(["a", "b", "c"], ["a"]), ["b"]);
  assert.deepEqual(walk.on(["a", "c"]), ["c"]); // b has acted
  assert.deepEqual(walk.on(["a"]), []); // c has, too
});

test("whoever acts is followed by the next one only while somebody walks", () => {
  const walk = new Walk();
  assert.deepEqual(walk.on(["a", "b"]), []);
  walk.next(["a", "b"], []);
  assert.ok(walk.chose(["a"]));
  assert.ok(!walk.chose(["b"]));
  walk.stop();
  assert.deepEqual(walk.on(["b"]), []);
});

test("the walk goes on from whoever acted, and looks ahead in its own order", () => {
  const walk = new Walk();
  assert.deepEqual(walk.ahead(["a", "b", "c"]), []); // nobody walks
  walk.next(["a", "b", "c"], []);
  assert.deepEqual(walk.ahead(["a", "b", "c"]), ["b", "c", "a"]);
  assert.deepEqual(walk.on(["a", "c"], "b"), ["c"]); // b was chosen and has acted
});

test("once all were passed over the walk ends, and begins anew when asked", () => {
  const walk = new Walk();
  walk.next(["a"], []);
  assert.deepEqual(walk.next(["a"], ["a"]), []);
  assert.deepEqual(walk.next(["a"], []), ["a"]);
});

test("steps say what was done, and those with something to do can be turned to", () => {
  const chosen = [];
  const checklist = new Checklist((step) => chosen.push(step));
  place("div", checklist.list);
  checklist.show([
    { name: "Technology", state: "done", said: "march 1", note: "", parts: [] },
    { name: "Attack and move", state: "open", said: "3 units can still act", note: "", parts: [0, 1] },
  ], 1);
  assert.match(checklist.list.textContent, /✓ Technology, donemarch 1/);
  const buttons = checklist.list.querySelectorAll("button");
  assert.equal(buttons.length, 1);
  assert.equal(buttons[0].getAttribute("aria-pressed"), "true");
  click(buttons[0]);
  assert.deepEqual(chosen, [1]);
});

test("registers keep their places when a card is moved or taken out", async () => {
  const { Slots } = await import("../../../src/stratagem/web/static/forms.js");
  const form = { kind: "pieces", labels: ["1", "2", "3"], total: null, spare: false };
  const slots = new Slots(place(), form, ["a", "b", "c", "d"].map((card) => [card, card]), () => null, () => {});
  for (const card of ["a", "b", "c"]) slots.pick(card);
  slots.pick("b"); // out again
  assert.equal(slots.text, "a");
  assert.ok(!slots.ready);
  slots.put("c", 1); // where b was
  slots.put("d", 2);
  assert.equal(slots.text, "a,c,d");
  slots.put("d", 0); // they change places
  assert.equal(slots.text, "d,c,a");
  slots.put("b", 0); // from the hand: what lay there goes back
  assert.equal(slots.text, "b,c,a");
  assert.match(slots.pick("d"), /3 are picked/);
});

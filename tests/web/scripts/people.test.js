import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";

const { verdict } = await import("../../../src/stratagem/web/static/people.js");

const seats = ["Red", "Blue", "Green"].map((called, seat) => ({ seat, called }));

test("of several who have counted, the numbers go from the winner's down, one's own first", () => {
  const [payoff, tally] = [[0, 1, 0], [16, 21, 20]];
  assert.equal(verdict({ seats, seat: null, payoff, tally }), "Blue won 21 : 20 : 16.");
  assert.equal(verdict({ seats, seat: 1, payoff, tally }), "You won 21 : 20 : 16.");
  assert.equal(verdict({ seats, seat: 0, payoff: [3, 9, 7], tally }), "You came third of 3: 16 : 21 : 20.");
});

test("where nothing is counted the verdict has no numbers", () => {
  assert.equal(verdict({ seats: seats.slice(0, 2), seat: 0, payoff: [-1, 1], tally: null }), "You lost.");
});

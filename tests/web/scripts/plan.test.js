import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { board as drawing, click, heading, place, settled } from "./page.js";

const { boardWithPlan, goesOn } = await import("../../../src/stratagem/web/static/plan.js");

const HEXES = ["0 a", "0 b", "0 c", "1 a"].map((name) => `<g data-place="${name}"><title>hex ${name}</title><rect width="9" height="9"/></g>`);
const MOVES = { "go a b": ["0 a", "0 b"], "go b a": ["0 b", "0 a"], "go a c": ["0 a", "0 c"], rest: [] };

beforeEach(() => sessionStorage.clear());

/** What a server would say of a plan: any of the moves that are not in it yet, and whole with one of them. */
function answer(prefix) {
  const next = Object.keys(MOVES).filter((part) => !prefix.includes(part));
  return {
    prefix, next, said: next.map((part) => `to ${part}`), places: next.map((part) => MOVES[part]), more: 0, complete: prefix.length > 0,
    free: null, grave: [], form: null, sketch: null, played: null,
  };
}

function made(reply = answer) {
  const committed = [];
  const card = place("section", heading());
  const { board, plan } = boardWithPlan(place(), card, {
    drawing: () => drawing(HEXES.join("")),
    ask: async (prefix) => reply(prefix),
    commit: async (text) => committed.push(text),
  });
  board.draw(drawing(HEXES.join("")));
  plan.begin(reply([]), { name: "a table" });
  return { board, plan, card, committed };
}

test("places are matched in the order of pointing, and never by letters of a text", () => {
  assert.ok(goesOn(["0 a", "0 b"], ["0 a"]));
  assert.ok(goesOn(["0 a", "0 b"], ["0 a", "0 b"]));
  assert.ok(!goesOn(["0 a", "0 b"], ["0 b", "0 a"]));
  assert.ok(!goesOn(["0 a1"], ["0 a"]));
});

test("two places that are pointed at add the part that goes from one to the other", async () => {
  const { plan } = made();
  await plan.point("0 a");
  assert.deepEqual(plan.places, ["0 a"]);
  await plan.point("0 c");
  assert.deepEqual(plan.prefix, ["go a c"]);
});

test("only places that some part is about can be pointed at", () => {
  const { plan } = made();
  const may = [...document.querySelectorAll(".may")].map(({ dataset }) => dataset.place);
  assert.ok(!may.includes("1 a"));
  assert.ok(plan.parts !== null);
});

test("pointing at the same place again lets go of it", async () => {
  const { plan } = made();
  await plan.point("0 a");
  await plan.point("0 a");
  assert.deepEqual(plan.places, []);
});

test("undo takes the last part out, and another plan comes back after a hint was taken", async () => {
  const { plan } = made();
  await plan.add("rest");
  await plan.become(["go a b", "go b a"]);
  assert.deepEqual(plan.prefix, ["go a b", "go b a"]);
  await plan.undo();
  assert.deepEqual(plan.prefix, ["rest"]);
  await plan.undo();
  assert.deepEqual(plan.prefix, []);
});

test("a plan that was begun is taken up again after a reload, and gone once it is committed", async () => {
  const first = made();
  await first.plan.add("rest");
  const second = made();
  await settled();
  assert.deepEqual(second.plan.prefix, ["rest"]);
  await second.plan.commit();
  assert.deepEqual(second.committed, ["rest"]);
  const third = made();
  await settled();
  assert.deepEqual(third.plan.prefix, []);
});

test("a refusal is shown, and the plan stays as it was", async () => {
  const { plan, card } = made((prefix) => {
    if (prefix.length > 1) throw new Error("no such part");
    return answer(prefix);
  });
  await plan.add("rest");
  await plan.add("go a b");
  assert.deepEqual(plan.prefix, ["rest"]);
  assert.equal(card.querySelector("[role=alert]").textContent, "no such part");
});

test("a late answer about a position that has passed is dropped", async () => {
  const { plan } = made();
  const adding = plan.add("rest");
  plan.begin(answer([]), { name: "another table" });
  await adding;
  assert.deepEqual(plan.prefix, []);
});

test("what gives something up is asked about once more", async () => {
  const { plan, card } = made((prefix) => ({ ...answer(prefix), grave: ["rest"] }));
  click(card.querySelector(".grave button"));
  await settled();
  assert.deepEqual(plan.prefix, []);
  click(card.querySelector(".grave button"));
  await settled();
  assert.deepEqual(plan.prefix, ["rest"]);
});

test("cards are picked into registers in order, and the text is the server's", async () => {
  const cards = [["10", "U-turn"], ["490", "move 1"], ["840", "move 3"]];
  const svg = drawing(cards.map(([card, words]) => `<g data-piece="${card}"><title>${words}</title><rect width="9" height="9"/></g>`).join(""));
  const form = { kind: "pieces", labels: ["register 1", "register 2"], total: null, spare: false };
  const reply = (prefix) => ({ ...answer(prefix), next: [], said: [], places: null, free: "two cards", form, complete: prefix.length > 0 });
  const card = place("section", heading());
  const committed = [];
  const { board, plan } = boardWithPlan(place(), card, { drawing: () => svg, ask: async (prefix) => reply(prefix), commit: async (text) => committed.push(text) });
  board.picture = () => null; // there is no layout here to take pictures from
  board.draw(svg);
  plan.begin(reply([]), { name: "a race" });
  plan.pick("840");
  plan.pick("10");
  await plan.commit();
  assert.deepEqual(committed, ["840,10"]);
});

test("while one walks, a place where the unit pointed at cannot go is for the next one that can", async () => {
  const walked = (prefix) => ({ ...answer(prefix), steps: [{ name: "Move", state: "open", said: "", note: "", parts: [0, 1, 2].filter((k) => k < 3 - prefix.length) }] });
  const { plan } = made(walked);
  plan.nextUnit();
  assert.deepEqual(plan.places, ["0 a"]);
  await plan.point("0 a"); // which "0 b" alone can go to
  assert.deepEqual(plan.prefix, ["go b a"]);
});

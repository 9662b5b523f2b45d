import assert from "node:assert/strict";
import { test } from "node:test";

import { board as drawing, click, place } from "./page.js";

const { Board } = await import("../../../src/stratagem/web/static/board.js");

const SQUARE = '<rect x="0" y="0" width="20" height="20"/>';
const part = (text, more = "") => `<g data-part="${text}" ${more}><title>the part ${text}</title>${SQUARE}</g>`;

function made(text) {
  const heard = [];
  const tell = (kind) => (...what) => heard.push([kind, ...what]);
  const at = place();
  const shown = new Board(at, { clicked: tell("clicked"), pointed: tell("pointed"), picked: tell("picked"), stepped: tell("stepped") });
  shown.draw(drawing(text));
  return { at, shown, heard };
}

test("only what is offered can be clicked, and is said to screen readers", () => {
  const { at, shown, heard } = made(part("a1") + part("b2"));
  assert.equal(shown.offer({ parts: ["b2"] }), 1);
  click(at.querySelector("[data-part=a1]"));
  click(at.querySelector("[data-part=b2]"));
  assert.deepEqual(heard, [["clicked", "b2"]]);
  assert.equal(at.querySelector("[data-part=b2]").getAttribute("aria-label"), "the part b2");
  assert.equal(at.querySelector("[data-part=a1]").getAttribute("role"), null);
});

test("nothing of another seat is offered", () => {
  const { at, shown } = made(part("a1", 'data-seat="1"') + part("b2", 'data-seat="0"'));
  assert.equal(shown.offer({ parts: ["a1", "b2"], seat: 0 }), 1);
  assert.deepEqual(shown.offered(), ["b2"]);
  assert.equal(at.querySelectorAll(".may").length, 1);
});

test("a drawing brings no script, no handler and nothing from outside", () => {
  const { at } = made(
    '<script>alert(1)</script><foreignObject><p>no</p></foreignObject><g onclick="alert(1)" style="fill:red">' +
      '<use href="https://elsewhere/x"/><rect fill="url(https://elsewhere/y)"/><use href="#own"/></g>');
  assert.equal(at.querySelector("script, foreignObject"), null);
  assert.equal(at.querySelector("[onclick], [style]:not(svg)"), null);
  assert.deepEqual([...at.querySelectorAll("use")].map((one) => one.getAttribute("href")), [null, "#own"]);
  assert.equal(at.querySelector("rect[fill]"), null);
});

test("a drawing that differs little keeps the elements that are alike", () => {
  const { at, shown } = made(part("a1") + '<text data-id="n">1</text>');
  const kept = at.querySelector("[data-part=a1]");
  shown.draw(drawing(part("a1") + '<text data-id="n">2</text>'));
  assert.equal(at.querySelector("[data-part=a1]"), kept);
  assert.equal(at.querySelector("text").textContent, "2");
});

test("what was offered on one drawing is not on the next", () => {
  const { at, shown } = made(part("a1"));
  shown.offer({ parts: ["a1"] });
  shown.draw(drawing(part("a1") + part("b2")));
  assert.equal(at.querySelectorAll(".may").length, 0);
});

test("pieces and the steps of numbers report what they are", () => {
  const { at, shown, heard } = made(`<g data-piece="840">${SQUARE}</g><g data-entry="2" data-by="-1">${SQUARE}</g>`);
  shown.offer({ written: true, numbers: true });
  click(at.querySelector("[data-piece]"));
  click(at.querySelector("[data-entry]"));
  assert.deepEqual(heard, [["picked", "840"], ["stepped", 2, -1]]);
});

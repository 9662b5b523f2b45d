// Variations: a tree of moves with comments, which can be saved.

import { el } from "./api.js";

/** A position of the tree: the move that leads to it, and what may be said of it.
 * @typedef {{ move: string | null, parent: Node | null, children: Node[], comment?: string }} Node
 * @typedef {{ move?: string | null, comment?: string, children?: Saved[] }} Saved  A tree as JSON has it. */

/** @type {(move?: string | null, parent?: Node | null) => Node} */
export const start = (move = null, parent = null) => ({ move, parent, children: [] });

/** The child of a node by a move, made if it is not there.
 * @param {Node} node  @param {string} move */
export function add(node, move) {
  let found = node.children.find((other) => other.move === move);
  if (!found) {
    found = start(move, node);
    node.children.push(found);
  }
  return found;
}

/** The moves that lead to a node.
 * @param {Node} node */
export function movesTo(node) {
  const moves = [];
  for (let n = node; n.parent; n = n.parent) moves.unshift(n.move);
  return moves;
}

/** A tree as JSON has it, and back.
 * @type {(node: Node) => Saved} */
export const saved = ({ move, comment, children }) => ({ move, comment, children: children.map(saved) });

/** @param {Saved} saved  @param {Node | null} [parent]  @returns {Node} */
export function grown({ move = null, comment, children = [] }, parent = null) {
  const node = { ...start(move, parent), comment };
  node.children = children.map((child) => grown(child, node));
  return node;
}

/** Make a line the main one, where it first branches off and from there up.
 * @param {Node} node */
export function promote(node) {
  for (let n = node; n.parent; n = n.parent) {
    const { children } = n.parent;
    children.splice(children.indexOf(n), 1);
    children.unshift(n);
  }
}

/** A tree as elements: a line runs on in one row; where it branches, the others follow indented. Moves are numbered, and
 * comments stand behind them.
 * @param {Node} root  @param {(node: Node, number: number) => any} bare */
export function row(root, bare) {
  /** @param {Node} node  @param {number} number */
  const item = (node, number) => (node.comment ? el("span", {}, bare(node, number), el("i", { class: "comment" }, ` ${node.comment} `)) : bare(node, number));
  /** @type {(node: Node, number: number) => any[]} */
  const grow = (node, number) => {
    const line = el("span", { class: "run" }, item(node, number));
    const made = [line];
    let at = node;
    for (let n = number + 1; at.children.length; n += 1) {
      const [main, ...others] = at.children;
      line.append(" ", item(main, n));
      for (const other of others) made.push(el("div", { class: "branch" }, ...grow(other, n)));
      at = main;
    }
    return made;
  };
  return grow(root, 0);
}

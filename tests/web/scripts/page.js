// A page without a browser, for the tests of scripts: globals as happy-dom makes them.

import { Window } from "happy-dom";

const window = new Window({ url: "http://localhost/" });
const GLOBALS = ["document", "Node", "DOMParser", "HTMLElement", "Event", "MouseEvent", "localStorage", "sessionStorage", "matchMedia", "innerHeight"];
for (const name of GLOBALS) globalThis[name] = name === "matchMedia" ? () => ({ matches: true }) : window[name];
globalThis.CSS = { escape: (text) => text.replace(/[^\w-]/g, (sign) => `\\${sign}`) };
for (const name of ["addEventListener", "removeEventListener", "dispatchEvent", "scrollBy"]) globalThis[name] = window[name].bind(window);

export const board = (marks) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">${marks}</svg>`;
export const click = (element) => element.dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
/** Everything that is under way is done. */
export const settled = () => new Promise((done) => setTimeout(done, 5));

/** An empty element on the page. */
export function place(name = "div", ...children) {
  const made = window.document.createElement(name);
  made.append(...children);
  window.document.body.append(made);
  return made;
}

export function heading() {
  return window.document.createElement("h2");
}

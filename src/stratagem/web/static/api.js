// Talking to the server, and small things that every page needs.

/** An element with attributes and children; strings become text, never markup.
 * @param {string} name
 * @param {Record<string, any>} attributes `on…` is a listener; what is false, null or undefined is left out
 * @param {...(Node | string | null | undefined)} children
 * @returns {any} the element, as whatever it is */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The element of a name.
 * @type {(id: string) => any} */
export const $ = (id) => document.getElementById(id);

/** All elements that a selector finds.
 * @type {(selector: string, within?: ParentNode) => any[]} */
export const every = (selector, within = document) => [...within.querySelectorAll(selector)];

/** The element that has the focus.
 * @type {() => any} */
export const focused = () => document.activeElement;

/** A refusal of the server, with its line. */
export class Refused extends Error {
  /** @param {number} status  @param {string} line */
  constructor(status, line) {
    super(line);
    this.status = status;
  }
}

/** @typedef {{ method?: string, body?: any, token?: string | null, signal?: AbortSignal, brief?: boolean }} Asked */

/** @type {(token: string | null | undefined, body: any, brief?: boolean) => Record<string, string>} */
const headers = (token, body, brief) => ({
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...(token ? { authorization: `Bearer ${token}` } : {}),
  ...(brief ? { prefer: "return=minimal" } : {}),
});

/** @param {Response} response */
async function refused(response) {
  let line = `the server answered ${response.status}`;
  try {
    line = (await response.json()).error ?? line;
  } catch {
    // not JSON: the status says enough
  }
  return new Refused(response.status, line);
}

/** The server's answer; brief: it need not hold the whole table, for a stream follows it.
 * @param {string} path
 * @param {Asked} [asked]
 * @returns {Promise<any>} */
export async function call(path, { method, body, token, signal, brief } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: headers(token, body, brief),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer; is it still running?");
  }
  if (!response.ok) throw await refused(response);
  return response.json();
}

/** Server-sent events over fetch, so that the token can go in a header. Resolves when the stream ends.
 * @param {string} path
 * @param {Asked} asked
 * @param {(kind: string, data: any) => void} hear */
export async function stream(path, { method = "GET", body, token, signal }, hear) {
  const response = await fetch(path, {
    method,
    headers: headers(token, body),
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await refused(response);
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const events = waiting.split("\n\n");
    waiting = events.pop() ?? "";
    for (const event of events) {
      const kind = /^event: (.*)$/m.exec(event)?.[1];
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (kind && data) hear(kind, JSON.parse(data));
    }
  }
}

/** @param {string} name  @param {string} text */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** @param {string} text  @param {any} button */
export async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Could not copy";
  }
  setTimeout(() => (button.textContent = before), 1500);
}

const HELD = "stratagem.tables";

/** The seats that this browser holds: { table: { game, title, seats: { seat: token } } }.
 * @returns {Record<string, any>} */
export function held() {
  try {
    return JSON.parse(localStorage.getItem(HELD) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {string} table  @param {object} about  @param {number | string | null} [seat]  @param {string} [token] */
export function hold(table, about, seat, token) {
  const all = held();
  const mine = all[table] ?? { seats: {} };
  Object.assign(mine, about, { at: Date.now() });
  if (seat !== undefined && seat !== null) mine.seats[seat] = token;
  all[table] = mine;
  const kept = Object.entries(all).sort((a, b) => b[1].at - a[1].at).slice(0, 50);
  try {
    localStorage.setItem(HELD, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // without storage a seat lasts as long as its page
  }
}

/** Take the seat of an invitation. Its token is made and kept here first, so that a join whose answer was lost is sent again.
 * @param {string} api  @param {string} invitation  @returns {Promise<{ seat: number, token: string }>} */
export async function join(api, invitation) {
  const name = `join ${invitation}`;
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  const token = kept(name) ?? Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  keep(name, token);
  try {
    const made = await call(`${api}/join`, { body: { invitation, token } });
    keep(name, null);
    return made;
  } catch (error) {
    if (error instanceof Refused && error.status >= 400 && error.status < 500) keep(name, null); // a refusal, not a lost answer
    throw error;
  }
}

/** What this browser keeps of its own, such as a plan half made; nothing where it has no storage.
 * @type {(name: string) => Storage} */
const shelf = (name) => (name.startsWith("plan ") ? sessionStorage : localStorage); // a plan lasts as long as its tab

/** @param {string} name  @returns {any} */
export function kept(name) {
  try {
    return JSON.parse(shelf(name).getItem(`stratagem.${name}`) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name  @param {any} value */
export function keep(name, value) {
  try {
    if (value === null) shelf(name).removeItem(`stratagem.${name}`);
    else shelf(name).setItem(`stratagem.${name}`, JSON.stringify(value));
  } catch {
    // it lasts as long as the page then
  }
}

/** What a value is worth to a seat: a chance of winning, where the range of payoffs makes it one; else points.
 * @param {number | null | undefined} value  @param {number[]} range */
export function worth(value, [low, high]) {
  if (value === null || value === undefined) return "";
  return high === 1 && low <= 0 && low >= -1 ? `${((100 * (value - low)) / (high - low)).toFixed(1)} %` : number(value, 2);
}

/** A number as people write it; what is nothing when rounded has no sign.
 * @param {number | null | undefined} x */
export function number(x, digits = 3) {
  if (x === null || x === undefined) return "";
  const text = Number(x).toFixed(digits);
  return Number(text) > 0 ? `+${text}` : Number(text) < 0 ? text : text.replace("-", "");
}

// Talking to the server, and small things that every page needs.

/** An element with attributes and children; strings become text, never markup. */
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

export const $ = (id) => document.getElementById(id);

/** A refusal of the server, with its line. */
export class Refused extends Error {
  constructor(status, line) {
    super(line);
    this.status = status;
  }
}

const headers = (token, body, brief) => ({
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...(token ? { authorization: `Bearer ${token}` } : {}),
  ...(brief ? { prefer: "return=minimal" } : {}),
});

async function refused(response) {
  let line = `the server answered ${response.status}`;
  try {
    line = (await response.json()).error ?? line;
  } catch {
    // not JSON: the status says enough
  }
  return new Refused(response.status, line);
}

/** brief: the answer need not hold the whole table, for a stream follows it. */
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
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer; is it still running?");
  }
  if (!response.ok) throw await refused(response);
  return response.json();
}

/** Server-sent events over fetch, so that the token can go in a header. Resolves when the stream ends. */
export async function stream(path, { method = "GET", body, token, signal }, hear) {
  const response = await fetch(path, {
    method,
    headers: headers(token, body),
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await refused(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const events = waiting.split("\n\n");
    waiting = events.pop();
    for (const event of events) {
      const kind = /^event: (.*)$/m.exec(event)?.[1];
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (kind) hear(kind, JSON.parse(data));
    }
  }
}

export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

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

// The seats that this browser holds: { table: { game, title, seats: { seat: token } } }.
const HELD = "stratagem.tables";

export function held() {
  try {
    return JSON.parse(localStorage.getItem(HELD) ?? "{}");
  } catch {
    return {};
  }
}

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

/** What this browser keeps of its own, such as a plan half made; nothing where it has no storage. */
const shelf = (name) => (name.startsWith("plan ") ? sessionStorage : localStorage); // a plan lasts as long as its tab

export function kept(name) {
  try {
    return JSON.parse(shelf(name).getItem(`stratagem.${name}`) ?? "null");
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    if (value === null) shelf(name).removeItem(`stratagem.${name}`);
    else shelf(name).setItem(`stratagem.${name}`, JSON.stringify(value));
  } catch {
    // it lasts as long as the page then
  }
}

/** What a value is worth to a seat: a chance of winning, where the range of payoffs makes it one; else points. */
export function worth(value, [low, high]) {
  if (value === null || value === undefined) return "";
  return high === 1 && low <= 0 && low >= -1 ? `${((100 * (value - low)) / (high - low)).toFixed(1)} %` : number(value, 2);
}

/** A number as people write it; what is nothing when rounded has no sign. */
export function number(x, digits = 3) {
  if (x === null || x === undefined) return "";
  const text = Number(x).toFixed(digits);
  return Number(text) > 0 ? `+${text}` : Number(text) < 0 ? text : text.replace("-", "");
}

/** Pictures that are much higher than wide fill their frame, cut off above and below. */
export function fitPictures() {
  for (const img of document.querySelectorAll(".thumbnail img")) {
    const fit = () => {
      img.classList.toggle("tall", img.naturalHeight > 1.25 * img.naturalWidth);
      img.classList.toggle("taller", img.naturalHeight > 2 * img.naturalWidth);
    };
    if (img.complete) fit();
    img.addEventListener("load", fit);
  }
}

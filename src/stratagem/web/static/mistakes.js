// Mistakes of one's own games as puzzles, kept in this browser: what is missed is asked again, and again on another day.

import { keep, kept } from "./api.js";

const MOST = 200; // kept, the latest ones
const DAY = 24 * 60 * 60 * 1000; // milliseconds after which one that was missed before is asked once more

/** A mistake: where it is found, what it is called, when it is asked next (null: no more), and whether it was missed last.
 * @typedef {{ table: string, ply: number, seat: number, id: string, title: string, question: string, due: number | null, missed: boolean }} Mistake */

/** All that are kept, by their ids, the oldest first. @returns {Record<string, Mistake>} */
export const mistakes = () => kept("mistakes") ?? {};

/** Keep those that are new. @param {Omit<Mistake, "due" | "missed">[]} found */
export function remember(found, now = Date.now()) {
  const all = mistakes();
  for (const [k, one] of found.entries()) all[one.id] ??= { ...one, due: now + k, missed: false };
  keep("mistakes", Object.fromEntries(Object.entries(all).slice(-MOST)));
}

/** What the first answer of a visit was: one that was right ends it, unless it was missed before.
 * @param {string} id  @param {boolean} right */
export function answered(id, right, now = Date.now()) {
  const all = mistakes();
  const mine = all[id];
  if (!mine) return;
  all[id] = right ? { ...mine, due: mine.missed ? now + DAY : null, missed: false } : { ...mine, due: now, missed: true };
  keep("mistakes", all);
}

/** A game that the server no longer has. @param {string} table */
export function forget(table) {
  keep("mistakes", Object.fromEntries(Object.entries(mistakes()).filter(([, one]) => one.table !== table)));
}

/** Those to be asked now, the longest due first, but for one. */
export const due = (except = "", now = Date.now()) =>
  Object.values(mistakes()).filter((one) => one.id !== except && one.due !== null && one.due <= now).sort((a, b) => Number(a.due) - Number(b.due));

/** @param {Mistake} one */
export const address = ({ table, ply, seat }) => `/mistakes/${encodeURIComponent(table)}/${ply}/${seat}`;

// A puzzle: the usual board, a plan to be found, and what an engine says of it.

import { $, call, el, keep, kept, stream, worth } from "./api.js";
import { pieces, redrawn } from "./drawings.js";
import { address, answered, due, forget } from "./mistakes.js";
import { boardWithPlan } from "./plan.js";

const { api = "", mistake } = document.body.dataset; // of a mistake: the table whose game it is of

const page = {
  puzzle: null, // as the server describes it
  hints: 0, // given so far
  checking: null, // aborts the engine's work
  settled: false, // whether an answer of this visit is known, or the solution was shown
};

const { board, plan } = boardWithPlan($("board"), $("plan"), {
  drawing: () => page.puzzle.svg,
  ask: async (prefix, play) => {
    const { game, options, position, seat } = page.puzzle;
    const parts = await call("/api/parts", { body: { game, options, position, prefix, seat } });
    if (play && parts.complete && !parts.next.length) check(prefix.join(";"));
    return parts;
  },
  commit: (text) => check(text),
});
board.enlarge($("zoom"));
const problem = (line = "") => ($("problem").textContent = line);
const unit = (value) => worth(value, page.puzzle.range);
const said = ({ words, move }) => (kept("notation") ? move : words) || move;

/** What this browser knows of puzzles: { id: { solved, tries } }. */
const record = () => kept("puzzles") ?? {};
function remember(change) {
  const all = record();
  const mine = all[page.puzzle.id] ?? { solved: false, tries: 0 };
  all[page.puzzle.id] = { ...mine, ...change(mine) };
  keep("puzzles", all);
}

/** Of a mistake: the first answer of a visit says when it is asked again, and where the next one is. */
function count(right) {
  if (!mistake) return;
  if (!page.settled) answered(page.puzzle.id, right);
  page.settled = true;
  onwards();
}

function onwards() {
  if (!mistake) return;
  const [next] = due(page.puzzle.id);
  $("next").href = next ? address(next) : "/puzzles";
  $("next").textContent = next ? `Next mistake (${due(page.puzzle.id).length} to do)` : "No other mistake to do";
}

/** The position as it is given; a plan that was begun before the page was loaded anew is taken up, unless it starts over. */
function begin({ over = false } = {}) {
  const { puzzle } = page;
  const name = `puzzle ${puzzle.id}`;
  if (over) keep(`plan ${name}`, null);
  board.draw(puzzle.svg);
  board.layer("last", puzzle.marks);
  board.layer("candidate");
  plan.begin(puzzle.parts, { simple: puzzle.turn === "seat", title: `Your ${puzzle.turn === "together" || puzzle.by_parts ? puzzle.plan : "move"}`, seat: puzzle.seat, name });
}

async function check(text) {
  page.checking?.abort();
  const mine = (page.checking = new AbortController());
  problem();
  say("Checking …");
  try {
    await stream(`${api}/check`, { method: "POST", body: { move: text }, signal: mine.signal }, (kind, data) => {
      if (kind === "queued") say(`Number ${data} in the queue …`);
      else if (kind === "thinking") say("The engine compares your plan with the best one …");
      else if (kind === "compiling") say(`${data} …`);
      else if (kind === "failed") say(""), problem(data);
      else if (kind === "done") verdict(data);
    });
  } catch (error) {
    if (error.name !== "AbortError") say(""), problem(error.message);
  }
}

const say = (...words) => $("verdict").replaceChildren(...words);

function verdict(found) {
  remember(({ solved, tries }) => ({ solved: solved || (found.right && !page.shown), tries: tries + 1 }));
  count(found.right);
  $("verdict").className = found.right ? "right" : "wrong";
  if (found.right) {
    keep(`plan puzzle ${page.puzzle.id}`, null); // whoever comes again begins anew
    say(el("b", {}, "Right. "), page.puzzle.goal ? `${said(found)}.` : `${said(found)} is worth ${unit(found.best_value)}.`);
    show(found.drawn);
    $("next").focus();
    return;
  }
  const lost = found.value === null ? "The engine cannot tell what it is worth." : `It is worth ${unit(found.value)}, the best plan ${unit(found.best_value)}.`;
  const apart = found.apart.length ? ` The best plan does without: ${found.apart.join("; ")}.` : "";
  if (page.puzzle.goal) say(el("b", {}, "Not yet. "), `This does not do it: ${said(found)}.`);
  else say(el("b", {}, "Better exists. "), `${said(found)}: ${lost}${apart}`);
  $("verdict").scrollIntoView({ block: "nearest" }); // it stands below the plan
  if (page.puzzle.turn === "seat" && !page.puzzle.by_parts) begin({ over: true }); // one click was the whole answer
}

/** A plan on the board. */
function show({ named, marks, sketch }) {
  plan.begin(null);
  board.draw(sketch ? redrawn(pieces(page.puzzle.svg), sketch) : page.puzzle.svg, { tween: 250 });
  board.layer("candidate", marks);
  board.near(marks.flatMap(({ places }) => places ?? []).at(-1)); // where it ends, on a board that scrolls
  board.mark(named, "candidate", page.puzzle.seat);
}

$("hint").addEventListener("click", async () => {
  problem();
  try {
    const { hint, left } = await call(`${api}/hint?after=${page.hints}`);
    if (hint) {
      page.hints += 1;
      $("hints").append(el("li", {}, `${hint[0].toUpperCase()}${hint.slice(1)}.`));
    }
    $("hint").disabled = !left;
  } catch (error) {
    problem(error.message);
  }
});

$("solution").addEventListener("click", async () => {
  problem();
  try {
    const { best, second } = await call(`${api}/solution`);
    page.shown = true;
    count(false);
    $("verdict").className = "";
    const worth = page.puzzle.goal ? "." : `, worth ${unit(best.value)}. Next best: ${said(second)}, worth ${unit(second.value)}.`;
    say(el("b", {}, "The solution: "), said(best) + worth);
    show(best);
  } catch (error) {
    problem(error.message);
  }
});

$("again").addEventListener("click", () => {
  say("");
  begin({ over: true });
});

try {
  page.puzzle = await call(api);
  const { puzzle } = page;
  $("status").textContent = puzzle.question;
  $("kind").textContent = kind(puzzle);
  const query = new URLSearchParams(Object.entries(puzzle.options).map(([name, value]) => [name, String(value)]));
  query.set("position", puzzle.position);
  $("analyse").href = `/analyse/${encodeURIComponent(puzzle.game)}#${query}`;
  if (record()[puzzle.id]?.solved) $("solved").hidden = false;
  onwards();
  begin();
} catch (error) {
  if (mistake && error.status === 404) forget(mistake);
  problem(error.message);
}

/** How it is known what is right. */
function kind({ played, goal, proved, margin }) {
  if (played) return `You played: ${said(played)}. An engine’s plan was worth more; what is worth as much, or very nearly, is right.`;
  if (goal) return "It can be done, which is proved. Every plan that does it is right.";
  return `${proved ? "The solution is proved" : "The solution was found by an engine and weighed again"}: every other plan is worth less by ${lossUnit(margin)} or more.`;
}

/** A difference of values, in points or in points of a per cent. */
function lossUnit(loss) {
  const [low, high] = page.puzzle.range;
  return high === 1 && low <= 0 && low >= -1 ? `${((100 * loss) / (high - low)).toFixed(0)} % of winning` : loss.toFixed(2);
}

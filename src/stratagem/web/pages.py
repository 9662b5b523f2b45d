"""The pages as the server sends them: whole documents with escaped text, no script or style of their own. The modules in
`static/` bring them to life."""

from __future__ import annotations

from html import escape
from typing import Any

from stratagem import __version__

NAVIGATION = '<a href="/">Games</a> <a href="/puzzles">Puzzles</a> <a href="/drafts">Drafts</a>'
MARK = (
    '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M12 1l9.5 5.5v11L12 23l-9.5-5.5v-11z" '
    'fill="#f2a900"/><path d="M6 15.5l4-5 3.5 3L18 7.5M14.2 7.5H18v3.8" fill="none" stroke="#14213d" stroke-width="2.2" '
    'stroke-linecap="round" stroke-linejoin="round"/></svg>'
)


def page(
    title: str, content: str, script: str | None = None, *, navigation: str = NAVIGATION, style: str = "", **data: str
) -> str:
    """A whole document. `style` names sheets besides the common one; `data` goes on the body, where the module finds it."""
    sheet = "".join(f'\n<link rel="stylesheet" href="/static/{name}.css">' for name in style.split())
    module = f'<script type="module" src="/static/{script}.js"></script>' if script else ""
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} · Stratagem</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/style.css">{sheet}
<script src="/static/theme.js"></script>
{module}
</head>
<body{attributes}>
<a class="skip" href="#main">To the content</a>
<header class="top">
<a class="brand" href="/">{MARK}Stratagem</a>
<nav aria-label="Main">{navigation}</nav>
<button id="theme" type="button" class="quiet" aria-label="Theme">◐</button>
</header>
<main id="main" tabindex="-1">
{content}
</main>
<footer class="foot">Stratagem {__version__} · <a href="/api/openapi.json">Interface for programs</a></footer>
<noscript><p class="card narrow">This page needs JavaScript; it comes from this server alone.</p></noscript>
</body>
</html>
"""


def sentence(words: str) -> str:
    """A summary as a sentence of its own."""
    return f"{words[:1].upper()}{words[1:]}."


def game(described: dict[str, Any], drawing: str) -> str:
    name, title = described["name"], described["title"]
    fields = "".join(_field(option) for option in described["options"])
    levels, others = (
        "".join(
            f"<tr><th scope=row>{escape(engine)}</th><td>{escape(summary)}</td></tr>"
            for engine, summary in described["engines"].items()
            if (engine in described["levels"]) == wanted
        )
        for wanted in (True, False)
    )
    return page(
        title,
        f"""<h1>{escape(title)}</h1>
<p class="lead">{escape(sentence(described["summary"]))}</p>
<div class="columns">
<div><section class="card" aria-labelledby="new-title"><h2 id="new-title">New game</h2>
<form id="new" autocomplete="off">
<details{"" if fields else " hidden"} class="options"><summary>Options</summary>{fields}</details>
<fieldset><legend>Seats</legend><div id="seats"></div>
<div class="field"><label for="clock">clock</label><select id="clock"><option value="">none</option>
<option value="30">30 seconds a move</option><option value="180+2">3 minutes, 2 seconds a move</option>
<option value="600+5">10 minutes, 5 seconds a move</option></select></div></fieldset>
<p class="row"><button type="submit" class="primary">Play</button>
<button type="button" id="watch">Watch engines</button>
<button type="button" id="analyse" class="quiet">Analyse</button>
<a class="button quiet" href="/edit/{escape(name)}"{"" if described["edited"] else " hidden"}>Set up a position</a></p>
<p id="problem" role="alert"></p>
</form></section>
<section class="card"><h2>The rules in brief</h2><p>{escape(described["rules"])}</p></section>
<section class="card"><h2>The idea of the search</h2><p>{escape(described["idea"])}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Engines"><table>
<thead><tr><th scope=col>engine</th><th scope=col>what it does</th></tr></thead>
<tbody>{levels}</tbody></table></div>
<details{"" if others else " hidden"}><summary>All engines</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Other engines"><table>
<thead><tr><th scope=col>engine</th><th scope=col>what it does</th></tr></thead>
<tbody>{others}</tbody></table></div></details></section></div>
<div class="board still">{drawing}</div></div>""",
        "game",
        game=name,
    )


def _field(option: dict[str, Any]) -> str:
    name, default = escape(option["name"]), option["default"]
    label = f'<label for="o-{name}">{name.replace("_", " ")}</label>'
    note = f'<small id="h-{name}">{escape(option["help"])}{escape(_bounds(option))}</small>'
    common = f'id="o-{name}" name="{name}" aria-describedby="h-{name}"'
    if option["choices"]:
        choices = "".join(
            f"<option{' selected' if choice == str(default) else ''}>{escape(choice)}</option>"
            for choice in option["choices"]
        )
        control = f"<select {common}>{choices}</select>"
    elif option["kind"] == "bool":
        control = f'<input type="checkbox" {common}{" checked" if default else ""}>'
    elif option["kind"] in ("int", "float"):
        limits = "".join(f' {key[:3]}="{option[key]:g}"' for key in ("minimum", "maximum") if option[key] is not None)
        step = "1" if option["kind"] == "int" else "any"
        shown = "" if default is None else escape(str(default))
        control = f'<input type="number" step="{step}" {common} value="{shown}"{limits}>'
    elif option["suggested"]:
        offered = dict.fromkeys([*([str(default)] if default else []), *option["suggested"]])
        names = "".join(f"<option{' selected' * (x == str(default))}>{escape(x)}</option>" for x in offered)
        other = f'<input type="text" maxlength="200" data-other="o-{name}" aria-label="{name}, another one" hidden>'
        control = f'<span><select {common}>{names}<option value="">another …</option></select>{other}</span>'
    else:
        shown = "" if default is None else escape(str(default))
        control = f'<input type="text" maxlength="200" {common} value="{shown}">'
    return f'<div class="field">{label}{control}{note}</div>'


def _bounds(option: dict[str, Any]) -> str:
    low, high = option["minimum"], option["maximum"]
    if low is not None and high is not None:
        return f" ({low:g} to {high:g})"
    return ""


def play(title: str, key: str) -> str:
    return page(
        title,
        f"""<div class="table">
<section class="stage" aria-label="Board">
<h1>{escape(title)}</h1>
<ul id="seats" class="players" aria-label="Seats"></ul>
<p id="status" role="status" aria-live="polite">Setting up the board …</p>
<div id="replay" class="row replay" role="group" aria-label="Replay">
<button type="button" id="first" aria-label="To the start">|◀</button>
<button type="button" id="before" aria-label="One step back">◀</button>
<output id="where" class="where" aria-label="Move shown"></output>
<button type="button" id="run" aria-label="Play back from here">▶▶</button>
<button type="button" id="after" aria-label="One step on">▶</button>
<button type="button" id="last" aria-label="To the present">▶|</button>
<button type="button" id="skip" class="primary" hidden>Skip</button>
<button type="button" id="zoom" class="quiet" aria-pressed="false">Larger</button>
</div>
<div id="board" class="board" tabindex="-1"></div>
<div id="looking" class="looking" hidden>
<label class="row">look at <select id="look"><option value="">nothing</option></select></label>
<p id="seen" class="note" role="status"></p></div>
</section>
<div class="side">
<section class="card" id="result" aria-labelledby="result-title" hidden><h2 id="result-title">The game is over</h2>
<p id="outcome"></p><ul class="plain"></ul>
<div class="row"><button type="button" id="rematch" class="primary">Rematch</button>
<button type="button" id="swap">Rematch, seats swapped</button>
<a class="button" id="review" href="/review/{escape(key)}">Review</a></div><p id="agreement" role="status"></p></section>
<section class="card" id="first-time" aria-labelledby="first-title" hidden><h2 id="first-title">Your first time</h2>
<ol class="first"></ol><button type="button" class="quiet">I know</button></section>
<section class="card" id="plan" aria-labelledby="plan-title" hidden><h2 id="plan-title">Your move</h2></section>
<section class="card"><details id="rules"><summary>Rules and pieces</summary><p></p><dl class="pieces"></dl></details></section>
<section class="card" id="invite" hidden aria-labelledby="invite-title">
<h2 id="invite-title">Invite</h2><ul class="plain"></ul><p class="note"></p></section>
<section class="card" aria-labelledby="moves-title"><h2 id="moves-title">Moves</h2>
<div id="moves" class="moves" tabindex="0" role="group" aria-label="The record"></div></section>
<section class="card" aria-label="Tools"><div class="row">
<button type="button" id="back">Take back</button>
<button type="button" id="hint">Hint</button>
<span id="panels" class="row"></span>
<button type="button" id="resign" class="danger" hidden>Resign</button>
<button type="button" id="draw" hidden>Offer a draw</button>
<a class="button quiet" id="analyse" href="/">Analyse</a>
<button type="button" id="save" class="quiet">Save</button>
<button type="button" id="copy" class="quiet">Copy text</button>
</div><div id="advice" aria-live="polite"></div><p id="problem" role="alert"></p>
<div class="row settings" role="group" aria-label="Settings">
<button type="button" id="sound" class="quiet">Sound: on</button>
<label class="row"><input type="checkbox" id="notation"> notation</label>
<label class="row">speed <input type="range" id="speed" min="0" max="4" step="1" value="2"></label></div>
<div class="row settings"><button type="button" id="share" class="quiet">Copy the link to watch</button>
<button type="button" id="code" class="quiet">As QR code</button></div></section>
</div></div>""",
        "play",
        style="people plan",
        table=key,
    )


def edit(described: dict[str, Any]) -> str:
    return page(
        f"{described['title']}, set up",
        f"""<div class="table">
<section class="stage" aria-label="Board">
<h1>{escape(described["title"])}: set up a position</h1>
<p id="status" role="status" aria-live="polite">Setting up the board …</p>
<p id="problem" role="alert"></p>
<div id="board" class="board" tabindex="-1"></div>
<div class="row" role="group" aria-label="Changes">
<button type="button" id="undo" disabled>Undo</button>
<button type="button" id="clear">Clear the board</button>
<button type="button" id="reset">As it was</button>
<button type="button" id="zoom" class="quiet" aria-pressed="false">Larger</button></div>
</section>
<div class="side">
<section class="card" id="placing" aria-labelledby="signs-title"><h2 id="signs-title">Place</h2>
<p class="note">Choose what to place, then click where it goes; the same again takes it away.</p>
<div id="signs" class="signs" role="radiogroup" aria-labelledby="signs-title"></div>
<p id="meant" class="note"></p>
<label id="counting" class="row" hidden><span id="counted">how many</span>
<input id="count" type="number" min="0" max="9999" value="3"></label></section>
<section class="card" id="rest" aria-labelledby="rest-title"><h2 id="rest-title">The rest</h2>
<form id="fields" autocomplete="off"></form></section>
<section class="card" aria-labelledby="text-title"><h2 id="text-title">Position</h2>
<textarea id="position" rows="3" readonly spellcheck="false" aria-labelledby="text-title"></textarea>
<div class="row"><a class="button primary" id="analyse" href="/analyse/{escape(described["name"])}">Analyse</a>
<button type="button" id="play">Play from here</button>
<button type="button" id="copy" class="quiet">Copy the text</button></div></section>
</div></div>""",
        "edit",
        style="people",
        game=described["name"],
    )


def review(title: str, key: str) -> str:
    return page(
        f"Review of {title}",
        f"""<div class="table">
<section class="stage" aria-label="Board">
<h1>{escape(title)}: review</h1>
<p id="status" class="clamp" role="status" aria-live="polite">Looking the game up …</p>
<p id="problem" role="alert"></p>
<div id="board" class="board" tabindex="-1"></div>
<div class="row" role="group" aria-label="Moves">
<button type="button" id="first" aria-label="To the start">|◀</button>
<button type="button" id="before" aria-label="One move back">◀</button>
<button type="button" id="after" aria-label="One move on">▶</button>
<button type="button" id="last" aria-label="To the end">▶|</button>
<button type="button" id="zoom" class="quiet" aria-pressed="false">Larger</button>
<label class="quiet">as seen by <select id="viewer"></select></label>
<label class="row"><input type="checkbox" id="notation"> notation</label></div>
<figure class="graph" aria-labelledby="graph-title"><figcaption id="graph-title">The course of the game</figcaption>
<div id="graph"></div></figure>
</section>
<div class="side">
<section class="card" aria-labelledby="progress-title"><h2 id="progress-title">Review</h2>
<p id="work" role="status" aria-live="polite"></p>
<progress id="progress" max="1" value="0" aria-label="Decisions judged"></progress>
<p class="row"><button type="button" id="go">Review the game</button>
<a class="button quiet" href="/play/{escape(key)}">The game</a></p>
<table id="accuracy"><caption class="unseen">Accuracy of each seat</caption><tbody></tbody></table></section>
<section class="card" aria-labelledby="here-title"><h2 id="here-title">This move</h2><div id="here"></div></section>
<section class="card" aria-labelledby="worst-title"><h2 id="worst-title">The worst decisions</h2>
<ol id="worst" class="plain"></ol>
<p class="row"><button type="button" id="mistakes" hidden>Mistakes as puzzles</button></p></section>
<section class="card"><details id="all"><summary>All decisions</summary>
<div class="scroll" tabindex="0" role="region" aria-label="All decisions"><table id="decisions"></table></div></details></section>
</div></div>""",
        "review",
        style="people",
        table=key,
    )


def puzzles(listed: list[dict[str, Any]], today: dict[str, Any] | None) -> str:
    groups: dict[str, list[dict[str, Any]]] = {}
    for puzzle in sorted(listed, key=lambda puzzle: puzzle["plan"] == "move"):  # plans first
        groups.setdefault(puzzle["title"], []).append(puzzle)
    cards = "".join(_puzzles_of(title, found) for title, found in groups.items())
    return page(
        "Puzzles",
        f"""<h1>Puzzles: find the plan</h1>
<p class="lead">Positions from games that engines played, in which one plan is clearly ahead of every other.
<span id="count"></span></p>
<section class="card" id="mine" aria-labelledby="mine-title" hidden><h2 id="mine-title">Your own mistakes</h2>
<p id="mine-count" role="status"></p><p class="row"><a class="button primary" id="mine-next" href="/puzzles">Next of yours</a></p>
<details><summary>All of yours</summary><ul class="plain"></ul></details></section>
{todays(today)}<ul class="grid sets">{cards}</ul>""",
        "puzzles",
    )


def _puzzles_of(title: str, found: list[dict[str, Any]]) -> str:
    """A game's puzzles: the next one to solve, and all of them by their numbers. Until the script knows better, the first is
    the next."""
    numbers = "".join(
        f"""<li><a class="button quiet" href="/puzzles/{one["number"]}"
data-puzzle="{escape(one["id"])}">{one["number"]}</a></li>"""
        for one in found
    )
    first = found[0]["number"]
    return f"""<li class="card"><a class="thumbnail" href="/puzzles/{first}" tabindex="-1" aria-hidden="true"><img
src="/puzzles/{first}/picture.svg" alt="" loading="lazy" width="240" height="160"></a>
<div class="row"><h2>{escape(title)}</h2><span class="tag" data-solved>{len(found)} puzzles</span></div>
<p class="row"><a class="button primary" data-next href="/puzzles/{first}">Next
<span class="unseen">of {escape(title)}</span></a></p>
<details><summary>All {len(found)}<span class="unseen"> of {escape(title)}</span></summary>
<ul class="numbers">{numbers}</ul></details>
</li>"""


def todays(puzzle: dict[str, Any] | None) -> str:
    """Today's puzzle as a card."""
    if puzzle is None:
        return ""
    return f"""<section class="card today" aria-labelledby="today-title">
<a class="thumbnail" href="/puzzles/{puzzle["number"]}" tabindex="-1" aria-hidden="true"><img
src="/puzzles/{puzzle["number"]}/picture.svg" alt="" loading="lazy" width="240" height="160"></a>
<div><h2 id="today-title">Today’s puzzle: {escape(puzzle["title"])}</h2><p>{escape(puzzle["question"])}</p>
<p class="row"><a class="button primary" href="/puzzles/{puzzle["number"]}" data-puzzle="{escape(puzzle["id"])}">Solve it</a>
<a class="button quiet" href="/puzzles">All puzzles</a></p></div></section>"""


def puzzle(title: str, question: str, number: int, count: int) -> str:
    before, after = (number - 2) % count + 1, number % count + 1
    return _asked(
        f"Puzzle {number}: {title}",
        question,
        f"""<nav class="row" aria-label="Puzzles"><a class="button quiet" href="/puzzles/{before}">Puzzle {before}</a>
<a class="button" id="next" href="/puzzles/{after}">Puzzle {after}</a>
<a class="button quiet" href="/puzzles">All puzzles</a></nav>""",
        api=f"/api/puzzles/{number}",
    )


def mistake(title: str, question: str, key: str, ply: int, seat: int) -> str:
    return _asked(
        f"{title}: a mistake to put right",
        question,
        f"""<nav class="row" aria-label="Puzzles"><a class="button" id="next" href="/puzzles#mine">Next mistake</a>
<a class="button quiet" href="/review/{escape(key)}">The game’s review</a>
<a class="button quiet" href="/puzzles">All puzzles</a></nav>""",
        api=f"/api/tables/{key}/mistakes/{ply}/{seat}",
        mistake=key,
    )


def _asked(title: str, question: str, onwards: str, **data: str) -> str:
    """The page of one puzzle."""
    return page(
        title,
        f"""<div class="table">
<section class="stage" aria-label="Board">
<h1>{escape(title)}</h1>
<p id="status" role="status" aria-live="polite">{escape(question)}</p>
<div id="board" class="board" tabindex="-1"></div>
<p class="row"><button type="button" id="zoom" class="quiet" aria-pressed="false">Larger</button></p>
</section>
<div class="side">
<section class="card" id="plan" aria-labelledby="plan-title" hidden><h2 id="plan-title">Your plan</h2></section>
<section class="card" aria-labelledby="answer-title"><h2 id="answer-title">Answer</h2>
<p id="solved" class="note" hidden>You have solved this one before.</p>
<p id="verdict" role="status" aria-live="polite"></p><p id="problem" role="alert"></p>
<ul id="hints"></ul>
<p class="row"><button type="button" id="hint">Hint</button>
<button type="button" id="solution" class="quiet">Show the solution</button>
<button type="button" id="again" class="quiet">Start over</button>
<a class="button quiet" id="analyse" href="/">Analyse</a></p>
<p id="kind" class="note"></p></section>
{onwards}
</div></div>""",
        "puzzle",
        style="people plan",
        **data,
    )


SWITCH = """<fieldset class="switch"><legend class="unseen">Engine</legend>
<label><input type="radio" name="place" value="here" checked aria-describedby="where"> here</label>
<label><input type="radio" name="place" value="server"> on the server</label></fieldset>
"""


def analyse(described: dict[str, Any]) -> str:
    choices = "".join(
        f'<option value="{escape(name)}"{" selected" if name == described["engine"] else ""}>{escape(name)}</option>'
        for name in described["engines"]
    )
    return page(
        f"Analyse {described['title']}",
        f"""<div class="table">
<section class="stage" aria-label="Board">
<h1>{escape(described["title"])}: analysis</h1>
<p id="status" role="status" aria-live="polite">Setting up the board …</p>
<p id="problem" role="alert"></p>
<p class="note"><span id="worth"></span></p>
<div class="with-bar"><div id="bar" class="bar" role="img" aria-label="no value yet"><div></div></div>
<div id="board" class="board" tabindex="-1"></div></div>
<form id="go" class="row" autocomplete="off"><label class="grow">position
<input id="position" type="text" maxlength="20000" spellcheck="false"></label><button type="submit">Set up</button>
<button type="button" id="zoom" class="quiet" aria-pressed="false">Larger</button></form>
</section>
<div class="side">
<section class="card" aria-labelledby="engine-title"><h2 id="engine-title">Engine</h2>
<form id="engine" class="row" autocomplete="off">
{SWITCH if described["here"] else ""}<label id="which">engine <select name="engine">{choices}</select></label>
<label>seconds <input name="seconds" type="number" min="0.1" max="60" step="0.1" value="3"></label>
<label><input name="endless" type="checkbox"> go on until stopped</label>
<label>lines <input name="lines" type="number" min="1" max="50" value="5"></label>
<button type="submit" class="primary" id="think">Analyse</button>
</form>
<p id="where" class="note" role="status"></p>
<p id="work" role="status" aria-live="polite"></p>
<div class="scroll" tabindex="0" role="region" aria-label="Candidates"><table id="lines"></table></div>
<div id="strategy"></div>
<ul id="why" class="plain"></ul>
<details id="stages-part" hidden><summary>What each stage proposed</summary>
<p class="note">The part of the best plan comes first. A part's value is the mean of all plans tried with it; plans are ranked by
their own.</p><div id="stages"></div></details>
</section>
<section class="card" id="plan" aria-labelledby="plan-title" hidden><h2 id="plan-title">Move</h2></section>
<section class="card" aria-labelledby="tree-title"><h2 id="tree-title">Variations</h2><div id="tree" class="tree"></div>
<div class="row"><button type="button" id="up">Back one move</button>
<button type="button" id="promote" class="quiet">Make it the main line</button>
<button type="button" id="prune" class="quiet">Drop this line</button></div>
<label class="field">comment <input id="comment" type="text" maxlength="500"></label></section>
<section class="card" aria-labelledby="io-title"><h2 id="io-title">Import and export</h2>
<label for="import">a saved game, or a position's text</label>
<textarea id="import" rows="3" spellcheck="false"></textarea>
<div class="row"><button type="button" id="load">Import</button>
<button type="button" id="look" hidden>Review this game</button>
<label class="button quiet">From a file
<input type="file" id="file" class="unseen" accept="application/json,.json,text/plain"></label>
<button type="button" id="save" class="quiet">Save</button>
<button type="button" id="link" class="quiet">Copy link</button>
<button type="button" id="play" class="quiet">Play from here</button>
<button type="button" id="edit" class="quiet"{"" if described["edited"] else " hidden"}>Edit by clicking</button></div></section>
</div></div>""",
        "analyse",
        style="people plan",
        game=described["name"],
    )

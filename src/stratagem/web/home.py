"""The front page: what this is in one sentence, the visitor's own games, what there is to do today, and the games by what
they are like."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from stratagem.plans.plan import ALLOCATION, BID, CAMPAIGN, DRAFT, PROGRAMME
from stratagem.web.pages import page, sentence, todays


class Family(NamedTuple):
    """Games that are alike: those that name it, and of the others those with its plans."""

    name: str
    title: str
    words: str
    plans: tuple[str, ...] = ()


FAMILIES = (
    Family(
        "armies",
        "Robots and armies",
        "One move is a whole turn: orders for everything you have, and then you watch what comes of them.",
        (PROGRAMME.name, CAMPAIGN.name),
    ),
    Family(
        "secrets",
        "Secrets and bluffs",
        "Everybody decides at once, face down. Guess what the others will do.",
        (BID.name, ALLOCATION.name),
    ),
    Family(
        "luck",
        "Picking and pushing your luck",
        "Take what others want too, get the most out of a hand, stop before the dice turn on you.",
        (DRAFT.name,),
    ),
    Family("classics", "Classics", "One stone, one disc, one step at a time. The rules take a minute."),  # all others
)


def family_of(game: dict[str, Any]) -> Family:
    """The family that a game names, or the one with its plan, or the last."""
    named = [family for family in FAMILIES if family.name == game["family"]]
    alike = [family for family in FAMILIES if game["plan"] in family.plans]
    return [*named, *alike, FAMILIES[-1]][0]


def families(games: Sequence[dict[str, Any]]) -> list[tuple[Family, list[dict[str, Any]]]]:
    """Each family that has games, with its games in the order given."""
    found = [(family, [game for game in games if family_of(game) is family]) for family in FAMILIES]
    return [(family, alike) for family, alike in found if alike]


def home(games: Sequence[dict[str, Any]], puzzle: dict[str, Any] | None = None, *, drafts: bool = True) -> str:
    """The page. `drafts`: whether this server has rooms for drafts."""
    sections = "".join(
        f"""<section class="family" aria-labelledby="family-{k}"><h2 id="family-{k}">{escape(family.title)}</h2>
<p class="lead">{escape(family.words)}</p><ul class="grid">{"".join(map(_card, alike))}</ul></section>"""
        for k, (family, alike) in enumerate(families(games))
    )
    room = (
        """<section class="card door" aria-labelledby="door-title"><h2 id="door-title">Draft room</h2>
<p>Practise your fantasy draft against bots or friends. At every pick you see whom to take, and who will still be there.</p>
<p class="row"><a class="button primary" href="/drafts">Open the draft room</a></p></section>"""
        if drafts
        else ""
    )
    return page(
        "Strategy games in your browser",
        f"""<div class="hero"><h1>Think of a plan. Then see if it works.</h1>
<p class="lead">Play strategy games in your browser, against the computer or a friend: program a robot, command an army, bid in
secret, draft a team. No account is needed.</p></div>
<section id="mine" hidden aria-labelledby="mine-title"><h2 id="mine-title">Your games</h2><ul class="grid tables"></ul>
<details id="older" hidden><summary>Older games</summary><ul class="plain"></ul></details></section>
<div class="doors">{todays(puzzle)}{room}</div>
<p class="row level"><label>Your opponent, the computer, is <select id="level"><option>easy</option>
<option selected>medium</option><option>strong</option></select></label></p><p id="problem" role="alert"></p>
{sections}""",
        "home",
        style="home",
    )


def _card(game: dict[str, Any]) -> str:
    name, title = escape(game["name"]), escape(game["title"])
    return f"""<li class="card game">
<a class="thumbnail" href="/games/{name}" tabindex="-1" aria-hidden="true"><img
src="/games/{name}/picture.svg" alt="" loading="lazy" width="240" height="160"></a>
<h3><a href="/games/{name}">{title}</a></h3>
<p>{escape(sentence(game["summary"]))}</p>
<p class="row"><button type="button" class="primary" data-quick="{name}">Play<span class="unseen"> {title}</span></button>
{_presets(game)}<a class="button quiet" href="/games/{name}">More<span class="unseen"> about {title}</span></a></p>
</li>"""


def _presets(game: dict[str, Any]) -> str:
    """Which of a game's usual ways it is played in one click."""
    if not game["presets"]:
        return ""
    names = "".join(f"<option>{escape(name)}</option>" for name in game["presets"])
    label = f"how {game['title']} is played"
    return f"""
<select data-presets="{escape(json.dumps(game["presets"]))}" aria-label="{escape(label)}">
<option value="">as usual</option>{names}</select>"""

"""The command line: `stratagem ...`, one subcommand a file.

Subcommands are loaded when they are asked for, so that starting up stays quick. Flags of a game come from `Game.options`:
they are taken out of the arguments before the rest is parsed, and travel to `load_game` in the context of the command.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import typer

from stratagem.errors import StratagemError

# Subcommands by name, by what they are for: the module that defines each, with the function of the command or a typer app of
# subcommands, and what it does in a line. The help of the whole program is made of this, and imports none of them.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Play": {
        "games": ("games:games", "the games; of one, its flags and players"),
        "play": ("play:play", "play in the terminal, against engines or among people"),
        "serve": ("serve:serve", "play and analyse in the browser"),
        "saved": ("saved:saved", "games that can be gone on with"),
        "puzzle": ("puzzle:puzzle_command", "find the plan: today's puzzle, or another"),
        "puzzles": ("puzzle:app", "list, make and verify puzzles"),
    },
    "Positions": {
        "analyse": ("analyse:analyse", "the best moves, while an engine thinks"),
        "solve": ("solve:solve", "the exact value, and all best moves"),
        "trace": ("trace:trace", "the tree that minimax or alpha-beta walks"),
        "depths": ("trace:depths", "value and move by depth"),
        "perft": ("perft:perft", "count move sequences"),
        "draw": ("draw:draw", "a position as SVG"),
    },
    "Games played": {
        "review": ("review:review_command", "accuracy of each seat, and the worst decisions"),
        "export": ("export:export", "a game as text, SGF or JSON"),
        "arena": ("arena:app", "matches, ratings, sequential tests, records"),
        "exploit": ("exploit:exploit_command", "how much an opponent that knows a player wins from it"),
        "store": ("store:app", "check and copy the records of games"),
    },
    "Kinds of plan": {
        "bidding": ("bidding:app", "bidding games with real-valued money"),
        "blotto": ("blotto:app", "allocations: solve, respond, tournament, lotto"),
        "draft": ("draft:app", "drafts and auctions: advice, draft room, methods"),
        "roborally": ("roborally:app", "programmes as numbers, scenarios"),
        "equilibrium": ("equilibrium:equilibrium", "equilibria of a game given as numbers, two players and more"),
        "risk": ("risk:app", "the exact odds of battles"),
        "minions": ("minions:app", "which attacks are possible, and why the engine chose a turn"),
    },
    "Your own games and programs": {
        "new": ("new:new", "the commented start of a game of your own"),
        "conform": ("new:conform", "check that a game does what every game must"),
        "train": ("train:app", "learn evaluations from self-play"),
        "contest": ("contest:app", "the contest of bidding tic-tac-toe: a player, a referee"),
        "mcp": ("mcp:mcp", "tools for other programs, by the Model Context Protocol"),
        "umi": ("umi:app", "a Minions engine for other programs, and matches of such engines"),
    },
    "This installation": {
        "warmup": ("warmup:warmup", "compile engines before their first use"),
        "cache": ("cache:app", "show or empty the folder of compiled code"),
        "engines": ("serve:engines", "engines of a server, as processes of their own"),
        "signature": ("signature:signature", "numbers of fixed searches"),
        "version": ("version:version", "the version"),
    },
}
COMMANDS = {name: where for group in GROUPS.values() for name, (where, _) in group.items()}
COMMANDS["analyze"] = COMMANDS["analyse"]
ALIASES = {"analyze"}
# Those whose first argument is a game, and whose flags include that game's options.
GAME_COMMANDS = {"play", "analyse", "analyze", "solve", "perft", "draw", "conform", "trace", "depths", "exploit"}


# Typer ships its own click or uses the installed one, by version; this is the one it raises.
_CLICK: Any = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")


def _flags_have_no_type() -> None:
    """In help, `--json` and not `--json <bool>`: a flag takes nothing."""
    option: Any = typer.core.TyperOption
    reported = getattr(option, "display_type_rich", None)
    if reported is not None:
        option.display_type_rich = lambda self, **given: None if self.is_flag else reported(self, **given)


_flags_have_no_type()


class Lazy(typer.core.TyperGroup):
    """A group whose commands are imported when used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in COMMANDS if name not in ALIASES]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The commands by what they are for. Nothing is imported for it."""
        wide = max(map(len, COMMANDS))
        print(f"Usage: {ctx.command_path} COMMAND ...\n\n{self.help}")
        for title, group in GROUPS.items():
            print(f"\n{title}:")
            for name, (_, summary) in group.items():
                print(f"  {name:{wide}}  {summary}")
        print(f"\n{ctx.command_path} COMMAND --help tells more; GAME is a name, or a file with a game of your own.")

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            from stratagem.errors import UnknownName

            raise UnknownName("command", cmd_name, set(COMMANDS) - ALIASES)
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        found = getattr(importlib.import_module(f"stratagem.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            found._add_completion = False  # completion belongs to the whole program
            command = typer.main.get_command(found)
        else:
            single = typer.Typer(add_completion=False)
            single.command(name=cmd_name)(found)
            command = typer.main.get_command(single)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=Lazy, add_completion=False, no_args_is_help=True, help=__doc__.splitlines()[0] if __doc__ else None
)


@app.callback(help="Search in games whose single move is a whole plan.")
def _root() -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a user's mistake becomes one line on standard error and exit status 2."""
    from stratagem.cli.options import GameOptions, take_game_options
    from stratagem.registry import own_code

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    _open_streams()
    of_game = GameOptions()
    try:
        if arguments == ["--version"]:
            arguments = ["version"]
        if arguments[:1] == ["play"]:
            arguments = _bare_resume(arguments)
        if arguments[:2] == ["arena", "run"]:
            arguments = _flags_of_the_match(arguments)
        if arguments[:1] == ["exploit"]:
            arguments = _game_and_player(arguments)
        if arguments and arguments[0] in GAME_COMMANDS:
            arguments, of_game = take_game_options(arguments)
        if arguments == ["contest"]:  # started afresh for every decision: parsing flags would take most of its time
            from stratagem.cli.contest import contest

            contest()
            sys.exit(0)
        code: Any = app(arguments, standalone_mode=False, prog_name="stratagem", obj=of_game)
    except StratagemError as error:
        _complain(str(error))
        code = 2
    except _CLICK as error:
        if type(error).__name__ != "NoArgsIsHelpError":  # which has printed the help when it was made
            _complain(_what_is_wrong(error, of_game.flags))
        code = 2
    except typer.Exit as error:
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        # the reader went away: not a mistake; keep the interpreter from complaining while it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        _complain(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "))
        code = 2
    except Exception as error:
        if not (place := own_code(error)):
            raise
        _complain(f"{place}: {type(error).__name__}: {error}; stratagem.testing.conform checks a game of your own")
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _game_and_player(arguments: list[str]) -> list[str]:
    """`exploit GAME/PLAYER` is `exploit GAME PLAYER`; a path to a file stays as it is."""
    from stratagem.registry import game_names

    game, slash, player = arguments[1].partition("/") if len(arguments) > 1 else ("", "", "")
    return [arguments[0], game, player, *arguments[2:]] if slash and game in game_names() else arguments


def _bare_resume(arguments: list[str]) -> list[str]:
    """`--resume` with nothing behind it means the latest game."""
    said: list[str] = []
    for k, word in enumerate(arguments):
        bare = word == "--resume" and (k + 1 == len(arguments) or arguments[k + 1].startswith("-"))
        said.append("--resume=" if bare else word)
    return said


def _flags_of_the_match(arguments: list[str]) -> list[str]:
    """The flags of the game that a match is about, as options of the match: `--width 8` as `--option width=8`."""
    from stratagem.arena.config import split_names
    from stratagem.cli.arena import app as arena
    from stratagem.registry import game_class

    command: Any = typer.main.get_command(arena)
    own = {flag for option in command.commands["run"].params for flag in (*option.opts, *option.secondary_opts)}
    try:
        entrants = [word for word in arguments[2:4] if not word.startswith("-")]
        of = game_class(split_names(entrants)[0])
    except StratagemError:
        return arguments  # the command itself says what is wrong
    declared = {f"--{option.name.replace('_', '-')}": option for option in of.options}
    said: list[str] = []
    words = iter(arguments)
    for word in words:
        flag, equals, value = word.partition("=")
        option = declared.get(flag) if flag not in own else None
        if option is None:
            said.append(word)
        else:
            value = value if equals else "true" if option.type is bool else next(words, "")
            said += ["--option", f"{option.name}={value}"]
    return said


def _open_streams() -> None:
    """Input that was closed is empty, bytes that are no text become text that no game knows, and any terminal can print."""
    if sys.stdin is None:
        sys.stdin = io.StringIO()
    for stream, errors in ((sys.stdin, "backslashreplace"), (sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _what_is_wrong(error: Any, of_game: Sequence[str]) -> str:
    """The parser's message, which knows nothing of a game's own flags, nor that people write negative numbers."""
    if type(error).__name__ == "MissingParameter" and error.ctx is not None:
        return f"{str(error.format_message()).removesuffix('.')}; {error.ctx.command_path} --help says what it takes"
    if type(error).__name__ != "NoSuchOption":
        return str(error.format_message())
    flag = error.option_name
    if flag[1:2].isdecimal():
        return f"{flag} is read as a flag, and there is none of that name; negative numbers make no sense here"
    near = get_close_matches(flag, {*of_game, *(error.possibilities or ())}, n=3, cutoff=0.5)
    return f"unknown option {flag!r}" + (f"; did you mean {' or '.join(near)}?" if near else "; --help lists them")


def _complain(message: str) -> None:
    print("stratagem: " + " ".join(message.split()), file=sys.stderr)

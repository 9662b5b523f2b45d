"""Help texts make sense without the name that they stand beside."""

import re

import pytest
import typer

import stratagem
from stratagem.cli import app
from stratagem.registry import game_names

CONTINUES = re.compile(
    r"(?:of|to|for|after|before|over|by|than|decides|whose|that)\b"
)  # the name of what it stands beside


def options(command, path):
    context = typer.Context(command, info_name=path)
    for option in command.params:
        if getattr(option, "help", None):
            yield f"{path} {option.opts[0]}", option.help
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from options(command.get_command(context, name), f"{path} {name}")


def test_no_help_of_a_flag_continues_its_name():
    found = dict(options(typer.main.get_command(app), "stratagem"))
    assert len(found) > 300
    assert not {flag: text for flag, text in found.items() if CONTINUES.match(text)}


@pytest.mark.parametrize("name", game_names())
def test_no_help_of_a_game_s_option_continues_its_name(name):
    assert not {one.name: one.help for one in stratagem.game(name).options if CONTINUES.match(one.help)}

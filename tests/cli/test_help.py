"""What ``--help`` says: each command and each option what it does, as a sentence that begins with a verb."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from roofscan.cli.parser import _build

VERBS = frozenset(
    "analyze also choose compare distribute end explain first give keep list judge make measure name omit order print"
    " read report run serve set show skip sort stop take use vary weight with write do".split()
)


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from commands(inner, f"{name} {word}".strip())


EVERY = [(f"{name} {'/'.join(a.option_strings)}", a) for name, p in commands(_build()) for a in p._actions]


@pytest.mark.parametrize(
    "action", [a for _, a in EVERY if a.option_strings], ids=[n for n, a in EVERY if a.option_strings]
)
def test_an_option_says_what_it_does(action: argparse.Action) -> None:
    first = (action.help or "").split()[0].strip(":,")
    assert first in VERBS, action.help


@pytest.mark.parametrize("name, parser", list(commands(_build())))
def test_a_command_says_what_it_does(name: str, parser: argparse.ArgumentParser) -> None:
    assert parser.description
    if name:
        assert parser.description.split()[0].strip(",") in VERBS, parser.description
    assert all(action.help for action in parser._actions if not isinstance(action, argparse._SubParsersAction))

"""The adapter alone, with a stand-in for the analysis."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from typing import Any

import pytest

from roofscan.cache import lookup
from roofscan.cache.lookup import Checked
from roofscan.cache.store import Store
from roofscan.config.defaults import LAST_RESORT_SECONDS
from roofscan.config.options import Options
from roofscan.finding import Finding
from roofscan.flake8_plugin import RoofscanPlugin
from tests.plugin.conftest import AXPY


@pytest.fixture(autouse=True)
def fresh_options() -> Iterator[None]:
    yield
    choose()


def choose(**options: object) -> None:
    """flake8's options, as it passes them after parsing."""
    chosen = argparse.Namespace(**{"select": None, "extend_select": None, **options})
    RoofscanPlugin.parse_options(None, chosen, [])  # type: ignore[arg-type]


def run(text: str) -> list[tuple[int, int, str, type[RoofscanPlugin]]]:
    return list(RoofscanPlugin(ast.parse(text), "a.py", text.splitlines(keepends=True)).run())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    """Replaces the analysis: each call's options are kept, and one finding is made."""
    calls: list[Options] = []

    def stand_in(text: str, path: str, options: Options, tree: Any, store: Store | None) -> Checked:
        assert isinstance(tree, ast.Module)
        assert store is not None
        calls.append(options)
        return Checked((Finding("RFL201", path, 7, 3, "one\nline:4:5: of text"),))

    monkeypatch.setattr(lookup, "check", stand_in)
    return calls


def test_a_finding_as_flake8_takes_it(asked: list[Options]) -> None:
    choose()
    assert run(AXPY) == [(7, 3, "RFL201 one line 4:5: of text", RoofscanPlugin)]


def test_without_kernels_nothing_is_asked(asked: list[Options]) -> None:
    choose()
    assert run("x = [1]\n") == []
    assert asked == []


def test_nothing_is_asked_that_flake8_would_not_show(asked: list[Options]) -> None:
    choose(select=["E9", "F63"])
    assert run(AXPY) == []
    assert asked == []
    for shown in (["R"], ["RFL"], ["E", "RFL2"]):
        choose(select=shown)
        assert run(AXPY) != []


def test_flake8s_own_selection_switches_codes_on(asked: list[Options]) -> None:
    choose(select=["E", "RFL"], extend_select=["RFL001", "B9"])
    run(AXPY)
    assert asked[0].extend_select == ("RFL001",)


def test_options_are_read_by_the_configs_rules(asked: list[Options]) -> None:
    own = {"machine": "a100-40gb", "kernels": "all", "select": "RFL1,RFL2", "max_bytes": "4KiB"}
    choose(**{f"roofscan_{key}": text for key, text in own.items()})
    run("x = [1]\n")
    last_resort = LAST_RESORT_SECONDS
    assert asked == [Options(("a100-40gb",), "all", select=("RFL1", "RFL2"), max_bytes=4096, seconds=last_resort)]

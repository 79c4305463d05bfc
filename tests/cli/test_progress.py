"""The bar of long commands: absent where they are short, and where no one looks."""

from __future__ import annotations

import io
import time

from rich.console import Console

from roofscan.cli.progress import progress


def shown(after: float, terminal: bool = True) -> str:
    stream = io.StringIO()
    with progress(2, Console(file=stream, force_terminal=terminal, width=80), after) as step:
        step("measuring L1")
        time.sleep(0.4)
        step("measuring L2")
    return stream.getvalue()


def test_a_long_command_names_its_step() -> None:
    assert "measuring L1" in shown(0.0)


def test_a_short_command_shows_nothing() -> None:
    assert "measuring" not in shown(60.0)


def test_nothing_is_shown_where_no_one_looks() -> None:
    assert "measuring" not in shown(0.0, terminal=False)

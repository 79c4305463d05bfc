"""Where reports go: terminals, pipes, files, streams that lack letters; and the progress bar."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from roofscan.cli import output, parallel
from roofscan.cli.errors import UsageError
from roofscan.cli.machine_command import aligned


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Narrow(io.StringIO):
    """A stream that knows ASCII alone."""

    encoding = "ascii"

    def write(self, text: str) -> int:
        text.encode("ascii")
        return super().write(text)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_colour_needs_a_terminal() -> None:
    assert output.may_colour(Terminal(), None)
    assert not output.may_colour(io.StringIO(), None)
    assert not output.may_colour(Terminal(), "report.txt")


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert not output.may_colour(Terminal(), None)


def test_a_pipe_has_a_width_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert output.width(io.StringIO(), None) == output.PIPED_WIDTH
    assert output.width(Terminal(), "report.txt") == output.PIPED_WIDTH


@pytest.mark.parametrize(("said", "used"), [(0, 80), (40, 60), (100, 100), (300, output.WIDEST)])
def test_a_terminal_s_width_is_filled(monkeypatch: pytest.MonkeyPatch, said: int, used: int) -> None:
    """A terminal that does not know its width says 0."""
    monkeypatch.setattr(Terminal, "fileno", lambda self: 0)
    monkeypatch.setattr(output.os, "get_terminal_size", lambda _: os.terminal_size((said, 24)))
    assert output.width(Terminal(), None) == used


def test_large_files_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"a.py": 1, "b.py": 30, "c.py": 20, "d.py": 30}
    monkeypatch.setattr(parallel, "size_of", sizes.__getitem__)
    assert parallel._largest_first(list(sizes)) == [1, 3, 2, 0]


def test_letters_that_a_stream_lacks_become_question_marks() -> None:
    stream = Narrow()
    output.write(stream, "≥ 3 → x\n")
    assert stream.getvalue() == "? 3 ? x\n"


def test_half_letters_are_written_too(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    output.emit("name \udcff\n", str(path))
    assert path.read_bytes() == b"name ?\n"


def test_what_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name another file"):
        output.emit("text", str(tmp_path / "no" / "folder.txt"))


NAMES = ["a.py", "[b].py", "c.py"]


def test_no_bar_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(parallel, "PATIENCE", -1.0)
    assert list(parallel.progress([1, 2, 3], iter([1, 2, 3]), str)) == [1, 2, 3]
    assert stream.getvalue() == ""


def test_a_bar_on_a_terminal_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(parallel, "PATIENCE", -1.0)
    assert list(parallel.progress(NAMES, iter(NAMES), str)) == NAMES
    assert "3/3" in stream.getvalue() or "2/3" in stream.getvalue()


def test_no_bar_for_a_short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(parallel.progress([1, 2], iter([1, 2]), str)) == [1, 2]
    assert stream.getvalue() == ""


def test_a_long_last_column_goes_on_below_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "width", lambda *_: 60)
    lines = aligned([("RFL504", "loop", "word " * 30), ("RFL1", "kernel", "short")]).splitlines()
    assert len(lines) == 5 and max(map(len, lines)) <= 60
    assert lines[1].startswith(" " * 16 + "word")

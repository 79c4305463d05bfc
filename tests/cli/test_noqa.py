"""``# noqa`` in the command's ``check``."""

from __future__ import annotations

import pytest

from roofscan.cli.run import unsilenced
from roofscan.roofline.model import Finding

FINDING = Finding("RFL102", "k.py", 2, 0, "message")


@pytest.mark.parametrize(
    "comment",
    ["# noqa", "#noqa", "# NOQA", "# noqa: RFL102", "# noqa:RFL102", "# noqa: E501,RFL102",
     "# noqa: E501 RFL1", "# why  # noqa: RFL", "# noqa : RFL999"],
)  # fmt: skip
def test_silenced(comment: str) -> None:
    assert unsilenced([FINDING], f"\ndef f():  {comment}\n    pass\n") == []


@pytest.mark.parametrize("comment", ["", "# noqa: RFL103", "# noqa: E501", "# qa", "# noqa:E1,W2"])
def test_not_silenced(comment: str) -> None:
    assert unsilenced([FINDING], f"\ndef f():  {comment}\n    pass\n") == [FINDING]


def test_only_its_own_line() -> None:
    assert unsilenced([FINDING], "# noqa\ndef f():\n    pass  # noqa\n") == [FINDING]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_form_feeds_and_separators_end_no_line(end: str) -> None:
    assert unsilenced([FINDING], f"# \f \u2028 \x1c{end}def f():  # noqa{end}    pass{end}") == []


@pytest.mark.parametrize(
    ("comment", "left"), [("# flake8: noqa", 0), ("# flake8: noqa: RFL1", 0), ("# flake8: noqa: E1", 1)]
)
def test_whole_file(comment: str, left: int) -> None:
    assert len(unsilenced([FINDING], f"\ndef f(): pass\n{comment}\n")) == left


def test_a_line_beyond_the_end_is_kept() -> None:
    beyond = Finding("RFL999", "k.py", 99, 0, "message")
    assert unsilenced([beyond], "x = 1\n") == [beyond]

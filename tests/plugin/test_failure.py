"""A failure inside roofscan costs its own findings of one file, never another plugin's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import AXPY, Flake8

BREAK_B = """
import roofscan.cache.lookup as stage

def broken(text, path, *others, **named):
    if "b.py" in path:
        raise {error}
    return whole(text, path, *others, **named)

whole, stage.check = stage.check, broken
"""


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ("ZeroDivisionError('at\\n:12:3: word here')", "ZeroDivisionError: at 12:3: word here ("),
        ("TypeError()", "TypeError"),
        ("RecursionError('deep')", "RecursionError"),
        ("MemoryError()", "MemoryError"),
    ],
)
def test_the_others_findings_stay(project: Path, flake8: Flake8, error: str, shown: str) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (project / name).write_text("import os\n\n\n" + AXPY)
    broken = BREAK_B.format(error=error)
    lines = flake8("--jobs", "1", "a.py", "b.py", "c.py", all_plugins=True, before=broken)
    assert sum("F401" in line for line in lines) == 3
    assert [line.split(":")[0] for line in lines if "RFL102" in line] == ["a.py", "c.py"]
    (finding,) = (line for line in lines if "RFL999" in line)
    assert finding.startswith("b.py:1:1: RFL999 ")
    assert shown in finding


def test_a_failing_import_is_contained(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text("import os\n\n\n" + AXPY)
    lines = flake8("a.py", all_plugins=True, before="import sys; sys.modules['roofscan.pipeline.driver'] = None")
    assert any("F401" in line for line in lines)
    assert any("RFL999" in line and "roofscan.pipeline.driver" in line for line in lines)

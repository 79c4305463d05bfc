"""What a unit depends on: its digest changes with that and with nothing else, and holds all that a result needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.api import analyze_source
from roofscan.config.options import Options
from roofscan.parse.reader.outline import outline
from roofscan.parse.reader.units import Units

FIXTURES = Path(__file__).parents[2] / "fixtures"
TEXT = """\
import numpy as np
from numba import njit

SCALE = 2.0
OTHER = 3.0


def helper(a):
    return inner(a) * SCALE


def inner(a):
    return a + 1.0


def unrelated(a):
    return a - OTHER


@njit
def kernel(x):
    for i in range(len(x)):
        x[i] = helper(x[i])


def slow(x):
    for i in range(len(x)):
        x[i] += 1.0


fast = njit(slow)


class Box:
    @njit
    def fill(x):
        x[:] = np.sqrt(x)
"""


def digests(text: str, plain: bool = False) -> dict[str, str]:
    """First word of each unit's def -> digest."""
    pieces = outline(text, "k.py")
    names = {piece.first_line: piece.name for piece in pieces}
    return {names[unit.first_line]: unit.digest for unit in Units(text, pieces, plain)}


def changed(old: str, new: str) -> set[str]:
    """The units that a change of the text touches."""
    assert old in TEXT
    before, after = digests(TEXT), digests(TEXT.replace(old, new))
    return {name for name in before if before[name] != after.get(name)}


def test_units_are_definitions_that_may_hold_kernels() -> None:
    assert set(digests(TEXT)) == {"kernel", "slow", "Box"}
    assert set(digests(TEXT, plain=True)) == {"helper", "inner", "unrelated", "kernel", "slow", "Box"}


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("x[i] = helper", "x[i] = 2 * helper", {"kernel"}),
        ("return a + 1.0", "return a + 2.0", {"kernel"}),  # a helper's helper
        ("SCALE = 2.0", "SCALE = 4", {"kernel"}),
        ("a - OTHER", "a * OTHER", set()),
        ("OTHER = 3.0", "OTHER = 4.0", set()),
        ("import numpy as np", "import cupy as np", {"Box"}),
        ("fast = njit(slow)", "fast = njit(parallel=True)(slow)", {"slow"}),
        ("fast = njit(slow)", "", {"slow"}),
        ("import numpy as np", "# a comment\n\nimport numpy as np", set()),  # all moves down
        ("from numba import njit", "from numba import njit\nfrom tools import *", {"kernel", "slow", "Box"}),
        ("@njit\ndef kernel", "# roofscan: x=f4[n]\n@njit\ndef kernel", {"kernel"}),
        ("def unrelated(a):", "def unrelated(a):\n    global SCALE", {"kernel"}),
        ("OTHER = 3.0", "if OTHER:\n    def inner(a): return a", {"kernel"}),
    ],
)
def test_what_touches_a_unit(old: str, new: str, touched: set[str]) -> None:
    assert changed(old, new) == touched


@pytest.mark.parametrize("name", ["dense.py", "sparse.py", "particles.py"])
def test_a_unit_alone_has_the_findings_that_it_has_in_its_file(name: str) -> None:
    path = str(FIXTURES / name)
    text = Path(path).read_text(encoding="utf-8")
    options = Options(kernels="all", caches=(32768,))
    whole = {result.kernel.line: result.kernel for result in analyze_source(text, path, options).kernels}
    pieces = outline(text, path)
    units = Units(text, pieces, plain=True)
    seen = set()
    for unit in units:
        for result in analyze_source(units.text_for([unit]), path, options).kernels:
            if unit.first_line <= result.kernel.line <= unit.end_line:
                seen.add(result.kernel.line)
                assert result.kernel == whole[result.kernel.line]
    assert seen == set(whole)

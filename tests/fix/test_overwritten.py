"""``roofscan fix``: an array that the function made and gives up is written over, or stays."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.finding import Finding
from roofscan.fix.model import Fix, Site
from roofscan.fix.overwritten import overwritten
from roofscan.fix.source import SourceTree
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from tests.oracle.run import run_target

HEAD = "import numpy as np\n\n\n# roofscan: x=f8[n,m] w=f8[m] a=0.5\ndef f(x, w, a):\n    y = x - w\n"
WRITTEN = {
    "y = np.maximum(y, 0.0)": ["np.maximum(y, 0.0, out=y)"],
    "y = (y - a) / (2.0 * a)": ["np.subtract(y, a, out=y)", "np.divide(y, 2.0 * a, out=y)"],
    "y = 1.0 / (1.0 + np.exp(-y))": [
        "np.negative(y, out=y)", "np.exp(y, out=y)", "np.add(1.0, y, out=y)", "np.divide(1.0, y, out=y)",
    ],
    "y = y * y": ["np.multiply(y, y, out=y)"],
    "y = w - y": ["np.subtract(w, y, out=y)"],
    "y = y * x": ["np.multiply(y, x, out=y)"],
    "y = y * y + 1.0": [],
    "y = y - y[::-1]": [],
    "y = y ** 2": [],
    "y = y > 0.0": [],
    "y = y.mean(axis=0)": [],
    "y = y @ w": [],
    "y = x + a": [],
    "z = y + a": [],
    "y = np.where(y > 0, y, 0)": [],
    "y = normalised(y)": [],
    "y = np.sort(y)": [],
    "y = 2.0 * np.cumsum(y)": [],
    "y = +(-y)": [],
    "y = abs(y)": [],
    "y = y * (y - a)": [],
    "y = np.hypot(y, w) + 1.0": ["np.hypot(y, w, out=y)", "np.add(y, 1.0, out=y)"],
    "y = y if a else w": [],
}  # fmt: skip
BEFORE = {
    "z = y": [],
    "z = y[1:]": [],
    "store(y)": [],
    "x = x[:1]": [],
    "w = np.zeros((3, 1, 1))": [],
    "a = a + 1.0": ["np.multiply(y, x, out=y)"],
    "z = w + a": ["np.multiply(y, x, out=y)"],
    "y += 1.0": [],
}


def fix_of(text: str) -> Fix | None:
    module = read_module(text, "k.py")
    kernel = next(lower(module, c) for c in find_candidates(module, True).candidates)
    source = SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    line = max(n for n, words in enumerate(text.splitlines(), 1) if words.strip() and "return" not in words)
    return overwritten(Site(Finding("RFL302", "k.py", line, 0, "", "f"), kernel, source, function))


def same(before: str, after: str) -> bool:
    odd = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, 5e-324, -2.5, 1e300])
    for rows, columns in ((0, 0), (0, 3), (1, 1), (2, 3), (7, 5), (40, 33)):
        random = np.random.default_rng(rows)
        x, w = random.choice(odd, (rows, columns)), random.choice(odd, columns)
        x.flat[::2] = random.random(x.flat[::2].shape)
        for given in (x, np.asfortranarray(x)):
            with np.errstate(all="ignore"):
                one, other = (run_target(code, "f")(given.copy("K"), w, 0.3) for code in (before, after))
            if one.dtype != other.dtype or one.shape != other.shape or one.tobytes() != other.tobytes():
                return False
    return True


@pytest.mark.parametrize(("line", "lines"), WRITTEN.items())
def test_a_made_array_is_written_over(line: str, lines: list[str]) -> None:
    text = f"{HEAD}    # why\n    {line}  # how\n    return y\n"
    made = fix_of(text)
    assert (made is None) == (not lines)
    if made is not None:
        expected = [*lines[:-1], f"{lines[-1]}  # how"]
        assert (
            made.module.code == f"{HEAD}    # why\n" + "".join(f"    {each}\n" for each in expected) + "    return y\n"
        )
        assert made.safety == "safe" and "x and w are float64" in made.assumptions
        assert same(text, made.module.code)


@pytest.mark.parametrize(("between", "lines"), BEFORE.items())
def test_not_where_another_name_may_hold_it(between: str, lines: list[str]) -> None:
    made = fix_of(f"{HEAD}    {between}\n    y = y * x\n    return y\n")
    assert (made is not None) == bool(lines)


@pytest.mark.parametrize(
    "first", ("y = x", "y = x[1:]", "y = a + 1.0", "y = np.asarray(x)", "y = x.T", "y = cached(x)")
)
def test_only_an_array_of_its_own(first: str) -> None:
    assert fix_of(HEAD.replace("y = x - w", first) + "    y = y * 2.0\n    return y\n") is None


def test_a_second_change_follows_the_first() -> None:
    text = f"{HEAD}    np.multiply(y, x, out=y)\n    y = np.sqrt(y)\n    return y\n"
    made = fix_of(text)
    assert made is not None and same(text, made.module.code)


def test_where_a_number_may_be_given_the_fix_says_so() -> None:
    made = fix_of("import numpy as np\n\n\ndef f(x, w):\n    y = x - w\n    y = np.maximum(y, 0.0)\n    return y\n")
    assert made is not None and made.assumptions[-1] == "w or x is an array"

"""``roofscan fix``: the last operation with ``out=`` gives the same bits, or is not offered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.finding import Finding
from roofscan.fix.model import Fix, Site
from roofscan.fix.out_argument import out_argument
from roofscan.fix.source import SourceTree
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from tests.fix.test_interchange import THOROUGHNESS
from tests.oracle.run import run_target

HEAD = "import numpy as np\n\n\n# roofscan: x=f8[n] y=f8[n] U=f8[n,n] V=f8[n,n] a=0.5\ndef f(x, y, U, V, a, k):\n"
READS = ("x", "y", "x[1:]", "y[:-1]", "U", "V", "U[0]", "V[:, 0]", "U.T", "a", "2.0", "t", "x[k]", "U[k]", "np.sum(x)")
STORES = (
    "y[:]",
    "y[1:]",
    "y[:-1]",
    "x[k]",
    "y[::2]",
    "U[:]",
    "V[:, :]",
    "V[1:, :]",
    "U[0]",
    "U[0, :]",
    "U[j, :]",
    "V[k]",
)
FORMS = ("{} + {}", "{} - {}", "{} * {}", "{} / {}", "-({} * {})", "+({} - {})", "np.minimum({}, {})", "({} - {}) ** 2")
MORE = ("np.sqrt({} + {})", "np.exp({} * {})", "np.sqrt({}, {})", "{} @ {}", "np.where({} > 0.0, {}, 1.0)", "{} < {}")
ODD = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -2.5)


@st.composite
def functions(draw: st.DrawFn) -> str:
    def operand() -> str:
        one = draw(st.sampled_from(READS))
        return f"({one} * {draw(st.sampled_from(READS))})" if draw(st.booleans()) else one

    first = draw(st.sampled_from(("t = 1.5", "t = x * y", "t = U[0]", "t = y[:]", "t = x[0]")))
    form = draw(st.sampled_from(FORMS + MORE)).format(operand(), operand())
    return f"{HEAD}    {first}\n    for j in range(2):\n        {draw(st.sampled_from(STORES))} = {form}\n"


def fix_of(text: str) -> Fix | None:
    module = read_module(text, "k.py")
    [kernel] = [lower(module, c) for c in find_candidates(module, True).candidates]
    source = SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    return out_argument(Site(Finding("RFL301", "k.py", text.count("\n"), 0, "", "f"), kernel, source, function))


def outcome(code: str, n: int, seed: int, shared: int) -> list[bytes] | None:
    """What a call leaves, where x and y are parts of one memory (so many elements apart), as are U and V."""
    random = np.random.default_rng(seed)
    memory, rows = random.choice(ODD, 3 * n + 4), random.choice(ODD, (2 * n + 3, n))
    second = 2 * n if shared < 0 else shared
    given_ = memory[:n], memory[second : second + n], rows[:n], rows[min(second, n + 1) :][:n]
    try:
        with np.errstate(all="ignore"):
            run_target(code, "f")(*given_, 0.5, 0)
    except (ValueError, IndexError, TypeError):
        return None
    return [memory.tobytes(), rows.tobytes()]


@settings(max_examples=60 * THOROUGHNESS, deadline=None)
@given(functions(), st.sampled_from((0, 1, 2, 5, 8)), st.integers(0, 20), st.integers(-1, 2))
def test_out_gives_the_same_bits(text: str, n: int, seed: int, shared: int) -> None:
    made = fix_of(text)
    before = outcome(text, n, seed, shared)
    if made is not None and before is not None:
        assert outcome(made.module.code, n, seed, shared) == before, made.module.code


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("y[:] = a * x + y", "np.add(a * x, y, out=y)"),
        ("y[1:] = -(x[1:] * a)", "np.negative(x[1:] * a, out=y[1:])"),
        ("U[0, :] = np.sqrt(x * x + 1.0)", "np.sqrt(x * x + 1.0, out=U[0, :])"),
        ("V[1:-1, 1:-1] = a * (U[2:, 1:-1] + U[:-2, 1:-1])", ""),  # of short rows: no faster
        ("y[k] = a * (x + y)", ""),
        ("y[:] = +(x * y)", ""),
        ("y[k, :] = x * y + a", ""),  # k may be an array: then this is a copy
        ("y[:] = x * y + OFFSETS", ""),
        ("y[:] = a * read(x)", ""),
    ],
)
def test_the_last_operation_writes_into_the_target(line: str, after: str) -> None:
    made = fix_of(f"{HEAD}    {line}  # why\n")
    assert (made.module.code.splitlines()[-1].strip() if made else "") == (after and f"{after}  # why")
    assert made is None or (made.safety == "safe" and "float64" in made.assumptions[0])


def test_a_fix_by_the_command_is_safe_and_final() -> None:
    from tests.fix.test_interchange import fix

    text = "import numpy as np\n\n\n# roofscan: x=f8[n] b=f8[n] y=f8[n]\ndef f(x, b, y):\n    y[:] = 0.5 * x + b\n"
    made = fix(text)
    [line] = made.fixes
    assert "write into y with out= (safe; assumes x, b and y are float64)" in line
    assert not fix(made.after.decode()).fixes

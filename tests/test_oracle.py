"""The oracle itself: its rules, the order of accesses, its cache, and that rewriting changes no result."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixture_files import Fixture, fixtures_of
from tests.oracle import Movement, Trace, run
from tests.oracle.arrays import Unsupported
from tests.oracle.recorder import TooLong
from tests.oracle.run import run_plainly
from tests.oracle.words import read_expression, read_words
from tests.support.random_kernels import RandomKernel, kernels

SCALARS = {
    "x": 1.5, "y": 2.5, "f": np.float32(0.5), "i": 3, "j": 2, "z": 1 + 2j, "w": 0.5j,
    "d": np.complex64(1j),
}  # fmt: skip

SCALAR_RULES = [
    ("x + y", {"add": 1}),
    ("x - y * x", {"sub": 1, "mul": 1}),
    ("x / y", {"div": 1}),
    ("x // y + x % y", {"div": 2, "add": 1}),
    ("i + j * i - i // j + i % j", {}),
    ("i / j", {"div": 1}),
    ("x * i", {"mul": 1}),
    ("2.0 * 3.0 - 1 / 9", {}),
    ("x * (2.0 * 3.0)", {"mul": 1}),
    ("1 / 9 * x", {"mul": 1}),
    ("x ** 2 + x ** 2.0", {"mul": 2, "add": 1}),
    ("x ** 3", {"mul": 2}),
    ("x ** 4", {"mul": 2}),
    ("x ** 15", {"mul": 6}),
    ("x ** 64", {"mul": 6}),
    ("x ** 65", {"special": 1}),
    ("x ** -1", {"div": 1}),
    ("x ** -3", {"mul": 2, "div": 1}),
    ("x ** 0 + x ** 1", {"add": 1}),
    ("x ** 0.5", {"sqrt": 1}),
    ("x ** 1.5", {"special": 1}),
    ("x ** y", {"special": 1}),
    ("i ** 2", {}),
    ("-x", {"neg": 1}),
    ("-2 + -i", {}),
    ("abs(x) + abs(i)", {"abs": 1, "add": 1}),
    ("min(x, y, 1.0)", {"minmax": 2}),
    ("max(i, j)", {}),
    ("max(x, i)", {"minmax": 1}),
    ("x if x < y else y", {"compare": 1}),
    ("1.0 < x < y", {"compare": 2}),
    ("2.0 < x < y", {"compare": 1}),
    ("i < j", {}),
    ("math.sqrt(x) + np.sqrt(y)", {"sqrt": 2, "add": 1}),
    ("math.sin(x) * np.exp(y) * math.atan2(x, y)", {"special": 3, "mul": 2}),
    ("math.floor(x) + round(y) + int(x)", {"convert": 3}),
    ("math.pi * x", {"mul": 1}),
    ("CONSTANT * 2.0", {"mul": 1}),
    ("z + w", {"add": 2}),
    ("z - x", {"sub": 2}),
    ("z * w", {"mul": 4, "add": 1, "sub": 1}),
    ("x * z", {"mul": 4, "add": 1, "sub": 1}),
    ("z / w", {"complex_div": 1}),
    ("z / x", {"complex_div": 1}),
    ("abs(z)", {"mul": 2, "add": 1, "sqrt": 1}),
    ("z ** 2", {"mul": 4, "add": 1, "sub": 1}),
    ("z.real * z.imag", {"mul": 1}),
    ("np.maximum(x, y) - np.minimum(i, j)", {"minmax": 1, "sub": 1}),
    ("helper(2.0, 3.0)", {"mul": 1}),
]

PRECISIONS = [
    ("f * f", "njit", "fp32"),
    ("f * 2.0", "njit", "fp64"),  # Numba: a Python float is a float64
    ("f * 2.0", "", "fp32"),  # NumPy: it is weak
    ("f * i", "njit", "fp64"),
    ("f ** 2", "njit", "fp32"),
    ("d * d", "njit", "fp32"),
    ("x * f", "", "fp32"),
    ("math.sqrt(f)", "njit", "fp32"),
]

ARRAY_RULES = [
    ("A + B * 2.0", {"add": 12, "mul": 12}, 12 * 2 + 12 * 3),
    ("A ** 2", {"mul": 12}, 24),
    ("np.sum(A)", {"add": 12}, 12),
    ("A.sum(axis=0)", {"add": 12}, 12 + 4),
    ("np.mean(A, axis=1)", {"add": 12, "div": 3}, 12 + 3),
    ("np.var(v)", {"add": 8, "sub": 4, "mul": 4, "div": 2}, 8),
    ("np.std(v)", {"add": 8, "sub": 4, "mul": 4, "div": 2, "sqrt": 1}, 8),
    ("A @ A.T", {"mul": 36, "add": 36}, 12 + 12 + 9),
    ("np.dot(v, v)", {"mul": 4, "add": 4}, 8),
    ("np.outer(v, v)", {"mul": 16}, 4 + 4 + 16),
    ("np.linalg.norm(v)", {"mul": 4, "add": 4, "sqrt": 1}, 4),
    ("A[1:, :] - A[:-1, :]", {"sub": 8}, 24),
    ("A * v", {"mul": 12}, 36),
    ("(1.0, 2.0, 3.0, 4.0) * v", {"mul": 4}, 8),
    ("np.maximum(A, 0.0)", {"minmax": 12}, 24),
    ("np.clip(A, 0.0, 1.0)", {"minmax": 24}, 24),
    ("np.exp(A - A.max())", {"special": 12, "sub": 12, "minmax": 12}, 12 + 24 + 24),
    ("np.where(A > 1.0, A, 0.0)", {"compare": 12}, 24 + 36),
    ("np.zeros(5)", {}, 5),
    ("np.empty(5)", {}, 0),
    ("np.zeros_like(A)", {}, 12),
    ("A.copy()", {}, 24),
    ("A.T", {}, 0),
    ("A.reshape(4, 3)", {}, 0),
    ("A.T.reshape(12)", {}, 24),
    ("np.cumsum(v)", {"add": 3}, 8),
    ("np.diff(v)", {"sub": 3}, 9),
    ("-A", {"neg": 12}, 24),
    ("np.abs(A)", {"abs": 12}, 24),
    ("v[index]", {}, 6 + 2 * 6),
]


def evaluate(expression: str, decorator: str = "njit") -> Trace:
    source = f"""
import math
import numpy as np
from numba import njit
CONSTANT = 9.81
def helper(a, b):
    return a * b
{"@njit" if decorator else ""}
def kernel({", ".join(SCALARS)}):
    return {expression}
"""
    return run(source, "kernel", SCALARS)


@pytest.mark.parametrize("expression, counts", SCALAR_RULES)
def test_scalar_rules(expression: str, counts: dict[str, int]) -> None:
    assert evaluate(expression).all_classes == counts


@pytest.mark.parametrize("expression, decorator, precision", PRECISIONS)
def test_precision(expression: str, decorator: str, precision: str) -> None:
    assert {p for _, p in evaluate(expression, decorator).operations} == {precision}


@pytest.mark.parametrize("expression, counts, accesses", ARRAY_RULES)
def test_array_rules(expression: str, counts: dict[str, int], accesses: int) -> None:
    source = f"import numpy as np\ndef kernel(A, B, v, index):\n    return {expression}\n"
    words = read_words("A=f8[3,4] B=f8[3,4] v=f8[4] index=i8[6]<4")
    trace = run(source, "kernel", words.arguments)
    assert (trace.all_classes, trace.accesses) == (counts, accesses)


def test_a_complex_division_weighs_eleven() -> None:
    assert evaluate("z / w").flops == 11


def test_compiled_code_has_one_type_a_variable_for_each_signature() -> None:
    source = (
        "from numba import njit\n@njit\ndef total(v):\n    s = 0\n    for x in v:\n        s += x\n    return s\n"
        "@njit\ndef kernel(a, b):\n    return total(a) + total(b)\n"
    )
    words = read_words("a=i8[5] b=f8[7]")
    assert run(source, "kernel", words.arguments).by_class == {"add": 8}


def test_a_list_has_one_type_in_compiled_code() -> None:
    source = "from numba import njit\n{}def kernel(i, w):\n    return [0, w][i] + 1\n"
    for decorator, counts in (("@njit\n", {"add": 1}), ("", {})):
        assert run(source.format(decorator), "kernel", {"i": 0, "w": 1.5}).by_class == counts


def test_an_array_of_arrays_has_their_size() -> None:
    source = "import numpy as np\ndef kernel(x, n):\n    for i in range(n):\n        y = np.array([x]) + 1\n"
    assert run(source, "kernel", {"x": np.ones(8), "n": 3}).footprint == 64 + 2 * 3 * 64


def test_how_often_a_loop_ends_without_a_return() -> None:
    source = """
def held(row, key):
    for j in range(len(row)):
        if row[j] == key:
            return 1
    return 0
def kernel(A):
    n = 0
    for i in range(len(A)):
        n += held(A[i], 2.0)
    return n
"""
    trace = run(source, "kernel", {"A": np.array([[1.0, 2.0], [3.0, 4.0], [2.0, 2.0], [0.0, 0.0]])})
    assert trace.share_past(3) == Fraction(1, 2)


def test_accesses_are_in_evaluation_order_with_their_lines() -> None:
    source = "def kernel(A, B, C, i):\n    C[i] += A[i] * B[i + 1]\n    A[0], A[1] = A[1], A[0]\n"
    words = read_words("A=f8[4] B=f8[4] C=f8[4] i=2")
    events = [(name, write, line) for name, _, write, line in run(source, "kernel", words.arguments).events()]
    reads, writes = [("A", False, 3)] * 2, [("A", True, 3)] * 2
    assert events == [("C", False, 2), ("A", False, 2), ("B", False, 2), ("C", True, 2), *reads, *writes]


def test_a_local_array_is_fresh_memory_each_time_under_one_name() -> None:
    trace = run(_rows("m"), "kernel", {"n": 3, "m": 8})
    assert trace.footprint == 3 * 64
    assert list(trace.cache(1 << 20).arrays) == ["row"]


def test_a_small_array_of_literal_size_is_one_block_until_it_outlives_an_iteration() -> None:
    assert run(_rows("8"), "kernel", {"n": 3, "m": 8}).footprint == 64
    assert run(_rows("513"), "kernel", {"n": 3, "m": 8}).footprint == 3 * (513 * 8 // 64 + 1) * 64
    assert run(_rows("8") + "    return row\n", "kernel", {"n": 3, "m": 8}).footprint == 3 * 64
    assert (
        run(
            _rows("8", "        if i > 0:\n            last[0] = 1.0\n        last = row\n"), "kernel", {"n": 3, "m": 8}
        ).footprint
        == 3 * 64
    )


def _rows(size: str, more: str = "") -> str:
    loop = f"    for i in range(n):\n        row = np.zeros({size})\n        row[0] = 1.0\n"
    return "import numpy as np\ndef kernel(n, m):\n" + loop + more


def test_arrays_start_on_lines_of_their_own() -> None:
    source = "def kernel(x, y):\n    return x[0] + y[0]\n"
    assert run(source, "kernel", read_words("x=f8[1] y=f8[1]").arguments).footprint == 128


def test_a_run_that_is_too_long_stops() -> None:
    with pytest.raises(TooLong):
        run("def kernel(x):\n    while True:\n        x[0] = 1.0\n", "kernel", {"x": np.ones(1)}, limit=100)


@pytest.mark.parametrize("expression", ["np.unique(x)", "x.cumprod().tolist()", "np.interp(0.5, x, x)"])
def test_what_it_cannot_count_is_an_error(expression: str) -> None:
    source = f"import numpy as np\ndef kernel(x):\n    return {expression}\n"
    with pytest.raises((AttributeError, TypeError, Unsupported)):
        run(source, "kernel", {"x": np.ones(3)})


# -- the cache, against a model written another way ---------------------------------------------------


def plain_lru(trace: Trace, capacity: int, line: int) -> Movement:
    """The same cache as a list of [line, dirty], oldest first."""
    held: list[list[int]] = []
    moved = Movement()
    for _, address, write, _ in trace.events():
        entry = next((e for e in held if e[0] == address // line), None)
        if entry is None:
            entry = [address // line, 0]
            moved.fill += line * write
            moved.load += line * (not write)
        else:
            held.remove(entry)
        entry[1] |= write
        held.append(entry)
        if len(held) > max(1, capacity // line):
            moved.writeback += line * held.pop(0)[1]
    moved.writeback += line * sum(dirty for _, dirty in held)
    return moved


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kernels(), st.integers(1, 40), st.sampled_from([32, 64, 128]))
def test_cache_agrees_with_a_plain_model(kernel: RandomKernel, lines: int, line: int) -> None:
    trace = run(kernel.source, kernel.name, read_words(kernel.words).arguments)
    assert trace.cache(lines * line, line).total == plain_lru(trace, lines * line, line)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kernels())
def test_a_larger_cache_never_moves_more(kernel: RandomKernel) -> None:
    trace = run(kernel.source, kernel.name, read_words(kernel.words).arguments)
    moved = [trace.cache(64 * lines).total for lines in (1, 2, 3, 5, 9, 17, 1000)]
    for smaller, larger in pairwise(moved):
        assert smaller.load >= larger.load
        assert smaller.fill >= larger.fill
        assert smaller.writeback >= larger.writeback
    assert trace.footprint == moved[-1].load + moved[-1].fill


def test_by_hand() -> None:
    """Sixteen elements are two lines; a cache of one line reloads what a second array pushed out."""
    source = "def kernel(x, y):\n    for i in range(16):\n        y[i] = x[i]\n"
    trace = run(source, "kernel", read_words("x=f8[16] y=f8[16]").arguments)
    assert trace.cache(0).total == Movement(16 * 8, 0, 16 * 8)
    assert trace.cache(64).total == Movement(16 * 64, 16 * 64, 16 * 64)
    assert trace.cache(128).total == Movement(128, 128, 128)


# -- rewriting changes no result ----------------------------------------------------------------------


def assert_same_outcome(source: str, name: str, arguments: dict[str, object]) -> None:
    trace = run(source, name, arguments)
    result, arrays = run_plainly(source, name, arguments)
    assert arrays.keys() == trace.arguments.keys()
    for key, array in arrays.items():
        mine = np.asarray(trace.arguments[key])
        for left, right in [(mine[f], array[f]) for f in mine.dtype.names] if mine.dtype.names else [(mine, array)]:
            np.testing.assert_allclose(left, right, rtol=1e-5, err_msg=key)
    results = zip(_as_tuple(trace.result), _as_tuple(result), strict=True)
    for mine, plain in results:
        if plain is not None:
            np.testing.assert_allclose(np.asarray(mine), np.asarray(plain), rtol=1e-5)


def _as_tuple(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("fixture", [f for f in fixtures_of() if f.oracle], ids=lambda f: f.id)
def test_a_recorded_fixture_computes_what_the_plain_one_does(fixture: Fixture) -> None:
    words = fixture.words(fixture.oracle[-1])
    assert_same_outcome(fixture.source, fixture.name, words.arguments)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kernels())
def test_a_recorded_kernel_computes_what_the_plain_one_does(kernel: RandomKernel) -> None:
    words = read_words(kernel.words.replace("f4[", "f8["))  # single precision rounds differently under Numba
    assert_same_outcome(kernel.source, kernel.name, words.arguments)


def test_words() -> None:
    words = read_words("n=4 A=f4[n,2*n]F idx=i8[n+1]<3 ptr=i4[3]^n alpha=0.5", parameters=("A", "idx", "alpha"))
    assert words.scalars == {"alpha": 0.5}
    assert words.symbols["A_shape_1"] == 8 and words.symbols["n"] == 4
    assert words.arrays["A"].flags.f_contiguous and words.arrays["A"].dtype == np.float32
    assert words.arrays["idx"].max() < 3 and words.arrays["ptr"].tolist()[::2] == [0, 4]
    assert words.bind.split() == ["alpha=0.5", "A=f4[4,8]F", "idx=i8[5]", "ptr=i4[3]"]
    with pytest.raises(ValueError):
        read_expression("__import__('os').getcwd()")

"""The time of integer work: operations, chains, branches. Kernels without floating-point numbers have a time, too."""

from __future__ import annotations

from itertools import pairwise

import pytest

from roofscan.api import Options, analyze_source
from roofscan.ir.integers import IntegerWork
from roofscan.ir.visitor import innermost_loops
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import NoTime, TimePrediction

HEAD = "import numpy as np\nfrom numba import njit\n\nMASK = 255\n\n"
CLOCK = 3.5e9  # of the generic machine, about


def report(source: str, bind: str) -> KernelReport:
    return analyze_source(HEAD + source, options=Options(bind=bind)).kernels[-1].reports[0]


def loop(
    step: str, arrays: str = "x=f8[1000] idx=i8[1000]", before: str = "k = 1", after: str = "return k"
) -> KernelReport:
    names = ", ".join(word.partition("=")[0] for word in arrays.split())
    size = f"{names.split(', ')[0]}.shape[0]"
    lines = (before, f"for i in range({size}):", f"    {step}", after)
    return report(f"@njit\ndef f({names}):\n" + "".join(f"    {line}\n" for line in lines), arrays)


def work(found: KernelReport) -> IntegerWork:
    [inner] = innermost_loops(found.cost.kernel.body)
    return inner.integers


def seconds(found: KernelReport) -> float:
    assert isinstance(found.time, TimePrediction), found.time
    return float(found.time.expected)


@pytest.mark.parametrize(
    ("step", "cycles"),
    [
        ("k = k ^ (k << 13)", 2),
        ("t = k * 5\n        k = t + 1", 4),
        ("k = (k * 75 + 74) % 65536", 5),
        ("k = idx[k & 511]", 6),
        ("k += idx[i]\n        idx[i] = k", 1),
        ("k = max(k, idx[i])\n        idx[i] = k", 0),  # guessed
    ],
)
def test_an_iteration_waits_for_integers(step: str, cycles: float) -> None:
    """With 5 cycles of a load and 3 of a product; a branch that is guessed keeps nothing waiting."""
    [chain] = work(loop(step)).chains
    waits = {"plain": 1, "choice": 1 - chain.guessed, "mul": 3, "load": 5, "memory": 5, "division": 12}
    assert sum(waits[kind] * n for kind, n in chain.latencies) == cycles
    assert chain.name == "k"


@pytest.mark.parametrize(
    "step",
    [
        "k += idx[i]",
        "k = max(k, idx[i])",
        "k = k ^ idx[i]",
        "if idx[i] == 3:\n            k += 1",
        "if idx[i] > k:\n            k = idx[i]",
        "k = max(k, i)",
        "t = i * 5\n        k = t",
        "for _ in range(3):\n            k += idx[i]",
    ],
)
def test_llvm_reorders_what_integers_accumulate(step: str) -> None:
    found = loop(step)
    outer = found.cost.kernel.body[-1]
    assert not outer.integers.chains  # type: ignore[union-attr]
    assert [body.scalar_because for body in found.cost.nests[-1].bodies if body.loop] == [None] * len(
        [body for body in found.cost.nests[-1].bodies if body.loop]
    )


def test_a_place_of_an_array_that_branches_add_to_is_loaded_again() -> None:
    [chain] = work(loop("if idx[i] == 3:\n            x[0] += 1", "idx=i8[1000] x=i8[4]", "k = 0")).chains
    assert dict(chain.latencies) == {"memory": 1, "plain": 1} and chain.share.constant != 1


def test_elements_of_the_iteration_before_are_a_chain() -> None:
    step = "y[i, j] = min(y[i - 1, j], y[i, j - 1]) + x[i, j]"
    source = f"@njit\ndef f(x, y):\n    for i in range(1, 50):\n        for j in range(1, 50):\n            {step}\n"
    found = report(source, "x=i4[50,50] y=i4[50,50]")
    [chain] = work(found).chains
    assert (chain.moves, chain.guessed) == (True, True)


@pytest.mark.parametrize(
    ("step", "operations"),
    [
        ("y[i] = (x[i] + y[i] + 1) >> 1", {("lanes", 2): 2, ("plain", 2): 2, ("shift", 2): 1}),
        ("y[i] = x[i] & MASK", {("plain", 1): 1}),
        ("y[i] = x[i] // 9", {("quotient", 1): 1}),
        ("y[i] = x[i] // 8", {("plain", 1): 1}),
        ("y[i] = min(x[i], y[i])", {("minmax", 1): 1}),
    ],
)
def test_vector_code_works_on_as_few_bytes_as_hold_the_numbers(step: str, operations: object) -> None:
    found = work(loop(step, "x=u1[4096] y=u1[4096]", "k = 0"))
    assert {(each.kind, each.size): each.count for each in found.operations} == operations


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("y[i] = x[i] // 10", "integers"),  # vector code has no upper half of a product of 64 bits
        ("y[i] = x[i] // (y[i] + 1)", "integers"),
        ("y[i] = x[i] + x[(i + 1) % x.shape[0]]", None),  # the last iteration is taken out of the loop
        ("k += x[i]\n        y[i] = k", "chain"),
    ],
)
def test_whether_integers_have_vector_code(step: str, reason: str | None) -> None:
    [body] = loop(step, "x=i8[1000] y=i8[1000]", "k = 0").cost.nests[0].bodies
    assert body.scalar_because == reason


def test_a_function_of_integers_counts_where_it_is_called() -> None:
    helper = "@njit\ndef mix(h, v):\n    h ^= v\n    return h * 16777619\n\n\n"
    body = "@njit\ndef f(x):\n    h = 1\n    for i in range(x.shape[0]):\n        h = mix(h, x[i])\n    return h\n"
    [chain] = work(report(helper + body, "x=i8[1000]")).chains
    assert dict(chain.latencies) == {"plain": 1, "mul": 1}


def test_kernels_without_floating_point_have_a_time() -> None:
    """A verdict under the roofline they have not."""
    found = loop("y[i] = x[i] ^ (x[i] >> 1)", "x=i8[1000] y=i8[1000]", "k = 0")
    assert found.verdict.bound is None and found.verdict.reason == "no floating-point work"
    assert isinstance(found.verdict.time, TimePrediction)
    sums = loop("k += x[i]\n        y[i] = k", "x=i8[2000] y=i8[2000]", "k = 0")
    assert 2000 / CLOCK < seconds(sums) < 3 * 2000 / CLOCK


@pytest.mark.parametrize(
    ("source", "bind", "word"),
    [
        ("@njit\ndef f(x):\n    x.sort()\n", "x=i8[100]", "not arithmetic"),
        ("@njit\ndef f(x, y):\n    y[:] = x ^ 3\n", "x=i8[100] y=i8[100]", "array expression"),
        ("@njit\ndef f(x):\n    k = 0\n    while x[k] > 3:\n        k += 1\n    return k\n", "x=i8[100]", "data"),
    ],
)
def test_what_is_not_known_of_integers_has_no_time(source: str, bind: str, word: str) -> None:
    found = report(source, bind).time
    assert isinstance(found, NoTime) and word in found.why


def test_iterations_of_short_loops_share_remainders() -> None:
    """Of nine neighbours with periodic edges: three remainders in a row, those of the rows stand before the loop."""
    body = (
        "@njit\ndef f(x, y):\n    n, m = x.shape\n    for i in range(n):\n        for j in range(m):\n"
        "            s = 0.0\n"
        "            for a in range(-1, 2):\n                for b in range(-1, 2):\n"
        "                    s += x[(i + a) % n, (j + b) % m]\n            y[i, j] = s\n"
    )
    found = report(body, "x=f8[100,100] y=f8[100,100]")
    each = [
        float(body.integer_divisions * body.executions.evaluate(found.cost.sample_point))
        for body in found.cost.nests[0].bodies
    ]
    assert sum(each) == pytest.approx(3 * 100 * 100)


def test_the_second_table_of_translations_overflows_bit_by_bit() -> None:
    """Sums down columns; timed on Zen 4 the time doubles and more between 0.7 and 1.5 times the table's pages."""
    body = (
        "@njit\ndef f(x, y):\n    for j in range(x.shape[1]):\n        s = 0.0\n        for i in range(x.shape[0]):\n"
    )
    body += "            s += x[i, j]\n        y[j] = s\n"
    rows = [800, 1000, 1200, 1400, 1600, 1800, 2000, 2400, 3000]
    each = [seconds(report(body, f"x=f8[{n},601] y=f8[601]")) / n for n in rows]
    steps = [later / before for before, later in pairwise(each)]
    assert each[-1] > 1.8 * each[0] and max(steps) < 2


def test_integers_that_nothing_reads_take_no_time() -> None:
    """``k = k >> 1`` is dropped where nothing else names ``k``; where the function returns it, it is a chain."""
    dropped, returned = (
        loop("k = k >> 1; s += x[i]", before="k = 1; s = 0.0", after=a) for a in ("return s", "return k")
    )
    assert not work(dropped).chains and not work(dropped).operations
    assert [chain.name for chain in work(returned).chains] == ["k"]


@pytest.mark.parametrize(
    ("default", "bind", "calls"), [("", "", 1), ("", "how='sum'", 1), ("='sum'", "", 0), ("='sum'", "how='sum'", 1)]
)
def test_texts_are_compared_in_each_iteration(default: str, bind: str, calls: int) -> None:
    """Measured under Numba 0.68 on Cascade Lake: 7 to 75 ns each, and nothing where the default decides it."""
    body = (
        f"@njit\ndef f(x, how{default}):\n    s = 0.0\n    for i in range(len(x)):\n"
        "        if how == 'sum':\n            s += x[i]\n        else:\n            s += abs(x[i])\n    return s\n"
    )
    found = report(body, f"x=f8[100000] {bind}")
    assert [operation.kind for operation in work(found).operations] == ["text"] * calls
    assert (seconds(found) > 100_000 * 7e-9) is bool(calls)

"""The reuse model against the brute-force LRU cache, and against formulas from the literature."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.memory.base import MemoryModel, ReuseClass
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.ir.kernel import Kernel
from roofscan.symbolic.expr import Expr, Number
from tests.cost.memory.reuse_kernels import NESTS
from tests.oracle.analysis import analyzed
from tests.support.kernel_builder import Build, expr
from tests.support.lru_simulator import Tracer, simulate, truth_range
from tests.support.nest_notation import nest

CAPACITIES = (512, 2048, 8192, 32768)
CASES = [
    pytest.param(text, sizes, id=f"{name} {sizes}") for name, (text, all_sizes) in NESTS.items() for sizes in all_sizes
]
LARGE = {"n": 2**20 + 64, "m": 2**20 + 512, "p": 2**20 + 1024}


def model_of(text: str, sizes: dict[str, int]) -> MemoryModel:
    return analyze_reuse(nest(text), sizes, 64)


def figures(model: MemoryModel, sizes: dict[str, int], capacity: int) -> tuple[str, float, float, float]:
    traffic = model.traffic(capacity)
    load, fill, back = (
        float(e.evaluate(sizes)) for e in (traffic.total.load, traffic.total.fill, traffic.total.writeback)
    )
    return traffic.status, load, fill, back


@pytest.mark.parametrize(("text", "sizes"), CASES)
def test_traffic_is_in_the_range_of_the_truth(text: str, sizes: dict[str, int]) -> None:
    kernel = nest(text)
    trace, model = Tracer(kernel, sizes).trace(), analyze_reuse(kernel, sizes, 64)
    for capacity in CAPACITIES:
        status, load, fill, back = figures(model, sizes, capacity)
        plain, allocating = truth_range(trace, capacity)
        assert plain[0] <= load + back <= plain[1], (capacity, load, fill, back, plain)
        assert allocating[0] <= load + fill + back <= allocating[1], (capacity, load, fill, back, allocating)
        if status == "exact":
            truth = simulate(trace, capacity)
            assert (load, fill, back) == (truth.sum_of("load"), truth.sum_of("fill"), truth.sum_of("writeback"))


def test_the_arrays_add_up_to_the_total() -> None:
    kernel = nest(NESTS["gemm ijk"][0])
    sizes = {"n": 16, "m": 24, "p": 32}
    traffic = analyze_reuse(kernel, sizes, 64).traffic(1024)
    parts = sum((m.load for m in traffic.arrays.values()), start=Expr())
    assert parts == traffic.total.load
    assert set(traffic.arrays) == {"A", "B", "C"}


def test_streams_are_exact_and_factorizations_are_not() -> None:
    assert figures(model_of(NESTS["stream"][0], sizes := {"n": 403}), sizes, 1024)[0] == "exact"
    assert figures(model_of(NESTS["cholesky"][0], sizes := {"n": 24}), sizes, 1024)[0] == "estimate"
    assert figures(model_of(NESTS["transpose"][0], sizes := {"n": 45, "m": 51}), sizes, 1024)[0] == "estimate"


def gathers() -> Kernel:
    """Any m elements of y for each element of what comes out."""
    b = Build()
    y, out = b.array("y", "p"), b.array("out", "n")
    return b.kernel(b.loop("i", 0, "n", b.loop("k", 0, "m", b.read(y, None)), b.write(out, "i")))


def test_each_iteration_of_a_loop_gathers_its_own_lines() -> None:
    sizes = {"n": 64, "m": 48, "p": 10**6}
    moved = analyze_reuse(gathers(), sizes, 64).traffic(1 << 60).arrays["y"].load
    assert moved.evaluate(sizes) == 64 * 64 * 48


# -- formulas ---------------------------------------------------------------------------------------
def classes_of(name: str, sizes: dict[str, Number]) -> list[ReuseClass]:
    return list(analyze_reuse(nest(NESTS[name][0]), sizes, 64).classes)


def the_class(classes: list[ReuseClass], array: str, place: str) -> ReuseClass:
    [found] = [c for c in classes if (c.array, c.place, c.kind) == (array, place, "touch")]
    return found


def test_matrix_product_has_its_textbook_classes() -> None:
    """B is reused after all of B (next row), or after a column of lines (next column, 7 of 8)."""
    classes = classes_of("gemm ijk", LARGE)
    rows, columns = the_class(classes, "B", "i"), the_class(classes, "B", "j")
    assert rows.count == expr("n*m*p") / 8 - expr("m*p") / 8
    assert columns.count == expr("7*n*m*p") / 8
    assert the_class(classes, "A", "k").count == expr("7*n*m*p") / 8
    assert the_class(classes, "A", "j").count == expr("n*m*p") / 8 - expr("n*p") / 8
    assert columns.distance == expr("72*p + 64")


def test_the_layer_condition_of_a_star() -> None:
    """Three rows of u and one of v between u[i+1, j] and its next touch, less what the neighbours hold."""
    classes = classes_of("star 2-D", LARGE)
    row = the_class(classes, "u", "i")
    assert row.count == expr("2*n*m") / 8 - expr("6*m") / 8
    leading = row.distance.coefficient("m")
    assert leading == 32  # 4 rows of 8 bytes an element


def test_traffic_of_a_star_by_layers() -> None:
    """16 bytes an update and 8 to allocate where the rows fit; 16 more where only the line does."""
    kernel = nest(NESTS["star 2-D"][0])
    fits = analyze_reuse(kernel, {"n": 1024, "m": 512}, 64).traffic(32 * 1024).total
    bursts = analyze_reuse(kernel, {"n": 1024, "m": 2048}, 64).traffic(32 * 1024).total
    assert fits.load.coefficient("n").coefficient("m") == 8
    assert bursts.load.coefficient("n").coefficient("m") == 24
    assert fits.writeback.coefficient("n").coefficient("m") == 8


def test_the_columns_of_a_product_reuse_y_across_columns() -> None:
    """Where y fits, a column sweep moves 8 bytes an element at memory, not 32."""
    kernel = nest(NESTS["matrix by vector, columns"][0])
    traffic = analyze_reuse(kernel, {"n": 4096, "m": 4096}, 64).traffic(8 * 1024 * 1024).total
    assert traffic.load.coefficient("n").coefficient("m") == 8


@pytest.mark.parametrize(("name", "third"), [("cholesky", 1), ("LU", 2)])
def test_factorizations_count_their_thirds(name: str, third: int) -> None:
    """Without any cache but a line's, columns are read n**3/6 (cholesky: two rows) or n**3/3 times."""
    n = 4096
    traffic = analyze_reuse(nest(NESTS[name][0]), {"n": n}, 64).traffic(64 * 1024).total
    leading = traffic.load.coefficient("n", 3).constant
    assert leading is not None
    share = {1: 8 / 6, 2: 8 / 3}[third]
    assert abs(float(leading) / share - 1) < 0.02


# -- what is not affine -----------------------------------------------------------------------------
def test_a_gather_is_a_bound() -> None:
    b = Build()
    for name in ("k", "x", "y"):
        b.array(name, "n")
    body = b.loop("i", 0, "n", b.read("k", "i"), b.read("x", None), b.write("y", "i"))
    model = analyze_reuse(b.kernel(body), {"n": 4000}, 64)
    small, large = model.traffic(1024), model.traffic(2**20)
    assert small.status == large.status == "upper_bound"
    assert small.why and "line" in small.why
    assert small.arrays["x"].load.evaluate({"n": 4000}) == 64 * 4000
    assert large.arrays["x"].load.evaluate({"n": 4000}) == 8 * 4000


def lines_of_stores(body: str) -> float:
    """Lines of ``out`` that a filter fills in a large cache, where a tenth of 8,000 elements passes."""
    source = f"def f(x, out, t):\n k = 0\n for i in range(len(x)):\n{body}"
    analysis = analyzed(source, "f", "x=f8[8000] out=f8[8000] t=0.5")
    assert analysis.cost.reuse is not None
    traffic = analysis.cost.reuse.traffic(2**20)
    assert traffic.status == "upper_bound"
    return float(traffic.arrays["out"].fill.evaluate({"p1": Fraction(1, 10)})) / 64


def test_a_counter_reaches_as_many_lines_as_it_moves() -> None:
    """Of the places that a counter moves to, eight share a line, where each move comes with a store."""
    assert lines_of_stores("  if x[i] > t:\n   out[k] = x[i]\n   k += 1") == 101
    assert lines_of_stores("  if x[i] > t:\n   k = k + 1\n   out[k] = x[i]") == 101
    assert lines_of_stores("  if x[i] > t:\n   out[k] = x[i]\n  if x[i] > 2 * t:\n   k += 1") == 800
    assert lines_of_stores("  if x[i] > t:\n   out[k] = x[i]\n  else:\n   k += 1") == 800


def test_rows_of_unknown_length_follow_each_other() -> None:
    from tests.support.kernel_builder import Build

    b = Build()
    b.array("val", "nnz")
    b.array("y", "n")
    inner = b.loop("p", 0, "row", b.read("val", "p"), total="nnz", total_over="r")
    kernel = b.kernel(b.loop("r", 0, "n", inner, b.write("y", "r")))
    sizes = {"n": 1000, "nnz": 5000, "row": 5}
    traffic = analyze_reuse(kernel, sizes, 64).traffic(4096)
    assert abs(float(traffic.arrays["val"].load.evaluate(sizes)) - 40000) < 128


def test_an_empty_loop_moves_nothing() -> None:
    assert figures(model_of("x[n]\nfor i 0 n-8\n  x[i]=", {"n": 8}), {"n": 8}, 1024)[1:] == (0, 0, 0)


def histogram() -> Kernel:
    """Sums of weights w in the elements of h that k names."""
    b = Build()
    for name, size in (("k", "n"), ("w", "n"), ("h", "m")):
        b.array(name, size)
    return b.kernel(b.loop("i", 0, "n", b.read("k", "i"), b.read("w", "i"), b.read("h", None), b.write("h", None)))


def test_a_small_table_stays_in_a_cache() -> None:
    """Each of its 8 lines can only go out when 32 KiB less the table have passed: 2,000 iterations at 16 bytes."""
    for n in (10**5, 10**7, 10**9):
        sizes = {"n": n, "m": 64}
        moved = analyze_reuse(histogram(), sizes, 64).traffic(32 * 1024).arrays["h"]
        at_most = 8 * 64 * Fraction(n, 1025) + 8 * 64  # 8 lines go out every 1025 iterations
        assert moved.load.evaluate(sizes) == moved.writeback.evaluate(sizes) == at_most


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize(("n", "m"), [(700, 64), (5003, 64), (5003, 600), (20011, 16), (20011, 2000)])
def test_no_data_make_a_table_miss_more(n: int, m: int, capacity: int) -> None:
    """Places that come back as late as a cache of this size needs to lose them, and places at random."""
    bound = analyze_reuse(histogram(), {"n": n, "m": m}, 64).traffic(capacity).total
    most = float((bound.load + bound.fill + bound.writeback).evaluate({"n": n, "m": m}))
    lines, draw = -(-m // 8), Random(capacity)
    for wait in (1, capacity // 16 // 2, capacity // 16, capacity // 16 + capacity // 64, None):
        places = [(i // wait if wait else draw.randrange(lines)) % lines for i in range(n)]
        trace = [
            touch
            for i, place in enumerate(places)
            for touch in (("k", i // 8, False), ("w", i // 8, False), ("h", place, False), ("h", place, True))
        ]
        assert simulate(trace, capacity).with_allocation <= most + 128


LOOKUP = """
import numpy as np
from numba import njit


@njit
def f(keys, table, out):
    for i in range(keys.size):
        out[i] = table[{index}]
"""


@pytest.mark.parametrize(
    ("index", "keys", "lines"),
    [
        ("keys[i]", "u1", 33),  # 256 places that may begin within a line
        ("int(keys[i]) + 3", "u1", 33),
        ("keys[i] & 15", "i8", 3),
        ("keys[i] % 15", "i8", 3),
        ("keys[i]", "u4", 125_000),  # no range: all of the table
        ("keys[i] & 15", "u1", 3),
    ],
)
def test_the_range_of_an_index_bounds_what_it_reaches(index: str, keys: str, lines: int) -> None:
    sizes = {"keys_shape_0": 10**6, "table_shape_0": 10**6}
    bind = f"keys={keys} table=f8 " + " ".join(f"{name}={size}" for name, size in sizes.items())
    [kernel] = analyze_source(LOOKUP.format(index=index), options=Options(bind=bind)).kernels
    assert kernel.reports[0].cost.reuse is not None
    assert kernel.reports[0].cost.reuse.traffic(1 << 60).arrays["table"].load.evaluate(sizes) == 64 * lines

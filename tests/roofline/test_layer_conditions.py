"""Layer conditions: the known ones with their sizes, and their sentences."""

from __future__ import annotations

import json

import pytest

from roofscan import api
from roofscan.cli import main
from roofscan.config.options import Options
from roofscan.report.kernel_view.caches import cache_view
from roofscan.report.layer_sentences import formatter_on
from roofscan.roofline.layer_conditions import MAX_CONDITIONS, significant
from roofscan.roofline.model import KernelReport, LayerCondition

STAR_2D = """
def star(u, v):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
"""
STAR_3D = """
def star(u, v):
    N = u.shape[0]
    for i in range(1, N - 1):
        for j in range(1, N - 1):
            for k in range(1, N - 1):
                v[i, j, k] = (u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                              + u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k])
"""
LONG_RANGE = """
def long_range(u, v, roc):
    N = v.shape[0]
    for i in range(4, N - 4):
        for j in range(4, N - 4):
            for k in range(4, N - 4):
                lap = v[i, j, k]
                for r in range(1, 5):
                    lap += v[i - r, j, k] + v[i + r, j, k] + v[i, j - r, k] + v[i, j + r, k]
                    lap += v[i, j, k - r] + v[i, j, k + r]
                u[i, j, k] = 2.0 * v[i, j, k] - u[i, j, k] + roc[i, j, k] * lap
"""
PRODUCT = """
def product(A, B, C):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""
BY_COLUMNS = """
def by_columns(A, x, y):
    n, m = A.shape
    for j in range(m):
        for i in range(n):
            y[i] += A[i, j] * x[j]
"""
TILED = """
def tiled(A, B, C, n, t):
    for kk in range(0, n, t):
        for i in range(n):
            for k in range(kk, min(kk + t, n)):
                for j in range(n):
                    C[i, j] += A[i, k] * B[k, j]
"""
SOLVE = """
def solve(L, b, x):
    n = L.shape[0]
    for i in range(n):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]
"""
STREAM = """
def triad(a, b, c):
    for i in range(a.size):
        a[i] = b[i] + 2.0 * c[i]
"""


def report_of(source: str, *capacities: int, bind: str = "") -> KernelReport:
    options = Options(kernels="all", layers=True, caches=capacities, bind=bind)
    (kernel,) = api.analyze_source(source, "k.py", options).kernels
    return kernel.reports[0]


def sentences(source: str, *capacities: int, bind: str = "") -> list[str]:
    report = report_of(source, *capacities, bind=bind)
    return [formatter_on(report).sentence(step) for step in significant(report.steps)]


def last_sizes(step: LayerCondition) -> list[int | None]:
    """The largest size at which it fits in each cache; 0: at none."""
    return [fit.ranges[0][1] if fit.ranges else 0 for fit in step.fits]


def test_rows_of_a_star_in_two_dimensions() -> None:
    """32*m bytes: 1024 columns at 32 KiB; 16 + 8 B an update then, one more fetch of two rows else."""
    assert sentences(STAR_2D, 32768, 1 << 20) == [
        "three rows of u and one of v (32*m B) fit in 32 KiB while m ≤ 1,024, in 1 MiB while m ≤ 32,768: "
        "16 B per iteration, else 32 B"
    ]


def test_writes_that_fetch_their_line_are_counted_on_a_machine() -> None:
    (sentence,) = sentences(STAR_2D)
    assert "fit in L1 while m ≤ 1,024, in L2 while m ≤ 32,768, in L3 while m ≤ 1,048,576" in sentence
    assert sentence.endswith(": 24 B per iteration, else 40 B")


def test_planes_and_rows_of_a_star_in_three_dimensions() -> None:
    report = report_of(STAR_3D, 32768, 1 << 20)
    planes, rows = significant(report.steps)
    assert last_sizes(planes) == [32, 181]
    assert last_sizes(rows) == [682, 21845]
    speaker = formatter_on(report)
    assert speaker.subject(planes) == "three planes of u and one of v"
    assert speaker.subject(rows) == "five rows of u and one of v"


def test_planes_of_a_long_range_star() -> None:
    """Nine planes of v, one of u and one of roc: about 88*N**2 bytes."""
    report = report_of(LONG_RANGE, 1 << 20)
    planes = significant(report.steps)[0]
    assert formatter_on(report).subject(planes) == "one plane of roc, one of u and nine of v"
    assert 109 <= (last_sizes(planes)[0] or 0) <= 113  # less the borders: 109 by 88*N**2


def test_a_product_falls_to_compulsory_traffic_between_360_and_368() -> None:
    outer, inner = significant(report_of(PRODUCT, 1 << 20).steps)
    assert 360 <= (last_sizes(outer)[0] or 0) < 368
    assert str(outer.then) == "32*n**2" or str(outer.then).startswith("24*n**2")
    assert last_sizes(inner) == [14562]


def test_a_column_is_a_line_a_row() -> None:
    (sentence,) = sentences(BY_COLUMNS, 1 << 20)
    assert sentence == (
        "n lines of A and all of y (72*n + 72 B) fit in 1 MiB while n ≤ 14,562: 8 B per iteration, else 80 B"
    )


def test_tiles_are_named_beside_the_size_that_grows() -> None:
    report = report_of(TILED, 1 << 20)
    rows = next(s for s in significant(report.steps) if formatter_on(report).subject(s).startswith("t rows of B"))
    assert rows.needs.symbols == {"n", "t"}
    assert rows.fits[0].symbol == "n"
    assert rows.fits[0].also == (("t", report.cost.sample_point["t"]),)


def test_a_triangle_is_spread_over_distances() -> None:
    (step,) = significant(report_of(SOLVE, 32768).steps)
    assert step.is_spread
    (last,) = last_sizes(step)
    assert last is not None and 80 < last < 100  # half of 8*n*n bytes
    assert (step.fits[0].partly[0][1] or 0) > 10 * last  # the first rows fit for long


def test_a_stream_has_no_condition() -> None:
    assert sentences(STREAM) == []


def test_bound_sizes_give_the_level_that_fits() -> None:
    assert sentences(STAR_2D, 32768, 1 << 20, bind="n=1000 m=1200") == [
        "three rows of u and one of v (38.4 kB) fit in 1 MiB, not in 32 KiB: 16 B per iteration, else 32.1 B"
    ]


@pytest.mark.parametrize("size", [200, 1000])
@pytest.mark.parametrize(
    ("source", "bind"), [(STAR_2D, "n={0} m={0}"), (STAR_3D, "N={0}"), (PRODUCT, "n={0}"), (BY_COLUMNS, "n={0} m={0}")]
)
def test_the_traffic_on_both_sides_is_the_models(source: str, bind: str, size: int) -> None:
    """A cache just above a distance moves ``then`` bytes, one well below moves ``otherwise``."""
    report = report_of(source, 1 << 15, bind=bind.format(size))
    cost = report.cost
    assert cost.reuse is not None
    far = [step for step in report.steps if step.needs.evaluate(cost.sample_point) > 1000]
    for step in far:
        needs = int(step.needs.evaluate(cost.sample_point))
        for capacity, said in ((needs + 64, step.then), (int(needs / 1.2), step.otherwise)):
            moved = cost.reuse.traffic(capacity).total
            found = (moved.load + moved.writeback).evaluate(cost.sample_point)
            assert found == pytest.approx(float(said.evaluate(cost.sample_point)), rel=0.02)
    assert far


def test_few_lines_a_kernel() -> None:
    options = Options(kernels="all", layers=True)
    (kernel,) = api.analyze_file("fixtures/arrays.py", options, ["alternate_directions"]).kernels
    steps = kernel.reports[0].steps
    assert len(significant(steps)) == MAX_CONDITIONS < len(steps)


def test_tables_of_arrays_and_of_steps() -> None:
    steps, arrays = cache_view(report_of(STAR_2D, 32768, bind="n=1000 m=1200")).grids
    assert steps.head == ("cache of", "does not fit", "traffic", "B per iteration")
    assert [row[0] for row in steps.rows] == ["infinite", "< 37.5 KiB"]
    assert [row[0] for row in arrays.rows] == ["u", "v"]
    unbound = cache_view(report_of(STAR_2D, 32768))
    assert [grid.head[0] for grid in unbound.grids] == ["array"]


def test_json_has_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "fixtures/dense.py::gemm_naive", "--format", "json", "--bind", "n=500"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["iterations"] == {"expr": "n**3", "value": 125_000_000}
    whole = kernel["layer_conditions"][0]
    assert whole["holds"] == "all of B"
    assert whole["loop"] == "i"
    assert 8 * 500**2 < whole["needs"]["value"] < 8 * 500**2 + 30 * 500
    assert [fit["cache"] for fit in whole["fits"] if fit["ranges"]] == ["L3"]
    assert whole["then"]["value"] < whole["else"]["value"]


def test_conditions_that_hold_at_large_sizes_only_are_not_reported() -> None:
    """A distance with constants from the sample point would be negative at small sizes."""
    (kernel,) = api.analyze_file("fixtures/shapes.py", Options(kernels="all", layers=True), ["fft_stages"]).kernels
    report = kernel.reports[0]
    for step in significant(report.steps):
        assert all(size is None or size > 100 for size in last_sizes(step))
        assert step.needs.evaluate({**report.cost.sample_point, "n": 4096, "x_shape_0": 4096}) > 0

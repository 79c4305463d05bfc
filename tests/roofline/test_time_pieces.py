"""The time in pieces: at a random size, the piece that holds there says what the analysis bound to that size says."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import roofscan
from roofscan.api import Options, analyze_file
from roofscan.pipeline.stages import CostedKernel
from roofscan.results.report import Report
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.pieces import MAX_PIECES, WARP, TimePieces
from roofscan.roofline.time.powers import floor_from
from roofscan.roofline.time.prediction import CLOSE, TimePiece, TimePrediction

CUDA = str(Path(__file__).parents[1] / "parse/lowering/cuda_kernels.py")

KERNELS = {
    "axpy": """
        for i in range(x.shape[0]):
            y[i] += 2.0 * x[i]
    """,
    "copy_rows": """
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                B[i, j] = A[i, j]
    """,
    "columns": """
        n = A.shape[0]
        for j in range(n):
            for i in range(n):
                B[i, j] = 2.0 * A[i, j]
    """,
    "jacobi": """
        n = A.shape[0]
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
    """,
    "product": """
        n = A.shape[0]
        for i in range(n):
            for j in range(n):
                s = 0.0
                for k in range(n):
                    s += A[i, k] * B[k, j]
                C[i, j] = s
    """,
    "triangle": """
        n = A.shape[0]
        for i in range(n):
            for j in range(i):
                x[i] -= A[i, j] * x[j]
    """,
}
LAUNCHED = ("stencil3d_march", "gemm_naive", "gelu", "gemv_block", "gemv_thread", "saxpy_while")
SEED, TRIALS, MANY = 20_261_122, 6, 60
SPARE = 0.05  # of the size that is bound: a few sizes fill lines, or are powers of two


@cache
def report(name: str) -> tuple[Report, tuple[TimePiece, ...]]:
    names = [a for a in ("A", "B", "C", "x", "y") if a in KERNELS[name].replace(".shape", "")]
    text = f"from numba import njit\n\n@njit\ndef f({', '.join(names)}):{KERNELS[name]}"
    [found] = roofscan.analyze_source(text, "a.py")
    return found, pieces_of(found)


def asked(report: KernelReport) -> TimePieces:
    assert report.machine is not None and isinstance(report.time, TimePrediction)
    point = CostedKernel(report.cost, report.machine, ()).point
    return TimePieces(point.interfaces[0].curves, report.machine, report.time)


def assert_below_the_bound(times: TimePieces) -> None:
    rng = random.Random(SEED)
    first, last = times._asked[0].x, times._asked[-1].x
    for _ in range(MANY):
        size = int(first * (last / first) ** rng.random())
        sizes = {name: times._path.at(e, size) for name, e in times._path.values.items()}
        [piece] = [p for p in times.pieces if all(g.evaluate(sizes) >= 0 for g in p.range)]
        bound = times._predicted(size, even=False)
        assert bound is not None and float(piece.at_least.evaluate(sizes)) <= bound.at_least


def pieces_of(found: Report) -> tuple[TimePiece, ...]:
    return found.with_time_pieces[0].time_pieces or ()


@pytest.mark.parametrize("name", KERNELS)
def test_pieces_agree_with_sizes_that_are_bound(name: str) -> None:
    found, pieces = report(name)
    assert 1 < len(pieces) <= MAX_PIECES
    rng = random.Random(SEED)
    largest = min(found.verdict.sizes.values())
    for _ in range(TRIALS):
        size = int(8 * (float(largest) / 8) ** rng.random())
        sizes = dict.fromkeys(found.verdict.sizes, size)
        [piece] = [p for p in pieces if all(g.evaluate(sizes) >= 0 for g in p.when)]
        bound = found.predict(**sizes)
        assert float(piece.expected.evaluate(sizes)) == pytest.approx(bound.seconds, rel=piece.within + SPARE)
        assert float(piece.at_least.evaluate(sizes)) <= bound.at_least


@pytest.mark.parametrize("name", KERNELS)
def test_bounds_of_pieces_are_below_the_bound_at_many_sizes(name: str) -> None:
    found, _ = report(name)
    assert_below_the_bound(asked(found._report))


def test_launches_have_pieces_too() -> None:
    options = Options(kernels="all", machines=("h100-sxm",), time_pieces=True)
    for kernel in analyze_file(CUDA, options, LAUNCHED).kernels:
        [found] = kernel.reports
        times, pieces = asked(found), found.time_pieces or ()
        assert 1 < len(pieces) <= MAX_PIECES
        assert_below_the_bound(times)
        rng = random.Random(SEED)
        for _ in range(TRIALS):
            size = int(WARP * (times._position / WARP) ** rng.random())
            sizes = {name: times._path.at(e, size) for name, e in times._path.values.items()}
            [piece] = [p for p in pieces if all(g.evaluate(sizes) >= 0 for g in p.range)]
            expected = times._predicted(size, even=False)
            assert expected is not None
            assert float(piece.expected.evaluate(sizes)) == pytest.approx(expected.expected, rel=piece.within + SPARE)


@pytest.mark.parametrize("name", KERNELS)
def test_the_last_piece_is_that_of_the_verdict(name: str) -> None:
    found, pieces = report(name)
    sizes = dict(found.verdict.sizes)
    assert all(g.evaluate(sizes) >= 0 for g in pieces[-1].when)
    time = json.loads(found.to_json())["verdict"]["time_seconds"]
    assert time["expected"]["expr"] == time["pieces"][-1]["expected"]["expr"] == str(pieces[-1].expected)
    assert float(pieces[-1].expected.evaluate(sizes)) == pytest.approx(time["expected"]["at_large_sizes"], rel=1e-4)
    assert time["pieces"][-1]["limit"] == found.verdict.limit
    stated = {piece["status"]: piece["within"] for piece in time["pieces"]}
    assert time["pieces"][-1]["status"] == "model"
    assert all((within <= CLOSE) == (status == "model") for status, within in stated.items())


@pytest.mark.parametrize("name", KERNELS)
def test_pieces_cover_all_sizes_once(name: str) -> None:
    found, pieces = report(name)
    none = dict.fromkeys(found.verdict.sizes, 0)
    ranges = sorted((-int(p.when[0].evaluate(none)), int(p.when[1].evaluate(none))) for p in pieces)
    assert ranges[0][0] <= 4
    assert all(after == end + 1 for (_, end), (after, _) in pairwise(ranges))
    assert ranges[-1][1] >= max(found.verdict.sizes.values())


def test_sizes_apart_from_those_that_grow_together_have_no_piece() -> None:
    _, pieces = report("copy_rows")
    assert not any(all(g.evaluate({"A_shape_0": 100, "A_shape_1": 3000}) >= 0 for g in p.when) for p in pieces)


def test_sympy_has_the_pieces() -> None:
    found, _ = report("axpy")
    assert float(found.seconds.subs({"x_shape_0": 10_000})) == pytest.approx(
        found.predict(x_shape_0=10_000).seconds, rel=CLOSE
    )


def test_sizes_that_are_bound_have_no_pieces() -> None:
    found, _ = report("axpy")
    assert not pieces_of(found.at(x_shape_0=1000))


# -- what a bound is above ----------------------------------------------------------------------------
TIMES = {
    "a sum of powers": lambda x: {"core": 3 + 0.5 * x + 0.01 * x**2},
    "without borders": lambda x: {"core": max(1e-9, (x - 2.0) ** 2)},
    "data leave a level": lambda x: {"L2": x * 1.0 / (1 + (x / 3000) ** 8), "L3": 4.0 * x / (1 + (3000 / x) ** 8)},
    "a step up": lambda x: {"core": x * 1.0, "DRAM": 9.0 * x * (x > 5000)},
    "more cores take part": lambda x: {"core": x**3 * (1.0 if x < 700 else 0.1)},
    "a plain power": lambda x: {"core": 2.0 * x**3},
}


@pytest.mark.parametrize("name", TIMES)
def test_a_bound_is_above_its_floor_between_the_sizes_asked(name: str) -> None:
    rng, time = random.Random(SEED), TIMES[name]
    for _ in range(MANY):
        sizes = sorted({int(8 * 1e5 ** rng.random()) for _ in range(12)})
        times = [(x, time(x)) for x in sizes]
        for k, (a, b) in enumerate(pairwise(sizes)):
            floor = floor_from(times, k)
            between = sorted({a, b, *(rng.randint(a, b) for _ in range(20))})
            assert all(floor.at(x) <= 1.05 * max(time(x).values()) for x in between)


def test_the_floor_of_a_power_is_itself() -> None:
    times = [(x, {"core": 2.0 * x**3}) for x in (10, 100, 1000)]
    assert floor_from(times, 1).at(300) == pytest.approx(2.0 * 300**3)


def test_a_step_is_no_high_power_of_the_size() -> None:
    """Where the data outgrow a cache, the time of an update of a vector rises by far more than linearly over a few
    sizes."""
    _, pieces = report("axpy")
    assert max(p.expected.degree(s) for p in pieces for s in p.expected.symbols) == 2


def test_two_sizes_are_enough_for_pieces() -> None:
    """Of a kernel whose work grows so fast that no third size is asked, the sizes are the ends."""
    path = str(Path(__file__).parents[2] / "benchmarks/hardware/gpu/everyday_cuda.py")
    found = analyze_file(path, Options(machines=("h200",)), ("dgemm_tile16",))
    assert [kernel.kernel.name for kernel in found.kernels] == ["dgemm_tile16"]

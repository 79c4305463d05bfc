"""How fast the cache model is, the second half of traffic.py: CPU time of this process, without imports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from rich.progress import Progress

from roofscan.api import analyze_source
from roofscan.config.options import Options
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.roofline.model import KernelReport
from roofscan.symbolic.expr import Expr, Number
from tests.support.nest_notation import nest

LINE = 64
EXTENT = 1000
REFERENCES = (10, 20, 50, 100, 200)
DEPTHS = tuple(range(1, 9))
SHALLOW, FEW = 3, 10
"""The depth at which references vary, and the number of references at which the depth does."""
REPEATS = 3
PATIENCE = 5.0
"""Seconds: where an analysis takes longer, a larger one is not tried."""
SIZES = range(101, 1101)

Family = Callable[[int, int], str]
"""The text of a nest with so many references and of such a depth."""
Point = tuple[int, int]
Made = TypeVar("Made")

SOURCES = {
    "matrix product": """
def kernel(A, B, C, n, m, p):
    for i in range(n):
        for j in range(m):
            for k in range(p):
                C[i, j] += A[i, k] * B[k, j]
""",
    "star of five": """
def kernel(u, v, n, m):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = u[i, j] + u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
""",
    "LU": """
def kernel(A, n):
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
""",
}


def speed(bar: Progress) -> Iterator[str]:
    """The lines of the report, in Markdown, as they are measured."""
    task = bar.add_task("speed", total=len(FAMILIES) * (len(REFERENCES) + len(DEPTHS)) + len(SOURCES))
    sweeps = (
        (f"references, depth {SHALLOW}", REFERENCES, [(count, SHALLOW) for count in REFERENCES]),
        (f"depth, {FEW} references", DEPTHS, [(FEW, depth) for depth in DEPTHS]),
    )
    for title, heads, points in sweeps:
        yield f"| ms of analyze_reuse by {title} | " + " | ".join(map(str, heads)) + " |"
        yield "|---|" + "--:|" * len(points)
        for name, text in FAMILIES.items():
            yield f"| {name} | " + " | ".join(_cells(text, points)) + " |"
            bar.advance(task, len(points))
        yield ""
    yield f"| traffic of a report at {len(SIZES):,} sizes | expressions | terms | ms |"
    yield "|---|--:|--:|--:|"
    for name, source in SOURCES.items():
        yield evaluation(name, source)
        bar.advance(task)


def _cells(text: Family, points: list[Point]) -> Iterator[str]:
    """Milliseconds; in parentheses where there is only a bound or nothing, and none behind a slow cell."""
    seconds = 0.0
    for references, depth in points:
        if seconds > PATIENCE:
            yield "–"
            continue
        work = partial(analyze_reuse, nest(text(references, depth)), {"n": EXTENT}, LINE)
        seconds, model = least_seconds(work)
        yield f"{1000 * seconds:,.0f}" if model.status == "estimate" else f"({1000 * seconds:,.0f})"


def least_seconds(work: Callable[[], Made]) -> tuple[float, Made]:
    """The least of several runs, or of one if it is long; and what the last run made."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        made = work()
        best = min(best, time.process_time() - start)
        if best > 1:
            break
    return best, made


def evaluation(name: str, source: str) -> str:
    """All loads, fills and write-backs of a report's interfaces, with every free symbol at each size."""
    [kernel] = analyze_source(source, options=Options(kernels="all")).kernels
    report = kernel.reports[0]
    expressions = list(_figures(report))
    values: list[dict[str, Number]] = [
        {**report.cost.sample_point, **dict.fromkeys(report.cost.free, size)} for size in SIZES
    ]
    seconds, _ = least_seconds(lambda: [expr.evaluate(at) for at in values for expr in expressions])
    terms = sum(len(expr.terms) for expr in expressions)
    return f"| {name} | {len(expressions)} | {terms} | {1000 * seconds:,.0f} |"


def _figures(report: KernelReport) -> Iterator[Expr]:
    for level in report.levels:
        moved = level.traffic.total
        yield from (moved.load, moved.fill, moved.writeback)


# -- nests of any size ------------------------------------------------------------------------------
def star(references: int, depth: int) -> str:
    """Arrays of full rank, five references each: an element and its neighbours in the first and last axis."""
    axes = _axes(depth)
    places = ((0, ""), (0, "-1"), (0, "+1"), (depth - 1, "-1"), (depth - 1, "+1"))
    arrays = [f"u{k}" for k in range(-(-references // len(places)))]
    accesses = []
    for k in range(references):
        axis, offset = places[k % len(places)]
        accesses.append(f"u{k // len(places)}[{_shifted(axes, axis, offset)}]")
    return _nest(arrays, depth, "1 n-1", accesses)


def around(references: int, depth: int) -> str:
    """One array of full rank: an element and ever further ones along each axis in turn."""
    axes = _axes(depth)
    reach = -(-references // depth)
    accesses = [f"u[{_shifted(axes, k % depth, f'+{k // depth}')}]" for k in range(references)]
    return _nest(["u"], depth, f"0 n-{reach}", accesses)


def contraction(references: int, depth: int) -> str:
    """An array a reference, which leaves out one loop variable in turn."""
    axes = _axes(depth)
    kept = [[x for x in axes if depth == 1 or x != axes[k % depth]] for k in range(references)]
    accesses = [f"u{k}[{','.join(index)}]" for k, index in enumerate(kept)]
    return _nest([f"u{k}" for k in range(references)], depth, "0 n", accesses, rank=max(1, depth - 1))


FAMILIES: dict[str, Family] = {
    "stars of five references, each of its own array": star,
    "shifted ever further, all of one array": around,
    "a contraction, each of its own array": contraction,
}


def _axes(depth: int) -> list[str]:
    return [f"i{k}" for k in range(depth)]


def _shifted(axes: list[str], axis: int, offset: str) -> str:
    return ",".join(x + offset if k == axis else x for k, x in enumerate(axes))


def _nest(arrays: list[str], depth: int, bounds: str, accesses: list[str], rank: int = 0) -> str:
    extents = ",".join(["n"] * (rank or depth))
    lines = [" ".join(f"{name}[{extents}]" for name in arrays)]
    lines += [f"{'  ' * k}for {axis} {bounds}" for k, axis in enumerate(_axes(depth))]
    return "\n".join([*lines, "  " * depth + " ".join(accesses) + "="])

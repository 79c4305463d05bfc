"""How right the cache model is, and how fast: ``python -m benchmarks.traffic``.

Written and random loop nests, each run access by access through a fully associative LRU cache, beside what
the model says of load + fill + writeback at the same capacity; then the CPU time of an analysis, by the
number of references and by the depth of the nest, and that of evaluating a report's traffic. Markdown
tables; exits with 1 if a figure that is said to be exact is not.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from statistics import median

from rich.progress import Progress

from benchmarks.runtime import progress_bar
from benchmarks.traffic_speed import speed
from roofscan.cost.memory.base import Movement
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.symbolic.expr import Expr
from tests.cost.memory.reuse_kernels import NESTS
from tests.cost.memory.test_reuse_random import random_nest, sizes_of
from tests.support.lru_simulator import Tracer, simulate, truth_range
from tests.support.nest_notation import nest

LINE = 64
CAPACITIES = (512, 2048, 8192, 32768)
SHARES = (0.0, 0.01, 0.05, 0.2)
ROUNDING = 1e-9
"""Relative errors below this count as none."""

KINDS = {
    "streams": ("stream", "two sweeps", "there and back", "strided", "reversed", "lag", "records", "ring"),
    "stencils": (
        "star 2-D", "star 2-D by columns", "star 3-D", "time loop", "Gauss-Seidel", "single precision",
        "convolution", "first column apart",
    ),
    "products": (
        "gemm ijk", "gemm ikj", "gemm jki", "gemm tiled", "matrix by vector", "matrix by vector, columns",
        "rank update", "all pairs",
    ),
    "transpositions": ("transpose", "transpose tiled", "Fortran order", "flat rows"),
    "triangular": ("triangular solve", "back substitution", "cholesky", "LU"),
}  # fmt: skip
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}


@dataclass(frozen=True)
class Case:
    kind: str
    name: str
    text: str
    sizes: dict[str, int]


@dataclass(frozen=True)
class Level:
    """One case at one capacity, in bytes."""

    case: Case
    capacity: int
    status: str
    moved: float
    truth: int
    right: bool  # in the truth's range at 0.8 to 1.25 x the capacity, widened by 5 %
    same: bool  # load, fill and writeback to the byte

    @property
    def error(self) -> float:
        """Relative to the truth."""
        difference = abs(self.moved - self.truth)
        return difference / self.truth if self.truth else difference and float("inf")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the random nests (default: 1)")
    parser.add_argument("--random", type=int, default=120, help="how many random nests (default: 120)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    options = parser.parse_args()
    cases = [*written_cases(), *random_cases(options.seed, options.random)]
    with progress_bar() as bar:
        levels = list(_compared(cases, options.jobs, bar))
        print(*accuracy(levels), "", sep="\n", flush=True)
        for line in speed(bar):
            print(line, flush=True)
    return int(any(level.status == "exact" and not level.same for level in levels))


# -- cases ------------------------------------------------------------------------------------------
def written_cases() -> Iterator[Case]:
    for name, (text, all_sizes) in NESTS.items():
        for sizes in all_sizes:
            yield Case(KIND_OF.get(name, "others"), name, text, sizes)


def random_cases(seed: int, count: int) -> Iterator[Case]:
    random = Random(seed)
    for number in range(count):
        text = random_nest(random)
        yield Case(_random_kind(text), f"random nest {number}", text, sizes_of(random))


def _random_kind(text: str) -> str:
    """By the number of nests, and whether a bound depends on an outer loop's variable."""
    headers = [line.split() for line in text.splitlines()[1:] if line.lstrip().startswith("for")]
    nests = sum(line.startswith("for") for line in text.splitlines())
    shape = "triangular" if any(word.startswith("v") for words in headers for word in words[2:]) else "boxes"
    return f"random, {'one nest' if nests == 1 else 'two nests'}, {shape}"


# -- accuracy ---------------------------------------------------------------------------------------
def _compared(cases: list[Case], jobs: int, bar: Progress) -> Iterator[Level]:
    task = bar.add_task("accuracy", total=len(cases))
    with ProcessPoolExecutor(jobs) as pool:
        for levels in pool.map(compare, cases, chunksize=2):
            bar.update(task, advance=1, description=levels[0].case.name)
            yield from levels


def compare(case: Case) -> list[Level]:
    kernel = nest(case.text)
    trace = Tracer(kernel, case.sizes, LINE).trace()
    model = analyze_reuse(kernel, case.sizes, LINE)
    levels = []
    for capacity in CAPACITIES:
        traffic = model.traffic(capacity)
        values = [part.evaluate(case.sizes) for part in _parts(traffic.total)]
        truth = simulate(trace, capacity, LINE)
        plain, allocating = truth_range(trace, capacity, LINE)
        without_fill = values[0] + values[2]
        right = plain[0] <= without_fill <= plain[1] and allocating[0] <= sum(values) <= allocating[1]
        same = values == [truth.sum_of(part) for part in ("load", "fill", "writeback")]
        levels.append(Level(case, capacity, traffic.status, float(sum(values)), truth.with_allocation, right, same))
    return levels


def _parts(movement: Movement) -> tuple[Expr, Expr, Expr]:
    return movement.load, movement.fill, movement.writeback


def accuracy(levels: list[Level]) -> Iterator[str]:
    """The lines of the report on errors, in Markdown. Levels without a figure are counted apart."""
    known = [level for level in levels if level.status != "unknown"]
    yield "| kind | levels | error 0 | to 1 % | to 5 % | to 20 % | beyond | median | worst | right |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for kind in sorted({level.case.kind for level in known}, key=lambda k: (k.startswith("random"), k)):
        yield _row(kind, [level for level in known if level.case.kind == kind])
    written = [level for level in known if not level.case.kind.startswith("random")]
    yield _row("all written", written)
    yield _row("all random", [level for level in known if level.case.kind.startswith("random")])
    yield ""
    statuses = Counter(level.status for level in levels)
    yield "Statuses: " + ", ".join(f"{name} {count}" for name, count in statuses.most_common())
    exact = [level for level in levels if level.status == "exact"]
    yield f"`exact` to the byte: {sum(level.same for level in exact)} of {len(exact)}"
    yield from _worst(known, 3)


def _row(kind: str, levels: list[Level]) -> str:
    if not levels:
        return f"| {kind} | 0 |" + " |" * 8
    errors = [level.error for level in levels]
    within = [sum(error <= share + ROUNDING for error in errors) / len(errors) for share in SHARES]
    right = sum(level.right for level in levels) / len(levels)
    shares = (*within, 1 - within[-1], median(errors), max(errors), right)
    return f"| {kind} | {len(levels)} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |"


def _worst(levels: list[Level], count: int) -> Iterator[str]:
    """The levels furthest off, each nest once, with its text."""
    seen: set[str] = set()
    for level in sorted(levels, key=lambda level: -level.error):
        if level.case.name not in seen and len(seen) < count:
            seen.add(level.case.name)
            sizes = ", ".join(f"{name}={value}" for name, value in level.case.sizes.items())
            figures = f"{level.moved:,.0f} bytes, in truth {level.truth:,}"
            yield f"\n{level.case.name} ({sizes}) at {level.capacity}: {figures} ({level.status})\n"
            yield from ("    " + line for line in level.case.text.splitlines())


if __name__ == "__main__":
    sys.exit(main())

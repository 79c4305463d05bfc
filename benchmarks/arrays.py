"""How long array code takes: functions of 50 to 1,000 whole-array statements, stage by stage.

    python -m benchmarks.arrays

Times are CPU time of this process, the least of three runs, without imports.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.facts import parse_facts
from roofscan.parse.reader.find import Candidate, candidates_named
from roofscan.parse.reader.module import Module, read_module

STATEMENTS = (
    "t{k} = t{j} * b + a",
    "t{k} = np.sqrt(np.abs(t{j}))",
    "t{k} = t{j} - np.sum(t{j}, axis=0)",
    "t{k} = np.where(t{j} > 0, t{j}, 0.0)",
    "u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1]); t{k} = t{j}",
)
SIZES = (50, 100, 250, 500, 1000)
FACTS = "a=f8[1000,1000] b=f8[1000,1000] u=f8[1000,1000]"


def source(count: int) -> str:
    """A function of about ``count`` statements: arithmetic, functions, reductions, selections, stencils."""
    lines = ["import numpy as np", "", "", "def kernel(a, b, u):", "    t0 = a + b"]
    lines += ["    " + STATEMENTS[k % len(STATEMENTS)].format(k=k, j=k - 1) for k in range(1, count)]
    return "\n".join([*lines, f"    return t{count - 1}", ""])


Made = TypeVar("Made")


def timed(work: Callable[[], Made]) -> tuple[float, Made]:
    """Milliseconds, and what the work made."""
    runs: list[tuple[float, Made]] = []
    for _ in range(3):
        start = time.process_time()
        made = work()
        runs.append((1000 * (time.process_time() - start), made))
    return min(runs, key=lambda run: run[0])


def main() -> None:
    facts = parse_facts(FACTS)
    print(f"{'statements':>10} {'parse':>8} {'lower':>8} {'cost':>8} {'of it reuse':>12} {'all, each':>10}   ms")
    for count in SIZES:
        text = source(count)
        parse, found = timed(partial(first_candidate, text))
        lowering, kernel = timed(partial(lower, *found, facts))
        cost, made = timed(partial(cost_kernel, kernel, facts))
        reuse, _ = timed(partial(analyze_reuse, made.kernel, made.sample_point, 64))
        each = (parse + lowering + cost) / count
        print(f"{count:10} {parse:8.0f} {lowering:8.0f} {cost:8.0f} {reuse:12.0f} {each:10.2f}", flush=True)


def first_candidate(text: str) -> tuple[Module, Candidate]:
    module = read_module(text, "kernel.py")
    return module, candidates_named(module, "kernel")[0]


if __name__ == "__main__":
    main()

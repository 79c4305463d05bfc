"""Runs each kernel as written and as advised, and prints the predicted speedup beside the measured one.

    python -m benchmarks.advice [--machine NAME|FILE]

Exits with 1 if an advised version is slower or computes something else, or if fewer than eight reach half of
their prediction.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.advice import advised, written
from roofscan.cli import main as roofscan

HERE = Path(__file__).parent
REPEATS = 5
REQUIRED_GOOD = 8

SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "product": {"A": (800, 800), "B": (800, 800), "C": (800, 800)},
    "product_with_scalar": {"A": (800, 800), "B": (800, 800), "C": (800, 800)},
    "product_by_columns": {"A": (800, 800), "B": (800, 800), "C": (800, 800)},
    "product_by_rows": {"A": (1000, 3000), "B": (3000, 1000), "C": (1000, 1000)},
    "gram": {"A": (800, 800), "C": (800, 800)},
    "batched": {"A": (8, 400, 400), "B": (8, 400, 400), "C": (8, 400, 400)},
    "column_sums": {"A": (4000, 4000), "s": (4000,)},
    "column_means": {"A": (4000, 4000), "s": (4000,)},
    "transposed_times_vector": {"A": (4000, 4000), "x": (4000,), "y": (4000,)},
    "jacobi_by_columns": {"u": (4000, 4000), "v": (4000, 4000)},
    "heat_from_behind": {"u": (250, 250, 250), "v": (250, 250, 250)},
    "weighted": {"A": (4000, 4000), "B": (4000, 4000), "w": (4000,)},
    "running_sums": {"A": (4000, 4000)},
}
"""The arrays of each kernel, in the order of its parameters; a scalar behind them is 0.1."""


@dataclass(frozen=True)
class Row:
    name: str
    change: str
    predicted: float
    seconds: tuple[float, float]
    equal: bool

    @property
    def ratio(self) -> float:
        return self.seconds[0] / self.seconds[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--machine", default="generic-x86-64")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    rows = []
    print("| kernel | advice | predicted | measured | measured / predicted |\n|---|---|--:|--:|--:|")
    for name in options.names or SHAPES:
        row = measured(name, options.machine)
        rows.append(row)
        wrong = "" if row.equal else " WRONG RESULT"
        share = row.ratio / row.predicted
        print(f"| {name} | {row.change} | {row.predicted:.1f} | {row.ratio:.1f} | {share:.0%} |{wrong}", flush=True)
    good = sum(row.ratio >= row.predicted / 2 for row in rows)
    slower = [row.name for row in rows if row.ratio < 1 or not row.equal]
    print(f"\n{good} of {len(rows)} reach half of the prediction; slower or wrong: {', '.join(slower) or 'none'}")
    return 1 if slower or good < min(REQUIRED_GOOD, len(rows)) else 0


def measured(name: str, machine: str) -> Row:
    """Both versions of a kernel on the same numbers."""
    advice = [a for a in advice_for(name, machine) if a["speedup_bound"]]
    one, other = getattr(written, name), getattr(advised, name)
    results = [run_once(one, name), run_once(other, name)]
    equal = all(np.allclose(a, b) for a, b in zip(*results, strict=True))
    seconds = best(one, name), best(other, name)
    words = ", then ".join(a["change"] for a in advice)
    return Row(name, words, advice[-1]["speedup_bound"] if advice else 1.0, seconds, equal)


def advice_for(name: str, machine: str) -> list[dict[str, Any]]:
    """What ``roofscan report`` says of the kernel at these sizes."""
    bind = " ".join(f"{array}=f8{list(shape)}".replace(" ", "") for array, shape in SHAPES[name].items())
    out = io.StringIO()
    with redirect_stdout(out):
        roofscan(["report", f"{HERE / 'written.py'}::{name}", "--bind", bind, "--machine", machine, "--format", "json"])
    advice: list[dict[str, Any]] = json.loads(out.getvalue())["kernels"][0]["advice"]
    return advice


def arguments(name: str) -> list[Any]:
    numbers = np.random.default_rng(1)
    arrays: list[Any] = [numbers.random(shape) for shape in SHAPES[name].values()]
    return arrays + ([0.1] if name == "heat_from_behind" else [])


def run_once(function: Callable[..., None], name: str) -> list[Any]:
    made = arguments(name)
    function(*made)
    return made


def best(function: Callable[..., None], name: str) -> float:
    """The shortest of several runs: what disturbs only makes longer."""
    made = arguments(name)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function(*made)
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())

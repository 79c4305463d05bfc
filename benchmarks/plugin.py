"""What the flake8 plugin and a verdict cost: ``python -m benchmarks.plugin``.

Prints each figure beside its limit, and exits with 1 if one is over it. CPU time is that of the child
processes (user + system), medians over interleaved runs, so that a busy machine changes the figures little.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import sources
from benchmarks.environments import (
    FLAKE8,
    ROOT,
    Program,
    cost_of,
    interleaved,
    make_environment,
    median_seconds,
    variables,
)
from benchmarks.fixture_kernels import FIXTURES, kernel_texts

MEGABYTE = 1e6
COLD = ("--roofscan-no-cache",)
KERNEL_TIMES = Path(__file__).with_name("kernel_times.py")


@dataclass(frozen=True)
class Figure:
    label: str
    value: float
    limit: float
    unit: str

    def __str__(self) -> str:
        mark = "ok" if self.value <= self.limit else "OVER"
        return f"{mark:5}{self.value:8.3f} {self.unit:3} (limit {self.limit:g})  {self.label}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="runs of each program (default: 15)")
    rounds = parser.parse_args().rounds
    figures = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        bare, full = make_environment(folder / "bare"), make_environment(folder / "full", ROOT)
        for figure in chain(plugin_figures(rounds, folder, bare, full), kernel_figures(full)):
            print(figure, flush=True)
            figures.append(figure)
    return int(any(figure.value > figure.limit for figure in figures))


def plugin_figures(rounds: int, folder: Path, bare: Path, full: Path) -> Iterator[Figure]:
    sources.write(folder)
    plain, plain_with = (Program(environment, (*FLAKE8, "plain.py")) for environment in (bare, full))
    kernels, cached = (Program(environment, (*FLAKE8, "kernels.py")) for environment in (bare, full))
    cold = Program(full, (*FLAKE8, *COLD, "kernels.py"))
    costs = interleaved(rounds, folder, [plain, plain_with, kernels, cold, cached])
    cpu = median_seconds(costs)
    label = f"(a) 500 lines without kernels: flake8 with the plugin / without it ({cpu[plain]:.3f} s)"
    yield Figure(label, cpu[plain_with] / cpu[plain], 1.05, "")
    label = f"(b) 500 lines with ten loop kernels: CPU over flake8 alone ({cpu[kernels]:.3f} s)"
    yield Figure(label, cpu[cold] - cpu[kernels], 0.9, "s")
    label = "(b) the same from the cache: flake8 with the plugin / without it"
    yield Figure(label, cpu[cached] / cpu[kernels], 1.25, "")
    peak = max(cost.memory for cost in costs[cold])
    yield Figure("(d) peak memory of flake8 with the plugin there", peak / MEGABYTE, 200, "MB")
    report = cost_of(Program(full, ("-m", "roofscan", "report", str(FIXTURES))), folder)
    yield Figure("(d) peak memory of the report of all fixtures", report.memory / MEGABYTE, 200, "MB")


def kernel_figures(environment: Path) -> Iterator[Figure]:
    seconds = kernel_seconds(environment, kernel_texts())
    slowest = max(seconds, key=lambda name: seconds[name])
    middle = median(seconds.values())
    yield Figure(f"(c) source to verdict, median of {len(seconds)} fixture kernels", 1000 * middle, 30, "ms")
    yield Figure(f"(c) source to verdict, the slowest ({slowest})", 1000 * seconds[slowest], 300, "ms")


def kernel_seconds(environment: Path, texts: dict[str, str]) -> dict[str, float]:
    """CPU seconds of each text from source to verdict, in one fresh process of an environment."""
    done = subprocess.run(
        [sys.executable, "-S", str(KERNEL_TIMES)],
        input=json.dumps(texts),
        env=variables(environment),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    seconds: dict[str, float] = json.loads(done.stdout)
    return seconds


if __name__ == "__main__":
    sys.exit(main())

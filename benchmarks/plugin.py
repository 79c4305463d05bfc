"""What the flake8 plugin and a verdict cost: ``python benchmarks/plugin.py``.

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

import sources
from environments import Cost, cost_of, make_environments

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures"
MEGABYTE = 1e6
FLAKE8 = ("-m", "flake8", "--isolated", "--exit-zero", "--jobs=1")

COLD = ("--roofscan-no-cache",)

Case = tuple[Path, str, tuple[str, ...]]  # environment, file, options


@dataclass(frozen=True)
class Figure:
    says: str
    value: float
    limit: float
    unit: str

    def __str__(self) -> str:
        mark = "ok" if self.value <= self.limit else "OVER"
        return f"{mark:5}{self.value:8.3f} {self.unit:3} (limit {self.limit:g})  {self.says}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="runs of each program (default: 15)")
    rounds = parser.parse_args().rounds
    figures = []
    for figure in chain(plugin_figures(rounds), verdict_figures()):
        print(figure, flush=True)
        figures.append(figure)
    return int(any(figure.value > figure.limit for figure in figures))


def plugin_figures(rounds: int) -> Iterator[Figure]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plain.py").write_text(sources.without_kernels(), encoding="utf-8")
        (folder / "kernels.py").write_text(sources.with_ten_kernels(), encoding="utf-8")
        bare, full = make_environments(folder)
        plain, plain_with = (bare, "plain.py", ()), (full, "plain.py", ())
        kernels, cold, known = (bare, "kernels.py", ()), (full, "kernels.py", COLD), (full, "kernels.py", ())
        costs = interleaved(rounds, folder, [plain, plain_with, kernels, cold, known])
        report = cost_of(full, "-m", "roofscan", "report", str(FIXTURES), folder=folder)
    cpu = {case: median(cost.seconds for cost in runs) for case, runs in costs.items()}
    alone, with_plugin = cpu[plain], cpu[plain_with]
    says = f"(a) 500 lines without kernels: flake8 with the plugin / without it ({alone:.3f} s)"
    yield Figure(says, with_plugin / alone, 1.05, "")
    alone = cpu[kernels]
    says = f"(b) 500 lines with ten loop kernels: CPU over flake8 alone ({alone:.3f} s)"
    yield Figure(says, cpu[cold] - alone, 0.9, "s")
    says = "(b) the same, known to the cache: flake8 with the plugin / without it"
    yield Figure(says, cpu[known] / alone, 1.25, "")
    most = max(cost.memory for cost in costs[cold])
    yield Figure("(d) peak memory of flake8 with the plugin there", most / MEGABYTE, 200, "MB")
    yield Figure("(d) peak memory of the report of all fixtures", report.memory / MEGABYTE, 200, "MB")


def interleaved(rounds: int, folder: Path, cases: list[Case]) -> dict[Case, list[Cost]]:
    """All cases in turn, round after round; a first round, which fills caches, does not count."""
    costs: dict[Case, list[Cost]] = {case: [] for case in cases}
    for _ in range(rounds + 1):
        for case in cases:
            environment, file, options = case
            costs[case].append(cost_of(environment, *FLAKE8, *options, file, folder=folder))
    return {case: runs[1:] for case, runs in costs.items()}


def verdict_figures() -> Iterator[Figure]:
    command = [sys.executable, str(HERE / "verdicts.py"), str(FIXTURES)]
    rows = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    name, worst = max(rows, key=lambda row: row[1])
    middle = median(seconds for _, seconds in rows)
    yield Figure(f"(c) source to verdict, median of {len(rows)} fixture kernels", 1000 * middle, 30, "ms")
    yield Figure(f"(c) source to verdict, the slowest ({name})", 1000 * worst, 300, "ms")


if __name__ == "__main__":
    sys.exit(main())

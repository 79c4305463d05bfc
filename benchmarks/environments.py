"""Environments that differ by roofscan alone, and the cost of a program in one of them.

Each is a folder of links to what is installed beside the running Python: the same flake8, the same other
plugins, without roofscan or with one tree of it. Python runs with ``-S``, so that it sees the folder alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FLAKE8 = ("-m", "flake8", "--isolated", "--exit-zero", "--jobs=1")


@dataclass(frozen=True)
class Cost:
    """What a finished child process used: user + system seconds, and its peak memory in bytes."""

    seconds: float
    memory: int


class Program(NamedTuple):
    """Python with these arguments in one environment; it ends with one of these codes."""

    environment: Path
    arguments: tuple[str, ...]
    codes: tuple[int, ...] = (0,)


def make_environment(folder: Path, tree: Path | None = None) -> Path:
    """Makes ``folder`` a PYTHONPATH with everything that is installed, and roofscan as ``tree`` has it, or none."""
    folder.mkdir()
    for place in filter(Path.is_dir, map(Path, sys.path)):
        if place.name == "site-packages":
            _link_all(place, folder)
    if tree is not None:
        (folder / "roofscan").symlink_to(tree.resolve() / "roofscan")
        installed = distribution("roofscan")
        metadata = folder / f"roofscan-{installed.version}.dist-info"
        metadata.mkdir()
        for name in ("METADATA", "entry_points.txt"):
            (metadata / name).write_text(installed.read_text(name) or "", encoding="utf-8")
    return folder


def cost_of(program: Program, folder: Path) -> Cost:
    """Runs the program in ``folder``. RuntimeError if it ends with another code."""
    child = subprocess.Popen(
        [sys.executable, "-S", *program.arguments],
        cwd=folder,
        env=variables(program.environment),
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in program.codes:
        raise RuntimeError(f"{' '.join(program.arguments)} ended with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * unit)


def interleaved(rounds: int, folder: Path, programs: list[Program]) -> dict[Program, list[Cost]]:
    """All programs in turn, round after round; a first round, which fills caches, does not count."""
    costs: dict[Program, list[Cost]] = {program: [] for program in programs}
    for _ in range(rounds + 1):
        for program in programs:
            costs[program].append(cost_of(program, folder))
    return {program: runs[1:] for program, runs in costs.items()}


def median_seconds(costs: dict[Program, list[Cost]]) -> dict[Program, float]:
    return {program: median(cost.seconds for cost in runs) for program, runs in costs.items()}


def variables(environment: Path) -> dict[str, str]:
    """This process's variables, but those for Python: compiled modules are kept beside the environment."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    compiled = environment.parent / f"compiled-{environment.name}"
    return {**others, "PYTHONPATH": str(environment), "PYTHONPYCACHEPREFIX": str(compiled)}


def _link_all(source: Path, environment: Path) -> None:
    for entry in source.iterdir():
        target = environment / entry.name
        if "roofscan" not in entry.name and entry.suffix != ".pth" and not target.exists():
            target.symlink_to(entry)

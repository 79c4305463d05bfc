"""Two environments that differ by roofscan alone, and the cost of a program in one of them.

Both are folders of links to what is installed beside the running Python: the same flake8, the same other
plugins, once without roofscan and once with it. Python runs with ``-S``, so that it sees the folder alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import roofscan


@dataclass(frozen=True)
class Cost:
    """What a finished child process used: user + system seconds, and its peak memory in bytes."""

    seconds: float
    memory: int


def make_environments(folder: Path) -> tuple[Path, Path]:
    """Folders for PYTHONPATH: without roofscan, and with it."""
    bare, full = folder / "bare", folder / "full"
    for environment in (bare, full):
        environment.mkdir()
        for place in filter(Path.is_dir, map(Path, sys.path)):
            if place.name == "site-packages":
                _link_all(place, environment)
    (full / "roofscan").symlink_to(Path(roofscan.__file__).parent)
    installed = distribution("roofscan")
    metadata = full / f"roofscan-{installed.version}.dist-info"
    metadata.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        (metadata / name).write_text(installed.read_text(name) or "", encoding="utf-8")
    return bare, full


def cost_of(environment: Path, *arguments: str, folder: Path, codes: tuple[int, ...] = (0,)) -> Cost:
    """Runs Python with the arguments in ``folder``; RuntimeError if it ends with another code than these."""
    child = subprocess.Popen(
        [sys.executable, "-S", *arguments],
        cwd=folder,
        env=_variables(environment),
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        raise RuntimeError(f"{' '.join(arguments)} ended with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * unit)


def _variables(environment: Path) -> dict[str, str]:
    """This process's variables, but those for Python: compiled modules are kept beside the environment."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**others, "PYTHONPATH": str(environment), "PYTHONPYCACHEPREFIX": str(environment.parent / "compiled")}


def _link_all(source: Path, environment: Path) -> None:
    for entry in source.iterdir():
        target = environment / entry.name
        if "roofscan" not in entry.name and entry.suffix != ".pth" and not target.exists():
            target.symlink_to(entry)

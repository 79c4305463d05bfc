"""What it costs to scan many packages: ``python -m benchmarks.cluster``.

``roofscan check`` reads the packages of ``corpus.txt`` without its cache: by one process, by two, and by two workers of
a Dask cluster on this computer. Prints clock and CPU time of each, as ratios to one process, and, from the rate of one
process, what all files of a package index would take. Clock times need an idle computer. Needs ``roofscan[dask]``.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil
from distributed import Client

from benchmarks import wheels
from benchmarks.corpus import FOLDER
from benchmarks.survey import package_files
from roofscan.parse.reader.source import SourceError, may_hold_kernels, read_source

WORKERS = 2
CHECK = (sys.executable, "-m", "roofscan", "check", "--no-cache")
WAIT = 60.0  # seconds for a cluster to start
INDEX_PROJECTS = 886_000
"""Names that PyPI's index listed in 2026; --projects gives another number."""
PROJECT_FILES = 30
"""Files of a project's newest wheel: an assumption. --files-per-project gives another number."""
KERNEL_SHARE = 0.01
"""Share of all files whose text names a compiler of kernels: an assumption. --kernel-share gives another number."""


@dataclass(frozen=True)
class Scan:
    """Seconds by the clock, CPU seconds of all processes, and what was printed."""

    clock: float
    cpu: float
    printed: bytes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="name==version, or folders (default: those of corpus.txt)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where wheels are kept (default: {FOLDER})")
    parser.add_argument("--rounds", type=int, default=1, help="scans of each kind, of which the median counts")
    parser.add_argument("--projects", type=int, default=INDEX_PROJECTS, help="projects of the index")
    parser.add_argument("--files-per-project", type=float, default=PROJECT_FILES, help="Python files of each")
    parser.add_argument("--kernel-share", type=float, default=KERNEL_SHARE, help="share of them that may hold kernels")
    options = parser.parse_args()
    folders = [
        folder for package in options.packages or wheels.listed() if (folder := _folder(package, options.folder))
    ]
    with_kernels, others = _parted([path for folder in folders for path in package_files(folder)])
    print(f"{len(folders)} packages, {len(with_kernels) + len(others):,} files; {len(with_kernels):,} may hold kernels")
    alone, same = _compare([str(folder) for folder in folders], options.rounds)
    _extrapolate(alone, len(with_kernels), others, options)
    return 0 if same else 1


def _folder(package: str, kept: Path) -> Path | None:
    return Path(package) if Path(package).is_dir() else wheels.fetch(package, kept)


def _parted(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files that ``check`` analyzes, and those that it leaves after a look at the text."""
    with_kernels = {path for path in paths if _may_hold_kernels(path)}
    return sorted(with_kernels), sorted(set(paths) - with_kernels)


def _may_hold_kernels(path: str) -> bool:
    try:
        return may_hold_kernels(read_source(path))
    except SourceError:
        return False


def _compare(paths: Sequence[str], rounds: int) -> tuple[float, bool]:
    """Prints a row a kind of executor; the CPU seconds of one process, and whether all printed the same."""
    with _cluster() as (address, nodes):
        kinds = {
            "one process": ("--jobs", "1"),
            f"{WORKERS} processes": ("--jobs", str(WORKERS)),
            f"{WORKERS} Dask workers": ("--executor", f"dask:{address}"),
        }
        scans: dict[str, list[Scan]] = {kind: [] for kind in kinds}
        for _ in range(rounds):
            for kind, words in kinds.items():
                scans[kind].append(_scan((*words, *paths), nodes))
    clock = {kind: median(scan.clock for scan in found) for kind, found in scans.items()}
    cpu = {kind: median(scan.cpu for scan in found) for kind, found in scans.items()}
    print(f"\n{'':16}{'clock':>9}{'ratio':>7}{'CPU':>9}{'ratio':>7}")
    one = next(iter(kinds))
    for kind in kinds:
        ratios = clock[kind] / clock[one], cpu[kind] / cpu[one]
        print(f"{kind:16}{clock[kind]:7.1f} s{ratios[0]:7.2f}{cpu[kind]:7.1f} s{ratios[1]:7.2f}")
    same = len({scan.printed for found in scans.values() for scan in found}) == 1
    print("All printed the same findings." if same else "They did not print the same findings.")
    return cpu[one], same


def _extrapolate(alone: float, with_kernels: int, others: Sequence[str], options: argparse.Namespace) -> None:
    """``alone``: CPU seconds of one process for all files, of which it is measured again what the others take."""
    left = _scan(("--jobs", "1", *others), []).cpu if others else 0.0
    rates = (alone - left) / max(1, with_kernels), left / max(1, len(others))
    files = options.projects * options.files_per_project
    parts = files * options.kernel_share, files * (1 - options.kernel_share)
    hours = [rate * part / 3600 for rate, part in zip(rates, parts, strict=True)]
    print(
        f"\nCPU of one process: {1000 * rates[0]:.1f} ms a file that may hold kernels, {1000 * rates[1]:.2f} ms another"
    )
    print(
        f"An index of {options.projects:,} projects with {options.files_per_project:g} files each, of which "
        f"{100 * options.kernel_share:g} % may hold kernels (assumed): {files / 1e6:.1f} million files, "
        f"{sum(hours):.0f} CPU hours ({hours[0]:.0f} for {parts[0] / 1e6:.2f} million, {hours[1]:.0f} for the rest)"
    )


def _scan(words: Sequence[str], nodes: Sequence[psutil.Process]) -> Scan:
    """One run of ``check``; ``nodes`` work for it."""
    before, started = _cpu(nodes), time.monotonic()
    child = subprocess.Popen([*CHECK, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdout is not None
    printed = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):  # 1: there are findings, or files that cannot be read
        raise RuntimeError(f"roofscan check ended with {child.returncode}")
    return Scan(time.monotonic() - started, used.ru_utime + used.ru_stime + _cpu(nodes) - before, printed)


def _cpu(nodes: Sequence[psutil.Process]) -> float:
    return sum(float(times.user + times.system) for times in (node.cpu_times() for node in nodes))


@contextmanager
def _cluster() -> Iterator[tuple[str, list[psutil.Process]]]:
    """The address of a scheduler with workers, and the processes of all."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    quiet = subprocess.DEVNULL
    commands = [scheduler, *[worker] * WORKERS]
    nodes = [subprocess.Popen([sys.executable, "-m", *words], stdout=quiet, stderr=quiet) for words in commands]
    try:
        with Client(address, timeout=WAIT, set_as_default=False) as client:
            client.wait_for_workers(WORKERS, timeout=WAIT)
        yield address, [psutil.Process(node.pid) for node in nodes]
    finally:
        for node in nodes:
            with suppress(ProcessLookupError):
                node.kill()
            node.wait()


if __name__ == "__main__":
    sys.exit(main())

"""What roofscan costs on real files, with_plugin flake8 on the same files: ``python -m benchmarks.speed FOLDER …``.

Takes every k-th Python file of the folders (such as those that ``corpus.py`` unpacks), so that about ``--files`` are
left, and prints ratios of CPU time (user + system) of whole processes, one at a time, medians over interleaved rounds.
Exits with 1 if a figure is over its limit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shutil import copyfile
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.environments import FLAKE8, ROOT, Program, cost_of, make_environment
from benchmarks.plugin import Figure
from roofscan.parse.reader.source import SourceError, may_hold_kernels, read_source

CHECK = ("-m", "roofscan", "check", "--jobs=1")


@dataclass(frozen=True)
class Sample:
    """Files in a folder of their own: those that may hold kernels, and the others."""

    folder: Path
    kernels: tuple[str, ...]
    others: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=400, help="about how many files to take (default: 400; 0: all)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each program (default: 5)")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        sample = taken(options.folders, options.files, Path(name))
        print(f"{len(sample.kernels)} files that may hold kernels, {len(sample.others)} others", flush=True)
        over = False
        for figure in figures(sample, options.rounds, Path(name)):
            print(figure, flush=True)
            over |= figure.value > figure.limit
    return int(over)


def taken(folders: list[Path], most: int, target: Path) -> Sample:
    """Copies of a part of the files under short names, so that no config with_plugin them counts."""
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    kernels: list[str] = []
    others: list[str] = []
    for number, path in enumerate(files[:: max(1, len(files) // most) if most else 1]):
        try:
            names = kernels if may_hold_kernels(read_source(str(path))) else others
        except SourceError:
            continue
        names.append(f"f{number}.py")
        copyfile(path, target / names[-1])
    return Sample(target, tuple(kernels), tuple(others))


def figures(sample: Sample, rounds: int, place: Path) -> Iterator[Figure]:
    bare, full = make_environment(place / "bare"), make_environment(place / "full", ROOT)
    fresh = count()

    def flake8(environment: Path, files: tuple[str, ...], *options: str) -> float:
        return cost_of(Program(environment, (*FLAKE8, *options, *files)), sample.folder).seconds

    def check() -> float:
        """Cold: with a cache that is filled, and was empty."""
        words = (*CHECK, "--cache-dir", f"cold{next(fresh)}", *sample.kernels, *sample.others)
        return cost_of(Program(full, words, (0, 1)), sample.folder).seconds

    flake8(full, sample.kernels)  # fills the plugin's cache
    alone, with_plugin, kernels_alone, cached, names, cold = zip(
        *(
            (
                flake8(bare, sample.others), flake8(full, sample.others),
                flake8(bare, sample.kernels), flake8(full, sample.kernels),
                flake8(bare, sample.kernels + sample.others, "--select=F"), check(),
            )
            for _ in range(rounds)
        )
    )  # fmt: skip
    label = f"files without kernels: flake8 with roofscan / without ({median(alone):.2f} s)"
    yield Figure(label, median(with_plugin) / median(alone), 1.03, "")
    label = f"files with kernels, from the cache: flake8 with roofscan / without ({median(kernels_alone):.2f} s)"
    yield Figure(label, median(cached) / median(kernels_alone), 1.25, "")
    label = f"all files: roofscan check, cold ({median(cold):.2f} s) / flake8 --select=F ({median(names):.2f} s)"
    yield Figure(label, median(cold) / median(names), 1.0, "")


if __name__ == "__main__":
    sys.exit(main())

"""Two trees of roofscan side by side: ``python -m benchmarks.compare OTHER_TREE``.

Prints ratios of CPU time, this tree over the other one (below 1: this tree is faster). Both are measured in turn in one
run, so that other work on the machine changes the ratios little. OTHER_TREE is the root of another checkout; only
its folder ``roofscan`` is used, on the fixtures and generated files of this tree.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import sources
from benchmarks.environments import FLAKE8, ROOT, Program, interleaved, make_environment, median_seconds
from benchmarks.fixture_kernels import kernel_texts
from benchmarks.plugin import COLD, kernel_seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the root of another checkout")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each program (default: 7)")
    parser.add_argument("--kernel-rounds", type=int, default=3, help="analyses of each kernel (default: 3)")
    options = parser.parse_args()
    if not (options.other / "roofscan" / "__init__.py").is_file():
        parser.error(f"{options.other} holds no package roofscan")
    with TemporaryDirectory() as name:
        folder = Path(name)
        bare = make_environment(folder / "bare")
        this, other = make_environment(folder / "this", ROOT), make_environment(folder / "other", options.other)
        for line in kernel_ratios(this, other, options.kernel_rounds):
            print(line, flush=True)
        for line in program_ratios(folder, bare, this, other, options.rounds):
            print(line, flush=True)
    return 0


def kernel_ratios(this: Path, other: Path, rounds: int) -> Iterator[str]:
    """Each fixture kernel from source to verdict, the least of several analyses in fresh processes."""
    texts = kernel_texts()
    runs = [(kernel_seconds(this, texts), kernel_seconds(other, texts)) for _ in range(rounds)]
    names = [name for name in texts if all(name in seconds for pair in runs for seconds in pair)]
    mine, theirs = ({name: min(pair[k][name] for pair in runs) for name in names} for k in (0, 1))
    yield _row("one kernel, median of the fixtures", median(mine.values()), median(theirs.values()))
    yield _row(f"all {len(names)} kernels", sum(mine.values()), sum(theirs.values()))
    ratios = {name: mine[name] / theirs[name] for name in names if theirs[name]}
    yield f"{median(ratios.values()):8.3f}  median of the ratios of single kernels"
    for name in sorted(names, key=lambda name: mine[name] - theirs[name])[-3:]:
        yield _row(f"  of those that lose most: {name}", mine[name], theirs[name])


def program_ratios(folder: Path, bare: Path, this: Path, other: Path, rounds: int) -> Iterator[str]:
    """Whole processes, imports included."""
    sources.write(folder)
    alone = Program(bare, (*FLAKE8, "kernels.py"))
    plain = [Program(tree, (*FLAKE8, "plain.py")) for tree in (this, other)]
    cold = [Program(tree, (*FLAKE8, *COLD, "kernels.py")) for tree in (this, other)]
    warm = [Program(tree, _check(tree), (0, 1)) for tree in (this, other)]
    cpu = median_seconds(interleaved(rounds, folder, [alone, *plain, *cold, *warm]))
    yield _row("flake8 on 500 lines without kernels", *(cpu[program] for program in plain))
    yield _row("flake8 on ten kernels, cold, over flake8 alone", *(cpu[program] - cpu[alone] for program in cold))
    yield _row("roofscan check of ten kernels from the cache", *(cpu[program] for program in warm))


def _check(tree: Path) -> tuple[str, ...]:
    return ("-m", "roofscan", "check", "--jobs=1", "--cache-dir", f"cache-{tree.name}", "kernels.py")


def _row(label: str, mine: float, theirs: float) -> str:
    return f"{mine / theirs:8.3f}  {label} ({1000 * mine:.1f} ms / {1000 * theirs:.1f} ms)"


if __name__ == "__main__":
    sys.exit(main())

"""roofscan against runs of functions that people have written: ``python -m fuzz.differential --functions 500``.

Takes functions out of the packages of ``benchmarks/corpus.txt`` (or of folders), each with what it needs of its module
(``extraction.py``), finds arguments (``arguments.py``), runs it under the oracle of the tests, and compares what
roofscan says with the run: every `exact` and every bound, bound to the arguments and with nothing bound. Nothing of a
package is installed or imported. Exits with 1 if an `exact` is wrong.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import random
import resource
import signal
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from numpy.exceptions import ComplexWarning

from benchmarks import wheels
from benchmarks.corpus import FOLDER
from benchmarks.runtime import progress_bar
from benchmarks.survey import package_files
from fuzz.arguments import guesses
from fuzz.extraction import Extracted, extracted
from tests.oracle import Trace, run
from tests.oracle.analysis import counted
from tests.oracle.compare import Disagreement, disagreements
from tests.oracle.rewrite import carried
from tests.oracle.words import Words

TRIES = 40  # of one function's arguments
RUNS = 3  # of one function, each with other arguments
ACCESSES = 60_000  # of one run
SECONDS = 8  # of one function
MEMORY = 3 << 30
BATCH = 40


@dataclass(frozen=True)
class Row:
    """The outcome of one function. ``outcome``: "compared", or why it was not."""

    place: str
    outcome: str
    status: str = ""
    wrong: tuple[tuple[str, str], ...] = ()  # the claims that the run contradicts, and the arguments


class TimedOut(BaseException):
    """A function takes too long. Not an Exception, so that no stage swallows it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", help="name==version, or folders (default: those of corpus.txt)")
    parser.add_argument("--functions", type=int, default=500, help="stop when so many were compared")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where wheels are kept (default: {FOLDER})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--only", help="PATH:FUNCTION: print the text of one function, and every disagreement")
    options = parser.parse_args()
    if options.only:
        return _show(options.only, options.seed)
    folders = (Path(p) if Path(p).is_dir() else wheels.fetch(p, options.folder) for p in _packages(options))
    functions = [f for folder in folders if folder for path in package_files(folder) for f in extracted(Path(path))]
    random.Random(options.seed).shuffle(functions)
    rows = list(_run(functions, options.functions, options.seed, options.jobs))
    for line in table(rows):
        print(line)
    return int(any(subject.startswith("exact") for row in rows for subject, _ in row.wrong))


def _packages(options: argparse.Namespace) -> list[str]:
    return options.packages or wheels.listed()


def table(rows: list[Row]) -> Iterator[str]:
    outcomes = Counter(row.outcome for row in rows)
    compared = [row for row in rows if row.outcome == "compared"]
    statuses = Counter(row.status for row in compared)
    yield f"{len(rows)} functions, {len(compared)} compared: {', '.join(f'{n} {s}' for s, n in statuses.most_common())}"
    yield "not compared: " + ", ".join(f"{n} {what}" for what, n in outcomes.most_common() if what != "compared")
    for claim in ("exact", "bound"):
        wrong = [row for row in compared if any(subject.startswith(claim) for subject, _ in row.wrong)]
        yield f"functions with a wrong {claim}: {len(wrong)}"
        for row in sorted(wrong, key=lambda row: row.place):
            yield f"  {row.place}"
            yield from (f"    {text}" for subject, text in row.wrong if subject.startswith(claim))


def compare(function: Extracted, seed: int) -> Row:
    """One function: up to RUNS runs, and every claim that one contradicts. Never an exception."""
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    wrong: dict[str, str] = {}
    status = ""
    try:
        for words, trace in _runs(function, seed):
            status = counted(function.source, function.name, words.bind).cost.status
            for each in disagreements(function.source, function.name, words, trace):
                if each.claim and not (each.subject.endswith("flops") and _types_untold(function.source, trace)):
                    wrong.setdefault(_claim(each), f"{each.kind}: {each.text} ({words.bind})")
    except TimedOut:
        if not status:
            return Row(function.place, "take too long")
    except Exception as error:
        return Row(function.place, f"fail in roofscan or in the comparison ({type(error).__name__})")
    finally:
        signal.alarm(0)
    if not status:
        return Row(function.place, "without arguments that run")
    if status == "unsupported":
        return Row(function.place, "unsupported")
    return Row(function.place, "compared", status, tuple(wrong.items()))


def _runs(function: Extracted, seed: int) -> Iterator[tuple[Words, Trace]]:
    node = next(n for n in ast.parse(function.source).body if getattr(n, "name", "") == function.name)
    assert isinstance(node, ast.FunctionDef)
    free, done, seen = counted(function.source, function.name, ""), 0, set[str]()
    for words in guesses(node, free, seed, TRIES):
        if words.bind in seen:
            continue
        seen.add(words.bind)
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("error", ComplexWarning)  # Numba has no cast from complex to real
                trace = run(function.source, function.name, words.arguments, limit=ACCESSES)
        except Exception:
            continue
        yield words, trace
        done += 1
        if done == RUNS:
            return


def _types_untold(source: str, trace: Trace) -> bool:
    """Whether a compiled function has a loop without turns, or an arm not taken, that may widen the types of names."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    nodes = [node for function in functions for node in ast.walk(function)]
    loops = (n for n in nodes if isinstance(n, (ast.For, ast.While)))
    choices = (n.lineno for n in nodes if isinstance(n, ast.IfExp))
    one_sided = any(trace.taken[line] in (0, trace.tested[line]) for line in choices)
    return one_sided or any(carried(loop) and not trace.iterations[loop.lineno] for loop in loops)


def _claim(wrong: Disagreement) -> str:
    return f"{'exact' if '[exact]' in wrong.text or 'accesses' in wrong.text else 'bound'} {wrong.subject}"


def _run(functions: list[Extracted], wanted: int, seed: int, jobs: int) -> Iterator[Row]:
    """The outcomes, until so many functions were compared."""
    compared = wrong = 0
    with progress_bar() as bar, ProcessPoolExecutor(jobs, initializer=_limit_memory) as pool:
        task = bar.add_task("", total=min(wanted, len(functions)))
        for start in range(0, len(functions), BATCH):
            futures = [pool.submit(compare, function, seed) for function in functions[start : start + BATCH]]
            for future in as_completed(futures):
                row = future.result()
                compared += row.outcome == "compared"
                wrong += bool(row.wrong)
                bar.update(task, completed=compared, description=f"{wrong} with a wrong claim")
                yield row
            if compared >= wanted:
                return


def _show(only: str, seed: int) -> int:
    path, _, name = only.rpartition(":")
    function = next(f for f in extracted(Path(path)) if f.name == name)
    print(function.source)
    for words, trace in _runs(function, seed):
        print(words.bind, "FLOPs of the run:", trace.flops)
        for each in disagreements(function.source, function.name, words, trace):
            print("  ", each.kind, each.text)
    return 0


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _stop(signum: int, frame: FrameType | None) -> None:
    raise TimedOut


if __name__ == "__main__":
    raise SystemExit(main())

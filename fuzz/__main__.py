"""roofscan on garbage: ``python benchmarks/fuzz.py --inputs 20000 --seed 1``.

Random kernels, real files broken in many ways (those of ``fixtures/``, and of other folders with ``--corpus``),
monsters and senseless options (``garbage.py``). Nothing may leave the analysis, a report, the command or the plugin as
an exception, nothing may call itself a failure (RFL999), take long, or take much memory. ``--only NUMBER`` prints and
repeats one input.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fuzz.inputs import FIXTURES, Input, Sources, made
from fuzz.workers import attack

MOST_SECONDS = 10.0  # CPU, for one input
MOST_MEMORY = 500.0  # MB more than before, for one input
SECONDS = 0.3  # CPU, that a kernel may take: many inputs are worth more than long ones
HANGS_AFTER = 120  # seconds by the clock
BATCH = 50


@dataclass(frozen=True)
class Row:
    """What one input did."""

    number: int
    kind: str
    problem: str
    seconds: float
    megabytes: float  # the peak of the process


class Hangs(BaseException):
    """An input that does not end. No Exception: no stage may swallow it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a folder of files to break too")
    parser.add_argument("--only", type=int, help="print and repeat the input of this number")
    options = parser.parse_args()
    sources = Sources((FIXTURES, *options.corpus))
    if options.only is not None:
        made_again = made(options.seed, options.only, sources)
        print(made_again.data.decode("utf-8", "backslashreplace"), made_again.words)
        print(judged(made_again, options.only))
        return 0
    rows = list(_run(options.inputs, options.seed, options.jobs, sources))
    for line in table(rows):
        print(line)
    return int(any(row.problem for row in rows))


def table(rows: list[Row]) -> Iterator[str]:
    """Inputs by kind, and what went wrong."""
    problems = [row for row in rows if row.problem]
    yield f"{len(rows)} inputs, {len(problems)} problems, {sum(r.seconds for r in rows):.0f} s of CPU time"
    for kind, count in Counter(row.kind for row in rows).most_common():
        mine = [row for row in rows if row.kind == kind]
        slowest = max(mine, key=lambda row: row.seconds)
        bad = sum(bool(row.problem) for row in mine)
        yield f"  {kind:10} {count:6}  problems {bad:4}  slowest {slowest.seconds:5.2f} s (input {slowest.number})"
    yield f"largest process {max(row.megabytes for row in rows):.0f} MB"
    seen: Counter[str] = Counter()
    for row in problems:
        seen[row.problem] += 1
        if seen[row.problem] == 1:
            yield f"  --only {row.number:<6} {row.kind:10} {row.problem}"


def judged(given: Input, number: int, seconds: float = SECONDS) -> Row:
    """One input through everything, and what is wrong with the outcome."""
    before, started = _peak(), time.process_time()
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(HANGS_AFTER)
    try:
        problem = attack(given, seconds)
    except Hangs:
        problem = f"did not end in {HANGS_AFTER} s"
    except BaseException as error:
        problem = f"raised {type(error).__name__}: {' '.join(str(error).split())[:80]} {_place(error)}"
    finally:
        signal.alarm(0)
    seconds, peak = time.process_time() - started, _peak()
    if not problem and seconds > MOST_SECONDS:
        problem = f"took {seconds:.0f} s"
    if not problem and peak - before > MOST_MEMORY:
        problem = f"took {peak - before:.0f} MB"
    return Row(number, given.kind, problem, seconds, peak)


def _run(inputs: int, seed: int, jobs: int, sources: Sources) -> Iterator[Row]:
    columns = (BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    console = Console(stderr=True)
    batches = [range(start, min(start + BATCH, inputs)) for start in range(0, inputs, BATCH)]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task, wrong = bar.add_task("", total=inputs), 0
        with ProcessPoolExecutor(jobs) as pool:
            for rows in pool.map(partial(_batch, seed=seed, sources=sources), batches):
                wrong += sum(bool(row.problem) for row in rows)
                bar.update(task, advance=len(rows), description=f"{wrong} problems")
                yield from rows


def _batch(numbers: range, seed: int, sources: Sources) -> list[Row]:
    return [judged(made(seed, number, sources), number) for number in numbers]


def _stop(signum: int, frame: FrameType | None) -> None:
    raise Hangs


def _peak() -> float:
    """The most memory that this process had so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"({Path(trace.tb_frame.f_code.co_filename).name} line {trace.tb_lineno})" if trace else ""


if __name__ == "__main__":
    raise SystemExit(main())

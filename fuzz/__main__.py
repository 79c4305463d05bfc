"""roofscan on inputs that nobody writes: ``python -m fuzz --inputs 20000 --seed 1``.

Random kernels, real files mutated in many ways (those of ``fixtures/``, and of other folders with ``--corpus``),
oversized constructs and senseless options (``inputs.py``). No input may make the analysis, a report, the command or
the plugin raise, report an internal failure (RFL999), take long, or take much memory. ``--only NUMBER`` prints and
repeats one input.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

from benchmarks.runtime import peak_memory, progress_bar
from fuzz.inputs import FIXTURES, Input, Sources, make_input
from fuzz.targets import problem_with

MAX_SECONDS = 10.0  # CPU, for one input
MAX_MEMORY = 500.0  # MB that one input may add
KERNEL_SECONDS = 0.3  # CPU, for one kernel: many short analyses find more than a few long ones
TIMEOUT = 120  # seconds of wall-clock time
BATCH = 50


@dataclass(frozen=True)
class Row:
    """The outcome of one input."""

    number: int
    kind: str
    problem: str
    seconds: float
    megabytes: float  # the peak of the process


class TimedOut(BaseException):
    """An input takes too long. Not an Exception, so that no stage swallows it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a folder of further files to mutate")
    parser.add_argument("--only", type=int, help="print and repeat the input of this number")
    options = parser.parse_args()
    sources = Sources((FIXTURES, *options.corpus))
    if options.only is not None:
        given = make_input(options.seed, options.only, sources)
        print(given.data.decode("utf-8", "backslashreplace"), given.words)
        print(run_input(given, options.only))
        return 0
    rows = list(_run(options.inputs, options.seed, options.jobs, sources))
    for line in table(rows):
        print(line)
    return int(any(row.problem for row in rows))


def table(rows: list[Row]) -> Iterator[str]:
    """The inputs by kind, and the problems."""
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


def run_input(given: Input, number: int, seconds: float = KERNEL_SECONDS) -> Row:
    """Gives one input to every target."""
    before, started = peak_memory() / 1e6, time.process_time()
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(TIMEOUT)
    try:
        problem = problem_with(given, seconds)
    except TimedOut:
        problem = f"did not end in {TIMEOUT} s"
    except BaseException as error:
        problem = f"raised {type(error).__name__}: {' '.join(str(error).split())[:80]} {_place(error)}"
    finally:
        signal.alarm(0)
    seconds, peak = time.process_time() - started, peak_memory() / 1e6
    if not problem and seconds > MAX_SECONDS:
        problem = f"took {seconds:.0f} s"
    if not problem and peak - before > MAX_MEMORY:
        problem = f"took {peak - before:.0f} MB"
    return Row(number, given.kind, problem, seconds, peak)


def _run(inputs: int, seed: int, jobs: int, sources: Sources) -> Iterator[Row]:
    batches = [range(start, min(start + BATCH, inputs)) for start in range(0, inputs, BATCH)]
    with progress_bar() as bar:
        task, wrong = bar.add_task("", total=inputs), 0
        with ProcessPoolExecutor(jobs) as pool:
            for rows in pool.map(partial(_batch, seed=seed, sources=sources), batches):
                wrong += sum(bool(row.problem) for row in rows)
                bar.update(task, advance=len(rows), description=f"{wrong} problems")
                yield from rows


def _batch(numbers: range, seed: int, sources: Sources) -> list[Row]:
    return [run_input(make_input(seed, number, sources), number) for number in numbers]


def _stop(signum: int, frame: FrameType | None) -> None:
    raise TimedOut


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"({Path(trace.tb_frame.f_code.co_filename).name} line {trace.tb_lineno})" if trace else ""


if __name__ == "__main__":
    raise SystemExit(main())

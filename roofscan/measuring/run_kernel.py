"""Runs a kernel in a process of its own, with a time limit."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from roofscan.errors import AnalysisError
from roofscan.frozen import dataclass
from roofscan.measuring.arguments import Argument

NO_MODULE = 3  # as in child.py, which needs NumPy
RUN_SECONDS = 2.0  # seconds of runs, after the first ones


@dataclass(frozen=True)
class MeasuredTime:
    """Seconds of one call, over many runs."""

    least: float
    median: float
    runs: int

    @property
    def spread(self) -> float:
        return self.median / self.least - 1


def run_kernel(path: str, function: str, arguments: Sequence[Argument], setup: str, limit: float) -> MeasuredTime:
    """AnalysisError with the last line of what the kernel raised, or where ``limit`` seconds are over."""
    if find_spec("numpy") is None:
        raise AnalysisError("measuring needs numpy: pip install 'roofscan[measure]'")
    task = {"path": path, "function": function, "arguments": [a.data for a in arguments], "setup": setup}
    command = [sys.executable, "-m", "roofscan.measuring.child"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps({**task, "seconds": min(RUN_SECONDS, limit / 4)}),
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AnalysisError(f"{function} ran for more than {limit:g} s; bind smaller sizes or raise --limit") from None
    if done.returncode == NO_MODULE:
        raise AnalysisError(f"{path} needs the module {done.stdout.splitlines()[-1]}; install it and run this again")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"signal {-done.returncode}"])[-1]
        raise AnalysisError(f"{function} failed: {last}; make its arguments with --setup FILE.py:FUNCTION")
    seconds = json.loads(done.stdout.splitlines()[-1])["seconds"]
    return MeasuredTime(seconds[0], seconds[len(seconds) // 2], len(seconds))

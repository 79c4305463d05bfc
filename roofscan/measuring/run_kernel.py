"""Runs a kernel in a process of its own, with a time limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from importlib.util import find_spec
from typing import Any

from roofscan.errors import AnalysisError
from roofscan.frozen import dataclass
from roofscan.measuring.arguments import Argument
from roofscan.measuring.timer import OWN_CORES

RUN_SECONDS = 2.0  # seconds of runs, after the first ones


@dataclass(frozen=True)
class MeasuredTime:
    """Seconds of one call, over many runs."""

    least: float
    median: float
    runs: int
    binding: str = ""  # what the arguments were
    taken: tuple[str, ...] = ()  # numbers that the function of --setup took

    @property
    def spread(self) -> float:
        return self.median / self.least - 1


@dataclass(frozen=True)
class Setup:
    """``FILE.py:FUNCTION``, which makes the arguments, and numbers for those of its parameters that are so called."""

    text: str = ""
    given: Mapping[str, int | float] = field(default_factory=dict)


def run_kernel(
    path: str, function: str, arguments: Sequence[Argument], limit: float, setup: Setup | None = None
) -> MeasuredTime:
    """The times of a kernel. AnalysisError with the reason where it fails, or where ``limit`` seconds are over."""
    if find_spec("numpy") is None:
        raise AnalysisError("measuring needs numpy: pip install 'roofscan[measure]'")
    maker = setup or Setup()
    task = {"path": path, "function": function, "arguments": [a.data for a in arguments], "setup": maker.text}
    command = [sys.executable, "-m", "roofscan.measuring.child"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps({**task, "given": dict(maker.given), "seconds": min(RUN_SECONDS, limit / 4)}),
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
            env={**OWN_CORES, **os.environ},
        )
    except subprocess.TimeoutExpired:
        raise AnalysisError(f"{function} ran for more than {limit:g} s; bind smaller sizes or raise --limit") from None
    if not done.stdout:
        raise AnalysisError(f"{function} {_ended(done.returncode)}")
    outcome = json.loads(done.stdout)
    if "error" in outcome:
        raise AnalysisError(_failed(path, function, maker.text, outcome))
    seconds = outcome["seconds"]
    return MeasuredTime(
        seconds[0], seconds[len(seconds) // 2], len(seconds), outcome["binding"], tuple(outcome["taken"])
    )


def _ended(code: int) -> str:
    if code >= 0:
        return f"ended the process with exit code {code}; take that out to measure it"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGKILL":
        return "was killed (SIGKILL), maybe because memory ran out; bind smaller sizes"
    if name in ("SIGSEGV", "SIGBUS"):
        return f"crashed ({name}), maybe outside of an array; NUMBA_BOUNDSCHECK=1 in the environment shows where"
    return f"crashed ({name})"


def _failed(path: str, function: str, setup: str, outcome: Mapping[str, Any]) -> str:
    error, stage = outcome["error"], outcome["stage"]
    if outcome["missing"]:
        file = setup.rpartition(":")[0] if stage == "setup" else path
        return f"{file} needs the module {outcome['missing']}; install it and run this again"
    if stage == "import":
        return f"{path} cannot be imported: {error}"
    if stage == "make":
        return f"{function}: its arguments cannot be made ({error}); bind smaller sizes"
    if stage == "setup":
        return f"--setup {setup} failed: {error}; correct that function"
    if stage == "match":
        return f"{function} cannot be called with what --setup {setup} made: {error}"
    remedy = "" if setup else "; make its arguments with --setup FILE.py:FUNCTION"
    return f"{function} failed: {error}{remedy}"

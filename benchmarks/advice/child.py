"""The process that times one kernel as written and fixed, at several sizes: a task as JSON on standard input."""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numba
import numpy as np

from roofscan.measuring.child import _module, _named, call_of
from roofscan.measuring.timer import elapsed

BATCH, ROUNDS, LONGEST = 4e-4, 9, 0.6  # seconds of a batch, batches a version, seconds a size
TRIALS, STEADY = 3, 1.1  # trials at most, until the original takes the same time twice

Call = Callable[..., Any]


def main() -> None:
    task = json.load(sys.stdin)
    written, fixed = (_named(_module(file), task["function"]) for file in task["files"])
    found = []
    for call in task["calls"]:
        found.append(compared(written, fixed, _arguments(written, call), task["safe"]))
        if not found[-1]["same"] and not _stays_inside(task["files"][0], task["function"], _arguments(written, call)):
            sys.exit("its data lead beyond the end of an array")
    print(json.dumps(found))


def _stays_inside(file: str, function: str, arguments: list[Any]) -> bool:
    """Whether the source as written passes a test of each subscript."""
    numba.config.BOUNDSCHECK = 1
    try:
        _outcome(_named(_module(file), function), arguments)
    except IndexError:
        return False
    finally:
        numba.config.BOUNDSCHECK = None
    return True


def _arguments(kernel: Call, specifications: list[dict[str, Any]]) -> list[Any]:
    """As made for `measure`, with matrices that a factorization can take."""
    call = call_of(inspect.signature(getattr(kernel, "py_func", kernel)), specifications)
    call.apply_defaults()
    found = list(call.args)
    for value in found:
        if isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind == "f" and len(set(value.shape)) == 1:
            value[np.diag_indices_from(value)] += 2 * len(value)
    return found


def compared(written: Call, fixed: Call, arguments: list[Any], safe: bool) -> dict[str, float | bool]:
    results = [_outcome(kernel, arguments) for kernel in (written, fixed)]
    tolerance = _tolerance(arguments)
    same = all(_same(one, other, safe, tolerance) for one, other in zip(*results, strict=True))
    for _ in range(TRIALS):
        with _alone():
            one, other, changed = _times((written, written, fixed), arguments)
        first, last = sorted((one, other))
        if last / first < STEADY:
            break
    return {"measured": first / changed, "itself": last / first, "same": same}


def _times(kernels: tuple[Call, ...], arguments: list[Any]) -> list[float]:
    """The least seconds of a call of each, in turns, in one memory: other pages have other speeds."""
    fresh = _copied(arguments)
    repeats = max(1, int(BATCH / max(_batch(kernels[0], fresh, arguments, 1), 1e-9)))
    least, spent = [float("inf")] * len(kernels), 0.0
    for _ in range(ROUNDS):
        for n, kernel in enumerate(kernels):
            seconds = _batch(kernel, fresh, arguments, repeats)
            least[n], spent = min(least[n], seconds / repeats), spent + seconds
        if spent > LONGEST:
            break
    return least


def _batch(kernel: Call, fresh: list[Any], arguments: list[Any], repeats: int) -> float:
    for value, original in zip(fresh, arguments, strict=True):
        if isinstance(value, np.ndarray):
            value[...] = original
    return elapsed(lambda: kernel(*fresh), repeats)


def _copied(arguments: list[Any]) -> list[Any]:
    return [value.copy("K") if isinstance(value, np.ndarray) else value for value in arguments]


def _outcome(kernel: Call, arguments: list[Any]) -> list[Any]:
    fresh = _copied(arguments)
    result = kernel(*fresh)
    return [*(result if isinstance(result, tuple) else (result,)), *fresh]


def _same(one: Any, other: Any, safe: bool, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, str):
        return bool(one == other)
    if safe:
        return np.asarray(one).tobytes() == np.asarray(other).tobytes()
    return bool(np.allclose(one, other, tolerance, tolerance, equal_nan=True))


def _tolerance(arguments: list[Any]) -> float:
    return 1e-3 if any(np.asarray(value).dtype in (np.float32, np.complex64) for value in arguments) else 1e-8


@contextmanager
def _alone() -> Iterator[None]:
    """Before other programs, where the system allows it."""
    set_scheduler = getattr(os, "sched_setscheduler", None)
    if set_scheduler is None:
        yield
        return
    with suppress(PermissionError):
        set_scheduler(0, os.SCHED_FIFO, os.sched_param(50))
    try:
        yield
    finally:
        with suppress(PermissionError):
            set_scheduler(0, os.SCHED_OTHER, os.sched_param(0))


if __name__ == "__main__":
    main()

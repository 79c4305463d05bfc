"""The process that times one kernel as written and fixed, at several sizes: a task as JSON on standard input."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from roofscan.measuring.child import _module, _named, made
from roofscan.measuring.timer import elapsed

BATCH, ROUNDS, LONGEST = 4e-4, 9, 1.2  # seconds of a batch, batches a version, seconds a size

Call = Callable[..., Any]


def main() -> None:
    task = json.load(sys.stdin)
    written, fixed = (_named(_module(file), task["function"]) for file in task["files"])
    print(json.dumps([compared(written, fixed, _arguments(call), task["safe"]) for call in task["calls"]]))


def _arguments(call: list[dict[str, Any]]) -> list[Any]:
    """As made for `measure`, with matrices that a factorization can take."""
    found = made(call)
    for value in found:
        if isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind == "f" and len(set(value.shape)) == 1:
            value[np.diag_indices_from(value)] += 2 * len(value)
    return found


def compared(written: Call, fixed: Call, arguments: list[Any], safe: bool) -> dict[str, float | bool]:
    results = [_outcome(kernel, arguments) for kernel in (written, fixed)]
    tolerance = _tolerance(arguments)
    same = all(_same(one, other, safe, tolerance) for one, other in zip(*results, strict=True))
    with _alone():
        one, other, changed = _times((written, written, fixed), arguments)
    first = min(one, other)
    return {"measured": first / changed, "itself": max(one, other) / first, "same": same}


def _times(kernels: tuple[Call, ...], arguments: list[Any]) -> list[float]:
    """The least seconds of a call of each, in turns, on fresh arguments each."""
    fresh = [_copied(arguments) for _ in kernels]
    repeats = max(1, int(BATCH / max(_batch(kernels[0], fresh[0], arguments, 1), 1e-9)))
    least, spent = [float("inf")] * len(kernels), 0.0
    for _ in range(ROUNDS):
        for n, kernel in enumerate(kernels):
            seconds = _batch(kernel, fresh[n], arguments, repeats)
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

"""Runs one function of a source text under the recorder."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np

from tests.oracle import numba_stand_in
from tests.oracle.arrays import TracedArray
from tests.oracle.recorder import Kinds, Recorder
from tests.oracle.rewrite import RECORDER, rewrite
from tests.oracle.scratch import Size, measured
from tests.oracle.trace import Trace

_IMPORTABLE = {"numpy", "math", "cmath", "random", "functools", "typing", "__future__", "dataclasses", "collections"}


def run(source: str, function: str, arguments: Mapping[str, object], limit: int = 5_000_000) -> Trace:
    """Runs ``function`` of ``source`` on ``arguments`` and returns what it did.

    Under Numba a variable has one type: where its values had several, the run is repeated with the widest.
    Arrays are copied (their order, C or Fortran, is kept); ``function`` may be dotted (``Class.method``,
    whose ``self`` is then an argument). Raises TooLong beyond ``limit`` accesses, and
    whatever the kernel raises.
    """
    kinds: Kinds = {}
    while True:
        recorder = _recorded(source, function, arguments, limit, kinds)
        if not recorder.mixed:
            return recorder.trace
        kinds = {**kinds, **recorder.kinds}


def _recorded(source: str, function: str, arguments: Mapping[str, object], limit: int, kinds: Kinds) -> Recorder:
    recorder = Recorder(limit, kinds)
    scope = {**_scope(), RECORDER: recorder}
    exec(_rewritten(source), scope)
    target = _find(scope, function)
    recorder.compiled = numba_stand_in.is_compiled(target)
    for counter in recorder.trace.counters:
        counter.clear()
    for records in (recorder.trace.addresses, recorder.trace.owners, recorder.trace.lines):
        del records[:]
    recorder.operands = (Size(1),)
    traced = {name: _argument(recorder, name, value) for name, value in arguments.items()}
    with np.errstate(all="ignore"):
        result = target(**traced)
    recorder.turns.end(0)
    recorder.turns.share_blocks(set(_buffers(result)))
    recorder.trace.result = plain(result)
    recorder.trace.arguments = {n: plain(v) for n, v in traced.items() if isinstance(v, TracedArray)}
    _name_the_nameless(recorder.trace)
    return recorder


@lru_cache(maxsize=64)
def _rewritten(source: str) -> CodeType:
    return compile(rewrite(source, "<kernel>"), "<kernel>", "exec")


def run_plainly(
    source: str, function: str, arguments: Mapping[str, object]
) -> tuple[object, dict[str, np.ndarray[Any, Any]]]:
    """The same call without the recorder: its result, and the arrays as it left them."""
    copies = {name: _copied(value) if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    with np.errstate(all="ignore"):
        result = run_target(source, function)(**copies)
    return result, {name: value for name, value in copies.items() if isinstance(value, np.ndarray)}


@lru_cache(maxsize=16)
def run_target(source: str, function: str) -> Any:
    """The function of a source, un-jitted."""
    scope = _scope()
    exec(_compiled(source), scope)
    return _find(scope, function)


@lru_cache(maxsize=64)
def _compiled(source: str) -> CodeType:
    return compile(source, "<kernel>", "exec")


@lru_cache(maxsize=64)
def record_types(source: str) -> dict[str, np.dtype[Any]]:
    """The structured types that a source names at its top level."""
    if "dtype" not in source:
        return {}
    scope = _scope()
    exec(_compiled(source), scope)
    return {n: v for n, v in scope.items() if isinstance(v, np.dtype) and v.names is not None}


def _copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy; of records, one whose fields are attributes, as under Numba."""
    return array.copy("K").view(np.recarray) if array.dtype.names else array.copy("K")


def plain(value: Any) -> Any:
    """A traced array as a NumPy array; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    return np.array(value.values()) if isinstance(value, TracedArray) else value


def _buffers(value: object) -> Iterator[int]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _buffers(part)
    elif isinstance(value, TracedArray):
        yield value.buffer.index


def _scope() -> dict[str, Any]:
    return {"__builtins__": {**vars(builtins), "__import__": _import}, "__name__": "kernel"}


def _find(scope: dict[str, Any], function: str) -> Any:
    target: Any = scope
    for part in function.split("."):
        target = target[part] if isinstance(target, dict) else getattr(target, part)
    return target


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    top = name.partition(".")[0]
    if top == "numba" and level == 0:
        return numba_stand_in.module
    if top not in _IMPORTABLE or level:
        raise ImportError(f"the oracle does not import {name}")
    return builtins.__import__(name, globals, locals, fromlist, level)


def _argument(recorder: Recorder, name: str, value: object) -> object:
    if isinstance(value, tuple):
        return tuple(_argument(recorder, name, part) for part in value)
    if not isinstance(value, np.ndarray):
        return measured(value)
    fortran = value.flags.f_contiguous and not value.flags.c_contiguous
    return recorder.allocate(value, name, "F" if fortran else "C")


def _name_the_nameless(trace: Trace) -> None:
    trace.names[:] = [name or f"temporary_{k}" for k, name in enumerate(trace.names)]

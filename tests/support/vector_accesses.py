"""How a compiled function moves doubles: Numba's machine code with a counter beside each access. Only counts decide, so
a busy machine changes nothing; and only what runs is counted, as a vector loop may stand behind a test that fails."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodeLibrary

PLACES = 100_000
_VECTORS = re.compile(
    r"(?:load|store) (?:volatile )?<(\d+) x double>|@llvm\.masked\.(?:load|store)\.v(\d+)f64"  # contiguous
)
_IN_TURN = re.compile(  # each element is moved by itself, or the function called for it
    r"@llvm\.(?:(?:exp|log|pow|sin|cos|tan)\w*|masked\.(?:gather|scatter))\.v(\d+)f64"
)
_SCALARS = re.compile(r"(?:load|store) (?:volatile )?double|call double @")
_OF_INTEGERS = re.compile(r"(?<=x )i64|(?<=load )i64|(?<=store )i64")
_counters = (ctypes.c_int64 * PLACES)()
_counted: list[tuple[int, bool]] = []
"""Of each counter: how many elements its instruction moves, and whether as a vector."""


@dataclass(frozen=True)
class Accesses:
    """Elements moved by contiguous vectors, and elements moved, or given to functions, one by one."""

    by_vectors: int
    by_scalars: int

    @property
    def is_vector_code(self) -> bool:
        """A few scalars are the rests of the rows."""
        return 4 * self.by_scalars < self.by_vectors


@contextmanager
def counters_in_compiled_code(integers: bool = False) -> Iterator[None]:
    """What Numba compiles meanwhile counts its accesses; ``integers``: of 64 bits, instead of doubles. Counters are
    added after the last optimization, and not to code that is linked into other functions, so that they change no
    decision of the compiler."""
    optimize, link = CPUCodeLibrary._optimize_final_module, CPUCodeLibrary._get_module_for_linking

    def optimize_and_count(self: Any) -> None:
        optimize(self)
        self.as_optimized = self._final_module
        self._final_module = llvm.parse_assembly("\n".join(_with_counters(str(self.as_optimized), integers)))
        self._final_module.name = self.as_optimized.name

    def link_as_optimized(self: Any) -> Any:
        self._ensure_finalized()
        counting = self._final_module
        self._final_module = getattr(self, "as_optimized", counting)  # not of code that was compiled before
        try:
            return link(self)
        finally:
            self._final_module = counting

    CPUCodeLibrary._optimize_final_module = optimize_and_count
    CPUCodeLibrary._get_module_for_linking = link_as_optimized
    try:
        yield
    finally:
        CPUCodeLibrary._optimize_final_module, CPUCodeLibrary._get_module_for_linking = optimize, link


def _with_counters(code: str, integers: bool) -> Iterator[str]:
    for line in code.splitlines():
        told = _OF_INTEGERS.sub("double", line) if integers else line
        moved = _moved(told) if line.startswith("  ") else None
        if moved is not None:
            n = len(_counted)
            _counted.append(moved)
            place = f"ptr inttoptr (i64 {ctypes.addressof(_counters) + 8 * n} to ptr)"
            yield f"  %count{n} = load i64, {place}"
            yield f"  %count{n}.next = add i64 %count{n}, 1"
            yield f"  store i64 %count{n}.next, {place}"
        yield line


def _moved(line: str) -> tuple[int, bool] | None:
    """How many doubles an instruction moves, and whether as a vector."""
    if found := _VECTORS.search(line):
        return int(found[1] or found[2]), True
    if found := _IN_TURN.search(line):
        return int(found[1]), False
    return (1, False) if _SCALARS.search(line) else None


def accesses(call: Callable[[], object]) -> Accesses:
    """Of one call of a function that was compiled with counters."""
    ctypes.memset(_counters, 0, ctypes.sizeof(_counters))
    call()
    moved = [(elements * count, vector) for (elements, vector), count in zip(_counted, _counters) if count]
    return Accesses(sum(m for m, vector in moved if vector), sum(m for m, vector in moved if not vector))

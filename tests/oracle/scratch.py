"""Which arrays an allocator gives the same block: small ones of literal size that die in the iteration that makes them.

A :class:`Size` is an integer that no literal of the source gives: an argument, an extent of an argument, the value of a
loop variable, and what is calculated from these. An extent that is a plain ``int`` is literal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from tests.oracle.trace import Trace

LARGEST = 4096
"""Bytes."""


class Size(int):
    """An integer that depends on the arguments of a run."""


def measured(value: Any) -> Any:
    return Size(value) if type(value) is int else value


def plain_number(value: Any) -> Any:
    return int(value) if type(value) is Size else value


def is_literal(value: Any) -> bool:
    """Whether an extent, a shape, or the shape of an array is spelled out in the source."""
    if isinstance(value, (tuple, list)):
        return all(map(is_literal, value))
    shape = getattr(value, "shape", ())
    return is_literal(shape) if shape else not isinstance(value, (Size, np.integer))


def broadcast(shapes: Iterable[tuple[int, ...]], result: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a result; an extent is literal where that of an operand is."""
    given = [shape for shape in shapes if shape]
    told = {
        d for d, extent in enumerate(result, -len(result)) for s in given
        if len(s) >= -d and type(s[d]) is int and s[d] == extent
    }  # fmt: skip
    return tuple(int(e) if d in told else Size(e) for d, e in enumerate(result, -len(result)))


class StepRound:
    """One iteration of a loop; ``end`` is how many accesses there were when it ended."""

    __slots__ = ("end", "line", "made")

    def __init__(self, line: int) -> None:
        self.line = line
        self.made: Counter[tuple[int, int]] | None = None
        self.end: int | None = None


class Turns:
    """The iterations that are under way, and the small arrays that were made in each."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._open: list[StepRound] = []
        self._made: dict[tuple[object, ...], list[tuple[int, StepRound]]] = {}

    @property
    def depth(self) -> int:
        return len(self._open)

    def over(self, iterable: Iterable[Any], line: int) -> Iterator[Any]:
        """The items of a ``for`` loop, each in a turn of its own."""
        depth = self.depth
        try:
            for item in iterable:
                self.begin(line, depth)
                yield Size(item) if type(iterable) is range else item
        finally:
            self.end(depth)

    def begin(self, line: int, depth: int) -> None:
        self.end(depth)
        self._open.append(StepRound(line))

    def end(self, depth: int) -> None:
        """End all turns but the ``depth`` outermost."""
        if len(self._open) == depth:
            return
        for turn in self._open[depth:]:
            turn.end = len(self._trace.addresses)
        del self._open[depth:]

    def note(self, buffer: int, size: int, line: int) -> None:
        """An array of literal size was made."""
        if size > LARGEST or not self._open:
            return
        turn = self._open[-1]
        turn.made = turn.made or Counter()
        turn.made[line, size] += 1
        place = (tuple(turn.line for turn in self._open), line, size, turn.made[line, size])
        self._made.setdefault(place, []).append((buffer, turn))

    def share_blocks(self, held: Collection[int]) -> None:
        """Move all arrays that were made at one place to the first one's block, where each died in its turn.

        ``held`` are the buffers that the result holds.
        """
        owners = np.frombuffer(self._trace.owners, np.int64).copy()
        buffers = len(self._trace.names)
        bases = np.array(self._trace.bases, np.int64)
        _, whole = np.unique(bases, return_index=True)
        block = whole[np.searchsorted(bases[whole], bases)]  # of a field, that of its records
        held = {int(block[b]) for b in held}
        last, first = np.full(buffers, -1), np.arange(buffers)
        last[block[owners >> 1]] = np.arange(len(owners))
        for made in self._made.values():
            if all(turn.end is not None and last[b] < turn.end and b not in held for b, turn in made):
                first[[b for b, _ in made]] = made[0][0]
        moved = np.frombuffer(self._trace.addresses, np.int64) + (bases[first[block]] - bases)[owners >> 1]
        self._trace.addresses[:] = type(self._trace.addresses)("q", moved.tobytes())
        owners = 2 * first[owners >> 1] + (owners & 1)
        self._trace.owners[:] = type(self._trace.owners)("q", owners.tobytes())

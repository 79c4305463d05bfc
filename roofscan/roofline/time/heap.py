"""The heap of the C library, as far as it decides which pages of arrays the system hands out anew in each call: what is
free at its end goes back to the system (glibc; mallopt(3): M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD)."""

from __future__ import annotations

from collections.abc import Hashable

KEPT_BYTES = 32 << 20  # the largest array that has a place on the heap
KEPT_IN_ANY_CASE = 128 << 10  # of the free end
FREED_AT_START = 384 << 10  # about the largest block that Python and NumPy free while they start
KEPT_OF_LARGEST = 2  # the free end is kept up to so many times the largest array


class Heap:
    """Blocks in the order of their addresses. ``fresh``: the bytes that calls have touched for the first time."""

    def __init__(self, largest: float) -> None:
        """``largest``: the bytes of the largest array that is ever freed."""
        self._kept = KEPT_OF_LARGEST * max(FREED_AT_START, largest)
        self._blocks: list[tuple[Hashable | None, float]] = []  # None: free
        self._touched = 0.0
        self.fresh = 0.0

    def allocate(self, name: Hashable, size: float) -> None:
        """In the smallest hole that is large enough, or at the end."""
        holes = [(free, place) for place, (holder, free) in enumerate(self._blocks) if holder is None and free >= size]
        if holes:
            free, place = min(holes)
            self._blocks[place : place + 1] = [(name, size), *([(None, free - size)] if free > size else [])]
            return
        self._blocks.append((name, size))
        end = sum(size for _, size in self._blocks)
        self.fresh += max(0.0, end - self._touched)
        self._touched = max(self._touched, end)

    def rename(self, old: Hashable, new: Hashable) -> None:
        self._blocks = [(new if name == old else name, size) for name, size in self._blocks]

    def free(self, name: Hashable) -> None:
        merged: list[tuple[Hashable | None, float]] = []
        for holder, size in self._blocks:
            holder = None if holder == name else holder
            if holder is None and merged and merged[-1][0] is None:
                size += merged.pop()[1]
            merged.append((holder, size))
        if merged and merged[-1][0] is None:
            merged.pop()
        self._blocks = merged
        end = sum(size for _, size in merged)
        if self._touched - end + KEPT_IN_ANY_CASE >= self._kept:
            self._touched = end + KEPT_IN_ANY_CASE

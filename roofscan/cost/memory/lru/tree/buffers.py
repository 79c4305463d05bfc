"""The memory of arrays: which of them share a buffer, the order of its dimensions, and where subscripts lie in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from math import gcd

from roofscan.cost.memory.lru.tree.affine import Affine, Reader
from roofscan.cost.memory.lru.tree.build_context import BuildContext, Notes
from roofscan.cost.memory.lru.tree.loop_ends import LoopEnds
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import Num, ceil_to, total, value_of
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access
from roofscan.memo import kept_by
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable

FLAT = (-1,)  # the layout of an array whose subscripts are worked into one address


class Buffers:
    def __init__(self, kernel: Kernel, line: int, reader: Reader, ends: LoopEnds, notes: Notes) -> None:
        self._line = line
        self._reader = reader
        self._ends = ends
        self._notes = notes
        self._means = {s.name for s in kernel.symbols if s.kind in ("trips", "length")}
        self._known: dict[str, Buffer] = {}  # by array
        self._layout: dict[str, tuple[int, ...]] = {}
        self._units: dict[str, int] = {}  # bytes of an element of the buffer, by array
        self._with_owner: dict[str, list[Array]] = {}

    def make(self, arrays: Iterable[Array]) -> None:
        """Those of the arrays that are accessed, all at once: arrays with one owner share theirs."""
        arrays = tuple(arrays)
        for array in arrays:
            self._with_owner.setdefault(array.owner, []).append(array)
        for array in arrays:
            self._known[array.name] = self._buffer(array)

    def __getitem__(self, name: str) -> Buffer:
        return self._known[name]

    @kept_by(lambda buffer: buffer.name)
    def scattered(self, buffer: Buffer) -> Buffer:
        """Memory of its own for references to places that depend on data."""
        name = f"{buffer.name} (scattered)"
        return Buffer(name, buffer.per_line, buffer.strides, buffer.size, buffer.owner, buffer, buffer.made)

    def width(self, array: Array) -> int:
        """Of an element, in units of the buffer."""
        return array.dtype.size // self._units[array.name]

    def axes(self, array: Array) -> dict[int, int]:
        """By subscript, the dimension of the buffer that it moves along, where it is one of its own."""
        layout, first = self._layout[array.name], len(array.fresh_in)
        return {} if layout == FLAT else {dim: first + place for place, dim in enumerate(layout)}

    def _buffer(self, array: Array) -> Buffer:
        """Its dimensions by falling stride, those inside a record as one; memory that several arrays show, or that is
        fresh in a loop, is one buffer with the shape worked into it."""
        shared = self._with_owner[array.owner]
        alike = len(set(map(_outer_strides, shared))) == 1 and not _shares_elements(array)
        if not alike and any(self._ends.changes(s) for a in shared for s in a.strides):
            raise NotEvaluable(f"the views of {array.owner} change their strides between iterations")
        known = next((self._known[other.name] for other in shared if other.name in self._known), None)
        unit = self._units[array.name] = gcd(*(step for a in shared for step in _steps(a)))
        strides, _ = self._room(array, unit)
        order = sorted(range(len(strides)), key=lambda d: (-value_of(strides[d]), d))
        self._layout[array.name] = tuple(order) if alike else FLAT
        if known is not None:
            return known
        per_line = max(1, self._line // unit)
        sizes = [self._elements(a, unit) for a in shared]
        fresh, whole = self._fresh(array, max(sizes, key=value_of), per_line)
        if not alike:
            return Buffer(array.owner, per_line, (*fresh, 1), whole, array.owner, made=array.is_made)
        falling = [strides[d] for d in order]
        if not falling or value_of(falling[-1]) != 1:
            falling.append(1)
        packed = sum(1 for s in array.strides if self._ends.changes(s))
        return Buffer(array.owner, per_line, (*fresh, *falling), whole, array.owner, made=array.is_made, packed=packed)

    def _fresh(self, array: Array, size: Num, per_line: int) -> tuple[list[Num], Num]:
        """Strides from the memory of one iteration to that of the next, and the size of all together."""
        fresh: list[Num] = []
        if array.fresh_in and any(extent.symbols & self._means for extent in array.shape):
            self._notes.bounds = False
        for var in reversed(array.fresh_in):
            padded = size if fresh else ceil_to(size, per_line)
            fresh.insert(0, padded)
            size = padded * self._ends.span(var)
        return fresh, size

    def _elements(self, array: Array, unit: int) -> Num:
        """From the first to the last, in units."""
        strides, extents = self._room(array, unit)
        record = array.record.size // unit if array.record else 1
        return total([record, *(s * (e - 1) for s, e in zip(strides, extents))])

    @kept_by(lambda array, unit: (array.name, unit))
    def _room(self, array: Array, unit: int) -> tuple[list[Num], list[Num]]:
        """Strides in units and extents, of a field those of the records; the largest ones of an array whose shape
        differs between iterations."""
        if any(self._ends.changes(s) for s in array.strides):
            self._notes.approximate.append((array.line, f"rows of {array.name} differ in length between iterations"))
        strides = _outer_strides(array)
        return (
            [self._ends.largest(s / unit if unit > 1 else s) for s in strides],
            [self._ends.largest(e) for e in array.shape[: len(strides)]],
        )

    def reach(self, node: Access, array: Array, buffer: Buffer) -> Num:
        """The most lines that an access may touch, by the ranges of its subscripts where they are known."""
        lines: Num = 1
        last = len(array.shape) - 1
        for dim, extent in enumerate(array.shape):
            known = node.within[dim] if dim < len(node.within) else None
            try:
                places = self._reader.number(known[1] - known[0] + 1 if known else extent)
            except NotEvaluable:
                known, places = None, self._reader.number(extent)
            if known and dim == last and array.strides[dim] == 1 and array.dtype.size == self._units[array.name]:
                places = ceil_to(places - 1, buffer.per_line) / buffer.per_line + 1
            lines = lines * places
        for var in array.fresh_in:
            lines = lines * self._ends.span(var)
        whole = ceil_to(buffer.size, buffer.per_line) / buffer.per_line
        return lines if lines < whole else whole

    def placed(self, array: Array, buffer: Buffer, forms: list[Affine], context: BuildContext) -> tuple[Affine, ...]:
        """The subscripts in the order of the buffer's strides."""
        layout = self._layout[array.name]
        around = {loop.var for loop in context.loops}
        fresh = [self._turn(var, around) for var in array.fresh_in]
        if layout == FLAT:
            return (*fresh, self._address(array, forms, 0))
        placed = [*fresh, *(forms[d] for d in layout)]
        while len(placed) < len(buffer.strides):
            placed.append(self._address(array, forms, len(layout)))
        return tuple(placed)

    def _turn(self, var: str, around: Collection[str]) -> Affine:
        """Which memory of those that are fresh in a loop, from 0 on: the loop may start anywhere."""
        value = Affine(0, {var: 1}) if var in around else Affine(self._ends.last(var), {})
        return value.shifted(-self._ends.lowest(var))

    def _address(self, array: Array, forms: list[Affine], first: int) -> Affine:
        """The place that the subscripts from the ``first`` on give, in units."""
        unit = self._units[array.name]
        address = Affine(array.record.offset // unit if array.record else 0, {})
        for form, stride in zip(forms[first:], array.strides[first:]):
            address = address.plus(form, self._reader.number(stride * Fraction(array.dtype.size, unit)))
        return address


def _outer_strides(array: Array) -> tuple[Expr, ...]:
    """Bytes per step of each subscript, of a field those of the records."""
    ndim = array.record.ndim if array.record else len(array.strides)
    return tuple(stride * array.dtype.size for stride in array.strides[:ndim])


def _shares_elements(array: Array) -> bool:
    """Whether two subscripts step alike: the windows of a view that slides."""
    steps = [s for s, e in zip(array.strides, array.shape) if e != ONE and s]
    return len(set(steps)) < len(steps)


def _steps(array: Array) -> tuple[int, ...]:
    """Numbers of bytes of whose divisors the elements of an array lie multiples apart."""
    if array.record is None:
        return (array.dtype.size,)
    inside = (int((s * array.dtype.size).constant or 0) for s in array.strides[array.record.ndim :])
    return (array.dtype.size, array.record.size, array.record.offset, *inside)

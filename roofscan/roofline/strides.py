"""Strided walks: the accesses that an innermost loop moves by more than an element, and what they use of a line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from roofscan.ir.kernel import Access, Array, Body, Branch, Kernel, Loop, When
from roofscan.roofline.target import loops, nodes
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number

SHORT_AXIS = 8
"""The most elements that a short axis has."""


@dataclass(frozen=True)
class StridedAccess:
    """The accesses to one array that an innermost loop moves by the same stride."""

    array: Array
    loop: Loop
    stride: Expr  # bytes from one iteration to the next
    accesses: tuple[Access, ...]
    around: tuple[Loop, ...] = ()  # the loops that hold this one, outermost first

    @property
    def is_diagonal(self) -> bool:
        """Whether it moves along two axes at once: the elements of ``A[i, i]`` lie side by side in no order."""
        subscripts = self.accesses[0].index
        return sum(e is not None and self.loop.var in e.symbols for e in subscripts) > 1


def strided_accesses(kernel: Kernel) -> Iterator[StridedAccess]:
    """The strided walks of the written innermost loops (NumPy picks its own order in array expressions)."""
    for *around, loop in _chains(kernel.body):
        inside = tuple(nodes(loop.body))
        if loop.array_expression or any(isinstance(node, Loop) for node in inside):
            continue
        groups: dict[tuple[str, Expr], list[Access]] = defaultdict(list)
        for node in inside:
            if isinstance(node, Access):
                array = kernel.array(node.array)
                stride = stride_of(node, array, loop)
                if stride and stride != array.dtype.size and stride != -array.dtype.size:
                    groups[array.name, stride].append(node)
        for (name, stride), accesses in groups.items():
            yield StridedAccess(kernel.array(name), loop, stride, tuple(accesses), tuple(around))


def _chains(body: Body) -> Iterator[tuple[Loop, ...]]:
    """Each loop behind those that hold it."""
    for node in body:
        if isinstance(node, Loop):
            yield (node,)
            yield from ((node, *chain) for chain in _chains(node.body))
        elif isinstance(node, (When, Branch)):
            yield from _chains(node.body)


def fields_of(walk: StridedAccess) -> int | None:
    """The fields of a record, where the loop goes from record to record: rows of one short, fixed length."""
    if len(walk.array.shape) < 2 or walk.array.strides[-1] != 1:
        return None
    fields = walk.array.shape[-1].constant
    last = [access.index[-1] for access in walk.accesses]
    if fields is None or any(subscript is None or subscript.constant is None for subscript in last):
        return None
    whole = walk.stride == fields * walk.array.dtype.size or walk.stride == -fields * walk.array.dtype.size
    return int(fields) if whole and fields > 1 else None


def stride_of(access: Access, array: Array, loop: Loop) -> Expr:
    """Bytes between two iterations of the loop; 0 where it does not move, or not by one number."""
    total = ZERO
    for subscript, step in zip(access.index, array.strides, strict=False):
        if subscript is None or not subscript.is_linear_in((loop.var,)):
            return ZERO
        total = total + subscript.coefficient(loop.var) * step
    return total * loop.step * array.dtype.size


def is_row_of_few(walk: StridedAccess, kernel: Kernel) -> bool:
    """Whether the kernel asks for a few elements of the last axis by constants alone (``for c in range(3)``): the axis
    is about as long, whatever its name, and the rest of a line are the next records."""
    loop_of = {loop.var: loop for loop in loops(kernel.body)}
    every = [a.index[-1] for a in nodes(kernel.body) if isinstance(a, Access) and a.array == walk.array.name]
    if len(walk.array.shape) < 2 or walk.array.strides[-1] != 1:
        return False
    named = [loop_of.get(name) for e in every if e is not None for name in e.symbols]
    short = (
        loop is not None and loop.start.constant is not None and (loop.stop.constant or SHORT_AXIS + 1) <= SHORT_AXIS
        for loop in named
    )  # fmt: skip
    return bool(named) and None not in every and all(short)


@dataclass(frozen=True)
class LineUse:
    """What one pass of a walk uses of the lines that it fetches."""

    elements: int  # new ones an iteration: an earlier iteration may have touched some already
    share: Fraction  # of each line

    @staticmethod
    def of(walk: StridedAccess, values: Mapping[str, Number], line: int) -> LineUse | None:
        """None where an address has no value."""
        size = walk.array.dtype.size
        try:
            stride = abs(int(walk.stride.evaluate(values)))
            if not stride:
                return None
            apart = [_offset(access, walk.accesses[0], walk.array) for access in walk.accesses]
            places = sorted({_residue(int(x.evaluate(values)) * size, stride) for x in apart})
        except NotEvaluable:
            return None
        if stride < line:
            return LineUse(len(places), min(Fraction(1), Fraction(len(places) * size, stride)))
        lines = 1 + sum(b - a >= line for a, b in pairwise(places))
        return LineUse(len(places), min(Fraction(1), Fraction(len(places) * size, lines * line)))


def _residue(offset: int, stride: int) -> int:
    """Places that a whole number of iterations apart are one, as near to 0 as can be."""
    return (offset + stride // 2) % stride - stride // 2


def _offset(access: Access, first: Access, array: Array) -> Expr:
    """Elements from one access to another of the same iteration."""
    total = ZERO
    for subscript, other, step in zip(access.index, first.index, array.strides, strict=False):
        if subscript is not None and other is not None:
            total = total + (subscript - other) * step
    return total

"""Walks from record to record of a structured type, and the bytes that they use of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd

from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import accesses, loops, loops_of, walk_with_blocks
from roofscan.symbolic.expr import ZERO, Expr, Number

MAX_PLACES = 256  # the most elements of a field that are listed one by one
Span = tuple[int, int]  # the first byte, and the byte after the last


def records_walked(kernel: Kernel) -> Iterator[tuple[Loop, tuple[Loop, ...], Array, Expr, tuple[Access, ...]]]:
    """Loops that go through records, each with the loops around it, the records, the bytes from one iteration to the
    next, and the accesses."""
    if not any(array.record for array in kernel.arrays):
        return
    for loop, blocks in walk_with_blocks(kernel.body):
        if not isinstance(loop, Loop):
            continue
        groups: dict[tuple[str, Expr], list[Access]] = defaultdict(list)
        inner = {each.var for each in loops(loop.body)}
        for access in accesses(loop.body):
            array = kernel.array(access.array)
            step = _step(access, array, loop, inner)
            if step:
                groups[array.owner, step].append(access)
        for (name, step), found in groups.items():
            yield loop, loops_of(blocks), kernel.array(name), step, tuple(found)


def _step(access: Access, array: Array, loop: Loop, inner: set[str]) -> Expr:
    """Bytes from the record of one iteration to that of the next; 0 where another loop goes from record to record."""
    total = ZERO
    for subscript, stride in zip(access.index, array.strides[: array.record.ndim if array.record else 0]):
        if subscript is None or subscript.symbols & inner or not subscript.is_linear_in((loop.var,)):
            return ZERO
        total = total + subscript.coefficient(loop.var) * stride
    return total * loop.step * array.dtype.size


def fields_used(walked: Sequence[Access], records: Array) -> int:
    """How many fields of the type accesses use."""
    names = (access.array.removeprefix(f"{records.name}.").partition(".")[0] for access in walked)
    return len(set(names))


def spans_used(walked: Sequence[Access], kernel: Kernel, values: Mapping[str, Number]) -> tuple[tuple[Span, ...], int]:
    """The bytes that one iteration touches, from where its first record begins, and their number, each access
    counted."""
    spans: set[Span] = set()
    touched = 0
    for access in walked:
        array = kernel.array(access.array)
        assert array.record is not None
        start = array.record.offset + _between_records(access, walked[0], kernel, values)
        places = _inside(access, array, kernel, values)
        touched += len(places) * array.dtype.size
        spans.update((start + place, start + place + array.dtype.size) for place in places)
    return tuple(sorted(spans)), touched


def _between_records(access: Access, first: Access, kernel: Kernel, values: Mapping[str, Number]) -> int:
    total = ZERO
    array, other = kernel.array(access.array), kernel.array(first.array)
    assert array.record is not None
    for d in range(array.record.ndim):
        here, there = access.index[d], first.index[d]
        if here is not None and there is not None:
            total = total + here * (array.strides[d] * array.dtype.size) - there * (other.strides[d] * other.dtype.size)
    return int(total.evaluate(values))


def _inside(access: Access, array: Array, kernel: Kernel, values: Mapping[str, Number]) -> list[int]:
    """Where in the field the elements lie that loops inside the walk reach: all where that is not known."""
    assert array.record is not None
    ndim = array.record.ndim
    loop_of = {loop.var: loop for loop in loops(kernel.body)}
    ranges: list[Sequence[int]] = []
    for subscript, extent in zip(access.index[ndim:], array.shape[ndim:]):
        names = subscript.symbols if subscript is not None else frozenset()
        place = int(subscript.constant) if subscript is not None and subscript.constant is not None else None
        loop = loop_of.get(next(iter(names), "")) if len(names) == 1 else None
        if place is not None:
            ranges.append([place])
        elif loop is not None and subscript is not None and (loop.stop - loop.start).constant is not None:
            iterations = range(*(int(e.evaluate(values)) for e in (loop.start, loop.stop, loop.step)))
            ranges.append([int(subscript.evaluate({**values, loop.var: value})) for value in iterations[:MAX_PLACES]])
        else:
            ranges.append(range(int(extent.evaluate(values))))
    steps = [int((stride * array.dtype.size).evaluate(values)) for stride in array.strides[ndim:]]
    return [sum(n * s for n, s in zip(place, steps)) for place in product(*ranges)]


def union_of(spans: Sequence[Span]) -> int:
    """The bytes that spans cover together."""
    covered, end = 0, -1 << 62
    for first, last in sorted(spans):
        covered += max(0, last - max(first, end))
        end = max(end, last)
    return covered


def lines_each(spans: Sequence[Span], step: int, line: int) -> Fraction:
    """Lines of each iteration, in the mean over all places of a record in its line."""
    period = line // gcd(step, line)
    every = period * step // line
    touched = {
        place % every
        for iteration in range(period)
        for first, end in spans
        for place in range((first + iteration * step) // line, (end - 1 + iteration * step) // line + 1)
    }
    return Fraction(len(touched), period)

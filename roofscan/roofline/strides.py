"""Strided accesses: those that an innermost loop moves by more than an element, and what they use of a line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from roofscan.cost.transform.nest import stride
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.records import RecordType
from roofscan.ir.tree import Access, Loop, Operation
from roofscan.ir.visitor import accesses, loops, loops_of, walk_with_blocks
from roofscan.roofline.record_walks import fields_used, lines_each, records_walked, spans_used, union_of
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number

SHORT_AXIS = 8  # the most elements that a short axis has


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
        """Whether it moves along two axes at once: the elements of ``A[i, i]`` are contiguous in neither order."""
        subscripts = self.accesses[0].index
        return sum(e is not None and self.loop.var in e.symbols for e in subscripts) > 1


def strided_accesses(kernel: Kernel) -> Iterator[StridedAccess]:
    """The strided accesses of the written innermost loops, of statements on columns in such loops (NumPy picks its own
    order in other array expressions), and of the loops that go through records of a structured type."""
    for over, around, records, step, walked in records_walked(kernel):
        yield StridedAccess(records, over, step, walked, around)
    for loop, blocks in walk_with_blocks(kernel.body):
        if not isinstance(loop, Loop) or any(loops(loop.body)):
            continue
        if loop.array_expression and not _is_of_columns(kernel, loop, loops_of(blocks)):
            continue
        groups: dict[tuple[str, Expr], list[Access]] = defaultdict(list)
        for access in accesses(loop.body):
            array = kernel.array(access.array)
            step = ZERO if array.record else stride_of(access, array, loop)
            if step and step != array.dtype.size and step != -array.dtype.size:
                groups[array.name, step].append(access)
        for (name, step), found in groups.items():
            yield StridedAccess(kernel.array(name), loop, step, tuple(found), loops_of(blocks))


def _is_of_columns(kernel: Kernel, loop: Loop, around: tuple[Loop, ...]) -> bool:
    """Whether the one loop of a compiled statement is in a loop of the source, which chooses a row or column for it. A
    copy takes what another function made of a column: it is no loop that could be turned round."""
    computes = any(isinstance(node, Operation) for node in loop.body)
    return computes and bool(around) and kernel.compiles(around[-1]) and not around[-1].array_expression


def fields_of(strided: StridedAccess) -> int | None:
    """The fields of a record, where the loop goes from record to record: of a structured type, or rows of one short,
    fixed length."""
    if isinstance(strided.array.dtype, RecordType):
        step = strided.stride.constant
        return len(strided.array.dtype.fields) if step and abs(step) == strided.array.dtype.size else None
    if len(strided.array.shape) < 2 or strided.array.strides[-1] != 1:
        return None
    fields = strided.array.shape[-1].constant
    last = [access.index[-1] for access in strided.accesses]
    if fields is None or any(subscript is None or subscript.constant is None for subscript in last):
        return None
    record = fields * strided.array.dtype.size
    return int(fields) if fields > 1 and (strided.stride == record or strided.stride == -record) else None


def stride_of(access: Access, array: Array, loop: Loop) -> Expr:
    """Bytes between two iterations of the loop; 0 where it does not move, or not by one number."""
    return (stride(access, array, loop) or ZERO) * array.dtype.size


def is_row_of_few(strided: StridedAccess, kernel: Kernel) -> bool:
    """Whether the kernel takes a few elements of the last axis by constants alone (``for c in range(3)``): the axis
    is about as long, whatever its name, and the rest of a line are the next records."""
    loop_of = {loop.var: loop for loop in loops(kernel.body)}
    every = [a.index[-1] for a in accesses(kernel.body) if a.array == strided.array.name]
    if len(strided.array.shape) < 2 or strided.array.strides[-1] != 1:
        return False
    named = [loop_of.get(name) for e in every if e is not None for name in e.symbols]
    short = (
        loop is not None and loop.start.constant is not None and (loop.stop.constant or SHORT_AXIS + 1) <= SHORT_AXIS
        for loop in named
    )  # fmt: skip
    return bool(named) and None not in every and all(short)


@dataclass(frozen=True)
class LineUse:
    """What one execution of the loop uses of the lines that it fetches."""

    elements: int  # new ones an iteration: an earlier iteration may have touched some already; of records, fields
    share: Fraction  # of each line
    fresh: Fraction  # of the bytes of all accesses, those of new elements

    @staticmethod
    def of(strided: StridedAccess, kernel: Kernel, values: Mapping[str, Number], line: int) -> LineUse | None:
        """None where an address has no value."""
        if strided.array.dtype.kind == "record":
            return _of_records(strided, kernel, values, line)
        size, count = strided.array.dtype.size, len(strided.accesses)
        try:
            step = abs(int(strided.stride.evaluate(values)))
            if not step:
                return None
            apart = {_offset(access, strided.accesses[0], strided.array) for access in strided.accesses}
            moving = {x for x in apart if not x.symbols.isdisjoint(loop.var for loop in strided.around)}
            places = sorted({_residue(int(x.evaluate(values)) * size, step) for x in apart - moving})
        except NotEvaluable:
            return None
        lines = 1 + sum(b - a >= line for a, b in pairwise(places)) + len(moving)
        fetched = step if step < line else lines * line
        used = len(places) + len(moving)  # two columns that the loops around choose are seldom in one line
        return LineUse(used, min(Fraction(1), Fraction(used * size, fetched)), Fraction(used, count))


def _of_records(strided: StridedAccess, kernel: Kernel, values: Mapping[str, Number], line: int) -> LineUse | None:
    try:
        step = abs(int(strided.stride.evaluate(values)))
        spans, touched = spans_used(strided.accesses, kernel, values)
    except NotEvaluable:
        return None
    if not step:
        return None
    spans = tuple({(first % step, first % step + end - first) for first, end in spans})
    used = union_of(spans)
    share = used / (lines_each(spans, step, line) * line)
    return LineUse(fields_used(strided.accesses, strided.array), min(Fraction(1), share), Fraction(used, touched))


def _residue(offset: int, stride: int) -> int:
    """The offset of a place up to multiples of the stride, as near to 0 as possible."""
    return (offset + stride // 2) % stride - stride // 2


def _offset(access: Access, first: Access, array: Array) -> Expr:
    """Elements from one access to another of the same iteration."""
    total = ZERO
    for subscript, other, step in zip(access.index, first.index, array.strides, strict=False):
        if subscript is not None and other is not None:
            total = total + (subscript - other) * step
    return total

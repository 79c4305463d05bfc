"""Walks by pages: loops of which each iteration touches another page of an array, and what is inside of them touches
only a part of it. The addresses of pages are translated by tables that hold some thousand of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import loops_of, walk_with_blocks
from roofscan.roofline.strides import stride_of
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number

HALF = 0.5  # of a page: loops that move less far, or cover more of it inside, use what they translate


@dataclass(frozen=True)
class PageWalk:
    """An access, and the loop that moves it from page to page."""

    access: Access
    array: Array
    loop: Loop
    around: tuple[Loop, ...]  # the loops that hold this one, outermost first
    covered: float  # bytes of a page that the loops inside touch
    steps: float  # at most, in all iterations of the loops around

    @property
    def axis(self) -> int | None:
        return axis_of(self.access, self.loop)


def axis_of(access: Access, loop: Loop) -> int | None:
    """The subscript that a loop moves; None where there are several."""
    moved = [n for n, e in enumerate(access.index) if e is not None and loop.var in e.symbols]
    return moved[0] if len(moved) == 1 else None


def page_walks(kernel: Kernel, values: Mapping[str, Number], page: float, entries: float) -> Iterator[PageWalk]:
    """Those through more pages than ``entries``, one per array and loop."""
    trips = _Trips(values)
    seen: set[tuple[str, str]] = set()
    for node, blocks in walk_with_blocks(kernel.body):
        if isinstance(node, Access) and node.regular:
            walk = _walk_of(node, kernel.array(node.array), loops_of(blocks), trips, page, entries)
            if walk is not None and (walk.array.name, walk.loop.var) not in seen:
                seen.add((walk.array.name, walk.loop.var))
                yield walk


class _Trips:
    """The most trips of loops: where outer loops move the bounds, in their first iterations or behind their last."""

    def __init__(self, values: Mapping[str, Number]) -> None:
        self.values = values
        self._known: dict[str, float] = {}

    def of(self, loop: Loop, around: tuple[Loop, ...]) -> float:
        if loop.var not in self._known:
            ends = ({x.var: x.start for x in around}, {x.var: x.stop for x in around})
            spans = (float(number(_held(loop.stop - loop.start, end), self.values)) for end in ends)
            self._known[loop.var] = max(map(abs, spans)) / abs(float(number(loop.step, self.values)))
        return self._known[loop.var]


def _held(span: Expr, ends: Mapping[str, Expr]) -> Expr:
    while moved := ends.keys() & span.symbols:
        span = span.subs({name: ends[name] for name in moved})
    return span


def _span(access: Access, array: Array, loop: Loop, around: tuple[Loop, ...], values: Mapping[str, Number]) -> float:
    """Bytes from the first place of a loop to the last, where it moves by no one number: ``A[i, (t*n) // w]``."""
    moved = [n for n, e in enumerate(access.index) if e is not None and not e.is_linear_in([loop.var])]
    if not moved:
        return 0.0
    outside = {x.var: x.start for x in around if x is not loop}
    first, last = ({**outside, loop.var: end} for end in (loop.start, loop.stop - loop.step))
    ways = (_held(access.index[n] or ZERO, last) - _held(access.index[n] or ZERO, first) for n in moved)
    steps = (array.strides[n] * array.dtype.size for n in moved)
    return sum(abs(float(number(way * step, values))) for way, step in zip(ways, steps, strict=True))


def _walk_of(
    access: Access, array: Array, around: tuple[Loop, ...], trips: _Trips, page: float, entries: float
) -> PageWalk | None:
    covered = float(array.dtype.size)
    for depth in reversed(range(len(around))):
        loop = around[depth]
        try:
            far = abs(float(number(stride_of(access, array, loop), trips.values)))
            times = trips.of(loop, around)
            touched = max(far * times, _span(access, array, loop, around, trips.values))
            if far >= HALF * page and times > entries:
                steps = prod(trips.of(x, around) for x in around[: depth + 1])
                return PageWalk(access, array, loop, around[:depth], covered, steps)
        except (NotEvaluable, OverflowError):  # such as 2**n trips
            return None
        covered = max(covered, touched)
        if covered >= HALF * page:
            return None
    return None

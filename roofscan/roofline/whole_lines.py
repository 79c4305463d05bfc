"""Sizes that fill whole cache lines, and those that do not.

A cost with free sizes is derived for sizes that fill whole lines: its expressions have no roundings then. At other
sizes rows share lines, and ends are rounded up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from roofscan.cost.memory.base import ALONE, Movement, Sharing
from roofscan.cost.memory.models import compulsory_model, launch_of, memory_model
from roofscan.cost.result import KernelCost
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import SymbolKind
from roofscan.ir.visitor import accesses, loops
from roofscan.roofline.pieces import TrafficPiece, TrafficPieces
from roofscan.roofline.traffic_model import UNLIMITED
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number, symbol
from roofscan.symbolic.floors import floor_div

ROUNDED: tuple[SymbolKind, ...] = ("size", "total", "length", "tile")
"""Kinds of symbols that may or may not be multiples of a line."""

SHIFT = 5
"""What is added to multiples of a line: with offsets of one or two it is none either."""


class AllSizes:
    """The traffic of a cost in pieces for sizes that fill whole lines and for those that do not. The figures of the
    cost itself come last."""

    def __init__(self, cost: KernelCost) -> None:
        self._cost = cost
        self._whole = TrafficPieces(cost)
        self._filled = _filled(cost)
        self._shifted = _shifted(cost, SHIFT) if self._filled and not _has_tiles(cost) else None
        self._rest = TrafficPieces(self._shifted) if self._shifted is not None else None

    def at(self, capacity: int, sharing: Sharing = ALONE) -> tuple[TrafficPiece, ...]:
        whole = self._whole.at(capacity, sharing)
        if not self._filled or not capacity or not whole:
            return whole
        rest = self._rest.at(capacity, sharing) if self._rest else ()
        if rest == whole:
            return whole
        if any(p.status == "exact" for p in rest) and (sharing != ALONE or not self._is_sure):
            rest = tuple(replace(p, status="estimate") if p.status == "exact" else p for p in rest)
        return (*_where(rest, -self._filled - 1), *_where(whole, self._filled))

    @cached_property
    def _is_sure(self) -> bool:
        return self._shifted is not None and _is_sure(self._cost, self._shifted)


def _where(pieces: tuple[TrafficPiece, ...], condition: Expr) -> Iterator[TrafficPiece]:
    return (replace(piece, when=(*piece.when, condition)) for piece in pieces)


def _filled(cost: KernelCost) -> Expr:
    """An expression that is 0 where all sizes fill whole lines and negative elsewhere; 0 where none has to."""
    if cost.reuse is None or not cost.kernel.arrays or launch_of(cost) is not None:
        return ZERO
    names = sorted(_in_rows(cost.kernel) & _rounded(cost))
    elements = Expr.of(cost.reuse.line // min(array.dtype.size for array in cost.kernel.arrays))
    return sum((floor_div(symbol(s), elements) * elements - symbol(s) for s in names), start=ZERO)


def _rounded(cost: KernelCost) -> frozenset[str]:
    return cost.free & {s.name for s in cost.kernel.symbols if s.kind in ROUNDED}


def _in_rows(kernel: Kernel) -> set[str]:
    """The symbols that say where lines begin and end: in strides, in the length of rows, and in the bounds of loops
    along rows."""
    found = {name for a in kernel.arrays for e in (*a.strides, *a.shape[-1:]) for name in e.symbols}
    bounds = {loop.var: loop.start.symbols | loop.stop.symbols for loop in loops(kernel.body)}
    for access in accesses(kernel.body):
        along = access.index[-1] if access.index else None
        found |= along.symbols if along is not None else set()
    pending = [name for name in found if name in bounds]
    while pending:
        more = bounds.pop(pending.pop(), frozenset()) - found
        found |= more
        pending += [name for name in more if name in bounds]
    return found


def _has_tiles(cost: KernelCost) -> bool:
    """Whether tiles are free, which would fill whole lines: what they leave over is of any length."""
    return any(s.kind == "tile" and s.name in cost.free for s in cost.kernel.symbols)


# -- sizes between whole lines ------------------------------------------------------------------------
def _shifted(cost: KernelCost, shift: int) -> KernelCost | None:
    """The same cost, derived at sizes that are so much larger."""
    assert cost.reuse is not None
    try:
        point = _point(cost, dict.fromkeys(_rounded(cost), shift))
        reuse = memory_model(cost.kernel, point, cost.reuse.line)
    except (NotEvaluable, RecursionError, MemoryError):
        return None
    return replace(cost, sample_point=point, reuse=reuse)


def _point(cost: KernelCost, shifts: Mapping[str, int]) -> dict[str, Number]:
    point = {name: value + shifts.get(name, 0) for name, value in cost.sample_point.items()}
    return point | {name: e.evaluate(point) for name, e in cost.kernel.values.items() if name in cost.free}


def _is_sure(cost: KernelCost, rest: KernelCost) -> bool:
    """Whether the compulsory traffic is exact however far the last lines are filled: a count that is derived at one
    size may lack a rounding that it needs at another."""
    assert rest.reuse is not None
    moved = rest.reuse.traffic(UNLIMITED).total
    names = sorted(_rounded(cost))
    trials = [dict.fromkeys(names, shift) for shift in range(1, 8)]
    trials += [{name: SHIFT} for name in names] if len(names) > 1 else []
    try:
        return all(_agrees(cost, moved, _point(cost, shifts)) for shifts in trials)
    except (NotEvaluable, RecursionError, MemoryError):
        return False


def _agrees(cost: KernelCost, moved: Movement, point: Mapping[str, Number]) -> bool:
    assert cost.reuse is not None
    least = compulsory_model(cost.kernel, point, cost.reuse.line)
    if least is None:
        return False
    own = least.traffic(UNLIMITED).total
    pairs = ((moved.load, own.load), (moved.fill, own.fill), (moved.writeback, own.writeback))
    return all(one.evaluate(point) == other.evaluate(point) for one, other in pairs)

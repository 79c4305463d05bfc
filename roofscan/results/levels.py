"""The traffic of a report at each level, in SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex, overload

from roofscan.cost.memory.base import Movement
from roofscan.errors import AnalysisError
from roofscan.report import figures
from roofscan.roofline.model import KernelReport
from roofscan.roofline.pieces import TrafficPiece, TrafficPieces
from roofscan.suggestions import among
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.to_sympy import piecewise_to_sympy, to_sympy

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Level:
    """Traffic across one interface, in bytes; ``name`` is the level that serves it.

    The expressions hold for sizes that fill whole cache lines. Where other sizes move other bytes, they are SymPy's
    ``Piecewise``. :meth:`Report.at` gives the figures at any size. They are None where the status is
    ``unknown``; the status is that of large sizes.
    """

    name: str
    capacity: int
    status: str
    load: sympy.Expr | None
    fill: sympy.Expr | None
    writeback: sympy.Expr | None
    traffic: sympy.Expr | None  # what crosses the interface: load and writeback, and fill where a write miss loads
    intensity: sympy.Expr | None  # FLOPs per byte; None: nothing moves
    ridge: float | None
    bound: str | None


def in_range(key: SupportsIndex | slice, count: int, what: str) -> SupportsIndex | slice:
    """The index, if there is such an item."""
    if not isinstance(key, slice) and not -count <= int(key.__index__()) < count:
        raise IndexError(f"{key} is out of range: there are {count} {what}, from 0 to {count - 1}")
    return key


class Levels(tuple[Level, ...]):
    """The levels, the nearest first: by number, or by name (``levels["DRAM"]``)."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Level: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Level, ...]: ...
    def __getitem__(self, key: SupportsIndex | slice | str) -> Level | tuple[Level, ...]:
        if not isinstance(key, str):
            return super().__getitem__(in_range(key, len(self), "levels"))
        for level in self:
            if level.name == key:
                return level
        raise AnalysisError(f"no level is called {key}; {among(key, (level.name for level in self))}")


def levels_of(report: KernelReport) -> Iterator[Level]:
    run = report.pieces
    written = TrafficPieces(report.cost) if report.cost.fused else run
    for level in report.levels:
        pieces = written.at(level.capacity, level.sharing)
        moved = pieces if run is written else run.at(level.capacity, level.sharing)
        ratio = level.intensity if pieces else None
        yield Level(
            name=level.name,
            capacity=level.capacity,
            status=level.traffic.status,
            load=_piecewise(pieces, lambda moved: moved.load),
            fill=_piecewise(pieces, lambda moved: moved.fill),
            writeback=_piecewise(pieces, lambda moved: moved.writeback),
            traffic=_piecewise(pieces, lambda moved: figures.moved(moved, report.machine)),
            intensity=None
            if ratio is None
            else _piecewise(moved, lambda moved: figures.moved(moved, report.machine), ratio.flops),
            ridge=level.ridge,
            bound=level.bound,
        )


def _piecewise(
    pieces: Sequence[TrafficPiece], figure: Callable[[Movement], Expr], ratio_of: Expr | None = None
) -> sympy.Expr | None:
    """One expression where all pieces have the same; with ``ratio_of``, that over it."""
    found = [(piece.when, figure(piece.moved)) for piece in pieces]
    if not found:
        return None
    if len({expr for _, expr in found}) > 1:
        return piecewise_to_sympy(found, ratio_of)
    only = to_sympy(found[-1][1])
    return only if ratio_of is None else to_sympy(ratio_of) / only

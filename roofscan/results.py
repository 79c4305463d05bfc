"""The public face of a report: the same figures, with SymPy expressions in place of roofscan's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from roofscan import api
from roofscan.config.options import Options
from roofscan.cost.memory.base import Movement
from roofscan.errors import AnalysisError
from roofscan.ir.kinds import TrafficStatus
from roofscan.report import figures
from roofscan.roofline.model import KernelReport, Verdict
from roofscan.roofline.pieces import TrafficPiece, TrafficPieces
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.to_sympy import piecewise_to_sympy, to_sympy

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Level:
    """Traffic across one interface, in bytes; ``name`` is the level that serves it.

    The expressions hold for sizes that fill whole cache lines. Where other sizes move other bytes, they are SymPy's
    ``Piecewise``. :meth:`SymbolicReport.at` gives the figures at any size. They are None where the status is
    ``unknown``; the status is that of large sizes.
    """

    name: str
    capacity: int
    status: str
    load: sympy.Expr | None
    fill: sympy.Expr | None
    writeback: sympy.Expr | None
    intensity: sympy.Expr | None  # FLOPs per byte; None: nothing moves
    ridge: float | None
    bound: str | None


@dataclass(frozen=True)
class SymbolicReport:
    """One kernel on one machine. Figures are SymPy expressions in the symbols that ``symbols`` explains. ``flops``,
    ``footprint`` and ``compulsory`` (bytes) are None for a kernel outside the model."""

    _report: KernelReport
    _others: tuple[KernelReport, ...] = ()

    @property
    def name(self) -> str:
        return self._report.cost.kernel.name

    @property
    def path(self) -> str:
        return self._report.cost.kernel.path

    @property
    def line(self) -> int:
        return self._report.cost.kernel.line

    @property
    def status(self) -> str:
        return self._report.cost.status

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(f"line {r.line}: {r.message}" for r in self._report.cost.kernel.reasons)

    @property
    def assumptions(self) -> tuple[str, ...]:
        return self._report.cost.kernel.assumptions

    @property
    def symbols(self) -> Mapping[str, str]:
        return {s.name: s.meaning for s in self._report.cost.kernel.symbols}

    @property
    def flops(self) -> sympy.Expr | None:
        return None if self.status == "unsupported" else to_sympy(self._report.cost.flops)

    @property
    def operations(self) -> Mapping[str, sympy.Expr]:
        return {kind: to_sympy(count) for kind, count in figures.by_class(self._report.cost).items()}

    @property
    def footprint(self) -> sympy.Expr | None:
        return _symbolic(self._report.footprint)

    @property
    def compulsory(self) -> sympy.Expr | None:
        return _symbolic(figures.compulsory_bytes(self._report))

    @property
    def compulsory_status(self) -> TrafficStatus:
        """That of the footprint, too."""
        return figures.compulsory_status(self._report)

    @property
    def levels(self) -> tuple[Level, ...]:
        return tuple(_levels(self._report))

    def at(self, **sizes: int) -> SymbolicReport:
        """The report with these sizes bound, by the names in ``symbols``: its figures are right at any size."""
        if unknown := sizes.keys() - self.symbols.keys():
            raise AnalysisError(f"{self.name} has no {min(unknown)}; it has {', '.join(sorted(self.symbols))}")
        return SymbolicReport(api.report_at(self._report, sizes), tuple(api.report_at(r, sizes) for r in self._others))

    @property
    def verdict(self) -> Verdict:
        return self._report.verdict

    @property
    def elsewhere(self) -> tuple[SymbolicReport, ...]:
        return tuple(SymbolicReport(report) for report in self._others)

    def to_dict(self) -> dict[str, Any]:
        from roofscan.report.json_ import kernel_json

        return kernel_json((self._report, *self._others))


def from_file(path: str | os.PathLike[str], options: Options | None) -> list[SymbolicReport]:
    return _public(lambda chosen: api.analyze_file(os.fspath(path), chosen), options)


def from_source(text: str, filename: str, options: Options | None) -> list[SymbolicReport]:
    return _public(lambda chosen: api.analyze_source(text, filename, chosen), options)


def _public(analyze: Callable[[Options], api.FileReport], options: Options | None) -> list[SymbolicReport]:
    try:
        report = analyze(replace(options or Options(kernels="all"), layers=True))
    except api.OptionError as error:
        raise AnalysisError(str(error)) from None
    if report.error:
        raise AnalysisError(str(report.error))
    return [SymbolicReport(kernel.reports[0], kernel.reports[1:]) for kernel in report.kernels]


def _levels(report: KernelReport) -> Iterator[Level]:
    written = run = TrafficPieces(report.cost)
    if report.cost.fused:
        run = TrafficPieces(report.cost.fused)
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


def _symbolic(expr: Expr | None) -> sympy.Expr | None:
    return None if expr is None else to_sympy(expr)

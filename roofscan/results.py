"""The public face of a report: the same figures, with SymPy expressions in place of roofscan's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from roofscan import api
from roofscan.config.options import Options
from roofscan.cost.memory.base import Movement
from roofscan.errors import AnalysisError
from roofscan.report import figures
from roofscan.roofline.model import KernelReport, LevelReport, Verdict
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.to_sympy import to_sympy

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Level:
    """Traffic across one interface, in bytes; ``name`` is the level that serves it. The expressions are None where the
    status is ``unknown``."""

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
    def levels(self) -> tuple[Level, ...]:
        return tuple(_level(level) for level in self._report.levels)

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


def _level(level: LevelReport) -> Level:
    known = level.traffic.status != "unknown"
    total: Movement | None = level.traffic.total if known else None
    ratio = level.intensity if known else None
    return Level(
        name=level.name,
        capacity=level.capacity,
        status=level.traffic.status,
        load=_symbolic(total.load if total else None),
        fill=_symbolic(total.fill if total else None),
        writeback=_symbolic(total.writeback if total else None),
        intensity=None if ratio is None else to_sympy(ratio.flops) / to_sympy(ratio.bytes),
        ridge=level.ridge,
        bound=level.bound,
    )


def _symbolic(expr: Expr | None) -> sympy.Expr | None:
    return None if expr is None else to_sympy(expr)

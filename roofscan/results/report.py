"""One kernel as its user sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

from roofscan import api, units
from roofscan.errors import AnalysisError
from roofscan.finding import Finding
from roofscan.ir.kinds import TrafficStatus
from roofscan.report import figures, formatting
from roofscan.report.kernel_view.view import names_of
from roofscan.report.overview.summary import KernelSummary, summary_of
from roofscan.report.time_text import MOST_SIZES, resources
from roofscan.results.levels import Levels, levels_of
from roofscan.roofline.model import Advice, KernelReport, Verdict
from roofscan.roofline.time.prediction import TYPICAL, TimePrediction
from roofscan.suggestions import among
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.to_sympy import piecewise_to_sympy, to_sympy

if TYPE_CHECKING:
    import pandas
    import sympy
    from matplotlib.axes import Axes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, repr=False)
class Report:
    """One kernel on one machine. Figures are SymPy expressions in the symbols that ``symbols`` explains. ``flops``,
    ``footprint`` and ``compulsory`` (bytes) are None for a kernel outside the model."""

    _report: KernelReport
    _others: tuple[KernelReport, ...] = ()

    @property
    def name(self) -> str:
        """The dotted name of the function: ``Class.method``."""
        return self._report.cost.kernel.name

    @property
    def path(self) -> str:
        """The file; of a notebook ``FILE:cell N``; of a text what stands for it in messages."""
        return self._report.cost.kernel.path

    @property
    def line(self) -> int:
        """That of the ``def``, from 1."""
        return self._report.cost.kernel.line

    @property
    def status(self) -> str:
        """``exact``, ``parametric``, ``bounded`` or ``unsupported``, of the counts; each level has its own."""
        return self._report.cost.status

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the status is no better, with lines."""
        return tuple(f"line {r.line}: {r.message}" for r in self._report.cost.kernel.reasons)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the source does not say and the figures rest on."""
        return self._report.cost.kernel.assumptions

    @property
    def symbols(self) -> Mapping[str, str]:
        """The sizes and data of the expressions, with their meaning: ``x_shape_0`` to ``x.shape[0]``."""
        return {s.name: s.meaning for s in self._report.cost.kernel.symbols}

    @property
    def flops(self) -> sympy.Expr | None:
        """Floating-point operations of a call; None for a kernel outside the model."""
        return None if self.status == "unsupported" else to_sympy(self._report.cost.flops)

    @property
    def operations(self) -> Mapping[str, sympy.Expr]:
        """How many operations of each kind a call makes."""
        return {kind: to_sympy(count) for kind, count in figures.by_class(self._report.cost).items()}

    @property
    def footprint(self) -> sympy.Expr | None:
        """Bytes of the elements that a call touches; None where they are not known."""
        return _symbolic(self._report.footprint)

    @property
    def compulsory(self) -> sympy.Expr | None:
        """Bytes that a call must move at least, with the largest cache; None where they are not known."""
        return _symbolic(figures.compulsory_bytes(self._report))

    @property
    def compulsory_status(self) -> TrafficStatus:
        """That of the footprint, too."""
        return figures.compulsory_status(self._report)

    @property
    def levels(self) -> Levels:
        """The traffic in bytes at each level, by number or name: ``levels["DRAM"].traffic``."""
        return Levels(levels_of(self._report))

    @property
    def intensity(self) -> sympy.Expr | None:
        """FLOPs per byte at the level that binds, else at the outermost; None where nothing moves."""
        named = {level.name: level for level in self.levels}
        wanted = (self.verdict.limit or "", self.verdict.level or "", *reversed(named))
        return next((named[name].intensity for name in wanted if name in named), None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What ``roofscan check`` says of it."""
        return self._report.findings

    @property
    def machine(self) -> str | None:
        """The name of the machine; None if the caches were given by their sizes."""
        return self._report.machine.name if self._report.machine else None

    @property
    def advice(self) -> tuple[Advice, ...]:
        """Changes that would pay, with the intensity and the gain of each."""
        return self._report.advice

    @property
    def summary(self) -> KernelSummary:
        """Its row in the overview."""
        return summary_of(self._report)

    def at(self, **sizes: int) -> Report:
        """The report with these sizes bound, by the names in ``symbols`` or the short ones of the printed report: its
        figures are right at any size."""
        shown = {short: name for name, short in names_of((self._report, *self._others)).items()}
        sizes = {shown.get(name, name): value for name, value in sizes.items()}
        if unknown := sizes.keys() - self.symbols.keys():
            names = {name: f"{name} ({short})" for short, name in shown.items() if name in self.symbols}
            known = [names.get(name, name) for name in self.symbols]
            said = among(min(unknown), known) if known else "it has no sizes"
            raise AnalysisError(f"{self.name} has no {min(unknown)}; {said}")
        integers = {s.name for s in self._report.cost.kernel.symbols if s.kind in ("size", "tile", "int")}
        for name, value in sizes.items():
            if not isinstance(value, Real) or not isfinite(value):
                raise AnalysisError(f"{name}={value!r} is not a number; write {name}=1000")
            if name in integers and value != int(value):
                raise AnalysisError(f"{name}={value!r} is not an integer; write {name}={round(value)}")
        whole = {name: int(value) if value == int(value) else Fraction(value) for name, value in sizes.items()}
        bound = self._report.cost.kernel.values
        for name in sorted(whole.keys() & bound.keys()):
            if bound[name].constant not in (None, whole[name]):
                raise AnalysisError(f"{name} is bound to {bound[name]}; leave it out of bind to choose it here")
        return Report(api.report_at(self._report, whole), tuple(api.report_at(r, whole) for r in self._others))

    @property
    def verdict(self) -> Verdict:
        """What limits the kernel on the machine, and why there is no answer where there is none."""
        return self._report.verdict

    @property
    def elsewhere(self) -> tuple[Report, ...]:
        """The reports on the machines after the first."""
        return tuple(Report(report) for report in self._others)

    @property
    def seconds(self) -> sympy.Expr | None:
        """The expected time of a call in the sizes: SymPy's ``Piecewise`` where it depends on which of them fit the
        caches, along the sizes that grow together. :meth:`predict` gives it at any size."""
        pieces = self.with_time_pieces[0].time_pieces
        return piecewise_to_sympy([(p.when, p.expected) for p in pieces]) if pieces else None

    @cached_property
    def with_time_pieces(self) -> tuple[KernelReport, ...]:
        """The records behind it, one per machine, with the expected time in pieces."""
        return tuple(map(api.with_time_pieces, (self._report, *self._others)))

    def predict(self, *unnamed: object, **sizes: int) -> Prediction:
        """The expected time of a call at these sizes, by name: ``report.predict(n=1000)``."""
        if unnamed:
            name = next(iter(sorted(self.verdict.sizes)), "n")
            raise TypeError(f"predict takes sizes by name; write predict({name}={unnamed[0]!r:.80})")
        bound = self.at(**sizes)._report
        time = figures.time_at_binding(bound)
        free = sorted(bound.verdict.sizes)
        if wrong := [name for name in free if name in sizes]:
            raise AnalysisError(f"{wrong[0]}={sizes[wrong[0]]} is not a size; write a larger one")
        if free:
            raise AnalysisError(f"predict needs {', '.join(f'{name}=…' for name in free)} too")
        if not isinstance(time, TimePrediction):
            raise AnalysisError(f"{self.name} has no expected time: {time.why if time else 'no machine'}")
        rates = figures.expected_rates(bound)
        low, high = (time.expected * factor for factor in TYPICAL)
        return Prediction(
            time.expected, (low, high), time.at_least, time.limit, rates.flops, rates.bytes, rates.level, bound.on_gpu
        )

    def __repr__(self) -> str:
        bound = f"{self.verdict.bound}-bound" if self.verdict.bound else self.verdict.reason or "no verdict"
        limit = self.verdict.limit or self.verdict.level or ""
        words = resources(self._report.cost.kernel.on_gpu)
        what = f" by {words[limit]}" if limit in words else f" at {limit}"
        at = what if self.verdict.bound == "memory" else ""
        found = units.counted(len(self.findings), "finding")
        flops = "" if self.flops is None else f"{self.flops} FLOPs, "
        return f"<Report {self.name}: {self.status}, {bound}{at}, {self._time_said}{flops}{found}>"

    @property
    def _time_said(self) -> str:
        time, sizes = self._report.time, self.verdict.sizes
        if not isinstance(time, TimePrediction) or self.verdict.reason:
            return ""
        return f"{units.duration(time.expected)}{f' at {formatting.equal_sizes(sizes, MOST_SIZES)}' if sizes else ''}, "

    def _repr_html_(self) -> str:
        from roofscan.report.cell_html import render_cell

        return render_cell(self._report)

    def to_dict(self) -> dict[str, Any]:
        """What :meth:`to_json` writes."""
        from roofscan.report.json_ import kernel_json

        return kernel_json(self.with_time_pieces)

    def to_json(self) -> str:
        """One kernel as in ``roofscan report --format json``."""
        from roofscan.report.json_ import dump

        return dump(self.to_dict())

    def to_dataframe(self) -> pandas.DataFrame:
        """A row per level: expressions as SymPy has them, bytes and FLOPs per byte."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise ImportError("to_dataframe needs pandas: pip install 'roofscan[notebook]'") from None
        columns = ("name", "capacity", "status", "traffic", "intensity", "ridge", "bound")
        rows = [[self.name, self.flops, *(getattr(level, c) for c in columns)] for level in self.levels]
        return pandas.DataFrame(rows, columns=["kernel", "flops", "level", *columns[1:]])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Its roofline on ``ax`` (matplotlib), or on new Axes, which are returned."""
        return plotted((self,), ax)


def plotted(reports: Sequence[Report], ax: Axes | None) -> Axes:
    """Their rooflines on Axes: of one report a point a level, of several a point a kernel."""
    if ax is not None and not hasattr(ax, "transAxes"):
        raise TypeError(f"plot takes Axes of matplotlib, not {ax!r:.40}; write report.plot(ax)")
    try:
        from roofscan.report.charts.axes import draw_kernels, draw_roofline

        if len(reports) == 1:
            return draw_roofline(reports[0]._report, ax)
        return draw_kernels([report._report for report in reports], ax)
    except ValueError as error:
        whose = (
            f"{reports[0].name} has no place" if len(reports) == 1 else f"none of {len(reports)} kernels has a place"
        )
        raise AnalysisError(f"{whose} on a roofline: {error}") from None
    except ModuleNotFoundError:
        raise ImportError("plot needs matplotlib: pip install 'roofscan[charts]'") from None


SymbolicReport = Report
"""The name of before."""


def _symbolic(expr: Expr | None) -> sympy.Expr | None:
    return None if expr is None else to_sympy(expr)


@dataclass(frozen=True)
class Prediction:
    """The expected time of a call with sizes given; times in seconds."""

    seconds: float
    typical: tuple[float, float]  # 0.8 to 1.5 times that
    at_least: float
    limit: str  # what takes most of the time: a level, "tlb", "chain", …
    flops_per_second: float
    bytes_per_second: float  # across the interface of ``level``; 0 where that does not limit
    level: str
    on_gpu: bool = False

    def __repr__(self) -> str:
        low, high = map(units.duration, self.typical)
        limit = resources(self.on_gpu).get(self.limit, self.limit)
        return f"<{units.duration(self.seconds)} a call ({low} to {high}), limited by {limit}>"

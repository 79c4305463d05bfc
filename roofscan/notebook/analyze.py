"""``roofscan.analyze``: a path, a source text or a live function, as reports."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, overload

from roofscan import api
from roofscan.config import values
from roofscan.config.options import Options
from roofscan.errors import AnalysisError
from roofscan.frozen import dataclass
from roofscan.notebook.live_source import source_of
from roofscan.parse.reader.facts import parse_facts
from roofscan.report.cell_html import render_cells
from roofscan.report.json_ import machine_json, render_json
from roofscan.results.entry import reports_of
from roofscan.results.levels import in_range
from roofscan.results.report import Report, plotted
from roofscan.suggestions import among

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

KEYWORDS = ("machine", "bind", "threads", "cold", "function")


@dataclass(frozen=True)
class Reports(Sequence[Report]):
    """Several kernels, in the order of the source: by number, or by name."""

    reports: tuple[Report, ...]

    @overload
    def __getitem__(self, key: int | str) -> Report: ...
    @overload
    def __getitem__(self, key: slice) -> Reports: ...
    def __getitem__(self, key: int | str | slice) -> Report | Reports:
        if isinstance(key, slice):
            return Reports(self.reports[key])
        if isinstance(key, int):
            in_range(key, len(self), "reports")
            return self.reports[key]
        found = [r for r in self.reports if key in (r.name, r.name.rpartition(".")[2])]
        if not found:
            raise AnalysisError(f"no kernel is called {key}; {among(key, (r.name for r in self.reports))}")
        return found[0]

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[Report]:
        return iter(self.reports)

    if not TYPE_CHECKING:  # a type checker says it in its own words

        def __getattr__(self, name: str) -> object:
            """What one report has is asked of one: it says how."""
            if name in dir(Report) and not name.startswith("_"):
                first = self.reports[0].name if self.reports else "NAME"
                raise AttributeError(
                    f"{name} belongs to one report, and there are {len(self)} here; write reports[{first!r}].{name}"
                )
            raise AttributeError(f"'Reports' has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<{len(self)} reports: {', '.join(r.name for r in self)}>"

    def _repr_html_(self) -> str:
        return render_cells([report.summary for report in self])

    def to_dataframe(self) -> pandas.DataFrame:
        """A row per kernel and level."""
        frames = [report.to_dataframe() for report in self]
        import pandas

        return pandas.concat(frames, ignore_index=True)

    def plot(self, ax: Axes | None = None) -> Axes:
        """All of them on one roofline: a point a kernel, at the outermost level, where the verdict's sizes put it.
        ``ax`` is Axes of matplotlib; without it, new Axes are made. They are returned."""
        return plotted(self.reports, ax)

    def to_json(self) -> str:
        """The document of ``roofscan report --format json``."""
        every = [report.with_time_pieces for report in self]
        machines = [report.machine for report in every[0] if report.machine] if every else []
        return render_json(every, [machine_json(machine) for machine in machines])


def analyze(
    obj: str | os.PathLike[str] | Callable[..., object],
    machine: str | Sequence[str] | None,
    bind: str | Mapping[str, object] | None,
    threads: int | None,
    cold: bool,
    function: str | None,
    unknown: Mapping[str, object],
) -> Report | Reports:
    if unknown:
        name = min(unknown)
        raise TypeError(f"analyze has no keyword {name}; {among(name, KEYWORDS)}")
    facts = _facts(bind)
    named = (machine,) if isinstance(machine, str) else () if machine is None else machine
    if machine is not None and not named:
        raise TypeError("machine is an empty list; leave it out, or name one: `roofscan machine list` has them")
    if not isinstance(named, Sequence) or not all(isinstance(name, str) for name in named):
        raise TypeError(f"machine is a name or a list of names, not {machine!r:.80}; `roofscan machine list` has them")
    if not isinstance(cold, bool):
        raise TypeError(f"cold is True or False, not {cold!r:.80}")
    try:
        cores = None if threads is None else values.threads(threads)
        options = Options(kernels="all", machines=tuple(named), bind=facts, threads=cores, cold=cold, layers=True)
        file = _read(obj, function, options)
        known = {name for kernel in file.kernels for name in kernel.names}
        unbound = [name for name in parse_facts(facts).names if name not in known]
    except api.OptionError as error:
        raise AnalysisError(error.about(error.key.lstrip("-"))) from None
    except ValueError as error:
        raise AnalysisError(str(error)) from None
    if file.missing:
        raise AnalysisError(f"{file.path} has no function {file.missing[0]}; {among(file.missing[0], file.functions)}")
    if unbound and known:
        raise AnalysisError(f"bind: no kernel has {unbound[0]}; {among(unbound[0], known)}")
    reports = reports_of(file)
    if not reports:
        raise AnalysisError(f"{file.path} has no kernel{_asked_by_name(file.functions)}")
    return reports[0] if len(reports) == 1 else Reports(tuple(reports))


def _asked_by_name(functions: Sequence[str]) -> str:
    if not functions:
        return ", and no function either"
    return f": no function that is compiled or loops over arrays; function={functions[0]!r} reports one that you name"


def _facts(bind: str | Mapping[str, object] | None) -> str:
    if bind is None or isinstance(bind, str):
        return bind or ""
    if not isinstance(bind, Mapping):
        raise TypeError(f"bind is a string such as 'n=1000' or a dict, not {type(bind).__name__}")
    return " ".join(f"{name}={_fact(value)}" for name, value in bind.items())


def _fact(value: Any) -> str:
    """An array of NumPy by its type, sizes and order; anything else as it prints."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if not shape or dtype is None:
        return str(value)
    is_fortran = len(shape) > 1 and value.flags.f_contiguous and not value.flags.c_contiguous
    return f"{dtype.name}[{','.join(map(str, shape))}]{'F' * is_fortran}"


def _read(obj: Any, function: str | None, options: Options) -> api.FileReport:
    obj = getattr(obj, "__file__", obj) if isinstance(obj, ModuleType) else obj
    if not isinstance(obj, (str, os.PathLike)):
        if function is not None:
            raise AnalysisError("function chooses one of a path or a text; leave it out for a live function")
        live = source_of(obj)
        file = api.analyze_source(live.text, live.path, options, functions=[live.function], follow=live.is_file)
        own = tuple(kernel for kernel in file.kernels if kernel.kernel.first_line == live.line)
        return replace(file, kernels=own or file.kernels)
    text = os.fspath(obj)
    if not text.strip():
        raise AnalysisError("the source text is empty; pass a function, a path or a source text")
    functions = [function] if function else []
    if "\n" in text:
        return api.analyze_source(text, "<text>", options, functions=functions)
    path, mark, name = text.rpartition("::")
    if mark and not os.path.exists(text):
        text, functions = path, [name]
    if not os.path.exists(text):
        raise AnalysisError(f"there is no file {values.shown(text)}; check the path (a source text has several lines)")
    if os.path.isdir(text):
        raise AnalysisError(f"{values.shown(text)} is a folder; name one of its files, or run `roofscan report` on it")
    return api.analyze_file(text, options, functions)

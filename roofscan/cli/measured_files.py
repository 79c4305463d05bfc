"""``report --measured``: each measurement to its kernel, compared at its sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from roofscan.api import KernelResult, report_at
from roofscan.cli.errors import UsageError
from roofscan.config import values
from roofscan.counters.kernel_names import owners, parts_of
from roofscan.counters.read import MeasuredFile, read_measured
from roofscan.errors import OptionError
from roofscan.measurement import Compared, Measurement
from roofscan.report.compared import compared
from roofscan.report.figures import bound_values
from roofscan.roofline.model import KernelReport


def with_measured(kernels: Sequence[KernelResult], words: Sequence[str]) -> tuple[list[KernelResult], list[str]]:
    """The kernels with what was measured of them, and a line for each file with rows of no kernel."""
    try:
        files = [read_measured(word) for word in words]
    except OptionError as error:
        raise UsageError(f"--measured: {error}") from None
    names = [(kernel.kernel.path, kernel.kernel.name) for kernel in kernels]
    found: list[list[Measurement]] = [[] for _ in kernels]
    complaints: list[str] = []
    for file in files:
        left: dict[str, int] = {}
        for measurement in file.measurements:
            of = _owners(measurement, file, names)
            if len(of) == 1:
                found[of[0]].append(measurement)
            else:
                left.setdefault(measurement.kernel, len(of))
        complaints += _complaints(file, left)
    complaints += [text for kernel, own in zip(kernels, found, strict=True) for text in _unknown_sizes(kernel, own)]
    shown = [_compared(kernel, own) for kernel, own in zip(kernels, found, strict=True)]
    return shown, [*complaints, *(text for kernel in shown for text in _free_sizes(kernel))]


def _owners(measurement: Measurement, file: MeasuredFile, names: Sequence[tuple[str, str]]) -> list[int]:
    """The kernels of a measurement; one without a name is of the only kernel, or of the one that the file is called
    after."""
    if measurement.kernel:
        return owners(measurement.kernel, names)
    return [0] if len(names) == 1 else owners(PurePath(file.path).stem, names)


def _complaints(file: MeasuredFile, left: dict[str, int]) -> Iterator[str]:
    """One line for the names of no kernel, one for those of several, one for a file that names none."""
    path = values.plain(file.path)
    if file.measurements and not any(m.seconds or m.flops or m.bytes for m in file.measurements):
        yield f"{path} has no time, no FLOPs and no bytes of a level; record one of them"
    if "" in left:
        yield f"{path} names no kernel; write --measured KERNEL={path}"
    unknown = [_named(name) for name, count in left.items() if name and not count]
    if unknown:
        more = f" and {len(unknown) - 4} more" if len(unknown) > 4 else ""
        yield f"{path}: no reported kernel is called {', '.join(unknown[:4])}{more}; they are left out"
    several = [_named(name) for name, count in left.items() if name and count]
    if several:
        yield f"{path}: several reported kernels are called {', '.join(several[:4])}; name one as PATH::FUNCTION"


def _named(written: str) -> str:
    return values.shown(".".join(parts_of(written)) or written)


def _unknown_sizes(kernel: KernelResult, measurements: Sequence[Measurement]) -> Iterator[str]:
    known = _symbols(kernel)
    unknown = {name: m.place for m in measurements for name in m.sizes if name not in known}
    for name, place in unknown.items():
        yield f"{values.plain(place)}: {values.shown(name)} is not a symbol of {kernel.kernel.name}; it is left out"


def _free_sizes(kernel: KernelResult) -> Iterator[str]:
    """A line where no size of a measurement is known, so that nothing is predicted."""
    report = kernel.reports[0]
    given = {name for each in report.measured for name in each.measurement.sizes}
    free = sorted({s.name for s in kernel.kernel.symbols if s.kind in ("size", "int")} & report.cost.free - given)
    if report.measured and free:
        yield f"{kernel.kernel.name}: the measured sizes are not known; bind {', '.join(free)} with --bind"


def _symbols(kernel: KernelResult) -> frozenset[str]:
    return frozenset(symbol.name for symbol in kernel.kernel.symbols)


def _compared(kernel: KernelResult, measurements: Sequence[Measurement]) -> KernelResult:
    known = _symbols(kernel)
    own = [replace(m, sizes={n: v for n, v in m.sizes.items() if n in known}) for m in measurements]
    reports = (replace(report, measured=tuple(_at_its_sizes(m, report) for m in own)) for report in kernel.reports)
    return replace(kernel, reports=tuple(reports)) if own else kernel


def _at_its_sizes(measurement: Measurement, report: KernelReport) -> Compared:
    here = bound_values(report.cost)
    elsewhere = any(here.get(name) != size for name, size in measurement.sizes.items())
    return compared(measurement, report_at(report, measurement.sizes) if elsewhere else report)

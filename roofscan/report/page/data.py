"""What the page's script draws and evaluates, as plain lists: machines' roofs, and each kernel's expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roofscan.cost.by_line import work_by_line
from roofscan.cost.result import KernelCost
from roofscan.ir.kinds import SymbolKind
from roofscan.ir.visitor import accesses
from roofscan.report.charts.roofline_data import Panel, panels, part_of
from roofscan.report.figures import moved, plain_number
from roofscan.report.graph.drawing import drawing_of
from roofscan.report.kernel_view.view import names_of
from roofscan.report.page.trees import Tree, tree
from roofscan.report.short_names import renamed
from roofscan.report.time_text import resources
from roofscan.roofline.model import KernelReport, LevelReport
from roofscan.roofline.size_paths import free_sizes
from roofscan.roofline.time.prediction import CORE, TimePrediction

Json = dict[str, Any]
Sources = Mapping[str, Sequence[str]]
"""The lines of files, by path; without those that may not be shown."""

MOST_LETTERS = 30_000  # of one list of expressions

SHARES: tuple[SymbolKind, ...] = ("share", "flag")


def page_data(kernels: Sequence[Sequence[KernelReport]], anchors: Sequence[str], sources: Sources) -> Json:
    roofs = panels(kernels)
    places = {(panel.machine, panel.scope, panel.precision): at for at, panel in enumerate(roofs)}
    return {
        "panels": [_panel(panel) for panel in roofs],
        "kernels": [_kernel(reports, name, places, sources) for reports, name in zip(kernels, anchors, strict=True)],
    }


def _panel(panel: Panel) -> Json:
    levels = [*reversed(panel.caches), panel.memory]
    return {
        "name": f"{panel.machine}, {panel.scope}, {panel.precision}",
        "machine": panel.machine,
        "scope": panel.scope,
        "precision": panel.precision,
        "levels": [[roof.name, roof.bandwidth] for roof in levels],
        "ceilings": [[ceiling.name, ceiling.flops] for ceiling in panel.ceilings],
    }


def _kernel(
    reports: Sequence[KernelReport], anchor: str, places: Mapping[tuple[str, str, str], int], sources: Sources
) -> Json:
    first = reports[0]
    kernel, cost = first.cost.kernel, first.cost
    names = names_of(reports)
    found: Json = {"id": anchor, "name": kernel.name, "symbols": list(_symbols(first, names))}
    if cost.status != "unsupported":
        found["flops"] = tree(cost.flops)
        found["machines"] = [_on_machine(report, places, names) for report in reports]
        found["steps"] = _within([[tree(s.needs), tree(s.then), tree(s.otherwise)] for s in first.steps])
        found["work"] = _work(first, names)
        found["graph"] = _graph(cost)
    lines = sources.get(kernel.path)
    if lines:
        found["source"] = [kernel.line, *lines[kernel.line - 1 : kernel.end_line]]
    return found


def _symbols(report: KernelReport, names: Mapping[str, str]) -> Iterator[list[Any]]:
    """Name, meaning, kind, value at the verdict and shown name of each free symbol."""
    cost, sizes = report.cost, report.verdict.sizes
    grows = set(free_sizes(cost))
    for symbol in cost.kernel.symbols:
        if symbol.name in cost.free:
            kind = "share" if symbol.kind in SHARES else "size" if symbol.name in grows else "held"
            start = plain_number(sizes.get(symbol.name, cost.sample_point.get(symbol.name, 1)))
            yield [symbol.name, symbol.meaning, kind, start, names.get(symbol.name, symbol.name)]


def _on_machine(report: KernelReport, places: Mapping[tuple[str, str, str], int], names: Mapping[str, str]) -> Json:
    verdict, machine = report.verdict, report.machine
    key = (machine.name, part_of(report), report.precision or "") if machine else ("", "", "")
    return {
        "panel": places.get(key),
        "name": machine.name if machine else "",
        "roof": verdict.roof,
        "bound": verdict.bound,
        "limit": verdict.limit or verdict.level,
        "levels": [_level(report, level, names) for level in report.levels],
        "tables": table_rows(report, names),
        "times": _within(times(report)),
    }


def _level(report: KernelReport, level: LevelReport, names: Mapping[str, str]) -> list[Any]:
    """Name, capacity, bandwidth, ridge, the bytes in pieces (conditions, each at least 0, and expression), and by
    array."""
    roof = report.verdict.roof
    bandwidth = roof / level.ridge if roof and level.ridge else None
    found = [] if level.traffic.status == "unknown" else report.pieces.at(level.capacity, level.sharing)
    moves = [[list(map(tree, piece.when)), tree(moved(piece.moved, report.machine))] for piece in found]
    return [level.name, level.capacity, bandwidth, level.ridge, _within(moves), _arrays(level, report, names)]


def _within(trees: list[Any]) -> list[Any]:
    """Nothing in place of what would make the page large."""
    return trees if len(str(trees)) <= MOST_LETTERS else []


def _arrays(level: LevelReport, report: KernelReport, names: Mapping[str, str]) -> list[Tree]:
    """What each array moves: its name, the bytes, and the lines of its accesses."""
    kernel = report.cost.kernel
    lines: dict[str, set[int]] = {}
    for access in accesses(kernel.body):
        lines.setdefault(kernel.array(access.array).owner, set()).add(access.line)
    found = {name: moved(m, report.machine) for name, m in (level.fused_arrays or level.traffic.arrays).items()}
    return [[name, renamed(str(expr), names), *sorted(lines.get(name, ()))] for name, expr in found.items() if expr]


def _work(report: KernelReport, names: Mapping[str, str]) -> list[list[Tree]]:
    """Line, FLOPs and bytes between the core and its nearest cache, and the FLOPs as text."""
    kernel = report.cost.kernel
    here = range(kernel.line, kernel.end_line + 1)
    rows = sorted(work_by_line(report.cost).items())
    return [
        [line, tree(work.flops), tree(work.moved), renamed(str(work.flops), names)]
        for line, work in rows
        if line in here
    ]


def _graph(cost: KernelCost) -> Json | None:
    """The dataflow graph, laid out; None where there is one operation at most."""
    drawing = drawing_of(cost)
    if sum(box.is_operation for box in drawing.boxes) < 2:
        return None
    groups = [name for name, _ in drawing.groups]
    layout = drawing.layout
    return {
        "size": [layout.columns, layout.rows],
        "boxes": [
            [*layout.centres[b.name], groups.index(b.group) if b.group in groups else -1, *filter(None, b.lines)]
            for b in drawing.boxes
        ],
        "arrows": [[style, *layout.routes[start, end]] for start, end, style in drawing.arrows],
        "groups": [text for _, text in drawing.groups],
        "notes": list(drawing.notes),
    }


def times(report: KernelReport) -> list[list[Any]]:
    """At the sizes of the verdict, then in pieces, the one of the verdict last: conditions (each at least 0), seconds,
    what limits, whether that is the memory, and what limits in words."""
    time = report.time
    if not isinstance(time, TimePrediction):
        return []
    there: tuple[list[Tree], Tree, str] = (_at_the_verdict(report, time), float(time.expected), time.limit)
    pieces = [([*map(tree, p.when)], tree(p.expected), p.limit) for p in report.time_pieces or ()]
    words = resources(report.on_gpu)
    return [
        [when, seconds, limit, limit not in CORE, words.get(limit, limit)] for when, seconds, limit in (there, *pieces)
    ]


def _at_the_verdict(report: KernelReport, time: TimePrediction) -> list[Tree]:
    """That what counts is as large as the verdict says."""
    counts = report.cost.free if time.sizes is None else report.cost.free & time.sizes
    return list(_equal({name: size for name, size in report.verdict.sizes.items() if name in counts}))


def _equal(sizes: Mapping[str, Any]) -> Iterator[Tree]:
    for name, size in sizes.items():
        value = plain_number(size)
        if value is not None:
            yield ["+", name, -value]
            yield ["+", value, ["*", -1, name]]


def table_rows(report: KernelReport, names: Mapping[str, str]) -> list[list[Tree]]:
    """Of the last table, as in the text: its name, the pages that miss there, and these as text."""
    return [[t.name, tree(t.missed), renamed(str(t.missed), names)] for t in report.translations[-1:]]

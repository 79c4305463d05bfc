"""What the caches do with one kernel, for people: layer conditions, the steps of its traffic, its arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from roofscan import units
from roofscan.cost.memory.base import Movement
from roofscan.frozen import dataclass
from roofscan.report import formatting
from roofscan.report.figures import bound_values, moved, shown_sizes, value_of
from roofscan.report.layer_sentences import LayerFormatter, formatter_on, page_formatter_on
from roofscan.roofline.layer_conditions import SIGNIFICANT_SHARE, significant
from roofscan.roofline.model import KernelReport, LayerCondition, LevelReport
from roofscan.symbolic.expr import ZERO, Expr

MAX_ARRAYS = 6  # arrays that have a row; those that move least share the last one
CELL_WIDTH = 20
FAR_BELOW = 16  # a step at distances so many times smaller than the smallest cache has no row


@dataclass(frozen=True)
class Grid:
    """A small table: its columns' heads, and its rows. The first ``words`` columns are text, the others figures.
    A page folds one that ``is_detail``."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    is_detail: bool = False


@dataclass(frozen=True)
class CacheView:
    conditions: tuple[str, ...] = ()  # one sentence each
    grids: tuple[Grid, ...] = ()


def cache_view(report: KernelReport, several: bool = False) -> CacheView:
    """Conditions in words; with all sizes bound, the steps of the traffic too; and the traffic of each array. For
    ``several`` machines side by side, only the conditions."""
    formatter = formatter_on(report)
    conditions = (*(formatter.sentence(step) for step in significant(report.steps)), *_of_pages(report))
    if several:
        return CacheView(conditions)
    alike = groupby(report.steps, key=lambda step: step.sharing)
    grids = (*(_steps(tuple(steps), formatter) for _, steps in alike), _arrays(report))
    return CacheView(conditions, tuple(grid for grid in grids if grid is not None))


def _of_pages(report: KernelReport) -> Iterator[str]:
    """What the tables of address translations must hold."""
    for table in report.translations[-1:]:
        formatter = page_formatter_on(report, table)
        yield from (formatter.sentence(step) for step in significant(table.steps))


# -- traffic over capacity ------------------------------------------------------------------------
def _steps(steps: Sequence[LayerCondition], formatter: LayerFormatter) -> Grid | None:
    if formatter.cost.free:
        return None
    sample_point, smallest = (
        formatter.cost.sample_point,
        min((fit.capacity for step in steps for fit in step.fits), default=0),
    )
    shown = [
        s
        for s in steps
        if s.share >= SIGNIFICANT_SHARE and (value_of(s.needs, sample_point) or 0) * FAR_BELOW >= smallest
    ]
    if not shown:
        return None
    sizes = ["infinite", *(f"< {_size(step, formatter)}" for step in shown)]
    figures = [shown[0].then, *(step.otherwise for step in shown)]
    lost = ["", *(formatter.subject(step) for step in shown)]
    rows = tuple(
        (size, what, formatter.moved(figure), formatter.rate(figure))
        for size, what, figure in zip(sizes, lost, figures, strict=True)
    )
    threads = steps[0].sharing.threads
    head = f"cache of {threads} threads" if threads > 1 else "cache of"
    return Grid((head, "does not fit", "traffic", "B per iteration"), rows, words=2)


def _size(step: LayerCondition, formatter: LayerFormatter) -> str:
    return units.capacity(round(value_of(step.needs, formatter.cost.sample_point) or 0))


# -- traffic by array -----------------------------------------------------------------------------
def _arrays(report: KernelReport) -> Grid | None:
    """What each array moves at each interface of a cache, the one that moves most at memory first."""
    levels = [level for level in report.levels if level.capacity and level.traffic.status != "unknown"]
    names = set[str]().union(*(_movements(level) for level in levels))
    names = {name for name in names if any(_at(report, level, name) for level in levels)}
    if len(names) < 2:
        return None
    kept = sorted(names, key=lambda name: (-_at(report, levels[-1], name), name))
    rest = kept[MAX_ARRAYS:] if len(kept) > MAX_ARRAYS + 1 else []
    rows = [(a, *(_cell(report, level, [a]) for level in levels)) for a in kept[: len(kept) - len(rest)]]
    if rest:
        rows.append((f"{len(rest)} more", *(_cell(report, level, rest) for level in levels)))
    return Grid(("array", *_interfaces(report)), tuple(rows))


def _interfaces(report: KernelReport) -> list[str]:
    if report.machine is None:
        return [f"cache of {units.capacity(level.capacity)}" for level in report.levels if level.capacity]
    return [f"{outer.name} → {inner.name}" for inner, outer in pairwise(report.levels)]


def _movements(level: LevelReport) -> Mapping[str, Movement]:
    return level.traffic.arrays if level.fused_arrays is None else level.fused_arrays


def _bytes(report: KernelReport, level: LevelReport, names: Sequence[str]) -> Expr:
    movements = _movements(level)
    return sum((moved(movements[name], report.machine) for name in names if name in movements), start=ZERO)


def _at(report: KernelReport, level: LevelReport, name: str) -> float:
    return value_of(_bytes(report, level, [name]), report.cost.sample_point) or 0.0


def _cell(report: KernelReport, level: LevelReport, names: Sequence[str]) -> str:
    total = _bytes(report, level, names)
    number = value_of(total, bound_values(report.cost))
    status = level.fused_status or level.traffic.status
    if number is not None:
        return formatting.sureness(status) + units.si(number, "B")
    return formatting.brief_with_status(status, total, shown_sizes(report), CELL_WIDTH)

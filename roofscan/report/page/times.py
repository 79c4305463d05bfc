"""The expected time of a call as the page evaluates it, and the tables of address translations beside the levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roofscan.report.figures import plain_number
from roofscan.report.page.trees import Tree, tree
from roofscan.report.short_names import renamed
from roofscan.report.time_text import resources
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import CORE, TimePrediction


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

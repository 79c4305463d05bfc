"""Tables of address translations as caches of pages: what misses in them, and up to which sizes they hold a walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.roofline.layer_conditions import steps_at
from roofscan.roofline.model import TableReport
from roofscan.roofline.time.lines import table_pages
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.verdict import RooflinePoint

NAMES = ("first TLB", "TLB")


def tables_on(point: RooflinePoint) -> tuple[TableReport, ...]:
    """Those of the machine, where translations take a part of the expected time; the one that walks miss last."""
    if not isinstance(point.time, TimePrediction) or "tlb" not in point.time.parts:
        return ()
    return tuple(_tables(point))


def with_conditions(tables: tuple[TableReport, ...], point: RooflinePoint) -> tuple[TableReport, ...]:
    """The tables with the steps of the traffic in pages."""
    if not tables:
        return ()
    model = point.interfaces[0].curves.at_line(tables[0].page).traffic_model
    steps = steps_at(model, [(table.name, table.capacity) for table in tables])
    return tuple(replace(table, steps=steps) for table in tables)


def _tables(point: RooflinePoint) -> Iterator[TableReport]:
    page = int(point.machine.timing.page.value)
    model = point.interfaces[0].curves.at_line(page).traffic_model
    for name, capacity in zip(NAMES, table_pages(point.machine), strict=True):
        yield TableReport(name, capacity, page, model.bytes(capacity) / page, model.traffic(capacity).status)

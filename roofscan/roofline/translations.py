"""Tables of address translations as caches of pages: what misses in them, and up to which sizes they hold a walk."""

from __future__ import annotations

from collections.abc import Iterator

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


def _tables(point: RooflinePoint) -> Iterator[TableReport]:
    page = int(point.machine.timing.page.value)
    model = point.interfaces[0].curves.at_line(page).traffic_model
    sizes = list(zip(NAMES, table_pages(point.machine), strict=True))
    steps = steps_at(model, sizes)
    for name, capacity in sizes:
        missed = model.bytes(capacity) / page
        yield TableReport(name, capacity, page, missed, model.traffic(capacity).status, steps)

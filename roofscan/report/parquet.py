"""One row per kernel, machine and level as a Parquet file, for thousands of kernels in pandas or DuckDB. The figures
are those of JSON, an expression and, where its sizes are bound, a value, and those of the overview: the time at the
sizes of the verdict, and the largest gain."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from roofscan.report.json_ import kernel_json
from roofscan.report.overview.summary import KernelSummary, summary_of
from roofscan.roofline.model import KernelReport

TEXT, NUMBER, WHOLE = pa.string(), pa.float64(), pa.int64()


def _amounts(*names: str) -> list[tuple[str, Any]]:
    return [column for name in names for column in ((name, TEXT), (f"{name}_value", NUMBER))]


COLUMNS = pa.schema(
    [
        ("path", TEXT), ("kernel", TEXT), ("line", WHOLE), ("machine", TEXT), ("status", TEXT), ("precision", TEXT),
        ("scope", TEXT), ("bound", TEXT), ("limit", TEXT), ("seconds", NUMBER),
        ("gain", NUMBER), ("remedy", TEXT), ("codes", TEXT),
        *_amounts("flops", "footprint", "compulsory", "expected_seconds", "at_least_seconds"),
        ("level", TEXT), ("capacity", WHOLE), ("level_status", TEXT), ("level_bound", TEXT), ("ridge", NUMBER),
        *_amounts("load", "fill", "writeback", "traffic", "intensity"),
    ]
)  # fmt: skip


def render_parquet(kernels: Sequence[Sequence[KernelReport]]) -> bytes:
    rows = [row for reports in kernels for row in _rows(reports)]
    to = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=COLUMNS), to)
    return to.getvalue()


def _rows(reports: Sequence[KernelReport]) -> Iterator[dict[str, Any]]:
    """A kernel outside the model has one row per machine, without a level."""
    whole = kernel_json(reports)
    for report, seen in zip(reports, (whole, *whole.get("elsewhere", ())), strict=True):
        kernel = {
            "path": whole["path"],
            "kernel": whole["name"],
            "line": whole["line"],
            "machine": report.machine.name if report.machine else None,
            "status": whole["status"],
            **{name: pair for key in ("flops", "footprint", "compulsory") for name, pair in _pair(key, whole[key])},
            **_judged(seen),
            **_summed(summary_of(report)),
        }
        levels: Sequence[dict[str, Any]] = seen["levels"] or ({},)
        for level in levels:
            yield {**kernel, **_level(level)}


def _judged(seen: dict[str, Any]) -> dict[str, Any]:
    verdict, findings = seen["verdict"], seen["findings"]
    times = verdict.get("time_seconds") or {}
    return {
        "precision": seen["precision"],
        "scope": seen["scope"],
        "bound": verdict["bound"],
        "codes": " ".join(dict.fromkeys(f["code"] for f in findings)),
        **dict(_pair("expected_seconds", times.get("expected"))),
        **dict(_pair("at_least_seconds", times.get("at_least"))),
    }


def _summed(summary: KernelSummary) -> dict[str, Any]:
    return {
        "limit": summary.limit or None,
        "seconds": summary.seconds,
        "gain": summary.gain,
        "remedy": summary.change or None,
    }


def _level(level: dict[str, Any]) -> dict[str, Any]:
    if not level:
        return {}
    parts = ("load", "fill", "writeback", "traffic", "intensity")
    return {
        "level": level["name"],
        "capacity": level["capacity"],
        "level_status": level["status"],
        "level_bound": level["bound"],
        "ridge": level["ridge"],
        **{name: value for part in parts for name, value in _pair(part, level[part])},
    }


def _pair(name: str, figure: dict[str, Any] | None) -> Iterator[tuple[str, Any]]:
    """A figure's expression and its value."""
    value = figure["value"] if figure else None
    yield name, figure["expr"] if figure else None
    yield f"{name}_value", None if value is None else float(value)

"""The JSON that ``roofscan measure`` writes."""

from __future__ import annotations

import json
from typing import Any

from roofscan.counters.table import MeasuredText
from roofscan.measurement import SAVED_SCHEMA, Measurement

TOOL = "roofscan measure"


def is_saved(file: MeasuredText) -> bool:
    return file.text.lstrip().startswith("{")


def read(file: MeasuredText) -> list[Measurement]:
    try:
        document = json.loads(file.text)
    except ValueError as error:
        raise file.wrong(getattr(error, "lineno", 1), "is not JSON; write it again with roofscan measure") from None
    if document.get("schema") != SAVED_SCHEMA:
        raise file.wrong(1, f"has no schema {SAVED_SCHEMA}; write it with roofscan measure --output FILE.json")
    return [_measurement(file, row) for row in document.get("measurements", [])]


def _measurement(file: MeasuredText, row: dict[str, Any]) -> Measurement:
    try:
        sizes = {str(name): int(value) for name, value in row["sizes"].items()}
        return Measurement(str(row["kernel"]), TOOL, file.path, float(row["seconds"]), sizes=sizes)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise file.wrong(1, "lacks a figure; write it again with roofscan measure --output FILE.json") from None

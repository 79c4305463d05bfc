"""One kernel, one story: a figure that several outputs or places show is the same in all of them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roofscan import units
from roofscan.api import Options, analyze_source
from roofscan.pipeline.driver import KernelResult
from roofscan.report.charts.roofline_data import panels
from roofscan.report.json_ import kernel_json
from roofscan.report.kernel_view.level_rows import Row
from roofscan.report.kernel_view.view import View, view_of
from roofscan.report.markdown import render_markdown
from roofscan.report.page.document import render_page
from roofscan.report.text import render_text
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.units import digits, si
from tests.support.fixture_results import FILES, ResultsOf

SPEED = re.compile(r"(?:at most|about) ([\d.]+ [kMGT]?)FLOP/s")
AT_LEAST = re.compile(r"at least ([\d.]+ [kMGT]?)FLOP/s when every access misses")
CAPACITY = re.compile(r"[\d.]+ [KMG]iB")
CACHES = re.compile(r"(in|cache of|<|of at most|, ) ?$")
ROOFLINE = re.compile(r"\(([\d.]+ [kMGT]?) by roofline")
BEFORE = re.compile(r"\(([\d.]+ (?:[nµm]s|s|min|h)) to [\d.]+ \w+\)")
WIDE = 400


def plain(text: str) -> str:
    """Without the marks of a format."""
    return re.sub(r"\s+", "", html.unescape(text).replace("\\", ""))


def close(one: float, other: float) -> bool:
    return abs(one - other) <= 0.006 * abs(other) + 1e-12


def check(result: KernelResult) -> Iterator[str]:
    """What does not agree."""
    assert len(result.reports) == 1
    data, view = kernel_json(result.reports), view_of(result.reports)
    assert len(view.rows) == len(data["levels"]) + bool(data["translations"])
    for row, level in zip(view.rows, data["levels"], strict=False):
        yield from rows_agree(row, level)
    yield from intensities_are_judged(result, view)
    yield from verdict_agrees(view, data)
    yield from judged_within_a_minute(result, view)
    yield from findings_agree(data)
    yield from times_agree(view, data)
    yield from bytes_agree(view, data)
    yield from formats_agree(result, view)
    yield from chart_agrees(result, data)


def rows_agree(row: Row, level: dict[str, Any]) -> Iterator[str]:
    if level["ridge"] is not None and row.ridge != digits(level["ridge"]):
        yield f"ridge {row.ridge} in text, {level['ridge']} in JSON"
    known = level["intensity"] and level["intensity"]["value"]
    if known and row.intensity != digits(known):
        yield f"AI {row.intensity} in text, {known} in JSON"


def intensities_are_judged(result: KernelResult, view: View) -> Iterator[str]:
    """A number that stands for a long ratio is the one of the verdict."""
    for row, level in zip(view.rows, result.reports[0].levels, strict=False):
        if row.intensity.startswith("≈") and level.judged and level.judged.is_known:
            if row.intensity != f"≈ {digits(level.judged.low)}":
                yield f"AI {row.intensity} at {level.name}, judged by {level.judged.low}"


def verdict_agrees(view: View, data: dict[str, Any]) -> Iterator[str]:
    if data["verdict"]["limit"]:
        yield from verdict_by_time_agrees(view, data)
        return
    speeds = {row.attainable.removeprefix("≥ ").removesuffix("FLOP/s") for row in view.rows}
    for sentence in view.verdicts:
        for said in [*SPEED.findall(sentence.text), *AT_LEAST.findall(sentence.text)]:
            if speeds != {"–"} and said not in speeds:
                yield f"{said}FLOP/s in the verdict, {speeds} in the table"
    verdict, levels = data["verdict"], {level["name"]: level for level in data["levels"]}
    if verdict["bound"] == "memory" and verdict["level"] and levels[verdict["level"]]["bound"] == "compute":
        yield f"memory-bound at {verdict['level']}, whose row says compute"


def verdict_by_time_agrees(view: View, data: dict[str, Any]) -> Iterator[str]:
    """``at most`` is of the least time, and the first sentence says where it departs from the roofline of the table."""
    verdict, levels, said = data["verdict"], {level["name"]: level for level in data["levels"]}, view.verdicts[0].text
    times = {name: verdict["time_seconds"][name]["value"] for name in ("expected", "at_least")}
    flops = data["flops"]["value"]
    for speed in SPEED.findall(said) if flops and times["at_least"] else ():
        if speed != si(flops / times["at_least"], ""):
            yield f"at most {speed}FLOP/s, {flops} FLOPs in at least {times['at_least']} s"
    yield from roofline_is_told(view, data)
    row = levels.get(verdict["limit"])
    if row and row["bound"] == "compute" and said.startswith("memory-bound") and "right of its ridge" not in said:
        yield f"memory-bound at {verdict['limit']}, whose row says compute"


def roofline_is_told(view: View, data: dict[str, Any]) -> Iterator[str]:
    """A bound above what the table says names the table's figure."""
    said, bounds = view.verdicts[0].text, data["verdict"]["attainable_flops"]
    drawn, most = bounds["at_large_sizes"], bounds["at_most"]
    told = ROOFLINE.findall(said)
    speeds = {row.attainable.removeprefix("≥ ").removesuffix("FLOP/s") for row in view.rows}
    if speeds != {"–"} and "at most" in said and drawn and most and bool(told) != (most > 1.01 * drawn):
        yield f"{said}; by roofline {drawn}, at most {most}"
    yield from (f"{speed} by roofline, {speeds} in the table" for speed in told if speed not in speeds)


def judged_within_a_minute(result: KernelResult, view: View) -> Iterator[str]:
    time = result.reports[0].time
    said = any(label == "verdict" and text.endswith("a minute") for label, text in view.remarks)
    if said and not (isinstance(time, TimePrediction) and time.expected <= 60):
        yield f"judged at a call of at most a minute, {time}"


def times_agree(view: View, data: dict[str, Any]) -> Iterator[str]:
    """What a finding says a call takes now is the expected time, unless it is of other sizes."""
    expected = data["verdict"]["time_seconds"] and data["verdict"]["time_seconds"]["expected"]["value"]
    now = units.duration(expected) if expected else None
    for finding in data["findings"]:
        for before in BEFORE.findall(finding["message"]):
            if "Both times are" not in finding["message"] and now and before != now:
                yield f"{finding['message']}: {before} before, expected {now}"
    sentences = [s.text for s in view.verdicts if s.text.startswith("expected ")]
    if now and sentences and not any(f"expected {now} " in text for text in sentences):
        yield f"{sentences}, expected {now} in JSON"


def findings_agree(data: dict[str, Any]) -> Iterator[str]:
    ridges = [level["ridge"] for level in data["levels"] if level["ridge"]]
    for finding in data["findings"]:
        ridge = finding["figures"].get("ridge")
        if ridge is not None and not any(close(ridge, other) for other in ridges):
            yield f"{finding['code']}: ridge {ridge}, {ridges} in the table"
        intensity, level = finding["figures"].get("intensity"), data["levels"][-1]["intensity"]
        if finding["code"] == "RFL102" and level and level["value"] and not close(intensity, level["value"]):
            yield f"RFL102: AI {intensity}, {level['value']} in the table"


def bytes_agree(view: View, data: dict[str, Any]) -> Iterator[str]:
    least, live = data["compulsory"]["value"], data["compulsory"]["live"]["value"]
    if least is None:
        return
    if live is not None and live > least:
        yield f"{live} B live of {least} B compulsory"
    for level in data["levels"][1:]:
        moved = level["traffic"]["value"]
        if moved is not None and moved < least * 0.999 and level["status"] in ("exact", "lower_bound"):
            yield f"{moved} B at {level['name']}, {least} B compulsory"


def formats_agree(result: KernelResult, view: View) -> Iterator[str]:
    text = render_text([result.reports], WIDE, colour=False)
    formats = [plain(told) for told in (text, render_markdown([result.reports]), render_page([result.reports]))]
    cells = [c for row in view.rows for c in (row.ridge, row.attainable, row.capacity, row.traffic, row.intensity)]
    for shown in [*cells, *(value for _, value in view.counts)]:
        if any(plain(shown) not in told for told in formats):
            yield f"{shown} is not in every format"
    for found in CAPACITY.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if not CACHES.search(line) and "→" not in line:
            yield f"{found[0]} after {line!r}: data in units of caches"


def chart_agrees(result: KernelResult, data: dict[str, Any]) -> Iterator[str]:
    for panel in panels([result.reports]):
        drawn, told = [ridge.intensity for ridge in panel.ridges], data["levels"][-1]["ridge"]
        if told is not None and drawn != [told]:
            yield f"ridge {drawn} in the chart, {told} in the table"
        [mark] = panel.marks
        if result.reports[0].verdict.span is None:
            attainable = data["verdict"]["attainable_flops"]["at_large_sizes"]
            if not close(mark.place.speed, attainable):
                yield f"{mark.place.speed} FLOP/s in the chart, {attainable} in the verdict"


def sizes_of(result: KernelResult) -> str:
    sizes = sorted(s.name for s in result.kernel.symbols if s.kind in ("size", "tile"))
    return " ".join(f"{name}={300 + 7 * k}" for k, name in enumerate(sizes))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_outputs_of_a_kernel_agree(path: Path, results_of: ResultsOf) -> None:
    """Of every second kernel; of every sixth at bound sizes too."""
    text, free = path.read_text(encoding="utf-8"), results_of(path).kernels[::2]
    wrong = {result.kernel.name: list(check(result)) for result in free}
    for result in free[::3]:
        options = Options(kernels="all", bind=sizes_of(result))
        for bound in analyze_source(text, path.name, options, functions=[result.kernel.name]).kernels:
            wrong[f"{result.kernel.name}, bound"] = list(check(bound))
    assert not {name: what for name, what in wrong.items() if what}

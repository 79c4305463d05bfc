"""``perf stat -x,``: the events of one process, without a kernel's name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from roofscan.counters.table import MeasuredText, sum_of_all, total
from roofscan.measurement import MEMORY, Measurement

TOOL = "perf stat"
LINE = 64.0  # bytes

_EVENT = re.compile(
    r"(?P<value>\d[\d.]*|<not (?:counted|supported)>)(?P<sep>[,;|\t])(?P<unit>[^,;|\t]*)(?P=sep)(?P<event>[A-Za-z].*?)"
    r"(?:(?P=sep)[\d.]+%)?(?P=sep)\d+(?P=sep)[\d.]+(?:(?P=sep)(?P<metric>[^,;|\t]*)(?P=sep)(?P<of>.*))?(?:(?P=sep)*)"
)
"""One event: value, unit, name, with ``-r`` its variance, time that it was counted, share of that, and a metric."""

_FLOPS = [
    *(
        (f"fp_arith_inst_retired.{width}_{precision}", lanes * share)
        for precision, share in (("double", 1.0), ("single", 2.0))
        for width, lanes in (("128b_packed", 2.0), ("256b_packed", 4.0), ("512b_packed", 8.0))
    ),
    ("fp_arith_inst_retired.scalar_double", 1.0),
    ("fp_arith_inst_retired.scalar_single", 1.0),
    ("fp_ret_sse_avx_ops.all", 1.0),
]
_BYTES: Mapping[str, tuple[Mapping[str, float], ...]] = {
    MEMORY: (
        {"cas_count_read": 1.0, "cas_count_write": 1.0},
        {"unc_m_cas_count.rd": LINE, "unc_m_cas_count.wr": LINE},
        {"unc_m_cas_count.all": LINE},
        {"data_reads": 1.0, "data_writes": 1.0},
    ),
    "L3": (
        {"l2_lines_in.all": LINE, "l2_trans.l2_wb": LINE},
        {"l2_lines_in.all": LINE, "l2_lines_out.non_silent": LINE},
    ),
    "L2": ({"l1d.replacement": LINE, "l1d.m_evict": LINE}, {"l1d.replacement": LINE, "l2_trans.l1d_wb": LINE}),
}
"""Events that count lines in both directions. Events of loads alone miss a part of what crosses an interface."""

_WITHOUT_UNIT = {"duration_time": 1e-9, "cas_count_read": LINE, "cas_count_write": LINE}
"""The unit of a count where perf does not say it: nanoseconds, lines."""


def is_perf(file: MeasuredText) -> bool:
    return any(_EVENT.fullmatch(line) for line in file.lines)


def read(file: MeasuredText) -> list[Measurement]:
    counts: dict[str, float] = {}
    first = 0
    for line, text in enumerate(file.lines, start=1):
        found = _EVENT.fullmatch(text)
        if found is None:
            continue
        first = first or line
        value, name = file.number(found["value"], line, found["unit"]), _plain(found["event"])
        if value is not None:
            counts[name] = counts.get(name, 0.0) + value * (1.0 if found["unit"] else _WITHOUT_UNIT.get(name, 1.0))
            if found["of"] == "CPUs utilized" and found["unit"] and float(found["metric"]):
                counts["elapsed"] = value / float(found["metric"])
    moved = {level: number for level, ways in _BYTES.items() if (number := sum_of_all(counts, ways)) is not None}
    seconds = sum_of_all(counts, ({"duration_time": 1.0}, {"elapsed": 1.0}))
    return [Measurement("", TOOL, f"{file.path}:{first}", seconds, total(counts, _FLOPS), moved)]


def _plain(event: str) -> str:
    """``cas_count_read`` of ``uncore_imc_0/cas_count_read/``, ``cycles`` of ``cycles:u``."""
    inside = re.fullmatch(r"[\w-]+/(?P<name>.*)/\w*", event)
    return (inside["name"] if inside else re.sub(r":[a-zA-Z]+$", "", event)).lower()

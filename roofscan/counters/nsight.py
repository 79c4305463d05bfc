"""Nsight Compute: ``ncu --csv`` with a row per metric, and ``ncu --csv --page raw`` with a row per launch."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping

from roofscan.counters.table import MeasuredText, sum_of_all, total
from roofscan.measurement import MEMORY, Measurement

TOOL = "Nsight Compute"
KERNEL = "Kernel Name"
SECTOR = 32.0  # bytes

_SECONDS = ({"gpu__time_duration.sum": 1.0}, {"gpu__time_duration.avg": 1.0}, {"Duration": 1.0})
_BYTES: Mapping[str, tuple[Mapping[str, float], ...]] = {
    MEMORY: ({"dram__bytes_read.sum": 1.0, "dram__bytes_write.sum": 1.0}, {"dram__bytes.sum": 1.0}),
    "L2": (
        {"lts__t_sectors_op_read.sum": SECTOR, "lts__t_sectors_op_write.sum": SECTOR},
        {"lts__t_sectors.sum": SECTOR},
        {"lts__t_bytes.sum": 1.0},
    ),
    "L1": (
        {
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": SECTOR,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": SECTOR,
        },
    ),
}
_RATES = ({"dram__bytes.sum.per_second": 1.0}, {"Memory Throughput": 1.0})  # bytes a second of memory
_FLOPS = [
    (f"{unit}__sass_thread_inst_executed_op_{kind}{operation}_pred_on.sum", weight)
    for unit in ("smsp", "sm")
    for kind in "dfh"
    for operation, weight in (("add", 1.0), ("mul", 1.0), ("fma", 2.0))
]

Launch = tuple[str, str, str]  # kernel, grid, block


def read(file: MeasuredText) -> list[Measurement]:
    """One measurement per kernel and launch configuration: the mean of its launches."""
    first = next(n for n, line in enumerate(file.lines) if _is_head(line))
    table = list(csv.reader(file.lines[first:]))
    head = table[0]
    rows = [(first + 1 + n, row) for n, row in enumerate(table) if n and len(row) == len(head)]
    reader = _long if "Metric Name" in head else _raw
    launches: dict[Launch, list[tuple[int, int, dict[str, float]]]] = defaultdict(list)
    for key, launch in reader(file, head, rows):
        launches[key].append(launch)
    if not launches:
        raise file.wrong(first + 1, "holds no launch; profile kernels with ncu --csv, and write its output here")
    return [_measurement(file, key[0], found) for key, found in launches.items()]


def _is_head(line: str) -> bool:
    return line.startswith('"') and f'"{KERNEL}"' in line


def is_nsight(file: MeasuredText) -> bool:
    return any(map(_is_head, file.lines))


Rows = list[tuple[int, list[str]]]
Launches = Iterator[tuple[Launch, tuple[int, int, dict[str, float]]]]  # with line, calls, metrics


def _long(file: MeasuredText, head: list[str], rows: Rows) -> Launches:
    by_launch: dict[tuple[str, Launch], tuple[int, int, dict[str, float]]] = {}
    for line, row in rows:
        cells = dict(zip(head, row, strict=True))
        number, key = cells.get("ID", ""), _launch(cells)
        calls = int(cells.get("Invocations") or 1)
        _, _, metrics = by_launch.setdefault((number, key), (line, calls, {}))
        unit, text = cells["Metric Unit"], cells.get("Metric Value") or cells.get("Average", "")
        # the Speed Of Light section has a percentage of the same name
        if cells["Metric Name"] and unit != "%" and _is_number(text):
            value = file.number(text, line, unit)
            metrics.update({cells["Metric Name"]: value} if value is not None else {})
    for (_, key), launch in by_launch.items():
        yield key, launch


def _raw(file: MeasuredText, head: list[str], rows: Rows) -> Launches:
    """The first row holds the units."""
    units = dict(zip(head, rows[0][1], strict=True)) if rows and not rows[0][1][0] else {}
    for line, row in rows:
        cells = dict(zip(head, row, strict=True))
        if cells[KERNEL]:
            wanted = {name: text for name, text in cells.items() if "__" in name and _is_number(text)}
            found = {name: file.number(text, line, units.get(name, "")) for name, text in wanted.items()}
            yield _launch(cells), (line, 1, {name: value for name, value in found.items() if value is not None})


def _launch(cells: Mapping[str, str]) -> Launch:
    return cells[KERNEL], cells.get("Grid Size", ""), cells.get("Block Size", "")


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdigit() or "e+" in text


def _measurement(file: MeasuredText, kernel: str, launches: list[tuple[int, int, dict[str, float]]]) -> Measurement:
    calls = sum(count for _, count, _ in launches)
    names = {name for _, _, metrics in launches for name in metrics}
    mean = {name: sum(metrics.get(name, 0.0) * n for _, n, metrics in launches) / calls for name in names}
    seconds = sum_of_all(mean, _SECONDS)
    moved = {level: number for level, ways in _BYTES.items() if (number := sum_of_all(mean, ways)) is not None}
    rate = sum_of_all(mean, _RATES)
    if MEMORY not in moved and seconds and rate:
        moved[MEMORY] = rate * seconds
    place = f"{file.path}:{launches[0][0]}"
    return Measurement(kernel, TOOL, place, seconds, total(mean, _FLOPS), moved, calls=calls)

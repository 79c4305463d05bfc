"""A machine as rows of text."""

from __future__ import annotations

import pytest

from roofscan.machine.describe import FigureRow, capacity, describe, quantity
from roofscan.machine.files import load_machine, machine_from_text, shipped_names
from tests.machine.texts import CPU


def rows(name: str) -> dict[tuple[str, str], FigureRow]:
    return {(row.name, row.scope): row for row in describe(load_machine(name))}


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (1.6e10, "B/s", "16 GB/s"),
        (2.039e12, "B/s", "2.039 TB/s"),
        (4, "cycles", "4 cycles"),
        (1.5e8, "op/s", "150 Mop/s"),
    ],
)
def test_numbers_have_prefixes(number: float, unit: str, text: str) -> None:
    assert quantity(number, unit) == text


@pytest.mark.parametrize(
    ("size", "text"), [(512, "512 B"), (32768, "32 KiB"), (37486592, "35.75 MiB"), (1 << 30, "1 GiB")]
)
def test_sizes_have_binary_prefixes(size: int, text: str) -> None:
    assert capacity(size) == text


def test_a_cpu_shows_levels_roofs_and_ridges() -> None:
    shown = rows("xeon-6248r")
    assert shown["L3 capacity", ""].nameplate == "35.75 MiB, 64-byte lines, shared by 24, victim cache"
    memory = shown["DRAM bandwidth", "socket"]
    assert (memory.nameplate, memory.achieved, memory.share) == ("141 GB/s", "105.8 GB/s", "75 %")
    assert shown["call from Python", ""].achieved == "90.0 ns" and shown["bytes of a page", ""].nameplate == "4096"
    assert "DDR4-2933" in memory.source
    assert shown["fp32 fused multiply-adds", "socket"].nameplate == "2.3 TFLOP/s"
    assert shown["fp32 at DRAM", "socket"].nameplate == "16.31 FLOP/B"
    assert shown["fp64 at DRAM", "core"].achieved == "3.692 FLOP/B"
    assert shown["dependent add", ""].nameplate == "4 cycles"


def test_a_gpu_shows_matrix_units_apart() -> None:
    shown = rows("h100-sxm")
    assert shown["bf16 matrix units", "device"].nameplate == "989 TFLOP/s"
    assert shown["bf16 matrix units at HBM", "device"].nameplate == "295.2 FLOP/B"
    assert shown["fp32 at HBM", "device"].nameplate == "19.97 FLOP/B"
    assert shown["launch overhead", ""].achieved == "5 µs"
    assert not any(scope in ("core", "socket", "scalar") for _, scope in shown)


def test_a_network_is_shown() -> None:
    described = describe(machine_from_text(CPU + "\n[network]\nbandwidth_all = 25e9\n"))
    assert [row.nameplate for row in described if row.name == "network bandwidth"] == ["25 GB/s"]


@pytest.mark.parametrize("name", shipped_names())
def test_every_row_has_a_figure_and_a_source(name: str) -> None:
    described = describe(load_machine(name))
    assert [row for row in described if not (row.nameplate or row.achieved) or not row.source] == []
    keys = [(row.section, row.name, row.scope) for row in described]
    assert len(keys) == len(set(keys))
    of_gpu = not load_machine(name).core
    sections = list(dict.fromkeys(row.section for row in described))
    assert sections == ["machine", "levels", "roofs", "ridges", "latencies", "multiprocessors" if of_gpu else "times"]


@pytest.mark.parametrize("name", [n for n in shipped_names() if load_machine(n).gpu])
def test_the_figures_of_multiprocessors_are_shown_with_their_sources(name: str) -> None:
    shown = [row for row in describe(load_machine(name)) if row.section == "multiprocessors"]
    assert {"threads of a warp", "latency of L2", "bytes of a sector"} <= {row.name for row in shown}
    assert all(row.source and (row.nameplate or row.achieved) for row in shown)

"""Measuring this computer: the file is read back, and its figures are possible. Needs Numba."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba", reason="measuring needs Numba: pip install 'roofscan[measure]'")

from roofscan.machine.files import load_machine
from roofscan.machine.model import MachineError
from roofscan.measuring import machine_file, memory_figures, probes
from roofscan.measuring.machine_file import STEPS, measured_machine, memory_bytes
from roofscan.measuring.memory_figures import crossing
from roofscan.measuring.sheet import Figure


def test_the_file_is_a_machine(tmp_path: Path) -> None:
    file = tmp_path / "here.toml"
    steps: list[str] = []
    file.write_text(measured_machine(steps.append), encoding="utf-8")
    machine = load_machine(str(file))
    assert machine.timing.measured and steps
    assert 0.5e9 < machine.clock.value < 7e9
    assert 1 < machine.latency["add"].value < 8
    assert machine.core["fp64"].plain.value >= machine.scalar["fp64"].plain.value
    assert all(level.prices for level in machine.levels[1:])
    assert machine.timing.page.value >= 4096 and machine.timing.page.source.startswith("measured: ")
    assert machine.levels[-2].capacity is not None and machine.levels[-2].capacity > 1 << 18
    assert len(steps) <= STEPS + 2


def test_arrays_take_at_most_a_quarter_of_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"SC_AVPHYS_PAGES": 1 << 16}
    monkeypatch.setattr(machine_file.os, "sysconf", free.__getitem__)
    assert memory_bytes() * 3 // 2 <= (1 << 16) * mmap.PAGESIZE // 4
    monkeypatch.setattr(machine_file.os, "sysconf", {}.__getitem__)  # as on systems that do not tell
    monkeypatch.delattr(machine_file.os, "sysconf")
    assert memory_bytes() > 1 << 28


def test_a_system_without_a_nameplate_is_measured_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> None:
        raise MachineError("cannot read the nameplate of a win32 computer")

    monkeypatch.setattr(machine_file, "nameplate_of_this_computer", unknown)
    plate = machine_file.nameplate()
    assert plate.cores >= 1 and len(plate.caches) == 2 and plate.vector_bits >= 128


def test_walks_of_pages_are_timed_on_lines_that_the_second_cache_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Cascade Lake 500 whole rows of 1,001 took 0.4 to 3.3 ns an element more than 64, as neighbours filled the last
    cache, and 4,000 took 5 more than 1,000, which walk, too. Of their first 8 columns: 0.0 and 6.6, three times."""
    asked: list[tuple[int, int, int]] = []

    def down(rows: int, columns: int, walked: int) -> tuple[float, float]:
        asked.append((rows, columns, walked))
        return rows * columns * 1e-12, rows * columns * 1e-12

    monkeypatch.setattr(memory_figures, "_down", down)
    for _, figure in memory_figures.translations():
        lines = {rows * (walked // 8 + 1) for rows, _, walked in asked}
        assert max(lines) * memory_figures.LINE <= 1 << 20 and figure.value > 0
        asked.clear()


def test_where_times_cross() -> None:
    sizes, times = [1, 2, 4, 8, 16], [1.0, 1.0, 1.0, 3.0, 3.0]
    assert crossing(sizes, times, 2.0) == pytest.approx(4 * 2**0.5)
    assert crossing(sizes, [1.0, 3.0, 1.0, 1.0, 3.0], 2.0) == pytest.approx(8 * 2**0.5)
    assert crossing(sizes, [1.0] * 5, 2.0) is None


@pytest.mark.parametrize("offset", [0, 16, 48])
def test_arrays_lie_where_they_should(offset: int) -> None:
    array = probes.filled(100, 2.5, np.float32, offset)
    assert array.ctypes.data % 64 == offset and array.shape == (100,) and (array == 2.5).all()


def test_all_cores_reach_at_least_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Figure(3e10, 0.0, "a sum of what lies there")
    monkeypatch.setattr(machine_file.memory, "all_cores", lambda size, least: Figure(1.1e9, 0.0, "on all cores"))
    core, every = machine_file._bandwidths(one, 1 << 20)
    assert every == core.replace("core", "all").split(", source")[0] + (
        ', source = "estimate: one core\'s, as all cores reached 4% of that: other programs ran" }'
    )
    assert list(machine_file._bandwidths(one, 0)) == [core]


def test_a_busy_computer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 6.0, 10.0])
    monkeypatch.setattr(machine_file, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(machine_file, "thread_time", lambda: next(clock))
    monkeypatch.setattr(machine_file, "_lines", lambda plate, step: iter(()))
    assert "other programs took 40% of the time: measure again on an idle computer" in measured_machine(print)

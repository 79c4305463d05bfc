"""Measuring this computer: the file is read back, and its figures are possible. Needs Numba."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numba", reason="measuring needs Numba: pip install 'roofscan[measure]'")

from roofscan.machine.files import load_machine
from roofscan.measuring.machine_file import measured_machine


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

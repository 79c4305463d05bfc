"""Ridges, by hand, and which figures enter them."""

from __future__ import annotations

import pytest

from roofscan.machine.files import machine_from_text
from roofscan.machine.model import MachineError
from roofscan.machine.ridge import bandwidth, peak, rates_for, ridge, scopes_of
from tests.machine.texts import CPU, GPU

# fp64: 32 GFLOP/s a core, four cores; memory: 10 GB/s for one, 40 for all (30 achieved)
CORES = machine_from_text(CPU)
DEVICE = machine_from_text(GPU)


def test_parts_of_a_machine() -> None:
    assert scopes_of(CORES) == ("core", "socket")
    assert scopes_of(DEVICE) == ("device",)


@pytest.mark.parametrize(
    ("scope", "nameplate", "expected"),
    [("core", False, 3.2), ("core", True, 3.2), ("socket", False, 128 / 30), ("socket", True, 3.2)],
)
def test_the_ridge_of_a_cpu_at_memory(scope: str, nameplate: bool, expected: float) -> None:
    assert ridge(CORES, CORES.levels[-1], "fp64", scope, nameplate=nameplate) == pytest.approx(expected)


def test_each_level_and_precision_has_its_own() -> None:
    assert ridge(CORES, CORES.levels[0], "fp64", "core") == pytest.approx(0.32)
    assert ridge(CORES, CORES.levels[0], "fp32", "core") == pytest.approx(0.64)


def test_matrix_units_are_a_roof_of_their_own() -> None:
    memory = DEVICE.levels[-1]
    assert ridge(DEVICE, memory, "bf16", "device", unit="tensor") == pytest.approx(200)
    assert ridge(DEVICE, memory, "bf16", "device") is None  # the plain units have no bf16
    assert ridge(DEVICE, memory, "fp32", "device", unit="tensor") is None
    assert ridge(DEVICE, memory, "fp32", "device") == pytest.approx(10)
    assert peak(DEVICE, "bf16", "core", "tensor") is None


def test_an_achieved_figure_replaces_a_missing_nameplate() -> None:
    text = CPU.replace("bandwidth_core = 10e9", 'bandwidth_core = { achieved = 8e9, source = "stream" }')
    machine = machine_from_text(text)
    assert ridge(machine, machine.levels[-1], "fp64", "core", nameplate=True) == pytest.approx(4.0)


def test_bandwidth_of_a_scope_falls_back_on_the_other() -> None:
    memory = DEVICE.levels[-1]
    assert bandwidth(memory, "core") == bandwidth(memory, "device") == memory.bandwidth_all


def test_rates_of_scalar_code_grow_with_the_cores() -> None:
    one, every = (rates_for(CORES, "fp64", scope, scalar=True) for scope in ("core", "socket"))
    assert (one.fma.value, every.fma.value) == (8e9, 32e9)
    assert (one.cores, every.cores) == (1, 4)


def test_a_gpu_has_no_scalar_code() -> None:
    assert rates_for(DEVICE, "fp32", "device", scalar=True) == rates_for(DEVICE, "fp32", "device")


def test_a_precision_without_rates_is_taken_from_the_next_wider_one() -> None:
    assert rates_for(CORES, "bf16", "core").precision == "fp32"
    with pytest.raises(MachineError, match=r"add \[core.fp128\]"):
        rates_for(CORES, "fp128", "core")

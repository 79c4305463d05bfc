"""The machines that come with roofscan: published figures, and what must hold for every one of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from roofscan.machine.files import load_machine, shipped_names
from roofscan.machine.model import RATES, Machine, Sourced
from roofscan.machine.ridge import ridge, scopes_of

MACHINES = [load_machine(name) for name in shipped_names()]
EVERY = pytest.mark.parametrize("machine", MACHINES, ids=shipped_names())
CPUS = [machine for machine in MACHINES if machine.kind == "cpu"]
REAL_CPUS = [machine for machine in CPUS if not machine.name.startswith("teaching")]

PUBLISHED = {  # machine, precision, unit -> peak, memory bandwidth, ridge (nameplate)
    ("xeon-6248r", "fp32", "vector"): (2300e9, 141e9, 16.3),
    ("xeon-6248r", "fp64", "vector"): (1150e9, 141e9, 8.16),
    ("a100-sxm-80gb", "fp16", "tensor"): (312e12, 2e12, 156),
    ("a100-40gb", "fp32", "vector"): (19.5e12, 1.5e12, 13),
    ("a100-40gb", "bf16", "tensor"): (312e12, 1.5e12, 208),
    ("h100-sxm", "bf16", "tensor"): (989e12, 3.35e12, 295.2),
    ("h100-sxm", "fp32", "vector"): (66.9e12, 3.35e12, 19.97),
    ("h200", "bf16", "tensor"): (989e12, 4.8e12, 206),
    ("b200", "bf16", "tensor"): (2250e12, 8e12, 281.25),
    ("teaching-scalar", "fp64", "vector"): (24e9, 128e9, 0.1875),
    ("teaching-vector", "fp64", "vector"): (96e9, 128e9, 0.75),
}


@pytest.mark.parametrize(("machine", "precision", "unit"), PUBLISHED)
def test_published_peaks_and_ridges(machine: str, precision: str, unit: str) -> None:
    peak, bandwidth, expected = PUBLISHED[machine, precision, unit]
    loaded = load_machine(machine)
    memory, scope = loaded.levels[-1], scopes_of(loaded)[-1]
    flops = loaded.tensor[precision] if unit == "tensor" else loaded.whole[precision].fma
    assert flops.nameplate == peak
    assert memory.bandwidth_all is not None and memory.bandwidth_all.nameplate == bandwidth
    assert ridge(loaded, memory, precision, scope, unit=unit, nameplate=True) == pytest.approx(expected, rel=2e-3)
    # Achieved figures of these machines are scaled alike: the ridge in use is the published one.
    assert ridge(loaded, memory, precision, scope, unit=unit) == pytest.approx(expected, rel=2e-3)


def test_an_a100_caches_40_mb_in_its_l2() -> None:
    for name in ("a100-40gb", "a100-sxm-80gb"):
        assert load_machine(name).levels[-2].capacity == 40 * 1024 * 1024


def test_figures_with_sparsity_are_not_used() -> None:
    for machine in MACHINES:
        if machine.name in ("h100-sxm", "h200"):
            assert max(figure.nameplate or 0 for figure in machine.tensor.values()) == 989e12


def _figures(machine: Machine) -> Iterator[Sourced]:
    for level in machine.levels:
        yield from (figure for figure in (level.bandwidth_core, level.bandwidth_all) if figure)
    for table in (machine.core, machine.whole, machine.scalar):
        for rates in table.values():
            yield from (rates.rate(rate) for rate in RATES)
    yield from machine.tensor.values()
    yield from machine.latency.values()
    yield machine.clock


@EVERY
def test_every_number_has_a_source(machine: Machine) -> None:
    assert machine.source and machine.description
    assert all(level.source for level in machine.levels)
    assert all(figure.source for figure in _figures(machine))


@EVERY
def test_nothing_achieved_exceeds_its_nameplate(machine: Machine) -> None:
    for figure in _figures(machine):
        if figure.nameplate is not None and figure.achieved is not None:
            assert figure.achieved <= figure.nameplate


@EVERY
def test_levels_grow_and_slow_down(machine: Machine) -> None:
    sizes = [level.capacity for level in machine.levels if level.capacity]
    assert sizes == sorted(sizes)
    for nearer, farther in zip(machine.levels, machine.levels[1:], strict=False):
        for one, next_ in (
            (nearer.bandwidth_core, farther.bandwidth_core),
            (nearer.bandwidth_all, farther.bandwidth_all),
        ):
            if one is not None and next_ is not None:
                assert one.value > next_.value, f"{nearer.name} and {farther.name} of {machine.name}"


@EVERY
def test_classes_are_in_their_order(machine: Machine) -> None:
    for table in (machine.core, machine.whole, machine.scalar):
        for rates in table.values():
            assert rates.fma.value >= rates.plain.value >= rates.div.value >= rates.sqrt.value
            assert rates.sqrt.value >= rates.special.value
        assert all(table["fp32"].rate(r).value >= table["fp64"].rate(r).value for r in RATES if table)


@pytest.mark.parametrize("machine", CPUS, ids=[m.name for m in CPUS])
def test_one_core_never_exceeds_all(machine: Machine) -> None:
    for precision, core in machine.core.items():
        whole, scalar = machine.whole[precision], machine.scalar[precision]
        for rate in RATES:
            assert core.rate(rate).value <= whole.rate(rate).value * 1.000001
            assert scalar.rate(rate).value <= core.rate(rate).value
    for level in machine.levels:
        assert level.bandwidth_core is not None and level.bandwidth_all is not None
        assert level.bandwidth_core.value <= level.bandwidth_all.value


@pytest.mark.parametrize("machine", REAL_CPUS, ids=[m.name for m in REAL_CPUS])
def test_real_cores_allocate_on_write_and_share_their_memory(machine: Machine) -> None:
    memory = machine.levels[-1]
    assert machine.write_allocate
    assert memory.bandwidth_core is not None and memory.bandwidth_all is not None
    nameplate = memory.bandwidth_all.nameplate
    assert nameplate is not None and 0.6 <= memory.bandwidth_all.value / nameplate <= 0.85
    if machine.cores > 4:
        assert memory.bandwidth_core.value < memory.bandwidth_all.value / 2
    assert {level.line for level in machine.levels} == {128 if "apple" in machine.name else 64}


@pytest.mark.parametrize("name", ["teaching-scalar", "teaching-vector"])
def test_teaching_machines_have_two_numbers_only(name: str) -> None:
    machine = load_machine(name)
    assert not machine.write_allocate and machine.cores == 1
    assert len({machine.core["fp64"].rate(rate).value for rate in RATES}) == 1
    assert machine.clock.value == machine.core["fp64"].fma.value


def test_the_default_is_a_plain_server_core() -> None:
    machine = load_machine("generic-x86-64")
    assert [level.capacity for level in machine.levels] == [32 << 10, 1 << 20, 32 << 20, None]
    assert machine.core["fp64"].fma.value == 2 * 4 * 2 * machine.clock.value  # units, lanes, FLOP
    assert ridge(machine, machine.levels[-1], "fp64", "core") == 3.0
    assert ridge(machine, machine.levels[-1], "fp64", "socket") == pytest.approx(9.6)


@pytest.mark.parametrize("machine", REAL_CPUS, ids=[machine.name for machine in REAL_CPUS])
def test_shipped_cpus_have_times_and_call_them_estimates(machine: Machine) -> None:
    assert machine.timing.given and not machine.timing.measured


GPUS = [machine for machine in MACHINES if machine.gpu is not None]


@pytest.mark.parametrize("machine", GPUS, ids=[machine.name for machine in GPUS])
def test_pipes_of_a_gpu_are_those_of_its_peak(machine: Machine) -> None:
    """A multiply-add is one operation of a pipe, and two of the peak."""
    assert machine.gpu is not None
    for precision in ("fp64", "fp32", "fp16"):
        peak = machine.whole[precision].fma.nameplate
        assert peak is not None
        cycles = 2 * machine.cores * machine.gpu["boost"].value
        assert machine.gpu[precision].value * cycles == pytest.approx(peak, rel=0.06)

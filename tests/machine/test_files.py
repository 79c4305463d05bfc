"""Reading machine files: their values, derived values, and errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from roofscan.machine.files import MachineError, available, load_machine, machine_from_text, shipped_names
from roofscan.machine.model import Sourced
from tests.machine.texts import CPU, GPU, changed


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(CPU, encoding="utf-8")
    machine = load_machine(str(file))
    assert (machine.name, machine.kind, machine.cores) == ("mine", "cpu", 4)
    assert machine.path == str(file)
    assert [level.name for level in machine.levels] == ["L1", "DRAM"]


def test_a_figure_may_have_a_nameplate_and_an_achieved_value() -> None:
    memory = machine_from_text(CPU).levels[-1]
    assert memory.bandwidth_core == Sourced(10e9, None, "made up")
    assert memory.bandwidth_all == Sourced(40e9, 30e9, "stream")
    assert memory.bandwidth_all.value == 30e9


def test_what_a_cpu_file_leaves_out() -> None:
    machine = machine_from_text(CPU)
    assert machine.write_allocate and machine.levels[0].line == 64
    assert (machine.levels[0].shared_by, machine.levels[-1].shared_by) == (1, 4)
    assert machine.levels[0].bandwidth_all is not None
    assert machine.levels[0].bandwidth_all.value == 400e9  # private: one in each of four cores
    core = machine.core["fp64"]
    assert (core.plain.value, core.div.value, core.special.value) == (16e9, 1e9, 80e6)
    assert core.div.source.startswith("estimate")
    assert machine.whole["fp64"].fma.value == 128e9 and machine.whole["fp64"].cores == 4
    assert machine.scalar["fp64"].fma.value == 8e9  # one of four lanes of 256 bits
    assert machine.scalar["fp32"].fma.value == 8e9  # one of eight
    assert machine.scalar["fp64"].special == core.special
    assert machine.latency["add"].value == 4
    assert machine.tensor == {} and machine.launch_overhead is None and machine.network is None


def test_what_a_gpu_file_leaves_out() -> None:
    machine = machine_from_text(GPU)
    assert not machine.write_allocate
    assert machine.core == {} and machine.scalar == {}
    assert machine.tensor["bf16"].value == 200e12


def test_all_cores_follow_the_shares_of_one_core() -> None:
    text = changed(CPU, "fma = 32e9", "fma = 32e9\ndiv = 2e9")
    text += '\n[all.fp64]\nfma = { nameplate = 80e9, achieved = 64e9, source = "base clock" }\n'
    whole = machine_from_text(text).whole
    assert whole["fp64"].div.nameplate == pytest.approx(5e9)  # 80 * 2/32
    assert whole["fp64"].div.achieved == pytest.approx(4e9)
    assert whole["fp64"].plain.value == pytest.approx(32e9)
    assert whole["fp32"].fma.value == 256e9  # untouched


def test_a_scalar_table_wins_over_the_lane() -> None:
    scalar = machine_from_text(CPU + "\n[scalar.fp64]\ndiv = 3e8\n").scalar["fp64"]
    assert scalar.div.value == 3e8
    assert scalar.fma.value == 8e9


def test_a_network_comes_after_memory() -> None:
    machine = machine_from_text(CPU + "\n[network]\nbandwidth_all = 25e9\n")
    assert machine.network is not None and machine.network.bandwidth_all == Sourced(25e9, None, "made up")
    assert machine.levels[-1].name == "DRAM"


HEAD = CPU.split("[[level]]")[0]
RATES = "[core.fp64]\nfma = 1e9\n[core.fp32]\nfma = 1e9\n"
NUMBER = "level[1].bandwidth_core: expected a number"
WHOLE = "cores: expected an integer of at least 1"

WRONG = {
    "kind": (changed(CPU, '"cpu"', '"tpu"'), 'kind: expected "cpu" or "gpu", found \'tpu\''),
    "no cores": (changed(CPU, "cores = 4\n", ""), "cores: missing; write an integer"),
    "part of a core": (changed(CPU, "cores = 4", "cores = 4.5"), WHOLE),
    "no core": (changed(CPU, "cores = 4", "cores = 0"), WHOLE),
    "true cores": (changed(CPU, "cores = 4", "cores = true"), WHOLE),
    "no clock": (changed(CPU, "clock = 2e9\n", ""), "clock: missing: Hz"),
    "negative": (changed(CPU, "100e9", "-100e9"), f"{NUMBER} above 0, found -1"),
    "zero": (changed(CPU, "100e9", "0"), f"{NUMBER} above 0, found 0"),
    "infinite": (changed(CPU, "100e9", "inf"), f"{NUMBER} above 0, found inf"),
    "not a number": (changed(CPU, "100e9", "nan"), f"{NUMBER} above 0, found nan"),
    "too large": (changed(CPU, "100e9", "1" + "0" * 400), "level[1].bandwidth_core: the number is too large"),
    "text": (changed(CPU, "100e9", '"fast"'), f"{NUMBER}, found 'fast'"),
    "boolean": (changed(CPU, "100e9", "true"), f"{NUMBER}, found True"),
    "misspelt": (
        changed(CPU, "capacity", "capasity"),
        "level[1].capasity: unknown key; did you mean capacity?",
    ),
    "misspelt rate": (changed(CPU, "fma", "fmaa"), "core.fp64.fmaa: unknown key; did you mean fma?"),
    "misspelt scalar": (CPU + "\n[scalar.fp64]\nsquirt = 1e9\n", "scalar.fp64.squirt: unknown key"),
    "unknown": (CPU + "\n[nonsense]\n", "nonsense: unknown key"),
    "no source": (changed(CPU, 'source = "made up"\n', ""), "has no source: add source ="),
    "source as a number": (changed(CPU, '"stream"', "3"), "level[2].bandwidth_all.source: expected a string"),
    "empty figure": (changed(CPU, "100e9", '{ source = "x" }'), "give nameplate, achieved or both"),
    "odd figure": (changed(CPU, "100e9", "{ value = 1 }"), "level[1].bandwidth_core.value: unknown key"),
    "no levels": (HEAD + RATES, "level: missing: one [[level]] table"),
    "a number of levels": (HEAD + "level = 3\n" + RATES, "level: expected tables that start with [[level]]"),
    "memory first": (changed(CPU, "capacity = 32768", "shared_by = 1"), "only the last level, memory, has no"),
    "no memory": (changed(CPU, 'name = "DRAM"\n', 'name = "DRAM"\ncapacity = 99999\n'), "must be memory"),
    "one name": (changed(CPU, '"DRAM"', '"L1"'), "level: two levels have the same name: L1, L1"),
    "one core's share": (
        changed(CPU, "bandwidth_core = 10e9\n", ""),
        "level[2].bandwidth_core: missing: one core",
    ),
    "all cores' share": (CPU.replace("bandwidth_all", "# "), "level[2].bandwidth_all: missing: bytes/s"),
    "no fp32": (CPU.split("[core.fp32]")[0], "core.fp32.fma: missing: one core's FLOP/s"),
    "no fma": (changed(CPU, "fma = 32e9", "plain = 32e9"), "core.fp64.fma: missing: FLOP/s"),
    "precision": (CPU + "\n[core.fp80]\nfma = 1e9\n", "core.fp80: unknown key; did you mean fp"),
    "number for a table": (CPU + "\n[all]\nfp64 = 3\n", "all.fp64: expected a table, found 3"),
    "scalar alone": (CPU + "\n[scalar.fp16]\nfma = 1e9\n", "scalar.fp16: has no vector rates beside it"),
    "a core of a gpu": (GPU + "\n[core.fp64]\nfma = 1e9\n", "core: a gpu is described as a whole"),
    "gpu without fp32": (changed(GPU, "all.fp32", "all.fp16"), "all.fp32.fma: missing: the device's FLOP/s"),
    "matrix units": (changed(GPU, "bf16", "int8"), "tensor.int8: unknown key"),
    "latency": (CPU + "\n[latency]\nadd = 0\n", "latency.add: expected a number above 0"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_errors_take_one_line(text: str, message: str) -> None:
    with pytest.raises(MachineError) as caught:
        machine_from_text(text, "mine.toml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("mine.toml: ")
    assert "\n" not in str(caught.value)


def test_caches_are_ordered_from_the_nearest() -> None:
    small = '\n[[level]]\nname = "L2"\ncapacity = 4096\nbandwidth_core = 5e9\n'
    text = changed(CPU, '\n[[level]]\nname = "DRAM"', small + '\n[[level]]\nname = "DRAM"')
    with pytest.raises(MachineError, match="nearest first"):
        machine_from_text(text)


def test_a_file_that_nests_without_end_is_refused() -> None:
    with pytest.raises(MachineError, match="mine: not"):
        machine_from_text("x = " + "[" * 100_000, "mine")


def test_broken_toml_names_the_line() -> None:
    with pytest.raises(MachineError, match=r"mine: not valid TOML: .*line 2"):
        machine_from_text('kind = "cpu"\ncores = = 4\n', "mine")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("xeon-6248", 'unknown machine "xeon-6248"; did you mean xeon-6248r'),
        ("zzzz", 'unknown machine "zzzz"; `roofscan machine list` shows all'),
        ("", 'unknown machine ""'),
        ("generic", "did you mean generic-"),
        ("nowhere/mine.toml", "nowhere/mine.toml: the machine file does not exist"),
        ("missing.toml", "missing.toml: the machine file does not exist"),
        ("no\0where.toml", "cannot be read"),
    ],
)
def test_a_machine_that_is_not_there(name: str, message: str) -> None:
    with pytest.raises(MachineError) as caught:
        load_machine(name)
    assert message in str(caught.value)


def test_a_directory_and_a_binary_file_are_not_machines(tmp_path: Path) -> None:
    (tmp_path / "dir.toml").mkdir()
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name, message in (("dir.toml", "cannot be read"), ("binary.toml", "not UTF-8 text")):
        with pytest.raises(MachineError, match=message):
            load_machine(str(tmp_path / name))


def test_every_shipped_machine_is_listed() -> None:
    listed = available()
    assert [name for name, _, _ in listed] == shipped_names()
    assert all(kind in ("cpu", "gpu") and description for _, kind, description in listed)


def test_loading_imports_nothing_heavy_and_no_other_machine() -> None:
    code = (
        "import sys; from roofscan.machine.files import load_machine; load_machine('generic-x86-64'); "
        "print([m for m in ('sympy', 'networkx', 'numpy', 'rich', 'difflib', 'libcst') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

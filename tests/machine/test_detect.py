"""Detection on made-up computers: trees of /sys and /proc, and what sysctl says on a Mac."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.machine import macos
from roofscan.machine.detect import detect, machine_file
from roofscan.machine.files import machine_from_text
from roofscan.machine.linux import read_linux
from roofscan.machine.macos import read_macos
from roofscan.machine.model import Machine, MachineError

XEON_INFO = """\
processor\t: 0
model name\t: Imaginary(R) Xeon "Gold" @ 2.50GHz
cpu MHz\t\t: 1200.000
cpu cores\t: 2
flags\t\t: fpu sse2 avx avx2 fma avx512f

processor\t: 1
model name\t: another
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def cache(cpu: Path, index: int, level: int, kind: str, size: str, shared: str, line: str = "64") -> None:
    folder = cpu / f"cache/index{index}"
    for name, text in (("level", str(level)), ("type", kind), ("size", size), ("coherency_line_size", line)):
        write(folder / name, text)
    write(folder / "shared_cpu_list", shared)


def two_sockets(root: Path) -> Path:
    """Two sockets of two cores with two threads each: CPUs 0-3 and their siblings 4-7."""
    cpus = root / "sys/devices/system/cpu"
    for cpu in range(8):
        topology = cpus / f"cpu{cpu}/topology"
        write(topology / "physical_package_id", str(cpu % 4 // 2))
        write(topology / "core_id", str(cpu % 2))
        write(topology / "thread_siblings_list", f"{cpu % 4},{cpu % 4 + 4}")
    cache(cpus / "cpu0", 0, 1, "Data", "48K", "0,4")
    cache(cpus / "cpu0", 1, 1, "Instruction", "32K", "0,4")
    cache(cpus / "cpu0", 2, 2, "Unified", "1280K", "0,4")
    cache(cpus / "cpu0", 3, 3, "Unified", "24M", "0-1,4-5")
    write(root / "proc/cpuinfo", XEON_INFO)
    return root


def detected(root: Path) -> Machine:
    return machine_from_text(detect(root, "linux"), "here")


def test_one_socket_of_a_linux_computer(tmp_path: Path) -> None:
    machine = detected(two_sockets(tmp_path))
    assert machine.cores == 2
    assert machine.description == "Imaginary(R) Xeon Gold @ 2.50GHz"
    assert [(c.name, c.capacity, c.line, c.shared_by) for c in machine.levels] == [
        ("L1", 48 << 10, 64, 1), ("L2", 1280 << 10, 64, 1), ("L3", 24 << 20, 64, 2), ("DRAM", None, 64, 2),
    ]  # fmt: skip
    assert machine.clock.value == 2.5e9  # the name's, not the momentary 1200 MHz
    assert machine.core["fp64"].fma.value == 2 * 8 * 2 * 2.5e9
    assert machine.core["fp32"].special.value == 2.5e9 / 10


def test_every_number_names_its_source(tmp_path: Path) -> None:
    machine = detected(two_sockets(tmp_path))
    assert machine.levels[2].source == "cpu0/cache/index3 in /sys/devices/system/cpu"
    assert machine.clock.source == "model name of /proc/cpuinfo"
    assert "topology" in machine.source and "flags" in machine.source
    memory = machine.levels[-1].bandwidth_core
    assert memory is not None and memory.source.startswith("estimate")


@pytest.mark.parametrize(
    ("files", "clock", "source"),
    [
        ({"base_frequency": "2100000", "cpuinfo_max_freq": "3900000"}, 2.1e9, "cpufreq/base_frequency"),
        ({"cpuinfo_max_freq": "3900000"}, 3.9e9, "cpufreq/cpuinfo_max_freq"),
        ({"base_frequency": "0"}, 2.5e9, "model name of /proc/cpuinfo"),
        ({"base_frequency": "<unknown>"}, 2.5e9, "model name of /proc/cpuinfo"),
    ],
)
def test_where_the_clock_is_read(tmp_path: Path, files: dict[str, str], clock: float, source: str) -> None:
    for name, text in files.items():
        write(two_sockets(tmp_path) / "sys/devices/system/cpu/cpu0/cpufreq" / name, text)
    read = read_linux(two_sockets(tmp_path)).clock
    assert read is not None and (read.value, read.source) == (clock, source)


def test_the_momentary_clock_is_the_last_resort(tmp_path: Path) -> None:
    write(tmp_path / "proc/cpuinfo", "processor : 0\nmodel name : AMD EPYC\ncpu MHz : 2596.120")
    read = read_linux(tmp_path).clock
    assert read is not None and read.value == pytest.approx(2.59612e9)


@pytest.mark.parametrize(
    ("flags", "bits", "flop"),
    [
        ("sse2", 128, 1),
        ("sse2 avx", 256, 1),
        ("avx2 fma", 256, 2),
        ("avx512f", 512, 2),
        ("fp asimd sve", 128, 2),
    ],
)
def test_vectors_come_from_the_flags(tmp_path: Path, flags: str, bits: int, flop: int) -> None:
    key = "Features" if "asimd" in flags else "flags"
    write(tmp_path / "proc/cpuinfo", f"processor : 0\ncpu MHz : 1000\n{key} : {flags}")
    rates = detected(tmp_path).core["fp64"]
    assert read_linux(tmp_path).vector_bits == bits
    assert rates.fma.value == 2 * (bits // 64) * flop * 1e9
    assert rates.plain.value == 2 * (bits // 64) * 1e9  # without fused operations the peak is the plain rate


def test_an_empty_tree_gives_a_machine_of_estimates(tmp_path: Path) -> None:
    machine = detected(tmp_path)
    assert (machine.cores, machine.clock.value) == (1, 3.0e9)
    assert [level.name for level in machine.levels] == ["L1", "L2", "DRAM"]
    assert machine.clock.source.startswith("estimate") and machine.levels[0].source.startswith("estimate")


def test_nonsense_in_the_tree_is_passed_over(tmp_path: Path) -> None:
    cpus = two_sockets(tmp_path) / "sys/devices/system/cpu"
    cache(cpus / "cpu0", 4, 9, "Unified", "1M", "0-7")  # no such level
    cache(cpus / "cpu0", 5, 4, "Unified", "huge", "0-7")
    cache(cpus / "cpu0", 6, 3, "Unified", "0K", "0-7")
    write(cpus / "cpu0/cache/index3/coherency_line_size", "none")
    write(cpus / "cpu0/cache/index3/shared_cpu_list", "x-y")
    machine = detected(tmp_path)
    assert [level.name for level in machine.levels] == ["L1", "L2", "L3", "DRAM"]
    assert (machine.levels[2].line, machine.levels[2].shared_by) == (64, 1)


def test_a_model_name_cannot_break_the_file(tmp_path: Path) -> None:
    write(tmp_path / "proc/cpuinfo", 'processor : 0\nmodel name : a"b\\c\x07 = [x]')
    assert detected(tmp_path).description == "abc = [x]"


APPLE = {
    "machdep.cpu.brand_string": "Apple M2",
    "hw.physicalcpu": "8",
    "hw.perflevel0.physicalcpu": "4",
    "hw.perflevel0.l1dcachesize": "131072",
    "hw.perflevel0.l2cachesize": "16777216",
    "hw.perflevel0.cpusperl2": "4",
    "hw.l1dcachesize": "65536",
    "hw.cachelinesize": "128",
    "hw.optional.arm64": "1",
}
INTEL_MAC = {
    "machdep.cpu.brand_string": "Intel(R) Core(TM) i7 CPU @ 2.60GHz",
    "hw.physicalcpu": "6",
    "hw.cpufrequency_max": "2600000000",
    "hw.l1dcachesize": "32768",
    "hw.l2cachesize": "262144",
    "hw.l3cachesize": "12582912",
    "hw.cachelinesize": "64",
    "hw.optional.avx2_0": "1",
    "hw.optional.avx512f": "0",
    "hw.optional.fma": "1",
}


def test_the_performance_cores_of_a_mac() -> None:
    machine = machine_from_text(machine_file(read_macos(APPLE)), "mac")
    assert (machine.description, machine.cores) == ("Apple M2", 4)
    assert [(c.name, c.capacity, c.line, c.shared_by) for c in machine.levels] == [
        ("L1", 131072, 128, 1), ("L2", 16777216, 128, 4), ("DRAM", None, 128, 4),
    ]  # fmt: skip
    assert machine.core["fp64"].fma.value == 4 * 2 * 2 * 3.0e9
    assert machine.clock.source.startswith("estimate")  # Apple silicon tells no frequency
    assert machine.levels[1].source == "sysctl hw.perflevel0.l2cachesize"


def test_an_older_mac() -> None:
    machine = machine_from_text(machine_file(read_macos(INTEL_MAC)), "mac")
    assert [level.capacity for level in machine.levels] == [32768, 262144, 12582912, None]
    assert machine.levels[2].shared_by == 6
    assert machine.clock.value == 2.6e9
    assert machine.core["fp64"].fma.value == 2 * 4 * 2 * 2.6e9


def test_a_mac_is_asked_by_sysctl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.machine.detect.sysctl", lambda: APPLE)
    assert machine_from_text(detect(platform="darwin"), "mac").description == "Apple M2"


def test_a_missing_sysctl_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert macos.sysctl() == {}


def test_other_computers_are_refused_with_a_remedy() -> None:
    with pytest.raises(MachineError, match=r"win32 computer: copy generic-x86-64\.toml"):
        detect(platform="win32")

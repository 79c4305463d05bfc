"""The nameplate of a Linux computer, from ``/sys/devices/system/cpu`` and ``/proc/cpuinfo``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from roofscan.machine.nameplate import Cache, Nameplate, Read

_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def read_linux(root: Path = Path("/")) -> Nameplate:
    """The first socket of the computer whose file system starts at ``root``."""
    cpus = root / "sys/devices/system/cpu"
    info = _cpuinfo(root)
    threads = _threads_of_a_core(cpus)
    cores, cores_source = _cores(cpus, info)
    return Nameplate(
        model=info.get("model name", info.get("cpu part", "")),
        cores=cores,
        cores_source=cores_source,
        clock=_clock(cpus, info),
        flags=frozenset(info.get("flags", info.get("Features", "")).split()),
        flags_source="flags of /proc/cpuinfo",
        caches=tuple(sorted(_caches(cpus, threads, cores), key=lambda cache: cache.level)),
    )


def _text(path: Path) -> str:
    """The contents of a small file; "" where it is not there or may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _cpuinfo(root: Path) -> dict[str, str]:
    """The first processor's entry of /proc/cpuinfo."""
    first = _text(root / "proc/cpuinfo").split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _listed(text: str) -> set[int]:
    """The numbers of a list such as ``0-3,8``."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.strip().isdigit():
            found |= set(range(int(first), int(last) + 1 if last.strip().isdigit() else int(first) + 1))
    return found


def _cores(cpus: Path, info: dict[str, str]) -> tuple[int, str]:
    """Physical cores of the socket that CPU 0 is in."""
    topologies = [path / "topology" for path in cpus.glob("cpu[0-9]*")]
    first = _text(cpus / "cpu0/topology/physical_package_id")
    ours = [t for t in topologies if _text(t / "physical_package_id") == first]
    cores = {(_text(t / "die_id"), _text(t / "core_id")) for t in ours if _text(t / "core_id")}
    if cores:
        return len(cores), "cores of one package in /sys/devices/system/cpu/*/topology"
    if info.get("cpu cores", "").isdigit():
        return int(info["cpu cores"]), "cpu cores of /proc/cpuinfo"
    return max(1, len(topologies)), "number of CPUs in /sys/devices/system/cpu"


def _threads_of_a_core(cpus: Path) -> int:
    siblings = _text(cpus / "cpu0/topology/thread_siblings_list")
    return max(1, len(_listed(siblings)))


def _clock(cpus: Path, info: dict[str, str]) -> Read | None:
    """The clock that the nameplate promises: the base frequency if known, else what the kernel reports."""
    for name in ("base_frequency", "cpuinfo_max_freq"):
        kilohertz = _text(cpus / "cpu0/cpufreq" / name)
        if kilohertz.isdigit() and int(kilohertz):
            return Read(int(kilohertz) * 1e3, f"cpufreq/{name}")
    named = re.search(r"@\s*([0-9.]+)\s*GHz", info.get("model name", ""))
    if named:
        return Read(float(named.group(1)) * 1e9, "model name of /proc/cpuinfo")
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", info.get("cpu MHz", "")) and float(info["cpu MHz"]):
        return Read(float(info["cpu MHz"]) * 1e6, "cpu MHz of /proc/cpuinfo")
    return None


def _caches(cpus: Path, threads: int, cores: int) -> Iterator[Cache]:
    for index in sorted((cpus / "cpu0/cache").glob("index[0-9]*")):
        size = re.fullmatch(r"([0-9]+)([KMG]?)", _text(index / "size"))
        level, line = _text(index / "level"), _text(index / "coherency_line_size")
        if _text(index / "type") == "Instruction" or size is None or not level.isdigit() or not int(size[1]):
            continue
        sharers = len(_listed(_text(index / "shared_cpu_list")))
        yield Cache(
            level=int(level),
            capacity=int(size[1]) * _SIZES[size[2]],
            line=int(line) if line.isdigit() and int(line) else 64,
            shared_by=min(cores, max(1, sharers // threads)),
            source=f"cpu0/cache/{index.name} in /sys/devices/system/cpu",
        )

"""The nameplate of a Mac, from ``sysctl``."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from roofscan.machine.nameplate import Cache, Nameplate, Read

_FAST = "hw.perflevel0"  # the performance cores of Apple silicon
_APPLE_UNITS, _INTEL_UNITS = 4, 2  # vector units of a core
_FLAGS = {
    "hw.optional.avx512f": "avx512f",
    "hw.optional.avx2_0": "avx2",
    "hw.optional.avx1_0": "avx",
    "hw.optional.fma": "fma",
    "hw.optional.neon": "neon",
    "hw.optional.arm64": "asimd",
}


def sysctl() -> dict[str, str]:
    """What ``sysctl -a`` says; empty where there is no such command."""
    try:
        done = subprocess.run(["sysctl", "-a"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return {}
    pairs = (line.partition(":") for line in done.stdout.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def read_macos(values: Mapping[str, str]) -> Nameplate:
    """The computer that said ``values``: on Apple silicon, its performance cores."""
    cores_key = next((k for k in (f"{_FAST}.physicalcpu", "hw.physicalcpu") if _integer(values, k)), "")
    cores = _integer(values, cores_key) or 1
    return Nameplate(
        model=values.get("machdep.cpu.brand_string", ""),
        cores=cores,
        cores_source=f"sysctl {cores_key}" if cores_key else "estimate",
        clock=_clock(values),
        flags=frozenset(flag for key, flag in _FLAGS.items() if _integer(values, key)),
        flags_source="sysctl hw.optional",
        caches=_caches(values, cores),
        units=_APPLE_UNITS if _integer(values, "hw.optional.arm64") else _INTEL_UNITS,
    )


def _integer(values: Mapping[str, str], key: str) -> int:
    """The number of a key; 0 where it is missing or none."""
    text = values.get(key, "")
    return int(text) if text.isdigit() else 0


def _clock(values: Mapping[str, str]) -> Read | None:
    for key in ("hw.cpufrequency_max", "hw.cpufrequency"):
        if _integer(values, key):
            return Read(float(_integer(values, key)), f"sysctl {key}")
    return None


def _caches(values: Mapping[str, str], cores: int) -> tuple[Cache, ...]:
    line = _integer(values, "hw.cachelinesize") or 64
    shared = {1: 1, 2: min(cores, _integer(values, f"{_FAST}.cpusperl2") or 1), 3: cores}
    found = []
    for level, name in ((1, "l1dcachesize"), (2, "l2cachesize"), (3, "l3cachesize")):
        key = next((k for k in (f"{_FAST}.{name}", f"hw.{name}") if _integer(values, k)), None)
        if key:
            found.append(Cache(level, _integer(values, key), line, shared[level], f"sysctl {key}"))
    return tuple(found)

"""Writes a machine file for this computer from its nameplate. Nothing is measured. What no nameplate tells
(bandwidths, the rates of divisions and special functions) is that of the generic core, scaled by the clock, and
called an estimate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from roofscan.machine.linux import read_linux
from roofscan.machine.macos import read_macos, sysctl
from roofscan.machine.model import MachineError
from roofscan.machine.nameplate import Cache, Nameplate, Read
from roofscan.machine.timing import ESTIMATE

_CLOCK = Read(3.0e9, "estimate: not on the nameplate")
USUAL_CACHES = (
    Cache(1, 32 << 10, 64, 1, "estimate: no caches on the nameplate"),
    Cache(2, 1 << 20, 64, 1, "estimate: no caches on the nameplate"),
)
_BYTES_A_CYCLE = {1: 96, 2: 24, 3: 11}  # what one core draws from a cache level, sustained, in the generic machine
_SPECIAL_CYCLES = {"fp64": 20, "fp32": 10}
_ISSUE = 4  # operations of scalar code a cycle, as the generic core
_MEMORY_CORE = 16e9
_MEMORY_PER_CORE = 5e9
_HEADER = """\
# This computer, from its nameplate. Nothing here is measured: replace each figure that says "estimate" by one that
# you know (data sheet, STREAM). The format is described in roofscan's own generic-x86-64.toml.
"""


def detect(root: Path = Path("/"), platform: str = sys.platform) -> str:
    """The machine file, as TOML text, of the computer whose files stand under ``root``. MachineError on a platform
    whose nameplate roofscan cannot read."""
    return machine_file(nameplate_of_this_computer(root, platform))


def nameplate_of_this_computer(root: Path = Path("/"), platform: str = sys.platform) -> Nameplate:
    if platform.startswith("linux"):
        return read_linux(root)
    if platform == "darwin":
        return read_macos(sysctl())
    remedy = "copy generic-x86-64.toml and change its numbers"
    raise MachineError(f"cannot read the nameplate of a {platform} computer: {remedy}")


def machine_file(plate: Nameplate) -> str:
    """A machine file in TOML for what was read."""
    return _HEADER + "\n" + "\n".join(_lines(plate)) + "\n"


def _lines(plate: Nameplate) -> Iterator[str]:
    clock = plate.clock or _CLOCK
    caches = [cache for cache in plate.caches if cache.level in _BYTES_A_CYCLE] or list(USUAL_CACHES)
    yield f"description = {quoted(plate.model or 'this computer')}"
    yield 'kind = "cpu"'
    yield f"cores = {plate.cores}"
    yield f"vector_bits = {plate.vector_bits}"
    yield "write_allocate = true"
    yield f"source = {quoted(f'{plate.cores_source}; vectors: {plate.flags_source}')}"
    yield f"clock = {_figure(clock.value, clock.source)}"
    for cache in growing(caches):
        yield from _cache(cache, plate.cores, clock.value)
    yield from _memory(plate.cores, caches[-1].line)
    for precision, bits in (("fp64", 64), ("fp32", 32)):
        yield from _peak(precision, plate, plate.vector_bits // bits, clock.value)
        cycles = _SPECIAL_CYCLES[precision]
        yield f"special = {_figure(clock.value / cycles, f'estimate: {cycles} cycles per call of scalar libm')}"
    yield from ("", "[time]", f"issue = {{ nameplate = {_ISSUE}, source = {quoted(ESTIMATE)} }}")


def growing(caches: Sequence[Cache]) -> Iterator[Cache]:
    """The caches without those that are no larger than the one before."""
    largest = 0
    for cache in caches:
        if cache.capacity > largest:
            largest = cache.capacity
            yield cache


def _cache(cache: Cache, cores: int, clock: float) -> Iterator[str]:
    yield from ("", "[[level]]", f'name = "L{cache.level}"', f"capacity = {cache.capacity}")
    yield f"line = {cache.line}"
    yield f"shared_by = {cache.shared_by}"
    yield f"source = {quoted(cache.source)}"
    width = _BYTES_A_CYCLE[cache.level]
    yield f"bandwidth_core = {_figure(width * clock, f'estimate: {width} B per cycle, as the generic core')}"
    if cache.shared_by > 1:
        every = width * clock * max(1.0, cores * 2 / 3)
        yield f"bandwidth_all = {_figure(every, f'estimate: two thirds of {cores} x one core')}"


def _memory(cores: int, line: int) -> Iterator[str]:
    every = max(_MEMORY_CORE, _MEMORY_PER_CORE * cores)
    yield from ("", "[[level]]", 'name = "DRAM"', f"line = {line}")
    yield f"bandwidth_core = {_figure(_MEMORY_CORE, 'estimate: as the generic core')}"
    yield f"bandwidth_all = {_figure(every, 'estimate: 5 GB/s per core, as the generic machine')}"


def _peak(precision: str, plate: Nameplate, lanes: int, clock: float) -> Iterator[str]:
    flop = 2 if plate.fused else 1
    what = f"estimate: {plate.units} units x {lanes} lanes x {flop} FLOP x {clock / 1e9:g} GHz"
    peak = _figure(plate.units * lanes * flop * clock, what)
    yield from ("", f"[core.{precision}]", f"fma = {peak}")
    if not plate.fused:
        yield f"plain = {peak}"


def _figure(number: float, source: str) -> str:
    digits = f"{number:.6g}".replace("e+", "e")
    return f"{{ nameplate = {digits}, source = {quoted(source)} }}"


def quoted(text: str) -> str:
    """A TOML string: characters that would end it, or that it may not hold, are left out."""
    return '"' + "".join(c for c in text if c.isprintable() and c not in '"\\') + '"'

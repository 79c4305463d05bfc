"""The machine file of a GPU: what its driver says, and what small kernels measure on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, Protocol

from roofscan.frozen import dataclass
from roofscan.machine.detect import quoted

_HEADER = """\
# The GPU of this computer, measured by `roofscan machine measure --gpu`. Other figures come
# from the driver, or from the architecture.
"""
MEMORY_OVER_CACHE = 16  # data that the second cache does not hold
CACHED = 4  # the part of it whose data it holds
STEPS = 6
HIDDEN = 0.8  # of the host's time for a launch, below which that of the device is seen
SECTOR, LINE, L1_WIDTH = 32, 128, 128
FUSED = 2  # FLOPs of a multiply-add


@dataclass(frozen=True)
class Architecture:
    """What the compute capability says of a multiprocessor: operations per cycle, bytes of L1."""

    fp64: int
    fp32: int
    fp16: int
    l1: int


ARCHITECTURES: Mapping[tuple[int, int], Architecture] = {
    (7, 0): Architecture(32, 64, 128, 128 << 10),
    (7, 5): Architecture(2, 64, 128, 96 << 10),
    (8, 0): Architecture(32, 64, 256, 192 << 10),
    (8, 6): Architecture(2, 128, 128, 128 << 10),
    (8, 9): Architecture(2, 128, 128, 128 << 10),
    (9, 0): Architecture(64, 128, 256, 256 << 10),
    (10, 0): Architecture(64, 128, 256, 256 << 10),
    (12, 0): Architecture(2, 128, 128, 128 << 10),
}
"""NVIDIA's programming guide, by compute capability."""


Pass = Literal["read", "write", "copy"]


class NoGpu(Exception):
    """Why no GPU can be measured."""


class Gpu(Protocol):
    """A device: its attributes by the driver, and the seconds of small kernels on it."""

    @property
    def name(self) -> str: ...

    @property
    def capability(self) -> tuple[int, int]: ...

    @property
    def multiprocessors(self) -> int: ...

    @property
    def clock(self) -> float:
        """Hz."""

    @property
    def second_cache(self) -> int:
        """Bytes of L2."""

    @property
    def shared(self) -> int:
        """Bytes of shared memory of a multiprocessor."""

    @property
    def threads(self) -> int:
        """Threads that may be resident on a multiprocessor."""

    def stream(self, what: Pass, size: int) -> float:
        """Seconds of one pass over an array of so many bytes; a copy reads half of them and writes half."""

    def stream_again(self, size: int) -> float:
        """Seconds of one read of an array that fits L2 and misses L1."""

    def chase(self, size: int) -> float:
        """Seconds of one load whose address the load before gave, over so many bytes."""

    def empty(self) -> float:
        """Seconds from one launch of nothing to the next."""

    def dispatch(self, arrays: int) -> float:
        """Seconds of the host for a launch with so many array arguments: none, or four."""


def measured_gpu(gpu: Gpu, step: Callable[[str], None]) -> str:
    """The file as TOML text."""
    return "\n".join((_HEADER, *_lines(gpu, step))) + "\n"


def _lines(gpu: Gpu, step: Callable[[str], None]) -> Iterator[str]:
    units = ARCHITECTURES.get(gpu.capability) or ARCHITECTURES[max(k for k in ARCHITECTURES if k <= gpu.capability)]
    told = "the driver, and NVIDIA's programming guide for compute capability {}.{}".format(*gpu.capability)
    step("launches")
    start, dispatch = gpu.empty(), gpu.dispatch(0)
    each = (gpu.dispatch(4) - dispatch) / 4
    yield f"description = {quoted(gpu.name)}"
    yield from ('kind = "gpu"', f"cores = {gpu.multiprocessors}", "write_allocate = false", f"source = {quoted(told)}")
    yield f"clock = {_told(gpu.clock)}"
    yield f"launch_overhead = {_measured(start, 'launches of an empty kernel')}"
    yield from _levels(gpu, units, step)
    yield from ("", "[gpu]", f"source = {quoted(told)}", f"boost = {_told(gpu.clock)}")
    yield from (f"shared = {gpu.shared}", f"threads = {gpu.threads}")
    yield from (f"{key} = {value}" for key, value in (("fp64", units.fp64), ("fp32", units.fp32), ("fp16", units.fp16)))
    far = gpu.second_cache * MEMORY_OVER_CACHE
    passes: tuple[tuple[str, Pass], ...] = (("dram_read", "read"), ("dram_write", "write"))
    for key, what in passes:
        step(f"memory, {what}s")
        yield f"{key} = {_measured(far / gpu.stream(what, far), f'one {what} of {far >> 20} MiB')}"
    for key, size in (("latency_l1", units.l1 // 8), ("latency_l2", gpu.second_cache // CACHED), ("latency_dram", far)):
        step(f"latency of {size >> 10} KiB")
        yield f"{key} = {_measured(gpu.chase(size) * gpu.clock, f'dependent loads in {size >> 10} KiB')}"
    if start < HIDDEN * dispatch:  # else the host is slower than the device
        yield f"start = {_measured(start, 'launches of an empty kernel')}"
    yield f"dispatch = {_measured(dispatch, 'the host, without arguments')}"
    yield f"dispatch_array = {_measured(max(each, 0.0), 'the host, four arrays')}"
    for precision in ("fp64", "fp32"):
        peak = gpu.multiprocessors * getattr(units, precision) * FUSED * gpu.clock
        yield from ("", f"[all.{precision}]", f"fma = {_told(peak)}")


def _levels(gpu: Gpu, units: Architecture, step: Callable[[str], None]) -> Iterator[str]:
    near, far = gpu.second_cache // CACHED, gpu.second_cache * MEMORY_OVER_CACHE
    step("second cache")
    cached = near / gpu.stream_again(near)
    step("memory")
    copied = far / gpu.stream("copy", far)
    widest = gpu.multiprocessors * L1_WIDTH * gpu.clock
    for name, capacity, bandwidth in (
        ("L1", units.l1, _told(widest)),
        ("L2", gpu.second_cache, _measured(cached, f"reads of {near >> 20} MiB that it holds")),
        ("DRAM", None, _measured(copied, f"a copy of {far >> 20} MiB")),
    ):
        yield from ("", "[[level]]", f"name = {quoted(name)}", f"line = {SECTOR}", f"bandwidth_all = {bandwidth}")
        if capacity is not None:
            yield f"capacity = {capacity}"
        if name == "L2":
            yield f"shared_by = {gpu.multiprocessors}"


def _told(number: float) -> str:
    return f'{{ nameplate = {number:.6g}, source = "the driver" }}'.replace("e+", "e")


def _measured(number: float, how: str) -> str:
    return f"{{ achieved = {number:.6g}, source = {quoted(f'measured: {how}')} }}".replace("e+", "e")

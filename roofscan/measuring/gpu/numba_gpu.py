"""The first CUDA device of this computer, by numba-cuda."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numba import cuda

from roofscan.measuring.gpu import probes
from roofscan.measuring.gpu.machine_file import NoGpu, Pass

THREADS = 256
BLOCKS = 16  # of a multiprocessor
RUNS = 8
LOADS = 1 << 14
LAUNCHES = 256
STRIDE = 128  # bytes from one load of a chain to the next
PASSES = 64  # over data of the second cache, so that the launch is a small part
PARTS = 8  # of the array, that an iteration of a pass reads an element of
SHIFTS = 7  # in which neighbouring passes differ, as a share of a part

THREADS_RESIDENT = ("MAX_THREADS_PER_MULTI_PROCESSOR", "MAX_THREADS_PER_MULTIPROCESSOR")
"""The names of the attribute, in Numba and in numba-cuda with NVIDIA's bindings."""


def _attribute(device: Any, names: Sequence[str]) -> Any:
    """The first of these attributes that the device has."""
    for name in names:
        try:
            return getattr(device, name)
        except AttributeError:
            continue
    raise NoGpu(f"the driver's bindings have no {names[0]}; update numba-cuda")


class NumbaGpu:
    """A :class:`~roofscan.measuring.gpu.machine_file.Gpu`."""

    def __init__(self) -> None:
        if not cuda.is_available():
            raise NoGpu("no CUDA device is found")
        self._probes: Any = probes
        device: Any = cuda.get_current_device()
        name = device.name
        self.name = name.decode() if isinstance(name, bytes) else str(name)
        self.capability: tuple[int, int] = tuple(device.compute_capability)
        self.multiprocessors = int(device.MULTIPROCESSOR_COUNT)
        self.clock = float(device.CLOCK_RATE) * 1e3
        self.second_cache = int(device.L2_CACHE_SIZE)
        self.shared = int(device.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.threads = int(_attribute(device, THREADS_RESIDENT))
        self._out = cuda.device_array(1, np.float64)

    def stream(self, what: Pass, size: int) -> float:
        x = cuda.device_array(size // 8, np.float64)
        kernel: Any = getattr(self._probes, what)[self.multiprocessors * BLOCKS, THREADS]
        return self._least(lambda _: kernel(x, self._out))

    def stream_again(self, size: int) -> float:
        x, part = cuda.device_array(size // 8, np.float64), size // 8 // PARTS
        kernel: Any = self._probes.read_again[self.multiprocessors * BLOCKS, THREADS]
        places = np.uint64(part // SHIFTS), np.uint64(part)
        once = self._least(lambda _: kernel(x, self._out, 1, *places))
        return (self._least(lambda _: kernel(x, self._out, 1 + PASSES, *places)) - once) / PASSES

    def chase(self, size: int) -> float:
        step, places = STRIDE // 8, size // 8
        order = np.random.default_rng(0).permutation(places // step) * step
        following = np.zeros(places, np.uint64)  # subscripts without a test of their sign
        following[order] = np.roll(order, -1)
        chain, out = cuda.to_device(following), cuda.device_array(1, np.uint64)
        starts = [np.uint64(order[run * 2 * LOADS % len(order)]) for run in range(RUNS + 1)]  # of places not yet seen
        return self._least(lambda run: self._probes.chase[1, 1](chain, starts[run], LOADS, out)) / LOADS

    def empty(self) -> float:
        def launches(_: int) -> None:
            for _ in range(LAUNCHES):
                self._probes.nothing[1, 32]()

        return self._least(launches) / LAUNCHES

    def dispatch(self, arrays: int) -> float:
        kernel = self._probes.four[1, 32] if arrays else self._probes.nothing[1, 32]
        given = (self._out,) * arrays
        kernel(*given)
        cuda.synchronize()
        begin = perf_counter()
        for _ in range(LAUNCHES):
            kernel(*given)
        seconds = (perf_counter() - begin) / LAUNCHES
        cuda.synchronize()
        return seconds

    def _least(self, call: Callable[[int], object]) -> float:
        """Seconds of the fastest run but the first, by events of the device; a call is given the number of its run."""
        call(0)
        found: list[float] = []
        for run in range(1, RUNS + 1):
            begin, end = cuda.event(), cuda.event()
            begin.record()
            call(run)
            end.record()
            end.synchronize()
            found.append(float(cuda.event_elapsed_time(begin, end)) * 1e-3)
        return min(found)

"""What the memory model needs to know of a GPU, as plain numbers, and how many blocks a multiprocessor holds."""

from __future__ import annotations

from math import prod

from roofscan.frozen import dataclass

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Device:
    """Bytes, unless said otherwise. A multiprocessor has its own first cache, which shares its memory with the shared
    arrays of blocks."""

    multiprocessors: int
    warp: int  # threads
    l1: int  # of one multiprocessor, shared memory included
    l2: int
    partitions: int  # of the second cache: what lies in a far one passes through the near one
    slices: int  # of the second cache: each updates a sector for an atomic operation a cycle
    sector: int  # what a request asks of a cache, and one cache of the next
    line: int  # what a cache keeps together
    granule: int  # bytes of the smallest access to memory
    banks: int  # of 4 bytes, of shared memory
    l1_banks: int  # the same, of the first cache
    tag_lines: float  # lines whose tags are compared in a cycle
    threads: int  # resident on a multiprocessor, at most
    blocks: int
    registers: int  # of a multiprocessor
    register_unit: int  # registers are given to threads in such multiples
    shared: int  # bytes of shared memory of all resident blocks together, at most
    shared_overhead: int  # bytes more for each block
    unroll: int  # iterations of a loop that compiled code merges into one
    dirty: float  # the share of the second cache that written data may fill when a kernel ends


@dataclass(frozen=True)
class LaunchSizes:
    """A launch in numbers, along x, y and z."""

    grid: Triple  # blocks
    block: Triple  # threads of one
    registers: int = 32  # a thread
    shared: int = 0  # bytes per block
    sharers: int = 1  # threads that share out the elements of a tile: then ``block`` is one program

    @property
    def blocks(self) -> int:
        return prod(self.grid)

    @property
    def threads(self) -> int:
        """Of a block."""
        return prod(self.block) * self.sharers


def resident_blocks(launch: LaunchSizes, device: Device) -> int:
    """The blocks that one multiprocessor holds at once (NVIDIA's occupancy rules), no more than it is given."""
    threads = max(1, launch.threads)
    registers = ceil_of(launch.registers, device.register_unit) * ceil_of(threads, device.warp)
    shared = launch.shared + device.shared_overhead
    return max(1, min(
        device.blocks,
        device.threads // threads,
        device.registers // max(1, registers),
        device.shared // shared if launch.shared else device.blocks,
        -(-launch.blocks // device.multiprocessors),
    ))  # fmt: skip


def ceil_of(number: int, unit: int) -> int:
    """The smallest multiple of ``unit`` that is not below the number."""
    return -(-number // unit) * unit


def busy_multiprocessors(launch: LaunchSizes, device: Device) -> float:
    """How many multiprocessors' work the launch would keep busy to its end: whole rounds of blocks count as they are,
    the last round as long as any."""
    rounds = -(-launch.blocks // device.multiprocessors)
    return launch.blocks / max(1, rounds)

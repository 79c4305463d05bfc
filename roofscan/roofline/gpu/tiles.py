"""Which share of the rate of matrix units a product of tiles reaches. Units take instructions of 16 x 8 elements and 32
bytes of the sum, each by one warp. A warp that has none repeats another's. Operands come from shared memory: rows of 64
by columns of up to 256 at best."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from roofscan.frozen import dataclass

ROWS, COLUMNS, DEPTH = 16, 8, 32  # of an instruction; DEPTH in bytes
READ_ROWS, READ_COLUMNS = 64, 256  # of a product whose operands are read once


@dataclass(frozen=True)
class TileProduct:
    """``m`` x ``n`` sums of ``k`` products, of operands of so many bytes per element."""

    m: int
    n: int
    k: int
    bytes: int

    def __str__(self) -> str:
        return f"{self.m} x {self.n} x {self.k}"

    @property
    def multiplications(self) -> int:
        return self.m * self.n * self.k

    def share(self, warps: int, a_cycle: float, shared_width: float) -> float:
        """``a_cycle``: the multiplications of the units of a multiprocessor in a cycle."""
        rows, columns = ceil(self.m / ROWS), ceil(self.n / COLUMNS)
        depth = ceil(self.k * self.bytes / DEPTH) * DEPTH // self.bytes
        full = self.multiplications / (rows * ROWS * columns * COLUMNS * depth)
        read = self.k * self.bytes * (self.m * ceil(self.n / READ_COLUMNS) + self.n * ceil(self.m / READ_ROWS))
        fed = (self.multiplications / a_cycle) / (read / shared_width)
        return min(full * min(1.0, rows * columns / warps), fed, 1.0)


def share_of_units(products: Sequence[TileProduct], warps: int, a_cycle: float, shared_width: float) -> float:
    """Of all products of an iteration together."""
    asked = sum(p.multiplications for p in products)
    taken = sum(p.multiplications / p.share(warps, a_cycle, shared_width) for p in products)
    return asked / taken if taken else 1.0

"""What a computer's nameplate says: the facts that detection reads, before a machine file is made of them."""

from __future__ import annotations

from roofscan.frozen import dataclass

VECTOR_FLAGS = (("avx512f", 512), ("avx2", 256), ("avx", 256), ("sve", 128), ("asimd", 128), ("neon", 128))
"""CPU flags and the width of a vector register that they promise, widest first; 128 bits without any."""


@dataclass(frozen=True)
class Read:
    value: float
    source: str


@dataclass(frozen=True)
class Cache:
    """A data or unified cache. ``shared_by`` counts cores, not hardware threads."""

    level: int
    capacity: int  # bytes
    line: int  # bytes
    shared_by: int
    source: str


@dataclass(frozen=True)
class Nameplate:
    model: str
    cores: int
    cores_source: str
    clock: Read | None  # Hz
    flags: frozenset[str]
    flags_source: str
    caches: tuple[Cache, ...]  # nearest first
    units: int = 2  # vector units of a core: no nameplate has them

    @property
    def vector_bits(self) -> int:
        return next((bits for flag, bits in VECTOR_FLAGS if flag in self.flags), 128)

    @property
    def fused(self) -> bool:
        """Whether it has fused multiply-adds: Arm's vectors always have them."""
        return not self.flags.isdisjoint({"fma", "fma4", "avx512f", "asimd", "sve", "neon"})

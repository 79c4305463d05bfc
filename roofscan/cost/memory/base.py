"""Traffic between the levels of memory, and the protocol that a model of memory implements:
:mod:`roofscan.cost.memory.lru` for the caches of CPUs, :mod:`roofscan.cost.memory.gpu` for launches. Models are chosen
in :mod:`roofscan.cost.memory.models`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from roofscan.frozen import dataclass
from roofscan.ir.kinds import TouchKind, TrafficStatus
from roofscan.symbolic.expr import ZERO, Expr, Number, sum_of


@dataclass(frozen=True)
class Movement:
    """Bytes across one interface: lines fetched for a read (``load``), for a write (``fill``, by write-allocate), and
    written back."""

    load: Expr
    fill: Expr
    writeback: Expr

    @staticmethod
    def total(parts: Iterable[Movement]) -> Movement:
        every = tuple(parts)
        return Movement(
            sum_of(m.load for m in every), sum_of(m.fill for m in every), sum_of(m.writeback for m in every)
        )

    def __mul__(self, factor: Expr) -> Movement:
        return Movement(self.load * factor, self.fill * factor, self.writeback * factor)


NOTHING = Movement(ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class Requests:
    """What the warps of a GPU ask of its first caches, over the whole launch."""

    requests: Expr
    sectors: Expr
    wavefronts: Expr  # of data and tags, shared memory included
    shared_wavefronts: Expr


@dataclass(frozen=True)
class Traffic:
    """Movement between a cache of ``capacity`` bytes and the next level out (0: registers, every access)."""

    capacity: int
    total: Movement
    arrays: Mapping[str, Movement]
    status: TrafficStatus
    conditions: tuple[str, ...] = ()
    why: str = ""  # for bounds, unknown and what is counted at worst: the reason, with its line
    granule: int = 0  # bytes that cross at once, where that is not the line
    requests: Requests | None = None  # of the registers of a GPU


@dataclass(frozen=True)
class ReuseClass:
    """Touches of lines of one array that were touched before, at one reuse distance. The reuse distance is the number
    of bytes of distinct lines touched since, the line itself included (Mattson et al., 1970): the touch hits in a fully
    associative LRU cache exactly if it is at most the capacity. ``count`` is in lines, over the whole kernel. ``place``
    is the loop variable that carries the reuse, ``iterations_back`` by how many iterations, or "sequence" where an
    earlier sibling touched the line. Lines whose distances spread evenly are a class of equal ``parts`` of ``count``
    lines each: the distance is that of the first part, and grows by ``rise`` from part to part. ``between`` says whose
    bytes the distance is made of, by array; it is empty where the distance is a mean."""

    array: str
    place: str
    line: int
    iterations_back: int
    kind: TouchKind
    count: Expr
    distance: Expr
    fill_share: Expr  # share of the touches that are writes first
    between: tuple[tuple[str, Expr], ...] = ()
    rise: Expr = ZERO
    parts: int = 1

    def distance_at(self, part: Number) -> Expr:
        """The distance of part number ``part``, from 0; a fraction interpolates between two parts."""
        return self.distance + self.rise * part if part else self.distance


@dataclass(frozen=True)
class Sharing:
    """How the threads of a parallel loop share the caches of one level: ``threads`` for each of ``caches`` caches."""

    threads: int = 1
    caches: int = 1


ALONE = Sharing()  # one thread with a cache of its own


@dataclass(frozen=True)
class Answers:
    """What a model has been asked so far: its classes (None: not asked), the traffic by capacity, and the answers of
    the models among threads."""

    classes: tuple[ReuseClass, ...] | None
    traffic: Mapping[int, Traffic]
    among: Mapping[Sharing, Answers]


class MemoryModel(Protocol):
    """The memory accesses of one kernel, at one line size."""

    @property
    def line(self) -> int:
        """Bytes of a cache line."""

    @property
    def status(self) -> TrafficStatus:
        """As :attr:`Traffic.status`, for any capacity."""

    @property
    def footprint(self) -> Expr:
        """Bytes of distinct lines."""

    @property
    def classes(self) -> tuple[ReuseClass, ...]: ...

    @property
    def answers(self) -> Answers: ...

    def traffic(self, capacity: int) -> Traffic:
        """Bytes between a cache of ``capacity`` bytes and the next level out."""

    def among(self, sharing: Sharing) -> MemoryModel:
        """The same where threads run the parallel loops: the bytes into all caches of a level together."""


M = TypeVar("M")


class WithoutReuse:
    """What a model says of reuse that knows the traffic of launches on a GPU alone."""

    classes: tuple[ReuseClass, ...] = ()
    answers = Answers((), {}, {})

    def among(self: M, sharing: Sharing) -> M:
        return self

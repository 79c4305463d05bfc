"""What the second cache holds: data that wave after wave reads again, copies of them in its other partition, and, when
the launch ends, what was written last. And what it keeps from one launch to the next: data of the last ones, as long as
all that was touched since fits; and at the end, dirty data that nothing has pushed out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from roofscan.cost.memory.gpu.decisions import Decision, given
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.frozen import dataclass

COPIES = Fraction(2, 5)  # of what multiprocessors of both partitions read, that the far one holds too (products, H200)
DIRTY_MIX = 0.65  # of the second cache, what the last accesses leave there (copies, H200)
MAX_REPEATED_SHARE = Fraction(7, 8)  # of what a box of blocks touches, that the next one touches again


@dataclass(frozen=True)
class BoxSweep:
    """What a box of blocks touches, and a larger one that adds up ``times`` of it, by array."""

    one: Mapping[str, Num]
    all_: Mapping[str, Num]
    times: Num

    @property
    def again(self) -> Mapping[str, Num]:
        """The bytes of the arrays that the next box touches again, nearly all of them."""
        times = value_of(self.times)
        return {
            name: one
            for name, one in self.one.items()
            if self._repeated(name, times) > MAX_REPEATED_SHARE * value_of(one)
        }

    def _repeated(self, name: str, times: float) -> float:
        one, all_ = value_of(self.one[name]), value_of(self.all_[name])
        return (one * times - all_) / (times - 1) if times > 1 else 0.0

    def needed(self, device: Device) -> Num:
        """The room that one box takes, with the copies of what the next one touches again."""
        return total((*self.one.values(), *self.copies(device)))

    def copies(self, device: Device) -> list[Num]:
        return [one * COPIES * (device.partitions - 1) for one in self.again.values()]

    def held(self, device: Device) -> Num:
        """What stays from box to box."""
        return total((*self.again.values(), *self.copies(device)))


def left_dirty(load: Mapping[str, Num], store: Mapping[str, Num], held: Num, device: Device) -> Mapping[str, Num]:
    """What of the stores reaches memory before the launch ends. Loads and stores push each other out of the room that
    is not ``held``; what is updated in place lies there once."""
    most, room = round(device.dirty * device.l2), round(DIRTY_MIX * device.l2) - held
    written = total(store.values())
    apart = [moved - (store[name] if name in store else 0) for name, moved in load.items()]
    flow = total((written, *(moved for moved in apart if moved > 0)))
    if flow <= room and written <= most:
        stays = Decision(room - flow), Decision(most - written)
        return {name: given(0, *stays) for name in store}
    if room <= 0:
        return {name: given(each, Decision(-room)) for name, each in store.items()}
    margin = most * flow - room * written
    if margin >= 0:
        share, decisions = room / flow, (Decision(margin), Decision(flow - room))
    else:
        share, decisions = most / written, (Decision(-margin), Decision(written - most))
    return {name: given(each - each * share, *decisions) for name, each in store.items()}


# -- from launch to launch ---------------------------------------------------------------------------
@dataclass(frozen=True)
class LaunchBytes:
    """What one launch moves of one array, if it finds nothing cached."""

    load: float
    store: float
    extent: float  # the distinct bytes of it


@dataclass(frozen=True)
class Kept:
    """``loaded``: the share of an array's loads that come from memory. ``stays``: the share of what is written to it
    that never leaves the cache."""

    loaded: float
    stays: float
    may_hit: bool = field(default=False, compare=False)  # whether another launch touched it before


Round = Mapping[str, LaunchBytes]  # of one launch, by array


def kept_between(launches: Sequence[Round], capacity: int, *, again: bool) -> list[Mapping[str, Kept]]:
    """For each launch, in order. ``again``: the sequence runs again and again."""
    cycle = [*launches, *launches, *launches] if again else [*launches]
    first = len(launches) if again else 0
    return [
        {name: _of_array(cycle, k, name, capacity, len(launches), again=again) for name in cycle[k]}
        for k in range(first, first + len(launches))
    ]


def _of_array(launches: Sequence[Round], at: int, name: str, capacity: int, every: int, *, again: bool) -> Kept:
    earlier = next((k for k in reversed(range(at)) if name in launches[k]), None)
    loaded = 1.0
    may_hit = earlier is not None and (at - earlier) % every > 0
    if earlier is not None and _window(launches[earlier : at + 1]) <= capacity:
        loaded = max(0.0, 1 - launches[earlier][name].extent / max(1.0, launches[at][name].extent))
    later = next((k for k in range(at + 1, len(launches)) if _stored(launches[k], name)), None)
    if later is not None:
        return Kept(loaded, float(_window(launches[at : later + 1]) <= capacity), may_hit)
    return Kept(loaded, 0.0 if again else _left(launches[at:], capacity), may_hit)


def _left(launches: Sequence[Round], capacity: int) -> float:
    """The share of what the first of these writes that is still there after the last."""
    room = DIRTY_MIX * capacity - _touched(launches[1:])
    own = sum(moved.load + moved.store for moved in launches[0].values())
    return min(1.0, max(0.0, room / own)) if own else 0.0


def _window(launches: Sequence[Round]) -> float:
    """The bytes touched between two touches of one element: launches sweep through their arrays alike, so that what is
    left of the first and what the last has done are one sweep."""
    first, *between, last = launches
    whole = {name for launch in between for name in launch}
    ends = (sum(moved.extent for name, moved in end.items() if name not in whole) for end in (first, last))
    return _touched(between) + max(ends)


def _touched(launches: Sequence[Round]) -> float:
    extents: dict[str, float] = {}
    for launch in launches:
        for name, moved in launch.items():
            extents[name] = max(extents.get(name, 0.0), moved.extent)
    return sum(extents.values())


def _stored(launch: Round, name: str) -> bool:
    return name in launch and launch[name].store > 0

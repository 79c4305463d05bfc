"""What the second cache keeps from one launch to the next: data of the last ones, as long as all that was touched since
fits; and at the end, dirty data that nothing has pushed out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from roofscan.cost.memory.gpu.second_cache import DIRTY_MIX
from roofscan.frozen import dataclass


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

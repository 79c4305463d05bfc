"""Iteration distances: how many iterations back a line may have been touched last."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, inf

from roofscan.cost.memory.lru.footprint.subtree import Env
from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, Modulo, loops_below, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, value_of

MAX_ITERATION_DISTANCES = 24
"""At most so many distances a loop and array: the shortest."""

Subscripts = tuple[Affine, ...]
Lane = tuple[object, ...]
"""What subscripts have in common that reach each other's elements: the loop's speed, and all that must be equal."""


def iteration_distances(loop: LoopNode, env: Env, buffer: Buffer, writes: bool) -> list[int]:
    """1, and the distances at which one reference reaches the elements, or the line, of another."""
    moving = [
        tuple(s.fix(env) for s in r.subscripts) for r in refs_to(loop, buffer)
        if not r.irregular and (r.write or not writes)
        and any(loop.var in s.coefs for s in r.subscripts)
    ]  # fmt: skip
    if not moving:
        return [1]
    inner = frozenset(x.var for x in loops_below(loop))
    lanes: dict[Lane, set[float]] = {}
    spread = 0.0
    for place in moving:
        lane, number = _lane(loop, place, inner)
        lanes.setdefault(lane, set()).add(number)
        spread = max(spread, _spread(loop, buffer, place))
    found = {1} | _periods(loop, buffer)
    for numbers in _together(lanes):
        _differences(sorted(numbers), spread, found)
    return sorted(found)[:MAX_ITERATION_DISTANCES]


def _lane(loop: LoopNode, place: Subscripts, inner: frozenset[str]) -> tuple[Lane, float]:
    """The lane of a place, and its number there: how many iterations later the loop reaches it."""
    step = value_of(loop.step) * loop.direction
    lane: list[object] = []
    first: float | None = None
    for form in place:
        speed = value_of(form.coefs.get(loop.var, 0)) * step
        offset = value_of(form.constant)
        if not speed:  # the places of inner loops meet somewhere
            lane.append(None if inner & form.coefs.keys() else round(offset, 6))
            continue
        number = offset / speed
        if first is None:
            first = number
        lane.append((speed, frozenset(form.coefs), round(number - first, 6)))
    assert first is not None
    return tuple(lane), first


def _spread(loop: LoopNode, buffer: Buffer, place: Subscripts) -> float:
    """How many iterations earlier the line of an element may be reached, where the loop goes along rows."""
    speed = abs(value_of(place[-1].coefs.get(loop.var, 0)) * value_of(loop.step))
    return (buffer.per_line - 1) / speed if 0 < speed < buffer.per_line else 0.0


def _together(lanes: dict[Lane, set[float]]) -> Iterator[set[float]]:
    """The numbers of each lane, with those of lanes that an inner loop brings to it."""
    open_in = {n for lane in lanes for n, part in enumerate(lane) if part is None}
    closed_in = {n for lane in lanes for n, part in enumerate(lane) if part is not None}
    if not open_in & closed_in:
        yield from lanes.values()
        return
    for lane, numbers in lanes.items():
        same = (other for key, other in lanes.items() if _are_one(lane, key))
        yield numbers.union(*same)


def _are_one(a: Lane, b: Lane) -> bool:
    return all(x == y or x is None or y is None for x, y in zip(a, b))


def _differences(numbers: list[float], spread: float, found: set[int]) -> None:
    """Adds the differences between numbers, and those up to ``spread`` less or more, the shortest at least."""
    most = inf
    for n, low in enumerate(numbers):
        for high in numbers[n + 1 :]:
            exact = high - low
            if exact - spread - 1 > most:
                break
            near = {floor(exact - spread), ceil(exact - spread), floor(exact + spread), ceil(exact + spread)}
            wanted = {floor(exact + TOLERANCE), ceil(exact - TOLERANCE)} | {k for k in near if k < exact}
            found |= {k for k in wanted if k >= 1}
            if len(found) >= MAX_ITERATION_DISTANCES:
                most = sorted(found)[MAX_ITERATION_DISTANCES - 1]


def _periods(loop: LoopNode, buffer: Buffer) -> set[int]:
    """The periods of subscripts that are taken modulo a number."""
    found: set[int] = set()
    for ref in refs_to(loop, buffer):
        for dim, modulo in ref.folds:
            if not isinstance(modulo, Modulo):
                continue
            speed = abs(value_of(ref.subscripts[dim].coefs.get(loop.var, 0)) * value_of(loop.step))
            if speed:
                period = value_of(modulo.modulus) / speed
                found |= {n for n in (floor(period), ceil(period)) if n >= 1}
    return found

"""What differs from thread to thread of a block in other ways than by strides (``t ^ 1``, ``abs(t - 5)``, ``t // 3``),
worked out for each thread: the addresses of a reference, and which threads a condition lets through."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product

from roofscan.cost.memory.gpu.device import Triple
from roofscan.cost.memory.gpu.threads.domain import BlockClass, Mask
from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of
from roofscan.frozen import dataclass
from roofscan.memo import kept
from roofscan.symbolic.expr import Atom, Expr, Number
from roofscan.symbolic.numeric import function_value

MOST_PLACES = 1 << 14  # addresses that are looked at one by one

Tables = tuple[tuple[int, ...], ...]  # by thread, x fastest


@dataclass(frozen=True, eq=False)
class LaneOffsets:
    """Bytes: one table for each combination of the iterations of ``loops``."""

    loops: tuple[str, ...]
    tables: Tables

    def while_running(self, loops: Collection[str]) -> Tables:
        """The tables of the iterations that are made; those of the first ones alone where no loop runs."""
        return self.tables if any(var in loops for var in self.loops) else self.tables[:1]


def values_by_thread(
    expr: Expr, block: Triple, names: Sequence[str], extents: Mapping[str, int]
) -> tuple[tuple[Number, ...], ...]:
    """The values of an expression in ``names`` (those of the threads along x, y and z) and in the variables of
    ``extents``: by thread, for each combination of these."""
    places = [dict(zip(names, (x, y, z))) for z, y, x in product(*(range(extent) for extent in reversed(block)))]
    combined = [dict(zip(extents, at)) for at in product(*map(range, extents.values()))]
    every = [{**at, **place} for at in combined for place in places]
    found = _Columns(every).of(expr)
    return tuple(tuple(found[first : first + len(places)]) for first in range(0, len(found), len(places)))


def offsets_of(block: Sequence[int], strides: Sequence[Num]) -> tuple[int, ...]:
    """Bytes by thread, x fastest."""
    found = [0]
    for stride, extent in zip(strides, block):
        step = round(value_of(stride))
        found = [place * step + before for place in range(extent) for before in found]
    return tuple(found)


class _Columns:
    """Expressions at many points, term by term."""

    def __init__(self, points: Sequence[Mapping[str, int]]) -> None:
        self._points = points

    def of(self, expr: Expr) -> list[Number]:
        found: list[Number] = [0] * len(self._points)
        for monomial, coefficient in expr.terms.items():
            term: list[Number] = [coefficient] * len(self._points)
            for atom, power in monomial:
                term = [value * base**power for value, base in zip(term, self._atom(atom))]
            found = [a + b for a, b in zip(found, term)]
        return found

    @kept
    def _atom(self, atom: Atom) -> list[Number]:
        if isinstance(atom, str):
            return [point[atom] for point in self._points]
        return [function_value(atom.name, list(row)) for row in zip(*map(self.of, atom.args))]


def active_of(block: Triple, classes: Sequence[BlockClass], mask: Mask | None) -> list[int]:
    """The numbers of the active threads of a block of these classes along x, y and z."""
    xs, ys, zs = (c.threads for c in classes)
    every = [z * block[1] + y for z in zs for y in ys]
    found = [row * block[0] + x for row in every for x in xs]
    return found if mask is None else [t for t in found if mask[t]]

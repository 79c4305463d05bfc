"""How many elements a value has where the source leaves it open: a parameter may be a number or an array.

``np.exp(-0.5 * r * t)`` names two parameters and tells of neither which it is. An operation then counts once for
each element of what its operands broadcast to: the symbol ``r_t_size`` stands for ``np.broadcast(r, t).size``, which
is right for arrays of any rank and 1 for numbers. Where an operand turns out to be a number (it meets the elements of
a loop, or arrays of different shapes), or to broadcast into an array that is known, nothing is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from roofscan.symbolic.expr import ONE, Expr

Names = frozenset[str]
Shape = tuple[Expr, ...]
SCALAR: Names = frozenset()
"""The breadth of what surely is a number."""


@dataclass
class BroadcastSizes:
    """What is known so far. ``of`` holds values by their id; one that is absent is an element of a known array.

    Where everything treats all elements alike, open parameters are read as arrays of one shape, ``common``, so that
    nests and traffic are those of the usual reading; operations count in the share of it that their operands fill.
    """

    of: dict[int, Names] = field(default_factory=dict)
    common: Names = SCALAR
    arrays: dict[str, Names] = field(default_factory=dict)  # arrays of that shape: what their elements are made of
    parameters: dict[str, int] = field(default_factory=dict)  # the open ones, and the ids that stand for them
    sizes: dict[Names, str] = field(default_factory=dict)  # the symbol of what these parameters broadcast to
    numbers: dict[str, None] = field(default_factory=dict)  # parameters that turned out to be numbers
    met: dict[str, tuple[Shape, ...]] = field(default_factory=dict)  # the shapes that a parameter broadcasts into

    def open(self, name: str) -> int:
        """An id, below 0, for a parameter that may be a number or an array."""
        node = self.parameters.setdefault(name, -1 - len(self.parameters))
        self.of[node] = frozenset((name,))
        return node

    def sources(self, inputs: Sequence[int | None]) -> Names | None:
        """The parameters that values broadcast from; None where an element of an array is among the values."""
        found = [self.of.get(i) for i in inputs if i is not None]
        return None if None in found else self._union(found)

    def open_sources(self, inputs: Iterable[int | None]) -> Names:
        return self._union(self.of.get(i) for i in inputs if i is not None)

    @staticmethod
    def _union(found: Iterable[Names | None]) -> Names:
        return SCALAR.union(*(names for names in found if names is not None))

    def mark_scalars(self, names: Names) -> None:
        self.numbers.update(dict.fromkeys(names))

    def record_shape(self, names: Names, shape: Shape) -> None:
        for name in names:
            self.met[name] = (*self.met.get(name, ()), shape)

    def compare_shapes(self, resolve: Callable[[Expr], Expr]) -> None:
        """What broadcasts into arrays of different shapes is a number; into parts of arrays (n - 2 of n) as well."""
        for name, shapes in self.met.items():
            for column in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=ONE):
                extents = {resolve(e) for e in column} - {ONE}
                if len(extents) > 1 or any(len(e.terms) > 1 for e in extents):
                    self.numbers[name] = None

    def called(self, names: Names) -> tuple[str, str]:
        """The name of the size of what parameters broadcast to, and what it is in Python."""
        order = [name for name in self.parameters if name in names]
        said = f"np.size({order[0]})" if len(order) == 1 else f"np.broadcast({', '.join(order)}).size"
        return "_".join((*order, "size")).replace(".", "_"), said

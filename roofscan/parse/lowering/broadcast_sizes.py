"""Scalar-or-array parameters: how many elements a value has where the source leaves it open. In ``np.exp(-0.5 * r *
t)``, r and t may be numbers or arrays. An operation then counts once for each element of the broadcast operands:
``r_t_size`` is ``np.broadcast(r, t).size``, and 1 for numbers. Nothing stays open where an operand turns out to be a
number (it is combined with single elements, or with arrays of different shapes), or broadcasts into a known array."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from itertools import zip_longest

from roofscan.frozen import dataclass
from roofscan.ir.symbols import Extent
from roofscan.symbolic.expr import ONE, Expr

Names = frozenset[str]
Shape = tuple[Expr, ...]
SCALAR: Names = frozenset()  # the parameters that a number broadcasts from: none


@dataclass
class BroadcastSizes:
    """What is known so far. ``of`` holds values by their id; a value that is absent is an element of a known array.
    Where all elements are treated alike, open parameters are arrays of one shape, that of ``common``: loop nests and
    traffic are those of such arrays, and an operation counts for the share of the shape that its operands fill."""

    of: dict[int, Names] = field(default_factory=dict)
    common: Names = SCALAR
    arrays: dict[str, Names] = field(
        default_factory=dict
    )  # arrays of that shape, and the parameters that they broadcast from
    parameters: dict[str, int] = field(default_factory=dict)  # the open ones, and their ids
    sizes: dict[Names, str] = field(default_factory=dict)  # parameters -> the symbol of their broadcast size
    numbers: dict[str, None] = field(default_factory=dict)  # parameters that turned out to be numbers
    met: dict[str, tuple[Shape, ...]] = field(default_factory=dict)  # parameter -> the shapes that it broadcasts into

    def open(self, name: str) -> int:
        """An id, below 0, for a parameter that may be a number or an array."""
        node = self.parameters.setdefault(name, -1 - len(self.parameters))
        self.of[node] = frozenset((name,))
        return node

    def sources(self, inputs: Sequence[int | None]) -> Names | None:
        """The parameters that values broadcast from; None where one of them is an element of a known array."""
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

    def find_scalars(self, resolve: Callable[[Expr], Expr]) -> None:
        """Parameters that broadcast into arrays of different shapes, or into parts of arrays, are numbers."""
        for name, shapes in self.met.items():
            for column in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=ONE):
                extents = {resolve(e) for e in column} - {ONE}
                if len(extents) > 1 or any(len(e.terms) > 1 for e in extents):
                    self.numbers[name] = None

    def name_of(self, names: Names) -> tuple[str, str, Extent]:
        """A name for the broadcast size of parameters, its Python expression, and whose size it is."""
        order = [name for name in self.parameters if name in names]
        meaning = f"np.size({order[0]})" if len(order) == 1 else f"np.broadcast({', '.join(order)}).size"
        return "_".join((*order, "size")).replace(".", "_"), meaning, Extent(tuple(order), None)

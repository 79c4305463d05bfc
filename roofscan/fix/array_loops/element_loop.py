"""The loops over the elements of arrays that some whole-array statements become, and what an iteration does."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from roofscan.fix.elements import (
    Element,
    Elements,
    NotElementwise,
    Stretch,
    is_fresh,
    known_arrays,
    listed,
    types_of,
    walks_of,
)
from roofscan.fix.hazards import divides, overlapping
from roofscan.fix.model import Site
from roofscan.fix.numbers import Numbers
from roofscan.fix.source import code, fresh_name, loaded_names

NAMES = ("i", "j", "k", "l")
IN_PLACE = ("=", "+=", "-=", "*=", "/=")  # others differ between arrays and numbers where they meet 0

Line = cst.SimpleStatementLine
Stretches = Sequence[Stretch | cst.BaseExpression]


def store_of(site: Site, statement: Line) -> cst.Subscript | None:
    """The subscript of an array that a statement stores into: of ``v += 1`` for an argument, ``v[...]``."""
    small = statement.body[0] if len(statement.body) == 1 else None
    target: cst.CSTNode | None = small.target if isinstance(small, cst.AugAssign) else None
    if isinstance(target, cst.Name) and target.value in {*site.kernel.parameters} & site.kernel.array_named.keys():
        return cst.Subscript(target, [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    return target if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) else None


def stored_into(site: Site, store: cst.Subscript) -> tuple[str, Stretches]:
    """The array, and what the subscript says of its axes."""
    array = site.kernel.array_named.get(code(store.value))
    if array is None:
        raise NotElementwise
    return array.name, walks_of(store.slice, len(array.shape))


class ElementLoop:
    """What loops over the axes that a subscript of an array slices do in an iteration."""

    def __init__(self, site: Site, array: str, walks: Stretches) -> None:
        self._site, self._array = site, array
        self._taken = loaded_names(site.function)
        self._numbers = Numbers(site.kernel, site.function)
        axes = [(axis, walk.trimmed) for axis, walk in enumerate(walks) if isinstance(walk, Stretch)]
        if not 0 < len(axes) <= len(NAMES):
            raise NotElementwise
        free = [name for name in NAMES if name not in self._taken] + ["index"] * len(axes)
        self._axes = [(self._fresh(name), *place) for name, place in zip(free, axes, strict=False)]
        indices, trimmed = [name for name, _, _ in self._axes], [cut for _, _, cut in self._axes]
        self._elements = Elements(known_arrays(site), self._numbers.names, indices, trimmed)
        self._stored: set[str] = set()
        self._lines: list[Line] = []
        self._added: list[cst.BaseExpression] = []

    @property
    def rank(self) -> int:
        return len(self._axes)

    @property
    def divides(self) -> bool:
        return self._elements.divides

    @property
    def is_special(self) -> bool:
        return self._elements.is_special

    def _fresh(self, wanted: str) -> str:
        name = fresh_name(wanted, self._taken)
        self._taken.add(name)
        return name

    def add(self, statement: Line) -> None:
        small = statement.body[0] if len(statement.body) == 1 else None
        if not isinstance(small, (cst.Assign, cst.AugAssign)):
            raise NotElementwise
        value, store = self._elements.of(small.value), store_of(self._site, statement)
        target = small.target if isinstance(small, cst.AugAssign) else small.targets[0].target
        operator = code(small.operator).strip() if isinstance(small, cst.AugAssign) else "="
        if operator not in IN_PLACE:
            raise NotElementwise
        self._elements.divides |= divides(small)
        self._added.append(small.value)
        self._append(self._stored_in(store) if store else self._kept(target, small, value), operator, value)

    def add_to(self, total: str, node: cst.BaseExpression) -> None:
        """Each element of an expression to a number."""
        self._append(total, "+=", self._whole(node))

    def put_into(self, made: str, node: cst.BaseExpression) -> None:
        """The elements of an expression into an array of its shape."""
        self._append(f"{made}[{', '.join(name for name, _, _ in self._axes)}]", "=", self._whole(node))

    def _whole(self, node: cst.BaseExpression) -> Element:
        """An expression that has all axes of the loops."""
        value = self._elements.of(node)
        if value.rank < len(self._axes):
            raise NotElementwise
        self._added.append(node)
        return value

    def _append(self, target: str, operator: str, value: Element) -> None:
        made = cst.parse_statement(f"{target} {operator} {value.text}\n")
        assert isinstance(made, Line)
        self._lines.append(made)

    def _stored_in(self, store: cst.Subscript) -> str:
        name = code(store.value)
        found = self._elements.element(name, store.slice)
        if found.rank < len(self._axes):
            raise NotElementwise
        self._stored.add(name)
        return found.text

    def _kept(self, target: cst.BaseExpression, small: cst.Assign | cst.AugAssign, value: Element) -> str:
        """A name that becomes a number in each iteration: that of a new array."""
        name = target.value if isinstance(target, cst.Name) else ""
        if not name or name in self._site.kernel.parameters:
            raise NotElementwise
        if isinstance(small, cst.AugAssign):
            if not self._elements.is_kept(name):
                raise NotElementwise
        elif len(small.targets) > 1 or not is_fresh(small.value):
            raise NotElementwise
        else:
            self._elements.keep(name, value.rank)
        return name

    def is_of_numbers(self, statement: Line) -> bool:
        return self._numbers.are_given_by(statement)

    def loops(self) -> tuple[cst.BaseStatement, ...]:
        self._check()
        made: tuple[cst.BaseStatement, ...] = tuple(self._lines)
        rank = len(self._site.kernel.array_named[self._array].shape)
        for name, axis, cut in reversed(self._axes):
            extent = f"len({self._array})" if rank == 1 else f"{self._array}.shape[{axis}]"
            over = cst.parse_expression(f"range({extent}{f' - {cut}' if cut else ''})")
            made = (cst.For(cst.Name(name), over, cst.IndentedBlock(made)),)
        return made

    def _check(self) -> None:
        """No iteration may read what another one stores."""
        touched, arrays = self._elements.touched, self._site.kernel.array_named
        owners = {arrays[name].owner for name in self._stored}
        shared = [name for name in touched if arrays[name].owner in owners]
        if len(shared) > len(owners) or any(len(touched[name]) > 1 for name in self._stored) or not touched:
            raise NotElementwise

    def assumed(self) -> tuple[str, ...]:
        names = sorted(self._elements.touched)
        same = (f"{listed(names)} match in shape",) if len(names) > 1 else ()
        apart = overlapping(self._site.kernel, {name: name in self._stored for name in names})
        numbers = (f"{name} is a number" for name in self._numbers.given(*self._added))
        return (*apart, *same, *types_of(self._site.kernel, names), *numbers)

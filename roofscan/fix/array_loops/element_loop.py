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
    lengths_in,
    listed,
    types_of,
    walks_of,
)
from roofscan.fix.hazards import divides, overlapping
from roofscan.fix.model import Site
from roofscan.fix.numbers import Numbers, numpy_name
from roofscan.fix.source import code, fresh_name, loaded_names
from roofscan.ir.arrays import Array
from roofscan.symbolic.expr import Expr

NAMES = ("i", "j", "k", "l")
IN_PLACE = ("=", "+=", "-=", "*=", "/=")  # others differ between arrays and numbers where they meet 0

Line = cst.SimpleStatementLine
Stretches = Sequence[Stretch | cst.BaseExpression]


def store_of(site: Site, statement: Line) -> cst.Subscript | None:
    """The subscript of an array that a statement stores into: of ``v += 1`` for an argument, ``v[...]``."""
    small = assignment_of(statement)
    target: cst.CSTNode | None = small.target if isinstance(small, cst.AugAssign) else None
    if isinstance(target, cst.Name) and target.value in {*site.kernel.parameters} & site.kernel.array_named.keys():
        return cst.Subscript(target, [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    return target if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) else None


def assignment_of(statement: Line) -> cst.Assign | cst.AugAssign | None:
    """The assignment that a statement is; ``x[...] = np.sqrt(y)`` of ``np.sqrt(y, out=x)``."""
    small = statement.body[0] if len(statement.body) == 1 else None
    call = small.value if isinstance(small, cst.Expr) else None
    if isinstance(call, cst.Call) and call.args and numpy_name(call):
        *most, last = call.args
        if last.keyword and last.keyword.value == "out" and isinstance(last.value, (cst.Name, cst.Subscript)):
            whole = cst.Subscript(last.value, [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
            target = last.value if isinstance(last.value, cst.Subscript) else whole
            *before, end = [*most, last][:-1] or [last]
            plain = [*before, end.with_changes(comma=cst.MaybeSentinel.DEFAULT)]
            return cst.Assign([cst.AssignTarget(target)], call.with_changes(args=plain))
    return small if isinstance(small, (cst.Assign, cst.AugAssign)) else None


def stored_into(site: Site, store: cst.Subscript) -> tuple[str, Stretches]:
    """The array, and what the subscript says of its axes."""
    array = site.kernel.array_named.get(code(store.value))
    if array is None:
        raise NotElementwise
    return array.name, walks_of(store.slice, len(array.shape), lengths_in(site.function))


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
        over = [(name, cut) for name, _, cut in self._axes]
        self._elements = Elements(known_arrays(site), self._numbers.names, over, lengths_in(site.function), self._fresh)
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

    def arrays(self, site: Site) -> tuple[Array, ...]:
        """Those whose elements it takes."""
        names = dict.fromkeys((*self._elements.touched, *(array for array, _ in self._elements.fixed.values())))
        return tuple(site.kernel.array_named[name] for name in names)

    def _fresh(self, wanted: str) -> str:
        name = fresh_name(wanted, self._taken)
        self._taken.add(name)
        return name

    def add(self, statement: Line) -> None:
        small = assignment_of(statement)
        if small is None:
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
        for name, axis, cut in reversed(self._axes):
            over = cst.parse_expression(f"range({self._extent(axis)}{f' - {cut}' if cut else ''})")
            made = (cst.For(cst.Name(name), over, cst.IndentedBlock(made)),)
        before = (cst.parse_statement(f"{name} = {text}\n") for text, (_, name) in self._elements.fixed.items())
        return (*(line for line in before if isinstance(line, Line)), *made)

    def _extent(self, axis: int) -> str:
        """The length of an axis, by the name that the statements have for it, or the array whose length it is known
        by: all match in shape."""
        arrays = self._site.kernel.array_named
        shape = arrays[self._array].shape
        for name in self._elements.ends:
            if shape[axis] == Expr.of(name):
                return name
        alike = [name for name in self._elements.touched if len(arrays[name].shape) == len(shape)]
        named = (name for name in alike if shape[axis] == Expr.of(f"{name}_shape_{axis}"))
        array = next(named, self._array)
        return f"len({array})" if len(shape) == 1 else f"{array}.shape[{axis}]"

    def _check(self) -> None:
        """No iteration may read what another one stores. Elements at the same places along the loops may meet in one
        iteration alone, in whatever rows they lie."""
        touched, arrays = self._elements.touched, self._site.kernel.array_named
        owners = {arrays[name].owner for name in self._stored}
        shared = [name for name in touched if arrays[name].owner in owners]
        if len(shared) > len(owners) or any(len(touched[name]) > 1 for name in self._stored) or not touched:
            raise NotElementwise
        if any(arrays[array].owner in owners for array, _ in self._elements.fixed.values()):
            raise NotElementwise
        if not touched.keys() >= {*self._elements.ends.values()}:  # all that is touched must match in shape
            raise NotElementwise

    def assumed(self) -> tuple[str, ...]:
        shaped = sorted(self._elements.touched)
        same = (f"{listed(shaped)} match in shape",) if len(shaped) > 1 else ()
        names = sorted({*shaped, *(array for array, _ in self._elements.fixed.values())})
        apart = overlapping(self._site.kernel, {name: name in self._stored for name in names})
        numbers = (f"{name} is a number" for name in self._numbers.given(*self._added))
        return (*apart, *same, *types_of(self._site.kernel, names), *numbers)

"""The loops over the elements of arrays that some whole-array statements become, and what an iteration does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from roofscan.fix.array_loops.stores import Axes, Line, assignment_of, store_of
from roofscan.fix.array_loops.walks import NotElementwise, lengths_in
from roofscan.fix.elements import Element, Elements, is_fresh, known_arrays, listed, of_unknown_rank, types_of
from roofscan.fix.hazards import divides, overlapping
from roofscan.fix.model import Site
from roofscan.fix.numbers import NUMPY, Numbers, doubtful, is_arithmetic, is_constant
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import children_of, code, fresh_name, loaded_names
from roofscan.ir.arrays import Array
from roofscan.symbolic.expr import Expr

NAMES = ("i", "j", "k", "l")
IN_PLACE = ("=", "+=", "-=", "*=", "/=")  # others differ between arrays and numbers where they meet 0


class ElementLoop:
    """What loops over the axes of arrays do in an iteration."""

    def __init__(self, site: Site, axes: Axes, at: Line | None = None) -> None:
        """``at``: the first of the statements, up to which arguments have the names of parameters."""
        self._site = site
        self._taken = loaded_names(site.function)
        self._numbers = Numbers(site.kernel, site.function)
        if not 0 < len(axes) <= len(NAMES):
            raise NotElementwise
        free = [name for name in NAMES if name not in self._taken] + ["index"] * len(axes)
        self._axes = [(self.fresh(name), *place) for name, place in zip(free, axes, strict=False)]
        over = [(name, cut) for name, _, _, cut in self._axes]
        self._flat = of_unknown_rank(site.kernel) if site.outlined else {}
        self._elements = Elements(
            known_arrays(site, site.outlined, at), self._numbers.names, over, lengths_in(site.function), self.fresh,
            self._is_given, self._flat,
        )  # fmt: skip
        self._stored: set[str] = set()
        self._lines: list[cst.BaseStatement] = []
        self.sums = False  # whether it adds up along an axis
        self._added: list[cst.BaseExpression] = []

    def _is_given(self, node: cst.BaseExpression) -> bool:
        """Whether an expression of numbers may not be the same in Numba's hands, and is left to Python."""
        parts = (cst.BinaryOperation, cst.Call, cst.Attribute)
        if not self._site.outlined or not isinstance(node, parts) or is_constant(node):
            return False
        is_plain = is_arithmetic(node, (cst.Add, cst.Subtract, cst.Multiply))
        return not is_plain and self._numbers.is_number(node) and not loaded_names(node) <= {*NUMPY}

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

    @property
    def numpy(self) -> str:
        """What the file calls NumPy."""
        return module_name(self._site.source, "numpy")

    @property
    def is_open(self) -> bool:
        """Whether one of the arrays may as well be a number."""
        return self._site.outlined and not doubtful(self._site.kernel).isdisjoint(self._elements.touched)

    @property
    def size(self) -> str:
        """How many elements the loops take."""
        return " * ".join(f"({text})" if " - " in text else text for text in self.lengths)

    @property
    def lengths(self) -> list[str]:
        return [self._length(of, axis, cut) for _, of, axis, cut in self._axes]

    def taken(self, made: Collection[str]) -> dict[str, str]:
        """What a caller gives for the names in the loops, where that is another expression; ``made``: its arrays."""
        found = {name: text for text, (_, name) in self._elements.given.items()}
        for name in self._flat.keys() & self._elements.touched.keys() - self._stored:
            found[name] = f"{self.numpy}.ravel({name})" if self.is_open else f"{name}.ravel()"
        return found | ({name: f"{name}.reshape(-1)" for name in made} if self._is_flat else {})

    @property
    def operations(self) -> int:
        """The passes that NumPy makes for the statements."""
        return sum(map(self._passes, self._added))

    def _passes(self, node: cst.CSTNode) -> int:
        if isinstance(node, cst.Subscript) or (isinstance(node, cst.BaseExpression) and self._numbers.is_number(node)):
            return 0
        return isinstance(node, (cst.BinaryOperation, cst.Call)) + sum(map(self._passes, children_of(node)))

    @property
    def _is_flat(self) -> bool:
        return not self._flat.keys().isdisjoint(self._elements.touched)

    def fresh(self, wanted: str) -> str:
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

    def sum_along_last(self, total: str, node: cst.BaseExpression) -> None:
        """A number becomes the sum of an expression along the last axis, which only this has."""
        value = self._whole(node)
        if len(self._axes) < 2 or self._lines:
            raise NotElementwise
        inner = self._axes.pop()
        self._append(total, "+=", value)
        start = cst.parse_statement(f"{total} = 0.0\n")
        self._lines = [start, self._over(inner, self._lines)]
        self._elements = self._elements.without_last()
        self._elements.keep(total, len(self._axes))
        self.sums = True

    def put_into(self, made: str, node: cst.BaseExpression) -> None:
        """The elements of an expression into an array of its shape."""
        self._append(f"{made}[{', '.join(name for name, *_ in self._axes)}]", "=", self._whole(node))

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
        if name in self._flat and name not in self._elements.called:
            self._elements.called[name] = self.fresh(f"{name}_flat")
        found = self._elements.element(name, store.slice)
        if found.rank < len(self._axes):
            raise NotElementwise
        self._stored.add(name)
        return found.text

    def _kept(self, target: cst.BaseExpression, small: cst.Assign | cst.AugAssign, value: Element) -> str:
        """A name that becomes a number in each iteration: that of a new array."""
        name = target.value if isinstance(target, cst.Name) else ""
        if not name or (name in self._site.kernel.parameters and not self._site.outlined):
            raise NotElementwise
        if isinstance(small, cst.AugAssign):
            if not self._elements.is_kept(name):
                raise NotElementwise
        elif len(small.targets) > 1 or not is_fresh(small.value):
            raise NotElementwise
        else:
            return self._elements.keep(name, value.rank)
        return self._elements.keep(name, value.rank)

    def is_of_numbers(self, statement: Line) -> bool:
        return self._numbers.are_given_by(statement)

    def loops(self) -> tuple[cst.BaseStatement, ...]:
        self._check()
        made: tuple[cst.BaseStatement, ...] = tuple(self._lines)
        for axis in reversed(self._axes):
            made = (self._over(axis, made),)
        before = (cst.parse_statement(f"{name} = {text}\n") for text, (_, name) in self._elements.fixed.items())
        flat = (cst.parse_statement(f"{new} = {old}.reshape(-1)\n") for old, new in self._elements.called.items())
        return (*(line for line in (*flat, *before) if isinstance(line, Line)), *made)

    def _over(self, axis: tuple[str, str, int, int], body: Sequence[cst.BaseStatement]) -> cst.For:
        index, of, number, cut = axis
        over = cst.parse_expression(f"range({self._length(of, number, cut)})")
        return cst.For(cst.Name(index), over, cst.IndentedBlock(body))

    def _length(self, of: str, axis: int, cut: int) -> str:
        """The length of an axis, by the name that the statements have for it, or the array whose length it is known
        by: all match in shape."""
        return self._extent(of, axis) + (f" - {cut}" if cut else "")

    def _extent(self, of: str, axis: int) -> str:
        arrays = self._site.kernel.array_named
        shape = arrays[of].shape
        for name in self._elements.ends:
            if shape[axis] == Expr.of(name):
                return name
        alike = [name for name in self._elements.touched if len(arrays[name].shape) == len(shape)]
        named = (name for name in alike if shape[axis] == Expr.of(f"{name}_shape_{axis}"))
        array = next(named, of)
        array = self._elements.called.get(array, array)
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
        given = {name for names, _ in self._elements.given.values() for name in names & arrays.keys()}
        if any(arrays[name].owner in owners for name in given):
            raise NotElementwise
        if any(_differ(self._sized(axis), self._sized(other)) for axis, other in self._along_one_loop()):
            raise NotElementwise
        if self._is_flat and not self._flat.keys() >= touched.keys():
            raise NotElementwise
        if self._site.outlined and not doubtful(self._site.kernel).isdisjoint(self._used()):
            raise NotElementwise
        if self.is_open and (len(touched) > 1 or not self.numpy):
            raise NotElementwise

    def _used(self) -> list[str]:
        return self._numbers.given(*self._added)

    def assumed(self) -> tuple[str, ...]:
        shaped = sorted(self._elements.touched)
        same = tuple(self._equal_axes() if self._elements.spreads else _alike(shaped))
        given = {name for names, _ in self._elements.given.values() for name in names}
        arrays = self._site.kernel.array_named
        names = sorted({*shaped, *(array for array, _ in self._elements.fixed.values()), *(given & arrays.keys())})
        apart = overlapping(self._site.kernel, {name: name in self._stored for name in names})
        numbers = (f"{name} is a number" for name in self._used())
        flat = (f"{name} is contiguous" for name in self._elements.called)
        return (*apart, *same, *types_of(self._site.kernel, names), *flat, *numbers)

    def _equal_axes(self) -> Iterator[str]:
        """What must be as long: the axes of arrays that one loop runs over."""
        for places in self._axes_of_loops():
            if len(axes := list(dict.fromkeys(f"{name}.shape[{axis}]" for name, axis in places))) > 1:
                yield f"{listed(axes)} are equal"

    def _along_one_loop(self) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
        return ((places[0], other) for places in self._axes_of_loops() for other in places[1:])

    def _axes_of_loops(self) -> Iterator[list[tuple[str, int]]]:
        """For each loop, the arrays that follow it, and the axes."""
        every = [(name, each) for name, found in self._elements.touched.items() for each in found]
        for index, _ in self._elements.every_loop:
            yield [(n, axis) for n, each in every for axis, text in enumerate(each) if index in text.split()]

    def _sized(self, place: tuple[str, int]) -> object:
        """A length that is known, as that of ``np.zeros(3)``."""
        name, axis = place
        return self._site.kernel.array_named[name].shape[axis].constant


def _differ(one: object, other: object) -> bool:
    """Whether two lengths may not be assumed to be equal: one is 1, or both are known."""
    return one != other and (None not in (one, other) or 1 in (one, other))


def _alike(names: Sequence[str]) -> Iterator[str]:
    if len(names) > 1:
        yield f"{listed(names)} match in shape"

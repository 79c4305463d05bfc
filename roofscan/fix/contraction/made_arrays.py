"""Arrays that one statement of a compiled function makes, ``d = np.empty(n)``: their extents, the type of their
elements, and whether the function uses them by elements and lengths alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from roofscan.fix.linear import Linear, linear
from roofscan.fix.model import Site
from roofscan.fix.once.scratch import is_bound_once
from roofscan.fix.single_precision import MAKERS, module_name
from roofscan.fix.source import (
    SourceTree,
    assigned_name,
    bindings,
    code,
    is_repeated,
    nodes,
    only_assignment,
    simple_lines,
)
from roofscan.frozen import dataclass

TYPES = frozenset(("float64", "float32", "int64", "int32", "complex128", "complex64", "bool_"))
"""The types of elements whose NumPy functions make a number of such a type, under Numba too."""


@dataclass(frozen=True)
class MadeArray:
    name: str
    assignment: cst.Assign
    extents: tuple[cst.BaseExpression, ...]
    type_name: str  # what makes a number of its type: np.float64

    @property
    def length(self) -> cst.BaseExpression:
        """Of its first axis, in brackets if it is a sum."""
        first = self.extents[0]
        if not isinstance(first, cst.BinaryOperation) or first.lpar:
            return first
        return first.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def made_array(site: Site, name: str) -> MadeArray | None:
    """None where another statement may give the name something else, or hold on to the array."""
    found = [s for s in simple_lines(site.function) if assigned_name(s) == name]
    if len(found) != 1 or not is_bound_once(site, name) or not site.kernel.decorator.compiled:
        return None
    made = allocation(site, only_assignment(found[0]))
    rank = len(site.kernel.array_named[name].shape) if name in site.kernel.array_named else 0
    return made if made is not None and len(made.extents) == rank else None


def allocation(site: Site, assignment: cst.Assign | None) -> MadeArray | None:
    """The array that an assignment makes, ``d = np.zeros((n, m), dtype=np.float32)``."""
    numpy = module_name(site.source, "numpy")
    call = assignment.value if assignment else None
    if not numpy or not isinstance(call, cst.Call) or not 1 <= len(call.args) <= 2:
        return None
    shape, *options = call.args
    if code(call.func) not in {f"{numpy}.{maker}" for maker in MAKERS} or shape.keyword or shape.star:
        return None
    type_name = _type_of(options, numpy)
    extents = tuple(e.value for e in shape.value.elements) if isinstance(shape.value, cst.Tuple) else (shape.value,)
    target = assignment.targets[0].target if assignment else None
    if assignment is None or not isinstance(target, cst.Name) or not type_name or not extents:
        return None
    return MadeArray(target.value, assignment, extents, type_name)


def _type_of(options: Sequence[cst.Arg], numpy: str) -> str:
    if not options:
        return f"{numpy}.float64"
    [option] = options
    named = option.keyword is None or option.keyword.value == "dtype"
    text = code(option.value)
    return text if named and not option.star and text in {f"{numpy}.{known}" for known in TYPES} else ""


class Uses:
    """Where a function uses an array beside the statement that makes it."""

    def __init__(self, site: Site, array: MadeArray) -> None:
        self.elements: list[cst.Subscript] = []
        self.lengths: list[cst.BaseExpression] = []
        self.others: list[cst.Name] = []
        target = array.assignment.targets[0].target
        for node in nodes(site.function):
            if isinstance(node, cst.Name) and node.value == array.name and node is not target:
                self._add(site.source, node, len(array.extents))

    def _add(self, source: SourceTree, use: cst.Name, rank: int) -> None:
        parent = source.parents[use]
        if not _is_variable(parent, use):
            return
        length = length_of(source, use, rank)
        if length is not None:
            self.lengths.append(length)
        elif isinstance(parent, cst.Subscript) and parent.value is use:
            self.elements.append(parent)
        else:
            self.others.append(use)


def _is_variable(parent: cst.CSTNode, use: cst.Name) -> bool:
    if isinstance(parent, cst.Attribute):
        return parent.value is use
    return not isinstance(parent, cst.Arg) or parent.value is use


def length_of(source: SourceTree, use: cst.Name, rank: int) -> cst.BaseExpression | None:
    """``len(d)``, ``d.shape[0]``, or ``d.size`` of one axis, by the name in it."""
    parent = source.parents[use]
    around = source.parents[parent]
    if isinstance(parent, cst.Arg) and isinstance(around, cst.Call):
        return around if code(around) == f"len({use.value})" else None
    if not isinstance(parent, cst.Attribute):
        return None
    if parent.attr.value == "size" and rank == 1:
        return parent
    is_first = isinstance(around, cst.Subscript) and around.value is parent and code(around) == f"{code(parent)}[0]"
    return around if parent.attr.value == "shape" and is_first and isinstance(around, cst.Subscript) else None


class Extents:
    """Sums of lengths and parameters that stay the same in all of a function."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._bound = Counter(bindings(site.function))
        self._lines = [s for s in simple_lines(site.function) if not is_repeated(site.source, s)]
        self._arrays: dict[str, MadeArray] = {}
        self._asked: set[str] = set()

    def know(self, array: MadeArray) -> None:
        """From here on, its length is that of which it is made."""
        self._arrays[array.name] = array

    def of(self, node: cst.BaseExpression) -> Linear | None:
        """None where it is something else, or may change."""
        found = linear(node, lengths=True)
        if found is None:
            return None
        total = Linear(found.constant)
        for name, count in found.names.items():
            value = self._of_name(name)
            if value is None:
                return None
            total = total.plus(value, count)
        return total

    def _of_name(self, name: str) -> Linear | None:
        if name in self._asked:
            return None
        self._asked.add(name)
        found = self._looked_up(cst.parse_expression(name))
        self._asked.remove(name)
        return found

    def _looked_up(self, node: cst.BaseExpression) -> Linear | None:
        if isinstance(node, cst.Name):
            return self._of_number(node.value)
        array, axis = _axis(node)
        if axis == "0" and array in self._arrays:
            return self.of(self._arrays[array].extents[0])
        is_argument = array in self._site.kernel.parameters and not self._bound[array]
        if not (is_argument or (self._bound[array] == 1 and self._made_by(array) is not None)):
            return None
        return Linear(0, {f"len({array})" if axis == "0" else f"{array}.shape[{axis}]": 1}) if axis else None

    def _of_number(self, name: str) -> Linear | None:
        if name in self._site.kernel.parameters:
            return None if self._bound[name] else Linear(0, {name: 1})
        statement = self._made_by(name) if self._bound[name] == 1 else None
        assignment = only_assignment(statement) if statement is not None else None
        if assignment is None:
            return None
        target, value = assignment.targets[0].target, assignment.value
        if isinstance(target, cst.Name):
            return self.of(value)
        if not isinstance(target, cst.Tuple) or not code(value).endswith(".shape"):
            return None
        place = [code(element.value) for element in target.elements].index(name)
        return self._of_name(f"{code(value)}[{place}]")

    def _made_by(self, name: str) -> cst.SimpleStatementLine | None:
        """The statement outside of loops that binds a name."""
        return next((s for s in self._lines if name in bindings(s)), None)


def _axis(node: cst.BaseExpression) -> tuple[str, str]:
    """The array and the axis of ``len(x)`` and ``x.shape[1]``."""
    if isinstance(node, cst.Call):
        value = node.args[0].value if len(node.args) == 1 else node
        return (value.value, "0") if isinstance(value, cst.Name) else ("", "")
    shape = node.value if isinstance(node, cst.Subscript) and len(node.slice) == 1 else None
    of = shape.value if isinstance(shape, cst.Attribute) else None
    axis = code(node.slice[0].slice) if isinstance(node, cst.Subscript) else ""
    return (of.value, axis if axis.isdigit() else "") if isinstance(of, cst.Name) else ("", "")


def are_lengths(extent: Linear) -> bool:
    """Whether all names in it are lengths of arrays, which are 64-bit integers."""
    return all(name.endswith((")", "]")) for name in extent.names)


def assumed_of(extents: Iterable[Linear]) -> Iterator[str]:
    """What keeps an allocation from raising, where the lengths of arrays alone do not."""
    for extent in extents:
        is_natural = extent.constant >= 0 and all(count > 0 for count in extent.names.values())
        if not (is_natural and are_lengths(extent)):
            yield f"{extent} is not negative"

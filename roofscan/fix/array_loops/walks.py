"""What a subscript of an array says of each axis: ``u[1:, i, None]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import libcst as cst

from roofscan.fix.linear import Linear, linear
from roofscan.fix.numbers import NUMPY
from roofscan.fix.source import bindings, code, nodes
from roofscan.frozen import dataclass

MOST_LEFT = 2  # ``: m - 3`` of 2 elements ends before the last, as a negative end does
_OF_PLACES = (cst.Add, cst.Subtract, cst.Multiply)

Lengths = Mapping[str, tuple[str, int]]
"""Names for the lengths of axes: the array, and the axis, of which -1 is the last."""


class NotElementwise(Exception):
    """An expression holds something else."""


@dataclass(frozen=True)
class Stretch:
    """How far behind an axis' first element a slice begins, and how far before its end it ends; the name that the
    source has for that end."""

    first: int = 0
    left: int = 0
    end: str = ""

    @property
    def trimmed(self) -> int:
        return self.first + self.left


@dataclass(frozen=True)
class NewAxis:
    """``None`` in a subscript: along it, all elements are one."""


Walk = Stretch | NewAxis | cst.BaseExpression


def walks_of(parts: Sequence[cst.SubscriptElement], rank: int, lengths: Lengths) -> list[Walk]:
    """What a subscript says of each axis: a slice, or the one index that it takes; and where it adds one."""
    found: list[Walk] = []
    for part in parts:
        index = part.slice.value if isinstance(part.slice, cst.Index) else None
        axis = sum(not isinstance(walk, NewAxis) for walk in found)
        if isinstance(part.slice, cst.Slice):
            found.append(_walk(part.slice, axis - rank, lengths))
        elif index is not None and code(index) in ("None", *(f"{numpy}.newaxis" for numpy in NUMPY)):
            found.append(NewAxis())
        elif index is not None and _is_place(index):
            found.append(index)
        elif not isinstance(index, cst.Ellipsis) or len(parts) > 1:
            raise NotElementwise
    taken = sum(not isinstance(walk, NewAxis) for walk in found)
    if taken > rank:
        raise NotElementwise
    return [*found, *[Stretch()] * (rank - taken)]


def _is_place(node: cst.BaseExpression) -> bool:
    """Whether a subscript is one index: a name, an integer, or a sum, difference or product of these."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, _OF_PLACES):
        return _is_place(node.left) and _is_place(node.right)
    return isinstance(node, (cst.Name, cst.Integer))


def _walk(part: cst.Slice, axis: int, lengths: Lengths) -> Stretch:
    """``1:-1``, or ``1:m - 1`` where m is the length of that axis, from the last (-1), of an array."""
    first = Linear() if part.lower is None else linear(part.lower)
    upper = Linear() if part.upper is None else linear(part.upper)
    if first is None or upper is None or first.number is None or part.step is not None:
        raise NotElementwise
    end, left = next(iter(upper.names), ""), -upper.constant
    _, along = lengths.get(end, ("", axis))
    if (end and end not in lengths) or [*upper.names.values()] != [1] * bool(end) or along != axis:
        raise NotElementwise
    ends_nowhere = part.upper is not None and not end and not left
    if ends_nowhere or min(first.number, left) < 0 or (end and left > MOST_LEFT):
        raise NotElementwise
    return Stretch(first.number, left, end)


def lengths_in(function: cst.FunctionDef) -> Lengths:
    """The names that ``n, m = x.shape`` gives a value, and nothing else."""
    bound, found = Counter(bindings(function)), dict[str, tuple[str, int]]()
    for node in (n for n in nodes(function) if isinstance(n, cst.Assign) and len(n.targets) == 1):
        target, value = node.targets[0].target, node.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Attribute) and value.attr.value == "shape":
            names, array = [code(element.value) for element in target.elements], value.value
            if isinstance(array, cst.Name):
                found |= {name: (array.value, axis - len(names)) for axis, name in enumerate(names)}
    return {name: length for name, length in found.items() if bound[name] == 1 and bound[length[0]] == 0}

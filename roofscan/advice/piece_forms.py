"""The form of a piece of a kernel: equal for pieces that differ in nothing but the names of arrays and loops, the lines
of the source, and the numbers of their nodes. What one of them costs, the others cost."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Branch, Carried, Loop, Operation, When
from roofscan.symbolic.expr import Expr, symbol

NUMBERED: Mapping[str, str] = {
    "array": "array", "name": "array", "buffer": "array",
    "var": "loop", "fresh_in": "loop", "made_in": "loop",
    "line": "line", "end_line": "line",
    "id": "node", "inputs": "node", "divisor": "node",
    "entry": "node", "exit": "node", "initial": "node", "others": "node",
}  # fmt: skip
"""The fields that say which one of several: by the order in which they first appear."""

LEFT_OUT = {"text", "column", "source_name"}
NODES = (Loop, When, Branch, Access, Operation, Carried, Array)
FIELDS: Mapping[type, list[str]] = {
    node: [field for field in node.__dataclass_fields__ if field not in LEFT_OUT] for node in NODES
}
TAKEN_APART = {tuple, Expr, *NODES}

Form = tuple[object, ...]


def form_of(kernel: Kernel) -> Form:
    numbers = _Numbers()
    body = numbers.of(kernel.body)
    arrays = sorted((numbers.number("array", array.name), array) for array in kernel.arrays)
    return body, tuple([numbers.of(array) for _, array in arrays])


class _Numbers:
    def __init__(self) -> None:
        self._known: dict[tuple[str, object], int] = {}
        self._loops: dict[str, Expr] = {}

    def number(self, kind: str, value: object) -> int:
        return self._known.setdefault((kind, value), len(self._known))

    def of(self, value: object, field: str = "") -> object:
        if isinstance(value, tuple):
            return tuple([self.of(each, field) for each in value])
        if isinstance(value, NODES):
            return self._of_fields(value)
        if isinstance(value, Expr):
            return value.subs(self._loops) if self._loops else value
        if field in NUMBERED and value:
            number = self.number(NUMBERED[field], value)
            if field == "var":
                self._loops[str(value)] = symbol(f"@{number}")
            return number
        return value

    def _of_fields(self, node: object) -> Form:
        fields = [(field, getattr(node, field)) for field in FIELDS[type(node)]]
        return type(node), *[
            self.of(value, field) if value and (type(value) in TAKEN_APART or field in NUMBERED) else value
            for field, value in fields
        ]

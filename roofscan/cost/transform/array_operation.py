"""Whole-array operations, as the kernel tree holds them: each a nest of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.tree import Access, Body, Leaf, Loop, Node, Operation
from roofscan.ir.visitor import LEAVES, walk
from roofscan.symbolic.expr import ONE, ZERO, Expr

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
REDUCTIONS = {"add": "sum", "mul": "product", "minmax": "min or max"}


@dataclass(frozen=True)
class ArrayOperation:
    """Loops that hold nothing but each other, around a body of accesses and operations alone."""

    loops: tuple[Loop, ...]
    body: tuple[Leaf, ...]

    @property
    def line(self) -> int:
        return self.loops[0].line

    @property
    def reads(self) -> tuple[Access, ...]:
        return tuple(n for n in self.body if isinstance(n, Access) and not n.write)

    @property
    def writes(self) -> tuple[Access, ...]:
        return tuple(n for n in self.body if isinstance(n, Access) and n.write)

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(n for n in self.body if isinstance(n, Operation))

    @property
    def is_variance(self) -> bool:
        """Whether it adds up in two passes: the elements, then the squares of what they differ by from the mean."""
        kinds = [operation.kind for operation in self.operations]
        return not self.writes and "sub" in kinds and kinds.count("add") > 1

    def node(self) -> Loop:
        body: Body = self.body
        for loop in reversed(self.loops):
            body = (replace(loop, body=body),)
        [outermost] = body
        assert isinstance(outermost, Loop)
        return outermost


def array_operation(node: Node) -> ArrayOperation | None:
    """The whole-array operation that a node is; None for any other node."""
    loops: list[Loop] = []
    while isinstance(node, Loop) and node.array_expression and not node.carried:
        loops.append(node)
        if len(node.body) != 1 or not isinstance(node.body[0], Loop):
            leaves = tuple(n for n in node.body if isinstance(n, LEAVES))
            return ArrayOperation(tuple(loops), leaves) if len(leaves) == len(node.body) else None
        node = node.body[0]
    return None


def array_operations(body: Body) -> Iterator[ArrayOperation]:
    blocks = walk(body, lambda block: array_operation(block) is None)
    return (found for node in blocks if (found := array_operation(node)))


def covers(loops: tuple[Loop, ...], shape: tuple[Expr, ...]) -> bool:
    return len(loops) == len(shape) and all(
        loop.start == ZERO and loop.step == ONE and loop.stop == extent
        for loop, extent in zip(loops, shape, strict=True)
    )


def described(nest: ArrayOperation) -> str:
    """The operation as text: ``a*b``, ``a/…`` with a number, ``copy(a)``, ``f(a, b)`` for several at once."""
    names = {read.id: read.array for read in nest.reads}
    if not nest.operations:
        stored = {i for write in nest.writes for i in write.inputs}
        what = "copy" if stored & names.keys() else "f" if names else "fill"
    elif len(nest.operations) > 1:
        what = "f"
    else:
        [operation] = nest.operations
        operands = [names.get(i, "…") for i in operation.inputs]
        if operation.kind in SIGNS and len(operands) == 2:
            return SIGNS[operation.kind].join(operands)
        if operation.kind in ("add", "mul") and len(names) == 1:
            return f"…{SIGNS[operation.kind]}{next(iter(names.values()))}"
        what = operation.kind if operation.kind != "special" else "f"
    return f"{what}({', '.join(dict.fromkeys(names.values()))})"


def reduced(nest: ArrayOperation) -> str:
    """A reduction as text: ``sum(a)``, ``f(a, b)`` for several operations at once."""
    names = dict.fromkeys(read.array for read in nest.reads)
    what = REDUCTIONS.get(nest.operations[0].kind, "f") if len(nest.operations) == 1 else "f"
    return f"{what}({', '.join(names)})"

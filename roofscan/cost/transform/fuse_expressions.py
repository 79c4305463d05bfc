"""What each expression of a kernel would be as one loop: no temporaries, the result written where it belongs.

This goes further than what Numba does by itself (:func:`roofscan.cost.transform.fuse.fused_by_numba`): a store into a
slice, an update in place, a reduction, a choice by a mask and a cast take the work before them into their own loop,
as a loop written by hand would, or numexpr, or ``out=``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from roofscan.cost.transform.fuse import Fusion, Group, Nest, accesses, nest_of
from roofscan.ir.kernel import Access, Body, Branch, Kernel, Loop, Node, When

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


@dataclass(frozen=True)
class Temporary:
    """An intermediate array of an expression: its name, the operation that makes it, its line."""

    name: str
    made_of: str
    line: int


@dataclass(frozen=True)
class Expression:
    """An expression by itself, in the loops and conditions around it: as written, and as one loop."""

    line: int
    temporaries: tuple[Temporary, ...]
    written: Kernel
    fused: Kernel


def expressions(kernel: Kernel) -> tuple[Expression, ...]:
    """The statements with temporaries that one loop would not need, in the order of the source."""
    made = temporaries(kernel)
    fusion = _Statements(kernel)
    fused = fusion.kernel_of(fusion.body(kernel.body))
    lines = {nest.loops[0].var: nest.line for nest in _nests(kernel.body)}
    by_line: dict[int, list[Group]] = {}
    for group in fusion.groups.values():
        by_line.setdefault(min(lines[var] for var in group.loops), []).append(group)
    return tuple(_expression(line, groups, made, kernel, fused) for line, groups in by_line.items())


def _expression(
    line: int, groups: Sequence[Group], made: Mapping[str, Temporary], kernel: Kernel, fused: Kernel
) -> Expression:
    gone = {name for group in groups for name in group.temporaries}
    return Expression(
        line,
        tuple(made[name] for name in made if name in gone),
        only(kernel, [loop for group in groups for loop in group.loops]),
        only(fused, [group.loops[-1] for group in groups]),
    )


def groups_of_loops(kernel: Kernel) -> tuple[tuple[str, ...], ...]:
    """For each expression, the variables of the outermost loops of its operations."""
    fusion = _Statements(kernel)
    fusion.body(kernel.body)
    return tuple(group.loops for group in fusion.groups.values())


def in_one_loop_each(kernel: Kernel) -> Kernel:
    """The kernel with every expression as one loop."""
    fusion = _Statements(kernel)
    return fusion.kernel_of(fusion.body(kernel.body))


def temporaries(kernel: Kernel) -> Mapping[str, Temporary]:
    """All temporaries of a kernel by their names."""
    makers = {write.array: nest for nest in reversed(_nests(kernel.body)) for write in nest.writes}
    names = [a.name for a in kernel.arrays if a.role == "temporary" and a.name in makers]
    return {name: Temporary(name, described(makers[name]), makers[name].line) for name in names}


def described(nest: Nest) -> str:
    """The operation of a nest: ``a*b``, ``a/…`` with a number, ``copy(a)``, ``f(a, b)`` for several at once."""
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
            return f"…{SIGNS[operation.kind]}{operands[0]}"
        what = operation.kind if operation.kind != "special" else "f"
    return f"{what}({', '.join(dict.fromkeys(names.values()))})"


def only(kernel: Kernel, loops: Collection[str]) -> Kernel:
    """A kernel with these loops alone, in what stands around them."""
    body = _only(kernel.body, loops)
    used = {access.array for access in accesses(body)}
    return replace(kernel, body=body, arrays=tuple(a for a in kernel.arrays if a.name in used))


def _only(body: Body, loops: Collection[str]) -> Body:
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var in loops:
            nodes.append(node)
        elif isinstance(node, (When, Branch)) or (isinstance(node, Loop) and not node.array_expression):
            inside = _only(node.body, loops)
            if inside and isinstance(node, Loop):
                nodes.append(replace(node, body=inside, carried=()))
            elif inside:
                nodes.append(replace(node, body=inside))
    return tuple(nodes)


class _Statements(Fusion):
    """Fusion into one loop for every statement."""

    def may_take(self, nest: Nest) -> bool:
        """All but the bare reads that stand for a library's own walk over its operand."""
        return bool(nest.operations or nest.writes)

    def may_give(self, nest: Nest) -> bool:
        """An operation of any kind; filling an array with a number is none."""
        return bool(nest.reads) and self.makes_fresh(nest)

    def fits(self, together: Nest) -> bool:
        """Whether no turn needs what another turn overwrites: what is written is read at the same place only."""
        variables = {loop.var for loop in together.loops}
        for write in together.writes:
            same = [r for r in together.reads if self.memory(r) == self.memory(write)]
            covered = {s for e in write.index if e is not None for s in e.symbols}
            if same and not (write.regular and variables <= covered):
                return False
            if any(read.index != write.index or read.array != write.array for read in same):
                return False
        return True

    def is_operand(self, nest: Nest, read: Access) -> bool:
        """An operand that is broadcast would be computed again for every row: a hand-written loop keeps it."""
        return len(read.index) == len(nest.loops) and tuple(loop.var for loop in nest.loops) == tuple(
            next(iter(e.symbols), "") if e is not None else "" for e in read.index
        )


def _nests(body: Body) -> list[Nest]:
    found: list[Nest] = []
    for node in body:
        nest = nest_of(node)
        if nest is not None:
            found.append(nest)
        elif isinstance(node, (Loop, When, Branch)):
            found += _nests(node.body)
    return found

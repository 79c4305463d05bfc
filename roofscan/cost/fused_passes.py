"""Several reductions that each walk over one and the same array: a mean, then a variance, then a maximum.

One pass can keep all their accumulators at once. A variance needs the mean first, but not a pass for it: Welford's
update carries both (Welford, "Note on a method for calculating corrected sums of squares and products",
Technometrics 4(3), 1962).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from roofscan.cost.fused_expressions import in_one_loop_each, only
from roofscan.cost.fusion import accesses
from roofscan.ir.expr import Expr
from roofscan.ir.kernel import Access, Body, Branch, Kernel, Loop, Node, Operation, When


@dataclass(frozen=True)
class Passes:
    """The reductions of one array by themselves: as they are, and with the array read once."""

    array: str
    lines: tuple[int, ...]
    count: int  # walks over the array
    written: Kernel
    fused: Kernel


def repeated_passes(kernel: Kernel) -> tuple[Passes, ...]:
    """The arrays that two reductions or more walk over, with nothing written to them in between."""
    statements = in_one_loop_each(kernel)
    return tuple(_found(statements, *found) for found in _in_body(statements, statements.body))


def _in_body(kernel: Kernel, body: Body) -> Iterator[tuple[str, list[Loop]]]:
    walks: dict[str, list[Loop]] = {}
    for node in body:
        for array in dict.fromkeys(a.array for a in accesses((node,)) if a.write):
            yield from _told(kernel, array, walks.pop(kernel.array(array).memory, []))
        if isinstance(node, Loop) and not any(a.write for a in accesses((node,))):
            for read in _walked(node):
                walks.setdefault(kernel.array(read.array).memory, []).append(node)
        elif isinstance(node, (Loop, When, Branch)):
            yield from _in_body(kernel, node.body)
    for memory, loops in walks.items():
        yield from _told(kernel, memory, loops)


def _told(kernel: Kernel, memory: str, loops: list[Loop]) -> Iterator[tuple[str, list[Loop]]]:
    """The walks over an array if two of them compute, over the same range."""
    alike = [loop for loop in loops if _range(loop) == _range(loops[0])]
    if sum(1 for loop in alike if _works(loop)) > 1:
        yield memory, alike


def _found(kernel: Kernel, memory: str, loops: list[Loop]) -> Passes:
    names = {a.name for a in kernel.arrays if a.memory == memory}
    later = {loop.var for loop in loops[1:]}
    written = only(kernel, [loop.var for loop in loops])
    fused = replace(written, body=_without_reads(written.body, later, names))
    lines = tuple(sorted({loop.line for loop in loops if _works(loop)}))
    return Passes(memory, lines, len(loops), written, fused)


def _walked(loop: Loop) -> list[Access]:
    """One access to every array of which each turn of all the loops reads an element of its own."""
    variables = {inner.var for inner in _loops(loop)}
    found: dict[str, Access] = {}
    for access in accesses((loop,)):
        if access.regular and variables <= {s for e in access.index if e is not None for s in e.symbols}:
            found.setdefault(access.array, access)
    return list(found.values())


def _range(loop: Loop) -> tuple[tuple[Expr, Expr, Expr], ...]:
    return tuple((inner.start, inner.stop, inner.step) for inner in _loops(loop))


def _loops(loop: Loop) -> Iterator[Loop]:
    yield loop
    for node in loop.body:
        if isinstance(node, Loop):
            yield from _loops(node)


def _works(loop: Loop) -> bool:
    """Whether it computes: a variance reads its operand once more before, for the mean."""
    return any(isinstance(n, Operation) or (isinstance(n, Loop) and _works(n)) for n in loop.body)


def _without_reads(body: Body, loops: set[str], names: set[str], inside: bool = False) -> Body:
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, (Loop, When, Branch)):
            here = inside or (isinstance(node, Loop) and node.var in loops)
            nodes.append(replace(node, body=_without_reads(node.body, loops, names, here)))
        elif not (inside and isinstance(node, Access) and node.array in names):
            nodes.append(node)
    return tuple(nodes)

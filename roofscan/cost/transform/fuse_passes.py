"""Several reductions that each walk over one and the same array: a mean, then a variance, then a maximum.

One pass can keep all their accumulators at once. A reduction that takes the result of an earlier one needs a pass of
its own, unless it only adds, subtracts and multiplies what it reads and what it takes: then it is a polynomial of
sums that need no other. A variance needs no pass for its mean: Welford's update carries both (Welford, "Note on a
method for calculating corrected sums of squares and products", Technometrics 4(3), 1962).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from roofscan.cost.transform.fuse import accesses
from roofscan.cost.transform.fuse_expressions import in_one_loop_each, only
from roofscan.cost.transform.fuse_loops import made_in
from roofscan.ir.kernel import Access, Body, Branch, Kernel, Loop, Node, Operation, When
from roofscan.symbolic.expr import Expr

POLYNOMIAL = ("add", "sub", "mul", "neg")
"""Operations that leave a polynomial of what they are given."""


@dataclass(frozen=True)
class Passes:
    """The reductions of one array by themselves: as they are, and with the array read once."""

    loops: frozenset[str]  # their variables
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
    needs = _Needs(kernel)
    for node in body:
        for array in dict.fromkeys(a.array for a in accesses((node,)) if a.write):
            memory = kernel.array(array).memory
            yield from _told(memory, walks.pop(memory, []), needs)
        needs.note(node)
        if isinstance(node, Loop) and not any(a.write for a in accesses((node,))):
            for read in _walked(node):
                walks.setdefault(kernel.array(read.array).memory, []).append(node)
        elif isinstance(node, (Loop, When, Branch)):
            yield from _in_body(kernel, node.body)
    for memory, loops in walks.items():
        yield from _told(memory, loops, needs)


def _told(memory: str, loops: list[Loop], needs: _Needs) -> Iterator[tuple[str, list[Loop]]]:
    """The walks over an array that can be one, if two of them compute, over the same range."""
    rounds: dict[tuple[object, ...], list[Loop]] = {}
    for loop in loops:
        rounds.setdefault((needs.round(loop, loops), _range(loop)), []).append(loop)
    for alike in rounds.values():
        if sum(1 for loop in alike if _works(loop)) > 1:
            yield memory, alike


class _Needs:
    """Which loops of a body must be over before which others: those whose results they take."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._behind: dict[int, frozenset[str]] = {}  # a value: the loops that it comes from
        self._stored: dict[str, frozenset[str]] = {}  # the same of what stands in an array
        self._needed: dict[str, frozenset[str]] = {}  # a loop: those that it needs a result of, to begin

    def round(self, loop: Loop, among: list[Loop]) -> int:
        """How many of these loops must be over, one after the other, before this one begins."""
        before = [other for other in among if other.var in self._needed[loop.var]]
        return max((self.round(other, among) + 1 for other in before), default=0)

    def note(self, node: Node) -> None:
        """The next node of the body."""
        needed: set[str] = set()
        self._values(node, needed)
        if isinstance(node, Loop):
            self._needed[node.var] = frozenset(needed)
            for value in made_in((node,)):
                self._behind[value] = self._behind[value] | {node.var}

    def _values(self, node: Node, needed: set[str]) -> None:
        if isinstance(node, (Loop, When, Branch)):
            for inner in node.body:
                self._values(inner, needed)
            return
        behind = frozenset(loop for i in node.inputs for loop in self._behind.get(i, ()))
        if isinstance(node, Operation):
            needed |= set() if node.kind in POLYNOMIAL else behind
        else:
            memory = self._kernel.array(node.array).memory
            if node.write:
                self._stored[memory] = self._stored.get(memory, frozenset()) | behind
            else:
                behind = self._stored.get(memory, frozenset())
        self._behind[node.id] = behind


def _found(kernel: Kernel, memory: str, loops: list[Loop]) -> Passes:
    names = {a.name for a in kernel.arrays if a.memory == memory}
    later = {loop.var for loop in loops[1:]}
    written = only(kernel, [loop.var for loop in loops])
    fused = replace(written, body=_without_reads(written.body, later, names))
    lines = tuple(sorted({loop.line for loop in loops if _works(loop)}))
    return Passes(frozenset(loop.var for loop in loops), memory, lines, len(loops), written, fused)


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

"""Pass fusion: several reductions that each walk over one and the same array (a mean, a variance, a maximum). One pass
can keep all their accumulators. A reduction that takes an earlier result needs a pass of its own, unless it only adds,
subtracts and multiplies: then it is a polynomial of sums, as a variance is by Welford's update ("Note on a method for
calculating corrected sums of squares and products", Technometrics 4(3), 1962)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from roofscan.cost.dataflow import made_in
from roofscan.cost.transform.fuse_expressions import fused_expressions
from roofscan.cost.transform.nest import loop_records, only
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Loop, Node, Operation
from roofscan.ir.visitor import BLOCKS, LEAVES, accesses, children, leaves, map_leaves, replace_nodes, walk
from roofscan.symbolic.expr import Expr
from roofscan.transformation import TransformationRecord

POLYNOMIAL = ("add", "sub", "mul", "neg")  # operations that leave a polynomial of what they are given


@dataclass(frozen=True)
class FusePasses:
    """The reductions of one array in one pass; ``written`` and ``fused`` are these reductions by themselves, before
    and after. The fused kernel is a model of what moves: later passes do not read the array."""

    run: tuple[Loop, ...]
    array: str
    written: Kernel
    fused: Kernel
    shifts: bool = False  # a pass takes an earlier one's result, as a variance the mean

    @property
    def loops(self) -> frozenset[str]:
        return frozenset(loop.var for loop in self.run)

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(sorted({loop.line for loop in self.run if _computes(loop)}))

    @property
    def count(self) -> int:
        """How often the array is walked over."""
        return len(self.run)

    @property
    def record(self) -> TransformationRecord:
        return TransformationRecord("fuse_passes", loop_records(self.run), arrays=(self.array,))


def pass_fusions(kernel: Kernel) -> tuple[FusePasses, ...]:
    """The arrays that two reductions or more walk over, with nothing written to them in between."""
    statements = fused_expressions(kernel)
    return tuple(_fusion(statements, *found) for found in _in_body(statements, statements.body))


def _in_body(kernel: Kernel, body: Body) -> Iterator[tuple[str, list[Loop]]]:
    passes: dict[str, list[Loop]] = {}
    needs = _Needs(kernel)
    for node in body:
        for array in dict.fromkeys(a.array for a in accesses((node,)) if a.write):
            memory = kernel.array(array).memory
            yield from _alike(memory, passes.pop(memory, []), needs)
        needs.note(node)
        if isinstance(node, Loop) and not any(a.write for a in accesses((node,))):
            for memory in dict.fromkeys(kernel.array(read.array).memory for read in _read_in_full(node)):
                passes.setdefault(memory, []).append(node)
        elif isinstance(node, BLOCKS):
            yield from _in_body(kernel, node.body)
    for memory, loops in passes.items():
        yield from _alike(memory, loops, needs)


def _alike(memory: str, loops: list[Loop], needs: _Needs) -> Iterator[tuple[str, list[Loop]]]:
    """The passes over an array that can be one, if two of them compute, over the same range."""
    together: dict[tuple[object, ...], list[Loop]] = {}
    for loop, round_ in zip(loops, needs.rounds(loops), strict=True):
        together.setdefault((round_, _range(loop)), []).append(loop)
    for alike in together.values():
        if sum(1 for loop in alike if _computes(loop)) > 1:
            yield memory, alike


class _Needs:
    """Which loops of a body must end before which others: those whose results they take."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._behind: dict[int, frozenset[str]] = {}  # by value: the loops that it comes from
        self._stored: dict[str, frozenset[str]] = {}  # by array: the loops that its contents come from
        self._needed: dict[str, frozenset[str]] = {}  # by loop: the loops whose results it needs to begin

    def rounds(self, loops: list[Loop]) -> Iterable[int]:
        """Of each of these loops, in source order: how many others must end, one after another, before it begins."""
        found: dict[str, int] = {}
        for loop in loops:
            needed = self._needed[loop.var]
            found[loop.var] = max((after + 1 for before, after in found.items() if before in needed), default=0)
        return found.values()

    def note(self, node: Node) -> None:
        needed: set[str] = set()
        self._values(node, needed)
        if isinstance(node, Loop):
            self._needed[node.var] = frozenset(needed)
            for value in made_in((node,)):
                self._behind[value] = self._behind[value] | {node.var}

    def _values(self, node: Node, needed: set[str]) -> None:
        if not isinstance(node, LEAVES):
            for inner in children(node):
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


def _fusion(kernel: Kernel, memory: str, run: list[Loop]) -> FusePasses:
    names = frozenset(a.name for a in kernel.arrays if a.memory == memory)
    written = only(kernel, [loop.var for loop in run])
    fused = replace(written, body=_read_once(written.body, tuple(run), names))
    return FusePasses(tuple(run), memory, written, fused, _takes_results(kernel, run))


def _takes_results(kernel: Kernel, run: Iterable[Loop]) -> bool:
    """Whether one of the passes is given what comes from an earlier one."""
    nodes, earlier = {node.id: node for node in leaves(kernel.body)}, set[int]()
    for loop in run:
        open_, seen = [i for node in leaves(loop.body) for i in node.inputs], set[int]()
        while open_:
            number = open_.pop()
            if number in earlier:
                return True
            if number not in seen and number in nodes:
                open_.extend(nodes[number].inputs)
            seen.add(number)
        earlier |= made_in((loop,))
    return False


def _read_once(body: Body, run: tuple[Loop, ...], names: frozenset[str]) -> Body:
    """The body whose later loops of a run do not read these arrays."""
    later = {loop.var for loop in run[1:]}

    def without_reads(node: Node) -> Body | None:
        if not isinstance(node, Loop) or node.var not in later:
            return None
        return map_leaves((node,), lambda leaf: None if isinstance(leaf, Access) and leaf.array in names else leaf)

    return replace_nodes(body, without_reads)


def _read_in_full(loop: Loop) -> list[Access]:
    """One access to every array of which each iteration of all the loops reads an element of its own."""
    variables = {inner.var for inner in _unconditional(loop) if isinstance(inner, Loop)}
    found: dict[str, Access] = {}
    for access in accesses((loop,)):
        if access.regular and variables <= {s for e in access.index if e is not None for s in e.symbols}:
            found.setdefault(access.array, access)
    return list(found.values())


def _range(loop: Loop) -> tuple[tuple[Expr, Expr, Expr], ...]:
    return tuple((inner.start, inner.stop, inner.step) for inner in _unconditional(loop) if isinstance(inner, Loop))


def _computes(loop: Loop) -> bool:
    """Whether it computes: a variance reads its operand in a pass of its own, for the mean."""
    return any(isinstance(node, Operation) for node in _unconditional(loop))


def _unconditional(loop: Loop) -> Iterator[Node]:
    """The loop and the nodes below it that are in no condition."""
    return walk((loop,), lambda block: isinstance(block, Loop))

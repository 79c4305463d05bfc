"""Fused trees: what a kernel's array expressions become where one loop does the work of several operators.

In the kernel tree every whole-array operation is a nest of its own, which writes a temporary that the next one
reads. Fusing moves the producer's work into the consumer's loops, in place of the read. Numba does so with the
operators and ufuncs of one expression, and with nothing else: not with reductions, copies or methods, and the
result of the expression is still written (numba/np/ufunc/array_exprs.py, ``RewriteArrayExprs``).
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Union

from roofscan.ir.kernel import Access, Array, Body, Branch, Kernel, Loop, Node, Operation, When
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

Leaf = Union[Access, Operation]


@dataclass(frozen=True)
class Nest:
    """A whole-array operation: loops straight inside each other around a body that only reads, works and writes."""

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

    def node(self) -> Loop:
        """The nest as a node of the tree."""
        body: Body = self.body
        for loop in reversed(self.loops):
            body = (replace(loop, body=body),)
        [outermost] = body
        assert isinstance(outermost, Loop)
        return outermost


def nest_of(node: Node) -> Nest | None:
    """The whole-array operation that a node is; None for any other node."""
    loops: list[Loop] = []
    while isinstance(node, Loop) and node.array_expression and not node.carried:
        loops.append(node)
        if len(node.body) != 1 or not isinstance(node.body[0], Loop):
            leaves = tuple(n for n in node.body if isinstance(n, (Access, Operation)))
            return Nest(tuple(loops), leaves) if len(leaves) == len(node.body) else None
        node = node.body[0]
    return None


def fused_by_numba(kernel: Kernel) -> Kernel | None:
    """The tree that Numba runs, the operators of each expression in one loop; None where nothing changes."""
    fusion = Fusion(kernel)
    fused = fusion.kernel_of(fusion.body(kernel.body))
    return fused if fusion.groups else None


@dataclass(frozen=True)
class Group:
    """Operations that became one nest: their outermost loop variables, the last one's too, and what is gone."""

    loops: tuple[str, ...]
    temporaries: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Made:
    """A nest that made an array, and where it stands in its body."""

    nest: Nest
    position: int


@dataclass
class Fusion:
    """One pass over a kernel, by Numba's rules. ``groups`` collects what was fused, by the nest that is left."""

    kernel: Kernel
    groups: dict[str, Group] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arrays = {a.name: a for a in self.kernel.arrays}
        self._reads = Tally(self.memory(a) for a in accesses(self.kernel.body) if not a.write)
        self._writes = Tally(self.memory(a) for a in accesses(self.kernel.body) if a.write)

    def kernel_of(self, body: Body) -> Kernel:
        """The kernel with another body, and without the temporaries that are gone."""
        gone = {name for group in self.groups.values() for name in group.temporaries}
        return replace(self.kernel, body=body, arrays=tuple(a for a in self.kernel.arrays if a.name not in gone))

    def body(self, body: Body) -> Body:
        """The nodes of one body, each expression's operations in the place of its last one."""
        placed: list[Node | None] = []
        made: dict[str, _Made] = {}
        written: dict[str, int] = {}  # memory -> the last position that writes to it
        for node in body:
            nest = nest_of(node)
            if nest is not None and self.may_take(nest):
                nest = self._with_producers(nest, placed, made, written)
                node = nest.node()
            if nest is not None and self.may_give(nest):
                made[nest.writes[0].array] = _Made(nest, len(placed))
            elif isinstance(node, (When, Branch)) or (isinstance(node, Loop) and nest is None):
                node = replace(node, body=self.body(node.body))
            written.update((self.memory(a), len(placed)) for a in accesses((node,)) if a.write)
            placed.append(node)
        return tuple(node for node in placed if node is not None)

    def _with_producers(
        self, nest: Nest, placed: list[Node | None], made: Mapping[str, _Made], written: Mapping[str, int]
    ) -> Nest:
        """The nest with the work of the operations before it, which leave their places."""
        for read in nest.reads:
            producer = made.get(read.array)
            if producer is None or not self._is_one_expression(nest, read, producer.nest):
                continue
            sources = {self.memory(a) for a in producer.nest.reads}
            together = inlined(nest, read, producer.nest)
            if all(written.get(m, -1) < producer.position for m in sources) and self.fits(together):
                nest, placed[producer.position] = together, None
                self._note(nest.loops[0].var, producer.nest.loops[0].var, read.array)
        return nest

    def _note(self, last: str, before: str, temporary: str) -> None:
        """Two groups become one."""
        mine, its = self.groups.get(last, Group((last,))), self.groups.pop(before, Group((before,)))
        self.groups[last] = Group((*its.loops, *mine.loops), (*its.temporaries, temporary, *mine.temporaries))

    # -- the rules: another pass may have others ----------------------------------------------
    def may_take(self, nest: Nest) -> bool:
        """Whether a nest can do the work of those before it: Numba's operators and ufuncs."""
        return self._is_operator(nest)

    def may_give(self, nest: Nest) -> bool:
        """Whether the work of a nest can be done in the next one's loops."""
        return self._is_operator(nest)

    def fits(self, together: Nest) -> bool:
        """Whether a fused nest computes the same: sure where its result is a fresh array."""
        return True

    def is_operand(self, nest: Nest, read: Access) -> bool:
        """Whether a broadcast operand may be computed again in every turn that reads it: Numba does so."""
        return True

    def memory(self, access: Access) -> str:
        return self.arrays[access.array].memory

    def makes_fresh(self, nest: Nest) -> bool:
        """Whether the nest's result is a fresh array, of which every turn writes one element."""
        if len(nest.writes) != 1:
            return False
        [write] = nest.writes
        target = self.arrays[write.array]
        is_fresh = target.role in ("temporary", "local") and target.line == nest.line and not target.buffer
        whole = tuple(symbol(loop.var) for loop in nest.loops) == write.index and covers(nest.loops, target.shape)
        return is_fresh and whole and all(self.memory(a) != target.memory for a in nest.reads)

    def _is_operator(self, nest: Nest) -> bool:
        """Whether Numba sees an operator or a ufunc: copies, casts, choices by a mask and ``clip`` are calls."""
        if not self.makes_fresh(nest):
            return False
        target = self.arrays[nest.writes[0].array]
        kinds = [operation.kind for operation in nest.operations]
        types = {self.arrays[a.array].dtype for a in nest.reads}
        if not kinds:  # the work on whole numbers is not kept in the tree
            return len(nest.reads) == 2 and types == {target.dtype} and not target.dtype.counts
        is_cast = set(kinds) == {"convert"} and types != {target.dtype}
        return not is_cast and kinds.count("minmax") < 2

    def _is_one_expression(self, nest: Nest, read: Access, producer: Nest) -> bool:
        """Whether the array read is an intermediate of the expression that the nest belongs to."""
        array = self.arrays[read.array]
        if array.role != "temporary" or array.live_out or self._reads[array.memory] != 1:
            return False
        if self._writes[array.memory] != 1:  # the target of another's ``out=``
            return False
        inside = range(self.kernel.line, self.kernel.end_line + 1)
        together = nest.line <= producer.line and (nest.line in inside) == (producer.line in inside)
        return together and _element_by_element(nest, read, array) and self.is_operand(nest, read)


def inlined(nest: Nest, read: Access, producer: Nest) -> Nest:
    """``nest`` with the producer's work in place of ``read``, at the subscripts of ``read``."""
    [write] = producer.writes
    place = {loop.var: e for loop, e in zip(producer.loops, read.index, strict=True) if e is not None}
    work = tuple(_moved(node, place) for node in producer.body if node.id != write.id)
    body: list[Leaf] = []
    for node in nest.body:
        if node.id == read.id:
            body.extend(work)
        else:
            inputs = tuple(i for old in node.inputs for i in (write.inputs if old == read.id else (old,)))
            body.append(replace(node, inputs=inputs))
    return Nest(nest.loops, tuple(body))


def accesses(body: Body) -> Iterator[Access]:
    """All accesses below a body, in order."""
    for node in body:
        if isinstance(node, Access):
            yield node
        elif not isinstance(node, Operation):
            yield from accesses(node.body)


def _moved(node: Leaf, place: Mapping[str, Expr]) -> Leaf:
    if isinstance(node, Operation):
        return node
    index = tuple(None if e is None else e.subs(place) for e in node.index)
    within = tuple(None if w is None else (w[0].subs(place), w[1].subs(place)) for w in node.within)
    return replace(node, index=index, within=within)


def covers(loops: tuple[Loop, ...], shape: tuple[Expr, ...]) -> bool:
    """Whether the loops run over a shape, one step at a time."""
    return len(loops) == len(shape) and all(
        loop.start == ZERO and loop.step == ONE and loop.stop == extent
        for loop, extent in zip(loops, shape, strict=True)
    )


def _element_by_element(nest: Nest, read: Access, array: Array) -> bool:
    """Whether a nest reads an array as an operand (broadcast at most), and not through a view of it."""
    loops = nest.loops[len(nest.loops) - len(read.index) :]
    if len(loops) != len(read.index):
        return False
    return all(
        index == ZERO if extent == ONE else index == symbol(loop.var) and covers((loop,), (extent,))
        for loop, index, extent in zip(loops, read.index, array.shape, strict=True)
    )

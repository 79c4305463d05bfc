"""Fusion of whole-array operations: one loop does the work of several operators. Every whole-array operation is a nest
that writes a temporary, which the next one reads. Fusion moves the producer's work into the consumer's loops, in place
of the read. Numba fuses the operators and ufuncs of one expression and nothing else: no reductions, copies or methods,
and it still writes the result (numba/np/ufunc/array_exprs.py, ``RewriteArrayExprs``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from roofscan.cost.dataflow import Dataflow
from roofscan.cost.transform.array_operation import ArrayOperation, array_operation, covers
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Leaf, Loop, Node, When
from roofscan.ir.visitor import leaves, substitute
from roofscan.symbolic.expr import ONE, ZERO, symbol


def fused_by_numba(kernel: Kernel) -> Kernel | None:
    """The tree that Numba runs, the operators of each expression in one loop; None where nothing changes."""
    fusion = Fusion(kernel)
    fused = fusion.kernel_of(fusion.body(kernel.body))
    return fused if fusion.groups else None


@dataclass(frozen=True)
class Group:
    """Operations that became one nest: their outermost loop variables, its own last, and the temporaries that go."""

    loops: tuple[str, ...]
    temporaries: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Producer:
    """A nest that makes an array, and its position in its body."""

    nest: ArrayOperation
    position: int


@dataclass
class Fusion:
    """One pass over a kernel, by Numba's rules. ``groups`` collects what was fused, by the nest that remains."""

    kernel: Kernel
    groups: dict[str, Group] = field(default_factory=dict)
    among: frozenset[str] | None = None  # the outermost variables of the operations that it may fuse; None: all

    def kernel_of(self, body: Body) -> Kernel:
        gone = {name for group in self.groups.values() for name in group.temporaries}
        return replace(self.kernel, body=body, arrays=tuple(a for a in self.kernel.arrays if a.name not in gone))

    def body(self, body: Body) -> Body:
        """The nodes of one body, each expression's operations in the place of its last one."""
        placed: list[Node | None] = []
        made: dict[str, _Producer] = {}
        for node in body:
            nest = array_operation(node)
            free = nest is not None and (self.among is None or nest.loops[0].var in self.among)
            if nest is not None and free and self.may_take(nest):
                nest = self._with_producers(nest, placed, made)
                node = nest.node()
            if nest is not None and free and self.may_give(nest):
                made[nest.writes[0].array] = _Producer(nest, len(placed))
            elif isinstance(node, (When, Branch)) or (isinstance(node, Loop) and nest is None):
                node = replace(node, body=self.body(node.body))
            placed.append(node)
        return tuple(node for node in placed if node is not None)

    def _with_producers(
        self, nest: ArrayOperation, placed: list[Node | None], made: Mapping[str, _Producer]
    ) -> ArrayOperation:
        for read in nest.reads:
            producer = made.get(read.array)
            if producer is None or not self._is_one_expression(nest, read, producer.nest):
                continue
            together = inlined(nest, read, producer.nest)
            if self._sources_are_kept(producer.nest, nest) and self.fits(together):
                nest, placed[producer.position] = together, None
                self._note(nest.loops[0].var, producer.nest.loops[0].var, read.array)
        return nest

    def _sources_are_kept(self, producer: ArrayOperation, nest: ArrayOperation) -> bool:
        """Whether a nest finds what its producer reads as the producer does."""
        dataflow = Dataflow.of(self.kernel)
        first, last = (dataflow.by_loop[operation.loops[0].var] for operation in (producer, nest))
        return all(dataflow.keeps(self.memory(read), first, last) for read in producer.reads)

    def _note(self, last: str, before: str, temporary: str) -> None:
        mine, its = self.groups.get(last, Group((last,))), self.groups.pop(before, Group((before,)))
        self.groups[last] = Group((*its.loops, *mine.loops), (*its.temporaries, temporary, *mine.temporaries))

    # -- the rules: another pass may have others ----------------------------------------------
    def may_take(self, nest: ArrayOperation) -> bool:
        """Whether a nest can do the work of those before it: Numba's operators and ufuncs."""
        return self._is_operator(nest)

    def may_give(self, nest: ArrayOperation) -> bool:
        """Whether the work of a nest can be done in the next one's loops."""
        return self._is_operator(nest)

    def fits(self, together: ArrayOperation) -> bool:
        """Whether a fused nest computes the same: sure where its result is a fresh array."""
        return True

    def is_operand(self, nest: ArrayOperation, read: Access) -> bool:
        """Whether a broadcast operand may be computed again in every iteration that reads it: Numba does so."""
        return True

    def memory(self, access: Access) -> str:
        return self.kernel.array(access.array).memory

    def makes_fresh(self, nest: ArrayOperation) -> bool:
        """Whether the result is a fresh array of which every iteration writes one element."""
        if len(nest.writes) != 1:
            return False
        [write] = nest.writes
        target = self.kernel.array(write.array)
        is_fresh = target.is_made and target.line == nest.line and not target.buffer
        whole = tuple(symbol(loop.var) for loop in nest.loops) == write.index and covers(nest.loops, target.shape)
        return is_fresh and whole and all(self.memory(a) != target.memory for a in nest.reads)

    def _is_operator(self, nest: ArrayOperation) -> bool:
        """Whether Numba sees an operator or a ufunc: copies, casts, choices by a mask and ``clip`` are calls."""
        if not self.makes_fresh(nest):
            return False
        target = self.kernel.array(nest.writes[0].array)
        kinds = [operation.kind for operation in nest.operations]
        types = {self.kernel.array(a.array).dtype for a in nest.reads}
        if not kinds:  # integer work is not kept in the tree
            return len(nest.reads) == 2 and types == {target.dtype} and not target.dtype.counts
        is_cast = set(kinds) == {"convert"} and types != {target.dtype}
        return not is_cast and kinds.count("minmax") < 2

    def _is_one_expression(self, nest: ArrayOperation, read: Access, producer: ArrayOperation) -> bool:
        """Whether the array read is an intermediate of the expression that the nest belongs to."""
        array = self.kernel.array(read.array)
        if array.role != "temporary" or array.live_out or not Dataflow.of(self.kernel).is_intermediate(array):
            return False
        inside = range(self.kernel.line, self.kernel.end_line + 1)
        together = nest.line <= producer.line and (nest.line in inside) == (producer.line in inside)
        return together and _element_by_element(nest, read, array) and self.is_operand(nest, read)


def inlined(nest: ArrayOperation, read: Access, producer: ArrayOperation) -> ArrayOperation:
    """``nest`` with the producer's work in place of ``read``, at the subscripts of ``read``."""
    [write] = producer.writes
    place = {loop.var: e for loop, e in zip(producer.loops, read.index, strict=True) if e is not None}
    work = leaves(substitute(tuple(leaf for leaf in producer.body if leaf.id != write.id), place))
    body: list[Leaf] = []
    for node in nest.body:
        if node.id == read.id:
            body.extend(work)
        else:
            inputs = tuple(i for old in node.inputs for i in (write.inputs if old == read.id else (old,)))
            body.append(replace(node, inputs=inputs))
    return ArrayOperation(nest.loops, tuple(body))


def _element_by_element(nest: ArrayOperation, read: Access, array: Array) -> bool:
    """Whether a nest reads an array as an operand (broadcast at most), and not through a view of it."""
    loops = nest.loops[len(nest.loops) - len(read.index) :]
    if len(loops) != len(read.index):
        return False
    return all(
        index == ZERO if extent == ONE else index == symbol(loop.var) and covers((loop,), (extent,))
        for loop, index, extent in zip(loops, read.index, array.shape, strict=True)
    )

"""Interchange: other orders of a perfect nest's loops, which of them are legal, and which have unit stride. An order
is legal where every dependence still points forward, and each loop is inside those that its bounds need, or covers a
triangle whose bounds can be turned round. Reductions
may be reordered only under ``fastmath``; ``C[i, j] += …`` over k needs none while each element's own additions stay
in order."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from roofscan.cost.dependence import MAX_COMMON_LOOPS, Signs, dependences, keeps
from roofscan.cost.transform.nest import Nest, loop_records, stride, with_replaced
from roofscan.cost.transform.perfect_nests import Perfect
from roofscan.cost.transform.triangles import in_order
from roofscan.frozen import dataclass
from roofscan.ir.integers import NO_INTEGERS
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Loop, Operation
from roofscan.ir.visitor import accesses, leaves
from roofscan.symbolic.expr import NotEvaluable, Number
from roofscan.transformation import TransformationRecord

NEAR = 32  # bytes from one iteration to the next, so that two or more share a line: a pixel's channels
_REDUCING = ("add", "mul", "minmax", "sub")


@dataclass(frozen=True)
class Order:
    """A legal order of a nest's loops: positions in the order as written, outermost first."""

    positions: tuple[int, ...]
    reordered: bool = False  # it changes the order in which a reduction adds up

    @property
    def as_written(self) -> bool:
        return self.positions == tuple(sorted(self.positions))


@dataclass(frozen=True)
class Interchange:
    """The loops of a perfect nest in another order."""

    perfect: Perfect
    order: Order

    @property
    def nest(self) -> Nest:
        nest = self.perfect.nest
        loops = in_order(nest.loops, self.order.positions)
        assert loops is not None
        return Nest(_with_integers(loops, nest.loops[-1]), nest.body)

    @property
    def record(self) -> TransformationRecord:
        names = tuple(loop.source_name for loop in self.nest.loops)
        return TransformationRecord("interchange", loop_records(self.perfect.nest.loops), order=names)

    def apply(self, kernel: Kernel) -> Kernel:
        """The nest in its new order, with the reads that its innermost loop repeats taken out of it."""
        tree = self.perfect.tree(hoisted(kernel, self.nest))
        return with_replaced(kernel, self.perfect.top, tree)


def _with_integers(loops: Sequence[Loop], innermost: Loop) -> tuple[Loop, ...]:
    """The integer work of an iteration is in the loop that is innermost now."""
    *around, last = loops
    if last.var == innermost.var:
        return tuple(loops)
    without = (replace(x, integers=NO_INTEGERS) if x.var == innermost.var else x for x in around)
    return (*without, replace(last, integers=innermost.integers))


def legal_orders(kernel: Kernel, nest: Nest) -> Iterator[Order]:
    """All legal orders of a nest, the written one first; reordered reductions only where ``fastmath`` allows."""
    if len(nest.loops) > MAX_COMMON_LOOPS or any(loop.carried for loop in nest.loops):
        return
    strict = dependences(kernel, nest)
    loose = dependences(kernel, nest, reductions(kernel, nest.body)) if kernel.decorator.fastmath else strict
    for positions in permutations(range(len(nest.loops))):
        if (
            _parallel_loops_stay(nest, positions)
            and keeps(positions, loose)
            and in_order(nest.loops, positions) is not None
        ):
            yield Order(positions, not keeps(positions, strict))


def strided(kernel: Kernel, nest: Nest, innermost: int) -> int:
    """How many accesses would have a stride other than 0 or one element if the loop were the innermost."""
    return sum(not _is_dense(kernel, access, nest.loops[innermost]) for access in accesses(nest.body))


def leaves_lines(kernel: Kernel, nest: Nest, innermost: int, values: Mapping[str, Number]) -> bool:
    """Whether an access would take another cache line in each iteration, were the loop the innermost."""
    return any(not _stays_near(kernel, access, nest.loops[innermost], values) for access in accesses(nest.body))


def _stays_near(kernel: Kernel, access: Access, loop: Loop, values: Mapping[str, Number]) -> bool:
    array = kernel.array(access.array)
    step = stride(access, array, loop)
    try:
        return step is not None and abs(float(step.evaluate(values))) * array.dtype.size <= NEAR
    except NotEvaluable:
        return False


def _is_dense(kernel: Kernel, access: Access, loop: Loop) -> bool:
    step = stride(access, kernel.array(access.array), loop)
    return step is not None and step.constant in (0, 1, -1)


def is_tilable(found: Sequence[Signs] | frozenset[Signs], position: int) -> bool:
    """Whether the loop over blocks of the loop at ``position`` may be outside all loops around it."""
    return all(signs[position] >= 0 for signs in found)


def reductions(kernel: Kernel, body: Body) -> Iterator[Access]:
    """The reads and writes of ``x[…] = x[…] op …`` that nothing else in the body touches, value or memory."""
    uses = Tally(i for node in leaves(body) for i in node.inputs)
    touched = Tally(kernel.array(a.array).memory for a in accesses(body))
    nodes = {node.id: node for node in leaves(body)}
    for write in accesses(body):
        made = nodes.get(write.inputs[0]) if write.write and write.inputs else None
        if not isinstance(made, Operation) or made.kind not in _REDUCING or uses[made.id] != 1:
            continue
        for read in (nodes.get(i) for i in made.inputs[: 1 if made.kind == "sub" else None]):
            if isinstance(read, Access) and (read.array, read.index) == (write.array, write.index):
                if touched[kernel.array(read.array).memory] == 2 and uses[read.id] == 1:
                    yield from (read, write)


def _parallel_loops_stay(nest: Nest, order: Sequence[int]) -> bool:
    return all(order[place] == place for place, loop in enumerate(nest.loops) if loop.parallel)


def invariant_reads(kernel: Kernel, nest: Nest) -> tuple[Access, ...]:
    """The reads that the innermost loop repeats: each of one element, in memory that the nest does not write."""
    written = {kernel.array(a.array).memory for a in accesses(nest.body) if a.write}
    moving = {nest.loops[-1].var, *nest.inner}
    return tuple(
        node
        for node in nest.body
        if isinstance(node, Access) and not node.write and kernel.array(node.array).memory not in written
        and all(e is not None and not moving & e.symbols for e in node.index)
    )  # fmt: skip


def hoisted(kernel: Kernel, nest: Nest) -> Nest:
    """The nest with invariant reads taken out of its innermost loop."""
    out = invariant_reads(kernel, nest)
    inner = replace(nest.loops[-1], body=tuple(node for node in nest.body if node not in out))
    return Nest(nest.loops[:-1], (*out, inner)) if out else nest

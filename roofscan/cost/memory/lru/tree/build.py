"""From the kernel's IR to the tree of the model, at one sample point.

Reuse between nests is found in this tree, not in the dataflow graph (:mod:`roofscan.cost.dataflow`), which cannot stand
for it without loss. The graph has one node per operation, and no loops around operations: a time loop over two stencils
is one iteration of it, while the lines that one iteration leaves to the next are most of its reuse. An operation joins
all nests of one line, and scalar code between nests; the model needs each access in its place, because a reuse distance
is the lines of what runs in between. Edges have no conditions, the tree's references do. Of the 304 kernels in the
fixtures and in a set measured on hardware, 109 have several operations; 52 of these have them in a loop or a condition,
and 35 more join nodes, so that order and arrays of the graph are those of the tree for 22 of 109. Importing networkx
takes 90 ms, several times as long as the analysis of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from roofscan.cost.memory.lru.tree.affine import Affine, Reader
from roofscan.cost.memory.lru.tree.buffers import Buffers
from roofscan.cost.memory.lru.tree.build_context import (
    MEAN_TRIPS,
    BuildContext,
    Hole,
    Notes,
    is_interval,
    is_limit,
    nonaffine_names,
)
from roofscan.cost.memory.lru.tree.canonical_forms import FormNumbers, put_in_form
from roofscan.cost.memory.lru.tree.flat_loops import as_nests
from roofscan.cost.memory.lru.tree.flat_rows import split_rows
from roofscan.cost.memory.lru.tree.interleaved import by_rows, places
from roofscan.cost.memory.lru.tree.loop_ends import LoopEnds
from roofscan.cost.memory.lru.tree.nodes import Child, LoopNode, loops_below
from roofscan.cost.memory.lru.tree.references import NodeNumbers, ReferenceBuilder, means_of
from roofscan.cost.memory.lru.tree.residues import by_residues
from roofscan.cost.memory.lru.tree.sampled_expr import magnitude, value_of
from roofscan.cost.memory.lru.tree.slice_bounds import over_subscripts
from roofscan.cost.memory.lru.tree.streams import Streams
from roofscan.cost.memory.lru.tree.threads import find_common
from roofscan.cost.memory.lru.tree.unroll import unrolled
from roofscan.cost.memory.lru.tree.wrapped import unwrapped
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, When
from roofscan.ir.visitor import accesses, loops, map_leaves
from roofscan.symbolic.expr import ONE, Expr, Number

ROOT = "(kernel)"


def _outside_shared_memory(kernel: Kernel) -> Body:
    """The body without the accesses that never leave a multiprocessor."""
    shared = {array.name for array in kernel.arrays if array.space == "shared"}
    if not shared:
        return kernel.body
    return map_leaves(kernel.body, lambda leaf: None if isinstance(leaf, Access) and leaf.array in shared else leaf)


class TreeBuilder:
    def __init__(
        self, kernel: Kernel, sample_point: Mapping[str, Number], line: int, periods_apart: bool = True,
        at_worst: bool = False,
    ) -> None:  # fmt: skip
        """``periods_apart``: the periods of a subscript that wraps around are accesses of their own; ``at_worst``: data
        choose the places in, and after, loops of which only the mean trips are known."""
        self._at_worst = at_worst
        fresh = {var for array in kernel.arrays for var in array.fresh_in}
        body = _outside_shared_memory(kernel)
        body = body if fresh else unrolled(body, sample_point)
        apart = by_residues(body, sample_point, fresh)
        of_remainders, body = apart != body, apart
        written = over_subscripts(body, {array.name for array in kernel.arrays if array.fresh_in})
        body = by_rows(written, sample_point)
        begun = places(written, body)
        body = as_nests(body, fresh, sample_point)
        apart = unwrapped(body, sample_point) if periods_apart else body
        self.wraps = apart != body
        self._kernel = replace(kernel, body=apart)
        self._means = means_of(kernel)
        self.notes = Notes()
        self._loops = {node.var: node for node in loops(apart)}
        self._reader = Reader(sample_point, frozenset(self._loops))
        self._ends = LoopEnds(self._loops, self._reader, self.notes)
        self._buffers = Buffers(self._kernel, line, self._reader, self._ends, self.notes)
        self._numbers = NodeNumbers()
        self._streams = Streams(self._loops, self._reader, self._ends, begun)
        self._references = ReferenceBuilder(
            self._kernel, self._loops, self._reader, self._ends, self._buffers, self._streams, self.notes,
            self._numbers, line, at_worst,
        )  # fmt: skip
        self.in_common = False  # whether its forms have the numbers of other trees
        if of_remainders:
            self.notes.approximate.append((kernel.line, "conditions on remainders"))

    def build(self, numbers: FormNumbers | None = None) -> LoopNode:
        """The root: a loop with one trip. ``numbers``: those of other trees, for forms that these have, too."""
        accessed = {access.array for access in accesses(self._kernel.body)}
        self._buffers.make(array for array in self._kernel.arrays if array.name in accessed)
        zero = Affine(0, {})
        root = LoopNode(self._numbers.next(), ROOT, (zero,), (zero,), 1, False, self._kernel.line)
        root.children = self._children(self._kernel.body, BuildContext((root,)))
        root.seal()
        split_rows(root)
        find_common(root)
        self.in_common = put_in_form(root, numbers)
        return root

    def _children(self, body: Body, context: BuildContext) -> tuple[Child, ...]:
        children: list[Child] = []
        number = 0
        first: Branch | None = None  # a branch of which the other arm may come next
        for node in body:
            other = isinstance(node, Branch) and first is not None and first.share + node.share == ONE
            first = node if isinstance(node, Branch) and not other else None
            if isinstance(node, Access):
                children.append(self._references.make(node, context))
            elif isinstance(node, Loop):
                children.extend(self._loop(node, context))
            elif isinstance(node, When):
                if (left := self._undecided(node)) is not None:
                    children.extend(self._children(node.body, self._guarded(node, left, context)))
            elif isinstance(node, Branch):
                self.notes.branches = True
                share = self._reader.number(node.share)
                number = number if other else self._numbers.next()
                arms = context.arms | {(number, other)}
                inside = replace(context, share=context.share * share, taken=context.taken * share, arms=arms)
                children.extend(self._children(node.body, inside))
        return tuple(children)

    def _undecided(self, node: When) -> tuple[Condition, ...] | None:
        """The conditions on loop variables; None where one on sizes and parameters does not hold."""
        left = tuple(c for c in node.conditions if not self._loops.keys().isdisjoint(c.expr.symbols))
        decided = (c for c in node.conditions if c not in left)
        return left if all(c.holds(value_of(self._reader.number(c.expr))) for c in decided) else None

    def _guarded(self, node: When, conditions: Iterable[Condition], context: BuildContext) -> BuildContext:
        guards, share, taken, holes = list(context.guards), context.share, context.taken, list(context.holes)
        for condition in conditions:
            makes = self._makes_arrays(node, condition.expr)
            condition = self._by_value(condition) if makes else condition
            if condition.modulus:
                part = Fraction(1, condition.modulus)
                part = part if condition.relation == "eq" else 1 - part
                share = share * part
                taken = taken * part if makes else taken
                self.notes.approximate.append((node.line, "a condition on a remainder"))
            elif condition.relation in ("ge", "eq"):
                form = self._reader.affine(condition.expr)
                if not is_limit(form):
                    self.notes.approximate.append((node.line, "a condition on several indices"))
                elif not is_interval(form, context.loops):
                    self.notes.larger.append((node.line, "a condition between two steps of a loop"))
                guards += [form] if condition.relation == "ge" else [form, form.scaled(-1)]
            else:
                holes.append(Hole(condition.expr.symbols & self._loops.keys(), node.line))
        return replace(context, guards=tuple(guards), share=share, taken=taken, holes=tuple(holes))

    def _by_value(self, condition: Condition) -> Condition:
        """A remainder by a size (``t % every == 0``) as one by the value of the size."""
        ring = None if condition.modulus or condition.relation == "ge" else self._reader.ring(condition.expr)
        if ring is None:
            return condition
        top, modulus, rest = ring
        divisor, wanted = value_of(self._reader.number(modulus)), -value_of(self._reader.number(rest))
        if divisor < 2 or divisor % 1 or wanted % 1 or not 0 <= wanted < divisor:
            return condition
        return replace(condition, expr=top - int(wanted), modulus=int(divisor))

    def _makes_arrays(self, node: When, tested: Expr) -> bool:
        """Whether memory that is fresh in each iteration of a tested loop is touched below."""
        arrays = (self._kernel.array(access.array) for access in accesses(node.body))
        return any(not tested.symbols.isdisjoint(array.fresh_in) for array in arrays)

    def _loop(self, node: Loop, context: BuildContext) -> tuple[LoopNode, ...]:
        step = self._ends.step(node)
        descending = value_of(step) < 0
        if node.total is not None:
            self._streams.note(node)
        nested = node.total is None and len(context.loops) > 1
        lows, highs = self._ends.of(node, step, descending)
        length = node.stop - node.start
        mean = nested and bool(length.symbols & self._means)
        if mean and not self._ends.changes(length) and 0 < value_of(trips := self._reader.number(length) / step) < 1:
            lows = highs = highs if descending else lows  # less than one iteration in the mean: a branch
            self.notes.branches = True
            context = replace(context, share=context.share * trips, taken=context.taken * trips)
        loop = LoopNode(
            self._numbers.next(), node.var, lows, highs, magnitude(step), descending, node.line, name=node.var
        )
        loop.guards, loop.loops = context.guards, context.loops
        loop.share, loop.taken, loop.arms, loop.mean = context.share, context.taken, context.arms, mean
        loop.furthest = self._ends.furthest(node) if mean and self._at_worst else ()
        split = node.parallel and not self._kernel.on_gpu
        loop.parallel = split and not any(outer.parallel for outer in context.loops)
        loop.children = self._children(
            node.body, replace(context, loops=(*context.loops, loop), guards=(), share=1, taken=1, arms=frozenset())
        )
        loop.seal()
        loop.sampled_all = node.var in nonaffine_names(loop)
        if loop.mean:
            self._note_mean(loop, node.early_exit)
        return (loop,) if loop.refs else ()

    def _note_mean(self, loop: LoopNode, early_exit: bool) -> None:
        """Some executions of a loop of which only the mean trips are known may not reach what the others do."""
        regular = [ref for ref in loop.refs if not ref.irregular]
        if not regular:
            return
        inner = {loop.var, *(below.var for below in loops_below(loop))}
        moving = any(not inner.isdisjoint(form.coefs) for ref in regular for form in ref.subscripts)
        unsure = moving or early_exit
        self.notes.unsure_means |= unsure
        (self.notes.approximate if unsure else self.notes.larger).append((loop.line, MEAN_TRIPS))

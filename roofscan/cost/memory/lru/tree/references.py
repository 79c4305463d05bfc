"""From an access of the kernel to a reference of the tree: its subscripts, or what is known of a place that depends on
data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from roofscan.budget import spend
from roofscan.cost.memory.lru.tree.affine import Affine, Reader
from roofscan.cost.memory.lru.tree.buffers import Buffers
from roofscan.cost.memory.lru.tree.build_context import MEAN_TRIPS, BuildContext, Notes, most_trips_are_known
from roofscan.cost.memory.lru.tree.loop_ends import LoopEnds
from roofscan.cost.memory.lru.tree.nodes import Clamp, IndexLimit, LoopNode, Modulo, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.cost.memory.lru.tree.scattered_rows import ScatteredRows
from roofscan.cost.memory.lru.tree.shifted_rows import ShiftedRows, around_rings
from roofscan.cost.memory.lru.tree.streams import Streams
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable, symbol

NODE_STEPS = 50  # what a node takes to make, in steps of the budget


class NodeNumbers:
    """Numbers the nodes of a tree."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        spend(NODE_STEPS)
        self._last += 1
        return self._last


class ReferenceBuilder:
    def __init__(
        self,
        kernel: Kernel,
        loops: Mapping[str, Loop],
        reader: Reader,
        ends: LoopEnds,
        buffers: Buffers,
        streams: Streams,
        notes: Notes,
        numbers: NodeNumbers,
        line: int,
        at_worst: bool,
    ) -> None:
        self._kernel = kernel
        self._means = means_of(kernel)
        self._loops = loops
        self._reader = reader
        self._ends = ends
        self._buffers = buffers
        self._streams = streams
        self._notes = notes
        self._numbers = numbers
        self._at_worst = at_worst
        self._unknown_trips: dict[int, set[str]] = {}  # by buffer: what decides how far loops around its references run
        self._last_irregular: tuple[object, ...] = ()
        self._rows = ScatteredRows(loops, line)
        self._shifted_rows = ShiftedRows(loops, reader.number)

    def make(self, node: Access, context: BuildContext) -> Ref:
        array = self._kernel.array(node.array)
        buffer = self._buffers[node.array]
        ref = Ref(self._numbers.next(), buffer, (), node.write, node.line, context.guards, context.share, context.loops)
        ref.taken, ref.arms = context.taken, context.arms
        if not node.regular:
            return self._irregular(ref, node, array, context)
        if self._at_worst and self._is_of_means(node):
            anywhere = replace(node, index=(None,) * len(node.index), within=(), rests=())
            return self._irregular(ref, anywhere, array, context, MEAN_TRIPS)
        if self._at_worst and any(loop.mean for loop in context.loops):
            return self._irregular(ref, node, array, context, MEAN_TRIPS)
        self._note_unknown_trips(ref, node)
        forms = [self._place(e if e is not None else ONE, node) for e in node.index]
        limits: dict[int, IndexLimit] = {}
        for dim, expr in enumerate(node.index):
            found = None if expr is None else self._limited(expr)
            if found is not None:
                forms[dim], limits[dim] = found
        if any(forms[dim].opaque for dim in limits):
            return self._irregular(ref, node, array, context, "a remainder of an expression that is not affine")
        rings = {dim: ring for dim in limits if (ring := self._reader.ring(node.index[dim] or ONE)) is not None}
        if limits and self._at_worst and len(rings) == len(limits):
            places = around_rings(node, {dim: (top, modulus) for dim, (top, modulus, _) in rings.items()})
            return self._irregular(ref, places, array, context, "a subscript that wraps around")
        if limits:
            self._notes.rings |= len(rings) == len(limits)
            self._notes.approximate.append((node.line, f"a remainder or a limit in a subscript of {node.array}"))
        if node.nearly:
            self._notes.approximate.append((node.line, f"a subscript of {node.array} is a rounded number"))
        if any(f.opaque for f in forms):
            self._notes.approximate.append((node.line, f"a subscript of {node.array} is not affine"))
        axes = self._buffers.axes(array)
        ref.index_limits = tuple((axes[dim], limit) for dim, limit in limits.items() if dim in axes)
        ref.subscripts = self._buffers.placed(array, buffer, forms, context)
        ref.width = self._buffers.width(array)
        self._note_holes(ref, context)
        return ref

    def _place(self, expr: Expr, node: Access) -> Affine:
        """The form of a subscript; of one that is clamped within other terms, the form that it has amid the loops."""
        form = self._streams.subscript(expr)
        if not form.opaque or self._limited(expr) is not None or (usual := self._ends.usual(expr)) == expr:
            return form
        self._notes.approximate.append((node.line, f"a limit in a subscript of {node.array}"))
        return self._streams.subscript(usual)

    def _is_of_means(self, node: Access) -> bool:
        """Whether a subscript is made of a number of iterations of which only the mean is known."""
        return any(e is not None and not e.symbols.isdisjoint(self._means) for e in node.index)

    def _spread(self, ref: Ref, node: Access, array: Array, context: BuildContext) -> None:
        """Gives a reference the places that it can have: what is known of its subscripts, all of the extent in the
        place of others, and memory that is fresh in a loop."""
        base, fresh = ref.buffer.base, len(array.fresh_in)
        if node.nearly or base is None or any(self._ends.changes(e) for e in (*array.shape, *array.strides)):
            return
        forms = [self._known(e, context) for e in node.index]
        if not most_trips_are_known(frozenset(array.fresh_in), context):
            return
        if not fresh and all(form is None for form in forms):
            return
        for dim, form in enumerate(forms):
            if form is None:
                ref.anywhere += (self._all_of(array, dim, node),)
                forms[dim] = Affine(0, {ref.anywhere[-1].var: 1})
        ref.spread = self._buffers.placed(array, base, [form for form in forms if form is not None], context)
        ref.width = self._buffers.width(array)

    def _known(self, expr: Expr | None, context: BuildContext) -> Affine | None:
        """A subscript in loops of which the most trips are known."""
        if expr is None or expr.atoms or not expr.symbols.isdisjoint(self._means):
            return None
        form = self._streams.subscript(expr)
        return form if not form.opaque and most_trips_are_known(form.names, context) else None

    def _all_of(self, array: Array, dim: int, node: Access) -> LoopNode:
        """A loop over the places that an unknown subscript can have."""
        ends: Sequence[Num] = (0, self._reader.number(array.shape[dim]) - 1)
        if dim < len(node.within) and (within := node.within[dim]) is not None:
            with suppress(NotEvaluable):
                ends = [self._reader.number(end) for end in within]
        low, high = (Affine(end, {}) for end in ends)
        return LoopNode(self._numbers.next(), f"?{dim}", (low,), (high,), 1, False, node.line)

    def _limited(self, expr: Expr) -> tuple[Affine, IndexLimit] | None:
        """A subscript that is taken modulo a number, or clamped."""
        remainder = self._reader.remainder(expr)
        if remainder is not None:
            return remainder[0], Modulo(remainder[1], remainder[2])
        clamp = self._reader.clamp(expr) if expr.atoms else None
        if clamp is None or (clamp[1] is None and clamp[2] is None):
            return None
        return clamp[0], Clamp(clamp[1], clamp[2])

    def _note_unknown_trips(self, ref: Ref, node: Access) -> None:
        """Which of two unknown numbers of trips is larger, the sample point does not tell."""
        moving = {name for e in node.index if e is not None for name in e.symbols}
        around = [self._loops[loop.var] for loop in ref.loops if loop.var in self._loops and loop.var in moving]
        found = self._unknown_trips.setdefault(id(ref.buffer), set())
        found |= {name for loop in around for name in (loop.stop - loop.start).symbols & self._means}
        if len(found) > 1:
            self._notes.approximate.append(
                (ref.line, f"the reach of {ref.buffer.name} depends on several data-dependent loops")
            )

    def _note_holes(self, ref: Ref, context: BuildContext) -> None:
        alone = len(context.holes) == 1 and not context.guards
        for hole in context.holes:
            if not (alone and hole.is_filled(ref)):
                self._notes.approximate.append((hole.line, "a condition skips iterations"))

    def _irregular(
        self, ref: Ref, node: Access, array: Array, context: BuildContext, why: str = "the address depends on data"
    ) -> Ref:
        """A reference whose place depends on data: memory of its own, of which any line may be touched."""
        buffer = ref.buffer
        ref.put_in(self._buffers.scattered(buffer))
        ref.irregular = node.why_irregular or why
        ref.reach = self._buffers.reach(node, array, buffer)
        axes = self._buffers.axes(array)
        known = [(axes[d], e) for d, e in enumerate(node.index) if e is not None and d in axes]
        ref.known = {place: form for place, e in known if not (form := self._streams.subscript(e)).opaque}
        self._spread(ref, node, array, context)
        self._rows.place(ref, node, array, context)
        self._shifted_rows.place(ref, node, array)
        place_by_numbers(ref, node, array)
        place = (node.array, node.line, node.column, context.loops[-1].uid)
        ref.repeats = node.write and place == self._last_irregular
        self._last_irregular = () if node.write else place
        in_order = ref.walk is not None and ref.walk.goes_on
        self._notes.irregular.append((node.line, f"{node.array}: {ref.irregular}", in_order))
        return ref


def means_of(kernel: Kernel) -> set[str]:
    """The symbols that stand for the mean of what data decide."""
    return {s.name for s in kernel.symbols if s.kind in ("trips", "length")}


# -- rows at numbers that data choose once for several loops ----------------------------------------
def place_by_numbers(ref: Ref, node: Access, array: Array) -> None:
    """Gives a reference the numbers that it is at, and the loop of which every iteration has its own."""
    rests = [rest for e, rest in zip(node.index, node.rests) if e is None]
    depth = {loop.var: n for n, loop in enumerate(ref.loops)}
    found: list[int] = []
    for rest in rests:
        if rest is None or not rest.origin or rest.loop is None or len(rest.loop.symbols & depth.keys()) != 1:
            return
        found.append(depth[next(iter(rest.loop.symbols & depth.keys()))])
    if not found:
        return
    known = [e for e in node.index if e is not None] + [rest.expr for rest in rests if rest is not None]
    moved = frozenset(array.fresh_in).union(*(e.symbols for e in known))
    inside = [loop for loop in ref.loops[max(found) + 1 :] if loop.var in moved]
    if any(loop.mean for loop in inside):
        return  # some iterations go further than the mean
    places = {loop.var: symbol(f"@{n}") for n, loop in enumerate(inside)}
    numbers = tuple((rest.origin, rest.loop) for rest in rests if rest is not None)
    axes = tuple(e is None for e in node.index)
    ref.number = (node.array, axes, numbers, *(e.subs(places) for e in known))
    ref.computed_in = ref.loops[max(found)].uid
    ref.moving = frozenset(places)

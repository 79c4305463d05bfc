"""From the kernel's IR to the tree of the model, at one sample point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from roofscan.budget import spend
from roofscan.cost.memory.lru.tree.affine import Affine, Reader
from roofscan.cost.memory.lru.tree.buffers import Buffers
from roofscan.cost.memory.lru.tree.build_context import (
    MEAN_TRIPS,
    BuildContext,
    Hole,
    Notes,
    is_interval,
    is_limit,
    last_of,
    most_trips_are_known,
    nonaffine_names,
)
from roofscan.cost.memory.lru.tree.canonical_forms import put_in_form
from roofscan.cost.memory.lru.tree.flat_loops import as_nests
from roofscan.cost.memory.lru.tree.flat_rows import split_rows
from roofscan.cost.memory.lru.tree.interleaved import by_rows, places
from roofscan.cost.memory.lru.tree.loop_ends import LoopEnds
from roofscan.cost.memory.lru.tree.nodes import Child, Clamp, Fold, LoopNode, Modulo, Ref, loops_below
from roofscan.cost.memory.lru.tree.residues import by_residues
from roofscan.cost.memory.lru.tree.row_numbers import place_by_numbers
from roofscan.cost.memory.lru.tree.sampled_expr import Num, magnitude, value_of
from roofscan.cost.memory.lru.tree.scattered_rows import ScatteredRows
from roofscan.cost.memory.lru.tree.shifted_rows import ShiftedRows, around_rings
from roofscan.cost.memory.lru.tree.slice_bounds import over_subscripts
from roofscan.cost.memory.lru.tree.threads import find_common
from roofscan.cost.memory.lru.tree.unroll import unrolled
from roofscan.cost.memory.lru.tree.wrapped import unwrapped
from roofscan.ir import kernel as ir
from roofscan.ir.visitor import accesses, loops, map_leaves
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable, Number

ROOT = "(kernel)"
NODE_STEPS = 50  # what a node takes to make, in steps of the budget


def _outside_shared_memory(kernel: ir.Kernel) -> ir.Body:
    """The body without the accesses that never leave a multiprocessor."""
    shared = {array.name for array in kernel.arrays if array.space == "shared"}
    if not shared:
        return kernel.body
    return map_leaves(kernel.body, lambda leaf: None if isinstance(leaf, ir.Access) and leaf.array in shared else leaf)


class TreeBuilder:
    def __init__(
        self, kernel: ir.Kernel, sample_point: Mapping[str, Number], line: int, periods_apart: bool = True,
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
        self._places = places(written, body)
        body = as_nests(body, fresh, sample_point)
        apart = unwrapped(body, sample_point) if periods_apart else body
        self.wraps = apart != body
        self._kernel = replace(kernel, body=apart)
        self._means = {s.name for s in kernel.symbols if s.kind in ("trips", "length")}
        self.notes = Notes()
        self._loops = {node.var: node for node in loops(apart)}
        self._reader = Reader(sample_point, frozenset(self._loops))
        self._ends = LoopEnds(self._loops, self._reader, self.notes)
        self._buffers = Buffers(self._kernel, line, self._reader, self._ends, self.notes)
        self._streams: dict[str, Affine] = {}
        self._unknown_trips: dict[int, set[str]] = {}  # by buffer: what decides how far loops around its references run
        self._last_irregular: tuple[object, ...] = ()
        self._rows = ScatteredRows(self._loops, line)
        self._shifted_rows = ShiftedRows(self._loops, self._reader.number)
        self._uid = 0
        if of_remainders:
            self.notes.approximate.append((kernel.line, "conditions on remainders"))

    def build(self) -> LoopNode:
        """The root: a loop with one trip."""
        accessed = {access.array for access in accesses(self._kernel.body)}
        self._buffers.make(array for array in self._kernel.arrays if array.name in accessed)
        zero = Affine(0, {})
        root = LoopNode(self._next(), ROOT, (zero,), (zero,), 1, False, self._kernel.line)
        root.children = self._children(self._kernel.body, BuildContext((root,)))
        root.seal()
        split_rows(root)
        find_common(root)
        put_in_form(root)
        return root

    def _next(self) -> int:
        """The number of the next node."""
        spend(NODE_STEPS)
        self._uid += 1
        return self._uid

    # -- nodes --------------------------------------------------------------------------------
    def _children(self, body: ir.Body, context: BuildContext) -> tuple[Child, ...]:
        children: list[Child] = []
        number = 0
        first: ir.Branch | None = None  # a branch of which the other arm may come next
        for node in body:
            other = isinstance(node, ir.Branch) and first is not None and first.share + node.share == ONE
            first = node if isinstance(node, ir.Branch) and not other else None
            if isinstance(node, ir.Access):
                children.append(self._ref(node, context))
            elif isinstance(node, ir.Loop):
                children.extend(self._loop(node, context))
            elif isinstance(node, ir.When):
                if (left := self._undecided(node)) is not None:
                    children.extend(self._children(node.body, self._guarded(node, left, context)))
            elif isinstance(node, ir.Branch):
                self.notes.branches = True
                share = self._reader.number(node.share)
                number = number if other else self._next()
                arms = context.arms | {(number, other)}
                inside = replace(context, share=context.share * share, taken=context.taken * share, arms=arms)
                children.extend(self._children(node.body, inside))
        return tuple(children)

    def _undecided(self, node: ir.When) -> tuple[ir.Condition, ...] | None:
        """The conditions on loop variables; None where one on sizes and parameters does not hold."""
        left = tuple(c for c in node.conditions if not self._loops.keys().isdisjoint(c.expr.symbols))
        decided = (c for c in node.conditions if c not in left)
        return left if all(c.holds(value_of(self._reader.number(c.expr))) for c in decided) else None

    def _guarded(self, node: ir.When, conditions: Iterable[ir.Condition], context: BuildContext) -> BuildContext:
        guards, share, holes = list(context.guards), context.share, list(context.holes)
        for condition in conditions:
            if condition.modulus:
                part = Fraction(1, condition.modulus)
                share = share * (part if condition.relation == "eq" else 1 - part)
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
        return replace(context, guards=tuple(guards), share=share, holes=tuple(holes))

    def _loop(self, node: ir.Loop, context: BuildContext) -> tuple[LoopNode, ...]:
        step = self._ends.step(node)
        descending = value_of(step) < 0
        if node.total is not None:
            self._note_stream(node)
        nested = node.total is None and len(context.loops) > 1
        first, last = ("min", "max") if descending else ("max", "min")
        start, stop = self._ends.bounds(node.start, first, node), self._ends.bounds(node.stop, last, node)
        lows, highs = (stop, start) if descending else (start, stop)
        lows = tuple(f.shifted(1) for f in lows) if descending else lows
        highs = highs if descending else tuple(f.shifted(-1) for f in highs)
        if len(lows) == len(highs) == 1 and not lows[0].names and not highs[0].names and not descending:
            highs = (Affine(last_of(lows[0].constant, highs[0].constant, step), {}),)
        if node.total is not None:
            row = self._reader.number(node.total) / self._ends.trips_over(node.total_over)
            lows, highs = (Affine(0, {}),), (Affine(row - 1, {}, 1),)
        length = node.stop - node.start
        mean = nested and bool(length.symbols & self._means)
        if mean and not self._ends.changes(length) and 0 < value_of(trips := self._reader.number(length) / step) < 1:
            lows = highs = highs if descending else lows  # less than one iteration in the mean: a branch
            self.notes.branches = True
            context = replace(context, share=context.share * trips, taken=context.taken * trips)
        loop = LoopNode(self._next(), node.var, lows, highs, magnitude(step), descending, node.line, name=node.var)
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
        if loop.mean and not all(ref.irregular for ref in loop.refs):
            inner = {loop.var, *(below.var for below in loops_below(loop))}
            forms = (form for ref in loop.refs if not ref.irregular for form in ref.subscripts)
            moving = any(not inner.isdisjoint(form.coefs) for form in forms)
            unsure = moving or node.early_exit
            self.notes.unsure_means |= unsure
            notes = self.notes.approximate if unsure else self.notes.larger  # some executions may not reach them
            notes.append((node.line, MEAN_TRIPS))
        return (loop,) if loop.refs else ()

    # -- data-dependent rows ------------------------------------------------------------------
    def _note_stream(self, node: ir.Loop) -> None:
        """Rows of unknown length that follow each other: row r starts at r times the mean length. A loop of an array
        expression starts at 0 in each row."""
        outer = self._loops.get(node.total_over)
        if outer is None or node.total is None or node.array_expression:
            return
        mean = self._reader.number(node.total) / self._ends.trips_over(node.total_over)
        if outer.var in self._places:
            begun = self._reader.affine(self._places[outer.var]).scaled(mean)
            self._streams[node.var] = Affine(begun.constant, begun.coefs, 1)
            return
        slope = mean / magnitude(self._reader.number(outer.step))
        lowest = outer.stop + 1 if value_of(self._reader.number(outer.step)) < 0 else outer.start
        start = -slope * self._reader.number(lowest)
        self._streams[node.var] = Affine(start, {outer.var: slope}, 1)

    def _subscript(self, expr: Expr) -> Affine:
        form = self._reader.affine(expr)
        for var, start in self._streams.items():
            if var in form.coefs:
                form = form.plus(start, form.coefs[var])
        return form

    # -- references ---------------------------------------------------------------------------
    def _ref(self, node: ir.Access, context: BuildContext) -> Ref:
        array = self._kernel.array(node.array)
        buffer = self._buffers[node.array]
        ref = Ref(self._next(), buffer, (), node.write, node.line, context.guards, context.share, context.loops)
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
        folds: dict[int, Fold] = {}
        for dim, expr in enumerate(node.index):
            found = None if expr is None else self._folded(expr)
            if found is not None:
                forms[dim], folds[dim] = found
        if any(forms[dim].opaque for dim in folds):
            return self._irregular(ref, node, array, context, "a remainder of an expression that is not affine")
        rings = {dim: ring for dim in folds if (ring := self._reader.ring(node.index[dim] or ONE)) is not None}
        if folds and self._at_worst and len(rings) == len(folds):
            places = around_rings(node, {dim: (top, modulus) for dim, (top, modulus, _) in rings.items()})
            return self._irregular(ref, places, array, context, "a place that goes round a ring")
        if folds:
            self.notes.rings |= len(rings) == len(folds)
            self.notes.approximate.append((node.line, f"a remainder or a limit in a subscript of {node.array}"))
        if node.nearly:
            self.notes.approximate.append((node.line, f"a subscript of {node.array} is a rounded number"))
        if any(f.opaque for f in forms):
            self.notes.approximate.append((node.line, f"a subscript of {node.array} is not affine"))
        axes = self._buffers.axes(array)
        ref.folds = tuple((axes[dim], fold) for dim, fold in folds.items() if dim in axes)
        ref.subscripts = self._buffers.placed(array, buffer, forms, context)
        ref.width = self._buffers.width(array)
        self._note_holes(ref, context)
        return ref

    def _place(self, expr: Expr, node: ir.Access) -> Affine:
        """The form of a subscript; of one that is clamped within other terms, the form that it has amid the loops."""
        form = self._subscript(expr)
        if not form.opaque or self._folded(expr) is not None or (usual := self._ends.usual(expr)) == expr:
            return form
        self.notes.approximate.append((node.line, f"a limit in a subscript of {node.array}"))
        return self._subscript(usual)

    def _is_of_means(self, node: ir.Access) -> bool:
        """Whether a subscript is made of a number of iterations of which only the mean is known."""
        return any(e is not None and not e.symbols.isdisjoint(self._means) for e in node.index)

    def _spread(self, ref: Ref, node: ir.Access, array: ir.Array, context: BuildContext) -> None:
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
        form = self._subscript(expr)
        return form if not form.opaque and most_trips_are_known(form.names, context) else None

    def _all_of(self, array: ir.Array, dim: int, node: ir.Access) -> LoopNode:
        """A loop over the places that an unknown subscript can have."""
        ends: Sequence[Num] = (0, self._reader.number(array.shape[dim]) - 1)
        if dim < len(node.within) and (within := node.within[dim]) is not None:
            with suppress(NotEvaluable):
                ends = [self._reader.number(end) for end in within]
        low, high = (Affine(end, {}) for end in ends)
        return LoopNode(self._next(), f"?{dim}", (low,), (high,), 1, False, node.line)

    def _folded(self, expr: Expr) -> tuple[Affine, Fold] | None:
        """A subscript that is taken modulo a number, or clamped."""
        remainder = self._reader.remainder(expr)
        if remainder is not None:
            return remainder[0], Modulo(remainder[1], remainder[2])
        clamp = self._reader.clamp(expr) if expr.atoms else None
        if clamp is None or (clamp[1] is None and clamp[2] is None):
            return None
        return clamp[0], Clamp(clamp[1], clamp[2])

    def _note_unknown_trips(self, ref: Ref, node: ir.Access) -> None:
        """Which of two unknown numbers of trips is larger, the sample point does not tell."""
        moving = {name for e in node.index if e is not None for name in e.symbols}
        around = [self._loops[loop.var] for loop in ref.loops if loop.var in self._loops and loop.var in moving]
        found = self._unknown_trips.setdefault(id(ref.buffer), set())
        found |= {name for loop in around for name in (loop.stop - loop.start).symbols & self._means}
        if len(found) > 1:
            self.notes.approximate.append(
                (ref.line, f"the reach of {ref.buffer.name} depends on several data-dependent loops")
            )

    def _note_holes(self, ref: Ref, context: BuildContext) -> None:
        alone = len(context.holes) == 1 and not context.guards
        for hole in context.holes:
            if not (alone and hole.is_filled(ref)):
                self.notes.approximate.append((hole.line, "a condition skips iterations"))

    def _irregular(
        self,
        ref: Ref,
        node: ir.Access,
        array: ir.Array,
        context: BuildContext,
        why: str = "the address depends on data",
    ) -> Ref:
        """A reference whose place depends on data: memory of its own, of which any line may be touched."""
        buffer = ref.buffer
        ref.put_in(self._buffers.scattered(buffer))
        ref.irregular = node.why_irregular or why
        ref.reach = self._buffers.reach(node, array, buffer)
        axes = self._buffers.axes(array)
        known = [(axes[d], e) for d, e in enumerate(node.index) if e is not None and d in axes]
        ref.known = {place: form for place, e in known if not (form := self._subscript(e)).opaque}
        self._spread(ref, node, array, context)
        self._rows.place(ref, node, array, context)
        self._shifted_rows.place(ref, node, array)
        place_by_numbers(ref, node, array)
        place = (node.array, node.line, node.column)
        ref.repeats = node.write and place == self._last_irregular
        self._last_irregular = () if node.write else place
        self.notes.irregular.append((node.line, f"{node.array}: {ref.irregular}"))
        return ref

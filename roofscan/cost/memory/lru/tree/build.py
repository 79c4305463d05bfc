"""From the kernel's IR to the tree of the model, at one sample point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import gcd

from roofscan.budget import spend
from roofscan.cost.memory.lru.tree.affine import Affine, Reader
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
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, Clamp, Fold, LoopNode, Modulo, Ref, loops_below
from roofscan.cost.memory.lru.tree.residues import by_residues
from roofscan.cost.memory.lru.tree.row_numbers import place_by_numbers
from roofscan.cost.memory.lru.tree.sampled_expr import Num, ceil_to, magnitude, total, value_of
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

PLACES = (Fraction(1, 2), Fraction(0), Fraction(1))  # in the range of a loop: where ends that depend on it are compared
FLAT = (-1,)  # the layout of an array whose subscripts are worked into one address


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
        written = over_subscripts(body)
        body = by_rows(written, sample_point)
        self._places = places(written, body)
        body = as_nests(body, fresh, sample_point)
        apart = unwrapped(body, sample_point) if periods_apart else body
        self.wraps = apart != body
        self._kernel = replace(kernel, body=apart)
        self._line = line
        self._means = {s.name for s in kernel.symbols if s.kind in ("trips", "length")}
        self._loops = {node.var: node for node in loops(self._kernel.body)}
        self._order = {var: n for n, var in enumerate(self._loops)}
        self._reader = Reader(sample_point, frozenset(self._loops))
        self._buffers: dict[str, Buffer] = {}
        self._layout: dict[str, tuple[int, ...]] = {}
        self._streams: dict[str, Affine] = {}
        self._unknown_trips: dict[int, set[str]] = {}  # by buffer: what decides how far loops around its references run
        self._irregular_ref: dict[str, Buffer] = {}
        self._last_irregular: tuple[object, ...] = ()
        self._rows = ScatteredRows(self._loops, line)
        self._shifted_rows = ShiftedRows(self._loops, self._reader.number)
        self._units: dict[str, int] = {}  # bytes of an element of the buffer, by array
        self._with_owner: dict[str, list[ir.Array]] = {}
        self._rooms: dict[tuple[str, int], tuple[list[Num], list[Num]]] = {}
        self._uid = 0
        self.notes = Notes()
        if of_remainders:
            self.notes.approximate.append((kernel.line, "conditions on remainders"))

    def build(self) -> LoopNode:
        """The root: a loop with one trip."""
        accessed = {access.array for access in accesses(self._kernel.body)}
        arrays = [array for array in self._kernel.arrays if array.name in accessed]
        for array in arrays:
            self._with_owner.setdefault(array.owner, []).append(array)
        for array in arrays:
            self._buffers[array.name] = self._buffer(array)
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

    # -- memory -------------------------------------------------------------------------------
    def _buffer(self, array: ir.Array) -> Buffer:
        """Its dimensions by falling stride, those inside a record as one; memory that several arrays show, or that is
        fresh in a loop, is one buffer with the shape worked into it."""
        shared = self._with_owner[array.owner]
        alike = len(set(map(_outer_strides, shared))) == 1
        if not alike and any(self._changes(s) for a in shared for s in a.strides):
            raise NotEvaluable(f"the views of {array.owner} change their strides between iterations")
        known = next((self._buffers[other.name] for other in shared if other.name in self._buffers), None)
        unit = self._units[array.name] = gcd(*(step for a in shared for step in _steps(a)))
        strides, _ = self._room(array, unit)
        order = sorted(range(len(strides)), key=lambda d: (-value_of(strides[d]), d))
        self._layout[array.name] = tuple(order) if alike else FLAT
        if known is not None:
            return known
        per_line = max(1, self._line // unit)
        sizes = [self._elements(a, unit) for a in shared]
        fresh, whole = self._fresh(array, max(sizes, key=value_of), per_line)
        if not alike:
            return Buffer(array.owner, per_line, (*fresh, 1), whole, array.owner, made=array.is_made)
        falling = [strides[d] for d in order]
        if not falling or value_of(falling[-1]) != 1:
            falling.append(1)
        packed = sum(1 for s in array.strides if self._changes(s))
        return Buffer(array.owner, per_line, (*fresh, *falling), whole, array.owner, made=array.is_made, packed=packed)

    def _fresh(self, array: ir.Array, size: Num, per_line: int) -> tuple[list[Num], Num]:
        """Strides from the memory of one iteration to that of the next, and the size of all together."""
        fresh: list[Num] = []
        if array.fresh_in and any(extent.symbols & self._means for extent in array.shape):
            self.notes.bounds = False
        for var in reversed(array.fresh_in):
            padded = size if fresh else ceil_to(size, per_line)
            fresh.insert(0, padded)
            size = padded * self._span(var)
        return fresh, size

    def _elements(self, array: ir.Array, unit: int) -> Num:
        """From the first to the last, in units."""
        strides, extents = self._room(array, unit)
        record = array.record.size // unit if array.record else 1
        return total([record, *(s * (e - 1) for s, e in zip(strides, extents))])

    def _room(self, array: ir.Array, unit: int) -> tuple[list[Num], list[Num]]:
        """Strides in units and extents, of a field those of the records; the largest ones of an array whose shape
        differs between iterations."""
        key = array.name, unit
        if key not in self._rooms:
            self._rooms[key] = self._fresh_room(array, unit)
        return self._rooms[key]

    def _fresh_room(self, array: ir.Array, unit: int) -> tuple[list[Num], list[Num]]:
        if any(self._changes(s) for s in array.strides):
            self.notes.approximate.append((array.line, f"rows of {array.name} differ in length between iterations"))
        strides = _outer_strides(array)
        return (
            [self._largest(s / unit if unit > 1 else s) for s in strides],
            [self._largest(e) for e in array.shape[: len(strides)]],
        )

    def _changes(self, expr: Expr) -> bool:
        return not self._loops.keys().isdisjoint(expr.symbols)

    def _largest(self, expr: Expr) -> Num:
        while inner := [name for name in expr.symbols if name in self._loops]:
            loop = self._loops[max(inner, key=self._order.__getitem__)]  # an inner one's bounds name outer ones only
            ends = (loop.start, loop.stop + (1 if value_of(self._step(loop)) < 0 else -1))
            expr = max((expr.subs({loop.var: end}) for end in ends), key=self._middle)
        return self._reader.number(expr)

    def _span(self, var: str) -> Num:
        """A bound on the number of values that a loop variable takes."""
        loop = self._loops[var]
        try:
            return magnitude(self._reader.number(loop.stop - loop.start)) + 1
        except NotEvaluable:
            return 1 << 20

    def _last(self, var: str) -> Num:
        """The value of a loop variable in its last iteration, which makes the array that is seen behind the loop."""
        loop = self._loops[var]
        try:
            descending = value_of(self._step(loop)) < 0
            if value_of(self._reader.number(loop.start - loop.stop if descending else loop.stop - loop.start)) <= 0:
                self.notes.approximate.append((loop.line, "an array of a loop that makes no iterations"))
            return self._reader.number(loop.stop + 1 if descending else loop.stop - 1)
        except NotEvaluable:
            self.notes.approximate.append((loop.line, "an array of the last iteration of an inner loop"))
            return 0

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
        step = self._step(node)
        descending = value_of(step) < 0
        if node.total is not None:
            self._note_stream(node)
        nested = node.total is None and len(context.loops) > 1
        first, last = ("min", "max") if descending else ("max", "min")
        start, stop = self._bounds(node.start, first, node), self._bounds(node.stop, last, node)
        lows, highs = (stop, start) if descending else (start, stop)
        lows = tuple(f.shifted(1) for f in lows) if descending else lows
        highs = highs if descending else tuple(f.shifted(-1) for f in highs)
        if len(lows) == len(highs) == 1 and not lows[0].names and not highs[0].names and not descending:
            highs = (Affine(last_of(lows[0].constant, highs[0].constant, step), {}),)
        if node.total is not None:
            row = self._reader.number(node.total) / self._trips_over(node.total_over)
            lows, highs = (Affine(0, {}),), (Affine(row - 1, {}, 1),)
        length = node.stop - node.start
        mean = nested and bool(length.symbols & self._means)
        if mean and not self._changes(length) and 0 < value_of(trips := self._reader.number(length) / step) < 1:
            lows = highs = highs if descending else lows  # less than one iteration in the mean: a branch
            self.notes.branches = True
            context = replace(context, share=context.share * trips, taken=context.taken * trips)
        loop = LoopNode(self._next(), node.var, lows, highs, magnitude(step), descending, node.line, name=node.var)
        loop.guards, loop.loops = context.guards, context.loops
        loop.share, loop.taken, loop.arms, loop.mean = context.share, context.taken, context.arms, mean
        loop.furthest = self._furthest(node) if mean and self._at_worst else ()
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

    def _step(self, node: ir.Loop) -> Num:
        try:
            return self._reader.number(node.step)
        except NotEvaluable:
            self.notes.approximate.append((node.line, "a step that changes"))
            return max(1, round(self._middle(node.step)))

    def _bounds(self, expr: Expr, pick: str, loop: ir.Loop) -> tuple[Affine, ...]:
        """The forms that all bound a loop at one end: the arguments of a ``min`` (above) or ``max`` (below). Of the
        other function the argument that matters: one that is the loop's other end only makes it empty."""
        for atom in sorted(expr.atoms, key=lambda a: -len(a.key)):  # one that holds another is longer: it comes first
            if atom.name not in ("min", "max"):
                continue
            rest = expr - Expr.atom(atom)
            if atom in rest.atoms:
                continue
            arguments = [a + rest for a in atom.args]
            if atom.name == pick:
                return tuple(f for a in arguments for f in self._bounds(a, pick, loop))
            arguments = [a for a in arguments if a not in (loop.start, loop.stop)] or arguments
            best = max if atom.name == "max" else min
            chosen = {best(arguments, key=partial(self._at, share=share)): None for share in PLACES}
            if len(chosen) > 1:
                self.notes.approximate.append((loop.line, f"an end that is the {atom.name} of several"))
            return self._bounds(next(iter(chosen)), pick, loop)
        return (self._reader.affine(expr),)

    def _furthest(self, node: ir.Loop) -> tuple[Affine, ...]:
        """The last iteration that any execution of a loop can make; () where that is not known."""
        if node.most is None or node.step not in (ONE, -ONE):
            return ()
        noted, descending = len(self.notes.approximate), node.step == -ONE
        ends = self._bounds(node.start + node.step * (node.most - 1), "max" if descending else "min", node)
        known = len(self.notes.approximate) == noted and not any(form.opaque for form in ends)
        del self.notes.approximate[noted:]
        return ends if known else ()

    def _middle(self, expr: Expr) -> float:
        return self._at(expr, Fraction(1, 2))

    def _at(self, expr: Expr, share: Fraction) -> float:
        """The value with every loop variable at this share of its range."""
        values: dict[str, float] = {}
        for _ in range(8):
            free = [s for s in expr.symbols if s in self._loops and s not in values]
            if not free:
                break
            for name in free:
                loop = self._loops[name]
                expr = expr.subs({name: loop.start * (1 - share) + loop.stop * share})
        return self._reader.evaluate(expr, values)

    # -- data-dependent rows ------------------------------------------------------------------
    def _trips_over(self, var: str) -> Num:
        loop = self._loops.get(var)
        if loop is None:
            return 1
        return magnitude(self._reader.number(loop.stop - loop.start) / self._reader.number(loop.step))

    def _note_stream(self, node: ir.Loop) -> None:
        """Rows of unknown length that follow each other: row r starts at r times the mean length. A loop of an array
        expression starts at 0 in each row."""
        outer = self._loops.get(node.total_over)
        if outer is None or node.total is None or node.array_expression:
            return
        mean = self._reader.number(node.total) / self._trips_over(node.total_over)
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
        forms = [self._subscript(e if e is not None else ONE) for e in node.index]
        folds: dict[int, Fold] = {}
        for dim, expr in enumerate(node.index):
            found = None if expr is None else self._folded(expr)
            if found is not None:
                forms[dim], folds[dim] = found
        if any(forms[dim].opaque for dim in folds):
            return self._irregular(ref, node, array, context, "a remainder of what is not affine")
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
        layout = self._layout[node.array]
        if folds and layout != FLAT:
            first = len(array.fresh_in)
            ref.folds = tuple((first + layout.index(dim), fold) for dim, fold in folds.items() if dim in layout)
        ref.subscripts = self._placed(array, buffer, forms, context)
        ref.width = array.dtype.size // self._units[array.name]
        self._note_holes(ref, context)
        return ref

    def _is_of_means(self, node: ir.Access) -> bool:
        """Whether a subscript is made of a number of iterations of which only the mean is known."""
        return any(e is not None and not e.symbols.isdisjoint(self._means) for e in node.index)

    def _spread(self, ref: Ref, node: ir.Access, array: ir.Array, context: BuildContext) -> None:
        """Gives a reference the places that it can have: what is known of its subscripts, all of the extent in the
        place of others, and memory that is fresh in a loop."""
        base, fresh = ref.buffer.base, len(array.fresh_in)
        if node.nearly or base is None or any(self._changes(e) for e in (*array.shape, *array.strides)):
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
        ref.spread = self._placed(array, base, [form for form in forms if form is not None], context)
        ref.width = array.dtype.size // self._units[array.name]

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
                self.notes.approximate.append((hole.line, "a condition leaves iterations out"))

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
        if buffer.name not in self._irregular_ref:
            self._irregular_ref[buffer.name] = Buffer(
                f"{buffer.name} (scattered)",
                buffer.per_line,
                buffer.strides,
                buffer.size,
                buffer.owner,
                buffer,
                buffer.made,
            )
        ref.put_in(self._irregular_ref[buffer.name])
        ref.irregular = node.why_irregular or why
        ref.reach = self._reach(node, array, buffer)
        layout, first = self._layout[node.array], len(array.fresh_in)
        known = [(layout.index(d), e) for d, e in enumerate(node.index) if e is not None and d in layout]
        ref.known = {first + place: form for place, e in known if not (form := self._subscript(e)).opaque}
        self._spread(ref, node, array, context)
        self._rows.place(ref, node, array, context)
        self._shifted_rows.place(ref, node, array)
        place_by_numbers(ref, node, array)
        place = (node.array, node.line, node.column)
        ref.repeats = node.write and place == self._last_irregular
        self._last_irregular = () if node.write else place
        self.notes.irregular.append((node.line, f"{node.array}: {ref.irregular}"))
        return ref

    def _reach(self, node: ir.Access, array: ir.Array, buffer: Buffer) -> Num:
        """The most lines that an access may touch, by the ranges of its subscripts where they are known."""
        lines: Num = 1
        last = len(array.shape) - 1
        for dim, extent in enumerate(array.shape):
            known = node.within[dim] if dim < len(node.within) else None
            try:
                places = self._reader.number(known[1] - known[0] + 1 if known else extent)
            except NotEvaluable:
                known, places = None, self._reader.number(extent)
            if known and dim == last and array.strides[dim] == 1 and array.dtype.size == self._units[array.name]:
                places = ceil_to(places - 1, buffer.per_line) / buffer.per_line + 1
            lines = lines * places
        whole = ceil_to(buffer.size, buffer.per_line) / buffer.per_line
        return lines if lines < whole else whole

    def _placed(
        self, array: ir.Array, buffer: Buffer, forms: list[Affine], context: BuildContext
    ) -> tuple[Affine, ...]:
        """The subscripts in the order of the buffer's strides."""
        layout = self._layout[array.name]
        around = {loop.var for loop in context.loops}
        fresh = [Affine(0, {var: 1}) if var in around else Affine(self._last(var), {}) for var in array.fresh_in]
        if layout == FLAT:
            return (*fresh, self._address(array, forms, 0))
        placed = [*fresh, *(forms[d] for d in layout)]
        while len(placed) < len(buffer.strides):
            placed.append(self._address(array, forms, len(layout)))
        return tuple(placed)

    def _address(self, array: ir.Array, forms: list[Affine], first: int) -> Affine:
        """The place that the subscripts from the ``first`` on give, in units."""
        unit = self._units[array.name]
        address = Affine(array.record.offset // unit if array.record else 0, {})
        for form, stride in zip(forms[first:], array.strides[first:]):
            address = address.plus(form, self._reader.number(stride * Fraction(array.dtype.size, unit)))
        return address


def _outer_strides(array: ir.Array) -> tuple[Expr, ...]:
    """Bytes per step of each subscript, of a field those of the records."""
    ndim = array.record.ndim if array.record else len(array.strides)
    return tuple(stride * array.dtype.size for stride in array.strides[:ndim])


def _steps(array: ir.Array) -> tuple[int, ...]:
    """Numbers of bytes of whose divisors the elements of an array lie multiples apart."""
    if array.record is None:
        return (array.dtype.size,)
    inside = (int((s * array.dtype.size).constant or 0) for s in array.strides[array.record.ndim :])
    return (array.dtype.size, array.record.size, array.record.offset, *inside)

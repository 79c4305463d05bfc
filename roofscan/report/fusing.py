"""What fewer passes over the same arrays would bring: advice of the kind ``fuse``, with both intensities.

A change is told where it pays by the model's least time, saves a tenth of the kernel's, and the arrays are too large
for the last cache: below that, temporaries stay in a cache, and NumPy recycles their memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from roofscan.cost.fused_expressions import Expression, expressions, in_one_loop_each
from roofscan.cost.fused_loops import Neighbours, neighbours
from roofscan.cost.fused_passes import Passes, repeated_passes
from roofscan.ir.expr import Expr, NotEvaluable, Number
from roofscan.ir.kernel import Access, Body, Branch, Kernel, Loop, When
from roofscan.report import words
from roofscan.report.advice.gain import ENOUGH, Version, as_written, changed
from roofscan.report.affordable import number
from roofscan.report.books import Books
from roofscan.report.model import Advice, Ratio
from roofscan.report.verdict import Judged

LEAST_GAIN = 1.15
"""How many times faster one loop in place of several must be: the change is small too."""

LEAST_SHARE = 0.1
"""Of the kernel's time, what a change must save to be told."""

WIDTH = 30
"""Characters of an expression in a message."""

MOST = 4
"""How many expressions, runs of loops and arrays of a kernel are looked at, those that stream most first."""

SHOWN = 3
"""The most temporaries that a message names."""


@dataclass(frozen=True)
class Change:
    """A piece of a kernel before and after, costed where the kernel is judged."""

    judged: Judged
    before: Version
    after: Version

    @property
    def gain(self) -> float:
        """How many times shorter the least time is."""
        return self.before.bound.seconds / self.after.bound.seconds if self.after.bound.seconds else 1.0

    @property
    def saved(self) -> float:
        return self.before.bound.seconds - self.after.bound.seconds

    @cached_property
    def moved(self) -> tuple[Expr, Expr]:
        """Bytes across memory's interface, before and after."""
        memory = self.judged.crossings[-1].interface.capacity
        one, other = (Books(v.cost, self.judged.books.counted).bytes(memory) for v in (self.before, self.after))
        return one, other

    @property
    def flops(self) -> Expr:
        """The source's own: a fused loop may compute what is broadcast more than once."""
        return self.before.cost.flops

    def bytes_saved(self) -> str:
        """``104*n of 144*n B at DRAM``, or the share where that is long."""
        before, after = self.moved
        place = f"at {self.judged.crossings[-1].interface.name}"
        free = self.judged.cost.free
        if not before.symbols & free:
            return f"{words.si(self._at(before - after), 'B')} of {words.si(self._at(before), 'B')} {place}"
        saved, every = str(before - after), str(before)
        if before.atoms or len(every) > WIDTH:
            return f"{100 - 100 * self._at(after) / self._at(before):.0f} % of the bytes {place}"
        return f"{saved} of {every} B {place}"

    def instead(self, remedy: str) -> str:
        """``AI 0.0347; write one loop: AI 0.125, 3.6x faster by its traffic``."""
        flops = self._at(self.flops)
        one, other = (words.digits(flops / self._at(e)) for e in self.moved)
        return f"AI {one}; {remedy}: AI {other}, {self.gain:.3g}x faster by its traffic"

    def _at(self, expr: Expr) -> float:
        return float(number(expr, self.judged.stand.values))


def fusing_advice(judged: Judged) -> tuple[Advice, ...]:
    """The changes that pay, in the order of the source. None for a kernel that memory does not hold back, or whose
    loops and array statements Numba fuses by itself (``parallel=True``)."""
    if not judged.setting.judged or not judged.crossings or judged.cost.reuse is None or not judged.cost.flops:
        return ()
    kernel = judged.cost.kernel
    whole = as_written(judged)
    if whole.bound == whole.computing or kernel.decorator.parallel:
        return ()
    told = tuple(_of_expressions(judged, whole.bound.seconds))
    runs = [run for run in neighbours(kernel) if _is_large(judged, run.fused)][:MOST]
    passes = [found for found in repeated_passes(kernel) if _is_large(judged, found.fused)][:MOST]
    left = changed(judged, in_one_loop_each(kernel)) if told and (runs or passes) else whole
    seconds = left.bound.seconds
    together = list(_of_neighbours(judged, seconds, runs))
    passes = [found for found in passes if not any(found.loops <= run.loops for run, _ in together)]
    return (*told, *(advice for _, advice in together), *_of_passes(judged, seconds, passes))


def _of_expressions(judged: Judged, seconds: float) -> Iterator[Advice]:
    kernel = judged.cost.kernel
    for expression in _worth_a_look(judged, expressions(kernel)):
        try:
            change = Change(judged, changed(judged, expression.written), changed(judged, expression.fused))
            if change.flops and pays(change, seconds):
                yield _advice("RFL301", change, expression.line, _on_temporaries(change, expression, kernel))
        except NotEvaluable:
            continue


def _of_neighbours(
    judged: Judged, seconds: float, runs: Sequence[Neighbours]
) -> Iterator[tuple[Neighbours, Advice]]:
    for run in runs:
        try:
            change = Change(judged, changed(judged, run.written), changed(judged, run.fused))
            if pays(change, seconds, LEAST_GAIN):
                yield run, _advice("RFL302", change, _own_line(judged, run.lines), _on_neighbours(change, run))
        except NotEvaluable:
            continue


def _own_line(judged: Judged, lines: Sequence[int]) -> int:
    """The first of the later loops' lines, or of all, that stands in the function itself, not in one that it calls."""
    own = range(judged.cost.kernel.line, judged.cost.kernel.end_line + 1)
    return next((line for line in (*lines[1:], lines[0]) if line in own), lines[1])


def _on_neighbours(change: Change, run: Neighbours) -> str:
    lines = f"{', '.join(map(str, run.lines[:-1]))} and {run.lines[-1]}"
    shared = ", ".join(run.shared[:SHOWN]) + (", …" if len(run.shared) > SHOWN else "")
    return (
        f"lines {lines} stream the same arrays ({shared}): {change.bytes_saved()} need not move, "
        f"{change.instead('write one loop')}"
    )


def _of_passes(judged: Judged, seconds: float, found: Sequence[Passes]) -> Iterator[Advice]:
    for passes in found:
        try:
            change = Change(judged, changed(judged, passes.written), changed(judged, passes.fused))
            if pays(change, seconds, LEAST_GAIN):
                yield _advice("RFL303", change, passes.lines[-1], _on_passes(change, passes))
        except NotEvaluable:
            continue


def _on_passes(change: Change, passes: Passes) -> str:
    lines = f"line{'s' if len(passes.lines) > 1 else ''} {', '.join(map(str, passes.lines))}"
    return (
        f"{passes.array} is walked over {passes.count} times to reduce it ({lines}): {change.bytes_saved()} need not "
        f"move, {change.instead('keep all sums in one loop')}"
    )


def _is_large(judged: Judged, kernel: Kernel) -> bool:
    """Whether the arrays exceed the machine's last cache."""
    try:
        return size_of_arrays(kernel, dict(judged.stand.values)) > last_cache(judged)
    except NotEvaluable:
        return False


def pays(change: Change, seconds: float, least: float = ENOUGH) -> bool:
    """Whether a change is worth telling in a kernel that takes so many seconds."""
    return change.gain >= least and change.saved >= LEAST_SHARE * seconds


def _advice(code: str, change: Change, line: int, message: str) -> Advice:
    return Advice("fuse", line, message, Ratio(change.flops, change.moved[1]), round(change.gain, 2), code=code)


def _on_temporaries(change: Change, expression: Expression, kernel: Kernel) -> str:
    made = expression.temporaries
    named = ", ".join(f"{t.name} = {t.made_of}" for t in made[:SHOWN]) + (", …" if len(made) > SHOWN else "")
    moves = "1 temporary ({}) moves" if len(made) == 1 else f"{len(made)} temporaries ({{}}) move"
    remedy = "write the loop" if kernel.decorator.compiled else "write one loop (Numba, numexpr or out=)"
    return f"{moves.format(named)} {change.bytes_saved()}: {change.instead(remedy)}"


# -- a first look, in numbers alone -------------------------------------------------------------------


def _worth_a_look(judged: Judged, found: Sequence[Expression]) -> list[Expression]:
    """Those that stream enough for the exact look to be worth its time, in the order of the source."""
    values = dict(judged.stand.values)
    moved = judged.crossings[-1].moved
    saved: dict[int, float] = {}
    for number_, expression in enumerate(found):
        if moved is None or not _is_large(judged, expression.fused):
            continue
        before, after = (streamed(k, values) for k in (expression.written, expression.fused))
        if before >= ENOUGH * after and before - after >= LEAST_SHARE / 2 * moved:
            saved[number_] = before - after
    best = sorted(saved, key=lambda n: -saved[n])[:MOST]
    return [found[n] for n in sorted(best)]


def last_cache(judged: Judged) -> int:
    """Bytes of the machine's last cache."""
    return max((level.capacity for level in judged.machine.levels if level.capacity), default=0)


def size_of_arrays(kernel: Kernel, values: dict[str, Number]) -> float:
    """Bytes of all arrays that a kernel has, each once."""
    sizes = {a.memory: a.dtype.size * prod(float(number(e, values)) for e in a.shape) for a in kernel.arrays}
    return sum(sizes.values())


def streamed(kernel: Kernel, values: dict[str, Number]) -> float:
    """Bytes that every nest moves if nothing stays in a cache from one nest to the next; a write counts twice."""
    return _streamed(kernel.body, kernel, 1.0, values)


def _streamed(body: Body, kernel: Kernel, times: float, values: dict[str, Number]) -> float:
    total = 0.0
    for node in body:
        if isinstance(node, Loop) and node.array_expression:
            total += _of_nest(node, kernel, times, values)
        elif isinstance(node, Loop):
            trips = trips_of(node, values)
            start = number(node.start, values) + number(node.step, values) * round(trips / 2)
            total += _streamed(node.body, kernel, times * trips, {**values, node.var: start})
        elif isinstance(node, (When, Branch)):
            total += _streamed(node.body, kernel, times, values)
    return total


def _of_nest(nest: Loop, kernel: Kernel, times: float, values: dict[str, Number]) -> float:
    """Bytes of the elements that one walk over a nest touches, each array once."""
    most: dict[tuple[str, bool], float] = {}
    for access, trips in _touches(nest, {}, values):
        array = kernel.array(access.array)
        used = {s for e in access.index if e is not None for s in e.symbols}
        elements = prod(count for var, count in trips.items() if var in used or not access.regular)
        key = (array.memory, access.write)
        most[key] = max(most.get(key, 0.0), elements * array.dtype.size)
    return times * sum(most.values())


def _touches(
    loop: Loop, trips: dict[str, float], values: dict[str, Number]
) -> Iterator[tuple[Access, dict[str, float]]]:
    """The accesses of a nest, each with the trips of the loops around it."""
    inside = {**trips, loop.var: trips_of(loop, values)}
    for node in loop.body:
        if isinstance(node, Access):
            yield node, inside
        elif isinstance(node, Loop):
            yield from _touches(node, inside, {**values, loop.var: number(loop.start, values)})


def trips_of(loop: Loop, values: dict[str, Number]) -> float:
    span = float(number(loop.stop - loop.start, values)) / float(number(loop.step, values))
    return max(span, 0.0)

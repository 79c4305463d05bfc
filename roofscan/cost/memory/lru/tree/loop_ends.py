"""Where the loops of a kernel begin and end, and how far they step, at one sample point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from roofscan.cost.memory.lru.tree.affine import Affine, Reader
from roofscan.cost.memory.lru.tree.build_context import Notes, last_of
from roofscan.cost.memory.lru.tree.sampled_expr import Num, magnitude, value_of
from roofscan.ir.tree import Loop
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable

PLACES = (Fraction(1, 2), Fraction(0), Fraction(1))  # in the range of a loop: where ends that depend on it are compared
_OTHER = {"min": "max", "max": "min"}


class _Clamp(NamedTuple):
    """An expression as the ``min`` or ``max`` of others."""

    kind: str
    arguments: list[Expr]


def _clamps(expr: Expr) -> Iterator[_Clamp]:
    """By each such function that the expression adds or takes off once: -max(a, b) is min(-a, -b)."""
    for atom in sorted(expr.atoms, key=lambda a: -len(a.key)):  # one that holds another is longer: it comes first
        factor = expr.terms.get(((atom, 1),), 0)
        rest = expr - Expr.atom(atom) * factor
        if atom.name in _OTHER and factor and atom not in rest.atoms:
            kind = atom.name if factor > 0 else _OTHER[atom.name]
            yield _Clamp(kind, [a * factor + rest for a in atom.args])


class LoopEnds:
    def __init__(self, loops: Mapping[str, Loop], reader: Reader, notes: Notes) -> None:
        self._loops = loops  # outer ones first
        self._order = {var: n for n, var in enumerate(loops)}
        self._reader = reader
        self._notes = notes

    def changes(self, expr: Expr) -> bool:
        return not self._loops.keys().isdisjoint(expr.symbols)

    def largest(self, expr: Expr) -> Num:
        """At least the largest value: the smallest of those that the arguments of a ``min`` have."""
        for clamp in _clamps(expr):
            best = min if clamp.kind == "min" else max
            return best((self.largest(a) for a in clamp.arguments), key=value_of)
        while inner := [name for name in expr.symbols if name in self._loops]:
            loop = self._loops[max(inner, key=self._order.__getitem__)]  # an inner one's bounds name outer ones only
            ends = (loop.start, loop.stop + (1 if value_of(self.step(loop)) < 0 else -1))
            expr = max((expr.subs({loop.var: end}) for end in ends), key=self._middle)
        return self._reader.number(expr)

    def usual(self, expr: Expr) -> Expr:
        """The expression with the argument of each ``min`` and ``max`` that matters amid the loops."""
        for clamp in _clamps(expr):
            best = min if clamp.kind == "min" else max
            return self.usual(best(clamp.arguments, key=self._middle))
        return expr

    def span(self, var: str) -> Num:
        """A bound on the number of values that a loop variable takes."""
        loop = self._loops[var]
        try:
            return magnitude(self._reader.number(loop.stop - loop.start)) + 1
        except NotEvaluable:
            return 1 << 20

    def last(self, var: str) -> Num:
        """The value of a loop variable in its last iteration, which makes the array that is seen behind the loop."""
        loop = self._loops[var]
        try:
            descending = value_of(self.step(loop)) < 0
            if value_of(self._reader.number(loop.start - loop.stop if descending else loop.stop - loop.start)) <= 0:
                self._notes.approximate.append((loop.line, "an array of a loop without iterations"))
            return self._reader.number(loop.stop + 1 if descending else loop.stop - 1)
        except NotEvaluable:
            self._notes.approximate.append((loop.line, "an array of the last iteration of an inner loop"))
            return 0

    def lowest(self, var: str) -> Num:
        """The smallest value that a loop variable takes, 0 where that is not known."""
        loop = self._loops[var]
        try:
            descending = value_of(self.step(loop)) < 0
            return -self.largest(-(loop.stop + 1 if descending else loop.start))
        except NotEvaluable:
            return 0

    def step(self, node: Loop) -> Num:
        try:
            return self._reader.number(node.step)
        except NotEvaluable:
            self._notes.approximate.append((node.line, "a step that changes"))
            return max(1, round(self._middle(node.step)))

    def of(self, node: Loop, step: Num, descending: bool) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
        """The forms that bound the values of a loop below and above."""
        first, last = ("min", "max") if descending else ("max", "min")
        start, stop = self.bounds(node.start, first, node), self.bounds(node.stop, last, node)
        if node.total is not None:
            row = self._reader.number(node.total) / self.trips_over(node.total_over)
            return (Affine(0, {}),), (Affine(row - 1, {}, 1),)
        if descending:
            return tuple(form.shifted(1) for form in stop), start
        highs = tuple(form.shifted(-1) for form in stop)
        if len(start) == len(highs) == 1 and not start[0].names and not highs[0].names:
            highs = (Affine(last_of(start[0].constant, highs[0].constant, step), {}),)
        return start, highs

    def bounds(self, expr: Expr, pick: str, loop: Loop) -> tuple[Affine, ...]:
        """The forms that all bound a loop at one end: the arguments of a ``min`` (above) or ``max`` (below). Of the
        other function the argument that matters: one that is the loop's other end only makes it empty."""
        for clamp in _clamps(expr):
            if clamp.kind == pick:
                return tuple(f for a in clamp.arguments for f in self.bounds(a, pick, loop))
            arguments = [a for a in clamp.arguments if a not in (loop.start, loop.stop)] or clamp.arguments
            best = max if clamp.kind == "max" else min
            chosen = {best(arguments, key=partial(self._at, share=share)): None for share in PLACES}
            if len(chosen) > 1:
                self._notes.approximate.append((loop.line, f"an end that is the {clamp.kind} of several expressions"))
            return self.bounds(next(iter(chosen)), pick, loop)
        return (self._reader.affine(expr),)

    def furthest(self, node: Loop) -> tuple[Affine, ...]:
        """The last iteration that any execution of a loop can make; () where that is not known."""
        if node.most is None or node.step not in (ONE, -ONE):
            return ()
        noted, descending = len(self._notes.approximate), node.step == -ONE
        ends = self.bounds(node.start + node.step * (node.most - 1), "max" if descending else "min", node)
        known = len(self._notes.approximate) == noted and not any(form.opaque for form in ends)
        del self._notes.approximate[noted:]
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

    def trips_over(self, var: str) -> Num:
        loop = self._loops.get(var)
        if loop is None:
            return 1
        return magnitude(self._reader.number(loop.stop - loop.start) / self._reader.number(loop.step))

"""Rows of unknown length that lie one behind another: each begins, in the mean, where the ones before it end."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.memory.lru.tree.affine import Affine, Reader
from roofscan.cost.memory.lru.tree.loop_ends import LoopEnds
from roofscan.cost.memory.lru.tree.sampled_expr import magnitude, value_of
from roofscan.ir.tree import Loop
from roofscan.symbolic.expr import Expr


class Streams:
    def __init__(self, loops: Mapping[str, Loop], reader: Reader, ends: LoopEnds, places: Mapping[str, Expr]) -> None:
        """``places``: where rows that are interleaved begin, by the loop over them."""
        self._loops = loops
        self._reader = reader
        self._ends = ends
        self._places = places
        self._streams: dict[str, Affine] = {}

    def note(self, node: Loop) -> None:
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

    def subscript(self, expr: Expr) -> Affine:
        form = self._reader.affine(expr)
        for var, start in self._streams.items():
            if var in form.coefs:
                form = form.plus(start, form.coefs[var])
        return form

"""Rows that data shift: ``f[q, y, (x + c[q]) % n]`` goes on by one element in each iteration over x, for every q, as
long as ``c`` stays what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from roofscan.cost.memory.lru.tree.nodes import LoopNode, Ref, ShiftedRow, is_open, names_of
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.ir.arrays import Array
from roofscan.ir.data_subscripts import Rest, Shift
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import accesses
from roofscan.memo import kept
from roofscan.symbolic.expr import ONE, ZERO, Expr


class ShiftedRows:
    """Finds the loop along whose iterations a reference to a shifted place goes on."""

    def __init__(self, loops: Mapping[str, Loop], number: Callable[[Expr], Num]) -> None:
        self._loops = loops
        self._number = number

    def place(self, ref: Ref, node: Access, array: Array) -> None:
        if ref.in_row or ref.stands or ref.series or ref.walk or ref.guards or is_open(ref) or array.record is not None:
            return
        if not array.strides or array.strides[-1] != ONE:
            return
        for loop in reversed(ref.loops):
            if loop.var not in self._loops or _is_uneven(loop):
                return
            if self._goes_on(node, array, loop):
                ref.shifted_row = self._row(ref, node, loop)
                return
            if any(loop.var in names_of(inside) for inside in ref.loops):
                return

    def _goes_on(self, node: Access, array: Array, loop: LoopNode) -> bool:
        """Whether an iteration of the loop takes the place one element further, and changes nothing else of it."""
        rests = node.rests or (None,) * len(node.index)
        shifts = [rest.shift if rest is not None else None for rest in rests]
        forms = [e if shift is None else shift.expr for e, shift in zip(node.index, shifts, strict=True)]
        last = forms[-1]
        if any(form is None for form in forms) or last is None or loop.var in array.fresh_in:
            return False
        if not last.is_linear_in([loop.var]):
            return False
        if (last.coefficient(loop.var) * self._loops[loop.var].step).constant not in (1, -1):
            return False
        fixed = [form for form in forms[:-1] if form is not None]
        for shift in filter(None, shifts):
            fixed += shift.parts[1:]
            if shift.element is not None and shift.element[0] in self._written_in(loop.var):
                return False
        return not any(loop.var in form.symbols for form in fixed)

    def _row(self, ref: Ref, node: Access, loop: LoopNode) -> ShiftedRow | None:
        rest = node.rests[-1] if node.rests else None
        modulus = None if rest is None or rest.shift is None else rest.shift.modulus
        if modulus is None:
            return ShiftedRow(loop.uid, None)
        if modulus.symbols & {around.var for around in ref.loops}:
            return None
        return ShiftedRow(loop.uid, self._number(modulus))

    @kept
    def _written_in(self, var: str) -> frozenset[str]:
        return frozenset(a.array for a in accesses(self._loops[var].body) if a.write)


def around_rings(node: Access, dims: Mapping[int, tuple[Expr, Expr]]) -> Access:
    """The access as one of which the places in some dimensions are not known, but that they go round rings: of the
    expressions and the moduli ``dims``."""
    places = range(len(node.index))
    rests = tuple(Rest(ZERO, False, shift=Shift(dims[d][0], None, dims[d][1])) if d in dims else None for d in places)
    index = tuple(None if d in dims else e for d, e in enumerate(node.index))
    return replace(node, index=index, within=(), rests=rests)


def _is_uneven(loop: LoopNode) -> bool:
    """Whether some iterations around it may leave it out, or make fewer iterations of it."""
    return bool(loop.mean or loop.guards or loop.sampled_all or is_open(loop))

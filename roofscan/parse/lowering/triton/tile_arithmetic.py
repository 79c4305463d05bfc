"""Operators on tiles: numbers are counted as operations, places and conditions stay expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import BY_CODE, I8
from roofscan.ir.kinds import OperationKind
from roofscan.parse.lowering.subscript_ranges import has_loop_variable
from roofscan.parse.lowering.triton.tile_nodes import TileNodes
from roofscan.parse.lowering.triton.tiles import (
    B1,
    F4,
    Outside,
    TileValue,
    aligned,
    common_shape,
    common_type,
    integer,
)  # fmt: skip
from roofscan.symbolic.bits import common_bits
from roofscan.symbolic.expr import ZERO, Expr
from roofscan.symbolic.floors import floor_div

ARITHMETIC: Mapping[str, OperationKind] = {"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "div", "%": "div"}
BITS = ("&", "|", "^", "<<", ">>")


class TileArithmetic(TileNodes):
    """The results of operators, and their work."""

    def binary(self, op: str, left: TileValue, right: TileValue, line: int) -> TileValue:
        op, right = _as_division(op, right)
        left, right = self._as_float(left, right), self._as_float(right, left)
        rank = max(len(left.shape), len(right.shape))
        a, b = aligned(left, rank), aligned(right, rank)
        shape = common_shape((a, b), line)
        if op in ("&", "|", "^") and left.dtype == right.dtype == B1:
            return self.both(left, right, line) if op == "&" else TileValue(B1, shape)
        if op in BITS and (left.is_float or right.is_float):
            raise Outside(line, f"the operator {op} of floating tiles")
        dtype = I8 if op in BITS else common_type(left, right)
        if op == "/" and not dtype.counts:
            dtype = F4
        if dtype.counts:
            folded = left.number is not None and right.number is not None
            if op == "**" or op not in ARITHMETIC:
                raise Outside(line, f"the operator {op} of tiles")
            count = replace(a, shape=shape).size
            if op == "+" and (left.product or right.product):  # the products are added up in it
                if not (left.is_float and right.is_float):
                    self.are_integers(left.loaded | right.loaded, BY_CODE["i1"], "its products are summed in integers")
                return TileValue(dtype, shape, node=left.node if left.product else right.node)
            node = None if folded else self.operation(ARITHMETIC[op], dtype, count, line, left, right)
            return TileValue(dtype, shape, node=node, weak=left.weak and right.weak, number=1.5 if folded else None,
                        loaded=left.loaded | right.loaded)  # fmt: skip
        loaded = left.loaded | right.loaded
        self._mark_integers(left, right)
        if a.expr is None or b.expr is None:
            bases = self.bases(a) | (self.bases(b) if op == "+" else frozenset()) if op in "+-" else frozenset[str]()
            return TileValue(I8, shape, loaded=loaded, bases=bases, along=_steps(op, a, b))
        digits = self.divided(a.expr, b.expr) if op in ("//", "%") and not shape else None
        expr = _integer_result(op, a.expr, b.expr) if digits is None else digits[op == "%"]
        if expr is None or is_tangled(expr):
            bases = self.bases(a) if op == "+" else frozenset()
            return TileValue(I8, shape, loaded=loaded, bases=bases, along=_steps(op, a, b))
        return TileValue(I8, shape, expr, weak=left.weak and right.weak, loaded=loaded)

    def _as_float(self, tile: TileValue, other: TileValue) -> TileValue:
        """A parameter of unknown type is a number where it meets one."""
        if not tile.is_float and other.is_float and tile.expr is not None and not tile.shape:
            self.learned.floats |= tile.expr.symbols & set(self.parameters)
        return tile

    def _mark_integers(self, left: TileValue, right: TileValue) -> None:
        """Parameters that meet integers of the program are integers; what two parameters are, they do not tell."""
        for tile, other in ((left, right), (right, left)):
            if other.number is None and tile.expr is not None and not self._is_of_parameters(other):
                self.learned.integers |= tile.expr.symbols & set(self.parameters)

    def _is_of_parameters(self, tile: TileValue) -> bool:
        return tile.expr is not None and tile.expr.symbols <= set(self.parameters)

    def both(self, left: TileValue, right: TileValue, line: int) -> TileValue:
        rank = max(len(left.shape), len(right.shape))
        a, b = aligned(left, rank), aligned(right, rank)
        holds = None if a.holds is None or b.holds is None else (*a.holds, *b.holds)
        return TileValue(B1, common_shape((a, b), line), holds=holds)

    def comparison(self, op: str, left: TileValue, right: TileValue, line: int) -> TileValue:
        rank = max(len(left.shape), len(right.shape))
        a, b = aligned(left, rank), aligned(right, rank)
        shape = common_shape((a, b), line)
        if left.is_float or right.is_float:
            self._as_float(left, right)
            self._as_float(right, left)
            dtype = common_type(left, right)
            count = replace(a, shape=shape).size
            return TileValue(B1, shape, node=self.operation("compare", dtype, count, line, left, right))
        if a.expr is None or b.expr is None:
            return TileValue(B1, shape)
        self._mark_integers(left, right)
        d = a.expr - b.expr
        forms = {"<": -d - 1, "<=": -d, ">": d - 1, ">=": d}
        if op in forms:
            return TileValue(B1, shape, holds=(Condition(forms[op], "ge"),))
        if op in ("==", "!="):
            return TileValue(B1, shape, holds=(Condition(d, "eq" if op == "==" else "ne"),))
        return TileValue(B1, shape)


def is_tangled(expr: Expr) -> bool:
    """Whether floors and extrema of programs stand inside each other, as where programs are put in another order."""
    nested = (arg for atom in expr.atoms for arg in atom.args if has_loop_variable(arg))
    return any(has_loop_variable(Expr.atom(atom)) for arg in nested for atom in arg.atoms)


def _as_division(op: str, right: TileValue) -> tuple[str, TileValue]:
    """``a >> 3`` is ``a // 8``, and ``a & 7`` is ``a % 8``."""
    number = right.expr.constant if right.expr is not None and not right.shape else None
    if op == ">>" and number is not None and 0 <= number < 63:
        return "//", integer(Expr.of(2 ** int(number)))
    if op == "&" and isinstance(number, int) and number > 0 and not number & number + 1:
        return "%", integer(Expr.of(number + 1))
    return op, right


def _steps(op: str, a: TileValue, b: TileValue) -> Expr | None:
    """What the position adds to a result that is not known. A remainder is taken to wrap in no tile but the last."""
    mine, other = a.steps, b.steps
    if mine is None or other is None:
        return None
    if op in ("+", "-"):
        return mine + other if op == "+" else mine - other
    if not mine and not other:
        return ZERO
    if op == "*" and (b.expr is not None and not other):
        return mine * b.expr
    if op == "*" and (a.expr is not None and not mine):
        return other * a.expr
    return mine if op == "%" and not other else None


def _integer_result(op: str, a: Expr, b: Expr) -> Expr | None:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op in ("//", "%"):
        quotient = floor_div(a, b)
        return quotient if op == "//" else a - b * quotient
    width = b.constant
    if op == "<<":
        return a * 2 ** int(width) if width is not None and 0 <= width < 63 else None
    if op in ("&", "|", "^") and (width is not None or a.constant is not None):
        both = common_bits(a, b)
        return {"&": both, "|": a + b - both, "^": a + b - 2 * both}[op]
    return None

"""The last operation of a NumPy statement writes into the array that its result is stored in (RFL301):
``np.add(a * x, b, out=y)`` for ``y[:] = a * x + b``. NumPy reads operands that overlap with ``out`` as if they did not.
Other temporaries stay: NumPy writes over a dying operand by itself (measured: with ``out=`` 0.9 to 1.05 of the speed,
and here 1.0 to 1.5)."""

from __future__ import annotations

import libcst as cst

from roofscan.fix.elements import is_fresh, known_arrays, types_of
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import Numbers, function_name
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import code, enclosing_loops, loop_name, simple_lines
from roofscan.ir.kernel import Kernel

NAMES = {cst.Add: "add", cst.Subtract: "subtract", cst.Multiply: "multiply", cst.Divide: "divide"}


def out_argument(site: Site) -> Fix | None:
    """None where the function is compiled, or not all of it is certainly of arrays of floating-point numbers."""
    statement = next((s for s in simple_lines(site.function) if site.finding.line in site.source.lines(s)), None)
    small = statement.body[0] if statement else None
    types = {array.dtype.code for array in site.kernel.arrays}
    if statement is None or not isinstance(small, cst.Assign) or len(small.targets) > 1:
        return None
    if site.function.decorators or types not in ({"f8"}, {"f4"}) or module_name(site.source, "numpy") != "np":
        return None
    operands, target = Operands(site, statement), small.targets[0].target
    if not isinstance(target, cst.Subscript) or not operands.is_view(target) or "\n" in code(small):
        return None
    place = code(target.value if _whole_axes(target) == len(target.slice) else target)
    rank, own = operands.rank(small.value), operands.rank(target)
    new = into(place, small.value)
    if not new or not rank or own is None or rank > own:
        return None
    module = site.source.replaced({small: cst.Expr(cst.parse_expression(new))})
    return Fix(site, module, f"write into {place} with out=", assumptions=operands.assumed(site.kernel))


def into(place: str, value: cst.BaseExpression) -> str:
    """The last operation of a value with ``out=``; "" where it is none that could."""
    if isinstance(value, cst.BinaryOperation) and type(value.operator) in NAMES:
        return f"np.{NAMES[type(value.operator)]}({_bare(value.left)}, {_bare(value.right)}, out={place})"
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
        return f"np.negative({_bare(value.expression)}, out={place})"
    if isinstance(value, cst.Call):
        return f"{code(value.func)}({', '.join(code(arg.value) for arg in value.args)}, out={place})"
    return ""


def _bare(node: cst.BaseExpression) -> str:
    return code(node.with_changes(lpar=(), rpar=()) if isinstance(node, cst.BinaryOperation) else node)


def _whole_axes(target: cst.Subscript) -> int:
    """How many parts of a subscript take all of their axis."""
    parts = [part.slice for part in target.slice]
    return sum(isinstance(p, cst.Slice) and not (p.lower or p.upper or p.step) for p in parts)


class Operands:
    """What the expressions of a statement are."""

    def __init__(self, site: Site, statement: cst.SimpleStatementLine, of_any_rank: bool = False) -> None:
        self._arrays, self._numbers = known_arrays(site, of_any_rank), Numbers(site.kernel, site.function)
        self._around = {loop_name(loop) for loop in enclosing_loops(site.source, statement)} & self._numbers.names
        self._used: dict[str, None] = {}
        self._values: list[cst.BaseExpression] = []

    def is_view(self, node: cst.Subscript) -> bool:
        """Whether a subscript shows one stretch of an array, in which all axes but the first are whole."""
        first, *rest = node.slice
        whole = isinstance(first.slice, cst.Slice) and first.slice.step is None
        return (whole or bool(rest)) and _whole_axes(node) >= len(rest) and self.rank(node) is not None

    def rank(self, node: cst.BaseExpression) -> int | None:
        """Of an expression without effects, 0 of a number; None where it is not known."""
        if self._numbers.is_number(node):
            self._values.append(node)
            return 0
        if isinstance(node, cst.Subscript):
            return self._of_slices(node)
        if isinstance(node, cst.Name) and (array := self._arrays.get(node.value)) and not array.record:
            self._used[node.value] = None
            return len(array.shape)
        known = is_fresh(node) and not (isinstance(node, cst.Call) and not function_name(node))
        ranks = [self.rank(part) for part in parts_of(node)] if known else []
        return None if None in ranks else max((rank for rank in ranks if rank is not None), default=None)

    def _of_slices(self, node: cst.Subscript) -> int | None:
        """An index may be an array, with which a subscript is a copy: those of loops and literals are none."""
        indices = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
        sliced = len(indices) < len(node.slice)
        if not sliced or not all(isinstance(i, cst.Integer) or code(i) in self._around for i in indices):
            return None
        rank = self.rank(node.value)
        return None if rank is None or rank < len(node.slice) else rank - len(indices)

    def assumed(self, kernel: Kernel) -> tuple[str, ...]:
        numbers = (f"{name} is a real number" for name in self._numbers.given(*self._values))
        return (*types_of(kernel, self._used), *numbers)


def parts_of(node: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
    if isinstance(node, cst.BinaryOperation):
        return () if isinstance(node.operator, cst.MatrixMultiply) else (node.left, node.right)
    if isinstance(node, cst.UnaryOperation):
        return () if isinstance(node.operator, cst.Not) else (node.expression,)
    return tuple(arg.value for arg in node.args) if isinstance(node, cst.Call) else ()

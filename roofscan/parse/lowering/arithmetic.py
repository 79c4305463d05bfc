"""Arithmetic on scalars: its cost by the counting rules of the project, and its result."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import frexp, isfinite

from roofscan.ir.dtypes import B1, BY_CODE, C8, F4, F8, I8, DType, promote, weak_type
from roofscan.ir.kinds import INTEGER_POWER, INVERSE_ROOT_POWER, POWER_CALL, ROOT_POWER, OperationKind
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.number_kinds import as_least, doubt, narrower
from roofscan.parse.lowering.elements import computed_here
from roofscan.parse.lowering.quotients import ARITHMETIC, computed, extremum_of, quotient_of
from roofscan.parse.lowering.subscript_ranges import is_placeholder, loop_variables, remainder
from roofscan.parse.lowering.values import Displaced, Scalar, exact_number, literal, unknown_integer
from roofscan.symbolic.bits import common_bits
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import floor_div
from roofscan.symbolic.powers import power_of

FLOAT_KINDS: dict[str, OperationKind] = {"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "div", "%": "div"}
COMPLEX_PARTS: dict[str, tuple[tuple[OperationKind, int], ...]] = {
    "+": (("add", 2),),
    "-": (("sub", 2),),
    "*": (("mul", 4), ("add", 1), ("sub", 1)),
    "/": (("complex_div", 1),),
}
"""Real operations of one complex operation (a complex division is a class of its own)."""
MAX_INTEGER_EXPONENT = 64
MAX_SIZE = 2_000
"""Of the expressions of an integer, of which quotients and bits are taken: each such step repeats the text several
times, so that a few of them, one in the other, are beyond what anybody can read or compute with."""


def binary(cx: Context, op: str, left: Scalar, right: Scalar, line: int, tested: bool = True) -> Scalar:
    """``left op right``, its operations added to the kernel. ``tested``: a zero divisor raises in compiled code, which
    it does not in NumPy's functions."""
    if left.literal and right.literal:
        return _fold(op, left, right)
    result = _computed(cx, op, left, right, line, tested)
    return _as_either_kind(cx, op, left, right, line, result) if left.least or right.least else result


def _computed(cx: Context, op: str, left: Scalar, right: Scalar, line: int, tested: bool) -> Scalar:
    if op == "**":
        return power(cx, left, right, line)
    if left.is_integer and right.is_integer and op != "/":
        return _integer_result(cx, op, left, right)
    if op not in FLOAT_KINDS:
        return unknown_integer("a bit operation")
    dtype = result_type(cx, left, right, division=op == "/")
    node = charge(cx, op, dtype, line, (left, right), tested)
    return Scalar(dtype, node=node, weak=left.weak and right.weak, quotient=quotient_of(cx, op, left, right))


def _as_either_kind(cx: Context, op: str, left: Scalar, right: Scalar, line: int, result: Scalar) -> Scalar:
    """The result where an operand may be of a narrower kind: as counted, if that makes no difference to the work."""
    one, other = as_least(left), as_least(right)
    if _work(cx, op, left, right) != _work(cx, op, one, other):
        doubt(cx, min(one, other, key=lambda side: not side.is_integer), line)
    whole = one.is_integer and other.is_integer and op != "/"
    least = I8 if whole else result_type(cx, one, other, division=op == "/")
    return replace(result, least=narrower(result.dtype, least))


def _work(cx: Context, op: str, left: Scalar, right: Scalar) -> tuple[object, ...]:
    """What ``left op right`` counts."""
    if left.is_integer and right.is_integer and op != "/":
        return ()
    dtype = result_type(cx, left, right, division=op == "/")
    if op == "**":
        operations = power_operations(exact_number(right))
        return (*operations, *(parts_of("*", dtype) if operations != [("special", 1)] else ()))
    return parts_of(op, dtype) if op in FLOAT_KINDS else ()


def parts_of(op: str, dtype: DType) -> tuple[tuple[OperationKind, int], ...]:
    """The real operations, each with its count, of ``op`` on ``dtype``."""
    if dtype.kind == "complex":  # // and % do not exist for complex numbers
        return COMPLEX_PARTS.get(op, (("div", 1),))
    return ((FLOAT_KINDS[op], 1),)


def charge(cx: Context, op: str, dtype: DType, line: int, operands: tuple[Scalar, ...], tested: bool = True) -> int:
    inputs = tuple(o.node for o in operands)
    counts_on = may_change(*operands)
    node, by = 0, "" if cx.builder.in_array_expression or not tested else cx.tests_divisors
    divisor = _divisor(operands[-1])
    for kind, count in parts_of(op, dtype):
        by_zero = (divisor, by if divisor else "") if kind == "div" else (None, "")
        function = op if kind == "div" and op in ("//", "%") else ""
        node = cx.builder.operation(kind, dtype, line, inputs, Expr.of(count), "", *by_zero, function, counts_on)
        inputs = (node,)
    return node


def _divisor(operand: Scalar) -> int | None:
    """Its id, 0 for a number that no node computes; None where it is a power of two, or not known."""
    number = operand.number
    exact = isinstance(number, (int, float)) and bool(number) and isfinite(number) and abs(frexp(number)[0]) == 0.5
    return None if exact or may_change(operand) else operand.node if operand.made else 0


def may_change(*operands: Scalar) -> bool:
    """Whether a value may differ between iterations though its node, if any, does not: a counter, or one of two."""
    return any(map(_is_open, operands))


def _is_open(operand: Scalar) -> bool:
    if operand.joined:
        return True
    if operand.node is not None or operand.given or operand.outer or operand.number is not None or operand.literal:
        return False
    return operand.expr is None or bool(loop_variables(operand.expr))


def result_type(cx: Context, left: Scalar, right: Scalar, *, division: bool = False) -> DType:
    """The type of the result: Numba's typing in compiled code, NumPy's (Python numbers are weak) elsewhere."""
    if left.is_integer and right.is_integer and (division or cx.compiled):
        return F8 if division else promote(left.dtype, right.dtype)
    if not cx.compiled and left.weak != right.weak:
        weak, strong = (left, right) if left.weak else (right, left)
        return weak_type(weak.dtype, strong.dtype)
    return promote(left.dtype, right.dtype)


def power(cx: Context, base: Scalar, exponent: Scalar, line: int, by_ufunc: bool = False) -> Scalar:
    """``base ** exponent``: multiplications for a small integer exponent, sqrt for 0.5, else special. ``by_ufunc``:
    ``np.power``, which makes a float of the exponent."""
    number = exact_number(exponent)
    if base.is_integer and exponent.is_integer:
        return _integer_power(cx, base, exponent, number)
    keeps = exponent.is_integer and (exponent.weak or cx.compiled)
    dtype = base.dtype if keeps else result_type(cx, base, exponent)
    node = base.node
    for kind, count in power_operations(number):
        function = _function_of_power(kind, number, exponent.is_integer and not by_ufunc) if cx.compiled else ""
        node = _powered(cx, kind, count, dtype, line, base, exponent, node, function)
    return Scalar(dtype, node=node, weak=base.weak and exponent.weak, quotient=computed(cx, "**", base, exponent))


def _function_of_power(kind: OperationKind, number: Fraction | None, is_integer: bool) -> str:
    """What compiled code does for a power: Numba opens integers in the source, LLVM a square and a root."""
    if kind == "sqrt":
        return ""
    if is_integer:
        return INTEGER_POWER
    if kind == "special":
        return _function_of_half(number)
    return POWER_CALL if kind == "mul" and number != 2 else ""


def _function_of_half(number: Fraction | None) -> str:
    """Of a power of half a number that is not large."""
    if number is None or number.denominator != 2 or abs(number) > MAX_INTEGER_EXPONENT // 2:
        return ""
    return ROOT_POWER if number > 0 else INVERSE_ROOT_POWER


def power_operations(number: Fraction | None) -> list[tuple[OperationKind, int]]:
    """The operations of a power: ``[("mul", 2)]`` for ``x**3``. None is an unknown exponent."""
    if number in (0, 1):
        return []
    if number == Fraction(1, 2):
        return [("sqrt", 1)]
    if number == -1:
        return [("div", 1)]
    if number is not None and number.denominator == 1 and 2 <= abs(number) <= MAX_INTEGER_EXPONENT:
        e = abs(int(number))
        multiplications: list[tuple[OperationKind, int]] = [("mul", e.bit_length() - 1 + bin(e).count("1") - 1)]
        return [*multiplications, ("div", 1)] if number < 0 else multiplications
    return [("special", 1)]


def _powered(
    cx: Context, kind: OperationKind, count: int, dtype: DType, line: int, base: Scalar, exponent: Scalar,
    node: int | None, function: str,
) -> int | None:  # fmt: skip
    inputs, counts_on = (node,), exponent.made or may_change(base, exponent)
    if dtype.kind != "complex" or kind in ("special", "sqrt"):
        return cx.builder.operation(kind, dtype, line, inputs, Expr.of(count), function=function, counts_on=counts_on)
    for part, each in COMPLEX_PARTS["*" if kind == "mul" else "/"]:
        node = cx.builder.operation(part, dtype, line, (node,), Expr.of(each * count))
    return node


def negate(cx: Context, value: Scalar, line: int) -> Scalar:
    if value.literal and value.number is not None:
        return literal(-value.number)
    if value.is_integer:
        expr = None if value.expr is None else -value.expr
        dtype = value.dtype if value.dtype.kind == "int" else I8
        return Scalar(dtype, expr, weak=value.weak, why_unknown=value.why_unknown)
    found = quotient_of(cx, "-", literal(0), value)
    node = _of_one(cx, "neg", value, line)
    return Scalar(value.dtype, node=node, weak=value.weak, quotient=found, least=value.least)


def _of_one(cx: Context, kind: OperationKind, value: Scalar, line: int) -> int:
    return cx.builder.operation(kind, value.dtype, line, (value.node,), counts_on=may_change(value))


def invert(value: Scalar) -> Scalar:
    if value.literal and isinstance(value.number, int):
        return literal(~value.number)
    expr = -value.expr - 1 if value.expr is not None and value.dtype.kind == "int" else None
    return Scalar(value.dtype, expr, weak=value.weak, why_unknown="a bit operation")


def absolute(cx: Context, value: Scalar, line: int) -> Scalar:
    if value.is_integer:
        expr = None if value.expr is None else maximum(value.expr, -value.expr)
        return Scalar(value.dtype, expr, weak=value.weak, why_unknown=value.why_unknown or "an absolute value")
    if value.dtype.kind == "complex":
        if value.least is not None:
            doubt(cx, as_least(value), line)
        node = cx.builder.operation("mul", value.dtype, line, (value.node,), Expr.of(2))
        node = cx.builder.operation("add", value.dtype, line, (node,))
        real = F4 if value.dtype == C8 else F8
        return Scalar(real, node=cx.builder.operation("sqrt", real, line, (node,)), weak=value.weak)
    return Scalar(value.dtype, node=_of_one(cx, "abs", value, line), weak=value.weak, least=value.least)


def extremum(cx: Context, name: str, values: list[Scalar], line: int) -> Scalar:
    """``min``/``max`` of scalars: one operation for each pair where one is floating."""
    if all(v.is_integer for v in values):
        known = [v.expr for v in values if v.expr is not None]
        if len(known) == len(values):
            return Scalar(I8, (minimum if name == "min" else maximum)(*known))
        unknown = unknown_integer(f"{name} of data", _common_type(cx, values))
        return replace(unknown, quotient=extremum_of(cx, name, values))
    if all(as_least(value).is_integer for value in values):
        doubt(cx, as_least(values[0]), line)
    result = values[0]
    for value in values[1:]:
        dtype = result_type(cx, result, value)
        counts_on = may_change(result, value)
        node = cx.builder.operation("minmax", dtype, line, (result.node, value.node), counts_on=counts_on)
        result = Scalar(dtype, node=node)
    return replace(result, quotient=extremum_of(cx, name, values))


def _common_type(cx: Context, values: list[Scalar]) -> DType:
    common = values[0]
    for value in values[1:]:
        weak = common.weak and value.weak
        common = Scalar(result_type(cx, common, value), weak=weak)
    return common.dtype


def compare(cx: Context, left: Scalar, right: Scalar, line: int) -> Scalar:
    """A comparison: listed where it compares floating numbers, never counted."""
    node = None
    if not (left.is_integer and right.is_integer):
        dtype = result_type(cx, left, right)
        node = cx.builder.operation("compare", dtype, line, (left.node, right.node))
    return Scalar(B1, node=node, why_unknown="a comparison")


def _integer_result(cx: Context, op: str, left: Scalar, right: Scalar) -> Scalar:
    dtype = _number_type(result_type(cx, left, right) if not (left.weak and right.weak) else I8, op)
    if left.expr is None or right.expr is None:
        return replace(_half_known(cx, op, left, right, dtype), quotient=quotient_of(cx, op, left, right))
    a, b = left.expr, right.expr
    weak = left.weak and right.weak
    if op in ("+", "-", "*"):
        expr = a + b if op == "+" else a - b if op == "-" else a * b
        return Scalar(dtype, expr, weak=weak)
    if a.size + b.size > MAX_SIZE:
        return unknown_integer(f"an integer {op}", dtype)
    constant = b.constant
    if op in ("//", "%") and constant != 0:
        quotient = _quotient(cx, a, b)
        return Scalar(dtype, quotient if op == "//" else a - b * quotient, weak=weak)
    if op in ("<<", ">>") and (not loop_variables(a) if constant is None else 0 <= constant < 63):
        factor = power_of(Expr.of(2), b)
        return Scalar(dtype, a * factor if op == "<<" else floor_div(a, factor), weak=weak)
    known = constant is not None or a.constant is not None or not loop_variables(a * b)
    if op in ("&", "|", "^") and (known or cx.threads):
        both = common_bits(a, b, partial(_quotient, cx))
        return Scalar(dtype, {"&": both, "|": a + b - both, "^": a + b - 2 * both}[op], weak=weak)
    return unknown_integer(f"an integer {op}", dtype)


def _quotient(cx: Context, a: Expr, b: Expr) -> Expr:
    """``a // b``, without a floor where the remainder is the same in all iterations."""
    modulus = b.constant
    if isinstance(modulus, int) and modulus > 1:
        rest = remainder(a, modulus, cx.builder.loops)
        if rest is not None:
            return (a - rest) / modulus
    return floor_div(a, b)


def _number_type(dtype: DType, op: str) -> DType:
    """Division and powers treat truth values as int8."""
    return BY_CODE["i1"] if dtype.kind == "bool" and op in ("//", "%", "**") else dtype


def _half_known(cx: Context, op: str, left: Scalar, right: Scalar, dtype: DType) -> Scalar:
    """A result that depends on data, with its range where that is known (``i % m``, ``k + 1``)."""
    why = left.why_unknown or right.why_unknown or "data"
    within = None
    if op == "%" and right.expr is not None:
        within = (Expr.of(0), right.expr - 1)
    elif op == "&" and (masks := [m for side in (left, right) if (m := _mask(side)) is not None]):
        within = (Expr.of(0), min(masks, key=lambda mask: mask.constant or 0))
    elif op in ("+", "-") and left.within and right.expr is not None:
        shift = right.expr if op == "+" else -right.expr
        within = (left.within[0] + shift, left.within[1] + shift)
    if op in ("+", "-") and left.moved is not None:
        distance = None if op == "+" else left.moved.ahead_of(right.moved)
        if distance is not None:
            return Scalar(dtype, distance)
        if right.expr is not None:
            moved = left.moved.by(right.expr if op == "+" else -right.expr)
            return Scalar(dtype, why_unknown=why, within=within, moved=moved)
    if op in ("+", "-") and right.moved is not None and left.expr is not None:
        added = right.moved if op == "+" else right.moved.negative
        return Scalar(dtype, why_unknown=why, within=within, moved=added.by(left.expr))
    moved = _computed_from(cx, op, left, right)
    if op == "%" and left.moved is not None and left.moved.shift is not None and right.expr is not None:
        place = left.moved.shift
        moved = replace(moved, shift=None if place.modulus is not None else replace(place, modulus=right.expr))
    return Scalar(dtype, why_unknown=why, within=within, moved=moved)


def _computed_from(cx: Context, op: str, left: Scalar, right: Scalar) -> Displaced:
    """What stays as it is wherever both operands do: ``c * b`` in a loop inside the one that reads c."""
    parts = [side.moved or side.expr for side in (left, right)]
    changing = [part.rest if isinstance(part, Displaced) else part for part in parts]
    if any(expr is None or any(map(is_placeholder, expr.symbols)) for expr in changing):
        return computed_here(cx)
    variables = {name for expr in changing if expr is not None for name in loop_variables(expr)}
    depends = variables.union(*(part.depends for part in parts if isinstance(part, Displaced)))
    origin = cx.builder.computed.setdefault((op, *parts), cx.builder.new_id())
    return Displaced(origin, frozenset(depends))


def _mask(side: Scalar) -> Expr | None:
    constant = side.expr.constant if side.expr is not None else None
    return side.expr if constant is not None and constant >= 0 else None


def _integer_power(cx: Context, base: Scalar, exponent: Scalar, number: Fraction | None) -> Scalar:
    square = number == 2 and exponent.weak and not cx.compiled
    dtype = _number_type(base.dtype if square else result_type(cx, base, exponent), "**")
    weak = base.weak and exponent.weak
    if base.expr is not None and number is not None and 0 <= number <= 8 and number.denominator == 1:
        return Scalar(dtype, base.expr ** int(number), weak=weak)
    if base.expr is not None and exponent.expr is not None and number is None and len(base.expr.terms) == 1:
        return Scalar(dtype, power_of(base.expr, exponent.expr), weak=weak)
    base_number = exact_number(base)
    return unknown_integer("an integer power" if base_number is None else f"a power of {base_number}", dtype)


def _fold(op: str, left: Scalar, right: Scalar) -> Scalar:
    """An operation between literals is free, and stays a literal where its value is plain."""
    a, b = left.number, right.number
    dtype = F8 if op == "/" else promote(left.dtype, right.dtype)
    if isinstance(a, complex) or isinstance(b, complex) or a is None or b is None:
        return Scalar(dtype, literal=True, weak=True, number=None)
    result = folded(op, a, b)
    return Scalar(dtype, literal=True, weak=True) if result is None else literal(result)


def folded(op: str, a: int | float, b: int | float) -> int | float | None:
    """What Python makes of two numbers, where that is plain."""
    if max(abs(a), abs(b)) > 1e15:
        return None
    try:
        if op in ARITHMETIC:
            number: int | float = ARITHMETIC[op](a, b)
            return number
        if op == "**" and abs(b) <= MAX_INTEGER_EXPONENT:
            result = a**b
            return result if isinstance(result, (int, float)) and abs(result) < 1e300 else None
        if isinstance(a, int) and isinstance(b, int) and 0 <= b < 63:
            return {"<<": a << b, ">>": a >> b, "&": a & b, "|": a | b, "^": a ^ b}.get(op)
    except (ArithmeticError, ValueError):
        return None
    return None

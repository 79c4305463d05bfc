"""Powers with integer exponents, for which Numba makes products, in the place of calls of ``pow`` (RFL507)."""

from __future__ import annotations

from fractions import Fraction

import libcst as cst

from roofscan.fix.model import Fix, Site
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import New, code, nodes
from roofscan.ir.assumption import FLOAT_BY_DEFAULT, Assumption
from roofscan.ir.kernel import Kernel
from roofscan.parse.lowering.arithmetic import MAX_INTEGER_EXPONENT

ROUNDS = "products round differently"
NO_CALLS = (0, 1, 2, -1, Fraction(1, 2))  # exponents that LLVM opens by itself
OF_INTEGERS = "of integers, they are integers"


def integer_powers(site: Site) -> Fix | None:
    numpy = module_name(site.source, "numpy")
    changes: dict[cst.CSTNode, New] = {}
    for node in nodes(site.function.body):
        if site.source.line(node) in site.finding.lines:
            made = _in_place(node, numpy) if isinstance(node, cst.AugAssign) else _opened(node, numpy)
            if made is not None:
                changes[node] = made
    if not changes:
        return None
    why = f"{ROUNDS}; {OF_INTEGERS}" if _takes_integers(site.kernel) else ROUNDS
    return Fix(site, site.source.replaced(changes), "write powers with integer exponents", "unsafe", why)


def _takes_integers(kernel: Kernel) -> bool:
    """Whether nothing tells the type of some parameters."""
    return any(isinstance(a, Assumption) and a.says == FLOAT_BY_DEFAULT for a in kernel.assumptions)


def _in_place(node: cst.AugAssign, numpy: str) -> cst.BaseSmallStatement | None:
    """``x **= 3.0``. A root is written as an assignment, of names alone: other targets would be worked out twice."""
    if not isinstance(node.operator, cst.PowerAssign):
        return None
    written = _opened(cst.BinaryOperation(node.target, cst.Power(), node.value), numpy)
    if not isinstance(written, cst.BinaryOperation):
        return None
    if written.left is node.target:
        return node.with_changes(value=written.right)
    if not isinstance(node.target, cst.Name):
        return None
    return cst.Assign([cst.AssignTarget(node.target)], written, semicolon=node.semicolon)


def _opened(node: cst.CSTNode, numpy: str) -> cst.BaseExpression | None:
    """The same power by products; None where it is no call of ``pow``."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
        exponent = _exponent(node.right)
        if exponent is None or not isinstance(_last(node.right), cst.Float):
            return None
        return _power(node, node.left, exponent, numpy)
    if isinstance(node, cst.Call) and numpy and code(node.func) == f"{numpy}.power":
        args = [arg.value for arg in node.args if not arg.keyword and not arg.star]
        exponent = _exponent(args[1]) if len(args) == len(node.args) == 2 else None
        if exponent is None:
            return None
        written = cst.BinaryOperation(args[0], cst.Power(), args[1], node.lpar, node.rpar)
        return _power(written, args[0], exponent, numpy)
    return None


def _power(
    written: cst.BinaryOperation, base: cst.BaseExpression, exponent: Fraction, numpy: str
) -> cst.BinaryOperation | None:
    if exponent in NO_CALLS or abs(exponent) > MAX_INTEGER_EXPONENT:
        return None
    if exponent.denominator == 2 and numpy:
        base = cst.Call(cst.parse_expression(f"{numpy}.sqrt"), [cst.Arg(base.with_changes(lpar=(), rpar=()))])
        exponent *= 2
    if exponent.denominator != 1:
        return None
    if not base.lpar and not isinstance(base, (cst.Name, cst.Subscript, cst.Attribute, cst.Call)):
        base = base.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return written.with_changes(left=base, right=cst.parse_expression(str(exponent)))


def _last(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.expression if isinstance(node, cst.UnaryOperation) else node


def _exponent(node: cst.BaseExpression) -> Fraction | None:
    """A literal, with or without a sign."""
    number = _last(node)
    if not isinstance(number, (cst.Integer, cst.Float)):
        return None
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, (cst.Minus, cst.Plus)):
        return None
    negative = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
    return Fraction(number.evaluated_value) * (-1 if negative else 1)

"""Quotients by a number that a loop does not change, as products with its reciprocal (RFL503)."""

from __future__ import annotations

from math import frexp

import libcst as cst

from roofscan.fix.hazards import is_plain_at, shares_iterations, touched_in
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import Numbers, is_arithmetic
from roofscan.fix.source import New, block, code, fresh_names, loaded_names, loop_name, nodes, stored_names
from roofscan.ir.tree import Operation
from roofscan.ir.visitor import leaves

WHY_UNSAFE = "a reciprocal rounds; a divisor of 0 raises before the loop"
CUTS = frozenset(
    ("int", "round", "bool", "floor", "ceil", "trunc", "rint", "fix", "sign", "isnan", "isclose", "mod", "fmod")
)

_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)
_CHOICES = (cst.If, cst.IfExp, cst.BooleanOperation, cst.Comparison, cst.For)


def multiplied(site: Site) -> Fix | None:
    changes: dict[cst.CSTNode, New] = {}
    taken, numbers = loaded_names(site.function), Numbers(site.kernel, site.function)
    for loop in site.loops_named():
        divisors = _divisors(site, loop, numbers)
        if divisors:
            changes[loop] = _with_products(loop, divisors, _names(divisors, taken))
    if not changes:
        return None
    return Fix(site, site.source.replaced(changes), "multiply by the reciprocal", "unsafe", WHY_UNSAFE)


def _divisors(site: Site, loop: cst.For, numbers: Numbers) -> dict[str, cst.BaseExpression]:
    """By their text; none where a quotient may be compared or cut to an integer, which rounding changes by one."""
    body = block(loop)
    if (
        not body
        or not is_plain_at(site, loop)
        or shares_iterations(site.kernel, loop)
        or not _keeps_fractions(site, loop)
    ):
        return {}
    bound = {loop_name(loop), *stored_names(*body)}
    divisions = (node for statement in body for node in nodes(statement))
    found = (d for node in divisions if (d := _divisor(node)) is not None and _moves(node, bound))
    return {code(d): d for d in found if _is_fixed(d, bound) and numbers.is_number(d) and not _is_power_of_two(d)}


def _keeps_fractions(site: Site, loop: cst.For) -> bool:
    touched, body, lines = touched_in(site, loop), block(loop), site.source.lines(loop)
    every = [node for statement in body for node in nodes(statement)]
    if touched is None or any(isinstance(node, (*_CHOICES, cst.FloorDivide, cst.Modulo)) for node in every):
        return False
    if CUTS & {node.value for node in every if isinstance(node, cst.Name)}:
        return False
    places = {
        name for node in every if isinstance(node, cst.Subscript) for part in node.slice for name in loaded_names(part)
    }
    divided = [n for n in leaves(site.kernel.body) if isinstance(n, Operation) and n.kind == "div" and n.line in lines]
    stored = (site.kernel.array(access.array).dtype.code for access in touched if access.write)
    exact = all(op.dtype.code == "f8" for op in divided) and all(code in ("f4", "f8") for code in stored)
    return exact and bool(divided) and places.isdisjoint(stored_names(*body))


def _divisor(node: cst.CSTNode) -> cst.BaseExpression | None:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
        return node.right
    return node.value if isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.DivideAssign) else None


def _moves(node: cst.CSTNode, bound: set[str]) -> bool:
    """Whether the loop changes what is divided."""
    return not isinstance(node, cst.BinaryOperation) or bool(loaded_names(node.left) & bound)


def _is_fixed(divisor: cst.BaseExpression, bound: set[str]) -> bool:
    return is_arithmetic(divisor, _ARITHMETIC) and not loaded_names(divisor) & bound


def _is_power_of_two(divisor: cst.BaseExpression) -> bool:
    """LLVM multiplies there, and the result is the same; a literal 0 stays where it is."""
    if not isinstance(divisor, (cst.Integer, cst.Float)):
        return False
    return abs(frexp(float(divisor.evaluated_value))[0]) in (0.0, 0.5)


def _names(divisors: dict[str, cst.BaseExpression], taken: set[str]) -> dict[str, str]:
    """A name for each that is no literal."""
    wanted = {
        text: f"{divisor.value}_reciprocal" if isinstance(divisor, cst.Name) else "reciprocal"
        for text, divisor in divisors.items()
        if not isinstance(divisor, (cst.Integer, cst.Float))
    }
    return fresh_names(wanted, taken)


class _Products(cst.CSTTransformer):
    def __init__(self, divisors: dict[str, cst.BaseExpression], names: dict[str, str], bound: set[str]) -> None:
        super().__init__()
        self._divisors, self._names, self._bound = divisors, names, bound

    def _factor(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        divisor = _divisor(node)
        text = code(divisor) if divisor is not None and _moves(node, self._bound) else ""
        if text not in self._divisors:
            return None
        return cst.Name(self._names[text]) if text in self._names else cst.parse_expression(f"(1.0 / {text})")

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        factor, operator = self._factor(original_node), updated_node.operator
        if factor is None or not isinstance(operator, cst.Divide):
            return updated_node
        times = cst.Multiply(operator.whitespace_before, operator.whitespace_after)
        return updated_node.with_changes(operator=times, right=factor)

    def leave_AugAssign(self, original_node: cst.AugAssign, updated_node: cst.AugAssign) -> cst.AugAssign:
        factor, operator = self._factor(original_node), updated_node.operator
        if factor is None or not isinstance(operator, cst.DivideAssign):
            return updated_node
        times = cst.MultiplyAssign(operator.whitespace_before, operator.whitespace_after)
        return updated_node.with_changes(operator=times, value=factor)


def _with_products(loop: cst.For, divisors: dict[str, cst.BaseExpression], names: dict[str, str]) -> New:
    bound = {loop_name(loop), *stored_names(*block(loop))}
    made = loop.with_changes(body=loop.body.visit(_Products(divisors, names, bound)))
    reciprocals = [cst.parse_statement(f"{name} = 1.0 / {_closed(divisors[text])}\n") for text, name in names.items()]
    if not reciprocals:
        return made
    first = reciprocals[0].with_changes(leading_lines=loop.leading_lines)
    return cst.FlattenSentinel([first, *reciprocals[1:], made.with_changes(leading_lines=())])


def _closed(divisor: cst.BaseExpression) -> str:
    text = code(divisor)
    return f"({text})" if isinstance(divisor, cst.BinaryOperation) and not divisor.lpar else text

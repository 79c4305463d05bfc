"""A scalar in the place of the element of an array that each iteration of a loop stores first, then reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from roofscan.fix.source import code, loaded_names, only_assignment
from roofscan.frozen import dataclass

_OPERATORS: Mapping[type[cst.BaseAugOp], type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add, cst.SubtractAssign: cst.Subtract, cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
}  # fmt: skip
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)


@dataclass(frozen=True)
class ElementScalar:
    name: str
    type_name: str  # the function that makes a number of the array's type: np.float64


def is_stored_first(array: str, body: Sequence[cst.CSTNode]) -> bool:
    """Whether some statements store an element of an array before they read it, whatever happens."""
    for statement in body:
        if array not in loaded_names(statement):
            continue
        if isinstance(statement, cst.If):
            arms = (statement.body, statement.orelse.body) if isinstance(statement.orelse, cst.Else) else ()
            known = array not in loaded_names(statement.test) and bool(arms)
            return known and all(is_stored_first(array, arm.body) for arm in arms)
        assignment = only_assignment(statement) if isinstance(statement, cst.BaseStatement) else None
        target = assignment.targets[0].target if assignment else None
        of = target.value if isinstance(target, cst.Subscript) else None
        stores = isinstance(of, cst.Name) and of.value == array
        return stores and assignment is not None and array not in loaded_names(assignment.value)
    return False


class ElementScalars(cst.CSTTransformer):
    """Scalars for all subscripts of some arrays, each with one index; ``is_complete``: whether all could be."""

    def __init__(self, scalars: Mapping[str, ElementScalar]) -> None:
        super().__init__()
        self._scalars = scalars
        self.is_complete = True

    def of(self, loop: cst.For) -> cst.For:
        changed = loop.visit(self)
        assert isinstance(changed, cst.For)
        return changed

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        stored = [s for target in original_node.targets if (s := self._scalar(target.target))]
        if not stored:
            self.is_complete &= not any(
                {*self._scalars} & loaded_names(target.target)
                for target in original_node.targets
                if isinstance(target.target, (cst.Tuple, cst.List))
            )
            return updated_node
        self.is_complete &= len(original_node.targets) == 1
        return updated_node.with_changes(value=typed(stored[0].type_name, updated_node.value))

    def leave_AugAssign(self, original_node: cst.AugAssign, updated_node: cst.AugAssign) -> cst.BaseSmallStatement:
        scalar, operator = self._scalar(original_node.target), _OPERATORS.get(type(original_node.operator))
        if scalar is None:
            return updated_node
        self.is_complete &= operator is not None
        value = cst.BinaryOperation(cst.Name(scalar.name), (operator or cst.Add)(), bracketed_sum(updated_node.value))
        return cst.Assign(
            [cst.AssignTarget(cst.Name(scalar.name))], typed(scalar.type_name, value), semicolon=updated_node.semicolon
        )

    def leave_AnnAssign(self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign) -> cst.AnnAssign:
        self.is_complete &= self._scalar(original_node.target) is None
        return updated_node

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        scalar = self._scalar(original_node)
        if scalar is None:
            return updated_node
        return cst.Name(scalar.name, lpar=original_node.lpar, rpar=original_node.rpar)

    def _scalar(self, node: cst.CSTNode) -> ElementScalar | None:
        of = node.value if isinstance(node, cst.Subscript) else None
        return self._scalars.get(of.value) if isinstance(of, cst.Name) else None


def bracketed_sum(node: cst.BaseExpression) -> cst.BaseExpression:
    """In brackets, where an operator beside it would bind closer."""
    if node.lpar or isinstance(node, (cst.Name, cst.Call, cst.Attribute, cst.Subscript, cst.BaseNumber)):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def typed(type_name: str, value: cst.BaseExpression) -> cst.BaseExpression:
    """The value as an element of a type holds it; as it is, where Numba gives it that type whatever its names are."""
    if type_name.endswith(".float64") and _is_double(value, type_name):
        return value
    bare = value if not value.lpar or isinstance(value, cst.Tuple) else value.with_changes(lpar=(), rpar=())
    return cst.Call(cst.parse_expression(type_name), [cst.Arg(bare)])


def _is_double(node: cst.BaseExpression, type_name: str) -> bool:
    """Of real operands; complex ones cannot be stored in such an array."""
    if isinstance(node, cst.Float):
        return True
    if isinstance(node, cst.Call):
        return code(node.func) == type_name
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, (cst.Minus, cst.Plus)) and _is_double(node.expression, type_name)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, _ARITHMETIC):
        return _is_double(node.left, type_name) or _is_double(node.right, type_name)
    return False


class OnOwnLines(cst.CSTTransformer):
    """Statements that share a line, or that of their head, on lines of their own."""

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        return cst.IndentedBlock(_lines(updated_node))

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if len(updated_node.body) < 2:
            return updated_node
        first, *rest = _lines(updated_node)
        return cst.FlattenSentinel([first.with_changes(leading_lines=updated_node.leading_lines), *rest])


def _lines(node: cst.SimpleStatementSuite | cst.SimpleStatementLine) -> list[cst.SimpleStatementLine]:
    lines = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in node.body]
    lines[-1] = lines[-1].with_changes(trailing_whitespace=node.trailing_whitespace)
    return lines


class LengthsOf(cst.CSTTransformer):
    """``len(d)`` as the sum of which the array is made, in a part of a function that shares its nodes."""

    def __init__(self, lengths: Mapping[str, cst.BaseExpression]) -> None:
        """``lengths``: by the source of what they replace."""
        super().__init__()
        self._lengths = lengths

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        if isinstance(original, (cst.Call, cst.Attribute, cst.Subscript)):
            return self._lengths.get(code(original), updated)
        if isinstance(updated, (cst.Arg, cst.Index)) and updated.value is not original.value:  # type: ignore[attr-defined]
            return updated.with_changes(value=bare(updated.value))
        return updated


def bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """Without brackets around all of it."""
    return node.with_changes(lpar=(), rpar=()) if isinstance(node, cst.BinaryOperation) else node

"""What reads all elements of an array after the loop that stores them, as a loop over the same range: ``for v in d``,
``np.sum(d)``, ``d.mean()``. Numba's sum adds in the order of the elements, in their type; its mean divides that."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from roofscan.fix.contraction.made_arrays import MadeArray
from roofscan.fix.numbers import NUMPY
from roofscan.fix.source import Replacing, code, loaded_names, nodes, stored_names
from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Total:
    """A statement that adds up an array, as a loop that adds to a name from ``start``, and what is left of it."""

    statement: cst.SimpleStatementLine
    call: cst.Call
    name: str
    start: cst.SimpleStatementLine
    loop: cst.For
    rest: cst.BaseStatement
    is_mean: bool


def items_of(loop: cst.For) -> str:
    """``d`` of ``for v in d``; "" of other loops."""
    return loop.iter.value if isinstance(loop.iter, cst.Name) and isinstance(loop.target, cst.Name) else ""


def over_elements(loop: cst.For, index: str, takes_name: bool) -> cst.For | None:
    """``for v in d`` as a loop over ``index``; ``takes_name``: whether ``v`` becomes the name of the element."""
    name = items_of(loop)
    assert isinstance(loop.target, cst.Name) and isinstance(loop.body, cst.IndentedBlock)
    if index in loaded_names(loop):
        return None
    item = cst.parse_statement(f"{loop.target.value} = {name}[{index}]\n")
    body = loop.body if takes_name else loop.body.with_changes(body=(item, *loop.body.body))
    return loop.with_changes(target=cst.Name(index), iter=cst.parse_expression(f"range(len({name}))"), body=body)


def may_name(loop: cst.For, others: Sequence[cst.For]) -> bool:
    """Whether the item of a loop is the element and nothing else: no other loop has its name, and none stores it."""
    name = loop.target.value if isinstance(loop.target, cst.Name) else ""
    elsewhere = loaded_names(*(other for other in others if other is not loop))
    alone = [items_of(other) for other in others].count(items_of(loop)) == 1
    return bool(items_of(loop)) and alone and name not in elsewhere and name not in stored_names(loop.body)


def total_in(statement: cst.CSTNode, arrays: Sequence[MadeArray], index: str, name: str, numpy: str) -> Total | None:
    """None where it adds up none of the arrays, or several, or one of several axes."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    known = {array.name: array for array in arrays if len(array.extents) == 1}
    found = [(n, known[of]) for n in nodes(statement) if isinstance(n, cst.Call) and (of := _summed(n)) in known]
    if len(found) != 1 or found[0][1].type_name not in (f"{numpy}.float64", f"{numpy}.float32"):
        return None
    call, array = found[0]
    zero = "0.0" if array.type_name.endswith("64") else f"{array.type_name}(0.0)"
    start, loop = cst.parse_statement(f"{name} = {zero}\n"), cst.parse_statement(_LOOP.format(index, array.name, name))
    is_mean = isinstance(call.func, cst.Attribute) and call.func.attr.value == "mean"
    value = cst.parse_expression(f"{numpy}.divide({name}, len({array.name}))" if is_mean else name)
    rest = statement.with_changes(leading_lines=[]).visit(Replacing({call: value}))
    assert isinstance(start, cst.SimpleStatementLine) and isinstance(loop, cst.For)
    assert isinstance(rest, cst.SimpleStatementLine)
    start = start.with_changes(leading_lines=[line for line in statement.leading_lines if line.comment])
    return Total(statement, call, name, start, loop, rest, is_mean)


_LOOP = "for {0} in range(len({1})):\n    {2} += {1}[{0}]\n"


def _summed(call: cst.Call) -> str:
    """The name that a sum or a mean is of."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in ("sum", "mean"):
        return ""
    of = call.func.value
    if len(call.args) == 1 and code(of) in NUMPY and not (call.args[0].keyword or call.args[0].star):
        of = call.args[0].value
        return of.value if isinstance(of, cst.Name) else ""
    return of.value if not call.args and isinstance(of, cst.Name) else ""

"""Obstacles to another order of loops: calls whose effects are unknown, and exceptions in the middle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import libcst as cst

from roofscan.cost.transform.perfect_nests import BLOCKING
from roofscan.fix.helpers import is_known_function, pure_helpers, with_helpers
from roofscan.fix.linear import is_length, linear
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import is_arithmetic
from roofscan.fix.premises.negative import assumed_natural
from roofscan.fix.source import New, block, children_of, loaded_names, loop_name, nodes, stored_names
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body
from roofscan.ir.visitor import accesses, loops

_PLAIN = (
    cst.For, cst.If, cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Pass, cst.SimpleStatementLine,
    cst.SimpleStatementSuite,
)  # fmt: skip

ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.Power)

DIVISION_BY_ZERO = "a division by zero raises in another iteration"


def is_plain(*statements: cst.BaseStatement, helpers: Collection[str] = ()) -> bool:
    """Whether statements are assignments, loops and tests alone, and call only functions without effects, or
    ``helpers``."""
    return all(_may_move(node, helpers) for statement in statements for node in nodes(statement))


def is_plain_at(site: Site, *statements: cst.BaseStatement) -> bool:
    """The same where they may call functions of the file, too, that compute a value and do nothing else."""
    return is_plain(*statements, helpers=pure_helpers(site.source, site.function))


def _may_move(node: cst.CSTNode, helpers: Collection[str]) -> bool:
    if isinstance(node, cst.For):
        return node.orelse is None and node.asynchronous is None
    if isinstance(node, (cst.BaseStatement, cst.BaseSmallStatement)):
        return isinstance(node, _PLAIN)
    if isinstance(node, cst.Call):
        return is_known_function(node.func, helpers)
    return not isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield, cst.BaseComp, cst.Lambda))


def may_raise(kernel: Kernel, *parts: cst.CSTNode, but: Collection[cst.CSTNode] = ()) -> bool:
    """Whether a division may raise: by other than a literal, under Python's error model. ``but``: of others than
    these."""
    if kernel.decorator.compiled and kernel.decorator.error_model == "numpy":
        return False
    return any(divides(node) and node not in but for part in parts for node in nodes(part))


def raising_at_once(kernel: Kernel, loops: Sequence[cst.For]) -> frozenset[cst.CSTNode]:
    """The divisions of a nest that raise in the first iteration of all its loops, or never: each iteration makes them,
    by the same number. Where the loops hold nothing but each other and no range depends on another loop, that
    iteration comes first in every order."""
    bound = stored_names(loops[0])
    in_turn = any(len(block(loop)) != 1 for loop in loops[:-1]) or kernel.decorator.parallel
    if in_turn or not all(bound.isdisjoint(loaded_names(loop.iter)) for loop in loops):
        return frozenset()
    made = (node for statement in block(loops[-1]) for node in _always_evaluated(statement) if divides(node))
    return frozenset(node for node in made if _divides_by_constant(node, bound))


def _always_evaluated(statement: cst.BaseStatement) -> Iterator[cst.CSTNode]:
    """The nodes of a statement that no test stands before."""
    stack: list[cst.CSTNode] = [statement]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (cst.If, cst.For, cst.IfExp, cst.BooleanOperation, cst.Comparison)):
            stack += children_of(node)


def _divides_by_constant(node: cst.CSTNode, bound: set[str]) -> bool:
    """Whether the divisor is made of names that the nest does not bind."""
    divisor = divisor_of(node)
    return divisor is not None and is_arithmetic(divisor, ARITHMETIC) and bound.isdisjoint(loaded_names(divisor))


def never_raises(loop: cst.For) -> bool:
    """Whether a range may be made more or less often: no index error, division by 0 or step of 0 is in it."""
    call = loop.iter
    step = call.args[2].value if isinstance(call, cst.Call) and len(call.args) == 3 else None
    known = step is None or ((found := linear(step)) is not None and found.number not in (None, 0))
    return known and not any(_may_fail(node) for node in nodes(loop.iter))


def _may_fail(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Call):
        return not isinstance(node.func, cst.Name) or node.func.value not in ("range", "prange", "len", "min", "max")
    return (isinstance(node, cst.Subscript) and not is_length(node)) or divides(node)


def divides(node: cst.CSTNode) -> bool:
    """Whether a node divides by other than a literal that is not 0."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
        return isinstance(node.right, cst.UnaryOperation)
    if isinstance(node, cst.BinaryOperation):
        found, divisor = isinstance(node.operator, (cst.Divide, cst.FloorDivide, cst.Modulo)), node.right
    elif isinstance(node, cst.AugAssign):
        operators = (cst.DivideAssign, cst.FloorDivideAssign, cst.ModuloAssign)
        found, divisor = isinstance(node.operator, operators), node.value
    else:
        return False
    return found and not (isinstance(divisor, (cst.Integer, cst.Float)) and divisor.evaluated_value)


def divisor_of(node: cst.CSTNode) -> cst.BaseExpression | None:
    """Of a node that divides; None for a power."""
    if isinstance(node, cst.AugAssign):
        return node.value
    is_power = isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power)
    return node.right if isinstance(node, cst.BinaryOperation) and not is_power else None


def reordering(
    site: Site, changes: Mapping[cst.CSTNode, New], what: str, body: Body, assumptions: Iterable[str] = (),
    at_once: Collection[cst.CSTNode] = (), hidden: bool = False,
) -> Fix | None:  # fmt: skip
    """The fix that changes the order of iterations: safe under the assumptions, unless an error may come between.
    ``at_once``: divisions that raise before anything has changed its order; ``hidden``: whether nobody sees what was
    stored before an error."""
    raises = not hidden and may_raise(site.kernel, *with_helpers(site.source, changes), but=at_once)
    natural = assumed_natural(site.kernel, body)
    if natural is None:
        return None
    apart = *overlaps(site.kernel, body), *_parts_apart(site, body)
    assumed = tuple(dict.fromkeys((*apart, *assumptions, *natural)))
    module = site.source.replaced(changes)
    if raises:
        return Fix(site, module, what, "unsafe", DIVISION_BY_ZERO, assumed)
    return Fix(site, module, what, assumptions=assumed)


def touched_in(site: Site, loop: cst.For) -> tuple[Access, ...] | None:
    """What a loop reads and writes, through whatever names; None where that is not fully known."""
    line, name, lines = site.source.line(loop), loop_name(loop), site.source.lines(loop)
    found = tuple(n for n in loops(site.kernel.body) if (n.line, n.source_name) == (line, name) and not n.is_elsewhere)
    unknown = any(reason.line in lines and reason.effect in BLOCKING for reason in site.kernel.reasons)
    return None if unknown or not found else tuple(accesses(found))


def shares_iterations(kernel: Kernel, loop: cst.For) -> bool:
    """Whether threads share the iterations of a loop, or of one in it."""
    return kernel.decorator.parallel and "prange" in loaded_names(
        *(n.iter for n in nodes(loop) if isinstance(n, cst.For))
    )


def may_overlap(kernel: Kernel, *names: str) -> bool:
    """Whether a caller may give one memory for arrays of these names."""
    found = [kernel.array_named.get(name) for name in names]
    return all(array is not None and array.role in ("parameter", "global") for array in found)


def overlaps(kernel: Kernel, body: Body) -> tuple[str, ...]:
    """What must be assumed of the arguments: pairs of arrays, one of them written, that a caller may let overlap."""
    touched: dict[str, bool] = {}
    for access in accesses(body):
        array = kernel.array(access.array)
        if array.role in ("parameter", "global"):
            touched[array.owner] = touched.get(array.owner, False) or access.write
    return overlapping(kernel, touched)


def _parts_apart(site: Site, body: Body) -> Iterator[str]:
    """What must be assumed of parameters that may be tuples of arrays: ``a, b = t``, or ``t[0][i]`` and ``t[1][i]``."""
    written = {access.array for access in accesses(body) if access.write}
    owners = sorted({site.kernel.array(name).owner for name in written} & {*site.kernel.parameters})
    several = (name for name in owners if len(site.kernel.array(name).shape) > 1)
    return (f"the parts of {name} do not overlap" for name in several if _may_be_tuple(site.function, name))


def _may_be_tuple(function: cst.FunctionDef, name: str) -> bool:
    """Whether all that a function does with a name is to take it apart."""
    used = [node for node in nodes(function.body) if _is_of(node, name)]
    unpacked = (n for n in used if isinstance(n, cst.Assign) and isinstance(n.targets[0].target, (cst.Tuple, cst.List)))
    return any(unpacked) or (bool(used) and all(map(_is_numbered, used)))


def _is_of(node: cst.CSTNode, name: str) -> bool:
    of = node.value if isinstance(node, (cst.Subscript, cst.Attribute, cst.Assign)) else None
    return isinstance(of, cst.Name) and of.value == name


def _is_numbered(node: cst.CSTNode) -> bool:
    """``t[0]``"""
    first = node.slice[0].slice if isinstance(node, cst.Subscript) and len(node.slice) == 1 else None
    return isinstance(first, cst.Index) and isinstance(first.value, cst.Integer)


def overlapping(kernel: Kernel, touched: Mapping[str, bool]) -> tuple[str, ...]:
    """Likewise, of arrays by whether they are written."""
    from_outside = {name: written for name, written in touched.items() if may_overlap(kernel, name)}
    return tuple(f"{one} and {other} do not overlap" for one, other in _pairs(from_outside))


def _pairs(touched: Mapping[str, bool]) -> Iterator[tuple[str, str]]:
    names = sorted(touched)
    for number, one in enumerate(names):
        yield from ((one, other) for other in names[number + 1 :] if touched[one] or touched[other])

"""Whether what a loop nest leaves in scalars is seen outside of it: its loops then keep their order."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from roofscan.fix.source import SourceTree, loop_name, nodes, stored_names


def leaks(
    source: SourceTree, function: cst.FunctionDef, region: tuple[cst.BaseStatement, ...], except_for: Iterable[str] = ()
) -> bool:
    """Whether a name that some statements bind may be read outside of them before it is bound again."""
    bound = stored_names(*region) - {*except_for}
    inside = {id(node) for part in region for node in nodes(part)}
    outside = (n for n in nodes(function.body) if isinstance(n, cst.Name) and n.value in bound and id(n) not in inside)
    return any(not _is_bound_before(source, name, region, inside) for name in outside)


def carries(source: SourceTree, loop: cst.For, except_for: Iterable[str] = ()) -> bool:
    """Whether an iteration of a loop reads a scalar that the one before left."""
    bound = stored_names(loop.body) - {*except_for}
    reads = (n for n in nodes(loop.body) if isinstance(n, cst.Name) and n.value in bound)
    return any(not _is_bound_within(source, name, loop) for name in reads)


def _is_bound_within(source: SourceTree, name: cst.Name, loop: cst.For) -> bool:
    node: cst.CSTNode = name
    while node is not loop:
        parent = source.parents[node]
        if _is_target(parent, node, name) or any(_binds(earlier, name.value) for earlier in _before(parent, node)):
            return True
        node = parent
    return False


def _is_bound_before(
    source: SourceTree, name: cst.Name, region: tuple[cst.BaseStatement, ...], inside: set[int]
) -> bool:
    """Whether a name has a value of its own: a loop around it, or a statement before it in a block around it."""
    node: cst.CSTNode = name
    while not isinstance(node, (cst.FunctionDef, cst.Lambda)):
        parent = source.parents[node]
        if _is_target(parent, node, name):
            return True
        for earlier in reversed(_before(parent, node)):
            if id(earlier) in inside or _holds(earlier, region):
                return False
            if _binds(earlier, name.value):
                return True
        if isinstance(parent, (cst.For, cst.While)) and _holds(parent, region):
            return False  # the next iteration reads what this one left
        node = parent
    return False


def _is_target(parent: cst.CSTNode, node: cst.CSTNode, name: cst.Name) -> bool:
    """Whether a name is what a statement or a loop binds, or is read in a loop over it."""
    if isinstance(parent, (cst.AssignTarget, cst.For)) and parent.target is node:
        return True
    return isinstance(parent, cst.For) and node is not parent.iter and loop_name(parent) == name.value


def _before(parent: cst.CSTNode, node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    if not isinstance(parent, (cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite)):
        return ()
    body: tuple[cst.CSTNode, ...] = tuple(parent.body)
    return body[: body.index(node)] if node in body else ()


def _binds(node: cst.CSTNode, name: str) -> bool:
    """Whether a statement gives a name a value whatever happens."""
    if isinstance(node, cst.SimpleStatementLine):
        return any(_binds(small, name) for small in node.body)
    if isinstance(node, cst.If) and (node.orelse is None or not _binds(node.orelse, name)):
        return False
    if isinstance(node, (cst.If, cst.Else)):
        return any(_binds(inner, name) for inner in node.body.body)
    if not isinstance(node, cst.Assign):
        return False  # a loop binds nothing where it has no iteration
    return any(isinstance(t.target, cst.Name) and t.target.value == name for t in node.targets)


def _holds(parent: cst.CSTNode, region: tuple[cst.BaseStatement, ...]) -> bool:
    first = id(region[0])
    return any(id(node) == first for node in nodes(parent))

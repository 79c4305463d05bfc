"""The statements that store into arrays, and what they store into."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from roofscan.fix.array_loops.walks import NewAxis, NotElementwise, Stretch, lengths_in, walks_of
from roofscan.fix.model import Site
from roofscan.fix.numbers import numpy_name
from roofscan.fix.source import bindings, code, nodes

Line = cst.SimpleStatementLine
Axes = Sequence[tuple[str, int, int]]
"""What loops run over: an array, one of its axes, and by how much they are shorter."""


def store_of(site: Site, statement: Line) -> cst.Subscript | None:
    """The subscript of an array that a statement stores into: of ``v += 1``, ``v[...]``."""
    small = assignment_of(statement)
    target: cst.CSTNode | None = small.target if isinstance(small, cst.AugAssign) else None
    if isinstance(target, cst.Name) and _is_updated(site, target.value):
        return cst.Subscript(target, [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    return target if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) else None


def _is_updated(site: Site, name: str) -> bool:
    """Whether ``v += 1`` changes the elements of an array: of an argument, or of one that is made once and stays. Of a
    number, ``v += x`` makes an array."""
    array = site.kernel.array_named.get(name)
    if array is None or name in site.kernel.parameters:
        return array is not None
    made = sum(bound == name for bound in bindings(site.function.body))
    updates = [node for node in nodes(site.function.body) if _updates(node, name)]
    is_new = any(array.line == site.source.line(update) for update in updates)
    return site.kernel.decorator.compiled and array.role == "local" and made - len(updates) == 1 and not is_new


def _updates(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name) and node.target.value == name


def assignment_of(statement: Line) -> cst.Assign | cst.AugAssign | None:
    """The assignment that a statement is; ``x[...] = np.sqrt(y)`` of ``np.sqrt(y, out=x)``."""
    small = statement.body[0] if len(statement.body) == 1 else None
    call = small.value if isinstance(small, cst.Expr) else None
    if isinstance(call, cst.Call) and call.args and numpy_name(call):
        *most, last = call.args
        if last.keyword and last.keyword.value == "out" and isinstance(last.value, (cst.Name, cst.Subscript)):
            whole = cst.Subscript(last.value, [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
            target = last.value if isinstance(last.value, cst.Subscript) else whole
            *before, end = [*most, last][:-1] or [last]
            plain = [*before, end.with_changes(comma=cst.MaybeSentinel.DEFAULT)]
            return cst.Assign([cst.AssignTarget(target)], call.with_changes(args=plain))
    return small if isinstance(small, (cst.Assign, cst.AugAssign)) else None


def stored_into(site: Site, store: cst.Subscript) -> Axes:
    """The axes that a subscript of an array slices."""
    array = site.kernel.array_named.get(code(store.value))
    if array is None:
        raise NotElementwise
    walks = walks_of(store.slice, len(array.shape), lengths_in(site.function))
    if any(isinstance(walk, NewAxis) for walk in walks):
        raise NotElementwise
    return [(array.name, axis, walk.trimmed) for axis, walk in enumerate(walks) if isinstance(walk, Stretch)]

"""Rows and elements by subscript, where a loop takes them by iteration (RFL506): ``for i in range(len(X))`` with
``row = X[i]`` for ``for row in X``, and the same of ``enumerate`` and ``zip``. The items are the same, of a layout that
Numba knows."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.fix.elements import listed
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import New, block, code, fresh_name, loaded_names, nodes, stored_names

INDICES = ("i", "j", "k", "row", "index")

Items = list[tuple[cst.BaseExpression, str]]
"""What a loop binds to the items of which arrays."""


def by_subscript(site: Site) -> Fix | None:
    """None where a loop over the finding's arrays holds its items in another way."""
    taken, changes, arrays = loaded_names(site.function), dict[cst.CSTNode, New](), dict[str, None]()
    for loop in (node for node in nodes(site.function.body) if isinstance(node, cst.For)):
        index, items = _items_of(loop)
        names = [name for _, name in items]
        if not {*names} & {*site.finding.subject.names} or not _may_change(site, loop, names):
            continue
        counter = index.value if index else fresh_name(next((n for n in INDICES if n not in taken), "index"), taken)
        taken.add(counter)
        changes[loop] = _by_subscript(loop, counter, items)
        arrays |= dict.fromkeys(names)
    if not changes or any(_is_inside(one, other) for one in changes for other in changes):
        return None
    what = f"take the items of {listed([*arrays])} by subscript"
    return Fix(site, site.source.replaced(changes), what)


def _may_change(site: Site, loop: cst.For, names: list[str]) -> bool:
    """Whether the names are arrays that stay what they are in the loop."""
    known = site.kernel.array_named
    is_whole = isinstance(loop.body, cst.IndentedBlock) and loop.asynchronous is None and bool(block(loop))
    return is_whole and all(name in known for name in names) and stored_names(loop).isdisjoint(names)


def _is_inside(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    return one is not other and any(node is one for node in nodes(other))


def _items_of(loop: cst.For) -> tuple[cst.Name | None, Items]:
    """The counter of ``enumerate``, if there is one, and the items."""
    over, target = loop.iter, loop.target
    if isinstance(over, cst.Call) and code(over.func) == "enumerate" and _is_plain(over) and len(over.args) == 1:
        parts = _parts(target)
        if len(parts) != 2 or not isinstance(parts[0], cst.Name):
            return None, []
        return parts[0], [*_pairs(parts[1], over.args[0].value)]
    return None, [*_pairs(target, over)]


def _pairs(target: cst.BaseExpression, over: cst.BaseExpression) -> Iterator[tuple[cst.BaseExpression, str]]:
    if isinstance(over, cst.Name) and isinstance(target, cst.Name):
        yield target, over.value
    elif isinstance(over, cst.Call) and code(over.func) == "zip" and _is_plain(over):
        parts, arrays = _parts(target), [arg.value for arg in over.args]
        names = [array.value for array in arrays if isinstance(array, cst.Name)]
        if len(parts) == len(names) == len(arrays) and all(isinstance(part, cst.Name) for part in parts):
            yield from zip(parts, names, strict=True)


def _is_plain(call: cst.Call) -> bool:
    return not any(arg.keyword or arg.star for arg in call.args)


def _parts(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [element.value for element in target.elements] if isinstance(target, cst.Tuple) else []


def _by_subscript(loop: cst.For, counter: str, items: Items) -> cst.For:
    lengths = [f"len({name})" for name in dict.fromkeys(name for _, name in items)]
    length = lengths[0] if len(lengths) == 1 else f"min({', '.join(lengths)})"
    taken = [cst.parse_statement(f"{code(target)} = {name}[{counter}]\n") for target, name in items]
    body = loop.body.with_changes(body=[*taken, *block(loop)])
    over = cst.parse_expression(f"range({length})")
    return loop.with_changes(target=cst.Name(counter), iter=over, body=body)

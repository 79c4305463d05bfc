"""Rows and elements by subscript, where a loop takes them by iteration (RFL506): ``for i in range(len(X))`` with
``row = X[i]`` for ``for row in X``, and the same of ``enumerate`` and ``zip``. The items are the same, of a layout that
Numba knows."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.fix.elements import listed
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import block, code, fresh_name, loaded_names, nodes, stored_names

INDICES = ("i", "j", "k", "row", "index")

Items = list[tuple[cst.BaseExpression, str]]
"""What a loop binds to the items of which arrays."""


def by_subscript(site: Site) -> Fix | None:
    """None where no loop takes items of the finding's arrays, or of their rows, in a way that is understood."""
    taken, found = loaded_names(site.function), dict[cst.For, tuple[str, Items]]()
    arrays = {name: len(site.kernel.array_named[name].shape) for name in site.kernel.array_named}
    known = {name: rank for name, rank in arrays.items() if name in site.finding.subject.names}
    for loop in (node for node in nodes(site.function.body) if isinstance(node, cst.For)):
        index, items = _items_of(loop)
        ranks = [known.get(name, arrays.get(name, 0)) for _, name in items]
        if known.keys().isdisjoint(name for _, name in items) or not all(ranks) or not _may_change(loop, items):
            continue
        counter = index.value if index else fresh_name(next((n for n in INDICES if n not in taken), "index"), taken)
        taken.add(counter)
        found[loop] = counter, items
        known |= {code(item): rank - 1 for (item, _), rank in zip(items, ranks, strict=True) if rank > 1}
    if not found:
        return None
    module = site.source.module.visit(_BySubscript(found))
    assert isinstance(module, cst.Module)
    names = dict.fromkeys(name for _, items in found.values() for _, name in items)
    return Fix(site, module, f"take the items of {listed([*names])} by subscript")


class _BySubscript(cst.CSTTransformer):
    """Loops over the integers of a range in the place of loops over items, also of such in each other."""

    def __init__(self, found: dict[cst.For, tuple[str, Items]]) -> None:
        super().__init__()
        self._found = found

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        known = self._found.get(original_node)
        return _by_subscript(updated_node, *known) if known else updated_node


def _may_change(loop: cst.For, items: Items) -> bool:
    """Whether the arrays keep their names in the loop."""
    is_whole = isinstance(loop.body, cst.IndentedBlock) and loop.asynchronous is None
    return is_whole and stored_names(loop).isdisjoint(name for _, name in items)


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

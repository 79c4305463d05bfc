"""Whether a call in the file does what a fix assumes that no caller does: ``shift(x, x)``, ``fill(x, -1)``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from roofscan.fix.linear import linear
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import code, nodes

APART, NATURAL = " do not overlap", " is not negative"


def is_contradicted(fix: Fix) -> bool:
    texts = [text for text in fix.assumptions if text.endswith((APART, NATURAL))]
    return bool(texts) and any(_breaks(given, text) for given in calls_of(fix.site) for text in texts)


def expects_division_errors(site: Site) -> bool:
    return "ZeroDivisionError" in site.source.text


def gets_strided_arrays(site: Site) -> bool:
    """Whether a call in the file gives the function a column, or another view that is not in C order."""
    return any(_is_strided(value) for given in calls_of(site) for value in given.values())


def _is_strided(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Attribute):
        return node.attr.value == "T"
    if isinstance(node, cst.Call):
        return code(node.func).rpartition(".")[2] in ("transpose", "swapaxes", "asfortranarray")
    parts = [part.slice for part in node.slice] if isinstance(node, cst.Subscript) else []
    sliced = [isinstance(part, cst.Slice) for part in parts]
    steps = any(isinstance(part, cst.Slice) and part.step for part in parts)
    cut = any(isinstance(part, cst.Slice) and (part.lower or part.upper) for part in parts[1:])
    return steps or cut or sorted(sliced) != sliced or (bool(parts) and _is_strided(node.value))  # type: ignore[attr-defined]


def calls_of(site: Site) -> Iterator[Mapping[str, cst.BaseExpression]]:
    """What the calls of the function in its file give its parameters."""
    function, source = site.function, site.source
    name = function.name.value
    if source.text.count(f"{name}(") < 2:  # the `def` alone
        return
    parameters = [p.name.value for p in (*function.params.posonly_params, *function.params.params)]
    for node in nodes(source.module):
        if isinstance(node, cst.Call) and code(node.func).rpartition(".")[2] == name:
            yield _given(node, parameters[1:] if parameters[:1] == ["self"] else parameters)


def _given(call: cst.Call, parameters: list[str]) -> dict[str, cst.BaseExpression]:
    found, places = dict[str, cst.BaseExpression](), iter(parameters)
    for arg in call.args:
        if arg.star:
            break
        name = arg.keyword.value if arg.keyword else next(places, "")
        found[name] = arg.value
    return found


def _breaks(given: Mapping[str, cst.BaseExpression], text: str) -> bool:
    if text.endswith(NATURAL):
        value = given.get(text.removesuffix(NATURAL))
        number = linear(value) if value is not None else None
        return number is not None and (number.number or 0) < 0
    one, other = (given.get(name) for name in text.removesuffix(APART).split(" and "))
    return one is not None and other is not None and _overlap(one, other)


def _overlap(one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether both are one array, or it and a view of it, or stretches of it."""
    if isinstance(one, cst.Call) or isinstance(other, cst.Call):
        return False
    return code(_base(one)) == code(_base(other))


def _base(node: cst.BaseExpression) -> cst.BaseExpression:
    """The array of which an expression is a view, where other views may hold the same elements."""
    if isinstance(node, cst.Subscript) and all(isinstance(part.slice, cst.Slice) for part in node.slice):
        return _base(node.value)
    return _base(node.value) if isinstance(node, cst.Attribute) and node.attr.value == "T" else node

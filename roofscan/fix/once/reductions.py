"""Reductions of arrays that a loop does not change, computed before it (RFL503): each ``x.max()`` in a loop over ``x``
takes as long as the entire loop without it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.fix.elements import listed
from roofscan.fix.hazards import divides, overlapping, touched_in
from roofscan.fix.helpers import is_known_function, pure_helpers
from roofscan.fix.model import Fix, Safety, Site
from roofscan.fix.numbers import NUMPY, Numbers
from roofscan.fix.source import (
    New,
    Replacing,
    block,
    code,
    fresh_names,
    loaded_names,
    loop_name,
    nodes,
    stored_names,
)
from roofscan.ir.tree import Access

OF_NOTHING = frozenset(("sum", "prod"))  # have a value for an empty array
REDUCTIONS = OF_NOTHING | {"min", "max", "amin", "amax", "mean", "std", "var"}
EMPTY = "of an empty array, the error comes before the loop"
OTHER_ERRORS = "an error in them comes before the loop"


def hoisted(site: Site) -> Fix | None:
    """The reductions before the loop; None where anything in it may change them."""
    names = site.finding.subject.names
    loop = site.source.loop_at(site.function, site.finding.line, names[0]) if names else None
    touched = None if loop is None or site.kernel.decorator.parallel else touched_in(site, loop)
    if loop is None or touched is None or not only_known_calls(site, loop):
        return None
    calls = list(_fixed_calls(site, loop, touched))
    if not calls:
        return None
    taken = loaded_names(site.function)
    wanted = {code(call): f"{arrays_in(site, call)[0]}_{_function(call)}" for call in calls}
    made = fresh_names(wanted, taken)
    body = loop.body.visit(Replacing({call: cst.Name(made[code(call)]) for call in calls}))
    lines = [cst.parse_statement(f"{name} = {text}\n") for text, name in made.items()]
    first = lines[0].with_changes(leading_lines=loop.leading_lines)
    new: New = cst.FlattenSentinel([first, *lines[1:], loop.with_changes(body=body, leading_lines=())])
    whys = dict.fromkeys(why for call in calls for why in _errors(site, call))
    what = f"compute {listed([*made.values()])} before the loop over {loop_name(loop)}"
    assumed = tuple(dict.fromkeys(text for call in calls for text in apart_from(site, call, touched)))
    safety: Safety = "unsafe" if whys else "safe"
    return Fix(site, site.source.replaced({loop: new}), what, safety, ", ".join(whys), assumed)


def only_known_calls(site: Site, loop: cst.For) -> bool:
    helpers = pure_helpers(site.source, site.function)
    inside = nodes(loop.body)
    if any(isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield, cst.Lambda, cst.BaseComp)) for node in inside):
        return False
    return all(is_known_function(node.func, helpers) for node in inside if isinstance(node, cst.Call))


def _fixed_calls(site: Site, loop: cst.For, touched: tuple[Access, ...]) -> Iterator[cst.Call]:
    """The outermost calls that give a number of arrays which the loop leaves alone."""
    kernel, numbers = site.kernel, Numbers(site.kernel, site.function)
    bound = {loop_name(loop), *stored_names(*block(loop))}
    written = {kernel.array(access.array).owner for access in touched if access.write}
    inside: set[int] = set()
    for node in (n for statement in block(loop) for n in nodes(statement)):
        if not isinstance(node, cst.Call) or id(node) in inside or not _function(node):
            continue
        names, arrays = loaded_names(node) - REDUCTIONS, arrays_in(site, node)
        known = {*arrays, *numbers.names, *NUMPY, "size", "shape"}
        alone = not names & bound and written.isdisjoint(kernel.array_named[name].owner for name in arrays)
        if arrays and alone and names <= known and _is_arithmetic(node):
            inside.update(id(part) for part in nodes(node))
            yield node


def _function(call: cst.Call) -> str:
    """``max`` of ``x.max()`` and ``np.max(x)``; "" of another call."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in REDUCTIONS:
        return ""
    of_numpy = code(call.func.value) in NUMPY
    given = [arg for arg in call.args if arg.keyword is None and not arg.star]
    return call.func.attr.value if len(given) == len(call.args) == of_numpy else ""


def _is_arithmetic(call: cst.Call) -> bool:
    """Whether the operand is made of names, numbers and their sums, products and powers."""
    parts = (cst.Call, cst.Comparison, cst.IfExp, cst.BooleanOperation)
    return not any(isinstance(node, parts) and node is not call for node in nodes(call))


def arrays_in(site: Site, call: cst.Call) -> list[str]:
    arrays = site.kernel.array_named
    found = (n.value for n in nodes(call) if isinstance(n, cst.Name) and n.value in arrays)
    return list(dict.fromkeys(found))


def _errors(site: Site, call: cst.Call) -> Iterator[str]:
    if _function(call) not in OF_NOTHING:
        yield EMPTY
    if len(arrays_in(site, call)) > 1 or any(divides(n) or isinstance(n, cst.Subscript) for n in nodes(call)):
        yield OTHER_ERRORS


def apart_from(site: Site, call: cst.Call, touched: tuple[Access, ...]) -> Iterator[str]:
    """That what the loop writes is not what the reduction reads."""
    written = sorted({site.kernel.array(access.array).owner for access in touched if access.write})
    for name in arrays_in(site, call):
        for other in written:
            yield from overlapping(site.kernel, {name: False, other: True})

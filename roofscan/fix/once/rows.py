"""Functions of a row that loops compute again in each of their iterations, stored before them (RFL503):

for p in range(n):                          cos_angles = np.empty(len(angles))
    for a in range(len(angles)):            for a in range(len(angles)):
        out[p, a] = cos(angles[a])              cos_angles[a] = cos(angles[a])
                                            for p in range(n):
                                                for a in range(len(angles)):
                                                    out[p, a] = cos_angles[a]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import libcst as cst

from roofscan.fix.bounds import range_ends
from roofscan.fix.elements import listed, types_of
from roofscan.fix.hazards import divides, never_raises, touched_in
from roofscan.fix.linear import Linear
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import NUMPY, Numbers, function_name
from roofscan.fix.once.reductions import OTHER_ERRORS, apart_from, arrays_in, only_known_calls
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import (
    New,
    Renaming,
    Replacing,
    block,
    code,
    enclosing_loops,
    fresh_name,
    fresh_names,
    loaded_names,
    loop_name,
    nodes,
    stored_names,
)
from roofscan.ir.tree import Operation
from roofscan.ir.visitor import leaves

Row = tuple[cst.Call, cst.For]
"""A call, and the innermost loop that makes it."""

_PLAIN = (
    cst.Name, cst.Integer, cst.Float, cst.BinaryOperation, cst.UnaryOperation, cst.Attribute, cst.Subscript,
)  # fmt: skip


def stored_before(site: Site) -> Fix | None:
    """None where the values may change, or are not made in each iteration of the innermost loop."""
    numpy = module_name(site.source, "numpy")
    loops = site.loops_named()
    if not numpy or len(loops) != 1 or site.kernel.decorator.parallel or not only_known_calls(site, loops[0]):
        return None
    outer, rows = loops[0], list(_rows(site, loops[0]))
    arrays = dict.fromkeys(name for call, _ in rows for name in arrays_in(site, call))
    if not rows or not _is_double(site, outer, arrays):
        return None
    taken = loaded_names(site.function) | stored_names(site.function)
    first_of = {code(call): (call, inner) for call, inner in reversed(rows)}
    names = fresh_names({text: _name(site, call) for text, (call, _) in first_of.items()}, taken)
    changes: dict[cst.CSTNode, New] = {
        call: cst.parse_expression(f"{names[code(call)]}[{loop_name(inner)}]") for call, inner in rows
    }
    body = outer.body.visit(Replacing(changes))
    made = [*_stores(site, first_of, names, numpy, taken)]
    first = made[0].with_changes(leading_lines=outer.leading_lines)
    new: New = cst.FlattenSentinel([first, *made[1:], outer.with_changes(body=body, leading_lines=())])
    touched = touched_in(site, outer) or ()
    apart = dict.fromkeys(text for call, _ in rows for text in apart_from(site, call, touched))
    what = f"store {listed([*names.values()])} before the loop over {loop_name(outer)}"
    why = "" if all(_stays_inside(call, inner) for call, inner in rows) else OTHER_ERRORS
    module = site.source.replaced({outer: new})
    return Fix(site, module, what, "unsafe" if why else "safe", why, (*apart, *types_of(site.kernel, arrays)))


def _rows(site: Site, outer: cst.For) -> Iterator[Row]:
    """The outermost calls of functions of what an innermost loop alone moves, in each of its iterations."""
    bound = {loop_name(outer), *stored_names(*block(outer))}
    touched, numbers = touched_in(site, outer), Numbers(site.kernel, site.function)
    written = {site.kernel.array(access.array).owner for access in touched or () if access.write}
    inside: set[int] = set()
    for node in (n for statement in block(outer) for n in nodes(statement)) if touched is not None else ():
        inner = enclosing_loops(site.source, node)[0] if isinstance(node, cst.Call) else outer
        if not isinstance(node, cst.Call) or inner is outer or id(node) in inside or not _is_function(node):
            continue
        functions = {part.attr.value for part in nodes(node) if isinstance(part, cst.Attribute)}
        names, arrays = loaded_names(*node.args) - functions, arrays_in(site, node)
        alone = written.isdisjoint(site.kernel.array_named[name].owner for name in arrays)
        moved_alone = names & bound == {loop_name(inner)} and loop_name(inner) not in stored_names(*block(inner))
        known = names <= {*arrays, *numbers.names, *NUMPY, "math"}
        if alone and moved_alone and known and _is_plain(node) and _is_reached(site, node, inner, outer, bound):
            inside.update(id(part) for part in nodes(node))
            yield node, inner


def _is_function(call: cst.Call) -> bool:
    plain = not any(arg.keyword or arg.star for arg in call.args)
    return bool(function_name(call)) or (plain and bool(call.args) and code(call.func).startswith("math."))


def _is_plain(call: cst.Call) -> bool:
    """Whether the arguments are numbers, elements of arrays, functions of them and their sums and products."""
    for node in nodes(call):
        if isinstance(node, cst.Call):
            if not _is_function(node):
                return False
        elif isinstance(node, cst.BaseExpression) and not isinstance(node, _PLAIN):
            return False
        if isinstance(node, cst.Attribute) and code(node.value) not in (*NUMPY, "math"):
            return False
        if divides(node) or isinstance(node, cst.Slice):
            return False
    return True


def _is_reached(site: Site, call: cst.Call, inner: cst.For, outer: cst.For, bound: set[str]) -> bool:
    """Whether no test stands between a call and the outer loop, and no loop between has other places in each
    iteration."""
    ends, node, own = range_ends(inner), site.source.parents[call], loop_name(inner)
    while node is not outer:
        if isinstance(node, (cst.If, cst.While, cst.IfExp, cst.BooleanOperation, cst.Comparison)):
            return False
        node = site.source.parents[node]
    fixed = loaded_names(inner.iter).isdisjoint(bound | {own})
    return ends is not None and ends[0] == Linear(0) and fixed and never_raises(inner)


def _is_double(site: Site, outer: cst.For, arrays: Iterable[str]) -> bool:
    """Whether the functions give float64, as the new arrays hold, and take it."""
    lines = site.source.lines(outer)
    called = [n for n in leaves(site.kernel.body) if isinstance(n, Operation) and n.kind == "special"]
    types = [op.dtype for op in called if op.line in lines] + [site.kernel.array_named[a].dtype for a in arrays]
    return all(dtype.code == "f8" for dtype in types)


def _name(site: Site, call: cst.Call) -> str:
    """``cos_angles``"""
    arrays = arrays_in(site, call)
    return f"{code(call.func).rpartition('.')[2]}_{arrays[0] if arrays else 'row'}"


def _stores(
    site: Site, rows: Mapping[str, Row], names: Mapping[str, str], numpy: str, taken: set[str]
) -> Iterator[cst.BaseStatement]:
    """The arrays, and a loop for those of one length that fills them: over the same variable, where nothing else knows
    it."""
    filled: dict[tuple[str, str], list[str]] = {}
    for text, (_, inner) in rows.items():
        stop, variable = _stop(inner), loop_name(inner)
        size = stop if _is_length(stop) else f"max({stop}, 0)"
        yield cst.parse_statement(f"{names[text]} = {numpy}.empty({size})\n")
        filled.setdefault((variable, stop), []).append(f"    {names[text]}[{variable}] = {text}\n")
    for (variable, stop), lines in filled.items():
        fill = cst.parse_statement(f"for {variable} in range({stop}):\n{''.join(lines)}")
        own = variable if _is_of_loops_alone(site, variable) else fresh_name(variable, taken)
        taken.add(own)
        yield fill if own == variable else Renaming(variable, cst.Name(own)).of(fill)


def _stop(loop: cst.For) -> str:
    ends = range_ends(loop)
    return code(ends[1]) if ends else ""


def _is_of_loops_alone(site: Site, name: str) -> bool:
    """Whether it is read in loops over it alone."""
    read = (n for n in nodes(site.function.body) if isinstance(n, cst.Name) and n.value == name)
    return all(any(loop_name(loop) == name for loop in enclosing_loops(site.source, node)) for node in read)


def _is_length(text: str) -> bool:
    return text.startswith("len(") or ".shape[" in text or text.endswith(".size")


def _stays_inside(call: cst.Call, inner: cst.For) -> bool:
    """Whether the loop runs over all of each array that it takes an element of."""
    stop = _stop(inner)
    for node in (n for n in nodes(call) if isinstance(n, cst.Subscript)):
        array, places = code(node.value), [code(part.slice) for part in node.slice]
        if places != [loop_name(inner)] or stop not in (f"len({array})", f"{array}.shape[0]", f"{array}.size"):
            return False
    return True

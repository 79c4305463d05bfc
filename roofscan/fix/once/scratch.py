"""Scratch arrays that a loop makes in each iteration, made once before it (RFL504): an iteration that never keeps its
array finds the memory of the one before, as ``np.empty`` may give it anyway."""

from __future__ import annotations

from collections import Counter

import libcst as cst

from roofscan.fix.elements import listed
from roofscan.fix.linear import is_length
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import Numbers
from roofscan.fix.once.reductions import REDUCTIONS
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import (
    assigned_name,
    bindings,
    block,
    code,
    enclosing_loops,
    loaded_names,
    loop_name,
    nodes,
    only_assignment,
    parameter_names,
    stored_names,
)

FACTS = ("shape", "size", "ndim", "dtype")  # attributes that hold on to no element
NEW = REDUCTIONS | {"dot"}  # functions of NumPy that give a number or a new array
SCOPES = (cst.FunctionDef, cst.Lambda, cst.BaseComp)


def made_before(site: Site) -> Fix | None:
    """The arrays before the loop; None where something may keep the array of an iteration."""
    names, kernel = site.finding.subject.names, site.kernel
    loop = site.source.loop_at(site.function, site.finding.line, names[0]) if names else None
    if loop is None or loop.orelse or not kernel.decorator.compiled or kernel.decorator.parallel:
        return None
    lines = [statement for statement in block(loop) if isinstance(statement, cst.SimpleStatementLine)]
    made = [statement for statement in lines if _is_scratch(site, loop, statement)]
    rest = [statement for statement in block(loop) if statement not in made]
    if not made or not rest:
        return None
    first = made[0].with_changes(leading_lines=(*loop.leading_lines, *made[0].leading_lines))
    body = loop.body.with_changes(body=rest)
    new = cst.FlattenSentinel([first, *made[1:], loop.with_changes(body=body, leading_lines=())])
    what = f"make {listed([assigned_name(statement) for statement in made])} before the loop over {loop_name(loop)}"
    return Fix(site, site.source.replaced({loop: new}), what)


def _is_scratch(site: Site, loop: cst.For, statement: cst.SimpleStatementLine) -> bool:
    name, assignment = assigned_name(statement), only_assignment(statement)
    if not name or assignment is None or not isinstance(assignment.value, cst.Call):
        return False
    if not _is_empty(site, assignment.value) or not is_bound_once(site, name):
        return False
    numbers, made_at = Numbers(site.kernel, site.function), site.source.start(statement)
    uses = (n for n in nodes(site.function) if isinstance(n, cst.Name) and n.value == name)
    return all(
        loop in enclosing_loops(site.source, use)
        and site.source.start(use) > made_at
        and _is_let_go(site, use, numbers)
        for use in uses
        if use is not assignment.targets[0].target
    )


def _is_empty(site: Site, call: cst.Call) -> bool:
    """Whether it makes an array without values, whose extents are literals or lengths of arguments: before the loop,
    too, it then raises nothing."""
    numpy = module_name(site.source, "numpy")
    if not numpy or code(call.func) != f"{numpy}.empty" or not call.args:
        return False
    shape, *options = call.args
    extents = [e.value for e in shape.value.elements] if isinstance(shape.value, cst.Tuple) else [shape.value]
    known = all(isinstance(extent, cst.Integer) or _is_length(site, extent) for extent in extents)
    return known and not shape.keyword and not shape.star and all(_is_type(option, numpy) for option in options)


def _is_length(site: Site, extent: cst.BaseExpression) -> bool:
    fixed = set(site.kernel.parameters) & set(site.kernel.array_named) - stored_names(site.function)
    return is_length(extent) and loaded_names(extent) - {"len", "shape"} <= fixed


def _is_type(option: cst.Arg, numpy: str) -> bool:
    """Whether an argument is a type that does not change, ``dtype=np.float32``."""
    named = option.keyword is None or option.keyword.value == "dtype"
    return named and not option.star and isinstance(option.value, cst.Attribute) and code(option.value.value) == numpy


def is_bound_once(site: Site, name: str) -> bool:
    """Whether nothing else gives or takes the name, and no function inside sees it."""
    every = nodes(site.function)
    inner = (node for node in every if isinstance(node, SCOPES) and node is not site.function)
    loose = any(isinstance(node, (cst.Del, cst.Global, cst.Nonlocal)) for node in every)
    hidden = any(name in loaded_names(scope) for scope in inner)
    return (
        Counter(bindings(site.function))[name] == 1
        and name not in parameter_names(site.function)
        and not loose
        and not hidden
    )


def _is_let_go(site: Site, use: cst.Name, numbers: Numbers) -> bool:
    """Whether nothing has the array behind a use."""
    parent = site.source.parents[use]
    if isinstance(parent, cst.Attribute):
        return parent.value is use and (parent.attr.value in FACTS or _is_reduction(site, parent))
    if isinstance(parent, cst.Subscript) and parent.value is use:
        return numbers.is_number(parent) or _is_target(site, parent) or _is_computed_with(site, parent)
    return _is_computed_with(site, use)


def _is_target(site: Site, subscript: cst.Subscript) -> bool:
    parent = site.source.parents[subscript]
    return isinstance(parent, cst.AssignTarget) or (isinstance(parent, cst.AugAssign) and parent.target is subscript)


def _is_reduction(site: Site, method: cst.Attribute) -> bool:
    call = site.source.parents[method]
    return isinstance(call, cst.Call) and call.func is method and method.attr.value in REDUCTIONS and not call.args


def _is_computed_with(site: Site, array: cst.BaseExpression) -> bool:
    """Whether an array, or a part of it, is an operand, or is copied into elements of another array."""
    parent = site.source.parents[array]
    if isinstance(parent, cst.BinaryOperation):
        return True
    if isinstance(parent, cst.Arg):
        return parent.keyword is None and not parent.star and _gives_new(site, site.source.parents[parent])
    if isinstance(parent, cst.AugAssign):
        return parent.value is array and isinstance(parent.target, cst.Subscript)
    if not isinstance(parent, cst.Assign):
        return False
    bases = [target.target.value for target in parent.targets if isinstance(target.target, cst.Subscript)]
    arrays = all(isinstance(base, cst.Name) and base.value in site.kernel.array_named for base in bases)
    return len(bases) == len(parent.targets) and arrays


def _gives_new(site: Site, call: cst.CSTNode) -> bool:
    function = call.func if isinstance(call, cst.Call) else None
    of_numpy = isinstance(function, cst.Attribute) and code(function.value) == module_name(site.source, "numpy")
    return of_numpy and isinstance(function, cst.Attribute) and function.attr.value in NEW

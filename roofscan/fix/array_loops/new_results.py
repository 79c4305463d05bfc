"""Whole-array statements that end in a new value, as one loop under Numba (RFL301, RFL302, RFL504): the sum of an
expression, which needs no array then, or an array, into which the loop writes. Measured under Numba 0.68 on Zen 5:
a sum of squared differences 1.3 to 15 times the speed, a new array by two temporaries 2 to 25 times. Numba's sum adds
in the order of the elements, as the loop does; of several axes it takes the order in which they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import libcst as cst

from roofscan.fix.array_loops.element_loop import ElementLoop, Line, Stretches
from roofscan.fix.array_loops.one_loop import ArrayLoop, in_place_of, statements_named
from roofscan.fix.elements import NotElementwise, is_fresh, lengths_in, walks_of
from roofscan.fix.hazards import is_plain
from roofscan.fix.model import Fix, Site
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import Replacing, assigned_name, bindings, code, fresh_name, loaded_names, nodes, siblings

MAX_STATEMENTS = 12  # statements before the last that are tried
ORDER = "sums of several axes are added up in another order"

Anchor = tuple[str, Stretches]
"""An array over whose elements a loop runs, and what a subscript takes of its axes."""

Ending = Callable[[ElementLoop, cst.BaseExpression], None]
"""What an iteration does with its element of an expression."""


def summed(site: Site) -> Fix | None:
    """The last statement of the finding that adds up an expression, with those before it that make its arrays."""
    found = loop_of_sum(site) if _shares_no_loops(site) else None
    return in_place_of(site, found, *([ORDER] if found and found.body.rank > 1 else []))


def new_array(site: Site) -> Fix | None:
    """The last statement of the finding that makes an array, with the temporaries that it is made of."""
    found = loop_of_result(site) if _shares_no_loops(site) else None
    is_one_loop = found is not None and len(found.statements) < 2  # Numba makes one loop of one expression
    return None if is_one_loop else in_place_of(site, found)


def loop_of_sum(site: Site) -> ArrayLoop | None:
    for statement in statements_named(site)[::-1]:
        total = sum_in(statement) if is_plain(*_without_return(statement)) else None
        if total is not None:
            name = fresh_name("total", loaded_names(site.function))
            with suppress(NotElementwise):
                run, body, _ = _longest(site, statement, summand(total), partial(_add, name))
                behind = with_total(statement, total, cst.Name(name))
                return ArrayLoop([*run, statement], body, (), name, [behind])
            return None
    return None


def loop_of_result(site: Site) -> ArrayLoop | None:
    numpy = module_name(site.source, "numpy")
    for statement in statements_named(site)[::-1] if numpy else ():
        value, own = _value(statement), assigned_name(statement)
        name = own or fresh_name("result", loaded_names(site.function))
        if value is None or not is_fresh(value) or not (_is_new(site, value, own) if own else _returns(statement)):
            continue
        with suppress(NotElementwise):
            run, body, like = _longest(site, statement, value, partial(_put, name))
            made = cst.parse_statement(f"{name} = {numpy}.empty_like({like})\n")
            last = [] if own else [cst.parse_statement(f"return {name}\n")]
            return ArrayLoop([*run, statement], body, [made], "", last)
    return None


def _shares_no_loops(site: Site) -> bool:
    """Whether a compiled function has its loops to itself, on numbers of double precision."""
    decorator = site.kernel.decorator
    return decorator.compiled and not decorator.parallel and _is_double(site)


def _is_double(site: Site) -> bool:
    """Sums start at 0.0, and new arrays are like those that they are made of."""
    return {array.dtype.code for array in site.kernel.arrays} == {"f8"}


def sum_in(statement: Line) -> cst.Call | None:
    """The one sum of an expression that a statement holds."""
    found = [node for node in nodes(statement) if isinstance(node, cst.Call) and _is_sum(node)]
    return found[0] if len(found) == 1 else None


def _is_sum(call: cst.Call) -> bool:
    if any(arg.keyword or arg.star for arg in call.args) or not isinstance(call.func, cst.Attribute):
        return False
    is_method = not call.args and is_fresh(call.func.value)
    is_function = len(call.args) == 1 and code(call.func.value) in ("np", "numpy")
    return call.func.attr.value == "sum" and (is_method or is_function)


def summand(call: cst.Call) -> cst.BaseExpression:
    assert isinstance(call.func, cst.Attribute)
    return call.args[0].value if call.args else call.func.value


def with_total(statement: Line, total: cst.Call, new: cst.BaseExpression) -> Line:
    """The statement with another number in the place of its sum; its comments stay before the loop."""
    changed = statement.with_changes(leading_lines=[], trailing_whitespace=cst.TrailingWhitespace())
    made = changed.visit(Replacing({total: new}))
    assert isinstance(made, Line)
    return made


def _value(statement: Line) -> cst.BaseExpression | None:
    small = statement.body[0]
    return small.value if isinstance(small, (cst.Return, cst.Assign, cst.AugAssign)) else None


def _without_return(statement: Line) -> Iterator[cst.BaseStatement]:
    """What a statement computes, as statements of their own."""
    small = statement.body[0]
    value = small.value if isinstance(small, cst.Return) else None
    yield (
        statement if value is None else cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name("_"))], value)])
    )


def _is_new(site: Site, value: cst.BaseExpression, name: str) -> bool:
    """Whether a name is bound once alone, and not read in its value."""
    bound = [*bindings(site.function), *site.kernel.parameters].count(name)
    return bound == 1 and name not in loaded_names(value)


def _returns(statement: Line) -> bool:
    return isinstance(statement.body[0], cst.Return)


def _add(name: str, body: ElementLoop, node: cst.BaseExpression) -> None:
    body.add_to(name, node)


def _put(name: str, body: ElementLoop, node: cst.BaseExpression) -> None:
    body.put_into(name, node)


# -- the loop ---------------------------------------------------------------------------------------------
def _longest(
    site: Site, statement: Line, expression: cst.BaseExpression, end: Ending
) -> tuple[list[Line], ElementLoop, str]:
    """The most statements before one that make the arrays of its expression and nothing else, what the loop over the
    elements does, and an array of the expression's shape. NotElementwise where there is no such loop."""
    for run in reversed([[*run] for run in _runs_before(site, statement)]):
        with suppress(NotElementwise):
            return run, *filled(site, run, expression, end)
    raise NotElementwise


def filled(site: Site, before: Sequence[Line], expression: cst.BaseExpression, end: Ending) -> tuple[ElementLoop, str]:
    """What the loop does for some statements and an expression, and an array of its shape."""
    for anchor, text in _anchors(site, {*bindings(*before)}, expression, *(_value(s) for s in before)):
        with suppress(NotElementwise):
            return _loop_body(site, before, anchor, expression, end), text
    raise NotElementwise


def _runs_before(site: Site, statement: Line) -> Iterator[Sequence[Line]]:
    """None, the one before, the two before … of the statements that give one name a value."""
    around = [*siblings(site.source, statement)]
    before = around[: around.index(statement)] if statement in around else []
    run = list[Line]()
    yield run
    for node in reversed(before):
        if not isinstance(node, Line) or not assigned_name(node) or len(run) == MAX_STATEMENTS:
            break
        run = [node, *run]
        yield run


def _anchors(site: Site, made: set[str], *parts: cst.BaseExpression | None) -> Iterator[tuple[Anchor, str]]:
    """The arrays in some expressions that are not ``made`` there, each with the text that takes it. Of a compiled
    function only those from outside: Numba runs what makes the others in loops of its own."""
    seen, compiled = set[str](), site.kernel.decorator.compiled
    for node in (node for part in parts if part is not None for node in nodes(part)):
        base = node.value if isinstance(node, cst.Subscript) else node
        array = site.kernel.array_named.get(base.value) if isinstance(base, cst.Name) else None
        if array is None or array.name in made or (compiled and array.role not in ("parameter", "global")):
            continue
        if (text := code(node)) not in seen:
            seen.add(text)
            with suppress(NotElementwise):
                taken = node.slice if isinstance(node, cst.Subscript) else ()
                walks = walks_of(taken, len(array.shape), lengths_in(site.function))
                yield (array.name, walks), text


def _loop_body(
    site: Site, before: Sequence[Line], anchor: Anchor, expression: cst.BaseExpression, end: Ending
) -> ElementLoop:
    """NotElementwise where the statements before make arrays that something else reads, or nothing does."""
    body = ElementLoop(site, *anchor)
    for statement in before:
        body.add(statement)
    end(body, expression)
    body.loops()
    made = [name for s in before for name in bindings(s)]
    inside = {id(node) for part in (*before, expression) for node in nodes(part)}
    read = {n.value for n in nodes(site.function) if isinstance(n, cst.Name) and id(n) not in inside}
    values = (value for s in before if (value := _value(s)) is not None)
    if not read.isdisjoint(made) or not loaded_names(expression, *values).issuperset(made):
        raise NotElementwise
    return body

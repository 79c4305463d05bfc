"""Whole-array statements that end in a new value, as one loop under Numba (RFL301, RFL302, RFL504): the sum of an
expression, which needs no array then, or an array, into which the loop writes. Measured under Numba 0.68 on Zen 5:
a sum of squared differences 1.3 to 15 times the speed, a new array by two temporaries 2 to 25 times. Numba's sum adds
in the order of the elements, as the loop does; of several axes it takes the order in which they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import libcst as cst

from roofscan.fix.array_loops.element_loop import ElementLoop
from roofscan.fix.array_loops.loop_axes import anchors
from roofscan.fix.array_loops.one_loop import ArrayLoop, in_place_of, statements_named
from roofscan.fix.array_loops.stores import Axes, Line, store_of
from roofscan.fix.array_loops.walks import NotElementwise
from roofscan.fix.decorator import SUMS
from roofscan.fix.elements import is_fresh, of_unknown_rank
from roofscan.fix.hazards import is_plain
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import NUMPY
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import (
    Replacing,
    assigned_name,
    bindings,
    code,
    fresh_name,
    is_repeated,
    loaded_names,
    nodes,
    siblings,
)

MAX_STATEMENTS = 12  # statements before the last that are tried
ORDER = "sums of several axes are added up in another order"

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
    if found is None or (is_one_loop and not found.body.sums):
        return None
    return in_place_of(site, found, *([SUMS] if found.body.sums else []))


def loop_of_sum(site: Site) -> ArrayLoop | None:
    for statement in statements_named(site)[::-1]:
        total = sum_in(statement) if is_plain(*_without_return(statement)) else None
        if total is not None:
            name = fresh_name("total", loaded_names(site.function))
            with suppress(NotElementwise):
                run, body, _ = _longest(site, statement, summand(total), partial(_add, name))
                value = value_of(site, total, name, body)
                behind = with_total(statement, total, cst.parse_expression(name if site.outlined else value))
                return ArrayLoop([*run, statement], body, (), name, [behind], value)
            return None
    return None


def loop_of_result(site: Site, stored: bool = False) -> ArrayLoop | None:
    """The last statement of the finding that makes an array; ``stored``: that stores it in another one, which the
    expression may read at other places."""
    numpy = module_name(site.source, "numpy")
    for statement in statements_named(site)[::-1] if numpy else ():
        value, own = _value(statement), assigned_name(statement)
        is_own = bool(own) and value is not None and _is_new(site, value, own)
        name = own if is_own else fresh_name("result", loaded_names(site.function))
        if value is None or not is_fresh(value) or stored != (store_of(site, statement) is not None):
            continue
        if not (is_own or site.outlined or _returns(statement)):
            continue
        with suppress(NotElementwise):
            run, body, like = _longest(site, statement, value, partial(_put, name))
            if body.is_open:
                continue
            made = cst.parse_statement(f"{name} = {numpy}.{_empty(site, body, like)}\n")
            last = [] if is_own else [with_total(statement, value, cst.Name(name))]
            return ArrayLoop([*run, statement], body, [made], "", last)
    return None


def _empty(site: Site, body: ElementLoop, like: str) -> str:
    """The call that makes an array for the elements that loops compute."""
    if like and not body.sums:
        order = ', order="C"' if like in of_unknown_rank(site.kernel) else ""
        return f"empty_like({like}{order})"
    lengths = ", ".join(body.lengths)
    return f"empty(({lengths}))" if body.rank > 1 else f"empty({lengths})"


def _shares_no_loops(site: Site) -> bool:
    """Whether a compiled function has its loops to itself, on numbers of double precision."""
    decorator = site.kernel.decorator
    return decorator.compiled and not decorator.parallel and _is_double(site)


def _is_double(site: Site) -> bool:
    """Sums start at 0.0, and new arrays are like those that they are made of."""
    return {array.dtype.code for array in site.kernel.arrays} == {"f8"}


def sum_in(statement: Line) -> cst.Call | None:
    """The one sum or mean of an expression that a statement holds."""
    found = [node for node in nodes(statement) if isinstance(node, cst.Call) and _is_sum(node)]
    return found[0] if len(found) == 1 else None


def _is_sum(call: cst.Call) -> bool:
    if any(arg.keyword or arg.star for arg in call.args) or not isinstance(call.func, cst.Attribute):
        return False
    is_method = not call.args and is_fresh(call.func.value)
    is_function = len(call.args) == 1 and code(call.func.value) in NUMPY and is_fresh(call.args[0].value)
    return call.func.attr.value in ("sum", "mean") and (is_method or is_function)


def value_of(site: Site, call: cst.Call, name: str, body: ElementLoop) -> str:
    """What stands for a sum or mean, by the name of the sum; the mean of nothing is NaN."""
    assert isinstance(call.func, cst.Attribute)
    if call.func.attr.value == "sum":
        return name
    if not (numpy := module_name(site.source, "numpy")):
        raise NotElementwise
    return f"{numpy}.divide({name}, {body.size})"


def summand(call: cst.Call) -> cst.BaseExpression:
    assert isinstance(call.func, cst.Attribute)
    return call.args[0].value if call.args and code(call.func.value) in NUMPY else call.func.value


def with_total(statement: Line, total: cst.BaseExpression, new: cst.BaseExpression) -> Line:
    """The statement with something else in the place of its sum; its comments stay before the loop."""
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
    sums = [n for n in nodes(node) if isinstance(n, cst.Call) and _is_sum_along(n, body.rank - 1)]
    if len(sums) == 1:
        total = body.fresh("total")
        body.sum_along_last(total, summand(sums[0]))
        changed = node.visit(Replacing({sums[0]: cst.Name(total)}))
        assert isinstance(changed, cst.BaseExpression)
        node = changed
    body.put_into(name, node)


def _is_sum_along(call: cst.Call, axis: int) -> bool:
    """``x.sum(axis=-1)`` or ``np.sum(x, axis=-1)`` of an expression."""
    *most, last = call.args or [cst.Arg(cst.Name("x"))]
    if not isinstance(call.func, cst.Attribute) or code(last.value) not in ("-1", str(axis)) or last.star:
        return False
    if (last.keyword and last.keyword.value != "axis") or any(arg.keyword or arg.star for arg in most):
        return False
    of = most[0].value if code(call.func.value) in NUMPY and len(most) == 1 else call.func.value if not most else None
    return call.func.attr.value == "sum" and of is not None and is_fresh(of)


# -- the loop ---------------------------------------------------------------------------------------------
def _longest(
    site: Site, statement: Line, expression: cst.BaseExpression, end: Ending
) -> tuple[list[Line], ElementLoop, str]:
    """The most statements before one that make the arrays of its expression and nothing else, what the loop over the
    elements does, and an array of the expression's shape. NotElementwise where there is no such loop."""
    for run in reversed([[*run] for run in _runs_before(site, statement)]):
        with suppress(NotElementwise):
            return run, *filled(site, run, expression, end, statement)
    raise NotElementwise


def filled(
    site: Site, before: Sequence[Line], expression: cst.BaseExpression, end: Ending, last: Line
) -> tuple[ElementLoop, str]:
    """What the loop does for some statements and an expression of the last one, and an array of its shape."""
    for axes, text in anchors(site, {*bindings(*before)}, expression, *(_value(s) for s in before)):
        with suppress(NotElementwise):
            return _loop_body(site, before, axes, expression, end, last), text
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


def _loop_body(
    site: Site, before: Sequence[Line], axes: Axes, expression: cst.BaseExpression, end: Ending, last: Line
) -> ElementLoop:
    """NotElementwise where the statements before make arrays that something else reads, or nothing does."""
    first = [*before, last][0]
    body = ElementLoop(site, axes, at=first if site.outlined else None)
    for statement in before:
        body.add(statement)
    end(body, expression)
    body.loops()
    made = [name for s in before for name in bindings(s)]
    inside = {id(node) for part in (*before, expression) for node in nodes(part)}
    behind = _behind(site, first) if site.outlined else nodes(site.function)
    read = {n.value for n in behind if isinstance(n, cst.Name) and id(n) not in inside} - {assigned_name(last)}
    values = (value for s in before if (value := _value(s)) is not None)
    if not read.isdisjoint(made) or not loaded_names(expression, *values).issuperset(made):
        raise NotElementwise
    return body


def _behind(site: Site, first: Line) -> Iterable[cst.CSTNode]:
    """The nodes of a function that may see what a statement binds: in a loop, and of functions, all."""
    every = nodes(site.function)
    if is_repeated(site.source, first) or any(isinstance(n, (cst.Lambda, cst.FunctionDef)) for n in every[1:]):
        return every
    start = site.source.start(first)
    return (n for n in every if isinstance(n, cst.Name) and site.source.start(n) >= start)

"""A plain function of whole-array statements, compiled by Numba with one loop over the elements (RFL301, RFL302): one
that stores into its arguments, or adds an expression up. Not one that makes arrays: the first touch of fresh memory
under Numba takes what the loop gains. Nor one with NumPy's special functions: they are vector code, Numba's are not
(measured: 0.13 to 1.15 of NumPy's speed). A sum of squared differences of 1,000 to 5 million elements takes Numba 0.08
to 0.9 of NumPy's time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from roofscan.fix.array_loops.element_loop import ElementLoop
from roofscan.fix.array_loops.new_results import filled, sum_in, summand, value_of, with_total
from roofscan.fix.array_loops.one_loop import starting_at
from roofscan.fix.array_loops.stores import Line, store_of, stored_into
from roofscan.fix.array_loops.walks import NotElementwise
from roofscan.fix.decorator import DIVISIONS, FASTMATH, SUMS, numba_name
from roofscan.fix.hazards import divides
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import Numbers, is_alike
from roofscan.fix.source import New, block, code, comments, fresh_name, loaded_names, nodes
from roofscan.frozen import dataclass

SUBSCRIPTS = "shapes and subscripts are not checked"
COMPILED = "Numba rounds in its own way, and takes only arrays and 64-bit numbers"
PLAIN_SUM = "the sum is a float of Python"  # 1 divided by it may raise, and it has no methods of NumPy


@dataclass(frozen=True)
class _Parts:
    """What the statements of a function become: those before the loop and behind it stay."""

    before: Sequence[cst.BaseStatement]
    body: ElementLoop
    behind: Sequence[cst.BaseStatement]
    sums: bool = False  # whether it adds up, in another order than NumPy in any case


def compiled_function(site: Site) -> Fix | None:
    """None where the function would not certainly be the same."""
    function, named = site.function, numba_name(site.source, "njit", site.function)
    own = [s for s in block(function) if not _is_docstring(s)]
    statements = [s for s in own if isinstance(s, Line)]
    if named is None or function.decorators or function.asynchronous or len(statements) < max(1, len(own)):
        return None
    if not isinstance(site.source.parents[function], cst.Module) or comments(function.body) or _has_stars(function):
        return None
    try:
        parts = _parts(site, statements)
        loops = parts.body.loops() if parts and _is_alike(site, parts) else ()
    except NotElementwise:
        return None
    if parts is None or not loops:
        return None
    documented = block(function)[: len(block(function)) - len(own)]
    name, imported = named
    may_divide = _may_divide(parts)
    options = [*(['error_model="numpy"'] if may_divide else []), *([f"fastmath={FASTMATH}"] if parts.sums else [])]
    head = cst.Decorator(cst.parse_expression(f"{name}({', '.join(options)})" if options else name))
    whole = [*documented, *parts.before, *loops, *parts.behind]
    new = function.with_changes(decorators=[head], body=function.body.with_changes(body=whole))
    what = f"compile {site.kernel.name} with njit, as one loop over the elements"
    changes: dict[cst.CSTNode, New] = {**imported, function: new}
    whys = SUBSCRIPTS, *([DIVISIONS] if may_divide else []), *([SUMS, PLAIN_SUM] if parts.sums else []), COMPILED
    option = "fastmath" if parts.sums else ""
    return Fix(site, site.source.replaced(changes), what, "unsafe", ", ".join(whys), parts.body.assumed(), option)


def _parts(site: Site, statements: Sequence[Line]) -> _Parts | None:
    types = {array.dtype.code for array in site.kernel.arrays}
    if any(store_of(site, s) for s in statements):
        return _of_stores(site, statements) if types in ({"f8"}, {"c16"}) else None
    return _of_sum(site, statements) if types == {"f8"} else None


def _of_stores(site: Site, statements: Sequence[Line]) -> _Parts:
    stores = [store for s in statements if (store := store_of(site, s))]
    body = ElementLoop(site, stored_into(site, stores[-1]))
    before = [*takewhile(body.is_of_numbers, statements)]
    last = [s for s in statements[-1:] if _returns_argument(site, s)]
    for statement in statements[len(before) : len(statements) - len(last)]:
        body.add(statement)
    return _Parts(before, body, last)


def _of_sum(site: Site, statements: Sequence[Line]) -> _Parts | None:
    """A number that rests on the sum of an expression is all that the function returns."""
    *most, last = statements
    total = sum_in(last)
    if total is None or not isinstance(last.body[0], cst.Return):
        return None
    name, numbers = fresh_name("total", loaded_names(site.function)), Numbers(site.kernel, site.function)
    behind = with_total(last, total, cst.Float("0.0")).body[0]
    if not isinstance(behind, cst.Return) or behind.value is None or not numbers.is_number(behind.value):
        return None
    before = [*takewhile(lambda s: numbers.are_given_by(s), most)]
    body, _ = filled(site, most[len(before) :], summand(total), lambda found, node: found.add_to(name, node), last)
    value = cst.parse_expression(value_of(site, total, name, body))
    return _Parts([*before, starting_at(name)], body, [with_total(last, total, value)], True)


def _is_alike(site: Site, parts: _Parts) -> bool:
    """Whether Numba computes the same from the same: to it a global array is a constant, and complex divisions by 0
    raise in any error model."""
    around = [node for s in (*parts.before, *parts.behind) for node in nodes(s)]
    if any(array.role == "global" for array in site.kernel.arrays) or not all(map(is_alike, around)):
        return False
    is_complex = any(array.dtype.code == "c16" for array in site.kernel.arrays)
    return not parts.body.is_special and not (is_complex and _may_divide(parts))


def _may_divide(parts: _Parts) -> bool:
    return parts.body.divides or any(divides(node) for s in (*parts.before, *parts.behind) for node in nodes(s))


def _is_docstring(statement: cst.BaseStatement) -> bool:
    small = statement.body[0] if isinstance(statement, Line) else None
    return isinstance(small, cst.Expr) and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))


def _returns_argument(site: Site, statement: Line) -> bool:
    small = statement.body[0]
    return isinstance(small, cst.Return) and (small.value is None or code(small.value) in site.kernel.parameters)


def _has_stars(function: cst.FunctionDef) -> bool:
    given = function.params
    return bool(given.star_kwarg or given.kwonly_params or isinstance(given.star_arg, cst.Param))

"""Compiler options that a finding asks for, as keywords of the function's decorator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import libcst as cst

from roofscan.cost.compiled.compiled_loop import tested_divisions
from roofscan.fix.bounds import range_ends
from roofscan.fix.elements import listed
from roofscan.fix.hazards import is_plain, overlaps
from roofscan.fix.liveness import carries, leaks
from roofscan.fix.model import Fix, Site
from roofscan.fix.premises.contradicted import expects_division_errors
from roofscan.fix.premises.negative import assumed_natural
from roofscan.fix.source import New, SourceTree, loaded_names, loop_name
from roofscan.ir.tree import Operation
from roofscan.ir.visitor import loops as loops_in

FASTMATH = '{"reassoc", "nsz"}'
SUMS = "sums are added up in another order"
DIVISIONS = "1/0 gives inf instead of an error"


def fastmath(site: Site) -> Fix | None:
    """Sums that may be added up in any order; where a tested divisor would keep their loop scalar, divisions as in
    NumPy, too."""
    if not has_tested_divisions(site):
        return _with_option(site, "fastmath", FASTMATH, SUMS)
    functions, changes = _that_divide(site), option(site, "fastmath", FASTMATH)
    if functions is None or changes is None or expects_division_errors(site):
        return None
    whole = _as_numpy_divides(functions, changes)
    what = f"add fastmath={FASTMATH} and {_option_of(site, functions)}"
    why = f"{SUMS}, {DIVISIONS}"
    return Fix(site, site.source.replaced(whole), what, "unsafe", why, option="fastmath") if whole else None


def error_model(site: Site) -> Fix | None:
    """Divisions as in NumPy, in the function and in those of the file that divide for it."""
    functions = None if expects_division_errors(site) else _that_divide(site)
    changes = _as_numpy_divides(functions, {}) if functions else None
    what = f"add {_option_of(site, functions)}" if functions else ""
    return Fix(site, site.source.replaced(changes), what, "unsafe", DIVISIONS) if changes else None


def _as_numpy_divides(
    functions: Sequence[cst.FunctionDef], others: Mapping[cst.CSTNode, New]
) -> dict[cst.CSTNode, New] | None:
    """The changes to the decorators of functions, on top of other ones; None where one of them is not compiled, or has
    an option that is not a literal."""
    found = {**others}
    for function in functions:
        head = compiling(function)
        now = found.get(head, head) if head else None
        changed = _changed(now, "error_model", cst.parse_expression('"numpy"')) if _is_expression(now) else None
        if head is None or changed is None:
            return None
        found[head] = changed
    return found


def _is_expression(node: New | None) -> TypeGuard[cst.BaseExpression]:
    return isinstance(node, cst.BaseExpression)


def _option_of(site: Site, functions: Sequence[cst.FunctionDef]) -> str:
    """``error_model="numpy" to f``, where f is another function."""
    names = [function.name.value for function in functions]
    return 'error_model="numpy"' + (f" to {listed(names)}" if functions != (site.function,) else "")


def has_tested_divisions(site: Site) -> bool:
    """Whether the loops of the finding test divisors for 0."""
    return any(_tested(site))


def _tested(site: Site) -> Iterator[Operation]:
    lines = {site.finding.line, *site.finding.lines}
    found = (loop for loop in loops_in(site.kernel.body) if loop.line in lines and not loop.is_elsewhere)
    return (op for loop in found for op in tested_divisions(site.kernel, loop))


def _that_divide(site: Site) -> tuple[cst.FunctionDef, ...] | None:
    """The functions whose tests for 0 keep the finding's loops scalar; None where one of them is not in the file."""
    by = {op.tested_by for op in _tested(site)}
    others = [node for node in site.source.module.body if isinstance(node, cst.FunctionDef)]
    found = [site.function] if site.kernel.name in by else []
    for name in sorted(by - {site.kernel.name}):
        called = [node for node in others if node.name.value == name.rpartition(".")[2]]
        if len(called) != 1 or called[0] is site.function:
            return None
        found += called
    return tuple(found) or None


def parallel(site: Site) -> Fix | None:
    """A ``prange``, for sizes that are known: threads cost more than they gain where a call is short."""
    loops = site.loops_named()
    if len(loops) != 1 or not site.is_bound or range_ends(loops[0]) is None or not is_plain(loops[0]):
        return None
    if leaks(site.source, site.function, loops) or carries(site.source, loops[0]):
        return None
    named = numba_name(site.source, "prange", site.function)
    head, range_ = option(site, "parallel", "True"), loops[0].iter
    if named is None or head is None or not isinstance(range_, cst.Call):
        return None
    name, imported = named
    changes = {**head, **imported, range_: range_.with_changes(func=cst.parse_expression(name))}
    body = tuple(n for n in loops_in(site.kernel.body) if n.line == site.finding.line)
    natural = assumed_natural(site.kernel, body)
    if natural is None:
        return None
    what = f"make {loop_name(loops[0])} a prange (parallel=True)"
    why = "threads share the iterations"
    return Fix(site, site.source.replaced(changes), what, "unsafe", why, (*overlaps(site.kernel, body), *natural))


def compiled_caller(site: Site) -> Fix | None:
    """The plain function whose loop calls the kernel, compiled as a whole."""
    loop = site.kernel.python_loop
    if loop is None or not loop.alone or loop.line < site.kernel.line:
        return None
    functions = (node for node in site.source.module.body if isinstance(node, cst.FunctionDef))
    caller = next((node for node in functions if loop.line in site.source.lines(node)), None)
    named = numba_name(site.source, "njit", caller) if caller else None
    if caller is None or named is None or caller.decorators or caller.asynchronous:
        return None
    name, imported = named
    changed = caller.with_changes(decorators=(cst.Decorator(cst.parse_expression(name)),))
    module = site.source.replaced({**imported, caller: changed})
    why = "it then takes arrays and numbers alone, and its integers have 64 bits"
    return Fix(site, module, f"compile {loop.caller}", "unsafe", why)


def numba_name(source: SourceTree, wanted: str, user: cst.CSTNode) -> tuple[str, dict[cst.CSTNode, New]] | None:
    """What the file calls ``prange``, ``njit`` … at a node, with the import that it needs; None where it imports
    nothing of Numba above."""
    for node in _imports_above(source, user):
        if isinstance(node, cst.Import):
            for alias in node.names:
                if alias.evaluated_name == "numba":
                    return f"{alias.evaluated_alias or 'numba'}.{wanted}", {}
        elif isinstance(node.module, cst.Name) and node.module.value == "numba":
            if isinstance(node.names, cst.ImportStar):
                return wanted, {}
            for alias in node.names:
                if alias.evaluated_name == wanted:
                    return alias.evaluated_alias or wanted, {}
            if wanted not in loaded_names(source.module):
                return wanted, {node: node.with_changes(names=(*node.names, cst.ImportAlias(cst.Name(wanted))))}
    return None


def _imports_above(source: SourceTree, user: cst.CSTNode) -> Iterator[cst.Import | cst.ImportFrom]:
    lines = (s for s in source.module.body if isinstance(s, cst.SimpleStatementLine))
    above = (s for s in lines if source.start(s) < source.start(user))
    return (small for s in above for small in s.body if isinstance(small, (cst.Import, cst.ImportFrom)))


def _with_option(site: Site, keyword: str, value: str, why: str) -> Fix | None:
    changes = option(site, keyword, value)
    what = f"add {keyword}={value}"
    return Fix(site, site.source.replaced(changes), what, "unsafe", why, option=keyword) if changes else None


def option(site: Site, keyword: str, value: str) -> dict[cst.CSTNode, New] | None:
    """The function's ``njit`` or ``jit`` with a keyword; None where it has one whose value is not a literal."""
    found = compiling(site.function)
    changed = _changed(found, keyword, cst.parse_expression(value)) if found else None
    return {found: changed} if found and changed else None


def compiling(function: cst.FunctionDef) -> cst.BaseExpression | None:
    """The function's ``njit`` or ``jit``."""
    found = (d.decorator for d in function.decorators)
    return next((decorator for decorator in found if _name(decorator) in ("njit", "jit")), None)


def _name(decorator: cst.BaseExpression) -> str:
    if isinstance(decorator, cst.Call):
        return _name(decorator.func)
    last = decorator.attr if isinstance(decorator, cst.Attribute) else decorator
    return last.value if isinstance(last, cst.Name) else ""


def _changed(decorator: cst.BaseExpression, keyword: str, value: cst.BaseExpression) -> cst.BaseExpression | None:
    plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    new = cst.Arg(value, cst.Name(keyword), plain)
    if not isinstance(decorator, cst.Call):
        return cst.Call(decorator, [new])
    if any(arg.star for arg in decorator.args):
        return None
    old = next((arg for arg in decorator.args if arg.keyword and arg.keyword.value == keyword), None)
    if old is None:
        return decorator.with_changes(args=_appended(decorator, new))
    if not isinstance(old.value, (cst.Name, cst.SimpleString)) or _is_variable(old.value):
        return None
    return decorator.with_deep_changes(old, value=value)


def _appended(call: cst.Call, new: cst.Arg) -> tuple[cst.Arg, ...]:
    """Behind the others, on a line of its own where they have lines of their own."""
    last = call.args[-1] if call.args else None
    if last is None:
        return (new,)
    if not isinstance(last.comma, cst.Comma):
        end = last.whitespace_after_arg
        last = last.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
        return (*call.args[:-1], last, new.with_changes(whitespace_after_arg=end))
    space, first = last.comma.whitespace_after, call.whitespace_before_args
    if not isinstance(space, cst.ParenthesizedWhitespace) or not isinstance(first, cst.ParenthesizedWhitespace):
        return (*call.args[:-1], last.with_changes(comma=cst.MaybeSentinel.DEFAULT), new)
    behind = cst.Comma(whitespace_after=space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=()))
    space = space.with_changes(indent=first.indent, last_line=first.last_line)
    moved = last.with_changes(comma=last.comma.with_changes(whitespace_after=space))
    return (*call.args[:-1], moved, new.with_changes(comma=behind))


def _is_variable(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value not in ("True", "False", "None")

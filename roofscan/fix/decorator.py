"""Compiler options that a finding asks for, as a keyword of the function's decorator."""

from __future__ import annotations

import libcst as cst

from roofscan.fix.model import Fix, Site
from roofscan.ir.kernel import Operation
from roofscan.ir.visitor import leaves

FASTMATH = '{"reassoc", "nsz"}'


def fastmath(site: Site) -> Fix | None:
    """Sums that may be added up in any order."""
    return _with_option(site, "fastmath", FASTMATH, "sums are added up in another order")


def error_model(site: Site) -> Fix | None:
    """Divisions as in NumPy, where all of them are the function's own."""
    by = {node.tested_by for node in leaves(site.kernel.body) if isinstance(node, Operation) and node.tested_by}
    own = by <= {site.kernel.name}
    return _with_option(site, "error_model", '"numpy"', "1/0 gives inf instead of an error") if own else None


def _with_option(site: Site, keyword: str, value: str, why: str) -> Fix | None:
    """The function's ``njit`` or ``jit`` with a keyword; None where it has one whose value is not a literal."""
    found = next((d for d in site.function.decorators if _name(d.decorator) in ("njit", "jit")), None)
    changed = found and _changed(found.decorator, keyword, cst.parse_expression(value))
    if found is None or changed is None:
        return None
    return Fix(site, site.source.replaced({found.decorator: changed}), f"add {keyword}={value}", "unsafe", why)


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
        return decorator.with_changes(args=(*decorator.args, new))
    if not isinstance(old.value, (cst.Name, cst.SimpleString)) or _is_variable(old.value):
        return None
    return decorator.with_deep_changes(old, value=value)


def _is_variable(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value not in ("True", "False", "None")

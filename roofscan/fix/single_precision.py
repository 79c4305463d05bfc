"""float32 data that stay float32 (RFL401): constants as ``np.float32(0.5)``, fresh arrays with a ``dtype``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.fix.model import Fix, Site
from roofscan.fix.source import New, SourceTree, children_of, nodes

MAKERS = frozenset(("zeros", "ones", "empty"))
WHY = "the arithmetic is in single precision"


def float32(site: Site) -> Fix | None:
    """The constants, or the array, that the finding is about."""
    numpy = module_name(site.source, "numpy")
    if not numpy:
        return None
    about = site.finding.subject
    if about.kind == "array" and site.finding.lines:
        changes = _arrays(site, numpy, site.finding.lines[0])
        what = f"make {about.names[0]} a float32 array"
    else:
        changes = _constants(site, numpy) if site.kernel.decorator.compiled else {}
        what = f"write {numpy}.float32(...) for constants"
    return Fix(site, site.source.replaced(changes), what, "unsafe", WHY) if changes else None


def module_name(source: SourceTree, module: str) -> str:
    """What all functions of a file may call a module that it imports; "" where there is no such name, or it may be
    that of another module."""
    named: dict[str, str] = {}
    for alias in _imported(source.module):
        name = alias.evaluated_alias or alias.evaluated_name
        if named.setdefault(name, alias.evaluated_name) != alias.evaluated_name:
            named[name] = ""
    return next((name for name, of in named.items() if of == module), "")


def _imported(node: cst.CSTNode) -> Iterator[cst.ImportAlias]:
    """What imports outside of functions name."""
    if isinstance(node, cst.Import):
        yield from node.names
    elif not isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.BaseExpression)):
        for child in children_of(node):
            yield from _imported(child)


def _constants(site: Site, numpy: str) -> dict[cst.CSTNode, New]:
    """The float literals that are operands on the finding's line, each with another operand that is none."""
    found: dict[cst.CSTNode, New] = {}
    for node in nodes(site.function.body):
        operands: tuple[cst.BaseExpression, ...] = ()
        if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.Power):
            operands = (node.left, node.right)
        elif isinstance(node, cst.AugAssign):
            operands = (node.value,)
        literals = [operand for operand in operands if isinstance(operand, cst.Float)]
        if len(literals) == 1 and site.source.line(literals[0]) == site.finding.line:
            found[literals[0]] = cst.parse_expression(f"{numpy}.float32({literals[0].value})")
    return found


def _arrays(site: Site, numpy: str, line: int) -> dict[cst.CSTNode, New]:
    """The call on a line that makes an array without a dtype."""
    for node in nodes(site.function.body):
        if (
            not isinstance(node, cst.Call)
            or len(node.args) != 1
            or node.args[0].keyword
            or site.source.line(node) != line
        ):
            continue
        name = node.func
        if isinstance(name, cst.Attribute) and isinstance(name.value, cst.Name) and name.value.value == numpy:
            if name.attr.value in MAKERS:
                plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
                dtype = cst.Arg(cst.parse_expression(f"{numpy}.float32"), cst.Name("dtype"), plain)
                return {node: node.with_changes(args=(*node.args, dtype))}
    return {}

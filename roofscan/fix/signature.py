"""Signatures that let arrays have any strides, for arrays in C order (RFL505)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.fix.decorator import compiling
from roofscan.fix.model import Fix, Site
from roofscan.fix.premises.contradicted import gets_strided_arrays
from roofscan.fix.source import Replacing, code

WHY = "arrays that are not in C order raise TypeError"


def contiguous(site: Site) -> Fix | None:
    """``f8[::1]`` for ``f8[:]`` in the signatures of the function, in the types of its arguments."""
    decorator = compiling(site.function)
    given = [arg for arg in decorator.args if not arg.keyword] if isinstance(decorator, cst.Call) else []
    if len(given) != 1 or given[0].star:
        return None
    changes = {} if gets_strided_arrays(site) else dict(_in_rows(given[0].value))
    what = "write [::1] for [:] in the signature"
    return Fix(site, site.source.replaced(changes), what, "unsafe", WHY) if changes else None


def _in_rows(signature: cst.BaseExpression) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
    """The array types of any strides, and their replacements: in text, calls, tuples of types, and lists of these."""
    if isinstance(signature, cst.SimpleString):
        new = _in_text(signature)
        if new is not None:
            yield signature, new
    elif isinstance(signature, (cst.Tuple, cst.List)):
        for element in signature.elements:
            yield from _in_rows(element.value)
    elif isinstance(signature, cst.Call):
        for arg in signature.args:
            yield from _in_rows(arg.value)
    elif isinstance(signature, cst.Subscript) and _is_any(signature):
        yield signature, _contiguous(signature)


def _in_text(text: cst.SimpleString) -> cst.SimpleString | None:
    """The same in a signature that is text."""
    if text.prefix:
        return None
    try:
        signature = cst.parse_expression(text.raw_value)
    except cst.ParserSyntaxError:
        return None
    changes = dict(_in_rows(signature))
    new = signature.visit(Replacing(changes))
    if not changes or not isinstance(new, cst.BaseExpression):
        return None
    return text.with_changes(value=f"{text.quote}{code(new)}{text.quote}")


def _is_any(node: cst.Subscript) -> bool:
    """``f8[:, :]``"""
    slices = [part.slice for part in node.slice]
    return all(isinstance(s, cst.Slice) and s.lower is s.upper is s.step is None for s in slices)


def _contiguous(node: cst.Subscript) -> cst.Subscript:
    *before, last = node.slice
    by_one = cst.Slice(None, None, cst.Integer("1"), second_colon=cst.Colon())
    return node.with_changes(slice=(*before, last.with_changes(slice=by_one)))

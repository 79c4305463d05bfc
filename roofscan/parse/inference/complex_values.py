"""The names and arrays that complex values are bound to or stored in: ``psi[i] = psi[i] - 1j * dt * v[i]`` makes
``psi`` complex."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofscan.ir.dtypes import lookup
from roofscan.parse import syntax
from roofscan.parse.inference.operands import keyword, operand, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.syntax_walk import dotted_path, subscript_chain, walk

Binding = tuple[str, syntax.Expression]


def complex_arrays(nodes: list[Any], library: Library) -> set[str]:
    if not any(_makes_complex(node) for node in nodes) and not _has_imaginary_literal(nodes):
        return set()
    bound, stored = list(_bindings(nodes)), list(_stores(nodes))
    names: set[str] = set()
    before = -1
    while before != len(names):
        before = len(names)
        names |= {name for name, value in (*bound, *stored) if _is_complex(value, names, library)}
    return names & {name for name, _ in stored}


def _has_imaginary_literal(nodes: list[Any]) -> bool:
    literals = (part for node in nodes if isinstance(node, (syntax.Binary, syntax.Unary)) for part in walk(node))
    return any(isinstance(part, syntax.Literal) and isinstance(part.value, complex) for part in literals)


def _makes_complex(node: Any) -> bool:
    """Whether a call gives a complex value whatever its operands are: ``complex(a, b)``, ``np.zeros(n, complex)``."""
    if not isinstance(node, syntax.Call):
        return False
    path = dotted_path(node.function) or ""
    said = keyword(node, "dtype") or operand(node, 1)
    named = (dotted_path(said) if said is not None else None) or ""
    types = (lookup(name.rpartition(".")[2]) for name in (path, named) if name)
    return path.startswith("cmath.") or any(dtype is not None and dtype.kind == "complex" for dtype in types)


def _bindings(nodes: list[Any]) -> Iterator[Binding]:
    """The names that assignments bind, and the values."""
    for node in nodes:
        if isinstance(node, syntax.Assign) and node.value is not None:
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, syntax.Name))


def _stores(nodes: list[Any]) -> Iterator[Binding]:
    """The arrays that values are stored in, and the values."""
    for node in nodes:
        targets = node.targets if isinstance(node, syntax.Assign) else ()
        if isinstance(node, syntax.AugAssign):
            targets = (node.target,)
        for target in targets:
            base, items = subscript_chain(target)
            path = dotted_path(base)
            if path and node.value is not None and (items or isinstance(node, syntax.AugAssign)):
                yield path, node.value


def _is_complex(value: syntax.Expression, names: set[str], library: Library) -> bool:
    """Whether a value is complex where the values of ``names`` are."""

    def among(*parts: syntax.Expression) -> bool:
        return any(_is_complex(part, names, library) for part in parts)

    if isinstance(value, syntax.Literal):
        return isinstance(value.value, complex)
    if isinstance(value, (syntax.Name, syntax.Subscript)):
        return dotted_path(subscript_chain(value)[0]) in names
    if isinstance(value, syntax.Binary):
        return among(value.left, value.right)
    if isinstance(value, syntax.Unary):
        return value.op != "not" and among(value.operand)
    if isinstance(value, syntax.Conditional):
        return among(value.then, value.orelse)
    if isinstance(value, syntax.Call):
        rule = rule_of(value, library)
        keeps = rule.is_elementwise and not rule.makes_real and not rule.makes_mask
        return _makes_complex(value) or (keeps and among(*operands_of(value)))
    return False

"""The numbers that a class says its attributes are: ``TPB = 64`` in its body, or ``self.TPB = 64`` once in a method."""

from __future__ import annotations

from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Assign, Class, Expression, Literal, Name
from roofscan.parse.syntax_walk import dotted_path, walk_all


def class_size(module: Module, method: str, attribute: str) -> int | None:
    """What the class of a method (``Class.method``) says; None where it says nothing, or several things."""
    parts = method.split(".")
    bound = module.bindings.get(parts[0], []) if len(parts) == 2 else []
    classes = [module.class_at(definition) for definition in bound if definition.kind == "class"]
    said = _said(classes[0], attribute) if len(classes) == 1 and classes[0] is not None else []
    value = said[0].value if len(said) == 1 and isinstance(said[0], Literal) else None
    return value if isinstance(value, int) and value > 0 else None


def _said(owner: Class, attribute: str) -> list[Expression | None]:
    """All that the class assigns to an attribute."""
    own = [s for s in owner.body if isinstance(s, Assign)]
    inner = [node for node in walk_all(owner.body) if isinstance(node, Assign)]
    return [
        *(s.value for s in own for t in s.targets if isinstance(t, Name) and t.id == attribute),
        *(s.value for s in inner for t in s.targets if dotted_path(t) == f"self.{attribute}"),
    ]

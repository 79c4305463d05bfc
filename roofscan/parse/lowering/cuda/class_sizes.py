"""What a class says its attributes are: ``TPB = 64`` in its body, ``self.TPB = 64`` or ``self.x = np.zeros(n)`` once in
a method."""

from __future__ import annotations

from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Assign, Class, Expression, Function, Literal, Name
from roofscan.parse.syntax_walk import dotted_path, walk, walk_all


def class_size(module: Module, method: str, attribute: str) -> int | None:
    """What the class of a method (``Class.method``) says; None where it says nothing, or several things."""
    parts = method.split(".")
    bound = module.bindings.get(parts[0], []) if len(parts) == 2 else []
    classes = [module.class_at(definition) for definition in bound if definition.kind == "class"]
    said = _said(classes[0], attribute) if len(classes) == 1 and classes[0] is not None else []
    value = said[0].value if len(said) == 1 and isinstance(said[0], Literal) else None
    return value if isinstance(value, int) and value > 0 else None


def method_name(module: Module, host: Function) -> str:
    """``Class.method`` of a function; "" of one that stands alone."""
    own = (name for name in module.functions if name.endswith(f".{host.name}"))
    return next((name for name in own if (f := module.function(name)) is not None and f.place == host.place), "")


def made_in_class(module: Module, host: Function, attribute: str) -> tuple[Function, Expression] | None:
    """What a method of the class of ``host`` assigns to ``self.attribute``, and that method: the first one."""
    owner = method_name(module, host).rpartition(".")[0]
    names = (name for name in module.functions if owner and name.rpartition(".")[0] == owner)
    for method in filter(None, map(module.function, names)):
        for node in walk(method.body):
            if isinstance(node, Assign) and any(dotted_path(t) == f"self.{attribute}" for t in node.targets):
                return (method, node.value) if node.value is not None else None
    return None


def _said(owner: Class, attribute: str) -> list[Expression | None]:
    """All that the class assigns to an attribute."""
    own = [s for s in owner.body if isinstance(s, Assign)]
    inner = [node for node in walk_all(owner.body) if isinstance(node, Assign)]
    return [
        *(s.value for s in own for t in s.targets if isinstance(t, Name) and t.id == attribute),
        *(s.value for s in inner for t in s.targets if dotted_path(t) == f"self.{attribute}"),
    ]

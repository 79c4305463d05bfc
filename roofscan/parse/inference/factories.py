"""Functions that a factory makes at the top level of a module: ``smooth = make_filter(3)``."""

from __future__ import annotations

from roofscan.parse.reader.module import SELF, Module
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Expression,
    ExpressionStatement,
    Function,
    Literal,
    Name,
    Return,
    Unary,
)


def factory_call(module: Module, name: str) -> tuple[Function, Call] | None:
    """What the name is assigned, once: a call of a function that only makes and returns functions."""
    written = module.constants.get(name)
    origin = module.resolve(written.function) if isinstance(written, Call) else None
    if not isinstance(written, Call) or origin is None or not origin.startswith(SELF):
        return None
    factory = module.function(origin.removeprefix(SELF))
    if factory is None or factory.decorators or not _only_makes_functions(factory):
        return None
    return factory, written


def _only_makes_functions(factory: Function) -> bool:
    """Whether a factory has functions and the numbers that they use: ``scale = 1.0 / order``."""
    return all(
        isinstance(node, (Function, Return))
        or (isinstance(node, ExpressionStatement) and isinstance(node.value, Literal))
        or (isinstance(node, Assign) and isinstance(node.targets[0], Name) and _is_arithmetic(node.value))
        for node in factory.body
    )


def _is_arithmetic(written: Expression | None) -> bool:
    if isinstance(written, Binary):
        return _is_arithmetic(written.left) and _is_arithmetic(written.right)
    if isinstance(written, Unary):
        return _is_arithmetic(written.operand)
    return isinstance(written, (Literal, Name)) or (isinstance(written, Attribute) and _is_arithmetic(written.base))


def made_by_factory(module: Module, name: str) -> Function | None:
    """The function that the factory returns under its name."""
    found = factory_call(module, name)
    last = found[0].body[-1] if found is not None else None
    if found is None or not isinstance(last, Return) or not isinstance(last.value, Name):
        return None
    return module.function(f"{found[0].name}.{last.value.id}")

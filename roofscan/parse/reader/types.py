"""The types of a candidate's parameters, as far as its source says them.

A Numba signature wins over ``locals=``, and that over annotations (Numba itself ignores annotations).
"""

from __future__ import annotations

import re
from dataclasses import replace

from roofscan.parse.reader.decorators import constant, is_type_call
from roofscan.parse.reader.docstrings import documented_types
from roofscan.parse.reader.find import Candidate
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.type_expressions import UNKNOWN, ParameterType, parsed, read_type
from roofscan.parse.syntax import Assign, Call, Expression, Literal, Name, Sequence

__all__ = ["ParameterType", "gufunc_dims", "parameter_types", "signature_types"]


def parameter_types(candidate: Candidate, module: Module) -> dict[str, ParameterType]:
    """Name -> type, for every parameter and whatever else is typed: names of ``locals=``, and ``self.field``
    of a jitclass's fields. What the source does not say is of kind "unknown"."""
    parameters = [p for p in candidate.function.parameters if not p.star]
    types = {p.name: read_type(p.annotation, module) for p in parameters}
    types |= {name: kind for name, kind in documented_types(candidate.function).items() if types[name] == UNKNOWN}
    types |= _known({name: read_type(kind, module) for name, kind in candidate.options.locals.items()})
    written = next((signature_types(each, module) for each in candidate.options.signatures), None)
    names = [p.name for p in parameters]
    if written is not None and len(written) == len(names):
        types |= _known(dict(zip(names, written)))
    if candidate.options.layout is not None:
        types |= _with_layout(candidate.options.layout, names, types)
    return types | _fields(candidate, module)


_DIM = re.compile(r"[A-Za-z_]\w*|[0-9]{1,18}", re.ASCII)
"""A core dimension: a name, or a fixed size."""


def _known(types: dict[str, ParameterType]) -> dict[str, ParameterType]:
    return {name: kind for name, kind in types.items() if kind != UNKNOWN}


def _fields(candidate: Candidate, module: Module) -> dict[str, ParameterType]:
    """The fields of a jitclass: those of its spec, and those annotated in its body."""
    if candidate.decorator.kind != "jitclass":
        return {}
    written = dict(_annotated_fields(candidate, module))
    written |= candidate.options.fields
    return {f"self.{name}": read_type(kind, module) for name, kind in written.items()}


def _annotated_fields(candidate: Candidate, module: Module) -> list[tuple[str, Expression]]:
    dotted = candidate.name.rpartition(".")[0]
    path = next(iter(module.function_paths.get(candidate.name, [])), ())
    node = module.class_at(path[-2]) if len(path) > 1 and dotted else None
    return [
        (statement.targets[0].id, statement.annotation)
        for statement in (node.body if node else ())
        if isinstance(statement, Assign) and statement.annotation and isinstance(statement.targets[0], Name)
    ]


def signature_types(written: Expression, module: Module) -> list[ParameterType] | None:
    """The argument types of ``"void(f8[:], i8)"``, ``float64(float64[:])`` or a tuple of types; else None."""
    expression: Expression | None = constant(written, module)
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        expression = parsed(expression.value)
    if isinstance(expression, Sequence) and expression.kind == "tuple":
        return [read_type(item, module) for item in expression.items]
    if isinstance(expression, Call) and is_type_call(expression):
        return [read_type(item, module) for item in expression.args]
    if expression is not None and (single := read_type(expression, module)) != UNKNOWN:
        return [single]  # "(f8[:])" and (f8[:]): one argument, no return type
    return None


def gufunc_dims(layout: str) -> tuple[list[tuple[int | str, ...]], list[tuple[int | str, ...]]] | None:
    """The core dimensions of the inputs and of the outputs of ``"(n),(m,k)->(n)"``; None if it is none."""
    sides = "".join(layout.split()).split("->")
    if len(sides) != 2:
        return None
    inputs, outputs = _groups(sides[0]), _groups(sides[1])
    return None if inputs is None or outputs is None else (inputs, outputs)


def _groups(side: str) -> list[tuple[int | str, ...]] | None:
    if not side:
        return []
    if not (side.startswith("(") and side.endswith(")")):
        return None
    groups = [group.split(",") if group else [] for group in side[1:-1].split("),(")]
    words = [[word.removesuffix("?") for word in group] for group in groups]
    if not all(_DIM.fullmatch(word) for group in words for word in group):
        return None
    return [tuple(int(word) if word[0].isdigit() else word for word in group) for group in words]


def _with_layout(layout: str, names: list[str], types: dict[str, ParameterType]) -> dict[str, ParameterType]:
    """The types with the layout's extents: an input ``()`` is a scalar, an output ``()`` an array of one."""
    dims = gufunc_dims(layout)
    if dims is None or len(dims[0]) + len(dims[1]) != len(names):
        return {}
    inputs, outputs = dims
    found: dict[str, ParameterType] = {}
    for position, (name, core) in enumerate(zip(names, inputs + outputs)):
        said = types.get(name, UNKNOWN)
        if not core and position < len(inputs) and said.kind != "array":
            found[name] = ParameterType("scalar", said.dtype, 0)
            continue
        extents = core or (1,)
        order = said.order if said.kind == "array" else "C"
        found[name] = replace(said, kind="array", ndim=len(extents), order=order, dims=extents)
    return found

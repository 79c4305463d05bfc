"""The types of a candidate's parameters: a Numba signature wins over ``locals=``, and that over annotations (Numba
itself ignores annotations) and the docstring."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F4, F8, DType, lookup
from roofscan.ir.facts import ArrayFact, Facts
from roofscan.parse.reader.decorators import constant, is_type_call
from roofscan.parse.reader.facts import no_type
from roofscan.parse.reader.find import Candidate
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.type_expressions import UNKNOWN, ParameterType, element_type, parsed, read_type
from roofscan.parse.syntax import (
    Assign,
    Call,
    Expression,
    ExpressionStatement,
    Function,
    Literal,
    Name,
    Place,
    Sequence,
)

__all__ = [
    "ParameterType",
    "Signature",
    "gufunc_dims",
    "known_facts",
    "parameter_types",
    "signature",
    "unreadable_annotations",
]

_ARRAY_TYPE = re.compile(r"\s*([A-Za-z_][\w.]*)\[")
_CODE = re.compile(r"[biufc]\d+")


@dataclass(frozen=True)
class Signature:
    """The types of the arguments, and that of the result where it is written."""

    arguments: tuple[ParameterType, ...]
    result: ParameterType = UNKNOWN


def parameter_types(candidate: Candidate, module: Module) -> dict[str, ParameterType]:
    """Name -> type, for every parameter and whatever else is typed: names of ``locals=``, and ``self.field``
    of a jitclass's fields. What the source does not say is of kind "unknown"."""
    parameters = [p for p in candidate.function.parameters if not p.star]
    types = {p.name: _as_passed(read_type(p.annotation, module)) for p in parameters}
    types |= {name: kind for name, kind in documented_types(candidate.function).items() if types[name] == UNKNOWN}
    types |= _known({name: read_type(kind, module) for name, kind in candidate.options.locals.items()})
    names = [p.name for p in parameters]
    written = [found for each in candidate.options.signatures if (found := signature(each, module)) is not None]
    if written and len(written[0].arguments) == len(names):
        kinds = zip(*(each.arguments for each in written))
        strict = [kind[0] if all(each.order == "A" for each in kind) else _as_passed(kind[0]) for kind in kinds]
        types |= _known(dict(zip(names, strict)))
    if candidate.options.layout is not None:
        types |= _with_layout(candidate.options.layout, names, types)
    return types | _fields(candidate, module)


def is_also_double(candidate: Candidate, module: Module) -> bool:
    """Whether a later signature has float64 where the first one has float32."""
    written = [found for each in candidate.options.signatures if (found := signature(each, module)) is not None]
    pairs = (
        (kind.dtype, other.dtype) for each in written[1:] for kind, other in zip(written[0].arguments, each.arguments)
    )
    return any(first == F4 and other == F8 for first, other in pairs)


def unreadable_annotations(candidate: Candidate) -> Iterator[str]:
    """What is wrong with annotations in quotes that begin as the type of an array does."""
    for parameter in candidate.function.parameters:
        text = parameter.annotation.value if isinstance(parameter.annotation, Literal) else None
        begins = _ARRAY_TYPE.match(text) if isinstance(text, str) else None
        if begins and parsed(str(text)) is None:
            yield f'the annotation of {parameter.name} is not read: "{text}" is not an expression'
        elif begins and _CODE.fullmatch(begins[1]) and lookup(begins[1]) is None:
            yield f"the annotation of {parameter.name} is not read: {no_type(begins[1])}"


def known_facts(facts: Facts, module: Module) -> tuple[Facts, list[str]]:
    """The facts with the structured types of the module for their names, and what is wrong with the others."""
    arrays: dict[str, ArrayFact] = {}
    problems: list[str] = []
    for name, fact in facts.arrays.items():
        dtype: DType | None = fact.dtype
        if not fact.dtype.size:
            dtype = element_type(Name(Place(0, 0, 0, 0), fact.dtype.code), module)
        if dtype is None:
            problems.append(no_type(fact.dtype.code))
        else:
            arrays[name] = replace(fact, dtype=dtype)
    return replace(facts, arrays=arrays), problems


def _as_passed(kind: ParameterType) -> ParameterType:
    """The type where nothing makes Numba compile for any layout: for the arrays that callers pass, in C order."""
    return replace(kind, order="C") if kind.order == "A" else kind


_DIM = re.compile(r"[A-Za-z_]\w*|[0-9]{1,18}", re.ASCII)  # a core dimension: a name, or a fixed size


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


def signature(written: Expression, module: Module) -> Signature | None:
    """The types of ``"void(f8[:], i8)"``, ``float64(float64[:])`` or a tuple of types; else None."""
    expression: Expression | None = constant(written, module)
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        expression = parsed(expression.value)
    if isinstance(expression, Sequence) and expression.kind == "tuple":
        return Signature(tuple(read_type(item, module) for item in expression.items))
    if isinstance(expression, Call) and is_type_call(expression):
        arguments = tuple(read_type(item, module) for item in expression.args)
        return Signature(arguments, read_type(expression.function, module))
    if expression is not None and (single := read_type(expression, module)) != UNKNOWN:
        return Signature((single,))  # "(f8[:])" and (f8[:]): one argument, no return type
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


_DTYPE = re.compile(r"\b(?:float|complex|u?int)(?:8|16|32|64|128)\b", re.ASCII)
_SHAPE = re.compile(r"[(\[]\s*(\w+\s*,(?:\s*\w+\s*,?)*)\s*[)\]]", re.ASCII)
_SAYS = rf"[`*]*(?: is | are |\s*:+\s*|\s+--?\s+|\s*\(|\s+(?={_DTYPE.pattern}))"
"""What stands between the name of a parameter and its description; nothing, where that begins with its type."""
_ARRAY = re.compile(r"\b(?:array|ndarray|vector|matrix|image|volume|tensor|grid)s?\b", re.ASCII | re.IGNORECASE)


def documented_types(function: Function) -> dict[str, ParameterType]:
    """The types that the docstring of a function gives its parameters, one line of it at a time."""
    text = _docstring(function)
    names = [p.name for p in function.parameters if not p.star]
    if not text or not names or not (_DTYPE.search(text) or _SHAPE.search(text)):
        return {}
    subject = re.compile(rf"(?<![\w.])[`*]*({'|'.join(map(re.escape, names))}){_SAYS}")
    found: dict[str, ParameterType] = {}
    for line in text.split("\n"):
        for name, said in _clauses(subject, line):
            kind = _type(said)
            if kind is not None:
                found.setdefault(name, kind)
    return found


def _docstring(function: Function) -> str:
    first = function.body[0] if function.body else None
    value = first.value if isinstance(first, ExpressionStatement) else None
    return value.value if isinstance(value, Literal) and isinstance(value.value, str) else ""


def _clauses(subject: re.Pattern[str], line: str) -> Iterator[tuple[str, str]]:
    """The parameters that a line refers to, and what it says of each: up to the next one."""
    matches = list(subject.finditer(line))
    ends = [match.start() for match in matches[1:]] + [len(line)]
    for match, end in zip(matches, ends):
        opened = match[0].endswith("(")
        yield match[1], ("(" if opened else "") + line[match.end() : end]


def _type(said: str) -> ParameterType | None:
    """An array's type where the text names a shape or calls it an array; else None."""
    shape, dtype = _SHAPE.search(said), _dtype(said)
    dims = tuple(_dim(word.strip()) for word in shape[1].split(",") if word.strip()) if shape else ()
    if any(dim is None for dim in dims) or (shape is not None and _DTYPE.search(shape[1])):
        dims = ()
    known = tuple(dim for dim in dims if dim is not None)
    if known:
        return ParameterType("array", dtype, len(known), dims=known, documented=True)
    if dtype is None:
        return None
    return (
        ParameterType("array", dtype, documented=True)
        if _ARRAY.search(said)
        else ParameterType("unknown", dtype, documented=True)
    )


def _dtype(said: str) -> DType | None:
    named = _DTYPE.search(said)
    return lookup(named[0]) if named else None


def _dim(word: str) -> int | str | None:
    if word.isdigit():
        return int(word) if 0 < len(word) <= 9 and int(word) > 0 else None
    return word if word.isidentifier() and word.lower() not in ("optional", "default", "none") else None

"""The part of Python's syntax that kernels are made of, as frozen data with places in the source. LibCST's trees keep
every blank; these keep what lowering reads. Anything else is an :class:`Other` node, which names what it is."""

from __future__ import annotations

from typing import Literal as OneOf
from typing import NamedTuple, Union

from roofscan.frozen import dataclass


class Place(NamedTuple):
    """From the first character of a node to behind its last one, brackets around it left out, as in LibCST."""

    line: int  # 1-based
    column: int  # 0-based, in characters
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Node:
    """What every expression and statement has. The place of a compound statement is that of all its lines."""

    place: Place


@dataclass(frozen=True)
class Name(Node):
    id: str


@dataclass(frozen=True)
class Literal(Node):
    """A number, text, bytes, True, False, None or ``...``; ``value`` is the Python object (an f-string: None)."""

    value: object


@dataclass(frozen=True)
class Attribute(Node):
    base: "Expression"
    name: str


@dataclass(frozen=True)
class Subscript(Node):
    base: "Expression"
    items: tuple["Expression", ...]  # A[i, j] has two, A[(i, j)] too, A[i] one


@dataclass(frozen=True)
class Slice(Node):
    lower: "Expression | None"
    upper: "Expression | None"
    step: "Expression | None"


@dataclass(frozen=True)
class Keyword:
    name: str | None  # None: **mapping
    value: "Expression"


@dataclass(frozen=True)
class Call(Node):
    function: "Expression"
    args: tuple["Expression", ...]
    keywords: tuple[Keyword, ...]
    starred: bool = False  # has *args


@dataclass(frozen=True)
class Binary(Node):
    """``op`` is one of + - * / // % ** @ & | ^ << >>."""

    op: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Unary(Node):
    """``op`` is one of - + ~ not."""

    op: str
    operand: "Expression"


BooleanOperator = OneOf["and", "or"]


@dataclass(frozen=True)
class Boolean(Node):
    """Two operands; of more, the first ones are the left operand."""

    op: BooleanOperator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Compare(Node):
    """``a < b <= c``: operands a, b, c and operators < <= (also == != in, not in, is, is not)."""

    operands: tuple["Expression", ...]
    operators: tuple[str, ...]


@dataclass(frozen=True)
class Conditional(Node):
    test: "Expression"
    then: "Expression"
    orelse: "Expression"


SequenceKind = OneOf["tuple", "list", "set"]


@dataclass(frozen=True)
class Sequence(Node):
    kind: SequenceKind
    items: tuple["Expression", ...]


@dataclass(frozen=True)
class Starred(Node):
    value: "Expression"


ComprehensionKind = OneOf["list", "generator"]


@dataclass(frozen=True)
class Comprehension(Node):
    """One ``for`` of a list comprehension or generator; more than one, or dict/set: Other."""

    kind: ComprehensionKind
    element: "Expression"
    target: "Expression"
    iterable: "Expression"
    conditions: tuple["Expression", ...]


@dataclass(frozen=True)
class Lambda(Node):
    parameters: tuple["Parameter", ...]
    body: "Expression"


@dataclass(frozen=True)
class Formatted(Node):
    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class Named(Node):
    target: Name
    value: "Expression"


@dataclass(frozen=True)
class Other(Node):
    """An expression or statement that is not modelled; ``kind`` names it for people ("a dict display"). ``parts`` are
    the subexpressions of a dict display: key, value, key, value … (none if it has a ``**``). Other kinds leave it
    empty. ``binds`` are the names that a statement may bind."""

    kind: str
    parts: tuple["Expression", ...] = ()
    binds: tuple[str, ...] = ()


Expression = Union[
    Name, Literal, Attribute, Subscript, Slice, Call, Binary, Unary, Boolean, Compare, Conditional,
    Sequence, Starred, Comprehension, Lambda, Formatted, Named, Other,
]  # fmt: skip


@dataclass(frozen=True)
class Assign(Node):
    """``a = b = value``; an annotated assignment has one target and its annotation (value None: declaration only)."""

    targets: tuple[Expression, ...]
    value: Expression | None
    annotation: Expression | None = None


@dataclass(frozen=True)
class AugAssign(Node):
    target: Expression
    op: str  # as Binary.op
    value: Expression


@dataclass(frozen=True)
class ExpressionStatement(Node):
    value: Expression


@dataclass(frozen=True)
class For(Node):
    target: Expression
    iterable: Expression
    body: tuple["Statement", ...]
    orelse: tuple["Statement", ...]


@dataclass(frozen=True)
class While(Node):
    test: Expression
    body: tuple["Statement", ...]
    orelse: tuple["Statement", ...]


@dataclass(frozen=True)
class If(Node):
    test: Expression
    body: tuple["Statement", ...]
    orelse: tuple["Statement", ...]  # an elif is an If inside


@dataclass(frozen=True)
class Return(Node):
    value: Expression | None


SimpleKind = OneOf["pass", "break", "continue", "raise", "del", "global", "nonlocal"]


@dataclass(frozen=True)
class Simple(Node):
    """``names`` are those that a ``global`` or ``nonlocal`` declares, or that a ``del`` takes something from."""

    kind: SimpleKind
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Import(Node):
    """``names`` are (what, bound as): ``import numpy as np`` is module "" with ("numpy", "np");
    ``from numba import njit as j`` is module "numba" with ("njit", "j"). ``level`` counts leading dots."""

    module: str
    level: int
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class With(Node):
    items: tuple[Expression, ...]
    body: tuple["Statement", ...]
    binds: tuple[str, ...] = ()  # the names after ``as``


@dataclass(frozen=True)
class Try(Node):
    """``handlers`` holds the bodies of all handlers, one after the other."""

    body: tuple["Statement", ...]
    handlers: tuple[tuple["Statement", ...], ...]
    orelse: tuple["Statement", ...]
    final: tuple["Statement", ...]


Star = OneOf["", "*", "**"]


@dataclass(frozen=True)
class Parameter:
    name: str
    annotation: Expression | None
    default: Expression | None
    star: Star = ""


@dataclass(frozen=True)
class Function(Node):
    """A def. ``place.line`` is the line of ``def`` itself (not of its decorators)."""

    name: str
    parameters: tuple[Parameter, ...]
    decorators: tuple[Expression, ...]
    body: tuple["Statement", ...]
    returns: Expression | None
    first_line: int  # of the first decorator


@dataclass(frozen=True)
class Class(Node):
    name: str
    decorators: tuple[Expression, ...]
    bases: tuple[Expression, ...]
    body: tuple["Statement", ...]


Statement = Union[
    Assign, AugAssign, ExpressionStatement, For, While, If, Return, Simple, Import, With, Try, Function,
    Class, Other,
]  # fmt: skip

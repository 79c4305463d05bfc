"""Abstract values: what an expression of the source stands for while it is lowered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import Literal, Union

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.data_subscripts import Element, Pointer, Shift
from roofscan.ir.dtypes import B1, C16, F8, I8, DType
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Expression, Function, Lambda
from roofscan.symbolic.expr import ONE, ZERO, Expr

IteratorKind = Literal["enumerate", "zip", "reversed", "ndindex"]


@dataclass(frozen=True)
class Displaced:
    """An integer that is not known: ``origin`` names a number computed under the loops ``depends``, ``rest`` is what is
    added to it. ``element``: what the number is, if one of an array; ``shift``: the whole, if it is made of one."""

    origin: int
    depends: frozenset[str]
    rest: Expr = ZERO
    element: Element | None = None
    shift: Shift | None = None
    pointer: Pointer | None = None

    def by(self, more: Expr) -> Displaced:
        return replace(self, rest=self.rest + more, shift=self._shifted(ONE, more))

    @property
    def negative(self) -> Displaced:
        return Displaced(-self.origin, self.depends, -self.rest, shift=self._shifted(-ONE, ZERO))

    def _shifted(self, sign: Expr, more: Expr) -> Shift | None:
        if self.shift is None or self.shift.modulus is not None:
            return None
        return replace(self.shift, expr=self.shift.expr * sign + more)

    @property
    def anywhere(self) -> Displaced:
        """The same number in a view, of which the place is not known."""
        return replace(self, element=None, shift=None, pointer=None)

    def ahead_of(self, other: Displaced | None) -> Expr | None:
        """By how much, where both move the same number."""
        return self.rest - other.rest if other is not None and self.origin == other.origin else None


@dataclass(frozen=True)
class Quotient:
    """A number as a quotient of integers; not ``exact``: one that is within one of it. ``number`` is the number itself,
    where floating arithmetic on known numbers makes it."""

    top: Expr
    bottom: Expr = ONE
    exact: bool = True
    number: float | None = None


@dataclass(frozen=True)
class NamedTest:
    """A test on integers, and what the names in it stood for."""

    expression: Expression
    names: tuple[tuple[str, "Value | None"], ...]


@dataclass(frozen=True)
class Scalar:
    """A number in a register. ``expr`` is the exact value of an integer that is known in loop variables and sizes.
    ``node`` is the id of the access or operation that computed it. ``weak`` marks a Python number (NEP 50), ``literal``
    a literal of the source (operations between literals are free). ``number`` is the value of a constant."""

    dtype: DType
    expr: Expr | None = None
    node: int | None = None
    number: int | float | complex | None = None
    literal: bool = False
    weak: bool = False
    loaded_from: tuple[str, tuple[Expr | None, ...]] | None = None
    why_unknown: str = ""  # of an integer without expr: where it comes from
    within: tuple[Expr, Expr] | None = None
    moved: Displaced | None = None  # of an integer without expr
    given: str = ""  # the parameter of the kernel that it is, where nothing else is known of its value
    outer: bool = False  # whether it is of the module or of the function around, which a call does not change
    or_none: bool = False  # whether it may be None instead
    least: DType | None = None  # the narrower type that it may have instead
    joined: bool = False  # whether it may be another value than that of its node
    quotient: Quotient | None = None  # of a floating number, or of an integer without expr
    test: NamedTest | None = None  # of a truth value that has a name

    @property
    def is_integer(self) -> bool:
        return self.dtype.kind in ("int", "bool")

    @property
    def made(self) -> bool:
        """Whether an access or an operation computed it; ids below 0 are parameters (see ``broadcast_sizes``)."""
        return self.node is not None and self.node > 0


@dataclass(frozen=True)
class Axis:
    """How a view addresses one dimension of an array: ``offset + step * subscript of view dimension dim``. ``dim``
    None: fixed at ``offset``. ``offset`` None: the address depends on data (``why``); with ``why`` it is known within
    one."""

    offset: Expr | None
    dim: int | None = None
    step: Expr = field(default_factory=lambda: Expr.of(1))
    why: str = ""
    within: tuple[Expr, Expr] | None = None
    written: Expr | None = None  # the subscript of the source, where the offset is not that
    moved: Displaced | None = None  # of an unknown offset
    unsigned: bool = False  # whether the subscript has a type without negative values


@dataclass(frozen=True)
class View:
    """An array or part of one: its extents, and how each dimension of the array is addressed."""

    array: str
    dtype: DType
    shape: tuple[Expr, ...]
    axes: tuple[Axis, ...]  # one per dimension of the array
    temporary: bool = False  # the fresh result of an expression
    relative: bool = False  # subscripts count from the current element (a stencil's argument)
    or_none: bool = False  # whether it may be None instead
    any_stride: bool = False  # whether iteration or unpacking gave it: Numba types such rows for any strides

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class TupleValue:
    items: tuple["Value", ...]
    kind: str = "tuple"  # as of :class:`~roofscan.parse.syntax.Sequence`
    fields: tuple[str, ...] = ()  # the names of a named tuple's items
    or_none: bool = False  # whether it may be None instead


@dataclass(frozen=True)
class RangeValue:
    start: Scalar
    stop: Scalar
    step: Scalar
    parallel: bool = False


@dataclass(frozen=True)
class IteratorValue:
    """``enumerate``, ``zip``, ``reversed`` or ``np.ndindex`` of its parts."""

    kind: IteratorKind
    parts: tuple["Value", ...]


@dataclass(frozen=True)
class GeneratedValue:
    """The numbers that a comprehension makes; ``lazy``: a generator, which makes them as they are read."""

    item: Scalar
    length: Expr
    lazy: bool = False


@dataclass(frozen=True)
class ListedViews:
    """The views of one array that a comprehension makes: the rows of ``whole``; ``lazy`` as in
    :class:`GeneratedValue`."""

    whole: View
    lazy: bool = False


@dataclass(frozen=True)
class ModuleRef:
    """A name from outside the file: ``numpy.sqrt``, ``math``, ``builtins.len``."""

    dotted: str


@dataclass(frozen=True)
class FunctionRef:
    """A function of the analysed file (or of ``module``), with the names of the functions around it."""

    function: Function | Lambda
    dotted: str
    scope: Mapping[str, "Value"] = field(default_factory=dict)
    module: Module | None = None
    receiver: "ObjectValue | None" = None  # of a method: its self
    defaults: Mapping[str, "Value"] = field(default_factory=dict)  # evaluated where the function was made
    others: tuple["FunctionRef", ...] = ()  # other definitions of the name, under conditions of the module
    cached: bool = False  # a call may do no work


@dataclass(frozen=True)
class Configured:
    """A kernel with the sizes of its launch: ``kernel[grid, block, stream, shared]``, or ``kernel.forall(n, block)``,
    whose grid is left to the work."""

    function: FunctionRef
    grid: "Value | None"
    block: "Value | None"
    shared: "Value | None" = None
    work: "Value | None" = None


@dataclass(frozen=True)
class BoundMethod:
    """A method of a value: ``x.sum``."""

    owner: "Value"
    name: str


@dataclass(frozen=True)
class DTypeValue:
    dtype: DType


@dataclass(frozen=True)
class Cut:
    """A slice with evaluated ends; None for an end that is left out."""

    lower: "Value | None" = None
    upper: "Value | None" = None
    step: "Value | None" = None


@dataclass(frozen=True)
class Text:
    value: str


@dataclass(frozen=True)
class NoneValue:
    pass


@dataclass(frozen=True)
class ObjectValue:
    """A parameter used through its attributes (``self``, a record, a named tuple)."""

    path: str


@dataclass(frozen=True)
class Unknown:
    """A value that the model does not know, and why; the type of its elements, where that is known."""

    why: str
    dtype: DType | None = None
    several: bool = False  # whether it was cut out by a slice, and is more than one number


A_TEXT = Unknown("a text")
STARRED = Unknown("starred arguments")  # that any number of parameters may take


@dataclass(frozen=True)
class TextParameter(Unknown):
    """A parameter that is a text; tests of it have one outcome in a call."""

    why: str = "a text parameter"


Value = Union[
    Scalar, View, TupleValue, RangeValue, IteratorValue, GeneratedValue, ListedViews, ModuleRef, FunctionRef,
    Configured, BoundMethod, DTypeValue, Cut, Text, NoneValue, ObjectValue, Unknown,
]  # fmt: skip

NONE = NoneValue()

CHANGED = Unknown("a value that the loop changes")

ITERATOR = Unknown("an iterator under a name")  # how much is left of an iterator with a name is not known
Keywords = dict[str, Value]  # the keyword arguments of a call


def may_be_none(value: Value) -> bool:
    """Whether a value is None in some executions, by a condition."""
    return isinstance(value, (Scalar, View, TupleValue)) and value.or_none


def integer(expr: Expr | int, dtype: DType = I8) -> Scalar:
    """An integer that is known in sizes and loop variables."""
    return Scalar(dtype, Expr.of(expr), weak=True)


def literal(number: bool | int | float | complex) -> Scalar:
    if isinstance(number, bool):
        return Scalar(B1, number=number, literal=True, weak=True)
    if isinstance(number, int):
        return Scalar(I8, Expr.of(number), number=number, literal=True, weak=True)
    dtype = C16 if isinstance(number, complex) else F8
    return Scalar(dtype, number=number, literal=True, weak=True)


def named(value: Value) -> Value:
    """What a name bound to ``value`` stands for: no literal, and not fresh where it can be iterated over only once."""
    if (isinstance(value, IteratorValue) and value.kind != "ndindex") or (
        isinstance(value, (GeneratedValue, ListedViews)) and value.lazy
    ):
        return ITERATOR
    return replace(value, literal=False) if isinstance(value, Scalar) and value.literal else value


def unknown_integer(why: str, dtype: DType = I8) -> Scalar:
    return Scalar(dtype, why_unknown=why)


def exact_number(scalar: Scalar) -> Fraction | None:
    """The value of a constant; None for anything else."""
    if isinstance(scalar.number, (int, float)) and not isinstance(scalar.number, bool):
        return Fraction(scalar.number) if abs(scalar.number) < 1e300 else None
    if scalar.expr is not None and scalar.expr.constant is not None:
        return Fraction(scalar.expr.constant)
    return None


def entire_view(array: Array, *, temporary: bool = False) -> View:
    axes = tuple(Axis(Expr.of(0), d) for d in range(len(array.shape)))
    return View(array.name, array.dtype, array.shape, axes, temporary)


def arrays_in(value: Value | None) -> Iterator[str]:
    """The arrays that a value is, shows a part of, or holds."""
    if isinstance(value, (View, ListedViews)):
        yield (value if isinstance(value, View) else value.whole).array
    elif isinstance(value, TupleValue):
        for item in value.items:
            yield from arrays_in(item)


def views_by_place(name: str, value: Value | None) -> Iterator[tuple[str, View]]:
    """The arrays under a name, each with its place: ``bufs[1]`` for an item of a list or tuple."""
    if isinstance(value, View):
        yield name, value
    elif isinstance(value, TupleValue):
        for k, item in enumerate(value.items):
            yield from views_by_place(f"{name}[{k}]", item)

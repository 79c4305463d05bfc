"""A rule of a NumPy function: one object that answers for its ranks and axes, and lowers its calls. The rows of its
chapter register it (``rows("sin cos", Unary(("special",), "float"))``), which ``library_calls.py`` puts together. To
add a function that follows a rule, add its name to a row. To add a rule, write a ``Function`` around a lowering
function, with the facts that ``inference/rule.py`` lists, or a class where its facts or costs have parameters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeVar

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import B1, BY_CODE, C8, C16, F4, F8, I8, DType
from roofscan.parse.inference.rule import LibraryRule
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.array_operations import as_operand
from roofscan.parse.lowering.quotients import Rounding
from roofscan.parse.lowering.values import Keywords, Value, View

Lowering = Callable[[Context, str, list[Value], Keywords, int], "Value | None"]
"""Lowers a call: context, function name, arguments, keywords, line. None where the call cannot be read."""

ResultType = Literal["same", "float", "real", "complex", "int", "bool", "sum"]
"""The element type of a result: that of the operands, a float or the real or complex type of it, int64, bool, or
that of a sum (small integers widen)."""


@dataclass(frozen=True, kw_only=True)
class NumpyRule(LibraryRule):
    """A rule that lowers calls, too."""

    moves_only: bool = False  # it computes nothing, in whatever form it is called
    shape_ignores_axis: bool = False  # the result has the same shape along any axis
    is_method: bool = False  # arrays have it as a method, too
    rounding: Rounding | None = None  # the integer that it makes of a number

    @abstractmethod
    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        """Lowers a call of the function ``name``; None where the call cannot be read."""


@dataclass(frozen=True)
class Function(NumpyRule):
    """A rule whose cost has no parameters."""

    function: Lowering

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        return self.function(cx, name, args, keywords, line)


@dataclass(frozen=True)
class OfArray(NumpyRule):
    """The same of an array, which is the first argument: no call of anything else can be read."""

    function: Callable[[Context, str, View, list[Value], Keywords, int], Value | None]

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        view = as_operand(cx, args[0], line) if args else None
        return self.function(cx, name, view, args, keywords, line) if isinstance(view, View) else None


RuleT = TypeVar("RuleT", bound=NumpyRule)


def rows(names: str, rule: RuleT, *, methods: str = "") -> dict[str, RuleT]:
    """Table rows: functions that follow one rule; those among ``methods`` are methods of arrays, too."""
    method = replace(rule, is_method=True) if methods else rule
    return {name: method if name in methods.split() else rule for name in names.split()}


def result_type(rule: ResultType, dtype: DType) -> DType:
    """The element type of a result computed from ``dtype``."""
    if rule in ("int", "bool"):
        return I8 if rule == "int" else B1
    if rule == "sum" and dtype.kind in ("int", "bool"):
        return BY_CODE["u8"] if dtype.code.startswith("u") else I8
    if rule in ("float", "real") and not dtype.counts:
        return F8
    if rule == "real" and dtype.kind == "complex":
        return F4 if dtype == C8 else F8
    if rule == "complex":
        return C8 if dtype in (F4, C8) else C16
    return dtype

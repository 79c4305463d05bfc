"""Calls of library functions and of array methods. A function of ``numpy``, ``math``, SciPy and similar packages
follows the rule of its row in whatever package it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roofscan.ir.dtypes import F8, I8
from roofscan.ir.kinds import ReasonEffect
from roofscan.parse.lowering.calls.arguments import dtype_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.parameter_tests import resolve_default
from roofscan.parse.lowering.cuda.host import TRANSFERS
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.array_operations import fill
from roofscan.parse.lowering.numpy.calculus import CALCULUS, STATISTICS
from roofscan.parse.lowering.numpy.contractions import CONTRACTIONS, EINSUM
from roofscan.parse.lowering.numpy.creation import CREATION, may_be_itself
from roofscan.parse.lowering.numpy.indexing import INDEXING, INSPECTION
from roofscan.parse.lowering.numpy.joining import JOINING
from roofscan.parse.lowering.numpy.linear_algebra import FOURIER, LINEAR_ALGEBRA
from roofscan.parse.lowering.numpy.manipulation import MANIPULATION
from roofscan.parse.lowering.numpy.reductions import REDUCTIONS
from roofscan.parse.lowering.numpy.rule import NumpyRule
from roofscan.parse.lowering.numpy.sorting import SORTING, sorted_in_place
from roofscan.parse.lowering.numpy.ufunc_methods import CHOICES, METHODS, UFUNC_METHODS, ufunc_method
from roofscan.parse.lowering.numpy.ufuncs import UFUNCS
from roofscan.parse.lowering.numpy.windows import WINDOWS
from roofscan.parse.lowering.operators import cast
from roofscan.parse.lowering.quotients import COMPUTED, Rounding, computed, rounded, rounded_integer
from roofscan.parse.lowering.values import NONE, Keywords, Scalar, Value, View, literal

CHAPTERS: tuple[Mapping[str, NumpyRule], ...] = (
    UFUNCS, METHODS, CHOICES, REDUCTIONS, CONTRACTIONS, EINSUM, CREATION, MANIPULATION, JOINING, INDEXING, CALCULUS,
    STATISTICS, LINEAR_ALGEBRA, FOURIER, SORTING, INSPECTION, TRANSFERS, WINDOWS,
)  # fmt: skip

TABLE: dict[str, NumpyRule] = {name: rule for chapter in CHAPTERS for name, rule in chapter.items()}

MOVERS = frozenset(name for name, rule in TABLE.items() if rule.moves_only)
"""Functions that compute nothing, in whatever form they are called."""

HARMLESS = frozenset({
    "order", "copy", "subok", "casting", "like", "kind", "side", "assume_unique", "ddof", "correction", "initial",
    "endpoint", "base", "mode", "constant_values", "optimize", "equal_nan", "rtol", "atol", "rcond", "k", "device",
    "check_finite", "overwrite_a", "overwrite_b", "lower", "trans", "unit_diagonal", "assume_a", "pivoting", "norm",
    "workers", "precision", "stable", "method", "interpolation", "density", "range", "minlength", "return_sign",
    "decimals", "nan", "posinf", "neginf", "shift", "allow_pickle", "hermitian", "UPLO", "driver", "dx",
    "stream", "portable", "wc", "mapped", "attach_global",
})  # fmt: skip
"""Keywords that change neither shapes nor counts."""


def call(cx: Context, module: str, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Lowers a call of a library function; None where the table has no rule that can read it."""
    with cx.builder.in_call(name):
        return _call(cx, module, name, args, keywords, line)


def _call(cx: Context, module: str, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    function = module.rpartition(".")[2]
    if name in UFUNC_METHODS and function in UFUNCS and "." in module:
        return ufunc_method(cx, function, name, args, keywords, line)
    rule = TABLE.get(name)
    if rule is None:
        return None
    if rule.rounding and module in ("math", "builtins"):
        return _rounded(cx, rule.rounding, args, line)
    if "axis" in keywords:
        keywords = {**keywords, "axis": resolve_default(cx, keywords["axis"])}
    elif rule.axis_is_second and len(args) > 1:
        args = [args[0], resolve_default(cx, args[1]), *args[2:]]
    recorded = _RecordedKeywords(keywords)
    value = rule.lower(cx, name, args, recorded, line)
    harmless = HARMLESS | {"axis"} if rule.shape_ignores_axis else HARMLESS
    for keyword in sorted(recorded.keys() - recorded.seen - harmless) if value is not None else ():
        effect: ReasonEffect = "open" if keyword == "dtype" else "lower"  # another type may be narrower
        cx.builder.reason(line, f"the argument {keyword}= of {name} is ignored", effect)
    if isinstance(value, Scalar) and rule.rounding and isinstance(args[0], Scalar):
        value = replace(value, quotient=rounded(cx, args[0], rule.rounding) if len(args) == 1 else None)
    elif isinstance(value, Scalar) and value.dtype == F8 and name in COMPUTED:
        numbers = [arg for arg in args if isinstance(arg, Scalar)]
        value = replace(value, quotient=computed(cx, name, *numbers) if len(numbers) == len(args) else None)
    if isinstance(value, Scalar) and module.startswith("numpy") and value.weak and not value.literal:
        return replace(value, weak=False)  # a NumPy function makes a NumPy number of a Python one
    return value


class _RecordedKeywords(dict[str, Value]):
    """Keywords that record which of them a rule reads."""

    def __init__(self, keywords: Keywords) -> None:
        super().__init__(keywords)
        self.seen: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.seen.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Value:
        self.seen.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.seen.add(str(key))
        return super().__contains__(key)


def _rounded(cx: Context, rounding: Rounding, args: list[Value], line: int) -> Value:
    value = as_scalar(cx, args[0], line) if args else literal(0)
    if value.is_integer:
        return value
    cx.builder.operation("convert", value.dtype, line, (value.node,))
    return replace(rounded_integer(rounded(cx, value, rounding), "a rounded floating number", I8), weak=True)


def method(cx: Context, view: View, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Lowers a call of an array method; None where it is unknown."""
    rule = TABLE.get(name)
    if rule is not None and rule.is_method:
        return call(cx, "numpy", name, [view, *args], keywords, line)
    if name == "astype":
        dtype = dtype_of(cx, args[0] if args else keywords.get("dtype"), view.dtype, line)
        return view if dtype == view.dtype and may_be_itself(keywords) else cast(cx, dtype, view, line)
    if name == "fill" and args:
        fill(cx, view, as_scalar(cx, args[0], line), line)
        return NONE
    if name == "item":
        return Scalar(view.dtype, why_unknown="an element")
    if name in ("sort", "partition"):
        sorted_in_place(cx, name, view, line)
        return NONE
    if name == "view" and not args and not keywords:
        return view
    return None

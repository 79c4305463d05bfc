"""The arguments of a call, from what a bound report says of a kernel's parameters."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from roofscan.cost.counts import ExecutionCounts
from roofscan.cost.overruns import overruns
from roofscan.cost.result import KernelCost
from roofscan.errors import AnalysisError
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.facts import Facts
from roofscan.ir.tree import Access
from roofscan.ir.visitor import accesses
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import Expr, NotEvaluable

USUAL_RANGE = 1000  # of integers that index nothing


@dataclass(frozen=True)
class Argument:
    """One argument as plain data, for the process that makes it: an array, a value, or what the kernel has as default,
    else a number near 1. ``below``: integers are drawn from [0, below)."""

    name: str
    kind: Literal["array", "value", "unknown"]
    dtype: str = ""  # of a value: "" for Python's own
    shape: tuple[int, ...] = ()
    fortran: bool = False
    below: int = 1
    value: int | float | str | tuple[int, ...] | None = 0  # a complex one as text

    @property
    def data(self) -> dict[str, Any]:
        return asdict(self)


def arguments_of(cost: KernelCost, facts: Facts) -> list[Argument]:
    """One argument per parameter, by the user's facts and what follows from them. AnalysisError where a size is free or
    too small."""
    kernel = cost.kernel
    free = sorted(s.name for s in kernel.symbols if s.name in cost.free and s.kind in ("size", "tile", "int"))
    if free:
        raise AnalysisError(f"{kernel.name}: bind {', '.join(free)} with --bind, or make the arguments with --setup")
    counts = ExecutionCounts(kernel, Chamber(cost.sample_point, kernel.least_values))
    for overrun in overruns(counts, frozenset()):
        raise AnalysisError(f"{kernel.name}: {overrun} at these sizes; bind others, or use --setup")
    arrays = {a.name: a for a in kernel.arrays if a.role == "parameter"}
    return [_argument(name, arrays.get(name), cost, facts) for name in kernel.parameters]


def _argument(name: str, array: Array | None, cost: KernelCost, facts: Facts) -> Argument:
    if array is None:
        return _scalar(name, cost, facts)
    shape = tuple(int(extent.evaluate(cost.sample_point)) for extent in array.shape)
    fortran = len(shape) > 1 and array.strides[0].constant == 1
    return Argument(name, "array", array.dtype.name, shape, fortran, _least_extent(name, cost))


def _scalar(name: str, cost: KernelCost, facts: Facts) -> Argument:
    """A number of the type that is said, or None, a word, a tuple."""
    if name in facts.constants or name in facts.tuples:
        return Argument(name, "value", value=facts.tuples[name] if name in facts.tuples else facts.constants[name])
    given, told = facts.scalars.get(name), facts.arrays.get(name)
    dtype = (given and given.dtype) or (told and told.dtype)
    kind = dtype.name if dtype else ""
    value = given.value if given else cost.sample_point.get(name)
    if value is None:
        return Argument(name, "unknown", kind)
    if isinstance(value, complex):
        return Argument(name, "value", kind, value=str(value))
    whole = value.denominator == 1 and not (given and given.is_float)
    return Argument(name, "value", kind, value=int(value) if whole else float(value))


def _least_extent(name: str, cost: KernelCost) -> int:
    """The smallest extent that an index from this array walks; of all other arrays, where it is not known to be one."""
    touched = [a for a in accesses(cost.kernel.body) if isinstance(a, Access)]
    indexed = [cost.kernel.array(a.array).shape[axis] for a in touched for axis in _axes_indexed(a, name)]
    others = {a.array for a in touched} - {name}
    extents = indexed or [a.shape[0] for a in cost.kernel.arrays if a.name in others and a.shape]
    sizes = [size for extent in extents if (size := _size(extent, cost)) is not None]
    if indexed and len(sizes) < len(indexed):
        return 1
    return max(1, min(sizes, default=USUAL_RANGE))


def _size(extent: Expr, cost: KernelCost) -> int | None:
    """The extent in elements; None where it differs between iterations."""
    try:
        return int(extent.evaluate(cost.sample_point))
    except NotEvaluable:
        return None


def _axes_indexed(access: Access, name: str) -> list[int]:
    """The subscripts that are elements of the array."""
    return [axis for axis, rest in enumerate(access.rests) if rest and rest.element and rest.element[0] == name]

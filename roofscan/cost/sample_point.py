"""The sample point: a value for every symbol, the user's or a large generic size, at which figures are derived
(:mod:`roofscan.symbolic.chamber`). Data are far beyond any cache, but such as a computer's memory holds; sizes are
distinct and multiples of a line, tiles are small, subscripts stay inside their arrays, and each test on parameters has
one outcome."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod

from roofscan.cost.cases import judged_case
from roofscan.cost.fitted_sizes import SIZE_MULTIPLE, Fitting
from roofscan.ir.asked_sizes import asked_sizes
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import SymbolKind
from roofscan.ir.symbols import Symbol
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import loops
from roofscan.symbolic.expr import Expr, Func, NotEvaluable, Number

WORKING_SET_BYTES = 1 << 36  # about the bytes of data of a kernel with free sizes, at its sample point: 64 GiB
LARGE_EXTENT = 1 << 26  # about the value of free sizes that are no extents of arrays

SMALL_EXTENTS = (16, 8, 4, 2, 1)  # of free sizes beside sizes of the user's

SELECTED = Fraction(1, 2)  # of the elements that data choose from, those that they choose

WORK_SHARE = 128
"""Of the elements of an array, one in so many is the work of a launch that a number of the source bounds: indices may
have a stride."""

FREE_EXPONENT = 3
"""About the value of free symbols in exponents: ``R**K`` elements must still fit in memory, with a large R."""


def choose_sample_point(kernel: Kernel, values: Mapping[str, Number]) -> dict[str, Number]:
    """A value for each symbol of the kernel: ``values``, defaults of parameters, and generic ones for the rest."""
    values = {**kernel.guesses, **values}
    exponents = sorted(_exponents(kernel) - values.keys())
    sample_point = {**values, **{name: FREE_EXPONENT + rank for rank, name in enumerate(exponents)}}
    counts: dict[str, int] = {}
    large = _large(kernel, sample_point)
    sample_point.update(_work(kernel, sample_point, large))
    for s in kernel.symbols:
        if s.name not in sample_point:
            sample_point[s.name] = _generic(s, counts.setdefault(s.kind, 0), large)
            counts[s.kind] += 1
    free = [s for s in kernel.symbols if s.name not in values]
    for name in sorted(_names(kernel) - sample_point.keys()):
        free.append(Symbol(name, "size", name, kernel.line))
        sample_point[name] = _generic(free[-1], counts.setdefault("size", 0), large)
        counts["size"] += 1
    if free:
        kinds = {s.name: s.kind for s in free}
        Fitting(kernel, sample_point, kinds).fit()
        if asked := _asked(kernel, sample_point, {name for name, kind in kinds.items() if kind == "size"}):
            sample_point.update(asked)
            Fitting(kernel, sample_point, {name: kind for name, kind in kinds.items() if name not in asked}).fit()
    if values:
        _let_run(kernel, sample_point, {s.name for s in free if s.kind == "size"} - kernel.values.keys())
    sample_point.update(_chosen(free, sample_point))
    if any(s.kind == "flag" for s in free):
        sample_point |= {**judged_case(kernel, sample_point), **values}
    return sample_point


def _chosen(free: Sequence[Symbol], values: Mapping[str, Number]) -> Iterator[tuple[str, Number]]:
    """Lengths of selections: a part of what they choose from."""
    for s in free:
        try:
            chosen = 0 if s.whole is None else s.whole.evaluate(values) * SELECTED // 1
        except NotEvaluable:
            continue
        if chosen >= 1:
            yield s.name, chosen // SIZE_MULTIPLE * SIZE_MULTIPLE or chosen


def _asked(kernel: Kernel, values: Mapping[str, Number], sizes: Container[str]) -> dict[str, Number]:
    """The sizes that must be as large as others for any loop to run."""
    names = [s.name for s in kernel.symbols if s.name in sizes]
    found = {name: e.evaluate(values) for name, e in asked_sizes(kernel, names).items() if e.symbols}
    return found if all(value >= 1 for value in found.values()) else {}


def _let_run(kernel: Kernel, sample_point: dict[str, Number], free: Container[str]) -> None:
    """Make free sizes small enough for loops to run that end where sizes of the user's do: a filter of free length on
    an array of known length."""
    for loop in loops(kernel.body):
        sizes = sorted(name for name in (loop.stop - loop.start).symbols if name in free)
        if sizes and _is_empty(loop, sample_point):
            fitting = (dict.fromkeys(sizes, extent) for extent in SMALL_EXTENTS)
            sample_point.update(next((s for s in fitting if not _is_empty(loop, {**sample_point, **s})), {}))


def _is_empty(loop: Loop, values: Mapping[str, Number]) -> bool:
    """Whether a loop between sizes has no iteration."""
    try:
        return (loop.stop - loop.start).evaluate(values) * loop.step.evaluate(values) <= 0
    except NotEvaluable:
        return False


def _large(kernel: Kernel, values: Mapping[str, Number]) -> int:
    """The extent at which the kernel's arrays together hold :data:`WORKING_SET_BYTES`, were all free sizes equal."""
    free = {s.name: s.kind for s in kernel.symbols if s.name not in values}
    if not any(kind == "size" and _sizes_an_array(kernel, name) for name, kind in free.items()):
        return LARGE_EXTENT

    shapes = Tally((a.shape, a.dtype.size) for a in kernel.arrays if not a.buffer and not a.record)
    extents = {extent for shape, _ in shapes for extent in shape}

    def too_big(extent: int) -> bool:
        alike = {n: extent if k == "size" else 64 if k in ("tile", "int") else 1000 for n, k in free.items()}
        everything = {**values, **alike}
        try:
            known = {each: each.evaluate(everything) for each in extents}
            bytes_ = (prod((known[e] for e in shape), start=size * n) for (shape, size), n in shapes.items())
            return sum(bytes_) >= WORKING_SET_BYTES
        except NotEvaluable:
            return True

    low, high = 16, WORKING_SET_BYTES // SIZE_MULTIPLE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if too_big(middle * SIZE_MULTIPLE) else (middle, high)
    return low * SIZE_MULTIPLE


def _work(kernel: Kernel, values: Mapping[str, Number], large: int) -> dict[str, Number]:
    """Numbers that say how many threads a launch has: together a part of the elements of an array."""
    launched = {name for expr in kernel.values.values() for name in expr.symbols}
    names = [s.name for s in kernel.symbols if s.kind == "int" and s.name in launched - values.keys()]
    each = (large // WORK_SHARE) ** (1 / max(1, len(names)))
    return {name: SIZE_MULTIPLE * (int(each) // SIZE_MULTIPLE + 1 + rank) for rank, name in enumerate(names)}


def _sizes_an_array(kernel: Kernel, name: str) -> bool:
    return any(name in extent.symbols for array in kernel.arrays for extent in array.shape)


def _generic(s: Symbol, rank: int, large: int) -> Number:
    """The value of the ``rank``-th free symbol of a kind: distinct multiples of a line for sizes."""
    generic: dict[SymbolKind, Number] = {
        "size": large + SIZE_MULTIPLE * (1 + 6 * rank + rank * rank),
        "tile": 64 + 8 * rank,
        "int": 64 + 8 * rank,
        "launch": 64 * large + SIZE_MULTIPLE * rank,
        "trips": 1000 + 8 * rank,
        "total": 8 * large + SIZE_MULTIPLE * (1 + rank),
        "length": large // 128 * 64 + SIZE_MULTIPLE * (1 + rank),
        "share": s.usual if s.usual is not None else Fraction(1, 2),
        "flag": 1,
        "float": Fraction(3, 2),
        "open": 1,
    }
    return generic.get(s.kind, 100)


def _names(kernel: Kernel) -> set[str]:
    """Every free name in the figures of a kernel, also those that it does not declare."""
    return {s for x in _figures(kernel) for s in x.symbols} - {loop.var for loop in loops(kernel.body)}


def _exponents(kernel: Kernel) -> set[str]:
    """The names in exponents, and those that bound loops over exponents: ``K`` and not ``R`` in ``R**(K - i)``."""
    found = {s for x in _figures(kernel) for s in _in_exponents(x)}
    every = list(loops(kernel.body))
    for loop in reversed(every):
        if loop.var in found:
            found |= _outside_logarithms(loop.start) | _outside_logarithms(loop.stop)
    return found - {loop.var for loop in every}


def _outside_logarithms(expr: Expr) -> set[str]:
    """The names of an expression but for those in logarithms, which are no exponents themselves."""
    names = {a for monomial in expr.terms for a, _ in monomial if isinstance(a, str)}
    inner = (arg for atom in expr.atoms if atom.name not in ("ilog2", "log2") for arg in atom.args)
    return names.union(*map(_outside_logarithms, inner))


def _in_exponents(expr: Expr) -> Iterator[str]:
    for atom in expr.atoms:
        yield from _of_exponent(atom)


def _of_exponent(atom: Func) -> Iterator[str]:
    for arg in atom.args:
        yield from _in_exponents(arg)
    if atom.name in ("pow", "pow2"):
        yield from (a for m in atom.args[-1].terms for a, _ in m if isinstance(a, str))


def _figures(kernel: Kernel) -> Iterator[Expr]:
    for array in kernel.arrays:
        yield from (*array.shape, *array.strides)
    for loop in loops(kernel.body):
        yield from (loop.start, loop.stop, loop.step)

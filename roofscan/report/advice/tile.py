"""Blocks of the loop that carries the reuse, so that what the loops around it walk again is still in a cache.

Only a loop outside the innermost one is cut: the innermost keeps its unit stride, its whole length and its start,
which is what Numba's vector code needs. The size of a block is the one that moves least by the model; among equals
the smallest, which fits a nearer cache too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from roofscan.cost.dependence import dependences
from roofscan.cost.reuse import analyze_reuse
from roofscan.cost.transform.interchange import hoisted, is_tilable
from roofscan.cost.transform.nest import Nest, accesses, with_replaced
from roofscan.cost.transform.tile import may_be_tiled, tiled
from roofscan.ir.expr import Expr, NotEvaluable, Number
from roofscan.ir.kernel import Body, Kernel, Loop, Symbol
from roofscan.report.advice.gain import ENOUGH, Version, measured
from roofscan.report.affordable import number
from roofscan.report.books import UNLIMITED, Books
from roofscan.report.levels import Interface
from roofscan.report.verdict import Judged

SIZES = (8, 16, 32, 64, 128, 256, 512)
"""What users write."""

SLACK = 1.02
"""Blocks whose traffic differs by less are equals."""

_SIZE = "block#"


@dataclass(frozen=True)
class Tiling:
    """The loop at ``position`` of a nest in blocks, and the kernel with it."""

    nest: Nest
    position: int
    size: int
    interface: Interface  # where it moves less
    version: Version


@dataclass(frozen=True)
class Site:
    """A nest and where it stands: ``tree`` makes what takes the place of the loop ``top`` in ``version``."""

    version: Version
    top: Loop
    nest: Nest
    tree: Callable[[Nest], Body]


def tilings(judged: Judged, site: Site) -> Iterator[Tiling]:
    """The best block for the nest, if one pays."""
    nest, now = site.nest, site.version
    found = (t for position in _carriers(now.kernel, nest) if (t := _best(judged, site, position)))
    best = min(found, key=lambda t: t.version.bound.seconds, default=None)
    if best is not None and best.version.bound.seconds * ENOUGH <= now.bound.seconds:
        yield best


def _carriers(kernel: Kernel, nest: Nest) -> Iterator[int]:
    """Loops, neither outermost nor innermost, over rows that a loop around them walks again."""
    signs = dependences(kernel, nest)
    for position in range(1, len(nest.loops) - 1):
        if may_be_tiled(nest, position) and is_tilable(signs, position) and _is_walked_again(nest, position):
            yield position


def _is_walked_again(nest: Nest, position: int) -> bool:
    """Whether something moves with this loop and not, or only by a constant, with a loop around it."""
    var = nest.loops[position].var
    for around in nest.variables[:position]:
        places: dict[str, set[object]] = {}
        for access in accesses(nest.body):
            subscripts = [e for e in access.index if e is not None]
            if not any(var in e.symbols for e in subscripts):
                continue
            if not any(around in e.symbols for e in subscripts):
                return True
            places.setdefault(access.array, set()).add(tuple(e for e in subscripts if around in e.symbols))
        if any(len(found) > 1 for found in places.values()):
            return True
    return False


def _best(judged: Judged, site: Site, position: int) -> Tiling | None:
    """The size that moves least where the nest waits, by one analysis with a symbol for it, and one with the number."""
    now, sizes = site.version, _sizes(judged, site.nest, position)
    waits = now.waits_at
    if waits is None or not sizes:
        return None
    books = _books(judged, site, position, _SIZE)
    moved = {size: _moved(books, waits.capacity, {**judged.stand.values, _SIZE: size}) for size in sizes}
    known = {size: amount for size, amount in moved.items() if amount is not None}
    if not known:
        return None
    least = min(known.values())
    size = min(size for size, amount in known.items() if amount <= least * SLACK)
    books = _books(judged, site, position, size)
    version = measured(judged, books, now)
    return None if version is None else Tiling(site.nest, position, size, waits, version)


def _sizes(judged: Judged, nest: Nest, position: int) -> list[int]:
    """Blocks of which there are at least two."""
    loop = nest.loops[position]
    try:
        trips = (loop.stop - loop.start).evaluate(judged.stand.values) / loop.step.evaluate(judged.stand.values)
    except NotEvaluable:
        return []
    return [size for size in SIZES if 2 * size <= trips]


def _books(judged: Judged, site: Site, position: int, size: int | str) -> Books:
    """What the kernel moves with the loop in blocks of that size, or of a symbol's."""
    now = site.version
    cut = hoisted(now.kernel, tiled(site.nest, position, Expr.of(size), exact=True))
    kernel = with_replaced(now.kernel, site.top, site.tree(cut))
    witness: dict[str, Number] = dict(judged.stand.values)
    if isinstance(size, str):
        witness[size] = SIZES[len(SIZES) // 2]
        kernel = replace(kernel, symbols=(*kernel.symbols, Symbol(size, "tile", "a block", site.top.line)))
    assert now.cost.reuse is not None
    reuse = analyze_reuse(kernel, witness, now.cost.reuse.line)
    return Books(replace(now.cost, kernel=kernel, reuse=reuse, witness=witness), judged.books.counted)


def _moved(books: Books, capacity: int, values: dict[str, Number]) -> float | None:
    """Bytes by the reuse classes: what must move, and what comes again from farther than the cache reaches."""
    if books.outer or books.traffic(UNLIMITED).status not in ("exact", "estimate"):
        return None
    try:
        total = Fraction(number(books.bytes(UNLIMITED), values))
        for distance, count in books.classes.items():
            if number(distance, values) > capacity:
                total += Fraction(number(count, values))
    except NotEvaluable:
        return None
    return float(total)

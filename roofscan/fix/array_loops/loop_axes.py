"""What loops over the elements of array expressions may run over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count, zip_longest

import libcst as cst

from roofscan.fix.array_loops.stores import Axes
from roofscan.fix.array_loops.walks import NewAxis, NotElementwise, Stretch, Walk, lengths_in, walks_of
from roofscan.fix.model import Site
from roofscan.fix.source import code, nodes


def anchors(site: Site, made: set[str], *parts: cst.BaseExpression | None) -> Iterator[tuple[Axes, str]]:
    """What loops may run over: the arrays in some expressions that are not ``made`` there, each with the text that
    takes it; where new axes spread them, the axes of several arrays. Of a compiled function only those from outside:
    Numba runs what makes the others in loops of its own."""
    terms = {text: walks for part in parts if part for text, walks in _terms(site, made, part)}
    for text, (array, walks) in terms.items():
        if not any(isinstance(walk, NewAxis) for walk in walks):
            yield [axis for axis in _axes_of(array, walks) if axis], text
    if any(isinstance(walk, NewAxis) for _, walks in terms.values() for walk in walks):
        aligned = [_axes_of(array, walks)[::-1] for array, walks in terms.values()]
        spread = [next(filter(None, places), None) for places in zip_longest(*aligned)]
        yield [axis for axis in spread[::-1] if axis], ""


def _terms(site: Site, made: set[str], part: cst.BaseExpression) -> Iterator[tuple[str, tuple[str, Sequence[Walk]]]]:
    compiled, inner = site.kernel.decorator.compiled, {n.value for n in nodes(part) if isinstance(n, cst.Subscript)}
    for node in (node for node in nodes(part) if node not in inner):
        base = node.value if isinstance(node, cst.Subscript) else node
        array = site.kernel.array_named.get(base.value) if isinstance(base, cst.Name) else None
        if array is None or (array.name in made and array.role != "parameter"):
            continue
        if not compiled or array.role in ("parameter", "global"):
            with suppress(NotElementwise):
                taken = node.slice if isinstance(node, cst.Subscript) else ()
                yield code(node), (array.name, walks_of(taken, len(array.shape), lengths_in(site.function)))


def _axes_of(array: str, walks: Sequence[Walk]) -> list[tuple[str, int, int] | None]:
    """Where along the axes of an expression an array has its own; None: it is spread along this one."""
    own = count()
    places = [
        (walk, None if isinstance(walk, NewAxis) else next(own)) for walk in walks
    ]  # equal walks may be one object
    return [
        (array, axis, walk.trimmed) if isinstance(walk, Stretch) and axis is not None else None
        for walk, axis in places
        if isinstance(walk, (Stretch, NewAxis))
    ]

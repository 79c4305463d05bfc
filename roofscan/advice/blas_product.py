"""A nest that is a matrix product: one BLAS call does it, blocked for every cache."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.cost.transform.nest import Nest
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop, Operation
from roofscan.ir.visitor import accesses, leaves
from roofscan.symbolic.expr import ONE, ZERO, Expr


def product_of(kernel: Kernel, nest: Nest) -> str | None:
    """``C += A @ B`` where three loops do exactly that, over whole arrays of one type; else None."""
    nodes = list(leaves(nest.body))
    writes = [a for a in accesses(nest.body) if a.write]
    if len(nest.loops) != 3 or len(nodes) != 6 or len(writes) != 1:
        return None
    if not all(_is_full(kernel, nest, access) for access in accesses(nest.body)):
        return None
    [write] = writes
    factors = _factors(nodes, write)
    places = [_variables(nest, a) for a in (write, *factors)] if factors else []
    if len(places) != 3 or len({kernel.array(a.array).dtype for a in (write, *factors)}) != 1:
        return None
    (row, column), *others = places
    [inner] = set(nest.variables) - {row, column}
    return next(_written(write, list(zip(factors, others, strict=True)), row, column, inner), None)


def _written(
    write: Access, factors: list[tuple[Access, tuple[str, ...]]], row: str, column: str, inner: str
) -> Iterator[str]:
    for (left, a), (right, b) in (factors, factors[::-1]):
        if set(a) == {row, inner} and set(b) == {inner, column}:
            first = left.array if a == (row, inner) else f"{left.array}.T"
            second = right.array if b == (inner, column) else f"{right.array}.T"
            yield f"{write.array} += {first} @ {second}"


def _factors(nodes: list[Access | Operation], write: Access) -> tuple[Access, ...]:
    by_id = {node.id: node for node in nodes}
    total = by_id.get(write.inputs[0]) if write.inputs else None
    if not isinstance(total, Operation) or total.kind != "add":
        return ()
    parts = [by_id.get(i) for i in total.inputs]
    old = [p for p in parts if isinstance(p, Access) and (p.array, p.index) == (write.array, write.index)]
    new = [p for p in parts if isinstance(p, Operation) and p.kind == "mul"]
    if len(old) != 1 or len(new) != 1:
        return ()
    return tuple(a for i in new[0].inputs if isinstance(a := by_id.get(i), Access) and a.array != write.array)


def _variables(nest: Nest, access: Access) -> tuple[str, ...]:
    return tuple(str(e) for e in access.index if e in [Expr.of(v) for v in nest.variables])


def _is_full(kernel: Kernel, nest: Nest, access: Access) -> bool:
    """Whether the access is to a matrix by two loop variables that run over its extents."""
    loops: dict[Expr | None, Loop] = {Expr.of(loop.var): loop for loop in nest.loops}
    array = kernel.array(access.array)
    if len(access.index) != 2 or len(set(access.index)) != 2:
        return False
    return all(
        e in loops and (loops[e].start, loops[e].stop, loops[e].step) == (ZERO, extent, ONE)
        for e, extent in zip(access.index, array.shape, strict=True)
    )

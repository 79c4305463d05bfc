"""What it takes to keep a subscript inside its array: ``x[min(max(i + d, 0), n - 1)]``, or reflected at an end."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.cost.counts import StatementDomain
from roofscan.ir.tree import Access
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.terms import Func

SELECT = 2
"""Operations of an extremum: a comparison and a selection. Each argument that changes is one more. Read from the
machine code of Numba 0.68 for x86-64, and timed on Zen 5."""


def folding_operations(visit: StatementDomain, inner: str) -> int:
    """The scalar operations of an execution: the extrema in subscripts that the loop over ``inner`` changes."""
    accesses = (node for node in visit.body if isinstance(node, Access))
    found = {part for access in accesses for e in access.index if e for part in _folded(e, inner)}
    return sum(SELECT if isinstance(part, Func) else 1 for part in found)


def _folded(subscript: Expr, inner: str) -> Iterator[Func | Expr]:
    """The extrema that change, and those of their arguments that do."""
    for atom in subscript.atoms:
        if atom.name in ("min", "max") and inner in Expr.atom(atom).symbols:
            yield atom
            for part in atom.args:
                if part.atoms:
                    yield from _folded(part, inner)
                elif inner in part.symbols:
                    yield part

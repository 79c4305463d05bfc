"""What sizes must be for a kernel to work at all, where every loop runs under a test that sizes are equal."""

from __future__ import annotations

from collections.abc import Collection

from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Block, Loop, When
from roofscan.ir.visitor import walk_with_blocks
from roofscan.symbolic.expr import Expr, symbol


def asked_sizes(kernel: Kernel, names: Collection[str]) -> dict[str, Expr]:
    """The values that tests of the source require of the sizes ``names``: ``if len(x) != len(y): return`` requires y to
    be as long as x, ``if x.shape[1] == 3:`` requires rows of three. Empty where a loop runs without such a test. Where
    several loops have tests, those that compare two sizes count: a test against a number is a special case."""
    tests = [
        tuple(_equalities(around, names))
        for node, around in walk_with_blocks(kernel.body)
        if isinstance(node, Loop) and not any(isinstance(block, Loop) for block in around)
    ]
    if not tests or not all(tests):
        return {}
    chosen = max(tests, key=lambda exprs: any(len(e.symbols) > 1 for e in exprs))
    order = [s.name for s in kernel.symbols]
    found: dict[str, Expr] = {}
    for test in chosen:
        left = test.subs(found)
        for name in sorted(left.symbols, key=order.index, reverse=True):
            slope = left.coefficient(name).constant
            if slope in (1, -1) and left.is_linear_in([name]):
                solved = symbol(name) - left * slope
                found = {**{known: e.subs({name: solved}) for known, e in found.items()}, name: solved}
                break
    return found


def _equalities(around: Collection[Block], names: Collection[str]) -> list[Expr]:
    conditions = [c for block in around if isinstance(block, When) for c in block.conditions]
    equal = [c.expr for c in conditions if c.relation == "eq" and not c.modulus]
    return [e for e in equal if e.symbols and all(name in names for name in e.symbols)]

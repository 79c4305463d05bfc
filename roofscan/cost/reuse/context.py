"""What building the tree carries along and notes, and what it asks of loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from roofscan.cost.reuse.affine import Affine
from roofscan.cost.reuse.quantity import Num, floor_to, same, value_of
from roofscan.cost.reuse.tree import Loop, loops_below
from roofscan.ir import kernel as ir


@dataclass(frozen=True)
class Context:
    """What surrounds a node: loops, guards and the share of executions that reach it."""

    loops: tuple[Loop, ...] = ()
    guards: tuple[Affine, ...] = ()
    share: Num = 1


@dataclass
class Notes:
    """What the model had to leave out or approximate, with lines."""

    approximate: list[tuple[int, str]] = field(default_factory=list)
    irregular: list[tuple[int, str]] = field(default_factory=list)


def last_of(low: Num, high: Num, step: Num) -> Num:
    """The last of low, low + step, … that is at most ``high``; symbolic where the steps come out even."""
    width = max(1, int(value_of(step)))
    if width == 1 or high < low:
        return high
    if same(floor_to(high - low + 1, width), high - low + 1):
        return high + 1 - step
    return low + floor_to(high - low, width)


def bent_names(loop: Loop) -> frozenset[str]:
    """The variables that stand in something that is not affine, in a loop's subtree."""
    forms: list[Affine] = []
    for node in (loop, *loops_below(loop)):
        forms += [*node.lows, *node.highs, *node.guards]
    for ref in loop.refs:
        forms += [*ref.subscripts, *ref.guards]
    return frozenset().union(*(o.variables for f in forms for o in f.opaque))


def ir_loops(body: ir.Body) -> list[ir.Loop]:
    """All loops of a body."""
    found: list[ir.Loop] = []
    for node in body:
        if isinstance(node, ir.Loop):
            found.append(node)
        if isinstance(node, (ir.Loop, ir.When, ir.Branch)):
            found.extend(ir_loops(node.body))
    return found

"""What holds of free sizes where the user says how long an array is: no subscript leaves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Access, Body, Loop
from roofscan.ir.visitor import walk_with_blocks
from roofscan.parse.lowering.subscript_ranges import extent
from roofscan.symbolic.expr import Expr


def within_arrays(body: Body, arrays: Mapping[str, Array], known: Mapping[str, Expr]) -> Iterator[Condition]:
    """The conditions that subscripts without a test around them put on sizes; ``known`` are the values of symbols."""
    for access, around in walk_with_blocks(body):
        if not isinstance(access, Access) or access.array not in arrays:
            continue
        loops = tuple(block for block in around if isinstance(block, Loop))
        if len(loops) < len(around) or any(end.atoms for loop in loops for end in (loop.start, loop.stop, loop.step)):
            continue
        for size, index in zip(arrays[access.array].shape, access.index, strict=False):
            if index is None or index.atoms or not size.symbols or not size.symbols <= known.keys():
                continue
            _, last = extent(index, loops, ())
            if last is not None and not last.symbols <= known.keys():
                yield Condition(size.subs(known) - 1 - last.subs(known), "ge")

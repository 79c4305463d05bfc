"""What the open parameters (see breadth) turned out to be, once all of a kernel is lowered."""

from __future__ import annotations

from collections.abc import Collection

from roofscan.parse.lowering.broadcast_sizes import SCALAR
from roofscan.parse.lowering.builder import Builder


def settle(builder: Builder, counted: Collection[str]) -> None:
    """Sizes that are equal, and what is assumed of those that stay; ``counted`` are the symbols of the body."""
    broadcast_sizes = builder.broadcast_sizes
    broadcast_sizes.compare_shapes(builder.resolve)
    left = {
        names.difference(broadcast_sizes.numbers) for names, size in broadcast_sizes.sizes.items() if size in counted
    } - {SCALAR}
    for names, size in list(broadcast_sizes.sizes.items()):
        broad = names.difference(broadcast_sizes.numbers)
        if broad != names:
            builder.equal[size] = builder.broadcast_size(broad, builder.symbols[size].line)
    for name in sorted({name for names in left for name in names}):
        builder.assumptions.pop(f"{name} is scalar (default)", None)
        builder.assume(f"{name} is number or array (the source leaves it open)")
    if left:
        line = min(builder.symbols[broadcast_sizes.sizes[names]].line for names in left)
        builder.reason(line, "parameters may be numbers or arrays: the traffic is an estimate", "open")

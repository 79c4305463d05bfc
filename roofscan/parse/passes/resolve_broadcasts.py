"""What the open parameters (see breadth) turned out to be, once all of a kernel is lowered."""

from __future__ import annotations

from collections.abc import Collection

from roofscan.parse.lowering.broadcast_sizes import NUMBER
from roofscan.parse.lowering.builder import Builder


def settle(builder: Builder, counted: Collection[str]) -> None:
    """Sizes that are equal, and what is assumed of those that stay; ``counted`` are the symbols of the body."""
    breadths = builder.breadths
    breadths.compare_shapes(builder.resolve)
    left = {names.difference(breadths.numbers) for names, size in breadths.sizes.items() if size in counted} - {NUMBER}
    for names, size in list(breadths.sizes.items()):
        broad = names.difference(breadths.numbers)
        if broad != names:
            builder.equal[size] = builder.breadth(broad, builder.symbols[size].line)
    for name in sorted({name for names in left for name in names}):
        builder.assumptions.pop(f"{name} is scalar (default)", None)
        builder.assume(f"{name} is number or array (the source leaves it open)")
    if left:
        line = min(builder.symbols[breadths.sizes[names]].line for names in left)
        builder.reason(line, "parameters may be numbers or arrays: the traffic is an estimate", "open")

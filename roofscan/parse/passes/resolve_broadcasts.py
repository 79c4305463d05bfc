"""What parameters that may be scalars or arrays turned out to be, once the whole kernel is lowered."""

from __future__ import annotations

from collections.abc import Collection

from roofscan.parse.lowering.broadcast_sizes import SCALAR
from roofscan.parse.lowering.builder import Builder


def resolve_broadcasts(builder: Builder, counted: Collection[str]) -> None:
    """Equate sizes without the parameters that are scalars, and state what is assumed of the others.

    ``counted`` are the symbols of the kernel's body.
    """
    sizes = builder.broadcast_sizes
    sizes.find_scalars(builder.resolve)
    for names, size in list(sizes.sizes.items()):
        arrays = names.difference(sizes.numbers)
        if arrays != names:
            builder.equal[size] = builder.broadcast_size(arrays, builder.symbols[size].line)
    undecided = {names.difference(sizes.numbers) for names, size in sizes.sizes.items() if size in counted} - {SCALAR}
    for name in sorted({name for names in undecided for name in names}):
        builder.retract(name)
        builder.assume(f"{name} is a scalar or an array (the source leaves it open)", about=name)
    if undecided:
        line = min(builder.symbols[sizes.sizes[names]].line for names in undecided)
        builder.reason(line, "parameters may be scalars or arrays: the traffic is an estimate", "open")

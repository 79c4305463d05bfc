"""The symbols of a block's size: they do not grow with the data, as no launch has more than 1024 threads in a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from roofscan.ir.assumption import Assumption
from roofscan.ir.launch import MOST_THREADS
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.cuda.class_sizes import class_size
from roofscan.symbolic.expr import Expr

TYPICAL = (256, 16, 8)  # threads along each of so many directions of one size
MOST_TYPICAL = 512  # threads
SELF = "self_"
LARGE = 1 << 20  # a size that grows with the data


def hold_block(cx: Context, block: Sequence[Expr], kernel: str) -> None:
    """Symbols in the size of a block are tiles, held at a typical value where nothing says another."""
    builder = cx.builder
    names = sorted({name for size in block for name in size.symbols} & builder.symbols.keys())
    free = [name for name in names if name not in cx.facts.scalars and name not in builder.values]
    for name in free:
        said = class_size(cx.here, cx.frame.dotted, name.removeprefix(SELF)) if name.startswith(SELF) else None
        if said is not None:
            builder.guesses.setdefault(name, said)
    guessed = [name for name in free if name not in builder.guesses]
    if not guessed or _threads(cx, block, dict.fromkeys(free, LARGE)) <= MOST_THREADS:  # min(n, 1024)
        return
    for name in guessed:
        builder.symbols[name] = replace(builder.symbols[name], kind="tile")
    directions = sum(any(name in size.symbols for name in guessed) for size in block)
    builder.guesses.update(dict.fromkeys(guessed, TYPICAL[directions - 1]))
    while _threads(cx, block, {}) > MOST_TYPICAL and (largest := max(guessed, key=builder.guesses.__getitem__)):
        if builder.guesses[largest] <= 1:
            break
        builder.guesses[largest] //= 2
    builder.held.update(guessed)
    for name in guessed:
        builder.assume(
            Assumption(name, f"{builder.guesses[name]} (typical of a block, with which {kernel} is launched)")
        )


def _threads(cx: Context, block: Sequence[Expr], values: Mapping[str, int]) -> float:
    """Of a block; the variable of a loop is small."""
    known = {name: 1 for size in block for name in size.symbols} | {**cx.builder.guesses, **cx.builder.values, **values}
    known |= {name: fact.number for name, fact in cx.facts.scalars.items() if fact.number is not None}
    return float(prod(size.evaluate(known) for size in block))

"""What is done once before the loops of a statement, each time that it runs."""

from __future__ import annotations

from roofscan.frozen import dataclass
from roofscan.ir.tree import Block
from roofscan.symbolic.expr import ZERO, Expr

Around = tuple[Block, ...]


@dataclass(frozen=True)
class RowSetup:
    """What a loop does anew in each iteration: an array that it makes (then ``array`` is its name), or a statement on
    whole arrays."""

    cycles: int
    around: Around
    line: int
    array: str = ""
    size: Expr = ZERO  # its bytes
    products: Expr = ZERO  # of a library's call

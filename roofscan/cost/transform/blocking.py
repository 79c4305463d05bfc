"""Whether a kernel's loops may run in blocks: what must be known before a message says so."""

from __future__ import annotations

from roofscan.cost.dependence import dependences
from roofscan.cost.transform.interchange import is_tilable, reductions
from roofscan.cost.transform.nest import Nest
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.cost.transform.tile import carrier
from roofscan.ir.kernel import Kernel, Loop


def may_be_blocked(kernel: Kernel, around: str) -> bool:
    """Whether a loop inside the loop over the variable ``around`` walks again over what its last turn walked, and may
    legally be cut into blocks that stand outside it."""
    nests = (perfect.nest for perfect in perfect_nests(kernel))
    return any(_may_be_cut(kernel, nest, nest.variables.index(around)) for nest in nests if around in nest.variables)


def _may_be_cut(kernel: Kernel, nest: Nest, outside: int) -> bool:
    if any(loop.carried for loop in nest.loops):
        return False
    free = reductions(kernel, nest.body) if kernel.decorator.fastmath else ()
    signs = dependences(kernel, nest, free)
    return any(
        position > outside and carrier(nest, position) is not None and is_tilable(signs, position) and _counts_up(loop)
        for position, loop in enumerate(nest.loops)
    )


def _counts_up(loop: Loop) -> bool:
    step = loop.step.constant
    return step is not None and step > 0

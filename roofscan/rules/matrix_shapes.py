"""RFL707: a matrix product has dimensions, or tiles, that tensor cores do not take at their rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roofscan.finding import Finding
from roofscan.roofline.notes import odd_dimensions
from roofscan.rules.lanes import launched, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext

if TYPE_CHECKING:
    from roofscan.roofline.gpu.resources import Launched

CODE = Code(
    id="RFL707",
    title="a matrix product does not fit the tensor cores",
    remedy="pad to a multiple of 8; take larger tiles",
    location="kernel",
    meaning="""
        A matrix product in half precision has a dimension that is not a multiple of 16 bytes: the message gives the
        dimension and the multiple. Or a product of tiles (tl.dot) is so small that the tensor cores wait: the message
        gives the share of their rate that it reaches, as an estimate, and the tile that reaches more.""",
    why="""
        Tensor cores load rows in units of 16 bytes. Where rows are not aligned to that, libraries use slower kernels,
        or the ordinary units at an eighth of the rate. An instruction of a tensor core multiplies 16 rows by 8 columns.
        In a small tile, there are fewer instructions than warps, and the operands that each needs come from shared
        memory more slowly than it multiplies them.""",
    action="""
        Pad that dimension of the arrays with zeros to the next multiple. Let a program compute a larger tile of the
        result, where there are enough programs left for all multiprocessors.""",
    bad="""
        # roofscan: A=f2[4096,4100] B=f2[4100,4096]
        def product(A, B):
            return A @ B
        """,
    good="""
        # roofscan: A=f2[4096,4104] B=f2[4104,4096]
        def product(A, B):
            return A @ B
        """,
)


def may_apply(context: RuleContext) -> bool:
    return context.hardware.kind == "gpu" and context.kernel.unsupported is None


LEAST_SHARE = 0.75  # of the rate of matrix units
LEAST_WORK = 0.2  # of the time of the slowest resource
LARGER = (32, 64, 128)


def find(context: RuleContext) -> Iterator[Finding]:
    found = odd_dimensions(context.point) if context.point.target.has_roofline else None
    if found is not None:
        multiple, odd = found
        yield context.at_def(
            CODE.id, f"{context.name}: pad to multiples of {multiple} for tensor cores: {', '.join(odd)}"
        )
    on_device = launched(context) if on_gpu(context) else None
    if on_device is not None and on_device.tiles:
        yield from _small_tiles(context, on_device)


def _small_tiles(context: RuleContext, found: Launched) -> Iterator[Finding]:
    """Where the products take a good part of the time. The tile that is proposed is the first that reaches enough."""
    from roofscan.roofline.gpu.tiles import TileProduct  # of modules that few files need

    share = found.share_of_tiles
    if share >= LEAST_SHARE or found.matrix_seconds < LEAST_WORK * found.work_seconds:
        return
    smallest = min(found.tiles, key=lambda tile: tile.multiplications)
    larger = (TileProduct(max(smallest.m, e), max(smallest.n, e), max(smallest.k, 32), smallest.bytes) for e in LARGER)
    reached = [(tile, tile.share(*found.units)) for tile in larger]
    better, best = next((each for each in reached if each[1] >= LEAST_SHARE), reached[-1])
    if best > share:
        message = (
            f"{context.name}: tl.dot of {smallest} takes about {share:.0%} of the rate of tensor cores; "
            f"{better} takes about {best:.0%}"
        )
        yield context.at_def(CODE.id, message, (("share", share), ("share_of_larger", best)))

"""RFL704: blocks of another shape would share more of what they read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roofscan.cost.memory.lru.tree.sampled_expr import total, value_of
from roofscan.finding import Finding
from roofscan.rules.lanes import LEAST_GAIN, launched, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.units import si

if TYPE_CHECKING:
    from roofscan.roofline.gpu.resources import Launched

CODE = Code(
    id="RFL704",
    title="another block shape is faster",
    remedy="launch other blocks",
    location="kernel",
    meaning="""
        The kernel uses only its position in the grid, so its blocks may have any shape. Another shape moves fewer
        bytes: the message gives it, with the bytes that the blocks load from L2.""",
    why="""
        Lanes of a warp that are neighbours along the contiguous axis share sectors: a warp that is 8 threads wide
        requests twice as many. The threads of a block share the data that they reuse. The halo of a block grows with
        its perimeter, so larger and squarer blocks load less of it twice.""",
    action="""
        Launch with that block shape, and with as many blocks as cover the array.""",
    bad="""
        from numba import cuda

        # roofscan: u=f8[12288,12288] v=f8[12288,12288] grid=(6144,96) block=(2,128)
        @cuda.jit
        def jacobi(u, v):
            j, i = cuda.grid(2)
            if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        """,
    good="""
        from numba import cuda

        # roofscan: u=f8[12288,12288] v=f8[12288,12288] grid=(384,1536) block=(32,8)
        @cuda.jit
        def jacobi(u, v):
            j, i = cuda.grid(2)
            if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        """,
)


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context)


def find(context: RuleContext) -> Iterator[Finding]:
    from roofscan.roofline.gpu.what_if import conditions_met, other_blocks, without_caches  # that few files need

    found = launched(context)
    if found is None or not _is_held_by_caches(found) or found.seconds < LEAST_GAIN * without_caches(found).seconds:
        return
    cost, values = context.point.cost, context.point.evaluation.values
    others = other_blocks(cost, found, values)
    best = min(others, key=lambda other: other.launched.seconds, default=None)
    gain = found.seconds / best.launched.seconds if best is not None else 1.0
    if best is None or gain < LEAST_GAIN:
        return
    block = best.block
    before = found.moved.program.launch.block[: len(block)]
    taken, instead = (si(_taken(each), "B") for each in (best.launched, found))
    met = conditions_met(cost, found, values, block)[:1]
    fits = "".join(f"; {cache} then holds the data of {what}" for what, cache in met)
    message = (
        f"{context.name}: {gain:.2g}x by blocks of {block} instead of {before}; "
        f"they load {taken} from L2 instead of {instead}{fits}"
    )
    yield context.at_def(CODE.id, message, (("gain", gain), *zip(("block_x", "block_y", "block_z"), block)))


def _is_held_by_caches(found: Launched) -> bool:
    parts = found.expected()
    return max(parts, key=lambda name: parts[name]) in ("wavefronts", found.machine.levels[-2].name)


def _taken(found: Launched) -> float:
    return value_of(total(found.moved.misses.values()))

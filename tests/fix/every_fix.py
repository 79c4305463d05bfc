"""Every fix that could be made of a kernel, whether it pays or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import libcst as cst

from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.cost.transform.fuse_passes import pass_fusions
from roofscan.cost.transform.interchange import Interchange, legal_orders
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.cost.transform.tile import legal_tilings
from roofscan.finding import Finding, Subject
from roofscan.fix.accumulators import accumulators
from roofscan.fix.array_loops.compiled_function import compiled_function
from roofscan.fix.array_loops.new_results import new_array, summed
from roofscan.fix.array_loops.one_loop import one_loop
from roofscan.fix.columns.by_rows import by_rows
from roofscan.fix.contraction.contracted import contracted
from roofscan.fix.from_zero import from_zero
from roofscan.fix.fusion import fused, one_pass
from roofscan.fix.interchange import interchanged
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.power_divisors import divisors_before
from roofscan.fix.once.rows import stored_before
from roofscan.fix.once.scratch import made_before
from roofscan.fix.out_argument import out_argument
from roofscan.fix.overwritten import overwritten
from roofscan.fix.scalars import copied_divisors, copied_elements, register_sums
from roofscan.fix.source import SourceTree, loop_name, nodes, simple_lines
from roofscan.fix.tiling import tiled
from roofscan.ir.kernel import Kernel
from roofscan.transformation import TransformationRecord

TILES = (2, 3)
OF_LOOPS = (
    from_zero,
    copied_elements,
    register_sums,
    copied_divisors,
    divisors_before,
    accumulators,
    made_before,
    stored_before,
)
NOTHING = Subject()


@lru_cache(maxsize=1)
def tree(text: str) -> SourceTree:
    """One parse for all kernels of a file."""
    return SourceTree(text.encode())


def every_fix(text: str, kernel: Kernel) -> Iterator[Fix]:
    source = tree(text)
    function = source.function_at(kernel.line)
    assert function is not None

    def site(line: int, subject: Subject = NOTHING, record: TransformationRecord | None = None) -> Site:
        finding = Finding("RFL000", "k.py", line, 0, "", kernel.name, subject=subject, transformation=record)
        return Site(finding, kernel, source, function)

    made = [fused(site(kernel.line, record=fusion.record)) for fusion in loop_fusions(kernel)]
    made += [contracted(site(kernel.line, record=fusion.record)) for fusion in loop_fusions(kernel)]
    made += [one_pass(site(kernel.line, record=passes.record)) for passes in pass_fusions(kernel)]
    for perfect in perfect_nests(kernel):
        orders = (order for order in legal_orders(kernel, perfect.nest) if not order.as_written)
        made += [interchanged(site(kernel.line, record=Interchange(perfect, order).record)) for order in orders]
        tiles = (replace(tile, size=size) for tile in legal_tilings(kernel, perfect) for size in TILES)
        made += [tiled(site(kernel.line, record=tile.record)) for tile in tiles]
    for node in (n for n in nodes(function) if isinstance(n, cst.For) and loop_name(n)):
        made += [write(site(source.line(node), Subject("loop", (loop_name(node),)))) for write in OF_LOOPS]
    lines = [source.line(statement) for statement in simple_lines(function)]
    made += [write(site(line)) for line in lines for write in (out_argument, overwritten)]
    made += [write(site(line)) for line in lines for write in (one_loop, summed, new_array)]
    arrays = Subject("array", tuple(kernel.array_named))
    by_text = {fix.module.code: fix for line in lines if (fix := by_rows(site(line, arrays))) is not None}
    made += [compiled_function(site(kernel.line)), *by_text.values()]
    return (fix for fix in made if fix is not None)

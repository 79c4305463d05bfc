"""How many blocks are on a multiprocessor at once."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from roofscan.cost.memory.gpu.decisions import least
from roofscan.cost.memory.gpu.device import Device, ceil_of, resident_blocks
from roofscan.cost.memory.gpu.programs.program import Program, expr_of
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.symbolic.expr import ONE, Expr
from roofscan.symbolic.floors import ceil_div, floor_div


def resident_in_sizes(program: Program, device: Device) -> tuple[Num, Num, Num]:
    """No more blocks than so many are on a multiprocessor: for the number of its threads, for what a block takes of it,
    and for the blocks of this launch."""
    launch, threads = program.launch, prod(program.block, start=program.launch.sharers)
    full = resident_blocks(replace(launch, grid=(device.blocks * device.multiprocessors, 1, 1)), device)
    here = resident_blocks(launch, device)
    if program.number is None:
        return full, full, here
    size, blocks = (prod(map(expr_of, n), start=ONE) for n in ((*program.block, launch.sharers), program.grid))
    registers = size * ceil_of(launch.registers, device.register_unit)
    limits = [
        program.in_sizes(floor_div(Expr.of(device.threads), size)),
        program.in_sizes(floor_div(Expr.of(device.registers), registers)),
    ]
    shared = resident_blocks(replace(launch, block=(1, 1, 1), sharers=1, registers=1, grid=(1 << 30, 1, 1)), device)
    most_held = least(least(*limits), shared)
    return (
        device.threads / threads,
        most_held,
        least(most_held, program.in_sizes(ceil_div(blocks, device.multiprocessors))),
    )

"""A machine file's GPU as the memory model takes it."""

from __future__ import annotations

from roofscan.cost.memory.gpu.device import Device
from roofscan.machine.model import Machine


def device_of(machine: Machine) -> Device | None:
    """None where the file does not describe multiprocessors."""
    if machine.kind != "gpu" or machine.gpu is None:
        return None
    figures = {key: figure.value for key, figure in machine.gpu.items()}
    caches = [level.capacity for level in machine.levels if level.capacity]
    whole = {
        key: round(figures[key])
        for key in (
            "warp", "partitions", "slices", "sector", "line", "granule", "banks", "threads", "blocks", "registers",
            "register_unit", "shared", "shared_overhead", "unroll",
        )
    }  # fmt: skip
    return Device(
        multiprocessors=machine.cores, l1=caches[0], l2=caches[-1], tag_lines=figures["tag_lines"],
        dirty=figures["dirty"], l1_banks=round(figures["l1_width"]) // 4, **whole,
    )  # fmt: skip

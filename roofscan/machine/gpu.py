"""What a GPU's file says of its multiprocessors (``[gpu]``), for the model of warps, blocks and waves. What it leaves
out is the figure of NVIDIA's data-centre GPUs of 2020 to 2024, as an estimate."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.frozen import dataclass
from roofscan.machine.model import Sourced
from roofscan.machine.reader import TableReader

ESTIMATE = "estimate: NVIDIA GPUs of 2020 to 2024"


@dataclass(frozen=True)
class GpuFigure:
    """Its value where a file leaves it out, what it is, and its unit."""

    usual: float
    what: str
    unit: str = ""


FIGURES: Mapping[str, GpuFigure] = {
    "warp": GpuFigure(32, "threads of a warp"),
    "schedulers": GpuFigure(3.6, "instructions started a cycle"),
    "boost": GpuFigure(1.98e9, "clock, where power does not limit it", "Hz"),
    "threads": GpuFigure(2048, "resident threads"),
    "blocks": GpuFigure(32, "resident blocks"),
    "registers": GpuFigure(65536, "registers"),
    "register_unit": GpuFigure(8, "registers of a thread, in multiples of"),
    "shared": GpuFigure(228 * 1024, "bytes of shared memory of all blocks"),
    "shared_overhead": GpuFigure(1024, "bytes more of a block that has some"),
    "banks": GpuFigure(32, "banks of 4 bytes"),
    "l1_width": GpuFigure(128, "bytes of the first cache a cycle"),
    "tag_lines": GpuFigure(4, "lines whose tags it compares a cycle"),
    "sector": GpuFigure(32, "bytes of a sector"),
    "line": GpuFigure(128, "bytes of a line"),
    "granule": GpuFigure(64, "bytes that memory hands out at once"),
    "partitions": GpuFigure(1, "partitions of the second cache"),
    "slices": GpuFigure(80, "atomic updates of it a cycle"),
    "dirty": GpuFigure(0.35, "share of it that stays written at the end"),
    "unroll": GpuFigure(4, "iterations that compiled code merges"),
    "fp64": GpuFigure(64, "fp64 operations a cycle"),
    "fp32": GpuFigure(128, "fp32 operations a cycle"),
    "fp16": GpuFigure(256, "fp16 operations a cycle"),
    "special": GpuFigure(16, "special functions a cycle"),
    "dram_read": GpuFigure(0.0, "memory, reads", "B/s"),  # 0: a share of nameplate
    "dram_write": GpuFigure(0.0, "memory, writes", "B/s"),
    "partial_store": GpuFigure(0.0, "stores to a part of a sector", "B/s"),  # 0: a third of the second cache's
    "latency_l1": GpuFigure(34, "latency of the first cache", "cycles"),
    "latency_l2": GpuFigure(265, "latency of the second cache", "cycles"),
    "latency_far": GpuFigure(400, "latency of its far partition", "cycles"),
    "latency_dram": GpuFigure(950, "latency of memory in dependent chains", "cycles"),
    "start": GpuFigure(2.5e-6, "from one kernel to the next", "s"),
    "dispatch": GpuFigure(6.6e-6, "Numba's launch", "s"),
    "dispatch_array": GpuFigure(4e-6, "more for each array", "s"),
    "host_link": GpuFigure(0.0, "transfers from the host, one way", "B/s"),  # 0: not known
    "host_start": GpuFigure(1e-5, "transfer of nothing", "s"),
}


def gpu_figures(top: TableReader) -> Mapping[str, Sourced] | None:
    """``[gpu]``; None where the file has none."""
    if "gpu" not in top:
        return None
    table = top.table("gpu")
    table.only(*FIGURES)
    return {key: table.figure(key) or Sourced(None, each.usual, ESTIMATE) for key, each in FIGURES.items()}

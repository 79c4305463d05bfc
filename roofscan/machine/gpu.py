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
    "schedulers": GpuFigure(3.6, "instructions issued per cycle"),
    "boost": GpuFigure(1.98e9, "clock without a power limit", "Hz"),
    "threads": GpuFigure(2048, "resident threads"),
    "blocks": GpuFigure(32, "resident blocks"),
    "registers": GpuFigure(65536, "registers"),
    "register_unit": GpuFigure(8, "allocation unit of registers per thread"),
    "shared": GpuFigure(228 * 1024, "bytes of shared memory"),
    "shared_overhead": GpuFigure(1024, "bytes of shared memory reserved per block"),
    "banks": GpuFigure(32, "banks of 4 bytes"),
    "l1_width": GpuFigure(128, "bytes from L1 per cycle"),
    "tag_lines": GpuFigure(4, "lines that L1 looks up per cycle"),
    "sector": GpuFigure(32, "bytes of a sector"),
    "line": GpuFigure(128, "bytes of a line"),
    "granule": GpuFigure(64, "bytes of the smallest access to memory"),
    "partitions": GpuFigure(1, "partitions of L2"),
    "slices": GpuFigure(80, "atomic updates in L2 per cycle"),
    "dirty": GpuFigure(0.42, "share of L2 that may be dirty at the end"),
    "unroll": GpuFigure(4, "iterations that the compiler unrolls"),
    "fp64": GpuFigure(64, "fp64 operations per cycle"),
    "fp32": GpuFigure(128, "fp32 operations per cycle"),
    "fp16": GpuFigure(256, "fp16 operations per cycle"),
    "special": GpuFigure(16, "special functions per cycle"),
    "dram_read": GpuFigure(0.0, "reads from memory", "B/s"),  # 0: a share of nameplate
    "dram_write": GpuFigure(0.0, "writes to memory", "B/s"),
    "partial_store": GpuFigure(0.0, "stores to a part of a sector", "B/s"),  # 0: a third of the second cache's
    "latency_l1": GpuFigure(34, "latency of L1", "cycles"),
    "latency_l2": GpuFigure(265, "latency of L2", "cycles"),
    "latency_far": GpuFigure(400, "latency of the far partition of L2", "cycles"),
    "latency_dram": GpuFigure(650, "latency of memory, idle", "cycles"),
    "start": GpuFigure(2.5e-6, "gap between two kernels", "s"),
    "dispatch": GpuFigure(6.6e-6, "launch by Numba", "s"),
    "dispatch_array": GpuFigure(4e-6, "launch by Numba, per array argument", "s"),
    "host_link": GpuFigure(0.0, "transfers between host and device, one way", "B/s"),  # 0: not known
    "host_start": GpuFigure(1e-5, "start of a transfer", "s"),
}


def gpu_figures(top: TableReader) -> Mapping[str, Sourced] | None:
    """``[gpu]``; None where the file has none."""
    if "gpu" not in top:
        return None
    table = top.table("gpu")
    table.only(*FIGURES)
    return {key: table.figure(key) or Sourced(None, each.usual, ESTIMATE) for key, each in FIGURES.items()}

"""What a GPU's file says of its multiprocessors (``[gpu]``), for the model of warps, blocks and waves. What it leaves
out is the figure of NVIDIA's data-centre GPUs of 2020 to 2024, as an estimate."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.machine.model import Sourced
from roofscan.machine.reader import TableReader

ESTIMATE = "estimate: NVIDIA GPUs of 2020 to 2024"

DEFAULTS: Mapping[str, float] = {
    "warp": 32,  # threads
    "schedulers": 4,  # a multiprocessor: each starts an instruction a cycle
    "boost": 1.98e9,  # Hz, of a kernel that leaves power to spare
    "shared": 228 * 1024,  # bytes of shared memory that a multiprocessor gives to blocks
    "shared_overhead": 1024,  # bytes more a block
    "partitions": 1,  # of the second cache
    "slices": 80,  # of it
    "sector": 32,  # bytes
    "line": 128,  # bytes
    "granule": 64,  # bytes that memory hands out at once
    "threads": 2048,  # resident on a multiprocessor
    "blocks": 32,
    "registers": 65536,
    "register_unit": 8,
    "banks": 32,  # of 4 bytes
    "tag_lines": 4,  # lines whose tags are compared in a cycle
    "unroll": 4,  # iterations that compilers merge into one
    "dirty": 0.35,  # share of the second cache that holds written data when a kernel ends
    "dram_read": 0.0, "dram_write": 0.0,  # bytes/s; 0: four fifths of nameplate
    "partial_store": 0.0,  # bytes/s of sectors that stores fill in part; 0: a third of the second cache's
    "latency_l1": 34, "latency_l2": 265, "latency_far": 400, "latency_dram": 950,  # cycles
    "fp64": 64, "fp32": 128, "fp16": 256, "special": 16,  # operations a cycle and multiprocessor
    "start": 2.5e-6,  # seconds from one kernel's end to the first work of the next
    "host_link": 0.0,  # bytes/s of transfers, one way; 0: not known
    "host_start": 1e-5,  # seconds of a transfer of nothing
    "dispatch": 6.6e-6, "dispatch_array": 4e-6,  # seconds of Numba's launch, and more for each array
}  # fmt: skip


def gpu_figures(top: TableReader) -> Mapping[str, Sourced] | None:
    """``[gpu]``; None where the file has none."""
    if "gpu" not in top:
        return None
    table = top.table("gpu")
    table.only(*DEFAULTS)
    return {key: table.figure(key) or Sourced(None, value, ESTIMATE) for key, value in DEFAULTS.items()}

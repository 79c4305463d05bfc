"""Counts kernels on the GPU of this computer: ``python -m benchmarks.hardware.gpu.count NAME OUT.json``.

NAME is the stem of a pair here, NAME_cuda.py (kernels) and NAME_launches.py (their launches). Needs numba-cuda, CuPy,
and Nsight Compute (``ncu``), which may read counters. Each kernel is launched once to warm up, then counted, clocks as
they are. OUT.json is what ``python -m benchmarks.gpu`` reads; beside it stands OUT.csv, all that ncu printed.
"""

from __future__ import annotations

import csv
import importlib
import json
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.hardware.gpu.launches import Ids, Launch

SECTOR = 32
SUMS: Mapping[str, tuple[str, ...]] = {
    "dram_read": ("dram__bytes_read.sum",),
    "dram_write": ("dram__bytes_write.sum",),
    "l2_read": ("lts__t_sectors_op_read.sum",),
    "l2_write": ("lts__t_sectors_op_write.sum",),
    "l2_atom": ("lts__t_sectors_op_atom.sum",),
    "l2_red": ("lts__t_sectors_op_red.sum",),
    "l1_ld": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",),
    "l1_st": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",),
    "l1_atom": ("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"),
    "local_ld": ("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",),
    "local_st": ("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",),
    "adds": tuple(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("fadd", "fmul", "dadd", "dmul")),
    "fused": tuple(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("ffma", "dfma")),
    "ncu_seconds": ("gpu__time_duration.sum",),
    "registers": ("launch__registers_per_thread",),
    "instructions": ("smsp__inst_executed.sum",),
    "wavefronts": ("l1tex__data_pipe_lsu_wavefronts.sum",),
    "cycles": ("sm__cycles_elapsed.max",),
    **{
        f"pipe_{pipe}": (f"sm__inst_executed_pipe_{pipe}.sum",)
        for pipe in ("alu", "fma", "fp64", "xu", "lsu", "adu", "uniform", "cbu")
    },
    **{
        f"stall_{cause}": (f"smsp__average_warps_issue_stalled_{cause}_per_issue_active.ratio",)
        for cause in ("long_scoreboard", "short_scoreboard", "barrier", "wait", "math_pipe_throttle", "lg_throttle")
    },
    "stall_mio_throttle": ("smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",),
    "active_warps": ("smsp__warps_active.avg.per_cycle_active",),
    "issued": ("smsp__issue_active.avg.per_cycle_active",),
}
SECTORS = ("l2_read", "l2_write", "l2_atom", "l2_red", "l1_ld", "l1_st", "l1_atom", "local_ld", "local_st")
RARE = ("l2_atom", "l2_red", "l1_atom", "local_ld", "local_st")
UNITS = {"nsecond": 1e-9, "ns": 1e-9, "usecond": 1e-6, "us": 1e-6, "msecond": 1e-3, "ms": 1e-3, "second": 1.0, "s": 1.0}
UNITS |= {"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


def made(arg: Any, cupy: Any) -> Any:
    """The argument: arrays on the device, of numbers between 0.1 and 1 or of bytes."""
    if isinstance(arg, Ids):
        return arg.made(cupy)
    if not isinstance(arg, tuple):
        return arg
    if isinstance(arg[0], str):
        return getattr(cupy, arg[0])(arg[1] if len(arg) > 1 else 0.5)
    *shape, dtype = arg
    if dtype.startswith("float"):
        return cupy.random.random(tuple(shape), dtype=dtype) * cupy.dtype(dtype).type(0.9) + cupy.dtype(dtype).type(0.1)
    if dtype.startswith("complex"):
        return cupy.random.random((*shape, 2), dtype="float32").view(dtype)[..., 0]
    return cupy.random.randint(0, 256, tuple(shape), dtype="int32").astype(dtype)


def launch_all(name: str) -> None:
    """Launches each kernel twice, the second time profiled; prints the names of those that ran."""
    numpy: Any = importlib.import_module("numpy")
    numpy.row_stack = getattr(
        numpy, "row_stack", numpy.vstack
    )  # numba-cuda asks for it, and NumPy 2.5 has it no longer
    cupy, cuda = importlib.import_module("cupy"), importlib.import_module("numba.cuda")
    kernels = importlib.import_module(f"benchmarks.hardware.gpu.{name}_cuda")
    launches: Mapping[str, Launch] = importlib.import_module(f"benchmarks.hardware.gpu.{name}_launches").LAUNCHES
    cupy.random.seed(7)
    for kernel, launch in launches.items():
        try:
            arguments = [made(arg, cupy) for arg in launch.args]
            run = getattr(kernels, kernel)[launch.grid, launch.block]
            run(*arguments)
            cuda.synchronize()
            cupy.cuda.runtime.profilerStart()
            run(*arguments)
            cuda.synchronize()
            cupy.cuda.runtime.profilerStop()
            print(f"launched {kernel}", flush=True)
        except Exception:
            print(f"failed {kernel}\n{traceback.format_exc()[-600:]}", flush=True)
        arguments = []
        cupy.get_default_memory_pool().free_all_blocks()


def counted(name: str, out: Path) -> None:
    """Runs :func:`launch_all` under ncu, and writes what it counted."""
    metrics = ",".join(metric for metrics in SUMS.values() for metric in metrics)
    log = out.with_suffix(".csv")
    words = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page", "raw"]
    words += ["--metrics", metrics, "--log-file", str(log), sys.executable, "-m", __spec__.name, name]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    print(ran.stdout[-6000:], ran.stderr[-1500:])
    launched = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("launched ")]
    launches = importlib.import_module(f"benchmarks.hardware.gpu.{name}_launches").LAUNCHES
    rows = dict(zip(launched, table(log)))
    result = {kernel: {**launches[kernel].described(), **figures(row)} for kernel, row in rows.items()}
    out.write_text("{\n" + ",\n".join(f'  "{k}": {json.dumps(v)}' for k, v in result.items()) + "\n}\n")


def table(log: Path) -> list[dict[str, float]]:
    """A row a launch: metrics in their base units."""
    lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    names, units, *rows = csv.reader(lines)
    return [
        {n: _number(value) * UNITS.get(unit, 1.0) for n, unit, value in zip(names, units, row) if "." in n or "__" in n}
        for row in rows
    ]


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def figures(row: Mapping[str, float]) -> dict[str, float]:
    found = {key: sum(row.get(metric, 0.0) for metric in metrics) for key, metrics in SUMS.items()}
    found |= {key: found[key] * SECTOR for key in SECTORS}
    found["sass_flops"] = found.pop("adds") + 2 * found.pop("fused")
    found["registers"] = int(found["registers"])
    return {key: value for key, value in found.items() if value or key not in RARE}


def main() -> None:
    name, *out = sys.argv[1:]
    if out:
        counted(name, Path(out[0]))
    else:
        launch_all(name)


if __name__ == "__main__":
    main()

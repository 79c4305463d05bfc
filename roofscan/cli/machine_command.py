"""``roofscan machine list | show | detect | measure``."""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
from collections.abc import Sequence
from itertools import groupby

from roofscan.cli import output
from roofscan.cli.errors import UsageError

_HEAD = ("", "for", "nameplate", "achieved", "share", "source")


def run_list(arguments: argparse.Namespace) -> int:
    from roofscan.config.defaults import DEFAULT_MACHINE
    from roofscan.machine.files import available

    default = {DEFAULT_MACHINE: f"{DEFAULT_MACHINE} (default)"}
    rows = [(default.get(name, name), kind, text) for name, kind, text in available()]
    output.write(sys.stdout, aligned(rows))
    return 0


def run_show(arguments: argparse.Namespace) -> int:
    from roofscan.machine.describe import describe
    from roofscan.machine.files import load_machine
    from roofscan.machine.model import MachineError

    try:
        machine = load_machine(arguments.name)
    except MachineError as error:
        raise UsageError(str(error)) from None
    parts = [f"{machine.name}: {machine.description}\n"]
    for section, rows in groupby(describe(machine), key=lambda row: row.section):
        cells = [(row.name, row.scope, row.nameplate, row.achieved, row.share, row.source) for row in rows]
        parts.append(f"\n{section}\n{aligned([_HEAD, *cells], '  ')}")
    output.write(sys.stdout, "".join(parts))
    return 0


def run_detect(arguments: argparse.Namespace) -> int:
    from roofscan.machine.detect import detect

    output.emit(detect(), arguments.output)
    return 0


def run_measure(arguments: argparse.Namespace) -> int:
    if arguments.gpu:
        return _measure_gpu(arguments)
    try:
        from roofscan.measuring.machine_file import STEPS, measured_machine
    except ImportError as error:
        raise UsageError(f"measuring needs {error.name}: pip install 'roofscan[measure]'") from None
    from roofscan.cli.progress import progress

    with progress(STEPS) as step:
        text = measured_machine(lambda what: step(f"measuring {what}"))
    output.emit(text, arguments.output)
    return 0


def _measure_gpu(arguments: argparse.Namespace) -> int:
    """Measures the GPU. Where there is none, a line says why; that is no error."""
    from roofscan.cli.progress import progress
    from roofscan.measuring.gpu.machine_file import STEPS, NoGpu, measured_gpu

    try:
        from roofscan.measuring.gpu.numba_gpu import NumbaGpu

        gpu = NumbaGpu()
    except ImportError as error:
        print(f"roofscan: no GPU is measured: {error.name} is not installed (pip install numba-cuda)", file=sys.stderr)
        return 0
    except NoGpu as why:
        print(f"roofscan: no GPU is measured: {why}", file=sys.stderr)
        return 0
    try:
        with warnings.catch_warnings(), progress(STEPS) as step:
            warnings.simplefilter("ignore")  # of launches as small as those that are measured
            text = measured_gpu(gpu, lambda what: step(f"measuring {what}"))
    except Exception as error:  # whatever numba-cuda raises where it does not fit its driver or its NumPy
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        raise UsageError(
            f"numba-cuda cannot run a kernel here ({told}); update numba-cuda and NumPy together"
        ) from error
    output.emit(text, arguments.output)
    return 0


def aligned(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """A table; on a terminal, the last column goes on in the next lines where it is too long."""
    if not rows:
        return ""
    *widths, last = (max(len(row[i]) for row in rows) for i in range(len(rows[0])))
    heads = [indent + "".join(cell.ljust(w) + "  " for cell, w in zip(row, widths)) for row in rows]
    room = output.width(sys.stdout, None, len(heads[0]) + last) - len(heads[0])
    lines = (
        (head if not k else " " * len(head)) + part
        for head, row in zip(heads, rows)
        for k, part in enumerate(textwrap.wrap(row[-1], max(room, 20)) or [""])
    )
    return "".join(line.rstrip() + "\n" for line in lines)

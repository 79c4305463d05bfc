"""As tables and as JSON: what a function of the host asks of a device, with its times; and the configurations of a
launch that a tuner tries."""

from __future__ import annotations

from typing import Any

from roofscan import units
from roofscan.ir.launch import Configuration, LaunchWork
from roofscan.report.figures import Values, amount, plain_number
from roofscan.report.kernel_view.caches import Grid
from roofscan.report.time_text import ON_GPU
from roofscan.roofline.gpu.configurations import TimedConfiguration
from roofscan.roofline.gpu.host_time import TimedStep
from roofscan.roofline.model import KernelReport
from roofscan.symbolic.expr import Expr

MAX_CONFIGURATIONS = 8
HEAD = ("line", "on the device", "times", "bytes", "one", "all")


def device_grid(report: KernelReport, machine: str) -> Grid | None:
    """One row a launch or a transfer; ``machine`` is named where there are several."""
    if not report.device_work:
        return None
    rows = tuple(map(_row, report.device_work))
    head = (HEAD[0], f"{HEAD[1]} {machine}".strip(), *HEAD[2:])
    return Grid(head, rows, words=2)


def _row(step: TimedStep) -> tuple[str, ...]:
    times = f"{step.times:,.0f}" if step.times < 1e6 else f"{step.times:.3g}"
    return (
        str(step.step.loop.line), _what(step), times, units.si(step.bytes, "B"), units.duration(step.seconds),
        units.duration(step.seconds * step.times),
    )  # fmt: skip


def _what(step: TimedStep) -> str:
    """``axpy[4096, 256]``; ``x to the device``."""
    work = step.step.loop.device
    if isinstance(work, LaunchWork):
        grid, block = (_sizes(sizes) for sizes in (work.launch.grid, work.launch.block))
        return f"{work.kernel}[{grid}, {block}]"
    to = "to the device" if work is None or work.to_device else "to the host"
    return f"{step.step.array} {to}{', by the launch' if work is not None and work.implicit else ''}"


def _sizes(sizes: tuple[Expr, Expr, Expr]) -> str:
    used = max((k + 1 for k, size in enumerate(sizes) if size.constant != 1), default=1)
    return str(sizes[0]) if used == 1 else f"({', '.join(map(str, sizes[:used]))})"


def device_json(report: KernelReport, values: Values) -> dict[str, Any]:
    """``device_work`` and ``configurations``; absent for a kernel that has none."""
    work = {"device_work": [_json(step, values) for step in report.device_work]} if report.device_work else {}
    return {**work, **({"configurations": list(map(_tried, report.configurations))} if report.configurations else {})}


def _json(step: TimedStep, values: Values) -> dict[str, Any]:
    """``bytes`` are those of one transfer, or of the device's memory in one launch, at the sizes of the verdict."""
    work, what = step.step.loop.device, step.step
    found: dict[str, Any] = {
        "line": what.loop.line,
        "times": amount(what.times, values),
        "seconds": plain_number(step.seconds),
        "at_least": plain_number(step.least),
        "bytes": plain_number(step.bytes),
    }
    if isinstance(work, LaunchWork):
        sizes = {"grid": work.launch.grid, "block": work.launch.block}
        return {**found, "kind": "launch", "kernel": work.kernel, **{k: list(map(str, v)) for k, v in sizes.items()}}
    to_device = work is None or work.to_device
    implicit = work is not None and work.implicit
    return {**found, "kind": "to_device" if to_device else "to_host", "array": what.array, "implicit": implicit}


# -- configurations -----------------------------------------------------------------------------------
def configuration_grid(report: KernelReport, machine: str) -> Grid | None:
    """One row a configuration, the fastest first."""
    found = report.configurations
    if not found or report.machine is None:
        return None
    levels = tuple(level.name for level in report.machine.levels[-3:])
    rows = [(_words(t.configuration), _limit(t), *(units.si(b, "B") for b in t.bytes[::-1]),
             units.duration(t.time.expected)) for t in found[:MAX_CONFIGURATIONS]]  # fmt: skip
    if len(found) > MAX_CONFIGURATIONS:
        rows.append((f"and {len(found) - MAX_CONFIGURATIONS} more", *[""] * 5))
    return Grid((f"configuration {machine}".strip(), "limit", *levels, "expected"), tuple(rows), words=2)


def _words(tried: Configuration) -> str:
    return " ".join(f"{name}={value}" for name, value in (*tried.constants, *tried.options)) or "as it is"


def _limit(timed: TimedConfiguration) -> str:
    return ON_GPU.get(timed.time.limit, timed.time.limit)


def _tried(timed: TimedConfiguration) -> dict[str, Any]:
    """``bytes`` are those of the device's memory, of its second cache and of its first."""
    return {
        "constants": dict(timed.configuration.constants),
        "options": dict(timed.configuration.options),
        "seconds": plain_number(timed.time.expected),
        "at_least": plain_number(timed.time.at_least),
        "limit": timed.time.limit,
        "bytes": dict(zip(("dram", "l2", "l1"), map(plain_number, timed.bytes))),
    }

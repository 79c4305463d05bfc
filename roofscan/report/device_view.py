"""What a function of the host asks of a device: launches and transfers with their times, as a table and as JSON."""

from __future__ import annotations

from typing import Any

from roofscan import units
from roofscan.ir.launch import LaunchWork
from roofscan.report.cache_view import Grid
from roofscan.report.figures import Values, plain_number, value_of
from roofscan.roofline.gpu.host_time import TimedStep
from roofscan.roofline.model import KernelReport
from roofscan.symbolic.expr import Expr

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
    """``device_work``; absent for a kernel that asks nothing of a device."""
    return {"device_work": [_json(step, values) for step in report.device_work]} if report.device_work else {}


def _json(step: TimedStep, values: Values) -> dict[str, Any]:
    """``bytes`` are those of one transfer, or of the device's memory in one launch, at the sizes of the verdict."""
    work, what = step.step.loop.device, step.step
    found: dict[str, Any] = {
        "line": what.loop.line,
        "times": {"expr": str(what.times), "value": value_of(what.times, values)},
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

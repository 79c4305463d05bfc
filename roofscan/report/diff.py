"""Two JSON reports compared: what got better or worse, kernel by kernel, as Markdown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from roofscan import units
from roofscan.frozen import dataclass

Trend = Literal["worse", "better", "changed", "new", "gone"]

SPEED = "speed"  # shown as FLOP/s, compared as its inverse: less is better, as of all other figures
SAME = 0.02  # a smaller change of a figure is none
_ORDER: tuple[Trend, ...] = ("worse", "better", "changed", "new", "gone")
_SIGNS = {"worse": "🔺 worse", "better": "🟢 better", "changed": "changed", "new": "new", "gone": "gone"}
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
LARGEST_POWER = 64


@dataclass(frozen=True)
class KernelDiff:
    path: str
    name: str
    trend: Trend
    changes: tuple[tuple[str, str, str], ...] = ()  # what, before, after


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[KernelDiff]:
    """The kernels of two reports of the contract ``roofscan/1`` that are not the same in both, the worse first."""
    before, after = ({(k["path"], k["name"]): k for k in report["kernels"]} for report in (old, new))
    found = [
        KernelDiff(*place, "gone" if place not in after else "new")
        for place in sorted(before.keys() ^ after.keys())
    ]  # fmt: skip
    for place in sorted(before.keys() & after.keys()):
        found += _of_kernel(place, before[place], after[place])
    return sorted(found, key=lambda d: (_ORDER.index(d.trend), d.path, d.name))


def render_diff(differences: Sequence[KernelDiff], kernels: int) -> str:
    if not differences:
        return f"roofscan: no change in {kernels} kernels.\n"
    counts = [f"{n} {trend}" for trend in _ORDER if (n := sum(d.trend == trend for d in differences))]
    lines = [f"roofscan: {', '.join(counts)}, of {kernels} kernels.", "", "| kernel | | figure | before | after |"]
    lines.append("|:--|:--|:--|--:|--:|")
    for d in differences:
        name = f"`{d.path}::{d.name}`".replace("|", "\\|")
        for number, change in enumerate(d.changes or (("", "", ""),)):
            cells = [name if number == 0 else "", _SIGNS[d.trend] if number == 0 else "", *change]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _of_kernel(place: tuple[str, str], old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[KernelDiff]:
    """The trend is that of what matters most: whether it can be counted, its time, its bytes, its findings."""
    changes, trends = [], [(old["status"] == "unsupported") - (new["status"] == "unsupported")]
    for what, said in (("status", _status), ("limited by", _limit)):
        if said(old) != said(new):
            changes.append((what, said(old), said(new)))
    for what, one, other, show in _figures(old, new):
        if one is not None and other is not None and abs(other - one) > SAME * max(abs(one), abs(other)):
            changes.append((what, show(one), _after(what, one, other, show)))
            trends.append((other < one) - (other > one) if what != "FLOPs" else 0)
    known, found = _codes(old), _codes(new)
    if known != found:
        changes.append(("findings", ", ".join(known) or "none", ", ".join(found) or "none"))
        trends.append((set(found) < set(known)) - (set(found) > set(known)))
    if changes:
        decisive = next(filter(None, trends), 0)
        trend: Trend = "better" if decisive > 0 else "worse" if decisive else "changed"
        yield KernelDiff(*place, trend, tuple(changes))


def _figures(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, float | None, float | None, Callable[[float], str]]]:
    """Figures of both at the sizes of the old one's verdict."""
    sizes = {**old["binding"], **old["verdict"].get("sizes", {})}
    times = _times(old, new, sizes)
    yield ("expected time", *times, units.duration)
    if None in times:
        yield (SPEED, _seconds_a_flop(old), _seconds_a_flop(new), lambda number: units.si(1 / number, "FLOP/s"))
    yield "FLOPs", _at(old["flops"], sizes), _at(new["flops"], sizes), units.si
    levels = [(k["levels"] or [None])[-1] for k in (old, new)]
    if all(levels):
        one, other = (_at(level["traffic"], sizes) for level in levels)
        yield f"bytes at {levels[0]['name']}", one, other, lambda number: units.si(number, "B")


def _times(
    old: Mapping[str, Any], new: Mapping[str, Any], sizes: Mapping[str, Any]
) -> tuple[float | None, float | None]:
    one, other = (k["verdict"].get("time_seconds", {}).get("expected") or {} for k in (old, new))
    if old["verdict"].get("sizes") == new["verdict"].get("sizes"):
        ends = tuple(time.get("value") or time.get("at_large_sizes") for time in (one, other))
        return ends[0], ends[1]
    return _at(one, sizes), _at(other, sizes)


def _after(what: str, one: float, other: float, show: Callable[[float], str]) -> str:
    if not one or not other:
        return show(other)
    return f"{show(other)} ({one / other if what == SPEED else other / one:.2f}x)"


def _seconds_a_flop(kernel: Mapping[str, Any]) -> float | None:
    """At the sizes of its own verdict."""
    sizes = {**kernel["binding"], **kernel["verdict"].get("sizes", {})}
    time = kernel["verdict"].get("time_seconds", {}).get("expected") or {}
    seconds, flops = time.get("value") or time.get("at_large_sizes"), _at(kernel["flops"], sizes)
    return seconds / flops if seconds and flops else None


def _status(kernel: Mapping[str, Any]) -> str:
    return str(kernel["status"])


def _limit(kernel: Mapping[str, Any]) -> str:
    verdict = kernel["verdict"]
    return str(verdict.get("limit") or verdict.get("level") or verdict.get("bound") or "–")


def _codes(kernel: Mapping[str, Any]) -> list[str]:
    return sorted({finding["code"] for finding in kernel.get("findings", ())})


# -- expressions, without evaluating text ---------------------------------------------------------------
def _at(amount: Mapping[str, Any], sizes: Mapping[str, Any]) -> float | None:
    """The value at these sizes; None where a symbol has none, or a function is not arithmetic."""
    if amount.get("value") is not None:
        return float(amount["value"])
    try:
        return _value(ast.parse(amount.get("expr") or "", mode="eval").body, sizes)
    except (SyntaxError, ValueError, KeyError, TypeError, OverflowError, ZeroDivisionError, RecursionError):
        return None


def _value(node: ast.expr, sizes: Mapping[str, Any]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        return float(sizes[node.id])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, sizes)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _value(node.left, sizes), _value(node.right, sizes)
        if isinstance(node.op, ast.Pow) and abs(right) > LARGEST_POWER:
            raise ValueError("a power that no count has")
        return _OPERATORS[type(node.op)](float(left), right)
    raise ValueError("not arithmetic")

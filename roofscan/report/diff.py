"""Two JSON reports compared: what got better or worse, kernel by kernel, as Markdown."""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, Literal

from roofscan import units
from roofscan.frozen import dataclass
from roofscan.ir.kinds import GPU_KINDS
from roofscan.report.markdown import code, plain
from roofscan.report.time_text import resources

Trend = Literal["worse", "better", "changed", "moved", "new", "gone"]

SPEED = "speed"  # shown as FLOP/s, compared as its inverse: less is better, as of all other figures
EQUAL_SHARE = 0.02  # a smaller change of a figure is none
_ORDER: tuple[Trend, ...] = ("worse", "better", "changed", "new", "gone", "moved")
_SIGNS = {"worse": "🔺 worse", "better": "🟢 better", "changed": "changed", "new": "new", "gone": "gone",
          "moved": "moved"}  # fmt: skip
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
LARGEST_POWER = 64
MOST_LETTERS = 60_000  # GitHub takes comments of 65,536

Place = tuple[str, str, int]
"""Path, name, and how many of that name stand before it in the file."""


@dataclass(frozen=True)
class KernelDiff:
    path: str
    name: str
    trend: Trend
    changes: tuple[tuple[str, str, str], ...] = ()  # what, before, after


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[KernelDiff]:
    """The kernels of two reports of the contract ``roofscan/1`` that are not the same in both, the worse first."""
    before, after = _by_place(old), _by_place(new)
    moved = _moved(before.keys() - after.keys(), after.keys() - before.keys())
    pairs = {place: place for place in before.keys() & after.keys()} | moved
    found = [KernelDiff(*place[:2], "gone") for place in before.keys() - pairs.keys()]
    found += [KernelDiff(*place[:2], "new") for place in after.keys() - set(pairs.values())]
    for was, place in pairs.items():
        found += _of_kernel(place, before[was], after[place])
    return sorted(found, key=lambda d: (_ORDER.index(d.trend), d.path, d.name))


def _by_place(report: Mapping[str, Any]) -> dict[Place, Mapping[str, Any]]:
    seen: Counter[tuple[str, str]] = Counter()
    found = {}
    for kernel in report["kernels"]:
        path, name = str(kernel["path"]), str(kernel["name"])
        found[path, name, seen[path, name]] = kernel
        seen[path, name] += 1
    return found


def _moved(gone: Set[Place], new: Set[Place]) -> dict[Place, Place]:
    """Kernels in another file: the only one of its name that is gone, and the only one that is new."""
    lost, made = Counter(name for _, name, _ in gone), Counter(name for _, name, _ in new)
    there = {place[1]: place for place in new}
    return {place: there[place[1]] for place in gone if lost[place[1]] == made[place[1]] == 1}


def render_diff(differences: Sequence[KernelDiff], kernels: int) -> str:
    of_them = units.counted(kernels, "kernel")
    if not differences:
        return f"roofscan: no change in {of_them}.\n"
    counts = [f"{n} {trend}" for trend in _ORDER if (n := sum(d.trend == trend for d in differences))]
    lines = [f"roofscan: {', '.join(counts)}, of {of_them}.", "", "| kernel | | figure | before | after |"]
    lines.append("|:--|:--|:--|--:|--:|")
    room = MOST_LETTERS
    for shown, d in enumerate(differences):
        rows = [f"| {' | '.join(cells)} |" for cells in _cells(d)]
        room -= sum(len(row) + 1 for row in rows)
        if room < 0:
            return "\n".join([*lines, "", f"{len(differences) - shown} more are not shown."]) + "\n"
        lines += rows
    return "\n".join(lines) + "\n"


def _cells(d: KernelDiff) -> Iterator[list[str]]:
    head = [code(f"{d.path}::{d.name}"), _SIGNS[d.trend]]
    for number, change in enumerate(d.changes or (("", "", ""),)):
        yield [*(head if number == 0 else ["", ""]), *map(plain, change)]


def _of_kernel(place: Place, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[KernelDiff]:
    """The trend is that of what matters most: whether it can be counted, its time, its bytes, its findings."""
    changes, trends = [], [(old["status"] == "unsupported") - (new["status"] == "unsupported")]
    for what, said in (("file", _path), ("sizes", _sizes), ("status", _status), ("limited by", _limit)):
        if said(old) != said(new):
            changes.append((what, said(old), said(new)))
    for what, one, other, show in _figures(old, new):
        if one is not None and other is not None and abs(other - one) > EQUAL_SHARE * max(abs(one), abs(other)):
            changes.append((what, show(one), _after(what, one, other, show)))
            trends.append((other < one) - (other > one) if what != "FLOPs" else 0)
    known, found = _codes(old), _codes(new)
    if known != found:
        changes.append(("findings", ", ".join(known) or "none", ", ".join(found) or "none"))
        trends.append((set(found) < set(known)) - (set(found) > set(known)))
    if changes:
        decisive = next(filter(None, trends), 0)
        same: Trend = "moved" if [what for what, _, _ in changes] == ["file"] else "changed"
        trend = "better" if decisive > 0 else "worse" if decisive else same
        yield KernelDiff(*place[:2], trend, tuple(changes))


def _figures(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, float | None, float | None, Callable[[float], str]]]:
    """Figures of both at the sizes that are bound, and of the old one's verdict; none where a size is bound to two."""
    bound = [k["binding"] for k in (old, new)]
    if any(bound[0][name] != bound[1][name] for name in bound[0].keys() & bound[1].keys()):
        return
    sizes = {**(old["verdict"].get("sizes") or {}), **bound[1], **bound[0]}
    times = _times(old, new, sizes)
    yield ("expected time", *times, units.duration)
    if None in times and old["binding"] == new["binding"]:
        yield (SPEED, _seconds_a_flop(old), _seconds_a_flop(new), lambda number: units.si(1 / number, "FLOP/s"))
    yield "FLOPs", _at(old["flops"], sizes), _at(new["flops"], sizes), units.si
    levels = [(k["levels"] or [None])[-1] for k in (old, new)]
    if all(levels):
        one, other = (_bytes(level, sizes) for level in levels)
        yield f"bytes at {levels[0]['name']}", one, other, lambda number: units.si(number, "B")


def _times(
    old: Mapping[str, Any], new: Mapping[str, Any], sizes: Mapping[str, Any]
) -> tuple[float | None, float | None]:
    one, other = (k["verdict"].get("time_seconds", {}).get("expected") or {} for k in (old, new))
    if old["binding"] != new["binding"]:
        return None, None
    if old["verdict"].get("sizes") == new["verdict"].get("sizes"):
        ends = tuple(time.get("value") or time.get("at_large_sizes") for time in (one, other))
        return ends[0], ends[1]
    return _at(one, sizes), _at(other, sizes)


def _bytes(level: Mapping[str, Any], sizes: Mapping[str, Any]) -> float | None:
    """Of the first piece that holds at these sizes."""
    if level["traffic"].get("value") is None:
        for piece in level.get("pieces") or ():
            conditions = [_at({"expr": text}, sizes) for text in piece["when"]]
            if None in conditions:
                return None
            if all(value is not None and value >= 0 for value in conditions):
                return _at(piece["traffic"], sizes)
    return _at(level["traffic"], sizes)


def _after(what: str, one: float, other: float, show: Callable[[float], str]) -> str:
    if not one or not other:
        return show(other)
    return f"{show(other)} ({units.digits(one / other if what == SPEED else other / one)}x)"


def _seconds_a_flop(kernel: Mapping[str, Any]) -> float | None:
    """At the sizes of its own verdict."""
    sizes = {**kernel["binding"], **(kernel["verdict"].get("sizes") or {})}
    time = kernel["verdict"].get("time_seconds", {}).get("expected") or {}
    seconds, flops = time.get("value") or time.get("at_large_sizes"), _at(kernel["flops"], sizes)
    return seconds / flops if seconds and flops else None


def _status(kernel: Mapping[str, Any]) -> str:
    return str(kernel["status"])


def _path(kernel: Mapping[str, Any]) -> str:
    return str(kernel["path"])


def _sizes(kernel: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(kernel["binding"].items())) or "free"


def _limit(kernel: Mapping[str, Any]) -> str:
    verdict = kernel["verdict"]
    limit = str(verdict.get("limit") or verdict.get("level") or verdict.get("bound") or "–")
    return resources(kernel.get("compiled") in GPU_KINDS).get(limit, limit)


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

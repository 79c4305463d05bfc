"""What the editor shows of a kernel and its loops: a few lines of Markdown, and a label behind the code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofscan import units
from roofscan.cost.by_line import Work, work_by_loop
from roofscan.frozen import dataclass
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import innermost_loops, loops
from roofscan.report import formatting
from roofscan.report.figures import bound_values, ratio_value
from roofscan.report.kernel_view.caches import cache_view
from roofscan.report.kernel_view.level_rows import Row
from roofscan.report.kernel_view.view import view_of
from roofscan.report.layer_sentences import formatter_on
from roofscan.report.markdown import code, plain
from roofscan.report.time_text import resources
from roofscan.roofline.layer_conditions import significant
from roofscan.roofline.model import KernelReport, LevelReport, Ratio
from roofscan.symbolic.expr import Expr

MAX_LINES = 15  # of a hover


@dataclass(frozen=True)
class Note:
    """What is shown on the line of a ``def`` or a loop."""

    line: int
    label: str
    hover: str


def notes_of(report: KernelReport) -> tuple[Note, ...]:
    """A kernel's note, and those of the loops that its function holds."""
    kernel = report.cost.kernel
    here = range(kernel.line, kernel.end_line + 1)
    written = {n.line: n for n in loops(kernel.body) if n.end_line and not n.is_elsewhere and n.line in here}
    work = work_by_loop(report.cost) if written else {}
    noted = (_loop_note(report, loop, work[loop.var]) for loop in written.values() if loop.var in work)
    return (_kernel_note(report), *noted)


def _kernel_note(report: KernelReport) -> Note:
    view = view_of([report])
    counts = dict(view.counts)
    tags = " · ".join([view.status, *view.tags])
    head = [f"**{plain(view.name)}** · {tags}", ""]
    if "FLOPs" in counts:
        head += [f"{code(counts['FLOPs'])} FLOPs", ""]
    table = _table(view.rows) if any(level.intensity is not None for level in report.levels) else []
    found = (finding for finding in view.findings if finding.line == report.cost.kernel.line)
    details = {finding.code: finding.detail for finding in report.findings if finding.code == report.verdict.code}
    said = [_said(s.code, details.get(s.code) or s.text) for s in (*view.verdicts, *found)]
    layers = [f"- {plain(text)}" for text in cache_view(report).conditions]
    return Note(report.cost.kernel.line, _kernel_label(report), _cut([*head, *table, *said, *layers]))


def _said(code_: str, text: str) -> str:
    return f"- {' '.join(filter(None, (code_, plain(text))))}"


def _table(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    lines = [
        f"| {r.interface} | {code(r.traffic)} | {plain(r.intensity)} | {r.ridge} | {plain(r.bound)} |" for r in rows
    ]
    return ["| interface | bytes | FLOP/B | ridge | bound |", "|:--|:--|--:|--:|:--|", *lines, ""]


def _kernel_label(report: KernelReport) -> str:
    verdict = report.verdict
    if verdict.bound is None:
        return "" if report.cost.status == "unsupported" else "no verdict"
    name = verdict.limit or verdict.level or ""
    level = next((level for level in report.levels if level.name == name), report.levels[-1])
    intensity = formatting.intensity(report, level.intensity, level.judged)
    where = "" if level.name == name else f" at {level.name}"
    return f"{_limit(report)}, AI {intensity}{where}" if level.intensity else _limit(report)


def _limit(report: KernelReport) -> str:
    verdict = report.verdict
    name, words = verdict.limit or verdict.level or "", resources(report.on_gpu)
    if verdict.bound == "memory":
        return f"memory-bound {f'by {words[name]}' if name in words else f'at {name}'}"
    return f"limited by {words[name]}" if name in words else f"{verdict.bound}-bound"


# -- loops ----------------------------------------------------------------------------------------
def _loop_note(report: KernelReport, loop: Loop, work: Work) -> Note:
    nearest = report.levels[0] if report.levels else None
    ratio = Ratio(work.flops, work.moved) if work.moved else None
    lines = [f"**{plain(loop.title)}** in {plain(report.cost.kernel.name)}", "", *_work(report, work)]
    if nearest is not None and ratio is not None:
        against = _against_ridge(report, nearest, ratio)
        lines.append(f"- at {nearest.name}: AI {plain(formatting.intensity(report, ratio))}, {against}")
    found = [f for f in report.findings if f.line == loop.line]
    lines += [_said(f.code, f.detail or f.message) for f in found]
    lines += [f"- {plain(text)}" for text in _carried(report, loop)]
    if report.verdict.bound is not None:
        lines.append(f"- the kernel: {plain(_kernel_label(report))}")
    label = f"AI {formatting.intensity(report, ratio)} at {nearest.name}" if ratio and nearest else ""
    return Note(loop.line, label, _cut(lines))


def _work(report: KernelReport, work: Work) -> Iterator[str]:
    for what, expr in (("FLOPs", work.flops), ("bytes loaded", work.loaded), ("bytes stored", work.stored)):
        yield f"- {what}: {code(_shown(report, expr))}"


def _shown(report: KernelReport, expr: Expr) -> str:
    return formatting.with_value(expr, bound_values(report.cost), report.cost.sample_point)


def _against_ridge(report: KernelReport, level: LevelReport, ratio: Ratio) -> str:
    value = ratio_value(ratio, report.cost.sample_point)
    if level.ridge is None or value is None:
        return "no ridge"
    return f"{'left' if value < level.ridge else 'right'} of its ridge {units.digits(level.ridge)}"


def _carried(report: KernelReport, loop: Loop) -> Iterator[str]:
    """What waits for the iteration before, and the layer conditions of the reuse that the loop carries."""
    chain = report.verdict.chain
    if (
        chain is not None
        and chain.line in range(loop.line, loop.end_line + 1)
        and loop in innermost_loops(report.cost.kernel.body)
    ):
        yield f"each iteration waits for {chain.name} of the one before"
    formatter = formatter_on(report)
    yield from (formatter.sentence(step) for step in significant(report.steps) if step.loop == loop.var)


def _cut(lines: list[str]) -> str:
    return "\n".join(lines[:MAX_LINES]).rstrip()

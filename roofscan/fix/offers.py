"""The fixes of a file: one per kernel and round, on the source as the fixes before left it, until none is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice
from operator import itemgetter

import libcst as cst

from roofscan.api import KernelResult, analyze_source, findings_of
from roofscan.config.options import Options
from roofscan.finding import Finding
from roofscan.fix.accumulators import accumulators
from roofscan.fix.array_loops.compiled_function import compiled_function
from roofscan.fix.array_loops.compiled_part import compiled_part
from roofscan.fix.array_loops.new_results import new_array, summed
from roofscan.fix.array_loops.one_loop import one_loop
from roofscan.fix.columns.by_rows import by_rows
from roofscan.fix.columns.by_subscript import by_subscript
from roofscan.fix.columns.sums_by_rows import sums_by_rows
from roofscan.fix.contraction.contracted import contracted
from roofscan.fix.decorator import compiled_caller, error_model, fastmath, parallel
from roofscan.fix.from_zero import from_zero
from roofscan.fix.fusion import fused, one_pass
from roofscan.fix.interchange import interchanged
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.fills import unfilled
from roofscan.fix.once.power_divisors import divisors_before
from roofscan.fix.once.reciprocals import multiplied
from roofscan.fix.once.reductions import hoisted
from roofscan.fix.once.rows import stored_before
from roofscan.fix.once.scratch import made_before
from roofscan.fix.out_argument import out_argument
from roofscan.fix.overwritten import overwritten
from roofscan.fix.powers import integer_powers
from roofscan.fix.premises.contradicted import is_contradicted
from roofscan.fix.scalars import copied_divisors, copied_elements, register_sums
from roofscan.fix.signature import contiguous
from roofscan.fix.single_precision import float32
from roofscan.fix.source import SourceTree
from roofscan.fix.tiling import tiled
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Decorator, Kernel

FASTMATH_ROUNDS = "with fastmath, other loops round differently too"
INDEX_ERRORS = "a subscript out of bounds raises in another iteration"
UNREAD_OPTIONS = "not all options of the decorator are known"
MAX_ROUNDS = 12  # changes of one kernel on top of each other

FIXES: Mapping[str, tuple[Callable[[Site], Fix | None], ...]] = {
    "RFL101": (interchanged, tiled),
    "RFL201": (by_rows, sums_by_rows),
    "RFL202": (interchanged,),
    "RFL301": (one_loop, summed, compiled_function, compiled_part, out_argument, overwritten),
    "RFL302": (fused, contracted, one_loop, summed, new_array, compiled_function, compiled_part, overwritten),
    "RFL303": (one_pass,),
    "RFL304": (unfilled,),
    "RFL401": (float32,),
    "RFL501": (fastmath, accumulators),
    "RFL502": (compiled_caller,),
    "RFL503": (hoisted, stored_before, multiplied),
    "RFL504": (made_before, one_loop, summed, new_array),
    "RFL505": (contiguous,),
    "RFL506": (by_subscript,),
    "RFL507": (integer_powers,),
    "RFL520": (from_zero,),
    "RFL523": (copied_divisors, divisors_before, error_model),
    "RFL524": (register_sums,),
    "RFL525": (copied_elements,),
    "RFL603": (parallel,),
}
"""How the changes that a finding of a code proposes are written, the best first."""

Shown = Callable[[list[Finding], str], list[Finding]]
"""The findings of a text that count: those that no comment silences."""


@dataclass(frozen=True)
class Choice:
    """Which fixes are wanted."""

    unsafe: bool = False
    assume: bool = True  # take what rests on an assumption for safe
    fastmath: bool = True

    def takes(self, fix: Fix) -> bool:
        if fix.safety == "unsafe" and not self.unsafe:
            return False
        if fix.option == "fastmath" and not self.fastmath:
            return False
        return self.assume or not fix.assumptions


@dataclass(frozen=True)
class FixedFile:
    """A file before and after its fixes, with a text for each of them, in the order of the lines that they change.
    ``held_back``: how many more findings have fixes, but unsafe ones, which were not wanted; ``problem``: why it has
    no fixes."""

    path: str
    before: bytes
    after: bytes
    fixes: tuple[str, ...] = ()
    problem: str = ""
    held_back: int = 0


@dataclass(frozen=True)
class _Round:
    """One fix a kernel, the last in the file first; ``held_back``: by kernel that has none, the number of findings with
    unsafe fixes alone, if these are not wanted."""

    fixes: tuple[Fix, ...]
    held_back: Mapping[str, int]


def fixed(
    path: str, data: bytes, options: Options, choice: Choice, shown: Shown, kernels: tuple[str, ...] = (),
    first: tuple[str, ...] | None = None,
) -> FixedFile:  # fmt: skip
    """The file with all fixes that are wanted, of some kernels ((): of all); ``data`` is what it holds, ``first`` are
    those of them that have findings, if that is known."""
    now, said, held_back = data, list[tuple[int, str]](), dict[str, int]()
    next_ones = kernels if first is None else first
    try:
        for _ in range(MAX_ROUNDS):
            made = _round(path, now, options, choice, shown, next_ones)
            held_back.update(made.held_back)
            found = made.fixes
            if not found:
                break
            moved = _lines_before(data, now)
            said += [(moved(fix.site.finding.line), fix.describes_by(moved)) for fix in found]
            now = found[-1].module.bytes
            # Where lines moved, the kernels above had no turn.
            next_ones = kernels if found[-1].moves_others else tuple(fix.site.kernel.name for fix in found)
    except cst.ParserSyntaxError as error:
        return FixedFile(path, data, data, problem=f"line {error.raw_line} cannot be parsed")
    except ValueError as error:
        return FixedFile(path, data, data, problem=str(error))
    texts = tuple(text for _, text in sorted(said, key=itemgetter(0)))
    return FixedFile(path, data, now, texts, held_back=sum(held_back.values()))


def _lines_before(data: bytes, now: bytes) -> Callable[[int], int]:
    """The line (from 1) of a file that a line of the changed file comes from."""
    changes = SequenceMatcher(None, data.splitlines(), now.splitlines(), autojunk=False).get_opcodes()

    def moved(line: int) -> int:
        found = ((max(1, min(first + line - start, end))) for _, first, end, start, stop in changes if line <= stop)
        return next(found, line)

    return moved


def offered(path: str, data: bytes, options: Options, shown: Shown, kernels: tuple[str, ...]) -> list[Fix]:
    """Every fix of some kernels, each by itself; none where the file cannot be read."""
    try:
        source = SourceTree(data)
    except (cst.ParserSyntaxError, ValueError):
        return []
    report = analyze_source(source.text, path, options, functions=kernels, follow=True)
    findings = shown(findings_of(report, options), source.text)
    return [fix for result in report.kernels for fix in _fixes(result, findings, source)]


def proposed(data: bytes, found: Iterable[tuple[Kernel, Iterable[Finding]]]) -> Iterator[Fix]:
    """The best way to follow each finding of the kernels of a file; none where the file cannot be read."""
    try:
        source = SourceTree(data)
    except (cst.ParserSyntaxError, ValueError):
        return
    for kernel, findings in found:
        for finding in findings:
            yield from islice(answers(finding, kernel, source), 1)


def _round(path: str, data: bytes, options: Options, choice: Choice, shown: Shown, kernels: tuple[str, ...]) -> _Round:
    """One fix a kernel (of ``kernels``; (): of all), from the last to the first, so that lines above stay where they
    are; none after one that moves them."""
    source = SourceTree(data)
    report = analyze_source(source.text, path, options, functions=kernels, follow=True)
    findings = shown(findings_of(report, options), source.text)
    made: list[Fix] = []
    held_back: dict[str, int] = {}
    for result in sorted(report.kernels, key=lambda r: -r.kernel.line):
        fix, held_back[result.kernel.name] = _first_wanted(_fixes(result, findings, source), choice)
        if fix is not None:
            made.append(fix)
            if fix.moves_others:
                break
            source = SourceTree(fix.module.bytes)
    return _Round(tuple(made), held_back)


def _first_wanted(fixes: Iterable[Fix], choice: Choice) -> tuple[Fix | None, int]:
    """The first fix that is wanted; if there is none, how many findings have one that only ``unsafe`` would take."""
    held_back, if_unsafe = set[Finding](), replace(choice, unsafe=True)
    for fix in fixes:
        if choice.takes(fix):
            return fix, 0
        if if_unsafe.takes(fix):
            held_back.add(fix.site.finding)
    return None, len(held_back)


def _fixes(result: KernelResult, findings: Sequence[Finding], source: SourceTree) -> Iterator[Fix]:
    kernel, is_bound = result.kernel, not result.reports[0].cost.free if result.reports else False
    mine = (finding for finding in findings if finding in result.findings)  # others may have the kernel's name
    return (fix for finding in mine for fix in answers(finding, kernel, source, is_bound))


def answers(finding: Finding, kernel: Kernel, source: SourceTree, is_bound: bool = False) -> Iterator[Fix]:
    """The ways to follow a finding, the best first; none that would lose a comment, or call ``min`` in a file that has
    a function of that name, or assume what a call in the file does not keep, and none of a function in which names have
    other types than their values."""
    function = source.function_at(kernel.line)
    if function is None or kernel.decorator.retypes:
        return
    for write in FIXES.get(finding.code, ()):
        fix = write(Site(finding, kernel, source, function, is_bound))
        if fix is None or is_contradicted(fix):
            continue
        if not (source.loses_comments(fix.module) or source.hides_built_ins(fix.module)):
            yield _under(kernel.decorator, fix)


def _under(options: Decorator, fix: Fix) -> Fix:
    """Safe changes are not under some options; with ``fastmath``, the compiler picks the order of sums, and what it
    contracts, by the loops that it sees."""
    whys = [
        why
        for why, holds in (
            (FASTMATH_ROUNDS, options.fastmath),
            (INDEX_ERRORS, options.checks_bounds),
            (UNREAD_OPTIONS, options.has_unread),
        )
        if holds
    ]
    return replace(fix, safety="unsafe", why_unsafe=", ".join(whys)) if whys and fix.safety == "safe" else fix

"""The fixes of a file: one a kernel and round, on the source as the fixes before left it, until none is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from roofscan.api import analyze_source
from roofscan.config.options import Options
from roofscan.finding import Finding
from roofscan.fix.interchange import interchanged
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import Source
from roofscan.pipeline.driver import KernelResult

MAX_ROUNDS = 12  # changes of one kernel on top of each other

FIXES: Mapping[str, Callable[[Site], Fix | None]] = {"RFL101": interchanged, "RFL202": interchanged}
"""How the change that a finding of a code proposes is written."""


@dataclass(frozen=True)
class Choice:
    """Which fixes are wanted."""

    codes: tuple[str, ...] = ()  # codes or beginnings of codes; (): all
    unsafe: bool = False
    assume: bool = True  # take what rests on an assumption for safe

    def takes(self, fix: Fix) -> bool:
        if fix.safety == "unsafe" and not self.unsafe:
            return False
        return self.assume or not fix.assumptions

    def asks(self, finding: Finding) -> bool:
        return not self.codes or finding.code.startswith(self.codes)


@dataclass(frozen=True)
class FixedFile:
    """A file with its fixes, in the order in which they were made."""

    before: bytes
    after: bytes
    fixes: tuple[Fix, ...]


def fixed(path: str, data: bytes, options: Options, choice: Choice) -> FixedFile:
    """The file with all fixes that are wanted; ``data`` is what it holds."""
    now, made = data, list[Fix]()
    for _ in range(MAX_ROUNDS):
        found = _round(path, now, options, choice)
        if not found:
            break
        made += found
        now = found[-1].module.bytes
    return FixedFile(data, now, tuple(made))


def _round(path: str, data: bytes, options: Options, choice: Choice) -> list[Fix]:
    """One fix a kernel, from the last to the first, so that lines above stay where they are."""
    source = Source(data)
    report = analyze_source(source.module.code, path, options, follow=True)
    made: list[Fix] = []
    for result in sorted(report.kernels, key=lambda r: -r.kernel.line):
        fix = next(_fixes(result, source, choice), None)
        if fix is not None:
            made.append(fix)
            source = Source(fix.module.bytes)
    return made


def _fixes(result: KernelResult, source: Source, choice: Choice) -> Iterator[Fix]:
    function = source.function_at(result.kernel.line)
    for finding in result.findings:
        write = FIXES.get(finding.code)
        if write is None or function is None or not choice.asks(finding):
            continue
        fix = write(Site(finding, result.kernel, source, function))
        if fix is not None and choice.takes(fix):
            yield fix

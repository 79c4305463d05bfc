"""Which kernels an overview shows, in what order; the rest stays in the totals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf

from roofscan.frozen import dataclass
from roofscan.report.overview.summary import KernelSummary


@dataclass(frozen=True)
class OverviewChoice:
    sort: str = "gain"
    top: int | None = None
    only: str | None = None
    min_gain: float | None = None

    @property
    def leaves_out(self) -> bool:
        return self.top is not None or self.only is not None or self.min_gain is not None

    def of(self, summaries: Iterable[KernelSummary]) -> list[KernelSummary]:
        shown = sorted(filter(self._wanted, summaries), key=KEYS[self.sort])
        return shown[: self.top]

    def _wanted(self, summary: KernelSummary) -> bool:
        if self.min_gain is not None and (summary.gain or 0) < self.min_gain:
            return False
        if self.only == "unsupported":
            return summary.status == "unsupported"
        return self.only is None or summary.bound == self.only


def place(summary: KernelSummary) -> tuple[str, int, str]:
    return summary.path, summary.line, summary.name


KEYS: Mapping[str, Callable[[KernelSummary], tuple[object, ...]]] = {
    "gain": lambda s: (-(s.saved or 0.0), -(s.gain or 0.0), not s.code, s.status == "unsupported", place(s)),
    "time": lambda s: (-(s.profiled or 0.0), -(s.seconds or 0.0), place(s)),
    "intensity": lambda s: (inf if s.intensity is None else s.intensity, place(s)),
    "name": lambda s: (s.name.lower(), place(s)),
    "place": place,
}


def folded(summaries: Sequence[KernelSummary]) -> list[KernelSummary]:
    """Scalar helpers stand under the kernels of their file that call them, and have no row of their own."""
    under: dict[tuple[str, str], list[str]] = defaultdict(list)
    for helper in filter(lambda s: s.is_scalar_helper, summaries):
        for caller in helper.callers:
            under[helper.path, caller].append(helper.name)
    rows = [s for s in summaries if not s.is_scalar_helper or (not s.callers and s.code)]
    return [replace(s, helpers=tuple(under[s.path, s.name])) for s in rows]

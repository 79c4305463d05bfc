"""What limits a kernel and the expected time of a call, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from roofscan import units
from roofscan.ir.kinds import OperationKind
from roofscan.report import formatting
from roofscan.report.figures import expected_rates, value_of
from roofscan.report.kernel_view.caches import Grid
from roofscan.roofline.model import KernelReport, LevelReport, Verdict
from roofscan.roofline.time.prediction import TYPICAL, NoTime, TimePiece, TimePrediction
from roofscan.symbolic.expr import ZERO, Expr, Number

UNCALIBRATED = "uncalibrated"

MOST_SIZES = 6  # how many sizes a sentence names
ABOUT_THE_SAME = 1.01
LEAST_SHARE = 0.1  # of the time, that a resource takes to be named beside the first

RESOURCES: Mapping[str, str] = {
    "tlb": "address translations",
    "vector": "vector code",
    "scalar": "scalar arithmetic",
    "issue": "the instructions of scalar code",
    "divider": "divisions and square roots",
    "function": "special functions",
    "chain": "a chain of dependent operations",
    "start": "starts of loops and array statements",
    "call": "the call and new arrays",
    "interpreter": "loops that Python runs, whose time is not predicted",
    "network": "the exchange between nodes",
    "wavefronts": "requests of warps",
    "latency": "waits for loads",
    "launch": "launches",
    "link": "transfers between host and device",
}
"""What takes the time, in words; the name of a level stands for itself."""

OVERHEAD = ("call", "start", "launch", "link")
"""Resources that neither memory nor arithmetic takes."""

ON_GPU: Mapping[str, str] = {
    **RESOURCES, "vector": "floating-point units", "issue": "instructions of warps",
    "function": "special-function units",
}  # fmt: skip
_SINGULAR = ("scalar", "chain", "network")
"""Resources whose words take a verb in the singular on every device, as names of levels do."""


def resources(on_gpu: bool) -> Mapping[str, str]:
    return ON_GPU if on_gpu else RESOURCES


_CHAINED: Mapping[OperationKind, str] = {
    "add": "additions", "sub": "additions", "mul": "multiplications", "div": "divisions", "sqrt": "square roots",
    "minmax": "extrema", "compare": "comparisons", "special": "special functions", "complex_div": "divisions",
}  # fmt: skip


def limit_text(verdict: Verdict, levels: Sequence[LevelReport], on_gpu: bool = False) -> str:
    """``memory-bound at DRAM: at most 2.05 GFLOP/s``, by what takes most of the expected time: the roofline may say
    otherwise."""
    limit, words = verdict.limit or "", resources(on_gpu)
    speed = f": at most {units.si(verdict.fastest, 'FLOP/s')}{_by_roofline(verdict)}" if verdict.fastest else ""
    if verdict.bound == "memory":
        what = f"by {words[limit]}" if limit in words else f"at {limit}"
        return f"memory-bound {what}{_right_of_ridge(limit, levels)}{speed}"
    if limit in OVERHEAD:
        return f"bound by {words[limit]}{speed}"
    return f"compute-bound{speed}, limited by {_chain(verdict) if limit == 'chain' else words[limit]}"


def _by_roofline(verdict: Verdict) -> str:
    """What the table says, where the bound is above it: the table is of a first call at the machine's middle figures,
    the bound of repeated calls at the best."""
    drawn, roof = verdict.attainable, verdict.roof
    if verdict.level is None or not drawn or not verdict.fastest or verdict.fastest <= drawn * ABOUT_THE_SAME:
        return ""
    cold = " of a first call" if verdict.level != verdict.limit and roof and drawn < roof else ""
    return f" ({units.si(drawn)} by roofline{cold})"


def _right_of_ridge(limit: str, levels: Sequence[LevelReport]) -> str:
    """Where the level takes most of the time though its row of the table says compute."""
    level = next((level for level in levels if level.name == limit), None)
    if level is None or level.judged is None or level.ridge is None or level.judged.low < level.ridge:
        return ""
    return ", though right of its ridge"


def _chain(verdict: Verdict) -> str:
    """``a chain of additions (s, line 7)``."""
    if verdict.chain is None:
        return RESOURCES["chain"]
    kinds = dict.fromkeys(_CHAINED.get(kind, "conversions") for kind in verdict.chain.kinds)
    return f"a chain of {' and '.join(kinds)} ({verdict.chain.name}, line {verdict.chain.line})"


def time_text(report: KernelReport) -> str:
    """One sentence, or "" where the kernel has no place on the machine."""
    time = report.time
    if time is None or report.verdict.reason:
        return ""
    return f"no expected time: {time.why}" if isinstance(time, NoTime) else _expected(time, report)


def _expected(time: TimePrediction, report: KernelReport) -> str:
    low, high = (units.duration(time.expected * factor) for factor in TYPICAL)
    taken = {**_iterations(report), **report.verdict.sizes}
    sizes = f" at {formatting.equal_sizes(taken, MOST_SIZES)}" if taken else ""
    shares = shares_text(time.parts, report.on_gpu)
    least = f", at least {units.duration(time.at_least)}" if time.at_least else ""
    return (
        f"expected {units.duration(time.expected)} {a_call(report)} (typically {low} to {high})"
        f"{least}{sizes}; {rates_text(report)}{shares}"
        f"{'' if time.calibrated else f' ({UNCALIBRATED})'}"
    )


def _iterations(report: KernelReport) -> dict[str, Number]:
    """Those of loops that data end, as the time of a launch takes them."""
    cost = report.cost
    free = (s.name for s in cost.kernel.symbols if s.kind == "trips" and s.name in cost.free) if report.on_gpu else ()
    return {name: cost.sample_point[name] for name in free}


def rates_text(report: KernelReport) -> str:
    """``313 MFLOP/s, 1.25 GB/s at DRAM; ``, of the expected time."""
    rates = expected_rates(report)
    said = [units.si(rates.flops, "FLOP/s")] if rates.flops else []
    said += [f"{units.si(rates.bytes, 'B/s')} at {rates.level}"] if rates.bytes else []
    return f"{', '.join(said)}; " if said else ""


def a_call(report: KernelReport) -> str:
    """What the time is of: repeated calls find their data in the caches."""
    machine = report.machine
    call = "a first call" if machine and machine.cold else "a call"
    return f"{call} on {machine.nodes} nodes" if machine and machine.nodes > 1 else call


def shares_text(parts: Mapping[str, float], on_gpu: bool = False) -> str:
    """What takes the time, the most first, with its share: ``DRAM takes 76 %, the call and new arrays 22 %``."""
    ordered = sorted(parts.items(), key=lambda part: -part[1])
    named = [part for n, part in enumerate(ordered) if n == 0 or part[1] >= LEAST_SHARE]
    said = [(resources(on_gpu).get(name, name), f"{share * 100:.0f} %") for name, share in named]
    takes = "takes" if _is_singular(named[0][0], on_gpu) else "take"
    return ", ".join(f"{name}{'' if n else f' {takes}'} {share}" for n, (name, share) in enumerate(said))


def _is_singular(resource: str, on_gpu: bool) -> bool:
    return resource not in RESOURCES or resource in _SINGULAR or (resource == "vector" and not on_gpu)


# -- in the sizes -------------------------------------------------------------------------------------
def time_grid(report: KernelReport, machine: str) -> Grid | None:
    """One row a piece of the time, that of the smallest sizes first; ``machine`` is named where there are several.
    Pieces of a single size, such as n = 1 or that of the verdict, are left out."""
    found = sorted(report.time_pieces or (), key=lambda piece: -piece.when[0].constant_term)
    pieces = [piece for piece in found if piece.range[0] + piece.range[1] != ZERO] or found
    if not pieces:
        return None
    path = formatting.sizes(pieces[0].path, "sizes that grow together")
    head = f"time{f' on {machine}' if machine else ''}{f' where {path}' if path else ''}"
    words = resources(report.on_gpu)
    rows = tuple((formatting.sizes(p.range), words.get(p.limit, p.limit), *_figures(p)) for p in pieces)
    return Grid((head, "limit", "in the sizes", "±", "at least", "expected"), rows, words=2, is_detail=True)


def _figures(piece: TimePiece) -> tuple[str, ...]:
    """As an expression, and from the first size to the last."""
    within = f"{piece.within * 100:.0f} %"
    return _seconds(piece.expected), within, _at_ends(piece, piece.at_least), _at_ends(piece, piece.expected)


def _at_ends(piece: TimePiece, seconds: Expr) -> str:
    """``3.31 µs to 92.0 µs``, or what is known of it."""
    ends = (value_of(seconds, sizes) for sizes in _ends(piece))
    return " to ".join(dict.fromkeys("–" if end is None else units.duration(end) for end in ends))


def _ends(piece: TimePiece) -> Iterator[dict[str, Number]]:
    """The sizes at both ends of the range: ``size - first`` and ``last - size`` are 0 there, and so is the path."""
    for end in piece.range:
        [name] = end.symbols
        sizes: dict[str, Number] = {name: -Fraction(end.constant_term) / end.coefficient(name).constant_term}
        for g in piece.path:
            for other in g.symbols - sizes.keys():
                rest = value_of(g.subs({other: 0}), sizes)
                if rest is not None:
                    sizes[other] = -Fraction(rest) / g.coefficient(other).constant_term
        yield sizes


def _seconds(expr: Expr) -> str:
    """``1.12 ns*n + 174 ns``."""
    terms = sorted(expr.terms.items(), key=lambda term: -sum(power for _, power in term[0]))
    parts = [f"{'-' if c < 0 else '+'} {units.duration(abs(float(c)))}{f'*{Expr({m: 1})}' * bool(m)}" for m, c in terms]
    return " ".join(parts).removeprefix("+ ") or "0 s"

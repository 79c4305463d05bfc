"""The expected time of a call, and a time that no call can beat: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal

from roofscan.frozen import dataclass
from roofscan.roofline.time.amount import expression
from roofscan.symbolic.expr import Expr

TYPICAL = (0.8, 1.5)  # measured times of most kernels are within these factors of the expected one

CORE = ("vector", "scalar", "issue", "divider", "function", "chain", "start", "call", "latency", "launch")
"""Resources of a core; the others are ``tlb`` and the levels of the memory by name."""


@dataclass(frozen=True)
class TimePrediction:
    """Seconds of one call. ``parts`` are the shares of what takes the time, by resource."""

    expected: float
    at_least: float
    parts: Mapping[str, float]
    calibrated: bool  # whether the machine's figures of time are its own
    left_out: float = 0.0  # of the expected time, that address translations may take besides, if that counts
    expected_expr: Expr | None = (
        None  # in the sizes, where it is one expression; worked out by :meth:`in_plain_numbers`
    )
    at_least_expr: Expr | None = None
    each_least: Mapping[str, float] = field(default_factory=dict)  # what each resource needs at least, if several do
    sizes: frozenset[str] | None = None  # the symbols that it depends on, where only some count

    @property
    def limit(self) -> str:
        return max(self.parts, key=lambda name: self.parts[name])

    @property
    def bound(self) -> Literal["memory", "compute"]:
        return "compute" if self.limit in CORE else "memory"

    @property
    def bounds(self) -> Mapping[str, float]:
        return {name: float(least) for name, least in self.each_least.items()} or {"": float(self.at_least)}

    def in_plain_numbers(self) -> TimePrediction:
        """With its expressions worked out, and floats for amounts."""
        return replace(
            self,
            expected=float(self.expected),
            at_least=float(self.at_least),
            parts={name: float(share) for name, share in self.parts.items()},
            expected_expr=expression(self.expected),
            at_least_expr=expression(self.at_least),
            each_least=self.bounds,
        )


CLOSE = 0.2  # what is farther from the model's time is an estimate


@dataclass(frozen=True)
class TimePiece:
    """Seconds from the first to the last size of ``range`` on the ``path``, within a factor of 1 ± ``within`` of what
    the model says there; ``at_least`` is at most its bound."""

    range: tuple[Expr, Expr]  # each is at least 0
    path: tuple[Expr, ...]  # what other sizes are held at, or equal: an expression and its negative, each at least 0
    expected: Expr
    at_least: Expr
    limit: str
    within: float

    @property
    def when(self) -> tuple[Expr, ...]:
        return (*self.range, *self.path)


@dataclass(frozen=True)
class NoTime:
    """Why there is no expected time."""

    why: str
    beyond_a_minute: bool = False  # the only sizes at which one is known are too large

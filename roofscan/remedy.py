"""What to do, in steps: in the imperative (``tile k by 64, then fuse the loops``), or as what brings a gain (``tiling k
by 64, then fusing the loops``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Step:
    """One change: ``tile`` (verb) ``k by 64`` (rest)."""

    verb: str  # in the imperative
    rest: str
    joint: str = " and "  # to the step before

    @property
    def doing(self) -> str:
        """As a gerund: ``tiling k by 64``."""
        return f"{self.verb.removesuffix('e')}ing {self.rest}"

    def __str__(self) -> str:
        return f"{self.verb} {self.rest}"


@dataclass(frozen=True)
class Remedy:
    """Steps in the order in which they are to be made."""

    steps: tuple[Step, ...] = ()
    option: str = ""  # of a compiler, where that is all: ``with fastmath=True``

    @property
    def doing(self) -> str:
        """As gerunds: ``tiling k by 64, then fusing the loops``."""
        return "".join(f"{step.joint if n else ''}{step.doing}" for n, step in enumerate(self.steps))

    def __str__(self) -> str:
        return "".join(f"{step.joint if n else ''}{step}" for n, step in enumerate(self.steps))

    def __bool__(self) -> bool:
        return bool(self.steps)


def do(verb: str, rest: str) -> Remedy:
    return Remedy((Step(verb, rest),))


def compile_with(option: str) -> Remedy:
    return Remedy((Step("compile", f"with {option}"),), f"with {option}")


def all_of(remedies: Iterable[Remedy]) -> Remedy:
    """``a and b``"""
    found = tuple(remedies)
    return found[0] if len(found) == 1 else Remedy(tuple(step for remedy in found for step in remedy.steps))


def in_turn(remedies: Iterable[Remedy]) -> Remedy:
    """``a, then b``"""
    steps = (
        step if n else replace(step, joint=", then ") for remedy in remedies for n, step in enumerate(remedy.steps)
    )
    return Remedy(tuple(steps))

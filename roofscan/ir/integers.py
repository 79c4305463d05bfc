"""The integer work of an iteration of a loop, which no FLOP count shows: its operations, and what runs through
integers from one iteration into the next."""

from __future__ import annotations

from typing import Literal

from roofscan.frozen import dataclass
from roofscan.symbolic.expr import ONE, Expr

IntegerKind = Literal[
    "plain",  # sums, logic, negation, conversion to floating point
    "shift",
    "compare",
    "select",
    "minmax",
    "abs",
    "mul",
    "quotient",  # by a constant that is no power of two: a product with its reciprocal
    "remainder",  # likewise
    "lanes",  # numbers made wider or narrower, and stores of both arms of a test: in vector code alone
    "division",  # by a number that is not constant, or its remainder
    "text",  # a comparison of texts, which is a call
]
LatencyKind = Literal["plain", "choice", "mul", "division", "load", "memory"]
"""What an integer waits for on its way: half of a minimum or maximum, an element that it is the subscript of, or a pass
through memory."""


RECIPROCAL: tuple[IntegerKind, ...] = ("quotient", "remainder")
HALF_PRODUCT_BYTES = 4  # bytes of the largest integers of which vector code has the upper half of a product


@dataclass(frozen=True)
class IntegerOperations:
    """``count`` operations on elements of ``size`` bytes in vector code; branches let ``share`` of the iterations
    reach them."""

    kind: IntegerKind
    size: int
    count: int
    share: Expr


@dataclass(frozen=True)
class IntegerChain:
    """What an iteration adds to the way of an integer from one iteration to the next. ``moves``: through elements of
    an array, one after the other; ``guessed``: a minimum or maximum with a fresh number, or a choice of an element by
    itself, which x86 compilers make a branch. Only ``share`` of the iterations go that way;
    ``continues``: from the last iteration of one run of the loop into the first of the next."""

    name: str
    line: int
    latencies: tuple[tuple[LatencyKind, float], ...]
    moves: bool = False
    guessed: bool = False
    share: Expr = ONE
    continues: bool = False


@dataclass(frozen=True)
class IntegerWork:
    """Of an iteration, without the loops inside. ``chains``: those that no compiler may reorder; ``guesses``: the
    shares of branches that move no data."""

    operations: tuple[IntegerOperations, ...] = ()
    chains: tuple[IntegerChain, ...] = ()
    guesses: tuple[Expr, ...] = ()
    unknown: str = ""  # a function whose work is not in these

    def and_then(self, other: IntegerWork) -> IntegerWork:
        """The work of both in one iteration."""
        return IntegerWork(
            (*self.operations, *other.operations),
            (*self.chains, *other.chains),
            (*self.guesses, *other.guesses),
            self.unknown or other.unknown,
        )

    @property
    def is_scalar(self) -> bool:
        """Whether an operation has no vector form: a call, a division, or a long one's product with a reciprocal."""
        long = (o.kind in RECIPROCAL and o.size > HALF_PRODUCT_BYTES for o in self.operations)
        return any(long) or any(o.kind in ("division", "text") for o in self.operations)


NO_INTEGERS = IntegerWork()

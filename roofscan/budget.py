"""How much work one analysis may take, counted in steps of about a microsecond: the same input ends the same way on
every machine. A stage with a limit of its own makes a :class:`Budget`; what it spends, the budget around it spends too.
A kernel's budget is in force for all that its analysis calls in this thread, as the precision of ``decimal`` is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

CLOCK_INTERVAL = 2_000  # steps between two looks at the clock


class BudgetExceeded(BaseException):
    """``budget`` is used up (``by_clock``: its seconds, not its steps). No Exception: only the stage that made the
    budget may catch it."""

    def __init__(self, budget: Budget, by_clock: bool = False) -> None:
        super().__init__()
        self.budget = budget
        self.by_clock = by_clock


class Cancelled(BaseException):
    """Nobody wants the result any more. No Exception: only who gave the order may catch it."""


class Budget:
    """Steps that may be spent. ``seconds``: CPU time of this thread, a last resort for adapters that must not hang.
    ``cancelled``: asked now and then whether the work is still wanted."""

    __slots__ = ("_alarm", "_cancelled", "_end", "_outer", "left", "steps")

    def __init__(
        self, steps: int = sys.maxsize, seconds: float | None = None, cancelled: Callable[[], bool] | None = None
    ) -> None:
        self.steps = steps
        self.left = steps
        self._outer = _in_force.get()
        self._end = None if seconds is None else time.thread_time() + seconds
        self._cancelled = cancelled
        self._alarm = 0 if seconds is None and cancelled is None else steps - 1

    @property
    def spent(self) -> int:
        return self.steps - self.left

    def spend(self, steps: int = 1) -> None:
        """Counts steps that are about to be taken; BudgetExceeded where they are more than are left."""
        budget: Budget | None = self
        while budget is not None:
            budget.left -= steps
            if budget.left < budget._alarm:
                budget._look()
            budget = budget._outer

    def limit(self, spent: int) -> None:
        """BudgetExceeded where a stage that counts its own work has done more than these steps."""
        if spent > self.steps:
            raise BudgetExceeded(self)

    def _look(self) -> None:
        if self.left < 0:
            raise BudgetExceeded(self)
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
        if self._end is not None and time.thread_time() > self._end:
            raise BudgetExceeded(self, by_clock=True)
        self._alarm = max(0, self.left - CLOCK_INTERVAL)

    @contextmanager
    def in_force(self) -> Iterator[Budget]:
        """:func:`spend` spends from this budget in the body."""
        token = _in_force.set(self)
        try:
            yield self
        finally:
            _in_force.reset(token)


_in_force: ContextVar[Budget | None] = ContextVar("budget", default=None)


def spend(steps: int = 1) -> None:
    """Spends from the budget in force, if there is one."""
    budget = _in_force.get()
    while budget is not None:  # as Budget.spend: it is called for every sum and product of expressions
        budget.left -= steps
        if budget.left < budget._alarm:
            budget._look()
        budget = budget._outer


def steps_left() -> int:
    """The steps that the budget in force has left."""
    budget = _in_force.get()
    return sys.maxsize if budget is None else budget.left


def uncounted(function: Callable[P, R]) -> Callable[P, R]:
    """The function without its steps: what is remembered from one analysis to the next must cost the same in each."""

    @wraps(function)
    def without_budget(*args: P.args, **kwargs: P.kwargs) -> R:
        token = _in_force.set(None)
        try:
            return function(*args, **kwargs)
        finally:
            _in_force.reset(token)

    return without_budget

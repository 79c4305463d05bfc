"""Methods that work each answer out once and keep it with their object: ``functools.cache`` would keep the object."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

Self = TypeVar("Self")
P = ParamSpec("P")
R = TypeVar("R")


def kept(method: Callable[Concatenate[Self, P], R]) -> Callable[Concatenate[Self, P], R]:
    """By the arguments, which are given without their names."""
    return kept_by(lambda *arguments: arguments)(method)


def kept_by(
    key: Callable[..., Hashable],
) -> Callable[[Callable[Concatenate[Self, P], R]], Callable[Concatenate[Self, P], R]]:
    """By what ``key`` makes of the arguments."""

    def decorate(method: Callable[Concatenate[Self, P], R]) -> Callable[Concatenate[Self, P], R]:
        name = f"_kept_{method.__name__}"

        @wraps(method)
        def answer(self: Self, /, *arguments: P.args, **named: P.kwargs) -> R:
            known: dict[Hashable, R] = self.__dict__.setdefault(name, {})
            place = key(*arguments, **named)
            if place not in known:
                known[place] = method(self, *arguments, **named)
            return known[place]

        return answer

    return decorate

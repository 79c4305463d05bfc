"""roofscan's dataclass is the standard library's, but for the guard of frozen fields."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from roofscan import frozen
from roofscan.cost.memory.base import Movement
from roofscan.symbolic.expr import ONE, ZERO

NAN = float("nan")


def classes(decorator: Callable[..., Any]) -> tuple[type, type, type, type]:
    @decorator(frozen=True)
    class Empty:
        pass

    @decorator(frozen=True)
    class One:
        value: float

    @decorator(frozen=True)
    class More(One):
        """Text."""

        rest: tuple[int, ...] = ()
        unseen: int = dataclasses.field(default=0, compare=False, repr=False)
        _: dataclasses.KW_ONLY
        last: str = ""

    @decorator
    class Mutable:
        value: float

    return Empty, One, More, Mutable


@pytest.mark.parametrize("own", range(4))
def test_values_compare_hash_and_print_as_in_the_standard_library(own: int) -> None:
    arguments: list[list[tuple[Any, ...]]] = [[()], [(1,), (2,), (NAN,)], [(1,), (1, (2,)), (1, (2,), 3)], [(1,), (2,)]]
    made = [classes(decorator)[own] for decorator in (frozen.dataclass, dataclasses.dataclass)]
    ours, theirs = ([each(*given) for given in arguments[own]] for each in made)
    assert [[a == b for b in ours] for a in ours] == [[a == b for b in theirs] for a in theirs]
    assert list(map(repr, ours)) == list(map(repr, theirs))
    assert (ours[0].__hash__ is None) == (theirs[0].__hash__ is None)
    if ours[0].__hash__:
        assert [[hash(a) == hash(b) for b in ours] for a in ours] == [
            [hash(a) == hash(b) for b in theirs] for a in theirs
        ]


@pytest.mark.parametrize("decorator", [frozen.dataclass, dataclasses.dataclass])
def test_fields_are_made_and_told_as_in_the_standard_library(decorator: Callable[..., Any]) -> None:
    @decorator
    class Base:
        name: str
        parts: list[int] = dataclasses.field(default_factory=list)
        seen: dict[str, int] = dataclasses.field(default_factory=dict, init=False)
        steps: int = dataclasses.field(default=3, init=False)

        def __post_init__(self) -> None:
            self.seen[self.name] = self.steps

    @decorator(kw_only=True)
    class Derived(Base):
        missing: bool = False

    first, second = Derived("a", missing=True), Derived(name="b", parts=[1])
    assert (first.parts, first.seen, first.missing) == ([], {"a": 3}, True)
    assert (second.parts, second.seen, second.missing) == ([1], {"b": 3}, False)
    for wrong in (lambda: Derived(), lambda: Derived("a", [], True), lambda: Derived("a", steps=1)):
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            wrong()


def test_classes_of_equal_fields_differ() -> None:
    (_, one, _, mutable), (_, other, _, _) = classes(frozen.dataclass), classes(frozen.dataclass)
    assert one(1) != other(1) and one(1) != mutable(1) and one(1) != 1


def test_methods_that_a_class_writes_stay() -> None:
    @frozen.dataclass(frozen=True)
    class Own:
        value: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    assert Own(1) == Own(2) and hash(Own(1)) == 7 and repr(Own(1)) == "own"


def test_records_are_replaced_and_pickled() -> None:
    moved = dataclasses.replace(Movement(ZERO, ZERO, ZERO), load=ONE)
    assert moved == pickle.loads(pickle.dumps(moved)) == Movement(ONE, ZERO, ZERO)

"""Answers of a method are kept with its object, by its arguments, and no longer than that."""

from __future__ import annotations

import gc
import weakref

from roofscan.memo import kept, kept_by


class Squares:
    def __init__(self) -> None:
        self.asked: list[object] = []

    @kept
    def of(self, number: int, sign: int = 1) -> int:
        self.asked.append(number)
        return sign * number * number

    @kept_by(lambda word: word.lower())
    def length(self, word: str) -> int | None:
        self.asked.append(word)
        return len(word) or None


def test_an_answer_is_worked_out_once_for_the_same_arguments() -> None:
    squares = Squares()
    assert [squares.of(3), squares.of(3), squares.of(3, -1), squares.of(4)] == [9, 9, -9, 16]
    assert squares.asked == [3, 3, 4]


def test_a_key_says_which_arguments_are_the_same_and_none_is_an_answer() -> None:
    squares = Squares()
    assert [squares.length("Ab"), squares.length("aB"), squares.length(""), squares.length("")] == [2, 2, None, None]
    assert squares.asked == ["Ab", ""]


def test_objects_have_answers_of_their_own_and_take_them_along() -> None:
    one, other = Squares(), Squares()
    assert one.of(2) == other.of(2)
    assert one.asked == other.asked == [2]
    gone = weakref.ref(one)
    gc.disable()
    try:
        del one
        assert gone() is None
    finally:
        gc.enable()

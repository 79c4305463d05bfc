"""What to do, as an order and as what a gain comes by."""

from __future__ import annotations

from roofscan.remedy import all_of, compile_with, do, in_turn
from roofscan.roofline.time.speedup import Speedup
from roofscan.rules.sentence import sentence

TILE, FUSE = do("tile", "k and write blocks"), do("fuse", "both loops")


def test_each_step_has_a_verb() -> None:
    both = in_turn([TILE, FUSE])
    assert str(both) == "tile k and write blocks, then fuse both loops"
    assert both.doing == "tiling k and write blocks, then fusing both loops"
    assert all_of([do("copy", "a"), do("give", "it room")]).doing == "copying a and giving it room"


def test_an_option_alone_needs_no_verb() -> None:
    option, gain = compile_with("fastmath=True"), Speedup(2.0, 1.0)
    assert sentence("f", gain, option, "why").short == "f: 2x with fastmath=True; why"
    assert sentence("f", None, option, "why").short == "f: compile with fastmath=True; why"
    assert sentence("f", gain, all_of([FUSE, option]), "why").short == (
        "f: 2x by fusing both loops and compiling with fastmath=True; why"
    )

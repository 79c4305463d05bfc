"""How long one step of symbolic counting takes: our own polynomials, SymPy's expressions, SymPy's polynomial ring.

    python benchmarks/symbolic.py

A step is ``a*b + c`` in normal form, on polynomials of four terms in six sizes. All inputs differ, so that no cache
answers.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from math import prod
from typing import Any

import sympy
from sympy.polys.rings import ring

from roofscan.symbolic.expr import symbol

NAMES = ("n", "m", "k", "b", "w", "s")
STEPS = 400

Term = tuple[int, list[str]]


def terms_of_step(random_: random.Random) -> list[list[Term]]:
    """The terms of a, b and c: a factor, and the symbols of a product."""
    return [
        [(random_.randint(1, 9), random_.choices(NAMES, k=random_.randint(0, 3))) for _ in range(4)] for _ in range(3)
    ]


def microseconds(symbols: dict[str, Any], one: Any, step: Callable[[Any, Any, Any], Any]) -> float:
    """The time of a step, where polynomials are made of these symbols."""
    random_ = random.Random(1)
    inputs = [
        [sum(prod((symbols[name] for name in names), start=one * factor) for factor, names in terms) for terms in abc]
        for abc in (terms_of_step(random_) for _ in range(STEPS))
    ]
    start = time.process_time()
    for a, b, c in inputs:
        step(a, b, c)
    return (time.process_time() - start) / STEPS * 1e6


def main() -> None:
    ring_, *generators = ring(",".join(NAMES), sympy.QQ)
    own = {name: symbol(name) for name in NAMES}
    print(f"roofscan's Expr:  {microseconds(own, 1, lambda a, b, c: a * b + c):8.0f} us")
    plain = {name: sympy.Symbol(name) for name in NAMES}
    print(f"sympy.expand:     {microseconds(plain, 1, lambda a, b, c: sympy.expand(a * b + c)):8.0f} us")
    of_ring = dict(zip(NAMES, generators, strict=True))
    print(f"sympy's PolyRing: {microseconds(of_ring, ring_.one, lambda a, b, c: a * b + c):8.0f} us")


if __name__ == "__main__":
    main()

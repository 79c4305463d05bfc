"""How many iterations back a line may have been touched last."""

from __future__ import annotations

from math import ceil, floor

from roofscan.cost.reuse.affine import Affine
from roofscan.cost.reuse.footprint import Env
from roofscan.cost.reuse.quantity import TINY, value_of
from roofscan.cost.reuse.tree import Loop, Space, loops_below

Place = tuple[Affine, ...]

LAG_LIMIT = 24
"""Lags looked at per loop and array; the shortest remain."""


def lags(loop: Loop, env: Env, space: Space, writes: bool) -> list[int]:
    """1, and the lags at which one reference reaches the elements, or the line, of another."""
    found = {1}
    moving = [
        tuple(s.fix(env) for s in r.subscripts) for r in loop.refs
        if r.space is space and not r.irregular and (r.write or not writes)
        and any(loop.var in s.coefs for s in r.subscripts)
    ]  # fmt: skip
    distinct = list({_identity(r): r for r in moving}.values())
    inner = frozenset(x.var for x in loops_below(loop))
    for later in distinct:
        for earlier in distinct:
            if earlier is not later:
                found |= _pair(loop, space, earlier, later, inner)
    found |= _turns(loop, space)
    return sorted(found)[:LAG_LIMIT]


def _identity(place: Place) -> tuple[object, ...]:
    return tuple(
        (value_of(s.constant), tuple(sorted((v, value_of(c)) for v, c in s.coefs.items()))) for s in place
    )


def _pair(loop: Loop, space: Space, earlier: Place, later: Place, inner: frozenset[str]) -> set[int]:
    """Lags between two references that move alike and differ only in dimensions that the loop moves."""
    step = value_of(loop.step) * (-1 if loop.descending else 1)
    exact: float | None = None
    near: set[int] = set()
    for dim, (a, b) in enumerate(zip(earlier, later)):
        ca, cb = value_of(a.coefs.get(loop.var, 0)), value_of(b.coefs.get(loop.var, 0))
        if ca != cb:
            return set()
        gap = value_of(a.constant) - value_of(b.constant)
        if ca == 0:
            if abs(gap) > TINY and not inner & (a.coefs.keys() | b.coefs.keys()):
                return set()
            continue
        if a.coefs.keys() != b.coefs.keys():
            return set()
        lag = gap / (ca * step)
        if exact is not None and abs(exact - lag) > TINY:
            return set()
        exact = lag
        if value_of(space.strides[dim]) == 1 and abs(ca * step) < space.per_line:
            for spread in (-(space.per_line - 1), space.per_line - 1):
                near |= {floor((gap + spread) / (ca * step)), ceil((gap + spread) / (ca * step))}
    if exact is None:
        return set()
    wanted = {floor(exact + TINY), ceil(exact - TINY)} | {n for n in near if n < exact}
    return {n for n in wanted if n >= 1}



def _turns(loop: Loop, space: Space) -> set[int]:
    """Lags after which a subscript that is taken modulo something comes round again."""
    found: set[int] = set()
    for ref in loop.refs:
        if ref.space is space:
            for dim, fold in ref.folds:
                speed = abs(value_of(ref.subscripts[dim].coefs.get(loop.var, 0)) * value_of(loop.step))
                if speed:
                    turn = value_of(fold.modulus) / speed
                    found |= {n for n in (floor(turn), ceil(turn)) if n >= 1}
    return found

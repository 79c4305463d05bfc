"""The proof of a fix by execution: the source as written and fixed, un-jitted, on the same arguments, bit by bit, or
within rounding where the fix is unsafe. Of arguments of one shape each pair is given one memory too, and memory one row
apart, unless the fix assumes otherwise."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from roofscan.fix.model import Fix
from tests.oracle.run import plain, run_target

Arguments = Mapping[str, object]
Pair = tuple[str, str, int]  # the second array lies this many rows behind the first


@dataclass
class Proof:
    """What was run, and what differed."""

    fixes: Counter[str] = field(default_factory=Counter)  # by the first words of what they do
    kernels: set[str] = field(default_factory=set)
    runs: int = 0
    raised: int = 0  # runs of a source that raises as written: the fixed one must too
    wrong: list[str] = field(default_factory=list)

    def add(self, text: str, fix: Fix, name: str, arguments: Arguments) -> None:
        code = fix.module.code
        for pair in (None, *_pairs(fix, arguments)):
            if not _holds(fix, given := _shared(arguments, pair)):
                continue
            before = _outcome(text, name, given)
            after = _outcome(code, name, _shared(arguments, pair))
            self.runs += 1
            self.raised += isinstance(before, type)
            if not _agree(before, after, fix) and not (after is IndexError and _may_be_missing(fix)):
                sizes = {n: getattr(v, "shape", v) for n, v in arguments.items()}
                self.wrong.append(f"{name}: {fix.what}: {sizes}, {pair or 'no'} aliases")
                return


def _pairs(fix: Fix, arguments: Arguments) -> Iterator[Pair]:
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray) and value.size}
    for one, other in permutations(arrays, 2):
        a, b = arrays[one], arrays[other]
        apart = "{} and {} do not overlap".format(*sorted((one, other))) in fix.assumptions
        if not apart and (a.dtype, a.shape) == (b.dtype, b.shape) and a.dtype.kind in "fc":
            yield from ((one, other, rows) for rows in (0, 1))


def _shared(arguments: Arguments, pair: Pair | None) -> dict[str, object]:
    given = {name: value.copy("K") if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    if pair:
        one, other, rows = pair
        array = given[one]
        assert isinstance(array, np.ndarray)
        memory = np.concatenate([array, array[-1:]])
        given |= {one: memory[: len(array)], other: memory[rows : rows + len(array)]}
    return given


def _holds(fix: Fix, given: Arguments) -> bool:
    """Whether the arguments are as a fix assumes; what cannot be told of them alone holds."""
    for text in fix.assumptions:
        if text.endswith(" match in shape"):
            shapes = [
                v.shape for v in _values(text.removesuffix(" match in shape"), given) if isinstance(v, np.ndarray)
            ]
            if any(one[-len(two) :] != two[-len(one) :] for one in shapes for two in shapes):
                return False
            continue
        names, verb, rest = text.replace(" are ", " is ").partition(" is ")
        if not verb:  # that arrays do not overlap, which `_pairs` leaves out
            continue
        arrays = [value for value in _values(names, given) if isinstance(value, np.ndarray)]
        if rest == "contiguous":
            if not all(array.flags.c_contiguous for array in arrays):
                return False
            continue
        if any(array.dtype.kind == "c" if rest == "real" else rest != array.dtype.name for array in arrays):
            return False
        if rest == "not negative" and _value(names, given) < 0:
            return False
    return True


def _values(names: str, given: Arguments) -> list[object]:
    return [given.get(name) for name in names.replace(" and ", ", ").split(", ")]


def _value(text: str, given: Arguments) -> float:
    try:
        return float(eval(text, {}, dict(given)))
    except NameError:
        return 0.0


def _may_be_missing(fix: Fix) -> bool:
    return any(text.endswith("exists") for text in fix.assumptions)


def _agree(before: object, after: object, fix: Fix) -> bool:
    """An unsafe fix may raise other errors, or none."""
    if isinstance(before, type) or isinstance(after, type):
        return before == after or (fix.safety == "unsafe" and isinstance(before, type))
    return _bits(before) == _bits(after) if fix.safety == "safe" else _is_near(before, after)


def _is_near(one: object, other: object) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_is_near, one, other))
    if one is None or other is None:
        return one is other
    a, b = np.asarray(one), np.asarray(other)
    if {a.dtype.kind, b.dtype.kind} & {*"fc"}:
        return a.shape == b.shape and np.allclose(a, b, 1e-5 if a.itemsize == 4 else 1e-9, 0, equal_nan=True)
    return _bits(one) == _bits(other)


def _outcome(code: str, name: str, given: Arguments) -> object:
    """What a call returns and leaves in its arguments; or the type of the error that it raises."""
    random.seed(1)
    np.random.seed(1)
    try:
        with np.errstate(all="ignore"):
            result = plain(run_target(code, name)(**given))
    except Exception as error:
        return type(error)
    return [result, *given.values()]


def _bits(value: object) -> object:
    if isinstance(value, (tuple, list)):
        return tuple(map(_bits, value))
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)

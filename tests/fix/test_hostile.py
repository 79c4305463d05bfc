"""Every fix of kernels that were written against them does the same, whether it pays or not: with aliased arguments,
unless a fix names the assumption, for sizes 0, 1, 2 and 5, and with the iterations of ``prange`` from the last to the
first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from roofscan.fix.model import Fix
from roofscan.ir.kernel import Kernel
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from tests.fix.every_fix import every_fix

FOLDER = Path(__file__).parent / "hostile"
NUMBERS = ("n", "m", "p", "lo", "hi", "k0")
PRANGE = {
    "forwards": "prange = range",
    "backwards": "prange = lambda *ends: list(range(*ends))[::-1]",
}
NJIT = "def njit(*given, **_):\n    return given[0] if given else lambda function: function\n"
Outcome = tuple[object, ...]


FORMS = ("tabs", "CRLF")
FILES = [*((path, "") for path in sorted(FOLDER.glob("*.py"))), *((FOLDER / "forms.py", form) for form in FORMS)]


@pytest.mark.parametrize("path, form", FILES, ids=lambda part: part.stem if isinstance(part, Path) else part)
def test_every_fix_gives_the_same_bits(path: Path, form: str) -> None:
    text = path.read_text()
    text = {"tabs": text.replace("    ", "\t"), "CRLF": text.replace("\n", "\r\n")}.get(form, text)
    module = read_module(text, path.name)
    wrong: list[str] = []
    for candidate in find_candidates(module, False).candidates:
        kernel = lower(module, candidate)
        wrong += [
            f"{kernel.name}: {fix.what} {fix.assumptions}: {why}"
            for fix in every_fix(text, kernel)
            if fix.safety == "safe"
            for why in differences(text, fix, kernel)
        ]
    assert not wrong


def differences(text: str, fix: Fix, kernel: Kernel) -> Iterator[str]:
    codes = [plain(text), plain(fix.module.code)]
    orders = PRANGE if any("prange(" in code for code in codes) else {"forwards": PRANGE["forwards"]}
    arrays = [p for p in kernel.parameters if isinstance(argument(p, 2), np.ndarray)]
    pairs = [(a, b, shift) for a, b in permutations(arrays, 2) if a.isupper() == b.isupper() for shift in (0, 1)]
    for n in (0, 1, 2, 5):
        for aliased in (None, *(pair for pair in pairs if not _are_apart(fix, pair))):
            given = arguments(kernel.parameters, n, aliased)
            if _holds(fix, given):
                for order, prange in orders.items():
                    one, other = (outcome(f"{prange}\n{code}", kernel.name, n, given, aliased) for code in codes)
                    missing = other == (IndexError,) and any(text.endswith("exists") for text in fix.assumptions)
                    if one != other and not missing:
                        yield f"n={n}, {aliased or 'no'} aliases, {order}"


def _are_apart(fix: Fix, pair: tuple[str, str, int]) -> bool:
    one, other = sorted(pair[:2])
    return f"{one} and {other} do not overlap" in fix.assumptions


def _holds(fix: Fix, given: Mapping[str, object]) -> bool:
    """Whether the arguments are as a fix assumes."""
    for text in fix.assumptions:
        name, _, type_name = text.partition(" is ")
        value = given.get(name)
        if type_name == "not negative" and eval(name, {}, dict(given)) < 0:
            return False
        if isinstance(value, np.ndarray) and value.dtype.name != type_name:
            return False
    return True


def plain(text: str) -> str:
    return re.sub(r"from numba import .*", NJIT, text)


def argument(name: str, n: int) -> object:
    random = np.random.default_rng(n + 1)
    if name in NUMBERS:
        return n
    if name in ("idx", "cnt"):
        return random.integers(0, max(n, 1), 12)
    if name in ("neg", "w"):
        return -1 if name == "neg" else 1.5
    return random.random((n + 3, n + 3) if name.isupper() else n + 3) - 0.5


def arguments(names: Sequence[str], n: int, aliased: tuple[str, str, int] | None) -> dict[str, object]:
    given = {name: argument(name, n) for name in names}
    if aliased:
        one, other, shift = aliased
        shape = (n + 4, n + 3) if one.isupper() else (n + 4,)
        memory = np.random.default_rng(7).random(shape) - 0.5
        given |= {one: memory[shift : n + 3 + shift], other: memory[:-1]}
    return given


@lru_cache(maxsize=4)
def functions(code: str) -> dict[str, object]:
    scope: dict[str, object] = {}
    exec(code, scope)
    return scope


def outcome(code: str, name: str, n: int, given: Mapping[str, object], aliased: tuple[str, str, int] | None) -> Outcome:
    """What a call returns and leaves in its arguments, as bytes; or the error that it raises."""
    given = arguments(tuple(given), n, aliased)
    try:
        with np.errstate(all="ignore"):
            result = functions(code)[name](**given)  # type: ignore[operator]
    except Exception as error:
        return (type(error),)
    return repr(result), *(v.tobytes() if isinstance(v, np.ndarray) else v for v in (result, *given.values()))

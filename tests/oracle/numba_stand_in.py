"""A substitute for Numba: decorators that return the function unchanged, and types that accept anything.

`vectorize` and `stencil` apply a function of one element to arrays; the oracle's ``element_functions.py`` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from tests.oracle.element_functions import Stencil, Vectorized
from tests.oracle.threads import Parallel

_COMPILED = "__compiled__"
_DECORATORS = ("njit", "jit", "guvectorize", "cfunc", "register_jitable", "jitclass")
_APPLIED = {"vectorize": Vectorized, "stencil": Stencil}


class _Type:
    """A Numba type: subscripted, called and looked into without end. Called, it is a signature, with their text."""

    def __init__(self, text: str = "") -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def __getitem__(self, index: object) -> _Type:
        return _Type(f"{self._text}[:]")

    def __call__(self, *args: object, **keywords: object) -> Any:
        return _Type(f"{self._text}({', '.join(map(str, args))})")

    def __getattr__(self, name: str) -> _Type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Type(name)


def is_compiled(function: object) -> bool:
    return bool(getattr(function, _COMPILED, False))


def _mark(function: Any) -> Any:
    setattr(function, _COMPILED, True)
    return function


def _decorator(*args: Any, **options: Any) -> Any:
    """Serves ``@njit`` and ``@njit(...)``: a lone function is what is decorated."""
    if len(args) == 1 and not options and _is_plain_function(args[0]):
        return _mark(args[0])
    return _mark


def _applied(apply: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator whose function is applied to arrays element by element, with its signatures."""

    def decorate(*args: Any, **options: Any) -> Any:
        if len(args) == 1 and _is_plain_function(args[0]):
            return _mark(apply(args[0]))
        written = args[0] if args and isinstance(args[0], (list, tuple)) else args
        return lambda function: _mark(apply(function, tuple(map(str, written))))

    return decorate


def _is_plain_function(value: object) -> bool:
    return isinstance(value, (Callable, type)) and not isinstance(value, _Type)  # type: ignore[arg-type]


class _Module(ModuleType):
    prange = Parallel

    def __getattr__(self, name: str) -> Any:
        if name in _DECORATORS:
            return _decorator
        if name in _APPLIED:
            return _applied(_APPLIED[name])
        if name.startswith("__"):
            raise AttributeError(name)
        return _Type(name)


module = _Module("numba")

"""The arguments of a real call as the facts that bind its sizes, in the words of ``--bind``. Arrays are known by their
attributes, so that NumPy is not needed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any


def named(function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object]:
    """The arguments by parameter, with those that have defaults."""
    call = inspect.signature(function).bind(*args, **kwargs)
    call.apply_defaults()
    return call.arguments


def binding_of(arguments: Mapping[str, object]) -> str:
    return " ".join(word for name, value in arguments.items() for word in _facts(name, value))


def class_of(value: object) -> object:
    """What the binding depends on, cheap enough for every call."""
    if is_array(value):
        return value.shape, value.dtype, value.flags.f_contiguous  # type: ignore[attr-defined]
    return value if isinstance(value, int) else type(value)


def is_array(value: object) -> bool:
    return hasattr(value, "dtype") and bool(getattr(value, "shape", ()))


def remarks(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        if is_array(value) and not (value.flags.c_contiguous or value.flags.f_contiguous):
            yield f"{name} is a view with gaps; its bytes are counted as if it were contiguous."


def _facts(name: str, value: Any) -> Iterator[str]:
    """The facts of one argument. Of an array of records they are the extents alone: its type is the module's."""
    if is_array(value) and value.dtype.names:
        yield from (f"{name}.shape[{d}]={extent}" for d, extent in enumerate(value.shape))
    elif fact := _fact(value):
        yield f"{name}={fact}"


def _fact(value: Any) -> str:
    if is_array(value):
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else ""
        dims = ",".join(str(extent) for extent in value.shape)
        return f"{_code(value.dtype)}[{dims}]{order}"
    if hasattr(value, "dtype"):  # a NumPy scalar
        number = _number(value.item())
        return f"{_code(value.dtype)}:{number}" if number and value.dtype.kind in "fc" else number
    return _number(value)


def _code(dtype: Any) -> str:
    return f"{dtype.kind}{dtype.itemsize}" if dtype.kind in "fiuc" else str(dtype.name)


def _number(value: object) -> str:
    if value is None or isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        return repr(value) if isfinite(value) else ""
    return repr(value).strip("()") if isinstance(value, complex) else ""

"""``dataclass`` as in the standard library, which makes six functions a class from source text: a sixth of the time of
a check of a small file. This one makes ``__init__``, and shares the others. Nothing but the type checker guards the
fields of a frozen class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass as standard
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, kw_only=False):
        def decorate(cls):
            cls.__doc__ = cls.__doc__ or cls.__name__  # or else the signature, which takes long to put together
            if "__repr__" not in vars(cls):
                cls.__repr__ = _shown
            standard(cls, repr=False, eq=False, kw_only=kw_only)
            if eq:
                _compare_by_value(cls, frozen)
            return cls

        return decorate if cls is None else decorate(cls)


def _shown(record: Any) -> str:
    shown = (f"{field.name}={getattr(record, field.name)!r}" for field in fields(record) if field.repr)
    return f"{type(record).__qualname__}({', '.join(shown)})"


def _compare_by_value(cls: Any, frozen: bool) -> None:
    own, values = vars(cls), _values([field.name for field in fields(cls) if field.compare])

    def same(one: object, other: object) -> bool:
        return values(one) == values(other) if other.__class__ is one.__class__ else NotImplemented

    def hashed(one: object) -> int:
        return hash(values(one))

    if "__eq__" not in own:
        cls.__eq__ = same
    if own.get("__hash__") is None:
        cls.__hash__ = hashed if frozen else None


def _values(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)

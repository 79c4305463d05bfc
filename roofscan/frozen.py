"""``dataclass`` as in the standard library, which makes six functions a class from source text: a fifth of the time of
a check of a small file. This one shares them but for ``__init__``, which it makes when a class is first called: most
are never. Nothing but the type checker guards the fields of a frozen class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from dataclasses import dataclass as standard
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
            standard(cls, init=False, repr=False, eq=False, kw_only=kw_only)
            _make_when_called(cls)
            if eq:
                _compare_by_value(cls, frozen)
            return cls

        return decorate if cls is None else decorate(cls)


def _make_when_called(cls: Any) -> None:
    def __init__(self: object, *args: Any, **named: Any) -> None:
        cls.__init__ = made = _made(cls)
        made(self, *args, **named)

    cls.__init__ = __init__


def _made(cls: Any) -> Callable[..., None]:
    """``__init__`` as the standard library makes it: of text that holds nothing but names of fields."""
    known: dict[str, Any] = {"_missing": MISSING, "_or_made": _or_made}
    known |= {f"_default_{f.name}": f.default for f in fields(cls)}
    known |= {f"_make_{f.name}": f.default_factory for f in fields(cls)}
    taken = [f for f in fields(cls) if f.init]
    first, last = ([_parameter(f) for f in taken if f.kw_only is named] for named in (False, True))
    lines = [f"self.{f.name} = {_given(f)}" for f in fields(cls) if f.init or f.default_factory is not MISSING]
    lines += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    parameters = ", ".join(["self", *first, *["*"][: len(last)], *last])
    exec(f"def f({parameters}):\n " + "\n ".join(lines or ["pass"]), known)
    made: Callable[..., None] = known["f"]
    made.__name__, made.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    return made


def _parameter(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}=_missing"
    return field.name if field.default is MISSING else f"{field.name}=_default_{field.name}"


def _given(field: Field[Any]) -> str:
    if field.default_factory is MISSING:
        return field.name
    return f"_or_made({field.name},_make_{field.name})" if field.init else f"_make_{field.name}()"


def _or_made(value: object, make: Callable[[], object]) -> object:
    return make() if value is MISSING else value


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

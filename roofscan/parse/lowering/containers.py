"""Lists that grow, dicts and sets: their items are unknown, and their cost is no arithmetic."""

from __future__ import annotations

from roofscan.ir.kinds import BoundSide
from roofscan.parse.inference.list_mutation import RESIZING, SHRINKING
from roofscan.parse.lowering import values
from roofscan.parse.lowering.context import Context

GROWING_LIST = "a list that grows or shrinks"
ITEM = values.Unknown("an item of a list, dict or set")
UNKNOWN_ITEM = values.Unknown("an item of unknown data")
"""What a loop reads where nothing is known of what it iterates over."""

CHANGES = frozenset((
    "append", "extend", "insert", "remove", "clear", "add", "discard", "update", "sort", "reverse", "setdefault",
))  # fmt: skip
"""Methods of lists, sets and dicts that return nothing."""

MAPPING = frozenset(("keys", "values", "items", "get", "popitem", "setdefault"))  # methods that only dicts have

PARTS = frozenset((
    "pop", "popitem", "get", "keys", "values", "items", "copy", "index", "count", "union", "intersection",
    "difference", "issubset", "popleft", "appendleft",
))  # fmt: skip
"""Methods that return a part, or another container."""


def list_as_bound(cx: Context, name: str, value: values.Value, line: int) -> values.Value:
    """A list that the function lengthens or shortens is unknown from its first binding on: a loop may read it before
    the line that changes it. An item of a list that serves as an index is an integer."""
    if name in cx.frame.type_facts.resized_lists and _may_be_list(value):
        cx.builder.outlive(value)
        unknown = unknown_container(cx, GROWING_LIST, line)
        for frame in cx.frames:  # other names of this list (a helper returned it) are unknown too
            frame.names.update({other: unknown for other, held in frame.names.items() if held is value})
        return unknown
    if isinstance(value, values.Unknown) and value in (ITEM, UNKNOWN_ITEM) and name in cx.frame.type_facts.integers:
        return values.unknown_integer(value.why)
    return value


def _may_be_list(value: values.Value) -> bool:
    made = (values.RangeValue, values.IteratorValue, values.GeneratedValue, values.ListedViews, values.BoundMethod)
    return isinstance(value, made) or (isinstance(value, values.TupleValue) and value.kind == "list")


def unknown_container(cx: Context, what: str, line: int) -> values.Value:
    cx.builder.reason(line, what, "unseen")
    return values.Unknown(what)


def container_method(cx: Context, owner: values.Value, name: str, line: int) -> values.Value | None:
    """The result of a method of a list, set or dict, or of what may be one; None for any other method."""
    if isinstance(owner, (values.Text, values.NoneValue)) or name not in CHANGES | PARTS:
        return None
    if isinstance(owner, values.Scalar) and name in ("copy", "sort"):
        return None
    if isinstance(owner, values.TupleValue) and owner.kind == "tuple" and name not in ("index", "count"):
        return None
    if isinstance(owner, values.TupleValue) and name in RESIZING:  # by a name that list_as_bound did not follow
        effect: BoundSide = "upper" if name in SHRINKING else "lower"
        cx.builder.reason(line, f"{name} changes a list whose items were counted before the change", effect)
    found = unknown_container(cx, GROWING_LIST if isinstance(owner, values.TupleValue) else "a list, dict or set", line)
    return values.NONE if name in CHANGES else ITEM if name in ("pop", "popleft", "get", "index", "count") else found

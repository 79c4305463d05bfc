"""Parameters that are records by their use: the type of the module that has the fields, else one of such fields."""

from __future__ import annotations

from roofscan.frozen import dataclass
from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import F8, I8
from roofscan.ir.records import RecordType, packed, record_type
from roofscan.parse.inference.record_uses import RecordUse
from roofscan.parse.lowering.context import Context
from roofscan.parse.reader.record_types import structured_types
from roofscan.parse.reader.type_expressions import RECORDS


@dataclass(frozen=True)
class Records:
    """The type of records, and the rank of the array of them: 0 for one record."""

    dtype: RecordType
    ndim: int


def records_by_use(cx: Context, path: str, line: int) -> Records | None:
    """What a parameter with fields is, with the assumption stated; None for an object, whose fields are its own."""
    uses = cx.frame.type_facts.record_uses[path]
    names = tuple(dict.fromkeys(sorted(use.field for use in uses)))
    fitting = [t for t in structured_types(cx.here, RECORDS) if all(t.field(name) for name in names)]
    shown = ", ".join(names)
    if len(fitting) == 1:
        ndim = _rank(cx, path, uses, fitting[0])
        cx.builder.assume(
            Assumption(path, f"{'an array of ' if ndim else ''}{fitting[0].name} (it has the fields {shown})")
        )
        return Records(fitting[0], ndim)
    indexed = {use.field for use in uses if use.by_text and use.after}
    if not any(use.before for use in uses) and not (cx.compiled and indexed.issuperset(names)):
        return None  # an object or a dict, whose fields are its own
    dtype = _least(cx, path, uses)
    cx.builder.assume(Assumption(path, f"records of 8-byte fields: {shown} (default)"))
    cx.builder.reason(line, f"the type of the records in {path} is not known: other fields lie between these", "unseen")
    return Records(dtype, _rank(cx, path, uses, dtype))


def _least(cx: Context, path: str, uses: set[RecordUse]) -> RecordType:
    """The smallest record that the uses allow: the fields that are numbers."""
    integers = cx.frame.type_facts.integer_fields
    arrays = {use.field for use in uses if use.before and use.after}
    fields = sorted({use.field for use in uses} - arrays)
    parts = [(name, I8 if (path, name) in integers else F8, ()) for name in fields]
    return packed(parts) if parts else record_type((), F8.size)


def _rank(cx: Context, path: str, uses: set[RecordUse], dtype: RecordType) -> int:
    """By the subscripts in front of a field, else by those behind it that the field itself does not take."""
    found = max(use.before for use in uses)
    for use in uses:
        field = dtype.field(use.field)
        if not use.before and field is not None:
            found = max(found, use.after - len(field.shape))
    is_array = path in cx.frame.type_facts.ranks or not cx.compiled
    return found or int(is_array)

"""One finding a file. A module here has ``CODE`` and, where it judges kernels, ``find(subject)``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roofscan.report.findings import (
    array_of_structures,
    better_order,
    compulsory_traffic,
    internal_failure,
    neighbouring_loops,
    outside_model,
    repeated_passes,
    size_dependent,
    strided_walk,
    temporaries,
    unreadable_option,
    unreadable_pragma,
    widened_precision,
    worth_changing,
)
from roofscan.report.findings.subject import Subject, may_be_of_numbers
from roofscan.report.model import Advice, Finding
from roofscan.report.verdict import Judged

MODULES = (
    outside_model, worth_changing, compulsory_traffic, size_dependent, strided_walk, better_order,
    array_of_structures, temporaries, neighbouring_loops, repeated_passes, widened_precision,
    unreadable_pragma, unreadable_option, internal_failure,
)  # fmt: skip
"""Every code, in the order of the numbers."""

_VERDICTS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    worth_changing.find, size_dependent.find, compulsory_traffic.find,
)  # fmt: skip
"""At most one of these stands on a kernel: the first that has something to say."""

_OTHERS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    outside_model.find, strided_walk.find, better_order.find, array_of_structures.find, temporaries.find,
    neighbouring_loops.find, repeated_passes.find, widened_precision.find,
)  # fmt: skip

_WITHOUT_ARRAYS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (outside_model.find, widened_precision.find)
"""What can be said of a function whose parameters may be numbers."""


def findings_on(judged: Judged, advice: tuple[Advice, ...] = ()) -> tuple[Finding, ...]:
    """What there is to say of a kernel, those codes that are off by default included."""
    subject = Subject(judged, advice)
    if may_be_of_numbers(judged.cost.kernel):
        return tuple(finding for find in _WITHOUT_ARRAYS for finding in find(subject))
    verdict = next((finding for find in _VERDICTS for finding in find(subject)), None)
    others = tuple(finding for find in _OTHERS for finding in find(subject))
    return (verdict, *others) if verdict else others

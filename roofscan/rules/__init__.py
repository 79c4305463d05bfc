"""One finding a file. A module here has ``CODE`` and, where it judges kernels, ``find(subject)``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roofscan.roofline.left_of_ridge import may_be_scalar
from roofscan.roofline.model import Advice, Finding
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules import (
    array_of_structures,
    compulsory_traffic,
    fusible_loops,
    implicit_upcast,
    improvable,
    internal_failure,
    loop_interchange,
    multipass_reduction,
    outside_model,
    size_dependent,
    strided_access,
    temporaries,
    unreadable_option,
    unreadable_pragma,
)
from roofscan.rules.rule_context import RuleContext

MODULES = (
    outside_model, improvable, compulsory_traffic, size_dependent, strided_access, loop_interchange,
    array_of_structures, temporaries, fusible_loops, multipass_reduction, implicit_upcast,
    unreadable_pragma, unreadable_option, internal_failure,
)  # fmt: skip
"""Every code, in the order of the numbers."""

_VERDICTS: tuple[Callable[[RuleContext], Iterator[Finding]], ...] = (
    improvable.find, size_dependent.find, compulsory_traffic.find,
)  # fmt: skip
"""At most one of these stands on a kernel: the first that has something to say."""

_OTHERS: tuple[Callable[[RuleContext], Iterator[Finding]], ...] = (
    outside_model.find, strided_access.find, loop_interchange.find, array_of_structures.find, temporaries.find,
    fusible_loops.find, multipass_reduction.find, implicit_upcast.find,
)  # fmt: skip

_WITHOUT_ARRAYS: tuple[Callable[[RuleContext], Iterator[Finding]], ...] = (outside_model.find, implicit_upcast.find)
"""What can be said of a function whose parameters may be numbers."""


def findings_on(point: RooflinePoint, advice: tuple[Advice, ...] = ()) -> tuple[Finding, ...]:
    """What there is to say of a kernel, those codes that are off by default included."""
    subject = RuleContext(point, advice)
    if may_be_scalar(point.cost.kernel):
        return tuple(finding for find in _WITHOUT_ARRAYS for finding in find(subject))
    verdict = next((finding for find in _VERDICTS for finding in find(subject)), None)
    others = tuple(finding for find in _OTHERS for finding in find(subject))
    return (verdict, *others) if verdict else others

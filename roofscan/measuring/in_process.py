"""``roofscan.measure``: times a kernel with real arguments, in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MethodType

from roofscan.config.options import Options
from roofscan.measuring.kernel_source import dotted_name, plain_function, report_of_call
from roofscan.measuring.real_arguments import binding_of, named, remarks
from roofscan.measuring.timer import times
from roofscan.report.measured import MeasuredCall

RUN_SECONDS = 1.0


def measured_call(
    kernel: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object], options: Options | None
) -> MeasuredCall:
    function = plain_function(kernel)
    arguments = named(kernel if isinstance(kernel, MethodType) else function, args, kwargs)
    binding = binding_of(arguments)
    report = report_of_call(kernel, binding, options)
    found = times(lambda: kernel(*args, **kwargs), RUN_SECONDS)
    median, notes = found[len(found) // 2], tuple(remarks(arguments))
    return MeasuredCall(dotted_name(function), binding, report, found[0], median, len(found), sum(found), notes)

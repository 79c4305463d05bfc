"""``roofscan.watch``: counts the calls that Python makes of what Numba compiled, and their time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from time import perf_counter
from typing import Any

from numba.core.dispatcher import Dispatcher

from roofscan.config.options import Options
from roofscan.errors import AnalysisError
from roofscan.frozen import dataclass
from roofscan.measuring.kernel_source import dotted_name, plain_function, report_of_call
from roofscan.measuring.real_arguments import binding_of, class_of, named, remarks
from roofscan.report.measured import MeasuredCall, render_measured

MOST_SIZES = 32  # of one kernel that are kept apart
MOST_TIMES = 1000  # that are kept for the median


@dataclass
class _Calls:
    """Those of one kernel with arguments of one class. Calls that compile are no calls of the kernel's speed."""

    binding: str = ""  # "": of several sizes, too many to tell
    notes: tuple[str, ...] = ()
    count: int = 0
    total: float = 0.0
    seconds: list[float] = field(default_factory=list)

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        if len(self.seconds) < MOST_TIMES:
            self.seconds.append(seconds)


class Watch:
    """What was called while the ``with`` block ran. ``calls`` are by kernel and sizes, the longest total first;
    ``compiling`` are seconds of calls that compiled."""

    def __init__(self, options: Options | None = None) -> None:
        self.compiling = 0.0
        self._options = options
        self._found: dict[Dispatcher, dict[object, _Calls]] = {}
        self._before: Callable[..., Any] | None = None

    def __enter__(self) -> Watch:
        own, inherited = Dispatcher.__dict__.get("__call__"), Dispatcher.__call__
        watch = self

        def timed_call(dispatcher: Dispatcher, *args: Any, **kwargs: Any) -> Any:
            compiled, start = len(dispatcher.overloads), perf_counter()
            result = inherited(dispatcher, *args, **kwargs)
            seconds = perf_counter() - start
            watch._add(dispatcher, args, kwargs, seconds, len(dispatcher.overloads) > compiled)
            return result

        self._before, Dispatcher.__call__ = own, timed_call
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is None:
            del Dispatcher.__call__
        else:
            Dispatcher.__call__ = self._before

    def _add(self, dispatcher: Dispatcher, args: Any, kwargs: Any, seconds: float, compiled: bool) -> None:
        if compiled:
            self.compiling += seconds
            return
        by_class = self._found.setdefault(dispatcher, {})
        key: object = tuple(map(class_of, (*args, *kwargs.values())))
        if key not in by_class and len(by_class) < MOST_SIZES:
            by_class[key] = _calls(dispatcher, args, kwargs)
        (by_class.get(key) or by_class.setdefault(None, _Calls())).add(seconds)

    @cached_property
    def calls(self) -> tuple[MeasuredCall, ...]:
        found = [self._measured(d, calls) for d, by_class in self._found.items() for calls in by_class.values()]
        return tuple(sorted(found, key=lambda call: -call.total))

    def _measured(self, dispatcher: Dispatcher, calls: _Calls) -> MeasuredCall:
        seconds, notes, report = sorted(calls.seconds), calls.notes, None
        median, name = seconds[len(seconds) // 2], dotted_name(plain_function(dispatcher))
        try:
            report = report_of_call(dispatcher, calls.binding, self._options)
        except AnalysisError as error:
            notes = (*notes, str(error))
        return MeasuredCall(name, calls.binding, report, seconds[0], median, calls.count, calls.total, notes)

    def __str__(self) -> str:
        compiling = f"Calls that compiled took {self.compiling:.3g} s more.\n" if self.compiling else ""
        return render_measured(self.calls, watched=True) + compiling


def _calls(dispatcher: Dispatcher, args: Any, kwargs: Any) -> _Calls:
    arguments = named(plain_function(dispatcher), args, kwargs)
    return _Calls(binding_of(arguments), tuple(remarks(arguments)))

"""The source of a live function: its file, or the text of its cell with the imports and helpers that it refers to. The
function is read, never called."""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any

from roofscan.errors import AnalysisError
from roofscan.frozen import dataclass

_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class LiveSource:
    text: str
    path: str
    function: str  # its dotted name, without the functions around it that are not in the text
    line: int  # where it begins; another function of that name may be above or below
    is_file: bool  # helpers of other files may be read


def source_of(live: object) -> LiveSource:
    if isinstance(live, type):
        raise AnalysisError(f"{live.__name__} is a class; pass one of its methods")
    bare = live.func if isinstance(live, functools.partial) else getattr(live, "__func__", live)  # of a bound method
    if kernel := getattr(bare, "kernel_ir", None):  # of Numba's stencil
        bare = kernel.func_id.func
    function = inspect.unwrap(getattr(bare, "py_func", bare))  # type: ignore[arg-type]
    if not isinstance(function, types.FunctionType):
        raise AnalysisError(f"{live!r:.80} is not a Python function; pass a function, a path or a source text")
    if (function.__module__ or "").split(".")[0] == "numpy":
        name = function.__name__
        raise AnalysisError(
            f"numpy.{name} is NumPy's own; pass a function that calls it: def f(x): return np.{name}(x)"
        )
    if function.__name__ == "<lambda>":
        raise AnalysisError("a lambda has no name to find its source by; write it with def")
    path, name = function.__code__.co_filename, function.__qualname__.replace("<locals>.", "")
    line, lines = function.__code__.co_firstlineno, linecache.getlines(path, function.__globals__)
    if not lines:
        raise AnalysisError(f"the source of {name} is not available; pass its text: roofscan.analyze(text)")
    text = "".join(lines)
    if os.path.isfile(path):
        return LiveSource(text, path, name, line, True)
    return LiveSource(with_context(text, function.__globals__), f"<{name}>", name, line, False)


def with_context(text: str, namespace: Mapping[str, Any]) -> str:
    """The text, and below it imports, constants and helpers of a session that it names: its lines stay as they are."""
    added: dict[str, str] = {}
    waiting, seen = [text], set(_defined(text))
    while waiting:
        for name in dict.fromkeys(_NAME.findall(waiting.pop())):
            if name not in seen and name in namespace:
                seen.add(name)
                if more := _definition(name, namespace[name]):
                    added[name] = more
                    waiting.append(more)
    return "\n\n".join([text.rstrip("\n"), *added.values()]) + "\n"


def _defined(text: str) -> Iterator[str]:
    yield from re.findall(r"^\s*(?:def|class)\s+(\w+)", text, re.MULTILINE)
    yield from re.findall(r"^(\w+)\s*=", text, re.MULTILINE)


def _definition(name: str, value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__} as {name}"
    if type(value) in (bool, int, float, complex, str):
        return f"{name} = {value!r}"
    home, own = getattr(value, "__module__", None), getattr(value, "__name__", "")
    if home not in (None, "__main__", "builtins") and own.isidentifier():
        return f"from {home} import {own} as {name}"
    try:
        return inspect.cleandoc("\n" + inspect.getsource(getattr(value, "py_func", value)))
    except (OSError, TypeError):
        return ""

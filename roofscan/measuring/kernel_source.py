"""The report of a function object at the sizes of a call: from its file, or, where that cannot be read or does not say
how it is compiled (a notebook, ``fast = njit(f)``), from its own source and what that refers to."""

from __future__ import annotations

import ast
import inspect
import os
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

from roofscan.api import FileReport, KernelResult, analyze_file, analyze_source
from roofscan.config.options import Options
from roofscan.config.pyproject import load_config
from roofscan.errors import AnalysisError
from roofscan.roofline.model import KernelReport

_COMPILED_WITH = ("parallel", "fastmath", "error_model", "boundscheck")


def plain_function(kernel: Callable[..., object]) -> FunctionType:
    """What Numba compiled, the function of a method, or the function itself."""
    function = inspect.unwrap(getattr(kernel, "py_func", kernel))
    function = function.__func__ if isinstance(function, MethodType) else function
    if str(getattr(function, "__module__", "")).partition(".")[0] == "numpy":
        raise AnalysisError(f"{kernel.__name__} is a function of NumPy; measure a function of yours that calls it")
    if not isinstance(function, FunctionType):
        raise AnalysisError(
            f"an object of type {type(kernel).__name__} is not a Python function; measure a function, compiled or not"
        )
    return function


def dotted_name(function: FunctionType) -> str:
    return function.__qualname__.replace(".<locals>", "")


def report_of_call(kernel: Callable[..., object], binding: str, options: Options | None = None) -> KernelReport:
    """On the first machine of the options, or of the nearest pyproject.toml's."""
    function = plain_function(kernel)
    path = function.__code__.co_filename
    chosen = options or load_config(Path(os.path.dirname(path) or ".")).options
    chosen = replace(chosen, bind=binding, kernels="all")
    name = dotted_name(function)
    found = _kernel(analyze_file(path, chosen, (name,)), function) if os.path.isfile(path) else None
    if found is None or (hasattr(kernel, "py_func") and not found.kernel.decorator.compiled):
        text = "\n".join(_standalone(kernel, set()))
        found = _kernel(analyze_source(text, path, chosen, functions=(function.__name__,)), None)
    if found is None:
        raise AnalysisError(f"{name} is not a kernel that roofscan can read; see roofscan report {path}")
    return found.reports[0]


def _kernel(file: FileReport, function: FunctionType | None) -> KernelResult | None:
    """The one whose ``def`` follows the first line of the function's decorators."""
    first = function.__code__.co_firstlineno if function else 0
    return next((kernel for kernel in file.kernels if kernel.kernel.line >= first), None)


def _standalone(kernel: Callable[..., object], told: set[str]) -> Iterator[str]:
    """A module that says what the function's own module, or a notebook, says of it."""
    function = plain_function(kernel)
    for name, value in _referred(function):
        if name not in told:
            told.add(name)
            yield from _definition(name, value, told)
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise AnalysisError(f"the source of {dotted_name(function)} cannot be found; define it in a file") from None
    targets = getattr(kernel, "targetoptions", None)
    if targets is None:
        yield text
        return
    compiled = ", ".join(f"{key}={targets[key]!r}" for key in _COMPILED_WITH if targets.get(key))
    yield f"import numba\n@numba.njit({compiled})\n{_undecorated(text)}"


def _referred(function: FunctionType) -> Iterator[tuple[str, Any]]:
    found = inspect.getclosurevars(function)
    yield from {**found.globals, **found.nonlocals}.items()


def _definition(name: str, value: Any, told: set[str]) -> Iterator[str]:
    home = getattr(value, "__module__", None) or ""
    if isinstance(value, ModuleType):
        yield f"import {value.__name__} as {name}"
    elif isinstance(value, (bool, int, float, complex, str)):
        yield f"{name} = {value!r}"
    elif home.partition(".")[0] in ("numba", "numpy", "math"):
        yield f"from {home} import {getattr(value, '__name__', name)} as {name}"
    elif isinstance(getattr(value, "py_func", value), FunctionType):
        yield from _standalone(value, told)


def _undecorated(text: str) -> str:
    [definition] = ast.parse(text).body
    return "".join(text.splitlines(keepends=True)[definition.lineno - 1 :])

"""roofscan counts the FLOPs and memory traffic of NumPy and Numba kernels symbolically, and places them on a machine's
roofline. It never runs what it reads. ``analyze_file`` and ``analyze_source`` return kernel reports with SymPy
expressions. ``measure`` and ``watch`` time calls that the user makes, and set them beside the expected ones."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from roofscan.errors import AnalysisError

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from roofscan.config.options import Options as Options
    from roofscan.measuring.watching import Watch as Watch
    from roofscan.report.measured import MeasuredCall as MeasuredCall
    from roofscan.results import SymbolicReport as SymbolicReport

__version__ = "0.1.0"
__all__ = ["AnalysisError", "analyze_file", "analyze_source", "measure", "watch"]
_HOMES = {
    "Options": "roofscan.config.options", "MeasuredCall": "roofscan.report.measured",
    "SymbolicReport": "roofscan.results", "Watch": "roofscan.measuring.watching",
}  # fmt: skip
"""Types of arguments and results, loaded when they are asked for."""


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'roofscan' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def analyze_file(path: str | PathLike[str], options: Options | None = None) -> list[SymbolicReport]:
    """The kernels of a file, in source order. Raises ``roofscan.AnalysisError`` where it cannot be read."""
    from roofscan.results import from_file

    return from_file(path, options)


def analyze_source(text: str, filename: str = "<text>", options: Options | None = None) -> list[SymbolicReport]:
    """The kernels of a source text, in source order. Raises ``AnalysisError`` as ``analyze_file`` does."""
    from roofscan.results import from_source

    return from_source(text, filename, options)


def measure(
    kernel: Callable[..., object], /, *args: object, options: Options | None = None, **kwargs: object
) -> MeasuredCall:
    """Calls a kernel with these arguments for about a second: its time beside the expected one and the bound. Arrays
    that it changes are changed by every call."""
    from roofscan.measuring.in_process import measured_call

    return measured_call(kernel, args, kwargs, options)


def watch(options: Options | None = None) -> Watch:
    """``with watch() as w:`` counts the calls of what Numba compiled, and their time; ``w.calls`` has them beside the
    expected times, ``print(w)`` shows them."""
    try:
        from roofscan.measuring.watching import Watch
    except ModuleNotFoundError as error:
        raise ImportError(f"roofscan.watch needs {error.name}: pip install 'roofscan[measure]'") from None

    return Watch(options)

"""roofscan counts the FLOPs and memory traffic of NumPy and Numba kernels symbolically, and places them on a machine's
roofline. It never runs what it reads. ``analyze_file`` and ``analyze_source`` return kernel reports with SymPy
expressions. ``measure`` and ``watch`` time calls that the user makes, and set them beside the expected ones."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from roofscan.errors import AnalysisError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from roofscan.config.options import Options as Options
    from roofscan.measuring.watching import Watch as Watch
    from roofscan.notebook.analyze import Reports as Reports
    from roofscan.report.measured import MeasuredCall as MeasuredCall
    from roofscan.results.report import Report as Report
    from roofscan.results.report import SymbolicReport as SymbolicReport

try:
    from roofscan._version import __version__ as __version__
except ModuleNotFoundError:  # building writes that file; this tree was not built
    __version__ = "0.0.0"

__all__ = ["AnalysisError", "analyze", "analyze_file", "analyze_source", "measure", "watch"]
_HOMES = {
    "Options": "roofscan.config.options", "MeasuredCall": "roofscan.report.measured",
    "Report": "roofscan.results.report", "SymbolicReport": "roofscan.results.report",
    "Reports": "roofscan.notebook.analyze", "Watch": "roofscan.measuring.watching",
}  # fmt: skip
"""Types of arguments and results, loaded when they are asked for."""


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'roofscan' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


@overload
def analyze(
    obj: Callable[..., object],
    /,
    *,
    machine: str | Sequence[str] | None = None,
    bind: str | Mapping[str, object] | None = None,
    threads: int | None = None,
    cold: bool = False,
) -> Report: ...


@overload
def analyze(
    obj: str | PathLike[str],
    /,
    *,
    function: str | None = None,
    machine: str | Sequence[str] | None = None,
    bind: str | Mapping[str, object] | None = None,
    threads: int | None = None,
    cold: bool = False,
) -> Any: ...


def analyze(
    obj: str | PathLike[str] | Callable[..., object],
    /,
    *,
    machine: str | Sequence[str] | None = None,
    bind: str | Mapping[str, object] | None = None,
    function: str | None = None,
    threads: int | None = None,
    cold: bool = False,
    **unknown: object,
) -> Any:
    """The :class:`Report` of a live function (Numba's too; its source is read, it is not called), of
    ``"PATH::FUNCTION"``, or of a path or a source text that holds one kernel (or ``function``); of several kernels
    :class:`Reports`: to a type checker, the result for a path or a text is ``Any``. Raises ``AnalysisError``.

    ``bind``: sizes, types and values as ``--bind`` takes them: text, or ``{"n": 1000, "A": "f8[n,n]"}``."""
    from roofscan.notebook.analyze import analyze as analyzed

    return analyzed(obj, machine, bind, threads, cold, function, unknown)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext roofscan``: the magics ``%roofscan`` and ``%%roofscan``."""
    from roofscan.notebook.magics import RoofscanMagics

    shell.register_magics(RoofscanMagics)


def analyze_file(path: str | PathLike[str], options: Options | None = None) -> list[SymbolicReport]:
    """The kernels of a file, in source order. Raises ``roofscan.AnalysisError`` where it cannot be read."""
    from roofscan.results.entry import from_file

    return from_file(path, options)


def analyze_source(text: str, filename: str = "<text>", options: Options | None = None) -> list[SymbolicReport]:
    """The kernels of a source text, in source order. Raises ``AnalysisError`` as ``analyze_file`` does."""
    from roofscan.results.entry import from_source

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

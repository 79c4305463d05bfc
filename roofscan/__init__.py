"""roofscan counts the FLOPs and memory traffic of NumPy and Numba kernels symbolically, and places them on a machine's
roofline. It never runs what it reads. ``analyze_file`` and ``analyze_source`` return kernel reports with SymPy
expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofscan.errors import AnalysisError

if TYPE_CHECKING:
    from os import PathLike

    from roofscan.config.options import Options
    from roofscan.results import SymbolicReport

__version__ = "0.1.0"
__all__ = ["AnalysisError", "analyze_file", "analyze_source"]


def analyze_file(path: str | PathLike[str], options: Options | None = None) -> list[SymbolicReport]:
    """The kernels of a file, in source order. Raises ``roofscan.AnalysisError`` where it cannot be read."""
    from roofscan.results import from_file

    return from_file(path, options)


def analyze_source(text: str, filename: str = "<text>", options: Options | None = None) -> list[SymbolicReport]:
    """The kernels of a source text, in source order. Raises ``AnalysisError`` as ``analyze_file`` does."""
    from roofscan.results import from_source

    return from_source(text, filename, options)

"""From a file or a text to the reports of its kernels; what cannot be one is refused in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from roofscan import api
from roofscan.config.options import Options
from roofscan.errors import AnalysisError

if TYPE_CHECKING:
    pass
from roofscan.results.report import Report


def from_file(path: str | os.PathLike[str], options: Options | None) -> list[Report]:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"analyze_file takes a path, not {path!r:.80}; analyze takes a function")
    if not os.path.exists(path):
        raise AnalysisError(f"there is no file {os.fspath(path)}; check the path")
    if os.path.isdir(path):
        raise AnalysisError(f"{os.fspath(path)} is a folder; name one of its files, or run `roofscan report` on it")
    return _public(lambda chosen: api.analyze_file(os.fspath(path), chosen), options)


def from_source(text: str, filename: str, options: Options | None) -> list[Report]:
    if not isinstance(text, str):
        raise TypeError(f"analyze_source takes the text of a source, not {text!r:.80}; analyze takes a function")
    return _public(lambda chosen: api.analyze_source(text, filename, chosen), options)


def _public(analyze: Callable[[Options], api.FileReport], options: Options | None) -> list[Report]:
    if not isinstance(options, (Options, type(None))):
        raise TypeError(
            f"options is a roofscan.Options, not {type(options).__name__}; write Options(machines=('h200',))"
        )
    try:
        report = analyze(replace(options or Options(kernels="all"), layers=True))
    except api.OptionError as error:
        raise AnalysisError(str(error)) from None
    return reports_of(report)


def reports_of(file: api.FileReport) -> list[Report]:
    if file.error:
        raise AnalysisError(str(file.error))
    for kernel in file.kernels:
        if kernel.conflicts:
            raise AnalysisError(f"bind: {kernel.contradiction}")
    return [Report(kernel.reports[0], kernel.reports[1:]) for kernel in file.kernels]

"""What the head of an HTML page says, and the source that it shows."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence

from roofscan import __version__
from roofscan.config.options import Options
from roofscan.parse.reader.source import SourceError, read_source
from roofscan.report.page.data import Sources
from roofscan.report.page.document import About
from roofscan.roofline.model import KernelReport
from roofscan.rules.codes import CODES


def about(kernels: Sequence[Sequence[KernelReport]], arguments: argparse.Namespace, options: Options) -> About:
    """The date is that of SOURCE_DATE_EPOCH, where a reproducible build sets it."""
    made = time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    sources = {} if arguments.no_source else _sources(kernels, options)
    remedies = {code.id: code.remedy for code in CODES.values()}
    return About(__version__, time.strftime("%Y-%m-%d %H:%M UTC", made), arguments.words, sources, remedies)


def _sources(kernels: Sequence[Sequence[KernelReport]], options: Options) -> Sources:
    found = {}
    for path in dict.fromkeys(reports[0].cost.kernel.path for reports in kernels):
        try:
            found[path] = read_source(path, options.max_bytes).split("\n")
        except SourceError:  # gone since it was analyzed
            continue
    return found

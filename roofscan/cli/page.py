"""The head of an HTML page, and the source that it shows."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from roofscan import __version__
from roofscan.api import KernelResult
from roofscan.cli.check_sources import lines_of
from roofscan.config.options import Options
from roofscan.files import read_bytes
from roofscan.fix.model import Fix
from roofscan.fix.offers import proposed
from roofscan.report.page.changes import Place, ShownChange
from roofscan.report.page.document import About
from roofscan.rules.codes import CODES

CONTEXT = 2  # lines around a change


def about(kernels: Sequence[KernelResult], arguments: argparse.Namespace, options: Options) -> About:
    """The facts of a page's head; the date is that of SOURCE_DATE_EPOCH, where a reproducible build sets it."""
    made = time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    sources = {} if arguments.no_source else lines_of((k.kernel.path for k in kernels), options.max_bytes)
    changes = {} if arguments.no_source else dict(changes_of(kernels))
    remedies = {code.id: code.remedy for code in CODES.values()}
    return About(__version__, time.strftime("%Y-%m-%d %H:%M UTC", made), arguments.words, sources, remedies, changes)


def changes_of(kernels: Sequence[KernelResult]) -> Iterator[tuple[Place, ShownChange]]:
    """The best way to follow each finding, where there is one that ``fix`` would write."""
    for path in dict.fromkeys(result.kernel.path for result in kernels):
        here = (result for result in kernels if result.kernel.path == path)
        found = ((result.kernel, dict.fromkeys(f for r in result.reports for f in r.findings)) for result in here)
        try:
            data = read_bytes(path)
        except (OSError, ValueError):  # gone since it was analyzed
            continue
        for fix in proposed(data, found):
            yield (fix.site.finding.code, fix.site.finding.line, path), _change(fix)


def _change(fix: Fix) -> ShownChange:
    before, after = (text.splitlines() for text in (fix.site.source.text, fix.module.code))
    lines = unified_diff(before, after, n=CONTEXT, lineterm="")
    return ShownChange(fix.describes.partition(f"{fix.site.finding.kernel}: ")[2], tuple(lines)[2:])

"""``report --sort --top --only --min-gain --profile``: which kernels are shown, in what order."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from roofscan.api import FileReport, KernelResult
from roofscan.cli import output
from roofscan.cli.errors import UsageError
from roofscan.config import values
from roofscan.counters.profiles import Profile, read_profile
from roofscan.errors import OptionError
from roofscan.report.overview.selection import OverviewChoice, place
from roofscan.report.overview.summary import KernelSummary, summary_of


def choice_of(arguments: argparse.Namespace) -> OverviewChoice:
    default = "time" if arguments.sort == "time" else "gain"
    return OverviewChoice(arguments.sort or default, arguments.top, arguments.only, arguments.min_gain)


def chosen(
    kernels: Sequence[KernelResult], files: Sequence[FileReport], arguments: argparse.Namespace
) -> list[KernelResult]:
    """The kernels that the options leave, in their order; without any option, all in the order of the source."""
    choice = choice_of(arguments)
    if not (arguments.sort or arguments.profile or choice.leaves_out):
        return list(kernels)
    found = summaries(kernels, files, arguments)[0]
    by_place = {place(s): kernel for s, kernel in zip(found, kernels, strict=True)}
    return [by_place[place(s)] for s in choice.of(found)]


def summaries(
    kernels: Sequence[KernelResult], files: Sequence[FileReport], arguments: argparse.Namespace
) -> list[list[KernelSummary]]:
    """A list of kernels for each machine."""
    callers = {(file.path, name): found for file in files for name, found in file.callers.items()}
    profile = _profile(arguments.profile) if arguments.profile else Profile(())
    machines = range(len(kernels[0].reports)) if kernels else range(0)
    found = [[_summary(kernel, at, callers, profile) for kernel in kernels] for at in machines]
    if arguments.profile and all(s.profiled is None for each in found for s in each):
        missed = f"{values.plain(arguments.profile)} has none of these kernels; profile a run that calls them"
        output.write(sys.stderr, f"roofscan: --profile: {missed}\n")
    return found


def _summary(
    kernel: KernelResult, machine: int, callers: dict[tuple[str, str], tuple[str, ...]], profile: Profile
) -> KernelSummary:
    of = kernel.kernel
    summary = summary_of(kernel.reports[machine], callers.get((of.path, of.name), ()))
    return replace(summary, profiled=profile.seconds_in(of.path, of.name, range(of.first_line, of.end_line + 1)))


def _profile(path: str) -> Profile:
    try:
        return read_profile(path)
    except OptionError as error:
        raise UsageError(f"--profile: {error}") from None

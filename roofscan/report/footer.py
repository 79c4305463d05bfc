"""The footer below all reports for people: the machines, and what of their caches the model leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from roofscan.machine.model import Machine
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import TimePrediction

UNCALIBRATED = "Uncalibrated times rest on estimates: `roofscan machine measure` measures this computer."


def footer(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """Which machine this is about, and how to choose another."""
    if not kernels:
        return "No kernel found: roofscan looks for Numba's decorators, array loops and array expressions."
    machines = [report.machine for report in kernels[0] if report.machine]
    if not machines:
        return "Caches as given, each modelled alone; without a machine there is no ridge and no verdict."
    named = "; ".join(f"{machine.name}, {machine.description.rstrip('.')}" for machine in machines)
    facts = {machine.name: _hierarchy(machine) for machine in machines}
    seen = " ".join(f"{name}: {fact}" if len(machines) > 1 else fact for name, fact in facts.items() if fact)
    times = [report.time for reports in kernels for report in reports]
    if any(isinstance(time, TimePrediction) and not time.calibrated for time in times):
        seen = f"{seen} {UNCALIBRATED}".lstrip()
    return f"On {named}. {seen + ' ' if seen else ''}Others: --machine NAME (roofscan machine list)."


def brief_footer(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """The machines alone, and whether their times are measured."""
    named = machines_text(kernels)
    return f"{named}; --machine NAME chooses another." if named else footer(kernels)


def machines_text(kernels: Sequence[Sequence[KernelReport]]) -> str:
    machines = [report.machine.name for report in kernels[0] if report.machine] if kernels else []
    if not machines:
        return ""
    times = [report.time for reports in kernels for report in reports]
    rough = any(isinstance(time, TimePrediction) and not time.calibrated for time in times)
    return f"On {', '.join(machines)}{' (uncalibrated)' if rough else ''}"


def _hierarchy(machine: Machine) -> str:
    """What cores have in common, and what the model leaves out: every level is seen alone."""
    facts = []
    for inner, cache in pairwise(machine.levels):
        victim = f"holds what {inner.name} evicts (a victim cache), and is modelled alone here"
        shared = f"is shared by {cache.shared_by} cores; a kernel on one core has all of it"
        if cache.capacity and cache.exclusive:
            facts.append(f"{cache.name} {victim}.")
        if cache.capacity and cache.shared_by > 1 and machine.kind == "cpu":
            facts.append(f"{cache.name} {shared}.")
    return " ".join(facts)

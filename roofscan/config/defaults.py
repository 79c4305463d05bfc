"""Defaults of the options."""

from __future__ import annotations

DEFAULT_MACHINE = "generic-x86-64"
DEFAULT_LINE = 64
MAX_BYTES = 2_000_000

KERNEL_STEPS = 1_250_000  # steps of :mod:`roofscan.budget` that the analysis of one kernel may take

LAST_RESORT_SECONDS = 60.0
"""CPU time after which a command or an editor gives a kernel up: far above what the steps take on a slow machine."""

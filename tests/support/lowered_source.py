"""Kernels from source, lowered."""

from __future__ import annotations

from textwrap import dedent, indent

from roofscan.ir.kernel import Kernel
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.facts import parse_facts
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module


def lowered(text: str, bind: str = "") -> Kernel:
    """The kernel of a module's first decorated function."""
    module = read_module(dedent(text), "kernel.py")
    return lower(module, find_candidates(module, False).candidates[0], parse_facts(bind))


def kernel_of(body: str, arguments: str = "A, B, C, x, y, n, m, p", options: str = "") -> Kernel:
    """The kernel of a function's body, under ``@njit``."""
    head = f"from numba import njit, prange\n\n@njit{f'({options})' if options else ''}\ndef f({arguments}):\n"
    return lowered(head + indent(dedent(body).strip("\n"), "    ") + "\n")

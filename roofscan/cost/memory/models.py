"""Which model of memory a kernel has: the one place where models are made."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.memory.base import MemoryAnalysis, MemoryModel
from roofscan.cost.memory.lru import ReuseAnalysis, analyze_reuse
from roofscan.ir.kernel import Kernel
from roofscan.symbolic.expr import Number


def memory_analysis(kernel: Kernel, sample_point: Mapping[str, Number], line: int) -> MemoryAnalysis:
    """The analysis of a kernel's memory accesses. ``sample_point`` gives every symbol a number, ``line`` is in bytes.
    NotEvaluable where the kernel has no model."""
    return ReuseAnalysis(kernel, sample_point, line)


def memory_model(kernel: Kernel, sample_point: Mapping[str, Number], line: int) -> MemoryModel:
    """The whole model, likewise; its status is ``unknown`` where the kernel has none."""
    return analyze_reuse(kernel, sample_point, line)

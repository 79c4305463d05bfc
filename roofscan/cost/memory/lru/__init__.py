"""Reuse classes and traffic at any capacity: see :func:`analyze_reuse`."""

from roofscan.cost.memory.lru.analysis import ReuseAnalysis, analyze_reuse
from roofscan.cost.memory.lru.model import ReuseModel

__all__ = ["ReuseAnalysis", "ReuseModel", "analyze_reuse"]

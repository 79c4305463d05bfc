"""Reuse classes and traffic at any capacity: see :func:`analyze_reuse`."""

from roofscan.cost.memory.lru.analysis import ReuseAnalysis, analyze_reuse
from roofscan.cost.memory.lru.model import ReuseModel
from roofscan.cost.memory.lru.precision_budget import TooMuch

__all__ = ["ReuseAnalysis", "ReuseModel", "TooMuch", "analyze_reuse"]

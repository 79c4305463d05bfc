"""Reuse classes and traffic at any capacity: see :func:`analyze_reuse`."""

from roofscan.cost.memory.lru.analysis import Survey, analyze_reuse
from roofscan.cost.memory.lru.model import ReuseModel
from roofscan.cost.memory.lru.precision_budget import TooMuch

__all__ = ["ReuseModel", "Survey", "TooMuch", "analyze_reuse"]

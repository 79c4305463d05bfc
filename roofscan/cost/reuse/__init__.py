"""Reuse classes and traffic at any capacity: see :func:`analyze_reuse`."""

from roofscan.cost.reuse.analyze import analyze_reuse
from roofscan.cost.reuse.model import ReuseModel

__all__ = ["ReuseModel", "analyze_reuse"]

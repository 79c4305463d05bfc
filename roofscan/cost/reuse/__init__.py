"""Reuse classes and traffic at any capacity: see :func:`analyze_reuse`."""

from roofscan.cost.reuse.model import ReuseModel, analyze_reuse

__all__ = ["ReuseModel", "analyze_reuse"]

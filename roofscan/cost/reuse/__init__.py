"""Reuse classes and traffic at any capacity: see :func:`analyze_reuse`."""

from roofscan.cost.reuse.meter import TooMuch
from roofscan.cost.reuse.model import ReuseModel
from roofscan.cost.reuse.survey import Survey, analyze_reuse

__all__ = ["ReuseModel", "Survey", "TooMuch", "analyze_reuse"]

"""Exact symbolic arithmetic on counts: polynomials over sizes with floors, minima and maxima; sums over loops; signs.
The user gets SymPy (:mod:`roofscan.symbolic.to_sympy`); counting does not run on it. One step of counting, ``a*b + c``
in normal form on distinct polynomials of four terms, takes 13 µs on :class:`~roofscan.symbolic.expr.Expr`, 1,640 µs
with ``sympy.expand``, and 18 µs in SymPy's ``PolyRing`` (``python benchmarks/symbolic.py``), which needs its generators
in advance. A kernel takes thousands of such steps; and importing SymPy takes longer than analysing a file."""

from roofscan.symbolic import bits, extrema, floors, powers, sums

__all__ = ["bits", "extrema", "floors", "powers", "sums"]  # importing one registers the normal form of its function

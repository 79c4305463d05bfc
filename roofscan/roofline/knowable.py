"""Which traffic statuses the cache model can give for a kernel, by the kernel alone."""

from __future__ import annotations

from roofscan.ir.kernel import MISSING, Access, Kernel
from roofscan.ir.visitor import walk
from roofscan.symbolic.expr import Expr


def in_source_symbols(kernel: Kernel, expr: Expr) -> bool:
    """Whether all symbols of an expression are named as in the source: those of mean lengths are made up."""
    return expr.symbols <= {s.name for s in kernel.symbols if s.kind in ("size", "tile", "int")}


def may_be_bounded_below(kernel: Kernel) -> bool:
    """Whether it may be a figure or a lower bound, as RFL101 to 203 need it."""
    return _leaves_out(kernel) or not _is_at_most(kernel)


def may_be_a_figure(kernel: Kernel) -> bool:
    """Whether it may be one, as what fusing brings is told by: what is left out and what is at most there together
    make an estimate."""
    return _leaves_out(kernel) == _is_at_most(kernel)


def _leaves_out(kernel: Kernel) -> bool:
    return any(reason.effect in MISSING for reason in kernel.reasons)


def _is_at_most(kernel: Kernel) -> bool:
    scattered = (not node.regular for node in walk(kernel.body) if isinstance(node, Access))
    return any(reason.effect == "upper" for reason in kernel.reasons) or any(scattered)

"""Which whole-array operation a NumPy function or an array method is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.oracle import making, reductions
from tests.oracle.elementwise import (
    NOTHING,
    assign,
    augment,
    binary,
    clip,
    elementwise_call,
    gather,
    outer,
    scatter,
    select,
    unary,
)
from tests.oracle.making import copied, written
from tests.oracle.reductions import reduction, running

Handler = Callable[..., Any]

matmul = partial(reductions.contract, function=np.matmul)

_SUM = partial(reduction, np.sum, {"add": 1}, NOTHING, 1)
_PRODUCT = partial(reduction, np.prod, {"mul": 1}, NOTHING, 1)
_MEAN = partial(reduction, np.mean, {"add": 1}, {"div": 1}, 1)
_VARIANCE = partial(reduction, np.var, {"add": 2, "sub": 1, "mul": 1}, {"div": 2}, 2)
_DEVIATION = partial(reduction, np.std, {"add": 2, "sub": 1, "mul": 1}, {"div": 2, "sqrt": 1}, 2)
_LARGEST = partial(reduction, np.max, {"minmax": 1}, NOTHING, 1)
_SMALLEST = partial(reduction, np.min, {"minmax": 1}, NOTHING, 1)
_FREE = {
    name: partial(reduction, getattr(np, name), NOTHING, NOTHING, 1)
    for name in ("argmax", "argmin", "any", "all", "count_nonzero")
}

FUNCTIONS: dict[Any, Handler] = {
    np.zeros: partial(making.filled, np.zeros, True),
    np.ones: partial(making.filled, np.ones, True),
    np.full: partial(making.filled, np.full, True),
    np.empty: partial(making.filled, np.empty, False),
    np.zeros_like: partial(making.filled, np.zeros_like, True),
    np.ones_like: partial(making.filled, np.ones_like, True),
    np.full_like: partial(making.filled, np.full_like, True),
    np.empty_like: partial(making.filled, np.empty_like, False),
    np.eye: partial(making.filled, np.eye, True),
    np.linspace: making.spaced,
    np.arange: partial(making.filled, np.arange, True),
    np.array: making.made,
    np.asarray: making.as_array,
    np.ascontiguousarray: making.contiguous,
    np.copy: copied,
    np.sum: _SUM,
    np.prod: _PRODUCT,
    np.mean: _MEAN,
    np.var: _VARIANCE,
    np.std: _DEVIATION,
    np.max: _LARGEST,
    np.min: _SMALLEST,
    np.amax: _LARGEST,
    np.amin: _SMALLEST,
    np.linalg.norm: reductions.norm,
    **{getattr(np, name): handler for name, handler in _FREE.items()},
    **{f: partial(reductions.contraction, f) for f in (np.dot, np.matmul, np.inner, np.vdot, np.outer)},
    np.cumsum: partial(running, np.cumsum, "add"),
    np.cumprod: partial(running, np.cumprod, "mul"),
    np.diff: reductions.differences,
    np.where: select,
    np.clip: clip,
    np.concatenate: partial(making.joined, np.concatenate),
    **{f: partial(making.joined, f) for f in (np.stack, np.hstack, np.vstack, np.column_stack)},
    np.roll: partial(making.rearranged, np.roll),
    np.repeat: partial(making.rearranged, np.repeat),
    np.tile: partial(making.rearranged, np.tile),
    np.take: partial(making.rearranged, np.take),
    np.triu: partial(making.rearranged, np.triu),
    np.tril: partial(making.rearranged, np.tril),
    np.split: making.split,
    np.identity: partial(making.filled, np.identity, True),
    np.tri: partial(making.filled, np.tri, True),
    np.tensordot: reductions.tensordot,
    np.reshape: making.reshaped,
    np.ravel: making.raveled,
    np.transpose: making.transposed,
    np.swapaxes: making.swapped,
    np.expand_dims: making.widened,
    np.flip: making.flipped,
    np.einsum: reductions.einsum,
    np.ndarray: partial(making.filled, np.empty, False),
    **{
        ufunc.outer: partial(outer, op)
        for op, ufunc in {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}.items()
    },
}
"""By function object. What stands in no table runs on what it is given, and fails on a traced array."""

METHODS: dict[str, Handler] = {
    "sum": _SUM,
    "prod": _PRODUCT,
    "mean": _MEAN,
    "var": _VARIANCE,
    "std": _DEVIATION,
    "max": _LARGEST,
    "min": _SMALLEST,
    **_FREE,
    "dot": partial(reductions.contraction, np.dot),
    "copy": copied,
    "astype": copied,
    "reshape": making.reshaped,
    "ravel": making.raveled,
    "flatten": making.flattened,
    "transpose": making.transposed,
    "fill": making.filled_in,
    "clip": clip,
    "cumsum": partial(running, np.cumsum, "add"),
    "cumprod": partial(running, np.cumprod, "mul"),
}

__all__ = [
    "FUNCTIONS",
    "METHODS",
    "assign",
    "augment",
    "binary",
    "elementwise_call",
    "gather",
    "matmul",
    "scatter",
    "unary",
    "written",
]

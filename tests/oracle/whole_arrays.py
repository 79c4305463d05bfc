"""Which whole-array operation a NumPy function or an array method is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.oracle import creation, reductions
from tests.oracle.creation import copied, written
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
    np.zeros: partial(creation.filled, np.zeros, True),
    np.ones: partial(creation.filled, np.ones, True),
    np.full: partial(creation.filled, np.full, True),
    np.empty: partial(creation.filled, np.empty, False),
    np.zeros_like: partial(creation.filled, np.zeros_like, True),
    np.ones_like: partial(creation.filled, np.ones_like, True),
    np.full_like: partial(creation.filled, np.full_like, True),
    np.empty_like: partial(creation.filled, np.empty_like, False),
    np.eye: partial(creation.filled, np.eye, True),
    np.linspace: creation.spaced,
    np.arange: partial(creation.filled, np.arange, True),
    np.array: creation.made,
    np.asarray: creation.as_array,
    np.asanyarray: creation.as_array,
    np.ascontiguousarray: creation.contiguous,
    np.asfortranarray: partial(creation.as_array, order="F"),
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
    np.median: partial(reduction, np.median, NOTHING, NOTHING, 1),
    np.sort: partial(creation.rearranged, np.sort),
    np.argsort: partial(creation.rearranged, np.argsort),
    np.cumsum: partial(running, np.cumsum, "add"),
    np.cumprod: partial(running, np.cumprod, "mul"),
    np.diff: reductions.differences,
    np.where: select,
    np.clip: clip,
    np.concatenate: partial(creation.joined, np.concatenate),
    **{f: partial(creation.joined, f) for f in (np.stack, np.hstack, np.vstack, np.column_stack)},
    np.roll: partial(creation.rearranged, np.roll),
    np.repeat: partial(creation.rearranged, np.repeat),
    np.tile: partial(creation.rearranged, np.tile),
    np.take: partial(creation.rearranged, np.take),
    np.triu: partial(creation.rearranged, np.triu),
    np.tril: partial(creation.rearranged, np.tril),
    np.split: creation.split,
    np.identity: partial(creation.filled, np.identity, True),
    np.tri: partial(creation.filled, np.tri, True),
    np.tensordot: reductions.tensordot,
    np.reshape: creation.reshaped,
    np.ravel: creation.raveled,
    np.transpose: creation.transposed,
    np.swapaxes: creation.swapped,
    np.expand_dims: creation.widened,
    np.flip: creation.flipped,
    np.lib.stride_tricks.sliding_window_view: creation.sliding,
    np.einsum: reductions.einsum,
    np.ndarray: partial(creation.filled, np.empty, False),
    np.recarray: partial(creation.filled, np.empty, False),
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
    "reshape": creation.reshaped,
    "ravel": creation.raveled,
    "flatten": creation.flattened,
    "transpose": creation.transposed,
    "swapaxes": creation.swapped,
    "fill": creation.filled_in,
    "view": creation.viewed,
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

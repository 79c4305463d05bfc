"""The table of library functions: the rows of all chapters, by the last name of a function.

A function of ``numpy``, ``math``, SciPy and their like follows the rule of its row wherever it stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.parse.lowering.numpy.calculus import CALCULUS
from roofscan.parse.lowering.numpy.contractions import CONTRACTIONS
from roofscan.parse.lowering.numpy.creation import CREATION
from roofscan.parse.lowering.numpy.einsum import EINSUM
from roofscan.parse.lowering.numpy.fourier import FOURIER
from roofscan.parse.lowering.numpy.indexing import INDEXING
from roofscan.parse.lowering.numpy.inspection import INSPECTION
from roofscan.parse.lowering.numpy.joining import JOINING
from roofscan.parse.lowering.numpy.linear_algebra import LINEAR_ALGEBRA
from roofscan.parse.lowering.numpy.manipulation import MANIPULATION
from roofscan.parse.lowering.numpy.reductions import REDUCTIONS
from roofscan.parse.lowering.numpy.rule import NumpyRule
from roofscan.parse.lowering.numpy.sorting import SORTING
from roofscan.parse.lowering.numpy.statistics import STATISTICS
from roofscan.parse.lowering.numpy.ufunc_methods import CHOICES
from roofscan.parse.lowering.numpy.ufuncs import UFUNCS

CHAPTERS: tuple[Mapping[str, NumpyRule], ...] = (
    UFUNCS, CHOICES, REDUCTIONS, CONTRACTIONS, EINSUM, CREATION, MANIPULATION, JOINING, INDEXING, CALCULUS, STATISTICS,
    LINEAR_ALGEBRA, FOURIER, SORTING, INSPECTION,
)  # fmt: skip

TABLE: dict[str, NumpyRule] = {name: rule for chapter in CHAPTERS for name, rule in chapter.items()}

MOVERS = frozenset(name for name, rule in TABLE.items() if rule.moves_only)
"""Functions that compute nothing, in whatever form they are called."""

ARRAY_METHODS = frozenset({
    "reshape", "ravel", "flatten", "transpose", "swapaxes", "squeeze", "dot", "clip", "copy", "conj", "conjugate",
    "round", "diagonal", "trace", "repeat", "take", "argsort", "argpartition", "searchsorted", "nonzero", "compress",
    "choose", *(name for name, rule in TABLE.items() if rule.is_method),
})  # fmt: skip
"""Functions that are methods of arrays, too."""

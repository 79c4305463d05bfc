"""Names of NumPy and Python that need no rule: constants, packages, and calls that do no numerical work."""

from __future__ import annotations

import math

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "euler_gamma": 0.5772156649015329,
             "tau": math.tau, "PINF": math.inf, "NINF": -math.inf, "Inf": math.inf, "NaN": math.nan}  # fmt: skip

NUMERIC_PACKAGES = frozenset({"numpy", "math", "cmath", "cupy", "cupyx", "scipy", "jax", "operator", "builtins"})
"""The packages whose functions the table knows."""

FREE = frozenset({
    "print", "isinstance", "str", "repr", "format", "seed", "set_num_threads", "get_num_threads", "get_thread_id",
    "ValueError", "IndexError", "TypeError", "RuntimeError", "Exception", "errstate", "warn", "type", "id", "hash",
    "literally", "literal_unroll", "set_parallel_chunksize", "NotImplementedError", "ZeroDivisionError", "issubdtype",
    "finfo", "iinfo", "may_share_memory", "shares_memory", "isscalar", "to_fixed_tuple", "_assert", "AssertionError",
    "seterr", "block_until_ready", "set_printoptions", "hasattr", "callable",
})  # fmt: skip
"""Calls that do no numerical work."""

INTEGER_FUNCTIONS = frozenset({"factorial", "gcd", "lcm", "comb", "perm", "isqrt"})
"""Functions of the module math that give an integer for integers."""

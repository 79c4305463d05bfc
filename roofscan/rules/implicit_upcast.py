"""RFL401: float32 data are promoted to float64 implicitly."""

from __future__ import annotations

from roofscan.rules.conditions import may_be_widened
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import advised

CODE = Code(
    id="RFL401",
    title="float32 data are promoted to float64",
    remedy="float32",
    location="expression",
    meaning="""
        All floating input arrays are float32, but an operation on their elements runs in float64: the other
        operand is an array that was made without a dtype (np.zeros gives float64), or, under Numba, a Python
        float. NumPy treats a Python float as weak and keeps float32; Numba types it as float64. A sum that is
        accumulated in float64 is not reported: it is there for its accuracy.""",
    why="""
        float64 runs at half the speed of float32 and moves twice the bytes. One literal is enough to lose both
        gains of float32.""",
    action="""
        Give arrays a dtype, and under Numba write constants as np.float32(0.5), outside the loop. If float64
        arithmetic is intended, convert the inputs explicitly.""",
    bad="""
        import numpy as np
        from numba import njit

        # roofscan: x=f4[n]
        @njit
        def halves(x):
            y = np.zeros(len(x))
            for i in range(len(x)):
                y[i] = 0.5 * x[i]
            return y
        """,
    good="""
        import numpy as np
        from numba import njit

        # roofscan: x=f4[n]
        @njit
        def halves(x):
            half = np.float32(0.5)
            y = np.zeros(len(x), dtype=np.float32)
            for i in range(len(x)):
                y[i] = half * x[i]
            return y
        """,
)

may_apply = may_be_widened
find = advised(CODE.id)

"""RFL524: an accumulator in an array element is stored and loaded again in each iteration."""

from __future__ import annotations

from roofscan.advice.loop_code import CodeChange, register_sums, stores_in_place
from roofscan.cost.recurrences import has_reloads
from roofscan.ir.kernel import Kernel
from roofscan.ir.visitor import accesses
from roofscan.remedy import Remedy, do
from roofscan.rules.faster_code import element, faster, may_be_faster, over
from roofscan.rules.rule import Code

CODE = Code(
    id="RFL524",
    title="an accumulator in an array element is loaded again in each iteration",
    remedy="a scalar",
    location="loop",
    meaning="""
        The loop adds to one element of an array and also stores elsewhere. The compiler must assume that the other
        store may change the element, so each iteration stores it, and the next one waits to load it again.""",
    why="""
        Measured under Numba 0.68: row sums beside another store take 5.3 to 6.4 times as long as with a scalar, two
        sums in two arrays 5.2 to 6.0 times; under fastmath, where a scalar sum is vectorized, 19 to 67 times. A loop
        without another store keeps the element in a register (1.0 to 1.1 times).""",
    action="""
        Add up in a scalar variable, and store it after the loop.""",
    bad="""
        from numba import njit

        @njit
        def scaled(x, y, total):
            for i in range(len(x)):
                total[0] += x[i]
                y[i] = 2.0 * x[i]
        """,
    good="""
        from numba import njit

        @njit
        def scaled(x, y, total):
            s = total[0]
            for i in range(len(x)):
                s += x[i]
                y[i] = 2.0 * x[i]
            total[0] = s
        """,
)


def _words(kernel: Kernel, change: CodeChange) -> tuple[Remedy, str]:
    loop = change.loops[0]
    read = {a.array for a in accesses(loop.body) if not a.write}
    stores = [store for array in sorted(read) if (store := stores_in_place(loop, array))]
    sums = " and ".join(element(kernel, store) for store in stores[:2])
    return do("add", f"up {sums} in a scalar, stored after {over(change)}"), "each iteration loads it again"


may_apply = may_be_faster(register_sums, has_reloads)
find = faster(CODE.id, register_sums, _words)

"""Kernels that once were counted wrongly and called exact: scoping, exits, arms, negative slices."""

from __future__ import annotations

import ast

import pytest

from tests.oracle import run
from tests.oracle.analysis import analyzed, counted
from tests.oracle.words import read_words

HEAD = "import math\nimport numpy as np\nfrom numba import njit\n\n"

EXACT = {
    "a name picks an array": ("n=3 x=f8[9] y=f8[4] | n=7 x=f8[9] y=f8[4]", """
@njit
def kernel(x, y, n):
    if n > 4:
        z = x
    else:
        z = y
    s = 0.0
    for i in range(len(z)):
        s += z[i]
    for v in x if n > 4 else y:
        s *= v
    return s
"""),
    "an assertion works": ("n=6 x=f8[9]", """
@njit
def kernel(x, n):
    assert x.sum() > 0.0 and n > 2, "x"
    s = 0.0
    for i in range(n):
        assert x[i] * 2.0 > 0.0
        s += x[i]
    return s
"""),
    "a finally after a return": ("x=f8[9]", """
def kernel(x):
    s = 0.0
    try:
        s += x[0]
        return s
    finally:
        s -= 1.0
    return s * s
"""),
    "an and that is kept": ("n=7 x=f8[9]", """
@njit
def kernel(x, n):
    s = 0
    for i in range(n):
        b = i > 3 and x[i] * x[i] > 0.0
        s += b
    return s
"""),
    "a default of the callee's file": ("n=5 x=f8[9]", """
K = 2

@njit
def helper(x, k=K):
    s = 0.0
    for i in range(k):
        s += x[i]
    return s

@njit
def kernel(x, n):
    K = 4
    return helper(x) * K
"""),
    "a default of the moment": ("n=5 x=f8[9]", """
def kernel(x, n):
    k = 2
    f = lambda v, k=k: x[k] * v
    g = lambda v: [v * 2.0 for i in range(k)]
    m = 1
    def h():
        t = 0.0
        for i in range(m):
            t += x[i]
        return t
    k, m = 5, n
    return f(1.0) + h()
"""),
    "Python's sum of a list": ("n=4 x=f8[9]", """
def kernel(x, n):
    s = 0.0
    for i in range(n):
        s += sum([x[i], 1.0])
    return s
"""),
    "a slice from a negative number": ("n=3 x=f8[8] | n=-2 x=f8[8] | n=0 x=f8[8]", """
def kernel(x, n):
    s = 0.0
    for v in x[n:]:
        s += v
    for v in x[:n]:
        s *= v
    for v in x[-n:]:
        s -= v
    return s
"""),
    "zip reads one item more of the longer": ("x=f8[5] y=f8[3] | x=f8[3] y=f8[5] | x=f8[4] y=f8[4]", """
@njit
def kernel(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s
"""),
    "numbers into a slice": ("x=f8[9]", """
@njit
def kernel(x):
    x[2:4] = x[0] * 2.0, x[1]
    x[5:7] = 1.0
    return x[2]
"""),
    "unsigned numbers stay whole": ("n=5 x=u8[9]", """
U = np.uint64

@njit
def kernel(x, n):
    s = U(3)
    for i in range(n):
        s = (s ^ (s >> U(30))) * U(7) + U(1)
        s += x[i] ^ s
    return s
"""),
    "a row of another length": ("A=f8[4,5]", """
@njit
def kernel(A):
    s = 0.0
    for row in A:
        s += row.sum()
    for row in A.T:
        s *= row.sum()
    return s
"""),
}  # fmt: skip

NOT_EXACT = {
    "the else of a loop with a break": ("parametric", "n=6 x=f8[9]", """
@njit
def kernel(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            s += x[j]
        else:
            s *= 2.0
    return s
"""),
    "work behind a loop that returns": ("parametric", "n=6 x=f8[9]", """
@njit
def kernel(x, n):
    for i in range(n):
        if x[i] > 2.0:
            return 0.0
    return x[0] * x[1]
"""),
    "a list by another name": ("parametric", "n=4 x=f8[9]", """
@njit
def kernel(x, n):
    items = [1.0]
    same = items
    for i in range(n):
        same.append(x[i] * 2.0)
    s = 0.0
    for v in items:
        s += v
    return s
"""),
    "a list inside a tuple": ("parametric", "n=4 x=f8[9]", """
def grow(values):
    values.append(1.0)

def kernel(x, n):
    items = [1.0, 2.0]
    both = (items, n)
    grow(both[0])
    s = 0.0
    for v in items:
        s += v * 2.0
    return s
"""),
    "the variable of a loop that may not run": ("parametric", "m=3 n=2 x=f8[9]", """
@njit
def kernel(x, n, m):
    i = m
    for i in range(n):
        x[i] = 1.0
    s = 0.0
    for j in range(i):
        s += x[j]
    return s
"""),
    "a counter behind a loop that breaks": ("parametric", "n=4 x=f8[9]", """
@njit
def kernel(x, n):
    k = -1
    for i in range(n):
        while k >= 0:
            if x[k] * 2.0 > 0.0:
                break
            k -= 1
        k += 1
    if k < 0:
        return 0.0
    s = 0.0
    for i in range(n):
        s += x[i]
    return s
"""),
    "a chain of comparisons that stops": ("parametric", "n=6 x=f8[9]", """
@njit
def kernel(x, n):
    s = 0.0
    for i in range(n):
        if 1.0 < x[i] < x[0] * 3.0:
            s += 1.0
    return s
"""),
    "whole at first, floating later": ("bounded", "n=6 x=f8[9]", """
def kernel(x, n):
    s = 0
    for i in range(n):
        s = s + 1
        if i == 2:
            s = s * 1.5
    return s
"""),
    "a function by the index": ("parametric", "n=5 x=f8[9]", """
def square(v):
    return v * v

def cube(v):
    return v * v * v

def kernel(x, n):
    s = 0.0
    for i in range(n):
        f = square if i < 2 else cube
        s += f(x[i])
    return s
"""),
    "a function that a turn replaces": ("unsupported", "n=5 x=f8[9]", """
def square(v):
    return v * v

def cube(v):
    return v * v * v

def kernel(x, n):
    f = square
    s = 0.0
    for i in range(n):
        s += f(x[i])
        f = cube
    return s
"""),
    "a nonlocal counter": ("unsupported", "n=4 x=f8[9]", """
def kernel(x, n):
    m = 0
    def bump():
        nonlocal m
        m += 1
        return 1.0
    s = 0.0
    for i in range(n):
        s += bump()
        for j in range(m):
            s += x[j]
    return s
"""),
    "a raise that is caught": ("unsupported", "n=6 x=f8[9]", """
def kernel(x, n):
    s = 0.0
    try:
        for i in range(n):
            s += x[i]
            if i == 3:
                raise ValueError
    except ValueError:
        s *= 2.0
    return s
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_exact_is_what_the_run_does(name: str) -> None:
    lines, source = EXACT[name]
    for line in lines.split("|"):
        words = read_words(line, _parameters(source))
        trace = run(HEAD + source, "kernel", words.arguments)
        analysis = counted(HEAD + source, "kernel", words.bind)
        assert analysis.cost.status == "exact"
        assert analysis.by_class(words.symbols) == trace.by_class
        every = trace.cache(0).total
        if analysis.cost.registers.status == "exact":
            assert analysis.moved(analysis.cost.registers, words.symbols) == (every.load, every.fill, every.writeback)


@pytest.mark.parametrize("name", NOT_EXACT)
def test_what_the_model_cannot_say_is_not_exact(name: str) -> None:
    status, lines, source = NOT_EXACT[name]
    for line in lines.split("|"):
        words = read_words(line, _parameters(source))
        assert run(HEAD + source, "kernel", words.arguments).operations
        assert counted(HEAD + source, "kernel", words.bind).cost.status == status


def test_an_array_that_shrinks_from_turn_to_turn_is_an_upper_bound() -> None:
    source = (
        HEAD
        + """
@njit
def kernel(x, n):
    s = 0.0
    for k in range(n):
        for i in range(len(x)):
            s += x[i]
        x = x[1:]
    return s
"""
    )
    words = read_words("n=3 x=f8[9]", ("x", "n"))
    analysis = counted(source, "kernel", words.bind)
    assert {reason.effect for reason in analysis.kernel.reasons} == {"upper"}
    assert analysis.flops(words.symbols) > run(source, "kernel", words.arguments).flops


def test_the_operand_of_a_chain_counts_where_the_chain_gets_to_it() -> None:
    source = (
        HEAD
        + """
@njit
def kernel(x, a, w):
    for i in range(len(x)):
        if a <= x[i] <= a + w:
            x[i] = 2.0 * a
"""
    )
    shares = {s.name: s.meaning for s in counted(source, "kernel", "").kernel.symbols if s.kind == "share"}
    flops = counted(source, "kernel", "").cost.flops
    assert len(flops.symbols & shares.keys()) == 2
    assert any("`a <= x[i]`" in meaning for meaning in shares.values())


def test_work_behind_a_counter_of_a_loop_that_breaks_is_not_lost() -> None:
    status, line, source = NOT_EXACT["a counter behind a loop that breaks"]
    analysis = counted(HEAD + source, "kernel", "")
    assert analysis.cost.flops.evaluate({**analysis.cost.sample_point, "n": 1000}) > 500
    assert (status, line) == ("parametric", "n=4 x=f8[9]")


def test_an_array_of_the_last_turn_is_read_behind_its_loop() -> None:
    source = (
        HEAD
        + """
@njit
def kernel(x, n):
    for i in range(n):
        y = x * 2.0
    s = 0.0
    for v in y:
        s += v
    return s
"""
    )
    words = read_words("n=5 x=f8[64]", ("x", "n"))
    reuse = analyzed(source, "kernel", words.bind).cost.reuse
    trace = run(source, "kernel", words.arguments)
    assert reuse is not None
    for capacity in (2048, 1 << 40):
        truth = trace.cache(capacity).total
        total = reuse.traffic(capacity).total
        said = tuple(e.evaluate(words.symbols) for e in (total.load, total.fill, total.writeback))
        assert said == (truth.load, truth.fill, truth.writeback)


def _parameters(source: str) -> tuple[str, ...]:
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return tuple(arg.arg for node in functions if node.name == "kernel" for arg in node.args.args)

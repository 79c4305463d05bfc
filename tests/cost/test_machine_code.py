"""Which loops Numba compiles to vector code: one example a rule, and what each body asks of a core.

Each row is a loop that was timed under Numba 0.68 with data in L1: see `benchmarks.hardware`.
"""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.result import NestCost

HEAD = "import math\nimport numpy as np\nfrom numba import guvectorize, njit, prange\n\n"


def nests(body: str, arguments: str = "x, y, a", decorator: str = "@njit") -> tuple[NestCost, ...]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    report = analyze_source(f"{HEAD}{decorator}\ndef f({arguments}):\n{lines}\n", options=Options(kernels="all"))
    return report.kernels[0].reports[0].cost.nests


def reason(body: str, arguments: str = "x, y, a", decorator: str = "@njit") -> str | None:
    """Why the body with the most executions is scalar."""
    [*_, work] = nests(body, arguments, decorator)[-1].bodies
    return work.scalar_because


LOOP = "for i in range({}):\n    {}"


@pytest.mark.parametrize(
    ("test", "divisor", "expected"),
    [
        ("q < 1e-9", "math.sqrt(q)", None),
        ("q < 1e-9", "q", None),
        ("q != q", "q", "division"),
        ("a < 1e-9", "q", "division"),
    ],
)
def test_a_divisor_that_the_source_compares_is_not_tested(test: str, divisor: str, expected: str | None) -> None:
    """Timed on Zen 4: with error_model="numpy" 1.0 times as fast below ``q < 1e-9``, 4.1 times below a test for NaN."""
    body = (
        f"for i in range(x.shape[0]):\n    q = abs(y[i])\n    if {test}:\n        continue\n    x[i] = x[i] / {divisor}"
    )
    assert reason(body) == expected


@pytest.mark.parametrize(
    ("bounds", "statement", "expected"),
    [
        ("x.shape[0]", "y[i] = a * x[i]", None),
        ("1, x.shape[0] - 1", "y[i] = x[i - 1] + x[i + 1]", None),
        ("2, x.shape[0] - 2", "y[i] = x[i - 2] + x[i + 2]", "index test"),
        ("a, x.shape[0]", "y[i] = x[i]", "index test"),
        ("x.shape[0] - 1, -1, -1", "y[i] = 2.0 * x[i]", None),
        ("x.shape[0] // 2", "y[i] = x[2 * i] + x[2 * i + 1]", None),
        ("0, x.shape[0], 5", "y[i] = 2.0 * x[i]", "stride"),
        ("x.shape[0]", "y[i] = 1.5 / x[i]", "division"),
        ("x.shape[0]", "y[i] = x[i] / 1.5", None),
        ("x.shape[0]", "y[i] = x[i] / a", None),
        ("x.shape[0]", "y[i] = math.exp(x[i])", "function"),
        ("x.shape[0]", "y[i] = math.sqrt(x[i])", None),
        ("1, x.shape[0]", "y[i] = y[i - 1] + x[i]", "chain"),
        ("x.shape[0]", "y[i] = min(x[i], a)", None),
    ],
)
def test_the_reason_for_scalar_code(bounds: str, statement: str, expected: str | None) -> None:
    assert reason(LOOP.format(bounds, statement)) == expected


@pytest.mark.parametrize(
    ("start", "statement", "expected"),
    [
        ("r = p[i]", "B[i, j] = 2.0 * A[r, j]", None),
        ("row = B[p[i]]", "row[j] += A[i, j]", None),
        ("r = i", "B[r, j] = 2.0 * A[p[i], j]", "gather"),  # a store may change p[i]
        ("r = p[i]", "B[j, i] = 2.0 * A[j, r]", "stride"),
        ("r = p[i]", "B[i, j] = A[r, p[j]]", "gather"),
    ],
)
def test_rows_that_data_choose_are_walked(start: str, statement: str, expected: str | None) -> None:
    body = f"for i in range(len(p)):\n    {start}\n    for j in range(A.shape[1]):\n        {statement}"
    assert reason(body, "A, B, p") == expected


@pytest.mark.parametrize(
    ("statement", "operations", "scatters"),
    [
        ("y[i] *= 2.0", 3, False),
        ("y[i] += a * x[i]", 4, False),
        ("y[i] = x[i]", 4, True),
        ("A[i, a] *= 2.0", 8, False),
        ("A[i, a] = B[a, i]", 9, False),
        ("y[i] = 2.0 * x[a - i] + y[i]", 9, False),  # x's falls as i rises
    ],
)
def test_what_a_test_of_subscripts_takes(statement: str, operations: int, scatters: bool) -> None:
    """Measured on Zen 5: 1.0, 1.5, 2.1, 1.5 and 2.0 cycles an iteration."""
    [nest] = nests(LOOP.format("a, x.shape[0]", statement), "x, y, A, B, a")
    [work] = nest.bodies
    assert (work.test_operations, work.gathered > 0) == (operations, scatters)


@pytest.mark.parametrize(
    ("statement", "operations"),
    [
        ("y[i] = x[idx[i]]", 3),
        ("y[i] = x[idx[i]] + x[idx[i] + 1]", 6),
        ("y[idx[i]] = z[idx[i]]", 4),  # one test of the sign, two arrays
        ("y[i] = A[idx[i], 0]", 8),  # whose address is multiplied out
    ],
)
def test_what_a_test_of_a_subscript_from_data_takes(statement: str, operations: int) -> None:
    """Counted in the machine code of Numba 0.68; `lookup_scale` of `benchmarks.hardware` took 1.6 times as long as
    without."""
    [nest] = nests(LOOP.format("x.shape[0]", statement), "x, y, z, A, idx")
    assert nest.bodies[-1].test_operations == operations


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("math.exp(a)", None),
        ("np.tanh(a)", None),
        ("math.tan(a)", None),
        ("math.hypot(a, 2.0)", "function"),
        ("math.exp(x[i])", "function"),
    ],
)
def test_calls_that_no_iteration_changes_are_made_once(call: str, expected: str | None) -> None:
    """Timed under Numba 0.68: hypot alone is called in each."""
    [nest] = nests(LOOP.format("x.shape[0]", f"y[i] = x[i] * {call}"))
    [work] = nest.bodies
    assert work.scalar_because == expected
    assert bool(work.functions) == (expected is not None)


@pytest.mark.parametrize(
    ("value", "decorator", "called"),
    [
        ("x[i] ** 3", "", False),
        ("x[i] ** 3.0", "", True),
        ("np.power(x[i], 3)", "", True),
        ("x[i] ** -2.0", "", True),
        ("x[i] ** 2.0", "", False),
        ("np.power(x[i], 2)", "", False),
        ("x[i] ** -1.0", "", False),
        ("x[i] ** 0.5", "", False),
        ("x[i] ** 3.0", "(fastmath=True)", False),
        ("x[i] ** 3.0", '(fastmath={"reassoc", "nsz"})', True),
    ],
)
def test_powers_that_compiled_code_calls_a_function_for(value: str, decorator: str, called: bool) -> None:
    """Timed under Numba 0.68 for 10,000 elements: 205 us where pow is called, 2.6 to 14 us elsewhere."""
    [nest] = nests(LOOP.format("x.shape[0]", f"y[i] = {value}"), decorator=f"@njit{decorator}")
    [work] = nest.bodies
    assert bool(work.functions) == called


def test_what_an_unrolled_loop_does_not_change_is_done_once() -> None:
    """`lbm_collide` of `benchmarks.hardware`: one division, not nine."""
    body = "for i in range(x.shape[0]):\n    s = 2.0 * x[i, 0]\n    for q in range(9):\n        y[i, q] = x[i, q] - {}"
    for term, divisions in (("s / 9.0", "x_shape_0"), ("s / x[i, q]", "9*x_shape_0")):
        [nest] = nests(body.format(term))
        counts = [str(n) for work in nest.bodies for (kind, _), n in work.operations.items() if kind == "div"]
        assert counts == [divisions]


@pytest.mark.parametrize(
    ("types", "statement", "conversions", "long", "short"),
    [
        ("x=f8[n] y=f8[n]", "y[i] = 2.0 * x[i]", 0, 0, 0),
        ("x=f4[n] y=f8[n]", "y[i] = 2.0 * x[i]", 1, 0, 0),
        ("x=f4[n] y=f4[n]", "y[i] = 2.0 * x[i]", 2, 0, 0),  # and back, to be stored
        ("x=f4[n] y=f4[n]", "y[i] = x[i] * x[i]", 0, 0, 0),
        ("x=i8[n] y=f8[n]", "y[i] = 2.0 * x[i]", 1, 1, 0),
        ("x=i4[n] y=f8[n]", "y[i] = 2.0 * x[i]", 1, 0, 0),
        ("x=u1[n] y=f8[n]", "y[i] = 2.0 * x[i]", 1, 0, 1),
        ("x=i8[n] y=i8[n]", "y[i] = 2 * x[i]", 0, 0, 0),
    ],
)
def test_numbers_of_another_type_are_converted(
    types: str, statement: str, conversions: int, long: int, short: int
) -> None:
    """`luminance` of `benchmarks.hardware` took 2.5 times as long as without."""
    source = f"{HEAD}@njit\ndef f(x, y):\n    {LOOP.format('x.shape[0]', '    ' + statement)}\n"
    report = analyze_source(source, options=Options(kernels="all", bind=types))
    [work] = report.kernels[0].reports[0].cost.nests[0].bodies
    assert (work.conversions, work.long_conversions, work.short_conversions) == (conversions, long, short)


@pytest.mark.parametrize(
    ("subscript", "operations"),
    [
        ("i", 0),
        ("min(i + a, n - 1)", 3 + 3),  # and the test for a negative one
        ("min(max(i + a, 0), n - 1)", 5 + 3),
        ("min(max(i + a, 0), n - 1) + 0 * max(i + a, 0)", 5 + 3),  # each once
        ("abs(i - a)", 4 + 3),
        ("min(a, n - 1)", 0),  # computed before the loop
    ],
)
def test_what_a_subscript_that_is_kept_inside_takes(subscript: str, operations: int) -> None:
    """Counted in the machine code of Numba 0.68."""
    body = f"n = x.shape[0]\ns = 0.0\nfor i in range(n):\n    s += x[{subscript}]\nreturn s"
    [nest] = nests(body, "x, a")
    assert nest.bodies[-1].test_operations == operations


def test_parallel_loops_divide_as_numpy_does() -> None:
    """Numba compiles their bodies with its error model (``parfor_lowering.py``), whatever the function's is."""
    body = "for i in {}(x.shape[0]):\n    y[i] = 1.5 / x[i]"
    assert reason(body.format("prange"), decorator="@njit(parallel=True)") is None
    assert reason(body.format("range"), decorator="@njit(parallel=True)") == "division"


@pytest.mark.parametrize(
    ("statement", "gathered"),
    [
        ("y[i] = x[idx[i]]", 1),
        ("y[i] = x[idx[i]] + z[idx[i]]", 2),
        ("y[idx[i]] = x[i]", 0),
        ("x[i] = x[idx[i]]", 0),
        ("s += x[idx[i]]", 1),
        ("s += A[i, 3] * x[i]", 1),
        ("s += A[i, j] * x[i]", 0),
        ("s += A[i, 0]", 0),
    ],
)
def test_what_llvm_gathers(statement: str, gathered: int) -> None:
    """Measured on Zen 5: a cycle each; the two last stay in order, and take the latency of the sum."""
    body = f"s = 0.0\nfor j in range(A.shape[1]):\n    for i in range(x.shape[0]):\n        {statement}\nreturn s"
    [nest] = nests(body, "x, y, z, A, idx", decorator="@njit(fastmath=True)")
    assert [work.gathered for work in nest.bodies if work.loop.startswith("i")] == [gathered]


def test_a_sum_is_vector_code_under_fastmath_alone() -> None:
    body = "s = 0.0\nfor i in range(x.shape[0]):\n    s += x[i]\nreturn s"
    assert reason(body) == "chain"
    assert reason(body, decorator="@njit(fastmath=True)") is None


def test_a_view_starts_at_zero() -> None:
    """The same elements through a view have no test for negative subscripts."""
    direct = "for i in range(x.shape[0]):\n    for j in range(i + 1, x.shape[1]):\n        x[i, j] = 2.0 * x[i, j]"
    view = "for i in range(x.shape[0]):\n    r = x[i, i + 1:]\n    for j in range(len(r)):\n        r[j] = 2.0 * r[j]"
    assert reason(direct, "x") == "index test"
    assert reason(view, "x") is None


def test_a_negative_subscript_of_one_sign_has_no_test() -> None:
    assert reason(LOOP.format("1, x.shape[0]", "y[i] = x[-i]")) is None


def test_an_element_of_the_written_row_makes_scalar_code() -> None:
    body = "for i in range(n):\n    for k in range(n):\n        for j in range(n):\n            x[i, j] -= {} * x[k, j]"
    assert reason(body.format("x[i, k]"), "x, n") == "overlap"
    assert reason(body.format("y[i]"), "x, y, n") == "rows"
    assert reason(body.format("y[i]").replace("x[k, j]", "z[k, j]"), "x, y, z, n") is None
    assert reason(body.format("y[i]").replace("x[k, j]", "x[i - 1, j]"), "x, y, n") is None


def test_short_literal_loops_are_unrolled_into_the_loop_around_them() -> None:
    body = (
        "for i in range(1, x.shape[0] - 1):\n    s = 0.0\n    for k in range(3):\n"
        "        s += x[i + k - 1] * y[k]\n    out[i] = s"
    )
    [nest] = nests(body, "x, y, out")
    assert {work.loop for work in nest.bodies} == {nest.bodies[0].loop}
    assert [start.vector for start in nest.starts] == [nest.bodies[0].scalar_because is None]


@pytest.mark.parametrize(
    ("statement", "most"),
    [("y[i] += x[i + k] * w[k]", 40), ("x[i, k] -= 0.5 * y[i, k]", 48), ("s += x[i, k] * w[k]", 48)],
)
def test_longer_literal_loops_are_unrolled_as_far_as_their_code_is_small(statement: str, most: int) -> None:
    """The limits are those of loops compiled under Numba 0.68; ``x[i, k] -= …`` was compiled between 40 and 48."""
    for trips, unrolled in ((24, True), (32, True), (40, True), (most, True), (64, False)):
        body = f"for i in range(n):\n    s = 0.0\n    for k in range({trips}):\n        {statement}\n    z[i] = s"
        [nest] = nests(body, "x, y, z, w, n")
        assert ({work.loop for work in nest.bodies} == {"i#1"}) == unrolled, trips


def test_loads_are_distinct_and_what_the_loop_does_not_move_is_free() -> None:
    body = "for i in range(n):\n    for j in range(1, n - 1):\n        y[i, j] = x[i, j] * x[i, j] + x[i, j - 1] + w[i]"
    [*_, work] = nests(body, "x, y, w, n")[-1].bodies
    assert (work.loads, work.stores, work.load_bytes, work.store_bytes) == (2, 1, 16, 8)


def test_a_loop_is_entered_once_an_iteration_of_the_loop_around_it() -> None:
    body = "for i in range(x.shape[0]):\n    for j in range(i):\n        x[i, j] = 0.0"
    [nest] = nests(body, "x")
    assert [str(start.entries) for start in nest.starts] == ["x_shape_0"]


def test_a_sum_of_rows_runs_once_a_row() -> None:
    body = "for i in range(n):\n    s = 0.0\n    for j in range(m):\n        s += x[i, j]\n    y[i] = s"
    [nest] = nests(body, "x, y, n, m")
    [chain] = nest.chains
    assert str(chain.runs) == "n"


def test_an_accumulator_of_the_whole_array_runs_once() -> None:
    body = "s = 0.0\nfor i in range(n):\n    for j in range(m):\n        s += x[i, j]\nreturn s"
    [nest] = nests(body, "x, n, m")
    [chain] = nest.chains
    assert str(chain.runs) == "1"


@pytest.mark.parametrize(
    ("statements", "reloaded"),
    [
        ("h[i] += x[i, j]", False),  # stays in a register, and is stored in each iteration
        ("h[i] += x[i, j]\n        y[i, j] = x[i, j]", True),
        ("h[i] += x[i, j]\n        g[i] += x[i, j] * x[i, j]", True),
        ("h[i] += x[i, j]\n        h[j] -= x[i, j]", True),
        ("y[i, 0] += x[i, j]\n        y[i, 1] += x[j, i]", False),  # two places that LLVM tells apart
        ("h[j] = 0.5 * h[j - 1]\n        g[j] = h[j]", False),  # moves on
        ("if i != j:\n            h[i] += x[i, j]", True),  # LLVM stores only what the source stores
        ("if x[i, j] > 0.0:\n            h[i] += x[i, j]", True),
    ],
)
def test_an_accumulator_is_loaded_again_where_another_store_may_change_it(statements: str, reloaded: bool) -> None:
    """Measured: 0.7 ns an iteration where it stays in a register, 2.4 ns where it is loaded again; under a test of
    loop variables 2.9 ns on Zen 4, 0.5 with a scalar."""
    body = f"for i in range(n):\n    for j in range(1, n):\n        {statements}"
    [nest] = nests(body, "x, y, g, h, n")
    assert any(chain.reloaded for chain in nest.chains) is reloaded
    [fast] = nests(body, "x, y, g, h, n", "@njit(fastmath=True)")
    assert not any(chain.reloaded and chain.reorderable for chain in fast.chains)


@pytest.mark.parametrize(
    ("before", "reloaded"),
    [
        ("h[i] = 0.0", False),
        ("y[i] = 1.0\n    h[i] = 0.0", False),
        ("h[i] = 0.0\n    y[i] = 1.0", True),  # y may be h
        ("h[i] = 0.0\n    h[i + 1] = 1.0", False),
        ("h[i] = 0.0\n    for k in range(n):\n        if x[k, i] > 0.0:\n            h[i] += x[k, i]", False),
        ("h[i] = 0.0\n    for k in range(n):\n        g[k] = x[k, i]", True),
        ("if x[i, 0] > 0.0:\n        h[i] = 0.0", True),
    ],
)
@pytest.mark.parametrize("test", ["if x[i, j] > 0.0", "if i - j >= 1"])
def test_a_guarded_sum_stays_in_a_register_where_its_element_was_just_stored(
    before: str, reloaded: bool, test: str
) -> None:
    """Measured on Cascade Lake: 1.3 ns an iteration as with a scalar, 3.6 without the store; ``fastmath`` gains
    nothing (1.01), for the sum stays in memory."""
    body = f"for i in range(n):\n    {before}\n    for j in range(1, n):\n        {test}:\n            h[i] += x[i, j]"
    for decorator in ("@njit", "@njit(fastmath=True)"):
        [nest] = nests(body, "x, y, g, h, n", decorator)
        chain = nest.chains[-1]
        assert (chain.reloaded, chain.reorderable) == (reloaded, False)
        assert chain.reduction is reloaded


def test_the_arrays_of_a_parallel_loop_do_not_overlap() -> None:
    """Measured: 0.54 ns an iteration, as with a scalar."""
    body = "for i in prange(n):\n    for j in range(n):\n        h[i] += x[i, j]\n        {}[i, j] = 2.0 * x[i, j]"
    for array, reloaded in (("y", False), ("h", True)):
        [nest] = nests(body.format(array).replace("h[i] ", "h[i, 0] "), "x, y, h, n", "@njit(parallel=True)")
        assert any(chain.reloaded for chain in nest.chains) is reloaded


def test_ufuncs_divide_under_the_error_model_of_numpy() -> None:
    body = "for i in range(x.shape[0]):\n    y[i] = 1.5 / x[i]"
    assert reason(body, "x, y", "@njit") == "division"
    assert reason(body, "x, y", "@guvectorize(['(f8[::1], f8[::1])'], '(n)->(n)')") is None


def test_all_reasons_for_scalar_code_are_known() -> None:
    body = "for i in range(n):\n    for j in range(i + 1, n):\n        x[i, j] -= x[i, i] / y[j]"
    assert nests(body, "x, y, n")[0].bodies[0].scalar_reasons == ("overlap", "division", "index test")


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("y[i] = x[i] * (a / b**2)", {"mul"}),
        ("y[i] = x[i] * (a / b + math.sqrt(a))", {"mul"}),
        ("y[i] = x[i] / b", {"div"}),
        ("y[i] = x[i] * (a / i)", {"mul", "div"}),
        ("y[i] = x[i] + a / x[0]", {"add", "div"}),  # a store may change x[0]
    ],
)
def test_llvm_takes_arithmetic_out_of_loops_that_they_do_not_change(statement: str, left: set[str]) -> None:
    """Measured: a line of Burgers' equation with nu * dt / dx**2 takes one division an element, not two."""
    [nest] = nests(f"for i in range(1, x.shape[0]):\n    {statement}", "x, y, a, b")
    [work] = nest.bodies
    assert {kind for kind, _ in work.operations} == left


STEP = """for i in range(x.shape[0]):
    z = 0.0
    for j in range(x.shape[1]):
        z += x[i, j] * w[j]
    for j in range(x.shape[1]):
        {}"""


@pytest.mark.parametrize(
    ("statement", "serial"),
    [
        ("w[j] -= a * z * x[i, j]", True),
        ("w[j] -= a * x[i, j]", False),  # the sum before may still run
        ("g[j] -= z * x[i, j]", False),
        ("x[i, j] -= z", False),
    ],
)
def test_sums_that_correct_what_the_next_one_reads_are_one_chain(statement: str, serial: bool) -> None:
    """Measured: 48 ns a sample of 60 weights that each sample corrects, where sums side by side take 21."""
    [nest] = nests(STEP.format(statement), "x, w, g, a")
    [runs] = {str(chain.runs) for chain in nest.chains}
    assert (runs == "1") is serial


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("y[i] = x[i] * np.float32(0.5)", 0),
        ("y[i] = x[i] * 0.5 + 0.25", 2),  # x to double, and the sum back: 1.8 times as long in L1
        ("y[i] = x[i] * z[i] + 0.5", 2),  # the product to double
        ("z[i] = x[i]", 0),
        ("y[i] = y[i] + w[i]", 2),
        ("w[i] = x[i] + k[i]", 2),  # an integer makes it double
    ],
)
def test_numbers_of_two_precisions_are_converted(statement: str, count: int) -> None:
    """Measured, 4,000 elements of ``y[i] = a * x[i] + b * y[i]``: 0.67 µs in single precision, 1.51 µs with three
    conversions."""
    types = "# roofscan: x=f4[n] y=f4[n] z=f4[n] w=f8[n] k=i8[n]\n"
    body = LOOP.format("x.shape[0]", statement)
    [*_, work] = nests(body, "x, y, z, w, k", f"{types}@njit")[-1].bodies
    assert work.conversions == count


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ('@njit("void(f8[:], f8[:])")', "stride"),
        ('@njit("void(f8[::1], f8[::1])")', None),
        ('@njit("void(f8[::1], f8[:])")', "stride"),
        ('@njit(["void(f8[::1], f8[::1])", "void(f8[:], f8[:])"])', None),  # Numba takes the closest
        ("@guvectorize(['(f8[:], f8[:])'], '(n)->(n)')", "stride"),
        ("@njit", None),
    ],
)
def test_a_signature_that_allows_any_strides_keeps_loops_scalar(decorator: str, expected: str | None) -> None:
    """Measured, 10,000 elements: 2.55 times as long as with ``f8[::1]``; a sum gains nothing by fastmath."""
    assert reason("for i in range(x.shape[0]):\n    y[i] = 0.5 * x[i] + 2.0", "x, y", decorator) == expected


def test_annotations_allow_no_strides() -> None:
    """Numba ignores them, and compiles for the arrays that are passed."""
    assert reason("for i in range(x.shape[0]):\n    y[i] = 0.5 * x[i]", "x: 'f8[:]', y: 'f8[:]'") is None

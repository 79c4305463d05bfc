"""Loops that Numba compiles, one or more a rule of `machine_code`. The comment above each says what LLVM makes of it:
``# vector``, or ``# scalar: REASON`` (the first that the rules find). ``; known: WHY`` marks where they err. The data
of a row lie in L1; ``x``, ``y`` and ``z`` have N elements, ``A``, ``B`` and ``C`` are M by M."""

import math

import numpy as np
from numba import njit, vectorize

N, M = 1800, 160


# vector
@njit
def scaled(x, y, a):
    for i in range(x.shape[0]):
        y[i] = a * x[i]


# vector
@njit
def neighbours(x, y):
    for i in range(1, x.shape[0] - 1):
        y[i] = x[i - 1] + x[i + 1]


# scalar: index test
@njit
def starts_at_two(x, y):
    for i in range(2, x.shape[0] - 2):
        y[i] = x[i - 2] + x[i + 2]


# vector
@njit
def starts_at_two_after_an_array(x, y):
    t = np.zeros(x.shape[0])
    for i in range(2, x.shape[0] - 2):
        t[i] = x[i - 2] + x[i + 2]
    y[0] = t[2]


# vector
@njit
def starts_at_two_after_a_copy_in_rows(A, B):
    t = A[0].copy()
    for k in range(A.shape[0]):
        for j in range(2, A.shape[1]):
            B[k, j] = t[j] * A[k, j - 2]


# vector
@njit
def starts_at_three_after_a_test(x, y):
    n = len(x)
    if n < 12:
        return
    for i in range(3, n):
        y[i] = x[i] - x[i - 3]


# scalar: index test
@njit
def starts_at_two_after_a_result(x, y):
    n = len(x)
    t = 2.0 * x
    for i in range(2, n):
        y[i] = t[i] - x[i - 2]


# scalar: index test
@njit
def starts_at_two_after_an_array_of_another_size(x, y, k):
    t = np.zeros(k)
    for i in range(2, len(x)):
        y[i] = x[i] - x[i - 2]
    y[0] = t[0]


# scalar: index test
@njit
def starts_at_a_size_after_an_array(x, y, k):
    n = len(x)
    t = np.zeros(n)
    for i in range(k, n):
        t[i] = x[i] - x[i - k]
    y[0] = t[0]


# scalar: index test
@njit
def backwards_from_the_end(x, y):
    for i in range(x.shape[0]):
        y[i] = 2.0 * x[x.shape[0] - 1 - i]


# scalar: index test
@njit
def starts_at_a_symbol(x, y, k):
    for i in range(k, x.shape[0]):
        y[i] = 2.0 * x[i]


# vector
@njit
def shifted(x, y):
    for i in range(x.shape[0] - 4):
        y[i + 2] = x[i] + x[i + 4]


# vector
@njit
def downwards(x, y):
    for i in range(x.shape[0] - 1, -1, -1):
        y[i] = 2.0 * x[i]


# scalar: index test
@njit
def downwards_in_rows(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1] - 1, -1, -1):
            B[i, j] = 2.0 * A[i, j]


# scalar: index test
@njit
def upper_triangle(A, B):
    for i in range(A.shape[0]):
        for j in range(i + 1, A.shape[1]):
            B[i, j] = 2.0 * A[i, j]


# vector
@njit
def upper_triangle_from_zero(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1] - i - 1):
            B[i, i + j + 1] = 2.0 * A[i, i + j + 1]


# vector
@njit
def lower_rows_from_zero(A, B):
    for k in range(1, A.shape[0]):
        for i in range(k + 1, A.shape[0]):
            for j in range(A.shape[1] - k - 1):
                B[i, j + k + 1] -= 0.5 * A[k, j + k + 1]


# scalar: index test
@njit
def blocks_from_zero(A, B):
    for i in range(A.shape[0]):
        for jj in range(0, A.shape[1], 40):
            for j in range(min(jj + 40, A.shape[1]) - jj):
                B[i, jj + j] = 2.0 * A[i, jj + j]


# vector
@njit
def upper_triangle_by_views(A, B):
    for i in range(A.shape[0]):
        a = A[i, i + 1 :]
        b = B[i, i + 1 :]
        for j in range(len(a)):
            b[j] = 2.0 * a[j]


# vector
@njit
def lower_triangle(A, B):
    for i in range(A.shape[0]):
        for j in range(i):
            B[i, j] = 2.0 * A[i, j]


# vector
@njit
def halved(x, y):
    for i in range(x.shape[0] // 2):
        y[i] = x[2 * i] + x[2 * i + 1]


# scalar: stride
@njit
def every_second(x):
    for i in range(0, x.shape[0], 2):
        x[i] = 2.0 * x[i]


# scalar: stride
@njit
def down_columns(A, B):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            B[i, j] = 2.0 * A[i, j]


# scalar: gather
@njit
def by_places(x, y, places):
    for i in range(x.shape[0]):
        y[i] = x[places[i]]


# vector
@njit
def rows_by_places(A, B, rows):
    for i in range(A.shape[0]):
        r = rows[i]
        for j in range(A.shape[1]):
            B[i, j] = 2.0 * A[r, j]


# vector
@njit
def into_rows_by_places(A, B, rows):
    for i in range(A.shape[0]):
        row = B[rows[i]]
        for j in range(A.shape[1]):
            row[j] += A[i, j]


# vector
@njit(fastmath={"reassoc", "nsz"})
def sums_of_rows_by_places(A, rows):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[rows[i], j]
    return s


# scalar: gather
@njit
def rows_by_places_read_again(A, B, rows):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = 2.0 * A[rows[i], j]


# scalar: stride
@njit
def columns_by_places(A, B, rows):
    for j in range(A.shape[1]):
        c = rows[j]
        for i in range(A.shape[0]):
            B[i, j] = 2.0 * A[i, c]


# scalar: chain
@njit
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


# vector
@njit(fastmath=True)
def fast_total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


# scalar: chain
@njit
def running_total(x, y):
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] + x[i]


# scalar: division
@njit
def divides_by_elements(x, y):
    for i in range(x.shape[0]):
        y[i] = 1.5 / x[i]


# vector
@njit(error_model="numpy")
def divides_by_elements_as_numpy(x, y):
    for i in range(x.shape[0]):
        y[i] = 1.5 / x[i]


# vector
@njit
def divides_by_a_literal(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] / 1.5


# vector
@njit
def divides_by_a_parameter(x, y, a):
    for i in range(x.shape[0]):
        y[i] = x[i] / a


# scalar: division
@njit
def divides_by_a_power(x, y, a):
    for i in range(x.shape[0]):
        y[i] = x[i] / (1.5 * a**2)


# vector
@njit
def divides_by_a_power_made_before(x, y, a):
    squared = a**2
    for i in range(x.shape[0]):
        y[i] = x[i] / squared


# vector
@njit(error_model="numpy")
def divides_by_a_power_as_numpy(x, y, a):
    for i in range(x.shape[0]):
        y[i] = x[i] / a**2


@njit
def over_square(x, a):
    return x / a**2


# vector
@njit
def divides_by_a_power_elsewhere(x, y, a):
    for i in range(x.shape[0]):
        y[i] = over_square(x[i], a)


# scalar: function
@njit
def reciprocal_powers(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] ** -2


# vector
@njit
def powers(x, y, a):
    for i in range(x.shape[0]):
        y[i] = x[i] ** 3 * a**2


# scalar: function
@njit
def exponentials(x, y):
    for i in range(x.shape[0]):
        y[i] = math.exp(x[i])


# vector
@njit
def roots(x, y):
    for i in range(x.shape[0]):
        y[i] = math.sqrt(x[i])


# vector
@njit
def clipped(x, y, a):
    for i in range(x.shape[0]):
        y[i] = min(x[i], a)


# vector
@njit
def selected(x, y, a):
    for i in range(x.shape[0]):
        v = x[i]
        if v > a:
            v = a
        y[i] = v


# vector
@njit
def kept_where_larger(x, y):
    for i in range(x.shape[0]):
        if x[i] > y[i]:
            y[i] = x[i]


# vector
@njit
def stored_where_larger(x, y, a):
    for i in range(x.shape[0]):
        if x[i] > a:
            y[i] = x[i]


# vector
@njit
def loaded_where_larger(x, y, z, a):
    for i in range(x.shape[0]):
        if x[i] > a:
            y[i] = z[i] * 2.0


# scalar: branch
@njit
def loaded_elsewhere_where_larger(A, B, a):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > a:
                B[j, i] = A[i, j]


# vector
@njit
def either(x, y, z, a):
    for i in range(x.shape[0]):
        if x[i] > a:
            y[i] = z[i]
        else:
            y[i] = 0.5 * x[i]


# scalar: overlap
@njit
def eliminates(A):
    for i in range(A.shape[0]):
        for k in range(A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] -= 1e-9 * A[i, k] * A[k, j]


# scalar: rows
@njit
def eliminates_by_factors(A, B):
    for i in range(A.shape[0]):
        for k in range(A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] -= 1e-9 * B[i, k] * A[k, j]


# vector
@njit
def subtracts_rows_above(A, B):
    for i in range(A.shape[0]):
        for k in range(i):
            for j in range(A.shape[1]):
                A[i, j] -= 1e-9 * B[i, k] * A[k, j]


# vector
@njit
def halves(x, y):
    h = x.shape[0] // 2
    for i in range(h):
        y[i] = x[i] - x[i + h]


# vector
@njit
def eliminates_below(A, B):
    for k in range(A.shape[0]):
        for i in range(k + 1, A.shape[0]):
            for j in range(A.shape[1] - k - 1):
                A[i, j + k + 1] -= 1e-9 * B[i, k] * A[k, j + k + 1]


# scalar: rows
@njit
def eliminates_by_views(A, B):
    for i in range(A.shape[0]):
        for k in range(A.shape[0]):
            a = A[i, :]
            b = A[k, :]
            f = B[i, k]
            for j in range(len(a)):
                a[j] -= 1e-9 * f * b[j]


# vector
@njit
def multiplies(A, B, C):
    for i in range(A.shape[0]):
        for k in range(A.shape[0]):
            for j in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


# vector
@njit
def previous_row(A):
    for i in range(1, A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.5 * A[i - 1, j]


# vector
@njit
def small_stencil(x, y, w):
    for i in range(x.shape[0] - 3):
        s = 0.0
        for k in range(3):
            s += w[k] * x[i + k]
        y[i] = s


# scalar: early exit
@njit
def until_large(x, y):
    for i in range(x.shape[0]):
        if x[i] > 1e9:
            break
        y[i] = 2.0 * x[i]


# scalar: early exit
@njit(fastmath=True)
def sum_until_the_end_of_another(x, k):
    s = 0.0
    for i in range(x.shape[0]):
        if i >= x.shape[0] - k:
            break
        s += x[i]
    return s


@njit
def polynomial_of_30(x, a):
    s = a
    s = ((((s * x + a) * x + a) * x + a) * x + a) * x + a
    s = ((((s * x + a) * x + a) * x + a) * x + a) * x + a
    s = ((((s * x + a) * x + a) * x + a) * x + a) * x + a
    s = ((((s * x + a) * x + a) * x + a) * x + a) * x + a
    s = ((((s * x + a) * x + a) * x + a) * x + a) * x + a
    s = ((((s * x + a) * x + a) * x + a) * x + a) * x + a
    return s


# vector
@njit
def inlined(x, y, a):
    for i in range(x.shape[0]):
        y[i] = polynomial_of_30(x[i], a)


@njit
def polynomial_of_60(x, a):
    return polynomial_of_30(polynomial_of_30(x, a), a)


# scalar: call
@njit
def too_large_to_be_inlined(x, y, a):
    for i in range(x.shape[0]):
        y[i] = polynomial_of_60(x[i], a)


# vector
@njit
def expression(x, y):
    z = x * 2.0 + np.sqrt(y)
    return z


# roofscan: x=f8[n] y=f8[n]
# vector
@njit
def expression_of_one_array_again(x, y):
    return x * y + x / y - x


# roofscan: x=f8[n] y=f8[n] z=f8[n]
# scalar: operands
@njit
def expression_of_three(x, y, z):
    return x * y - z


# roofscan: x=f8[n]
# scalar: operands
@njit
def expression_of_slices(x):
    return x[2:] - 2.0 * x[1:-1] + x[:-2]


# roofscan: A=f8[n,m] B=f8[n,m] C=f8[n,m]
# vector
@njit
def expression_of_planes(A, B, C):
    return A * B - 2.0 * C


# roofscan: A=f8[n,m]
# scalar: operands
@njit
def star_of_slices(A):
    return A[2:, 1:-1] + A[:-2, 1:-1] + A[1:-1, 2:] + A[1:-1, :-2] - 4.0 * A[1:-1, 1:-1]


# vector
@njit
def in_place(x, y):
    x += y


# scalar: copy
@njit
def copied_into_a_slice(x, y):
    y[:] = x[:]


# vector
@vectorize(["f8(f8, f8)"])
def hypotenuse_squared(a, b):
    return a * a + b * b


# roofscan: counts=i8[n] totals=i8[n]
# vector
@njit
def integer_expression(counts, totals):
    for i in range(counts.shape[0]):
        totals[i] = (counts[i] ^ (counts[i] >> 3)) + min(counts[i], 100)


# roofscan: counts=i8[n]
# vector
@njit
def integer_sum_of_some(counts):
    total = 0
    for i in range(counts.shape[0]):
        if counts[i] > 50:
            total += counts[i]
    return total


# roofscan: counts=i8[n] totals=i8[n]
# scalar: chain
@njit
def integer_prefix_sum(counts, totals):
    total = 0
    for i in range(counts.shape[0]):
        total += counts[i]
        totals[i] = total


# roofscan: counts=i8[n] totals=i8[n]
# scalar: integers
@njit
def long_integers_by_a_constant(counts, totals):
    for i in range(counts.shape[0]):
        totals[i] = counts[i] // 10


# roofscan: counts=i8[n] totals=i8[n]
# vector
@njit
def next_on_a_ring(counts, totals):
    n = counts.shape[0]
    for i in range(n):
        totals[i] = counts[i] + counts[(i + 1) % n]


def arguments(names):
    """The arguments of a loop, by the names of its parameters."""
    draw = np.random.default_rng(1)
    counts = draw.integers(0, 200, N)
    made = {"counts": counts, "totals": counts.copy()}
    made |= {"a": 1.01, "k": 3, "places": draw.permutation(N), "rows": np.arange(M)[::-1], "w": np.ones(3)}
    return [made[n] if n in made else draw.uniform(0.5, 1.5, (M, M) if n.isupper() else N) for n in names]

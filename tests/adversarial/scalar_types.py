"""Numbers: integers, floats, truth values, complex, powers, conversions."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def bool_as_an_index(x, n):
    s = 0.0
    for i in range(n > 2):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def sum_of_true_and_numbers(x, n):
    s = 0.0
    for i in range(True + n):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def int_of_a_float_parameter(x, n, a):
    s = 0.0
    for i in range(int(a)):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9] a=2.7


@njit
def bool_arithmetic_of_compare(x, n):
    c = 0
    d = 0.0
    for i in range(n):
        c += x[i] > 1.0
        d += x[i] > 1.0
        d += (x[i] > 1.0) * x[i]
        d += (i > 2) * 2.0
        c += (i > 2) * 2
    return c + d
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def integer_scalar_division(n, x):
    h = 1 / n
    k = n / 2
    d = 1.0 / (n - 1)
    m = n // 2
    s = 0.0
    for i in range(n):
        s += i * h + (i + 0.5) * d + n * h + m * x[i] + n * n
    return s
# expect bound status = exact
# oracle n=9 x=f8[20]


@njit
def modulo_one(n, x):
    s = 0.0
    for i in range(n):
        s += x[i] % 1.0
        s += i % 2.0
        s += x[i] // 1
        s += -x[i] // 2
        s += i // 2.0
        s += int(x[i] // 1)
    return s
# expect bound status = exact
# oracle n=5 x=f8[20]


import cmath


def cmath_functions(z):
    s = 0j
    for v in z:
        s += cmath.exp(v) * v + cmath.sqrt(v)
        s += v.conjugate() * 2.0 + v**-1 + v**0.5 + v**2.5 + 2.0**v
    return abs(s)
# expect bound status = exact
# oracle z=c16[5]


@njit
def integers_with_floats(k, n):
    s = 0
    for i in range(n):
        s += k[i] * 2
    return s * 1.5
# expect bound status = exact
# oracle n=6 k=i8[9]


@njit
def int_division(k, n):
    s = 0.0
    for i in range(n):
        s += k[i] / 2 + i // 3 + i % 2
    return s
# expect bound status = exact
# oracle n=6 k=i8[9]


@njit
def int_power(k, n):
    s = 0
    for i in range(n):
        s += k[i] ** 2
    return s**2
# expect bound status = exact
# oracle n=6 k=i8[9]


@njit
def negative_int_power(n):
    s = 0.0
    for i in range(1, n):
        s += i**-2
    return s
# expect bound status = exact
# oracle n=6


@njit
def bool_arithmetic(x, n):
    s = 0
    for i in range(n):
        s += (x[i] > 1.0) + (i > 2)
    t = 0.0
    for i in range(n):
        t += x[i] * (i > 2)
    return s + t
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def complex_arithmetic(z, x, n):
    s = 0j
    for i in range(n):
        s += z[i] * x[i] + z[i] / 2.0 - z[i] * z[i]
    return abs(s) + s.real * 2.0 + s.imag
# expect bound status = exact
# oracle n=6 z=c16[9] x=f8[9]


@njit
def complex_literal(x, n):
    s = 0j
    for i in range(n):
        s += x[i] * 1j
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def complex_power(z, n):
    s = 0j
    for i in range(n):
        s += z[i] ** 2 + z[i].conjugate() * z[i]
    return s
# expect bound status = exact
# oracle n=6 z=c16[9]


@njit
def complex_division(z, n):
    s = 0j
    for i in range(n):
        s += 1.0 / z[i] + z[i] / z[i]
    return s
# expect bound status = exact
# oracle n=6 z=c16[9]


@njit
def float32_with_float64(x, y, n):
    s = 0.0
    for i in range(n):
        s += x[i] * y[i] + x[i] * 2.0 + x[i] * 2
    return s
# expect bound status = exact
# oracle n=6 x=f4[9] y=f8[9]


@njit
def floor_modulo_divmod_and_pow(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] // 0.3 + x[i] % 0.7
        a, b = divmod(i, 3)
        for j in range(a + b):
            s += x[j]
        s += pow(x[i], 2)
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def bit_tricks(x, n):
    s = 0.0
    for i in range(n >> 1):
        s += x[i]
    for i in range(1 << 3):
        s += x[i]
    for i in range(n & 1):
        s *= x[i]
    for i in range(n | 1):
        s *= x[i]
    for i in range(n ^ 1):
        s -= x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def int_conversion_of_a_quotient(x, n):
    s = 0.0
    for i in range(int(n / 2)):
        s += x[i]
    for i in range(int(math.sqrt(n))):
        s += x[i]
    for i in range(int(n * 0.5)):
        s += x[i]
    for i in range(round(n / 2)):
        s += x[i]
    for i in range(math.ceil(n / 2)):
        s += x[i]
    return s
# expect bound status = exact
# expect measured flops = exact
# oracle n=7 x=f8[9]


@njit
def negative_floor(x, n):
    s = 0.0
    for i in range(-(-n // 2)):
        s += x[i]
    for i in range(-n // 2 + n):
        s *= x[i]
    for i in range((-n) % 3):
        s -= x[i]
    return s
# expect bound status = exact
# oracle n=7 x=f8[9]
# oracle n=4 x=f8[9]


@njit
def min_max_with_literals(x, n):
    s = 0.0
    for i in range(n):
        s += min(x[i], 1.0) + max(x[i], x[i + 1], 0.5)
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def round_and_int_of_data(x, n):
    s = 0
    for i in range(n):
        s += int(x[i] * 3.0) + int(round(x[i]))
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def power_kinds(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] ** 2 + x[i] ** 3 + x[i] ** 0.5 + x[i] ** -1 + x[i] ** 1.5 + x[i] ** 7 + x[i] ** 1 + x[i] ** 0
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def literal_folding(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * (2.0 * 3.0) + 1 / 9 - (4.0 + 5)
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def negation_and_plus(x, n):
    s = 0.0
    for i in range(n):
        s -= -x[i] + (+x[i])
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def complex_parts(z, n):
    s = 0.0
    for i in range(n):
        s += z[i].real * z[i].imag + abs(z[i]) ** 2
    return s
# expect bound status = exact
# oracle n=4 z=c16[9]


@njit
def complex_sum_with_float(z, n):
    s = 0j
    for i in range(n):
        s += z[i] + 1.0
        s -= 2.0 * z[i]
    return s
# expect bound status = exact
# oracle n=4 z=c16[9]


U = np.uint64


@njit
def unsigned_numbers_stay_integers(x, n):
    s = U(3)
    for i in range(n):
        s = (s ^ (s >> U(30))) * U(7) + U(1)
        s += x[i] ^ s
    return s
# expect bound status = exact
# oracle n=5 x=u8[9]


@njit
def type_of_a_number(x, scale):
    inverse = type(scale)(1) / scale
    for i in range(len(x)):
        x[i] *= inverse
# expect bound status = exact
# oracle x=f8[6] scale=3.0


@njit
def bits(x):
    count = 0
    while x:
        x &= x - 1
        count += 1
    return count
# expect bound status = exact
# oracle x=37


def range_to_a_float(n):
    return np.arange(n) * 2
# expect bound status = parametric
# oracle n=37.0


def range_to_an_integer(n):
    return np.arange(n) * 2.0
# expect bound status = exact
# oracle n=37


def range_to_a_float_by_default(n=4.0):
    return np.arange(n) * 2
# expect bound status = parametric
# oracle n=4.0


def _times(frames, hop):
    return np.arange(frames) * hop


def range_to_a_float_in_a_helper(n, hop):
    return _times(n, hop)
# expect bound status = parametric
# oracle n=37.0 hop=2


def disk_of_a_floating_radius(radius):
    y, x = np.ogrid[-radius:radius + 1, -radius:radius + 1]
    return (x * x + y * y <= radius * radius).astype(np.uint8)
# expect bound status = parametric
# oracle radius=2.0


def disk_of_a_whole_radius(radius):
    y, x = np.ogrid[-radius:radius + 1, -radius:radius + 1]
    return (x * x + y * y <= radius * radius).astype(np.uint8)
# expect bound status = exact
# oracle radius=3


def loop_that_never_runs(x, w, k):
    """In plain Python the loop makes a floating number of an integer, unless it has no iteration."""
    s = w
    for i in range(k):
        s -= 2.0
    s *= s
    return s * x[0]
# expect bound status = exact
# oracle x=i8[5] w=2 k=0
# oracle x=f8[5] w=2 k=0
# oracle x=i8[5] w=2 k=3


def items_that_are_none(x, y):
    s = 0
    for v in x:
        s += v
    return s * s + y[0]
# expect bound status = exact
# oracle x=f8[0] y=i8[3]
# oracle x=f8[2] y=i8[3]


def inner_loop_that_never_runs(y, n, k):
    s = 0
    for i in range(n):
        for j in range(k):
            s += 0.5
        s = s + s
    return s + y[0]
# expect bound status = exact
# oracle n=4 k=0 y=i8[3]
# oracle n=0 k=4 y=i8[3]


def while_that_never_runs(y, k):
    s = 0
    while k > 0:
        s += 0.5
        k -= 1
    return s * s + y[0]
# expect bound status = exact
# oracle k=0 y=i8[3]

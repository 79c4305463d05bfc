"""Numbers that are integers, floating or complex by path: sums that become complex, arms of tests, items of lists."""

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def escape_times(c, out, limit):
    """z starts as an integer and is complex, as all values of a name in compiled code."""
    for i in range(c.shape[0]):
        z = 0
        k = 0
        while k < limit and z.real * z.real + z.imag * z.imag < 1e300:
            z = z * z + c[i]
            k += 1
        out[i] = k
# oracle c=c16[30] out=i8[30] limit=4


@njit
def iterated_square(c, out):
    """A loop that makes a real number complex."""
    for i in range(len(out)):
        z = 0.0
        for _ in range(4):
            z = z * z + c[i]
        out[i] = abs(z)
# expect status = exact
# oracle c=c16[30] out=f8[30]
# oracle c=c8[30] out=f8[30]


def iterated_square_in_python(c, out):
    """In plain Python the first iteration multiplies real numbers: an upper bound."""
    for i in range(len(out)):
        z = 0.0
        for _ in range(4):
            z = z * z + c[i]
        out[i] = abs(z)
# expect bound status = bounded
# oracle c=c16[30] out=f8[30]


@njit
def late_phase(x, c):
    """One iteration makes the sum complex, and compiled code all."""
    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + x[i]
        if i == 3:
            s = s + c[i]
    return s
# oracle x=f8[40] c=c16[40]


@njit
def rotating_weight(x, n):
    """A while loop makes the weight complex."""
    k = 0
    w = 1.0
    while k < n:
        x[k] = w * w
        w = w + 1j
        k += 1
# oracle x=c16[9] n=8


@njit
def one_type_for_both_arms(x, k):
    """Compiled code gives both arms one type: v * k is floating."""
    s = 0.0
    for i in range(len(x)):
        v = i if i > 3 else 0.5
        s += v * k
    return s
# oracle x=f8[40] k=3


def either_arm(x, k):
    """Plain Python multiplies integers in one arm and floating numbers in the other."""
    s = 0.0
    for i in range(len(x)):
        v = i if i > 3 else 0.5
        s += v * k
    return s
# oracle x=f8[40] k=3


def real_or_complex(x):
    for i in range(len(x)):
        if i < 3:
            v = 2.5
        else:
            v = 1j
        x[i] = abs(v * v)
# oracle x=f8[40]


def larger_of_integer_and_float(x):
    """max(0, x) is the integer 0 where x is negative, and twice that is no floating-point work."""
    for i in range(len(x)):
        x[i] = max(0, x[i] - 1.0) * 2
# oracle x=f8[40]


def _part(x, i):
    if i > 3:
        return 0
    return x[i]


def integer_from_a_helper(x):
    s = 0.0
    for i in range(len(x)):
        s += _part(x, i) * 3
    return s
# oracle x=f8[40]


def exchanged_kinds(x):
    a, b = 0, 1.0
    for i in range(len(x)):
        a, b = b, a
        x[i] = a * 2
# oracle x=f8[40]


def scaled_by_kind(x, mode=1):
    t = 1 if mode == 1 else 2.0
    for i in range(len(x)):
        x[i] = t * 2 + t * x[i]
# oracle x=f8[40]
# oracle x=f8[40] mode=2


def floating_all_the_same(x):
    """The other operand is floating: nothing depends on the arm."""
    s = 0
    for i in range(len(x)):
        w = 1 if i % 2 else 0.5
        s += w * x[i]
    return s / 2.0
# expect status = exact
# oracle x=f8[40]


def integers_in_a_list(x):
    """A list that grows holds integers as well as floating numbers."""
    fib = [1, 1]
    for i in range(2, len(x)):
        fib.append((fib[i - 1] + fib[i - 2]) % 97)
    return fib[-1] * 2
# oracle x=f8[40]


@njit
def counted_stack(x):
    q = [0]
    for i in range(len(x)):
        q.append(i * 2)
    s = 0
    for v in q:
        s += v * 3
    return s
# oracle x=f8[40]


def filled_list(x):
    q = [0] * len(x)
    for i in range(1, len(x)):
        q[i] = q[i - 1] * 3 + i
    return q[-1] * 2
# oracle x=f8[40]


def value_of_a_choice(n, x):
    """and, or between a test and a number."""
    s = 0.0
    for i in range(n):
        s /= i > 3 and x[i] * 2.0 or 1.0
    return s
# oracle n=8 x=c16[9]
# oracle n=8 x=f8[9]


def kept_subscripts(x):
    inner = np.s_[1:-1, ::2]
    return x[inner] * 2.0
# oracle x=f8[20,31]


def kept_slice(x):
    inner = np.s_[1:-1]
    rows = np.index_exp[2:5]
    return x[inner] * 2.0, x[rows] * 3.0
# oracle x=f8[20]


def same_array(x):
    """is looks at no element."""
    a = b = np.zeros(len(x))
    a += x
    return a is b
# expect status = exact
# oracle x=f8[40]


@njit
def windows_at_a_distance(x, m, hop):
    """A distance of 0 puts all windows in one place."""
    n = len(x)
    t = 0.0
    for i in range(m):
        first = i * hop
        for j in range(first, min(n, first + 5)):
            t += x[j]
    return t
# oracle x=f8[60] m=8 hop=8
# oracle x=f8[9] m=4 hop=0
# oracle x=f8[4] m=4 hop=0


def smoothed_bytes(img):
    """Bytes in the first iteration, floating numbers in the others: the first adds integers."""
    for _ in range(3):
        img = (img + np.roll(img, 1)) / 2
    return img
# expect bound status = bounded
# expect levels = estimate
# oracle img=u1[4000]
# known traffic: the array of the first iteration has its own lines, and half of those of the others here


def julia_array(c):
    """Real in the first iteration, complex in the others."""
    z = np.zeros(c.shape)
    for _ in range(20):
        z = z * z + c
    return np.abs(z)
# expect bound status = bounded
# oracle c=c16[300]


def factorials(x, n):
    """The product of integers is floating after the first division, of as many bytes."""
    p = np.ones(len(x), dtype=int)
    for k in range(1, n):
        p = p * x / k
    return p
# expect status = exact
# oracle x=f8[40] n=4


def squared_until_halved(a):
    """A branch makes the elements floating."""
    for i in range(4):
        a = a * a
        if i == 1:
            a = a * 0.5
    return a
# oracle a=i8[40]


def either_array(a, k):
    """The elements are integers or floating numbers."""
    y = np.zeros(len(a), dtype=np.int64) if k else a
    return y * 2
# oracle a=f8[40] k=1
# oracle a=f8[40] k=0


def type_of_a_number(x, n):
    """max(n, 3.5) is n, an integer, or a floating number: so are the elements of the product."""
    return x * max(n, 3.5)
# oracle x=f4[400] n=5
# oracle x=i2[400] n=2


def by_another_type(x):
    """The name of a type is another one from the second iteration on: elements are counted as the wider."""
    d = np.float32
    for k in range(3):
        y = np.zeros(x.size, dtype=d)
        d = np.float64
    return y + x
# known traffic: the first array has narrower elements
# oracle x=f8[100]


def narrower_later(x):
    """The other way round: the first elements are the widest, and all are counted as them."""
    d = np.float64
    for k in range(3):
        y = np.zeros(x.size, dtype=d)
        d = np.float32
    return y
# known traffic: later arrays have narrower elements
# oracle x=f8[100]


def by_text(x, n):
    """So is a text that names a type; integers among the elements make a bound."""
    d = "i4"
    for k in range(n):
        y = x.astype(d) * 2
        d = "f8"
    return y
# known traffic: the first arrays have narrower elements
# expect status = bounded
# oracle x=f8[100] n=3


def narrower_view(x, n):
    """From the second iteration on y is x, whose elements are wider."""
    y = x.astype(np.float32)
    for k in range(n):
        z = np.empty(y.shape, y.dtype)
        z[:] = y
        y = x
    return z
# known traffic: all iterations are counted as the later ones
# oracle x=f8[100] n=3


def product_until(A, n):
    """A condition skips the product in one iteration of unknown number: its traffic is an estimate, no lower bound."""
    s = 0.0
    for it in range(n):
        if it == 3:
            break
        t = A @ A
        s += t[0, 0]
        if s > 1e6:
            break
    return s
# known traffic: fresh memory of the iteration that a condition skips is counted
# oracle A=f8[6,6] n=10

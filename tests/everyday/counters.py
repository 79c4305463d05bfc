"""Counters that data move: filters, merges, run lengths, stacks."""

from numba import njit


@njit
def compact(x, out, t):
    """Filter."""
    k = 0
    for i in range(len(x)):
        if x[i] > t:
            out[k] = x[i]
            k += 1
    return k


# oracle x=f8[400] out=f8[400] t=0.3


@njit
def intersect(a, b, out):
    """Two sorted lists."""
    i = 0
    j = 0
    k = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            out[k] = a[i]
            k += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return k


# oracle a=i8[200]^900 b=i8[300]^900 out=i8[200]


@njit
def rle(x, vals, runs):
    """Run lengths."""
    k = 0
    vals[0] = x[0]
    runs[0] = 1
    for i in range(1, len(x)):
        if x[i] == vals[k]:
            runs[k] += 1
        else:
            k += 1
            vals[k] = x[i]
            runs[k] = 1
    return k + 1


# oracle x=i8[600]<3 vals=i8[600] runs=i8[600]


@njit
def partition(a, lo, hi):
    """Lomuto."""
    p = a[hi]
    i = lo
    for j in range(lo, hi):
        if a[j] < p:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[hi] = a[hi], a[i]
    return i


# oracle a=f8[400] lo=0 hi=399


@njit
def merge_sorted(a, b, out):
    """Two sorted arrays into one."""
    i = 0
    j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1


# oracle a=f8[100] b=f8[100] out=f8[200]


@njit
def stack_depths(x, stack, out):
    """Up and down: the counter turns back to lines that it left."""
    top = 0
    for i in range(len(x)):
        if x[i] > 0.75:
            stack[top] = x[i]
            top += 1
        elif top > 0:
            top -= 1
            out[i] = stack[top]


# oracle x=f8[500] stack=f8[500] out=f8[500]


@njit
def rows_of_pairs(mask, pairs):
    """Places of set pixels, two numbers a row, counted over both loops."""
    k = 0
    for i in range(mask.shape[0]):
        for j in range(mask.shape[1]):
            if mask[i, j]:
                pairs[k, 0] = i
                pairs[k, 1] = j
                k += 1
    return k


# oracle mask=u1[16,40]<2 pairs=i8[640,2]


@njit
def restarted(x, out, m):
    """A counter that begins anew in each row, and now and then in it."""
    for i in range(x.shape[0]):
        k = 0
        for j in range(x.shape[1]):
            if x[i, j] > 0.5:
                out[k] += x[i, j]
                k += 1
            if k >= m:
                k = 0


# oracle x=f8[12,64] out=f8[64] m=40


@njit
def every_other(x, out, t):
    """Two steps at once, backwards."""
    k = len(out) - 2
    for i in range(len(x)):
        if x[i] > t and k >= 0:
            out[k] = x[i]
            out[k + 1] = -x[i]
            k -= 2
    return k


# oracle x=f8[200] out=f8[400] t=0.2


@njit
def queue_of_two(a, b, first, second):
    """Two counters in turns, long pauses of one."""
    p = 0
    q = 0
    for i in range(len(a)):
        if a[i] < 100:
            first[p] = b[i]
            p += 1
        else:
            second[q] = b[i]
            q += 1
    return p, q


# oracle a=i8[400]<101 b=f8[400] first=f8[400] second=f8[400]


@njit
def asof(t, s, v, out):
    j = 0
    for i in range(len(t)):
        while j + 1 < len(s) and s[j + 1] <= t[i]:
            j += 1
        out[i] = v[j]
# oracle t=i8[300]^900 s=i8[200]^900 v=f8[200] out=f8[300]
# oracle t=i8[200]^900 s=i8[600]^900 v=f8[600] out=f8[200]
# oracle t=i8[1000]^9000 s=i8[500]^9000 v=f8[500] out=f8[1000]


@njit
def merge_counts(a, b, below):
    j = 0
    for i in range(len(a)):
        while j < len(b) and b[j] < a[i]:
            j += 1
        below[i] = j
# oracle a=f8[300]^1 b=f8[900]^1 below=i8[300]
# oracle a=i8[300]^500 b=i8[900]^500 below=i8[300]


@njit
def parse_ints(buf, out):
    """Comma-separated integers in a byte buffer."""
    n = buf.shape[0]
    k = 0
    value = 0
    sign = 1
    started = False
    for i in range(n):
        c = buf[i]
        if c == 45:
            sign = -1
        elif 48 <= c <= 57:
            value = value * 10 + (c - 48)
            started = True
        elif started:
            out[k] = sign * value
            k += 1
            value = 0
            sign = 1
            started = False
    if started:
        out[k] = sign * value
        k += 1
    return k
# oracle buf=u1[2000]<60 out=i8[400]

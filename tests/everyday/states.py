"""What a loop carries beside data: states that tests look at, stacks and walks of few steps, lists of mixed numbers."""

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def in_and_out(price, enter, leave):
    """A state that data change is part of both tests: each has one share."""
    inside = 0
    cash = 0.0
    for i in range(len(price)):
        if price[i] < enter and inside == 0:
            inside = 1
            cash -= price[i]
        elif price[i] > leave and inside == 1:
            inside = 0
            cash += price[i]
    return cash
# oracle price=f8[300] enter=0.8 leave=1.2


@njit
def state_first(price, enter, leave):
    """The state is looked at before the data."""
    inside = 0
    cash = 0.0
    for i in range(len(price)):
        if inside == 0 and price[i] < enter:
            inside = 1
            cash -= price[i]
        elif inside == 1 and price[i] > leave:
            inside = 0
            cash += price[i]
    return cash
# oracle price=f8[300] enter=0.8 leave=1.2


@njit
def either_of_two(price, enter):
    """A state, or data."""
    waits = 0
    cash = 0.0
    for i in range(len(price)):
        if waits == 0 or price[i] < enter:
            waits = 1
            cash -= price[i]
        else:
            waits = 0
    return cash
# oracle price=f8[300] enter=0.8


@njit
def halves_on_a_stack(x, out):
    """A stack that few turns use: loads are never below nothing."""
    stack = np.empty(1000, np.int64)
    size = 0
    stack[size] = 0
    size += 1
    stack[size] = x.shape[0]
    size += 1
    while size > 0:
        size -= 1
        hi = stack[size]
        size -= 1
        lo = stack[size]
        if hi - lo <= 4:
            for i in range(lo, hi):
                out[i] = x[i]
        else:
            mid = (lo + hi) // 2
            stack[size] = lo
            size += 1
            stack[size] = mid
            size += 1
            stack[size] = mid
            size += 1
            stack[size] = hi
            size += 1
    return size
# oracle x=f8[4] out=f8[4]
# oracle x=f8[100] out=f8[100]


@njit
def peaks_and_plateaus(x):
    """A walk from a place of the data that mostly makes no step."""
    left = np.empty(x.shape[0] // 2, np.intp)
    right = np.empty(x.shape[0] // 2, np.intp)
    found = 0
    i = 1
    last = x.shape[0] - 1
    while i < last:
        if x[i - 1] < x[i]:
            ahead = i + 1
            while ahead < last and x[ahead] == x[i]:
                ahead += 1
            if x[ahead] < x[i]:
                left[found] = i
                right[found] = ahead - 1
                found += 1
                i = ahead
        i += 1
    return left[:found]
# oracle x=f4[8]
# oracle x=f8[200]


@njit
def solve_by_columns(data, indices, indptr, x, n):
    """Columns of a sparse matrix with hardly an element."""
    for j in range(n):
        k = indptr[j]
        pivot = x[j] / data[k]
        x[j] = pivot
        for k in range(indptr[j] + 1, indptr[j + 1]):
            x[indices[k]] -= data[k] * pivot
# oracle n=8 data=f8[8] indices=i8[8]<8 indptr=i8[9]^8 x=f8[8]


def chosen_of_mixed(codes, width):
    """In Python the items of a list keep their types: what is chosen may be an integer."""
    lengths = [0, width, 2.0 * width]
    total = 0
    for code in codes:
        total += lengths[code]
    return total
# oracle codes=i8[60]<1 width=1.5
# oracle codes=i8[60]<3 width=1.5


@njit
def _letter(code, table, most):
    if code <= most:
        return chr(code)
    return table[code - most - 1]


@njit
def joined_letters(pair, table, most):
    """What may be a text is no number."""
    return _letter(pair[0], table, most) + _letter(pair[1], table, most)
# oracle pair=i8[2]<4 table=f8[9] most=11


def ranks_between_ends(im):
    """Numbers between complex ends are complex."""
    ends = [im.min(), im.max()]
    order = np.argsort(np.argsort(im.flatten()))
    return np.linspace(ends[0], ends[1], len(order))[order]
# oracle im=c16[64]
# oracle im=f8[64]


@njit
def blocks_by_rows(blocks, cols, x, y):
    """A row that a product of data chooses outside the innermost loop."""
    nb, per, b, _ = blocks.shape
    for i in range(nb):
        for p in range(per):
            c = cols[i, p]
            for r in range(b):
                s = 0.0
                for q in range(b):
                    s += blocks[i, p, r, q] * x[c * b + q]
                y[i * b + r] += s
# oracle blocks=f8[30,3,8,8] cols=i8[30,3]<30 x=f8[240] y=f8[240]


@njit
def associated_polynomials(mu, p, tau):
    """What starts as a whole number is floating in compiled code, if an iteration passes on a floating one."""
    n = len(p)
    before = 0
    p[0] = 1
    for k in range(1, n):
        tau[k - 1] = k * mu * p[k - 1] - (k + 1) * before
        last = p[k - 1]
        p[k] = ((2 * k + 1) * mu * last - (k + 1) * before) / k
        before = last
    tau[n - 1] = n * mu * p[n - 1] - (n + 1) * before
# oracle mu=1.5 p=f8[40] tau=f8[40]

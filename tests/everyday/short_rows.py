"""Tables of a few lines that an inner loop walks, and gathers beside them: the last line of a table holds few elements."""

from numba import njit


@njit
def stream_by_tables(f, g, cx, cy):
    """A lattice by directions, the direction innermost."""
    nq, ny, nx = f.shape
    for y in range(ny):
        for x in range(nx):
            for k in range(9):
                xs = (x - cx[k] + nx) % nx
                ys = (y - cy[k] + ny) % ny
                g[k, y, x] = f[k, ys, xs]
# oracle f=f8[9,12,16] g=f8[9,12,16] cx=i8[9]<2 cy=i8[9]<2


@njit
def weigh_columns(f, g, w):
    """Columns of a matrix, each by the same weights."""
    nq, n = f.shape
    for x in range(n):
        for k in range(nq):
            g[k, x] = w[k] * f[k, x]
# oracle f=f8[9,64] g=f8[9,64] w=f8[9]
# oracle f=f8[12,64] g=f8[12,64] w=f8[12]
# oracle f=f8[17,64] g=f8[17,64] w=f8[17]


@njit
def weigh_columns_backwards(f, g, w):
    """The same from the last row to the first."""
    nq, n = f.shape
    for x in range(n):
        for k in range(nq - 1, -1, -1):
            g[k, x] = w[k] * f[k, x]
# oracle f=f8[9,64] g=f8[9,64] w=f8[9]
# oracle f=f8[12,64] g=f8[12,64] w=f8[12]
# oracle f=f8[17,64] g=f8[17,64] w=f8[17]


@njit
def weigh_chosen(f, g, w, idx):
    """Columns that an index names."""
    n = idx.shape[0]
    for x in range(n):
        for k in range(w.shape[0]):
            g[k, x] = w[k] * f[k, idx[x]]
# oracle f=f8[9,64] g=f8[9,64] w=f8[9] idx=i8[64]<64
# oracle f=f8[17,64] g=f8[17,64] w=f8[17] idx=i8[64]<64


@njit
def one_of_eight(values, n, table, out):
    """A branch that takes one element of each line, beside a gather: as many lines as the whole array."""
    for i in range(n):
        if i % 8 - values[i] == 0:
            out[i] = values[i] + table[values[i]]
# oracle values=i8[512]<1 n=512 table=f8[4] out=f8[512]


@njit
def sums_of_active(active, data, totals, idx, weights):
    """A row of sums that comes back only where a branch is taken, beside a gather."""
    n, m = data.shape
    t = 0.0
    for i in range(n):
        for j in range(m):
            t += data[i, j]
        if active[i] == 0:
            for j in range(m):
                totals[j] += data[i, j]
        t += weights[idx[i]]
    return t
# oracle active=i8[60]<6 data=f8[60,40] totals=f8[40] idx=i8[60]<30 weights=f8[30]


@njit
def product_and_gather(A, B, idx, x):
    """A library call, of whose traffic a part is known, beside a gather."""
    C = A @ B
    s = 0.0
    for i in range(idx.shape[0]):
        s += C[0, 0] * x[idx[i]]
    return s
# oracle A=f8[24,24] B=f8[24,24] idx=i8[100]<50 x=f8[50]
# known traffic: at worst a line for each access, beside means of what differs

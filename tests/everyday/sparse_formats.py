"""Matrices by diagonals, columns and triples, and sums over the ragged rows of a graph."""

from numba import njit


@njit
def exclusive_scan_offsets(counts, offsets):
    offsets[0] = 0
    for i in range(counts.size):
        offsets[i + 1] = offsets[i] + counts[i]
    return offsets[counts.size]
# oracle counts=i8[1500] offsets=i8[1501]


@njit
def coo_to_csr(rows, cols, vals, indptr, indices, data):
    nnz = rows.size
    n = indptr.size - 1
    for i in range(n + 1):
        indptr[i] = 0
    for k in range(nnz):
        indptr[rows[k] + 1] += 1
    for i in range(n):
        indptr[i + 1] += indptr[i]
    for k in range(nnz):
        r = rows[k]
        dest = indptr[r]
        indices[dest] = cols[k]
        data[dest] = vals[k]
        indptr[r] += 1
    for i in range(n, 0, -1):
        indptr[i] = indptr[i - 1]
    indptr[0] = 0
# oracle rows=i4[3000]<400 cols=i4[3000]<400 vals=f8[3000] indptr=i4[401] indices=i4[3000] data=f8[3000]


@njit
def csc_matvec(colptr, rowidx, data, x, y):
    y[:] = 0.0
    for j in range(colptr.size - 1):
        xj = x[j]
        if xj == 0.0:
            continue
        for p in range(colptr[j], colptr[j + 1]):
            y[rowidx[p]] += data[p] * xj
# oracle nnz=2000 colptr=i8[201]^nnz rowidx=i4[nnz]<300 data=f8[nnz] x=f8[200] y=f8[300]


@njit
def csr_gauss_seidel(indptr, indices, data, b, x, diag, sweeps=2):
    n = b.size
    for _ in range(sweeps):
        for i in range(n):
            s = b[i]
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                if j != i:
                    s -= data[p] * x[j]
            x[i] = s / diag[i]
# oracle nnz=1200 indptr=i4[201]^nnz indices=i4[nnz]<200 data=f8[nnz] b=f8[200] x=f8[200] diag=f8[200]


@njit
def dia_matvec(offsets, diags, x, y):
    n = x.size
    y[:] = 0.0
    for d in range(offsets.size):
        k = offsets[d]
        i0 = max(0, -k)
        i1 = min(n, n - k)
        for i in range(i0, i1):
            y[i] += diags[d, i] * x[i + k]
# oracle offsets=i4[5]<3 diags=f8[5,300] x=f8[300] y=f8[300]


@njit
def minimum_spanning(W, key, parent, done):
    n = W.shape[0]
    for i in range(n):
        key[i] = 1e30
        done[i] = False
    key[0] = 0.0
    parent[0] = -1
    total = 0.0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u < 0 or key[v] < key[u]):
                u = v
        done[u] = True
        total += key[u]
        for v in range(n):
            if not done[v] and W[u, v] < key[v]:
                key[v] = W[u, v]
                parent[v] = u
    return total
# oracle W=f8[40,40] key=f8[40] parent=i8[40] done=b1[40]


@njit
def union_find_roots(parent, a, b):
    for e in range(a.size):
        i = a[e]
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        j = b[e]
        while parent[j] != j:
            j = parent[j]
        if i != j:
            parent[i] = j
# oracle parent=i8[300]<1 a=i8[500]<300 b=i8[500]<300


@njit
def long_rows(indptr, indices, data, x, y):
    """Few rows of many elements, in a cache that holds one of them."""
    for i in range(y.size):
        s = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            s += data[p] * x[indices[p]]
        y[i] = s
# oracle rows=4 nnz=164 indptr=i8[rows+1]^nnz indices=i8[nnz]<rows data=f8[nnz] x=f8[rows] y=f8[rows]

"""Dynamic programming and linear algebra as people write them."""

import numpy as np
from numba import njit, prange


@njit
def edit_distance(s, t):
    """Full table."""
    m, n = len(s), len(t)
    d = np.zeros((m + 1, n + 1), dtype=np.int32)
    for i in range(m + 1):
        d[i, 0] = i
    for j in range(n + 1):
        d[0, j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if s[i - 1] == t[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[m, n]
# oracle s=u1[40]<4 t=u1[60]<4


@njit
def edit_two_rows(a, b):
    """Two rows that swap."""
    n, m = a.shape[0], b.shape[0]
    prev = np.arange(m + 1)
    cur = np.zeros(m + 1, dtype=np.int64)
    for i in range(1, n + 1):
        cur[0] = i
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                cur[j] = prev[j - 1]
            else:
                cur[j] = 1 + min(prev[j], cur[j - 1], prev[j - 1])
        prev, cur = cur, prev
    return prev[m]
# oracle a=i8[40]<4 b=i8[90]<4
# oracle a=i8[41]<4 b=i8[90]<4


@njit
def lcs(x, y):
    """Longest common subsequence."""
    n = len(x)
    m = len(y)
    L = np.zeros((n + 1, m + 1), np.int64)
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            if x[i] == y[j]:
                L[i, j] = 1 + L[i + 1, j + 1]
            else:
                L[i, j] = max(L[i + 1, j], L[i, j + 1])
    return L[0, 0]
# oracle x=i8[40]<4 y=i8[50]<4


@njit
def needleman_wunsch(a, b, match=1, mismatch=-1, gap=-2):
    """Scores and directions."""
    n, m = len(a), len(b)
    H = np.zeros((n + 1, m + 1), dtype=np.int64)
    D = np.zeros((n + 1, m + 1), dtype=np.uint8)
    for i in range(1, n + 1):
        H[i, 0] = gap * i
    for j in range(1, m + 1):
        H[0, j] = gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s = match if a[i - 1] == b[j - 1] else mismatch
            diag = H[i - 1, j - 1] + s
            up = H[i - 1, j] + gap
            left = H[i, j - 1] + gap
            best = diag
            d = 0
            if up > best:
                best = up
                d = 1
            if left > best:
                best = left
                d = 2
            H[i, j] = best
            D[i, j] = d
    return H[n, m]
# oracle a=u1[40]<4 b=u1[50]<4


@njit
def smith_waterman(seq1, seq2, score, gap_open=-3.0, gap_ext=-0.5):
    """Affine gaps, floats, substitution table."""
    n = len(seq1)
    m = len(seq2)
    M = np.zeros((n + 1, m + 1))
    X = np.full((n + 1, m + 1), -np.inf)
    Y = np.full((n + 1, m + 1), -np.inf)
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            X[i, j] = max(M[i - 1, j] + gap_open, X[i - 1, j] + gap_ext)
            Y[i, j] = max(M[i, j - 1] + gap_open, Y[i, j - 1] + gap_ext)
            s = M[i - 1, j - 1] + score[seq1[i - 1], seq2[j - 1]]
            M[i, j] = max(0.0, s, X[i, j], Y[i, j])
            if M[i, j] > best:
                best = M[i, j]
    return best
# oracle seq1=i8[30]<4 seq2=i8[40]<4 score=f8[4,4]


@njit
def viterbi(logA, logB, logpi, obs):
    """Most likely path."""
    T = len(obs)
    K = logA.shape[0]
    delta = np.empty((T, K))
    psi = np.zeros((T, K), dtype=np.int64)
    for k in range(K):
        delta[0, k] = logpi[k] + logB[k, obs[0]]
    for t in range(1, T):
        for j in range(K):
            best = -np.inf
            arg = 0
            for i in range(K):
                v = delta[t - 1, i] + logA[i, j]
                if v > best:
                    best = v
                    arg = i
            delta[t, j] = best + logB[j, obs[t]]
            psi[t, j] = arg
    path = np.empty(T, dtype=np.int64)
    path[T - 1] = np.argmax(delta[T - 1])
    for t in range(T - 2, -1, -1):
        path[t] = psi[t + 1, path[t + 1]]
    return path
# oracle logA=f8[8,8] logB=f8[8,5] logpi=f8[8] obs=i8[60]<5


@njit
def knapsack(values, weights, capacity):
    """One row, backwards."""
    dp = np.zeros(capacity + 1)
    for i in range(len(values)):
        w = weights[i]
        for c in range(capacity, w - 1, -1):
            cand = dp[c - w] + values[i]
            if cand > dp[c]:
                dp[c] = cand
    return dp[capacity]
# oracle values=f8[30] weights=i8[30]<20 capacity=200


@njit
def lu_pivot(A, piv):
    """LU with partial pivoting."""
    n = A.shape[0]
    for k in range(n):
        p = k
        big = abs(A[k, k])
        for i in range(k + 1, n):
            if abs(A[i, k]) > big:
                big = abs(A[i, k])
                p = i
        piv[k] = p
        if p != k:
            for j in range(n):
                t = A[k, j]
                A[k, j] = A[p, j]
                A[p, j] = t
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
# oracle A=f8[32,32] piv=i8[32]


@njit
def cholesky_slices(A):
    """Cholesky with dot products of rows."""
    n = A.shape[0]
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j] - np.dot(L[i, :j], L[j, :j])
            if i == j:
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L
# oracle A=f8[32,32]


@njit
def qr_mgs(A):
    """Modified Gram-Schmidt with columns."""
    m, n = A.shape
    Q = A.copy()
    R = np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(np.sum(Q[:, k] ** 2))
        Q[:, k] /= R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.sum(Q[:, k] * Q[:, j])
            Q[:, j] -= R[k, j] * Q[:, k]
    return Q, R
# oracle A=f8[40,16]


def householder(A):
    """Householder QR in NumPy."""
    m, n = A.shape
    R = A.copy()
    for k in range(n):
        x = R[k:, k]
        v = x.copy()
        v[0] += np.sign(x[0]) * np.sqrt(np.dot(x, x))
        v /= np.sqrt(np.dot(v, v))
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
    return R
# oracle A=f8[30,16]


@njit
def solve_lower_upper(L, U, b):
    """Forward and back substitution."""
    n = len(b)
    y = np.zeros(n)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * y[j]
        y[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        s = y[i]
        for j in range(i + 1, n):
            s -= U[i, j] * x[j]
        x[i] = s / U[i, i]
    return x
# oracle L=f8[40,40] U=f8[40,40] b=f8[40]


@njit
def back_slices(U, y):
    """Back substitution with slices."""
    n = U.shape[0]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - U[i, i + 1:] @ x[i + 1:]) / U[i, i]
    return x
# oracle U=f8[40,40] y=f8[40]


@njit
def thomas(a, b, c, d):
    """Tridiagonal solve with work arrays."""
    n = len(d)
    cp = np.empty(n)
    dp = np.empty(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.empty(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x
# oracle a=f8[300] b=f8[300] c=f8[300] d=f8[300]


@njit
def adi_half_step(u, lam, steps):
    """Thomas for each row, helper called in a time loop."""
    ny, nx = u.shape
    a = np.full(nx, -lam)
    b = np.full(nx, 1.0 + 2.0 * lam)
    c = np.full(nx, -lam)
    for s in range(steps):
        for j in range(ny):
            u[j, :] = thomas(a, b, c, u[j, :])
# oracle u=f8[12,40] lam=0.3 steps=2


@njit
def conjugate_gradient(A, b, x, tol, maxiter):
    """CG with array expressions."""
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for k in range(maxiter):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        if np.sqrt(rs_new) < tol:
            break
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x
# oracle A=f8[32,32] b=f8[32] x=f8[32] tol=0.0 maxiter=3


@njit
def sor(phi, rhs, h, omega, tol, max_iter):
    """SOR with a residual test."""
    ny, nx = phi.shape
    for it in range(max_iter):
        dmax = 0.0
        for j in range(1, ny - 1):
            for i in range(1, nx - 1):
                new = 0.25 * (phi[j, i - 1] + phi[j, i + 1] + phi[j - 1, i] + phi[j + 1, i] - h * h * rhs[j, i])
                diff = new - phi[j, i]
                phi[j, i] += omega * diff
                dmax = max(dmax, abs(diff))
        if dmax < tol:
            return it
    return max_iter
# oracle phi=f8[20,30] rhs=f8[20,30] h=0.1 omega=1.5 tol=0.0 max_iter=3
# oracle phi=f8[20,30] rhs=f8[20,30] h=0.1 omega=1.5 tol=5.0 max_iter=9


@njit
def red_black(phi, rhs, h2, iters):
    """Red-black Gauss-Seidel with a stride of two."""
    n, m = phi.shape
    for it in range(iters):
        for color in range(2):
            for i in range(1, n - 1):
                for j in range(1 + (i + color) % 2, m - 1, 2):
                    phi[i, j] = 0.25 * (phi[i + 1, j] + phi[i - 1, j] + phi[i, j + 1] + phi[i, j - 1] - h2 * rhs[i, j])
# oracle phi=f8[20,32] rhs=f8[20,32] h2=0.01 iters=2
# oracle phi=f8[21,31] rhs=f8[21,31] h2=0.01 iters=2


@njit
def jacobi_dense(A, b, x, maxit):
    """Jacobi on a dense system with x_new."""
    n = len(b)
    for k in range(maxit):
        x_new = np.zeros_like(x)
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += A[i, j] * x[j]
            x_new[i] = (b[i] - s) / A[i, i]
        if np.max(np.abs(x_new - x)) < 1e-12:
            break
        x = x_new
    return x
# oracle A=f8[24,24] b=f8[24] x=f8[24] maxit=3


@njit
def multigrid_restrict(fine, coarse):
    """Full weighting."""
    nc, mc = coarse.shape
    for i in range(1, nc - 1):
        for j in range(1, mc - 1):
            coarse[i, j] = (
                4.0 * fine[2 * i, 2 * j]
                + 2.0 * (fine[2 * i - 1, 2 * j] + fine[2 * i + 1, 2 * j] + fine[2 * i, 2 * j - 1] + fine[2 * i, 2 * j + 1])
                + fine[2 * i - 1, 2 * j - 1] + fine[2 * i - 1, 2 * j + 1]
                + fine[2 * i + 1, 2 * j - 1] + fine[2 * i + 1, 2 * j + 1]
            ) / 16.0
# oracle fine=f8[33,65] coarse=f8[17,33]


@njit
def gauss_jordan(A, B):
    """Inverse by elimination on an augmented matrix."""
    n = A.shape[0]
    M = np.zeros((n, 2 * n))
    M[:, :n] = A
    for i in range(n):
        M[i, n + i] = 1.0
    for i in range(n):
        M[i] /= M[i, i]
        for k in range(n):
            if k != i:
                M[k] -= M[k, i] * M[i]
    B[:] = M[:, n:]
# oracle A=f8[20,20] B=f8[20,20]


GAINS = np.zeros(512)
SHIFTS = np.array([0, 1, 0, -1])


@njit
def _by_gains(x, y):
    for i in range(512):
        y[i] = GAINS[i] * x[i]


@njit
def gains_of_two_calls(x, y, z):
    """A table of the module is one array, whichever call reads it."""
    _by_gains(x, y)
    _by_gains(y, z)
# oracle x=f8[512] y=f8[512] z=f8[512]


@njit
def _pushed(f, g):
    n = f.shape[0]
    for i in range(n):
        for k in range(4):
            g[(i + SHIFTS[k]) % n, k] = f[i, k]


@njit
def pushed_by_steps(f, g, steps):
    """The constants of the table are known in each call."""
    for t in range(steps):
        _pushed(f, g)
        f, g = g, f
# oracle f=f8[50,4] g=f8[50,4] steps=3

"""Physics, transforms, dynamic programming, factorizations and meshes as people write them."""
import math
import numpy as np
from numba import njit, prange, vectorize, guvectorize, stencil

atom = np.dtype([("r", np.float64, (3,)), ("f", np.float64, (3,)), ("charge", np.float64), ("kind", np.int32), ("flag", np.int32)])


@njit
def burgers(u, nu, dx, dt, nt, every, hist):
    """Viscous Burgers on a ring; history kept."""
    nx = u.size
    un = np.empty(nx)
    row = 0
    for it in range(nt):
        un[:] = u
        for i in range(nx):
            im = (i - 1) % nx
            ip = (i + 1) % nx
            u[i] = un[i] - un[i] * dt / dx * (un[i] - un[im]) + nu * dt / dx**2 * (un[ip] - 2 * un[i] + un[im])
        if (it + 1) % every == 0:
            for i in range(nx):
                hist[row, i] = u[i]
            row += 1
    return row
# oracle u=f8[200] nu=0.07 dx=0.03 dt=0.001 nt=10 every=3 hist=f8[3,200]
# oracle u=f8[128] nu=0.07 dx=0.03 dt=0.001 nt=8 every=2 hist=f8[4,128]


@njit
def lap(a, i, j):
    n, m = a.shape
    return a[(i + 1) % n, j] + a[(i - 1) % n, j] + a[i, (j + 1) % m] + a[i, (j - 1) % m] - 4.0 * a[i, j]
# oracle a=f8[10,12] i=3 j=4


@njit
def phase_field(c, mu, D, gamma, dt, steps):
    """Two passes on a torus with helper."""
    n, m = c.shape
    for s in range(steps):
        for i in range(n):
            for j in range(m):
                mu[i, j] = c[i, j] ** 3 - c[i, j] - gamma * lap(c, i, j)
        for i in range(n):
            for j in range(m):
                c[i, j] += dt * D * lap(mu, i, j)
# oracle c=f8[20,24] mu=f8[20,24] D=1.0 gamma=0.5 dt=0.01 steps=2


@njit(parallel=True)
def step3d(u, un, k):
    """7 points in parallel."""
    nz, ny, nx = u.shape
    for z in prange(1, nz - 1):
        for y in range(1, ny - 1):
            for x in range(1, nx - 1):
                un[z, y, x] = u[z, y, x] + k * (
                    u[z - 1, y, x] + u[z + 1, y, x] + u[z, y - 1, x] + u[z, y + 1, x] + u[z, y, x - 1] + u[z, y, x + 1]
                    - 6.0 * u[z, y, x]
                )


@njit
def run3d(u, k, nt):
    """Driver with a conditional swap."""
    un = u.copy()
    for t in range(nt):
        if t % 2 == 0:
            step3d(u, un, k)
        else:
            step3d(un, u, k)
    return u if nt % 2 == 0 else un
# oracle u=f8[8,10,16] k=0.1 nt=3
# oracle u=f8[8,10,16] k=0.1 nt=4


@njit
def yee_1d(ez, hy, ceze, nt, bc):
    """1-D FDTD with absorbing or reflecting ends."""
    n = len(ez)
    old_l = 0.0
    old_r = 0.0
    for t in range(nt):
        for i in range(n - 1):
            hy[i] += (ez[i + 1] - ez[i]) / 377.0
        old_l = ez[1]
        old_r = ez[n - 2]
        for i in range(1, n - 1):
            ez[i] = ceze[i] * ez[i] + 377.0 * (hy[i] - hy[i - 1])
        if bc == "abc":
            ez[0] = old_l
            ez[n - 1] = old_r
        ez[n // 4] += math.exp(-((t - 30) ** 2) / 100.0)
# oracle ez=f8[300] hy=f8[300] ceze=f8[300] nt=4 bc=0


@njit
def coulomb(p, box):
    """Records with vector fields."""
    e = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            d2 = 0.0
            for k in range(3):
                d = p[i].r[k] - p[j].r[k]
                d -= box * np.rint(d / box)
                d2 += d * d
            s = p[i].charge * p[j].charge / (d2 * math.sqrt(d2))
            e += s * d2
            for k in range(3):
                p[i].f[k] += s * (p[i].r[k] - p[j].r[k])
                p[j].f[k] -= s * (p[i].r[k] - p[j].r[k])
    return e
# oracle p=atom[30] box=3.0


@njit
def velocity_histogram(v, nbins, vmax):
    """Speeds in bins with a clamp."""
    h = np.zeros(nbins, np.int64)
    for i in range(v.shape[0]):
        s = math.sqrt(v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
        b = min(int(s / vmax * nbins), nbins - 1)
        h[b] += 1
    return h
# oracle v=f8[200,3] nbins=20 vmax=3.0


@njit
def goertzel(x, k):
    """One DFT bin."""
    n = len(x)
    w = 2.0 * math.pi * k / n
    c = 2.0 * math.cos(w)
    s1 = 0.0
    s2 = 0.0
    for i in range(n):
        s0 = x[i] + c * s1 - s2
        s2 = s1
        s1 = s0
    return s1 * s1 + s2 * s2 - c * s1 * s2
# oracle x=f8[300] k=5


@njit
def fft_recursive_stage(a, out, w, stride):
    """Stockham radix 2 stage on complex arrays."""
    n = a.shape[0]
    half = n // 2
    for j in range(half // stride):
        for k in range(stride):
            x = a[j * stride + k]
            y = a[j * stride + k + half]
            out[2 * j * stride + k] = x + y
            out[2 * j * stride + stride + k] = (x - y) * w[j]
# oracle a=c16[128] out=c16[128] w=c16[16] stride=4


@njit
def bsr_matvec(blocks, cols, ptr, x, y):
    """Block rows 3x3."""
    for i in range(len(ptr) - 1):
        acc = np.zeros(3)
        for p in range(ptr[i], ptr[i + 1]):
            j = cols[p]
            for a in range(3):
                for b in range(3):
                    acc[a] += blocks[p, a, b] * x[3 * j + b]
        for a in range(3):
            y[3 * i + a] = acc[a]
# oracle nnz=60 blocks=f8[nnz,3,3] cols=i4[nnz]<20 ptr=i4[21]^nnz x=f8[60] y=f8[60]


@njit
def dijkstra_dense(w, src):
    """O(n^2) shortest paths."""
    n = w.shape[0]
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=np.bool_)
    dist[src] = 0.0
    for _ in range(n):
        u = -1
        best = np.inf
        for v in range(n):
            if not done[v] and dist[v] < best:
                best = dist[v]
                u = v
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            alt = dist[u] + w[u, v]
            if alt < dist[v]:
                dist[v] = alt
    return dist
# oracle w=f8[24,24] src=0


@njit
def coin_change(coins, amount):
    """Number of ways."""
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for c in coins:
        for a in range(c, amount + 1):
            ways[a] += ways[a - c]
    return ways[amount]
# oracle coins=i8[6] amount=200


@njit
def matrix_chain(dims):
    """Triangular DP by length."""
    n = len(dims) - 1
    m = np.zeros((n, n))
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            m[i, j] = np.inf
            for k in range(i, j):
                q = m[i, k] + m[k + 1, j] + dims[i] * dims[k + 1] * dims[j]
                if q < m[i, j]:
                    m[i, j] = q
    return m[0, n - 1]
# oracle dims=f8[25]


@njit
def forward_backward(pi, A, B, obs):
    """Scaled forward pass with row sums."""
    T = obs.shape[0]
    N = A.shape[0]
    alpha = np.zeros((T, N))
    c = np.zeros(T)
    alpha[0] = pi * B[:, obs[0]]
    c[0] = alpha[0].sum()
    alpha[0] /= c[0]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * B[:, obs[t]]
        c[t] = alpha[t].sum()
        alpha[t] /= c[t]
    return np.log(c).sum()
# oracle pi=f8[8] A=f8[8,8] B=f8[8,6] obs=i8[40]<6
# known traffic: at worst a line for each access, beside means of what differs


@njit
def ldl(A, L, d):
    """LDL^T."""
    n = A.shape[0]
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] * L[j, k] * d[k]
        d[j] = s
        L[j, j] = 1.0
        for i in range(j + 1, n):
            t = A[i, j]
            for k in range(j):
                t -= L[i, k] * L[j, k] * d[k]
            L[i, j] = t / d[j]
# oracle A=f8[28,28] L=f8[28,28] d=f8[28]


@njit
def givens_hessenberg(H, n):
    """QR of a Hessenberg matrix by rotations of rows."""
    for k in range(n - 1):
        a = H[k, k]
        b = H[k + 1, k]
        r = math.hypot(a, b)
        c = a / r
        s = b / r
        for j in range(k, n):
            t = c * H[k, j] + s * H[k + 1, j]
            H[k + 1, j] = -s * H[k, j] + c * H[k + 1, j]
            H[k, j] = t
# oracle H=f8[30,30] n=30


@njit
def steepest_descent(A, b, x, tol, maxit):
    """Loops, residual and tolerance."""
    n = len(b)
    r = np.zeros(n)
    Ar = np.zeros(n)
    for it in range(maxit):
        rr = 0.0
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += A[i, j] * x[j]
            r[i] = b[i] - s
            rr += r[i] ** 2
        if rr < tol * tol:
            break
        rAr = 0.0
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += A[i, j] * r[j]
            Ar[i] = s
            rAr += r[i] * s
        alpha = rr / rAr
        for i in range(n):
            x[i] += alpha * r[i]
    return x
# oracle A=f8[24,24] b=f8[24] x=f8[24] tol=0.0 maxit=3


@njit
def mass_matrix(x, conn, M):
    """Lumped mass of tetrahedra with scratch 3x3."""
    for e in range(conn.shape[0]):
        J = np.empty((3, 3))
        for a in range(3):
            for k in range(3):
                J[a, k] = x[conn[e, a + 1], k] - x[conn[e, 0], k]
        det = (
            J[0, 0] * (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1])
            - J[0, 1] * (J[1, 0] * J[2, 2] - J[1, 2] * J[2, 0])
            + J[0, 2] * (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0])
        )
        v = abs(det) / 6.0
        for a in range(4):
            M[conn[e, a]] += 0.25 * v
# oracle x=f8[40,3] conn=i8[80,4]<40 M=f8[40]


def diffuse_numpy(u, nu, nt):
    """NumPy with np.roll."""
    for _ in range(nt):
        u = u + nu * (np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1) - 4 * u)
    return u
# oracle u=f8[16,24] nu=0.1 nt=2


@njit
def column_scan(a, out):
    """Fortran arrays, column sums as they go."""
    m, n = a.shape
    for j in range(n):
        s = 0.0
        for i in range(m):
            s += a[i, j]
            out[i, j] = s / (i + 1)
# oracle a=f4[40,20]F out=f8[40,20]F


@njit
def box_sums(img, r, out):
    """Windows clamped at the edges."""
    h, w = img.shape
    for y in range(h):
        y0 = y - r if y >= r else 0
        y1 = y + r + 1 if y + r + 1 <= h else h
        for x in range(w):
            x0 = max(x - r, 0)
            x1 = min(x + r + 1, w)
            s = 0.0
            for yy in range(y0, y1):
                for xx in range(x0, x1):
                    s += img[yy, xx]
            out[y, x] = s / ((y1 - y0) * (x1 - x0))
# oracle img=f4[20,24] r=2 out=f4[20,24]

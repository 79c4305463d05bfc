"""Kernels whose times are predicted and measured. The comment above each gives its bindings, one a row."""

import math

from numba import njit


# bind: x=f8[n] y=f8[n] a=1.5 | n=2000 | n=40000 | n=300000 | n=8000000
@njit
def saxpby(x, y, a):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + 0.5 * y[i]


# bind: x=f8[n] lo=0.7 hi=1.2 | n=3000 | n=500000
@njit
def clip_inplace(x, lo, hi):
    for i in range(x.shape[0]):
        v = x[i]
        if v < lo:
            v = lo
        if v > hi:
            v = hi
        x[i] = v


# bind: x=f8[n] | n=3000 | n=200000 | n=10000000
@njit(fastmath=True)
def fast_norm(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return math.sqrt(s)


# bind: x=f8[n] | n=3000 | n=1000000
@njit
def running_max(x):
    m = x[0]
    for i in range(1, x.shape[0]):
        if x[i] > m:
            m = x[i]
    return m


# bind: x=f8[n] y=f8[n] | n=3000 | n=1000000
@njit
def cumulative(x, y):
    t = 0.0
    for i in range(x.shape[0]):
        t += x[i]
        y[i] = t


# bind: x=f8[n] y=f8[n] alpha=0.1 | n=3000 | n=1000000
@njit
def exponential_average(x, y, alpha):
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = alpha * x[i] + (1.0 - alpha) * y[i - 1]


# bind: A=f8[n,n] B=f8[n,n] | n=60 | n=500 | n=2500
@njit
def add_matrices(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] += B[i, j]


# bind: A=f8[n,n] B=f8[n,n] | n=60 | n=500 | n=2500
@njit
def add_matrices_by_columns(A, B):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            A[i, j] += B[i, j]


# bind: A=f8[n,n] B=f8[n,n] | n=64 | n=501 | n=3001
@njit
def transpose(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[j, i] = A[i, j]


# bind: u=f8[n,n] v=f8[n,n] | n=60 | n=300 | n=2000
@njit
def five_points(u, v):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


# bind: u=f8[n,n] v=f8[n,n] | n=60 | n=300 | n=2000
@njit
def nine_points(u, v):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            s = u[i - 1, j - 1] + u[i - 1, j] + u[i - 1, j + 1]
            s += u[i, j - 1] + u[i, j] + u[i, j + 1]
            s += u[i + 1, j - 1] + u[i + 1, j] + u[i + 1, j + 1]
            v[i, j] = s / 9.0


# bind: u=f8[n,n] v=f8[n,n] | n=60 | n=300 | n=2000
@njit
def wide_points(u, v):
    for i in range(2, u.shape[0] - 2):
        for j in range(2, u.shape[1] - 2):
            v[i, j] = u[i, j - 2] - 4.0 * u[i, j - 1] + 6.0 * u[i, j] - 4.0 * u[i, j + 1] + u[i, j + 2]


# bind: u=f8[n,n,n] v=f8[n,n,n] | n=20 | n=60 | n=180
@njit
def seven_points(u, v):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            for k in range(1, u.shape[2] - 1):
                v[i, j, k] = 0.1 * (
                    u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                    + u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k]
                )  # fmt: skip


# bind: u=f8[n,n,n] v=f8[n,n,n] | n=20 | n=100
@njit
def seven_points_backwards(u, v):
    for k in range(1, u.shape[2] - 1):
        for j in range(1, u.shape[1] - 1):
            for i in range(1, u.shape[0] - 1):
                v[i, j, k] = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] - 4.0 * u[i, j, k]


# bind: A=f8[n,n] x=f8[n] y=f8[n] | n=60 | n=400 | n=3000
@njit
def matrix_vector(A, x, y):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s


# bind: A=f8[n,n] x=f8[n] y=f8[n] | n=60 | n=400 | n=3000
@njit
def transposed_matrix_vector(A, x, y):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y[j] += A[i, j] * x[i]


# bind: A=f8[n,n] B=f8[n,n] C=f8[n,n] | n=40 | n=250 | n=700
@njit
def product_ikj(A, B, C):
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            for j in range(B.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


# bind: A=f8[n,n] B=f8[n,n] C=f8[n,n] | n=40 | n=250 | n=700
@njit
def product_ijk(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            s = 0.0
            for k in range(A.shape[1]):
                s += A[i, k] * B[k, j]
            C[i, j] = s


# bind: A=f4[n,n] B=f4[n,n] C=f4[n,n] | n=40 | n=250 | n=700
@njit
def product_single(A, B, C):
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            for j in range(B.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


# bind: P=f8[n,3] D=f8[n,n] | n=50 | n=600 | n=2500
@njit
def distances(P, D):
    for i in range(P.shape[0]):
        for j in range(P.shape[0]):
            dx = P[i, 0] - P[j, 0]
            dy = P[i, 1] - P[j, 1]
            dz = P[i, 2] - P[j, 2]
            D[i, j] = math.sqrt(dx * dx + dy * dy + dz * dz)


# bind: x=f8[n] y=f8[n] z=f8[n] m=f8[n] f=f8[n] | n=100 | n=2000
@njit
def forces(x, y, z, m, f):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[0]):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            s += m[j] / (r2 * math.sqrt(r2))
        f[i] = s


# bind: x=f8[n] y=f8[n] | n=3000 | n=1000000
@njit
def logistic(x, y):
    for i in range(x.shape[0]):
        y[i] = 1.0 / (1.0 + math.exp(-x[i]))


# bind: x=f8[n] y=f8[n] | n=3000 | n=1000000
@njit
def sines(x, y):
    for i in range(x.shape[0]):
        y[i] = math.sin(x[i]) * math.cos(x[i])


# bind: x=f8[n] y=f8[n] | n=3000 | n=1000000
@njit
def reciprocals(x, y):
    for i in range(x.shape[0]):
        y[i] = 1.0 / x[i]


# bind: x=f8[n] y=f8[n] | n=3000 | n=1000000
@njit(error_model="numpy")
def reciprocals_numpy(x, y):
    for i in range(x.shape[0]):
        y[i] = 1.0 / x[i]


# bind: x=f8[n] y=f8[n] | n=3000 | n=1000000
@njit
def roots(x, y):
    for i in range(x.shape[0]):
        y[i] = math.sqrt(x[i])


# bind: x=f8[n] y=f8[n] | n=3000 | n=300000
@njit
def polynomial(x, y):
    for i in range(x.shape[0]):
        v = x[i]
        y[i] = 1.0 + v * (0.5 + v * (0.25 + v * (0.125 + v * (0.0625 + v * 0.03125))))


# bind: A=f8[n,m] out=f8[n] | n=1000 m=16 | n=500 m=100 | n=1000 m=3000
@njit
def row_variance(A, out):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j]
        mean = s / A.shape[1]
        v = 0.0
        for j in range(A.shape[1]):
            d = A[i, j] - mean
            v += d * d
        out[i] = v / A.shape[1]


# bind: A=f8[n,m] out=f8[m] | n=100 m=16 | n=500 m=100 | n=3000 m=1000
@njit
def column_sums(A, out):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[j] += A[i, j]


# bind: A=f8[n,m] out=f8[m] | n=100 m=16 | n=500 m=100 | n=3000 m=1000
@njit
def column_sums_by_columns(A, out):
    for j in range(A.shape[1]):
        s = 0.0
        for i in range(A.shape[0]):
            s += A[i, j]
        out[j] = s


# bind: L=f8[n,n] b=f8[n] | n=60 | n=400 | n=2000
@njit
def forward_substitution(L, b):
    for i in range(L.shape[0]):
        for j in range(i):
            b[i] -= L[i, j] * b[j]
        b[i] /= L[i, i]


# bind: img=f8[n,n] out=f8[n,n] ker=f8[3,3] | n=60 | n=400 | n=1500
@njit
def filter3(img, out, ker):
    for i in range(1, img.shape[0] - 1):
        for j in range(1, img.shape[1] - 1):
            s = 0.0
            for a in range(3):
                for b in range(3):
                    s += ker[a, b] * img[i + a - 1, j + b - 1]
            out[i, j] = s


# bind: img=f4[n,n] out=f4[n,n] | n=60 | n=400 | n=2000
@njit
def threshold(img, out):
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = img[i, j] if img[i, j] > 1.0 else 0.0


# bind: x=f8[n] w=f8[k] y=f8[n] | n=2000 k=7 | n=100000 k=31
@njit
def moving_filter(x, w, y):
    for i in range(x.shape[0] - w.shape[0]):
        s = 0.0
        for j in range(w.shape[0]):
            s += w[j] * x[i + j]
        y[i] = s


# bind: re=f8[n] im=f8[n] | n=3000 | n=1000000
@njit
def rotate(re, im):
    for i in range(re.shape[0]):
        a = re[i]
        b = im[i]
        re[i] = 0.8 * a - 0.6 * b
        im[i] = 0.6 * a + 0.8 * b


# bind: z=c16[n] | n=2000 | n=500000
@njit
def complex_square(z):
    for i in range(z.shape[0]):
        z[i] = z[i] * z[i] + 0.1


# bind: P=f8[n,4] | n=1000 | n=300000
@njit
def push_records(P):
    for i in range(P.shape[0]):
        P[i, 0] += 0.1 * P[i, 2]
        P[i, 1] += 0.1 * P[i, 3]


# bind: a=f8[n] b=f8[n] c=f8[n] d=f8[n] | n=1000 | n=300000 | n=4000000
@njit
def expression(a, b, c, d):
    d[:] = a * b + c * 2.0 - b


# bind: x=f8[n] | n=1000 | n=300000
@njit
def downwards(x):
    for i in range(x.shape[0] - 2, -1, -1):
        x[i] = 0.5 * (x[i] + x[i + 1])


# bind: u=f8[n,n] v=f8[n,n] | n=60 | n=300
@njit
def time_steps(u, v):
    for _ in range(10):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        u, v = v, u


# bind: S=f8[n] K=f8[n] out=f8[n] | n=2000 | n=500000
@njit
def option_prices(S, K, out):
    for i in range(S.shape[0]):
        d = (math.log(S[i] / K[i]) + 0.07) / 0.3
        out[i] = S[i] * 0.5 * (1.0 + math.erf(d / 1.4142)) - K[i] * 0.95 * 0.5 * (1.0 + math.erf((d - 0.3) / 1.4142))


# bind: A=f8[n,n] | n=60 | n=500 | n=2000
@njit
def symmetrise(A):
    for i in range(A.shape[0]):
        for j in range(i):
            m = 0.5 * (A[i, j] + A[j, i])
            A[i, j] = m
            A[j, i] = m


# bind: x=f8[n] y=f8[n] | n=1000 | n=400000
@njit
def every_other(x, y):
    for i in range(x.shape[0] // 2):
        y[i] = x[2 * i] - x[2 * i + 1]


# bind: A=f8[n,m] v=f8[m] | n=1000 m=8 | n=2000 m=200 | n=3000 m=2000
@njit
def scale_rows(A, v):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = (A[i, j] - v[j]) * 0.25


# bind: | n=1000 | n=1000000
@njit
def harmonic(n):
    s = 0.0
    for i in range(1, n):
        s += 1.0 / i
    return s


# bind: a=f8[n] b=f8[n] | n=2000 | n=300000
@njit
def dot_products(a, b):
    s = 0.0
    t = 0.0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
        t += a[i] * a[i]
    return s / t


# bind: x=f8[n] y=f8[n] | n=2000 | n=500000 | n=6000000
@njit
def copy_positive(x, y):
    for i in range(x.shape[0]):
        y[i] = max(x[i] - 1.0, 0.0)


# bind: A=f8[n,n] B=f8[n,n] | n=40 | n=300
@njit
def gram(A, B):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            s = 0.0
            for k in range(A.shape[1]):
                s += A[i, k] * A[j, k]
            B[i, j] = s


# bind: rho=f8[n,n] u=f8[n,n] p=f8[n,n] | n=50 | n=300 | n=1500
@njit
def gas_pressure(rho, u, p):
    for i in range(rho.shape[0]):
        for j in range(rho.shape[1]):
            p[i, j] = 0.4 * (u[i, j] - 0.5 * rho[i, j] * rho[i, j] / u[i, j])


# bind: f=f8[n,n,9] rho=f8[n,n] | n=30 | n=200 | n=700
@njit
def lattice_density(f, rho):
    for i in range(f.shape[0]):
        for j in range(f.shape[1]):
            s = 0.0
            for q in range(9):
                s += f[i, j, q]
            rho[i, j] = s


# bind: x=f8[n] edges=f8[17] counts=f8[16] | n=3000 | n=300000
@njit
def linear_bins(x, edges, counts):
    for i in range(x.shape[0]):
        for b in range(16):
            if edges[b] <= x[i] and x[i] < edges[b + 1]:
                counts[b] += 1.0


# bind: y=f8[n] k=f8[n] | n=2000 | n=200000
@njit
def runge_kutta(y, k):
    for i in range(y.shape[0]):
        k1 = -0.5 * y[i] * k[i]
        k2 = -0.5 * (y[i] + 0.05 * k1) * k[i]
        k3 = -0.5 * (y[i] + 0.05 * k2) * k[i]
        k4 = -0.5 * (y[i] + 0.1 * k3) * k[i]
        y[i] += 0.1 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

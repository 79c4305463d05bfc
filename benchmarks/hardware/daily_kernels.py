"""Loops of everyday code: pictures, grids, particles, sequences, tables. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: a=f8[n,m] b=f8[n,m] k=f8[3,3] | n=60 m=60 | n=400 m=400 | n=1500 m=1500
@njit
def convolve3(a, b, k):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            s = 0.0
            for p in range(3):
                for q in range(3):
                    s += k[p, q] * a[i + p - 1, j + q - 1]
            b[i, j] = s


# bind: img=u8[h,w] out=f4[h,w] | h=64 w=64 | h=720 w=1280
@njit
def local_contrast(img, out):
    for i in range(1, img.shape[0] - 1):
        for j in range(1, img.shape[1] - 1):
            m = (img[i - 1, j] + img[i + 1, j] + img[i, j - 1] + img[i, j + 1]) * 0.25
            out[i, j] = (img[i, j] - m) / 255.0


# bind: rgb=u8[h,w,3] g=f8[h,w] | h=48 w=64 | h=480 w=640
@njit
def grey_float(rgb, g):
    for y in range(rgb.shape[0]):
        for x in range(rgb.shape[1]):
            g[y, x] = 0.299 * rgb[y, x, 0] + 0.587 * rgb[y, x, 1] + 0.114 * rgb[y, x, 2]


# bind: u=f8[n,n,n] v=f8[n,n,n] c=0.1 | n=20 | n=60 | n=180
@njit
def heat19(u, v, c):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                faces = (
                    u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1]
                )
                edges = u[i - 1, j - 1, k] + u[i - 1, j + 1, k] + u[i + 1, j - 1, k] + u[i + 1, j + 1, k]
                edges += u[i - 1, j, k - 1] + u[i - 1, j, k + 1] + u[i + 1, j, k - 1] + u[i + 1, j, k + 1]
                edges += u[i, j - 1, k - 1] + u[i, j - 1, k + 1] + u[i, j + 1, k - 1] + u[i, j + 1, k + 1]
                v[i, j, k] = u[i, j, k] + c * (2.0 * faces + edges - 24.0 * u[i, j, k])


# bind: u=f8[n,m] un=f8[n,m] up=f8[n,m] c2=0.2 | n=80 m=80 | n=1000 m=1000
@njit
def wave_step(u, un, up, c2):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            lap = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
            un[i, j] = 2.0 * u[i, j] - up[i, j] + c2 * lap


# bind: f=f8[h,w,9] g=f8[h,w,9] omega=1.2 | h=30 w=30 | h=300 w=300
@njit
def lbm_collide(f, g, omega):
    for i in range(f.shape[0]):
        for j in range(f.shape[1]):
            rho = 0.0
            for q in range(9):
                rho += f[i, j, q]
            for q in range(9):
                g[i, j, q] = f[i, j, q] - omega * (f[i, j, q] - rho / 9.0)


# bind: pos=f8[n,3] acc=f8[n,3] m=f8[n] eps=0.01 | n=64 | n=1000
@njit
def accelerations(pos, acc, m, eps):
    for i in range(pos.shape[0]):
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(pos.shape[0]):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            r2 = dx * dx + dy * dy + dz * dz + eps
            w = m[j] / (r2 * math.sqrt(r2))
            ax += w * dx
            ay += w * dy
            az += w * dz
        acc[i, 0] = ax
        acc[i, 1] = ay
        acc[i, 2] = az


# bind: X=f8[n,d] C=f8[k,d] label=i8[n] | n=500 d=4 k=8 | n=20000 d=16 k=10
@njit
def assign_clusters(X, C, label):
    for i in range(X.shape[0]):
        best = np.inf
        which = 0
        for c in range(C.shape[0]):
            s = 0.0
            for j in range(X.shape[1]):
                t = X[i, j] - C[c, j]
                s += t * t
            if s < best:
                best = s
                which = c
        label[i] = which


# bind: X=f8[n,d] label=i8[n] C=f8[k,d] count=f8[k] | n=500 d=4 k=8 | n=50000 d=16 k=10
@njit
def update_centres(X, label, C, count):
    for c in range(C.shape[0]):
        count[c] = 0.0
        for j in range(C.shape[1]):
            C[c, j] = 0.0
    for i in range(X.shape[0]):
        c = label[i]
        count[c] += 1.0
        for j in range(X.shape[1]):
            C[c, j] += X[i, j]
    for c in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[c, j] /= count[c]


# bind: img=f8[n,m] xs=f8[q] ys=f8[q] out=f8[q] | n=50 m=50 q=1000 | n=2000 m=2000 q=200000
@njit
def bilinear_samples(img, xs, ys, out):
    for p in range(out.size):
        y = (ys[p] - 0.5) * (img.shape[0] - 1)  # samples between 0.5 and 1.5
        x = (xs[p] - 0.5) * (img.shape[1] - 1)
        i = int(y)
        j = int(x)
        fy = y - i
        fx = x - j
        top = img[i, j] * (1.0 - fx) + img[i, j + 1] * fx
        low = img[i + 1, j] * (1.0 - fx) + img[i + 1, j + 1] * fx
        out[p] = top * (1.0 - fy) + low * fy


# bind: cost=f8[n,m] best=f8[n,m] | n=50 m=50 | n=1000 m=1000
@njit
def cheapest_seam(cost, best):
    n, m = cost.shape
    for j in range(m):
        best[0, j] = cost[0, j]
    for i in range(1, n):
        best[i, 0] = cost[i, 0] + min(best[i - 1, 0], best[i - 1, 1])
        for j in range(1, m - 1):
            best[i, j] = cost[i, j] + min(best[i - 1, j - 1], best[i - 1, j], best[i - 1, j + 1])
        best[i, m - 1] = cost[i, m - 1] + min(best[i - 1, m - 2], best[i - 1, m - 1])


# bind: a=i8[n] b=i8[m] D=f8[n,m] gap=0.7 | n=60 m=60 | n=800 m=800
@njit
def needleman(a, b, D, gap):
    for i in range(1, a.size):
        for j in range(1, b.size):
            s = 1.0 if a[i] == b[j] else -1.0
            D[i, j] = max(D[i - 1, j - 1] + s, D[i - 1, j] - gap, D[i, j - 1] - gap)


# bind: x=f8[n] out=f8[n] w=20 | n=1000 | n=1000000
@njit
def moving_sum(x, out, w):
    s = 0.0
    for i in range(x.size):
        s += x[i]
        if i >= w:
            s -= x[i - w]
        out[i] = s


# bind: x=f8[n] y=f8[n] a=0.3 | n=2000 | n=2000000
@njit
def leaky_integrate(x, y, a):
    v = 0.0
    for i in range(x.size):
        v = a * x[i] + (1.0 - a) * v
        if v > 1.2:
            v = 0.0
        y[i] = v


# bind: table=f8[k] idx=i8[n] w=f8[n] out=f8[n] | k=256 n=5000 | k=3000000 n=500000
@njit
def lookup_scale(table, idx, w, out):
    for i in range(idx.size):
        out[i] = w[i] * table[idx[i]]


# bind: edges=i8[m,2] x=f8[n] y=f8[n] | m=3000 n=500 | m=400000 n=100000
@njit
def graph_laplacian(edges, x, y):
    for e in range(edges.shape[0]):
        i = edges[e, 0]
        j = edges[e, 1]
        d = x[i] - x[j]
        y[i] += d
        y[j] -= d


# bind: x=f8[n] out=f8[n] | n=1000 | n=300000
@njit
def safe_log(x, out):
    for i in range(x.size):
        if x[i] > 0.0:
            out[i] = math.log(x[i])
        else:
            out[i] = 0.0


# bind: lat=f8[n] lon=f8[n] la=0.7 lo=0.4 d=f8[n] | n=1000 | n=100000
@njit
def sphere_distance(lat, lon, la, lo, d):
    for i in range(lat.size):
        c = math.sin(lat[i]) * math.sin(la) + math.cos(lat[i]) * math.cos(la) * math.cos(lon[i] - lo)
        d[i] = math.acos(min(1.0, max(-1.0, c)))


# bind: z=c16[n] out=f8[n] | n=1000 | n=500000
@njit
def power_spectrum(z, out):
    for i in range(z.size):
        out[i] = z[i].real * z[i].real + z[i].imag * z[i].imag


# bind: cr=f8[h,w] ci=f8[h,w] out=f8[h,w] | h=40 w=40 | h=400 w=400
@njit
def mandelbrot_fixed(cr, ci, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            x = 0.0
            y = 0.0
            for _ in range(20):
                t = x * x - y * y + 0.01 * cr[i, j]
                y = 2.0 * x * y + 0.01 * ci[i, j]
                x = t
            out[i, j] = x * x + y * y


# bind: A=f4[n,k] B=f4[k,m] C=f4[n,m] | n=64 k=64 m=64 | n=500 k=500 m=500
@njit
def product_f4(A, B, C):
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            a = A[i, k]
            for j in range(B.shape[1]):
                C[i, j] += a * B[k, j]


# bind: A=f8[n,m] out=f8[m] | n=300 m=50 | n=3000 m=700
@njit
def column_spread(A, out):
    for j in range(A.shape[1]):
        lo = A[0, j]
        hi = A[0, j]
        for i in range(A.shape[0]):
            lo = min(lo, A[i, j])
            hi = max(hi, A[i, j])
        out[j] = hi - lo


# bind: L=f8[n,n] b=f8[n] x=f8[n] | n=80 | n=1500
@njit
def forward_solve(L, b, x):
    for i in range(L.shape[0]):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]


# bind: U=f8[n,n] b=f8[n] x=f8[n] | n=80 | n=1500
@njit
def backward_columns(U, b, x):
    n = U.shape[0]
    for i in range(n):
        x[i] = b[i]
    for j in range(n - 1, -1, -1):
        x[j] /= U[j, j]
        for i in range(j):
            x[i] -= U[i, j] * x[j]


# bind: x=f8[n] y=f8[n] z=f8[n] | n=1000 | n=1000000
@njit
def norm_expression(x, y, z):
    z[:] = np.sqrt(x * x + y * y) / (1.0 + x)


# bind: A=f8[n,m] | n=100 m=30 | n=2000 m=500
@njit
def standardise_rows(A):
    for i in range(A.shape[0]):
        A[i] = (A[i] - A[i].mean()) / A[i].std()


# bind: R=f8[n,3,3] p=f8[n,3] q=f8[n,3] | n=200 | n=100000
@njit
def rotate_each(R, p, q):
    for i in range(p.shape[0]):
        for a in range(3):
            s = 0.0
            for b in range(3):
                s += R[i, a, b] * p[i, b]
            q[i, a] = s


# bind: x=f8[n] c=f8[6] y=f8[n] | n=1000 | n=500000
@njit
def polynomial5(x, c, y):
    for i in range(x.size):
        y[i] = c[0] + x[i] * (c[1] + x[i] * (c[2] + x[i] * (c[3] + x[i] * (c[4] + x[i] * c[5]))))


# bind: p=f8[n] q=f8[n] r=f8[n] lo=0.0 hi=2.0 | n=1000 | n=1000000
@njit
def reflect_inside(p, q, r, lo, hi):
    for i in range(p.size):
        v = p[i] + q[i] * 0.01
        if v < lo:
            v = 2.0 * lo - v
        if v > hi:
            v = 2.0 * hi - v
        r[i] = v


# bind: A=f8[n,m] k=f8[7] B=f8[n,m] | n=100 m=100 | n=1200 m=1200
@njit
def blur_columns7(A, k, B):
    for i in range(3, A.shape[0] - 3):
        for j in range(A.shape[1]):
            s = 0.0
            for t in range(7):
                s += k[t] * A[i + t - 3, j]
            B[i, j] = s


# bind: grid=i4[n,m] out=i4[n,m] | n=60 m=60 | n=1000 m=1000
@njit
def life_step(grid, out):
    for i in range(1, grid.shape[0] - 1):
        for j in range(1, grid.shape[1] - 1):
            s = 0
            for a in range(-1, 2):
                for b in range(-1, 2):
                    s += grid[i + a, j + b]
            s -= grid[i, j]
            out[i, j] = 1 if s == 3 or (s == 2 and grid[i, j] == 1) else 0


# bind: S=f8[paths,steps] z=f8[paths,steps] drift=0.0001 vol=0.01 | paths=100 steps=50 | paths=5000 steps=250
@njit
def stock_paths(S, z, drift, vol):
    for p in range(S.shape[0]):
        for t in range(1, S.shape[1]):
            S[p, t] = S[p, t - 1] * math.exp(drift + vol * z[p, t])


# bind: A=f8[n,n] B=f8[n,n] | n=64 | n=1000 | n=3000
@njit
def symmetric_part(A, B):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            B[i, j] = 0.5 * (A[i, j] + A[j, i])


# bind: x=f8[n,d] y=f8[m,d] K=f8[n,m] g=0.5 | n=50 d=3 m=50 | n=700 d=3 m=700
@njit
def rbf_kernel(x, y, K, g):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s = 0.0
            for k in range(x.shape[1]):
                s += (x[i, k] - y[j, k]) ** 2
            K[i, j] = math.exp(-g * s)

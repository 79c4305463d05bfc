"""More numba.cuda kernels, measured after the model was fitted to everyday_cuda.py: their counters are in h200.json."""

import math

from numba import cuda, float32, float64, int32

RAD = 4
T32 = 32


@cuda.jit
def star3d_r2(u, v):
    k, j = cuda.grid(2)
    nz, ny, nx = u.shape
    if 2 <= j < ny - 2 and 2 <= k < nx - 2:
        for i in range(2, nz - 2):
            v[i, j, k] = float32(0.5) * u[i, j, k] + float32(0.04) * (
                u[i - 2, j, k]
                + u[i - 1, j, k]
                + u[i + 1, j, k]
                + u[i + 2, j, k]
                + u[i, j - 2, k]
                + u[i, j - 1, k]
                + u[i, j + 1, k]
                + u[i, j + 2, k]
                + u[i, j, k - 2]
                + u[i, j, k - 1]
                + u[i, j, k + 1]
                + u[i, j, k + 2]
            )


@cuda.jit
def wave2d(p, q, r, c):
    j, i = cuda.grid(2)
    if 0 < i < p.shape[0] - 1 and 0 < j < p.shape[1] - 1:
        lap = q[i + 1, j] + q[i - 1, j] + q[i, j + 1] + q[i, j - 1] - 4.0 * q[i, j]
        r[i, j] = 2.0 * q[i, j] - p[i, j] + c[i, j] * lap


@cuda.jit
def laplace3d_f8(a, b):
    i = cuda.blockIdx.z * cuda.blockDim.z + cuda.threadIdx.z
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    k = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i > 0 and j > 0 and k > 0 and i < a.shape[0] - 1 and j < a.shape[1] - 1 and k < a.shape[2] - 1:
        b[i, j, k] = (
            a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k] + a[i, j + 1, k] + a[i, j, k - 1] + a[i, j, k + 1]
        ) / 6.0


@cuda.jit
def gemm_t32_guarded(A, B, C):
    sA = cuda.shared.array((T32, T32), float32)
    sB = cuda.shared.array((T32, T32), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    col = cuda.blockIdx.x * T32 + tx
    row = cuda.blockIdx.y * T32 + ty
    acc = float32(0.0)
    for t in range((A.shape[1] + T32 - 1) // T32):
        if row < A.shape[0] and t * T32 + tx < A.shape[1]:
            sA[ty, tx] = A[row, t * T32 + tx]
        else:
            sA[ty, tx] = float32(0.0)
        if col < B.shape[1] and t * T32 + ty < B.shape[0]:
            sB[ty, tx] = B[t * T32 + ty, col]
        else:
            sB[ty, tx] = float32(0.0)
        cuda.syncthreads()
        for k in range(T32):
            acc += sA[ty, k] * sB[k, tx]
        cuda.syncthreads()
    if row < C.shape[0] and col < C.shape[1]:
        C[row, col] = acc


@cuda.jit
def gemm_by_columns(A, B, C):
    j, i = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        s = 0.0
        for k in range(A.shape[1]):
            s += A[i, k] * B[k, j]
        C[i, j] = s


@cuda.jit
def abt_product(A, B, C):
    j, i = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        s = float32(0.0)
        for k in range(A.shape[1]):
            s += A[i, k] * B[j, k]
        C[i, j] = s


@cuda.jit
def transpose_tile_f4(a, b):
    t = cuda.shared.array((32, 33), float32)
    x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    if y < a.shape[0] and x < a.shape[1]:
        t[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 32 + cuda.threadIdx.y
    if y < b.shape[0] and x < b.shape[1]:
        b[y, x] = t[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit
def swap_axes_021(a, b):
    k, j, i = cuda.grid(3)
    if i < a.shape[0] and j < a.shape[1] and k < a.shape[2]:
        b[i, k, j] = a[i, j, k]


@cuda.jit
def layer_norm_thread(x, y, eps):
    r = cuda.grid(1)
    if r < x.shape[0]:
        n = x.shape[1]
        m = float32(0.0)
        for j in range(n):
            m += x[r, j]
        m /= float32(n)
        v = float32(0.0)
        for j in range(n):
            d = x[r, j] - m
            v += d * d
        s = float32(1.0) / math.sqrt(v / float32(n) + eps)
        for j in range(n):
            y[r, j] = (x[r, j] - m) * s


@cuda.jit
def normalise_columns(x, y):
    j = cuda.grid(1)
    if j < x.shape[1]:
        s = float32(0.0)
        for i in range(x.shape[0]):
            s += x[i, j] * x[i, j]
        s = float32(1.0) / math.sqrt(s)
        for i in range(x.shape[0]):
            y[i, j] = x[i, j] * s


@cuda.jit
def softmax_columns(x, y):
    j = cuda.grid(1)
    if j < x.shape[1]:
        m = x[0, j]
        for i in range(x.shape[0]):
            m = max(m, x[i, j])
        s = float32(0.0)
        for i in range(x.shape[0]):
            s += math.exp(x[i, j] - m)
        for i in range(x.shape[0]):
            y[i, j] = math.exp(x[i, j] - m) / s


@cuda.jit
def nbody_aos(p, a, eps):
    i = cuda.grid(1)
    if i < p.shape[0]:
        x, y, z = p[i, 0], p[i, 1], p[i, 2]
        ax = ay = az = float32(0.0)
        for j in range(p.shape[0]):
            dx = p[j, 0] - x
            dy = p[j, 1] - y
            dz = p[j, 2] - z
            r2 = dx * dx + dy * dy + dz * dz + eps
            w = p[j, 3] / (r2 * math.sqrt(r2))
            ax += w * dx
            ay += w * dy
            az += w * dz
        a[i, 0] = ax
        a[i, 1] = ay
        a[i, 2] = az


@cuda.jit
def push_soa(x, v, f, m, dt):
    i = cuda.grid(1)
    if i < x.size:
        v[i] += dt * f[i] / m[i]
        x[i] += dt * v[i]


@cuda.jit
def pairwise_d2(x, y, d):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < y.shape[0]:
        s = float32(0.0)
        for k in range(x.shape[1]):
            t = x[i, k] - y[j, k]
            s += t * t
        d[i, j] = s


@cuda.jit
def softplus(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.log(1.0 + math.exp(x[i]))


@cuda.jit
def elu_f8(x, y, a):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        y[i] = v if v > 0.6 else a * (math.exp(v) - 1.0)


@cuda.jit
def swiglu(a, b, y):
    j, i = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        v = a[i, j]
        y[i, j] = v / (float32(1.0) + math.exp(-v)) * b[i, j]


@cuda.jit
def gemv_f8_block(A, x, y):
    s = cuda.shared.array(256, float64)
    t = cuda.threadIdx.x
    r = cuda.blockIdx.x
    acc = 0.0
    for j in range(t, A.shape[1], 256):
        acc += A[r, j] * x[j]
    s[t] = acc
    cuda.syncthreads()
    k = 128
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        y[r] = s[0]


@cuda.jit
def gemv_f4_thread(A, x, y):
    r = cuda.grid(1)
    if r < A.shape[0]:
        s = float32(0.0)
        for j in range(A.shape[1]):
            s += A[r, j] * x[j]
        y[r] = s


@cuda.jit
def lbm_stream(f, g):
    x, y = cuda.grid(2)
    h, w = f.shape[1], f.shape[2]
    if 0 < x < w - 1 and 0 < y < h - 1:
        g[0, y, x] = f[0, y, x]
        g[1, y, x] = f[1, y, x - 1]
        g[2, y, x] = f[2, y - 1, x]
        g[3, y, x] = f[3, y, x + 1]
        g[4, y, x] = f[4, y + 1, x]
        g[5, y, x] = f[5, y - 1, x - 1]
        g[6, y, x] = f[6, y - 1, x + 1]
        g[7, y, x] = f[7, y + 1, x + 1]
        g[8, y, x] = f[8, y + 1, x - 1]


@cuda.jit
def sobel_f4(a, b):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        gx = (
            a[y - 1, x + 1]
            + float32(2.0) * a[y, x + 1]
            + a[y + 1, x + 1]
            - a[y - 1, x - 1]
            - float32(2.0) * a[y, x - 1]
            - a[y + 1, x - 1]
        )
        gy = (
            a[y + 1, x - 1]
            + float32(2.0) * a[y + 1, x]
            + a[y + 1, x + 1]
            - a[y - 1, x - 1]
            - float32(2.0) * a[y - 1, x]
            - a[y - 1, x + 1]
        )
        b[y, x] = math.sqrt(gx * gx + gy * gy)


@cuda.jit
def newton_sqrt(x, y):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        r = v
        for _ in range(8):
            r = 0.5 * (r + v / r)
        y[i] = r


@cuda.jit
def horner8(x, c, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        v = x[i]
        s = c[8]
        for k in range(7, -1, -1):
            s = s * v + c[k]
        y[i] = s


@cuda.jit
def life(a, b):
    x, y = cuda.grid(2)
    h, w = a.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        n = (
            int32(a[y - 1, x - 1])
            + a[y - 1, x]
            + a[y - 1, x + 1]
            + a[y, x - 1]
            + a[y, x + 1]
            + a[y + 1, x - 1]
            + a[y + 1, x]
            + a[y + 1, x + 1]
        )
        b[y, x] = 1 if n == 3 or (n == 2 and a[y, x] == 1) else 0

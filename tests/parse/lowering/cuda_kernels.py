"""CUDA kernels as people write them. They are read as text, and run by ``tests/oracle/launches.py``."""

# ruff: noqa
import math

from numba import cuda, float32, float64


@cuda.jit
def stencil3d(u, v):
    k, j, i = cuda.grid(3)
    nz, ny, nx = u.shape
    if 1 <= i < nz - 1 and 1 <= j < ny - 1 and 1 <= k < nx - 1:
        s = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
        v[i, j, k] = (u[i, j, k] + s + u[i, j, k - 1] + u[i, j, k + 1]) / 7.0


@cuda.jit
def stencil3d_march(u, v):
    j, i = cuda.grid(2)
    nz, ny, nx = u.shape
    if 0 < i < ny - 1 and 0 < j < nx - 1:
        for k in range(1, nz - 1):
            v[k, i, j] = u[k - 1, i, j] + u[k + 1, i, j] - 2.0 * u[k, i, j]


@cuda.jit
def gemm_naive(A, B, C, alpha, beta):
    j, i = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        tmp = 0.0
        for k in range(A.shape[1]):
            tmp += A[i, k] * B[k, j]
        C[i, j] = alpha * tmp + beta * C[i, j]


@cuda.jit
def gemm_guarded(A, B, C):
    sA = cuda.shared.array((16, 16), float64)
    sB = cuda.shared.array((16, 16), float64)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    tmp = 0.0
    for i in range((A.shape[1] + 15) // 16):
        sA[tx, ty] = 0.0
        sB[tx, ty] = 0.0
        if x < A.shape[0] and ty + i * 16 < A.shape[1]:
            sA[tx, ty] = A[x, ty + i * 16]
        if y < B.shape[1] and tx + i * 16 < B.shape[0]:
            sB[tx, ty] = B[tx + i * 16, y]
        cuda.syncthreads()
        for j in range(16):
            tmp += sA[tx, j] * sB[j, ty]
        cuda.syncthreads()
    if x < C.shape[0] and y < C.shape[1]:
        C[x, y] = tmp


@cuda.jit
def transpose_tiled(a, b):
    tile = cuda.shared.array((32, 33), float32)
    x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    for j in range(0, 32, 8):
        if x < a.shape[1] and y + j < a.shape[0]:
            tile[cuda.threadIdx.y + j, cuda.threadIdx.x] = a[y + j, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 32 + cuda.threadIdx.y
    for j in range(0, 32, 8):
        if x < b.shape[1] and y + j < b.shape[0]:
            b[y + j, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + j]


@cuda.jit
def layernorm(x, y, eps):
    row = cuda.blockIdx.x
    tid = cuda.threadIdx.x
    s = cuda.shared.array(256, float32)
    n = x.shape[1]
    acc = float32(0.0)
    for j in range(tid, n, cuda.blockDim.x):
        acc += x[row, j]
    s[tid] = acc
    cuda.syncthreads()
    step = 128
    while step > 0:
        if tid < step:
            s[tid] += s[tid + step]
        cuda.syncthreads()
        step //= 2
    mean = s[0] / n
    cuda.syncthreads()
    acc = float32(0.0)
    for j in range(tid, n, cuda.blockDim.x):
        d = x[row, j] - mean
        acc += d * d
    s[tid] = acc
    cuda.syncthreads()
    step = 128
    while step > 0:
        if tid < step:
            s[tid] += s[tid + step]
        cuda.syncthreads()
        step //= 2
    inv = float32(1.0) / math.sqrt(s[0] / n + eps)
    for j in range(tid, n, cuda.blockDim.x):
        y[row, j] = (x[row, j] - mean) * inv


@cuda.jit
def softmax_rows(x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        m = x[i, 0]
        for j in range(1, x.shape[1]):
            m = max(m, x[i, j])
        s = float32(0.0)
        for j in range(x.shape[1]):
            s += math.exp(x[i, j] - m)
        for j in range(x.shape[1]):
            y[i, j] = math.exp(x[i, j] - m) / s


@cuda.jit
def gelu(x, y):
    i = cuda.grid(1)
    stride = cuda.gridsize(1)
    for k in range(i, x.size, stride):
        v = x[k]
        t = math.tanh(float32(0.7978845608) * (v + float32(0.044715) * v * v * v))
        y[k] = float32(0.5) * v * (float32(1.0) + t)


@cuda.jit
def gemv_block(A, x, y):
    s = cuda.shared.array(128, float64)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    acc = 0.0
    j = t
    while j < A.shape[1]:
        acc += A[row, j] * x[j]
        j += cuda.blockDim.x
    s[t] = acc
    cuda.syncthreads()
    k = cuda.blockDim.x // 2
    while k != 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k = k // 2
    if t == 0:
        y[row] = s[0]


@cuda.jit
def gemv_thread(A, x, y):
    i = cuda.grid(1)
    if i < y.shape[0]:
        acc = 0.0
        for j in range(x.shape[0]):
            acc += A[i, j] * x[j]
        y[i] = acc


@cuda.jit
def nbody_tiled(pos, acc, eps):
    sh = cuda.shared.array((128, 4), float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    n = pos.shape[0]
    ax = float32(0.0)
    px = pos[i, 0]
    for tile in range(n // 128):
        for c in range(4):
            sh[t, c] = pos[tile * 128 + t, c]
        cuda.syncthreads()
        for k in range(128):
            dx = sh[k, 0] - px
            inv = float32(1.0) / math.sqrt(dx * dx + eps)
            ax += sh[k, 3] * dx * inv * inv * inv
        cuda.syncthreads()
    acc[i, 0] = ax


@cuda.jit
def saxpy_while(a, x, y):
    i = cuda.grid(1)
    while i < x.size:
        y[i] = a * x[i] + y[i]
        i += cuda.gridsize(1)


@cuda.jit
def early(a, x, y):
    i = cuda.grid(1)
    if i >= x.size:
        return
    if i == 0 or i == x.size - 1:
        y[i] = x[i]
    else:
        y[i] = a * (x[i - 1] + x[i + 1])


@cuda.jit
def conv1d(x, w, y):
    i = cuda.grid(1)
    r = w.size // 2
    if i < x.size:
        s = 0.0
        for k in range(w.size):
            j = i + k - r
            if 0 <= j < x.size:
                s += x[j] * w[k]
        y[i] = s

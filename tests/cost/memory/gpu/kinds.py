"""Kernels of the kinds that people measure on GPUs: what each moves is derived by hand in ``test_kinds.py``."""

import math

import numpy as np
from numba import cuda, float32, float64, int32
from numba.cuda.random import xoroshiro128p_uniform_float32

SIDE = 32
TILE = 16
WIDTH = 256


# roofscan: x=f4[67108864] out=f4[262144] grid=(262144,) block=(256,)
@cuda.jit
def reduce_in_shared(x, out):
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = 128
    while k > 0:
        if t < k:
            part[t] += part[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


# roofscan: x=f4[67108864] out=f4[1] grid=(1056,) block=(256,)
@cuda.jit
def reduce_by_shuffles(x, out):
    total = float32(0.0)
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        total += x[i]
    k = 16
    while k > 0:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, k)
        k //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, total)


# roofscan: bins=i4[256] values=u1[268435456] grid=(1048576,) block=(256,)
@cuda.jit
def histogram_global(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


# roofscan: bins=i4[256] values=u1[268435456] grid=(1056,) block=(256,)
@cuda.jit
def histogram_shared(values, bins):
    own = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, values[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, own[t])


# roofscan: A=f4[4096,4096] B=f4[4096,4096] C=f4[4096,4096] grid=(256,256) block=(16,16)
@cuda.jit
def matmul_naive(A, B, C):
    j, i = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        acc = float32(0.0)
        for k in range(A.shape[1]):
            acc += A[i, k] * B[k, j]
        C[i, j] = acc


# roofscan: A=f8[4096,4096] B=f8[4096,4096] C=f8[4096,4096] grid=(256,256) block=(16,16)
@cuda.jit
def matmul_tiled(A, B, C):
    a = cuda.shared.array((TILE, TILE), float64)
    b = cuda.shared.array((TILE, TILE), float64)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    acc = 0.0
    for p in range(0, A.shape[1], TILE):
        a[ty, tx] = A[i, p + tx]
        b[ty, tx] = B[p + ty, j]
        cuda.syncthreads()
        for k in range(TILE):
            acc += a[ty, k] * b[k, tx]
        cuda.syncthreads()
    C[i, j] = acc


# roofscan: u=f4[512,512,512] v=f4[512,512,512] grid=(16,128,128) block=(32,4,4)
@cuda.jit
def stencil_7_points(u, v):
    k, j, i = cuda.grid(3)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1 and 0 < k < u.shape[2] - 1:
        v[i, j, k] = (
            u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1]
        ) - float32(6.0) * u[i, j, k]


# roofscan: u=f8[8192,8192] v=f8[8192,8192] grid=(256,256) block=(32,32)
@cuda.jit
def stencil_in_shared(u, v):
    tile = cuda.shared.array((34, 34), float64)
    tx, ty = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    j, i = cuda.grid(2)
    n, m = u.shape
    tile[ty, tx] = u[i, j]
    if tx == 1 and j > 0:
        tile[ty, 0] = u[i, j - 1]
    if tx == 32 and j < m - 1:
        tile[ty, 33] = u[i, j + 1]
    if ty == 1 and i > 0:
        tile[0, tx] = u[i - 1, j]
    if ty == 32 and i < n - 1:
        tile[33, tx] = u[i + 1, j]
    cuda.syncthreads()
    if 0 < i < n - 1 and 0 < j < m - 1:
        v[i, j] = 0.25 * (tile[ty - 1, tx] + tile[ty + 1, tx] + tile[ty, tx - 1] + tile[ty, tx + 1])


# roofscan: x=f4[33554432] y=f4[33554432] totals=f4[131072] grid=(131072,) block=(256,)
@cuda.jit
def scan_of_blocks(x, y, totals):
    a = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    a[t] = x[i]
    cuda.syncthreads()
    k = 1
    while k < 256:
        v = float32(0.0)
        if t >= k:
            v = a[t - k]
        cuda.syncthreads()
        a[t] += v
        cuda.syncthreads()
        k *= 2
    y[i] = a[t]
    if t == 255:
        totals[cuda.blockIdx.x] = a[t]


# roofscan: a=f4[16384,16384] b=f4[16384,16384] grid=(512,512) block=(32,8)
@cuda.jit
def transpose_tiled(a, b):
    tile = cuda.shared.array((32, 32), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for k in range(0, 32, 8):
        tile[ty + k, tx] = a[y + k, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for k in range(0, 32, 8):
        b[y + k, x] = tile[tx, ty + k]


# roofscan: a=f4[16384,16384] b=f4[16384,16384] grid=(512,512) block=(32,8)
@cuda.jit
def transpose_padded(a, b):
    tile = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for k in range(0, 32, 8):
        tile[ty + k, tx] = a[y + k, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for k in range(0, 32, 8):
        b[y + k, x] = tile[tx, ty + k]


# roofscan: x=f8[134217728] index=i4[33554432] y=f8[33554432] grid=(131072,) block=(256,)
@cuda.jit
def gather(x, index, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[index[i]]


# roofscan: x=f8[33554432] index=i4[33554432] y=f8[134217728] grid=(131072,) block=(256,)
@cuda.jit
def scatter(x, index, y):
    i = cuda.grid(1)
    if i < x.size:
        y[index[i]] = x[i]


# roofscan: A=f4[4194304,4,4] x=f4[4194304,4] y=f4[4194304,4] grid=(16384,) block=(256,)
@cuda.jit
def small_products(A, x, y):
    b = cuda.grid(1)
    if b < A.shape[0]:
        for i in range(4):
            acc = float32(0.0)
            for j in range(4):
                acc += A[b, i, j] * x[b, j]
            y[b, i] = acc


# roofscan: p=f4[33554432,4] e=f4[33554432] grid=(131072,) block=(256,)
@cuda.jit
def energies_of_records(p, e):
    i = cuda.grid(1)
    if i < e.size:
        e[i] = float32(0.5) * p[i, 3] * (p[i, 0] * p[i, 0] + p[i, 1] * p[i, 1] + p[i, 2] * p[i, 2])


# roofscan: p=f4[33554432,8] e=f4[33554432] grid=(131072,) block=(256,)
@cuda.jit
def mass_of_records(p, e):
    i = cuda.grid(1)
    if i < e.size:
        e[i] = float32(2.0) * p[i, 7]


# roofscan: p=f4[4,33554432] e=f4[33554432] grid=(131072,) block=(256,)
@cuda.jit
def energies_of_fields(p, e):
    i = cuda.grid(1)
    if i < e.size:
        e[i] = float32(0.5) * p[3, i] * (p[0, i] * p[0, i] + p[1, i] * p[1, i] + p[2, i] * p[2, i])


# roofscan: x=f4[32768,4096] y=f4[32768,4096] grid=(32768,) block=(256,)
@cuda.jit
def softmax_rows(x, y):
    part = cuda.shared.array(256, float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    top = float32(-1e30)
    for j in range(t, x.shape[1], 256):
        top = max(top, x[row, j])
    part[t] = top
    cuda.syncthreads()
    k = 128
    while k > 0:
        if t < k:
            part[t] = max(part[t], part[t + k])
        cuda.syncthreads()
        k //= 2
    top = part[0]
    cuda.syncthreads()
    total = float32(0.0)
    for j in range(t, x.shape[1], 256):
        total += math.exp(x[row, j] - top)
    part[t] = total
    cuda.syncthreads()
    k = 128
    while k > 0:
        if t < k:
            part[t] += part[t + k]
        cuda.syncthreads()
        k //= 2
    total = part[0]
    for j in range(t, x.shape[1], 256):
        y[row, j] = math.exp(x[row, j] - top) / total


# roofscan: x=f4[131072,1024] y=f4[131072,1024] g=f4[1024] b=f4[1024] grid=(16384,) block=(32,8)
@cuda.jit
def layernorm_by_warps(x, y, g, b):
    lane = cuda.threadIdx.x
    row = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    n = x.shape[1]
    mean = float32(0.0)
    for j in range(lane, n, 32):
        mean += x[row, j]
    for k in (16, 8, 4, 2, 1):
        mean += cuda.shfl_xor_sync(0xFFFFFFFF, mean, k)
    mean /= float32(n)
    var = float32(0.0)
    for j in range(lane, n, 32):
        d = x[row, j] - mean
        var += d * d
    for k in (16, 8, 4, 2, 1):
        var += cuda.shfl_xor_sync(0xFFFFFFFF, var, k)
    scale = float32(1.0) / math.sqrt(var / float32(n) + float32(1e-5))
    for j in range(lane, n, 32):
        y[row, j] = (x[row, j] - mean) * scale * g[j] + b[j]


# roofscan: p=f4[131072,4] a=f4[131072,3] grid=(512,) block=(256,)
@cuda.jit
def nbody_in_tiles(p, a):
    tile = cuda.shared.array((256, 4), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    x, y, z = p[i, 0], p[i, 1], p[i, 2]
    ax = ay = az = float32(0.0)
    for first in range(0, p.shape[0], 256):
        for c in range(4):
            tile[t, c] = p[first + t, c]
        cuda.syncthreads()
        for k in range(256):
            dx, dy, dz = tile[k, 0] - x, tile[k, 1] - y, tile[k, 2] - z
            r = dx * dx + dy * dy + dz * dz + float32(1e-6)
            w = tile[k, 3] / (r * math.sqrt(r))
            ax += w * dx
            ay += w * dy
            az += w * dz
        cuda.syncthreads()
    a[i, 0] = ax
    a[i, 1] = ay
    a[i, 2] = az


# roofscan: out=i4[8192,8192] grid=(512,512) block=(16,16)
@cuda.jit
def mandelbrot(out, limit):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        re, im = -2.0 + j * (3.0 / out.shape[1]), -1.5 + i * (3.0 / out.shape[0])
        x = y = 0.0
        n = 0
        while n < limit and x * x + y * y < 4.0:
            x, y = x * x - y * y + re, 2.0 * x * y + im
            n += 1
        out[i, j] = n


# roofscan: states=u8[262144,2] hits=f4[262144] grid=(1024,) block=(256,) trials=1000
@cuda.jit
def monte_carlo(states, trials, hits):
    i = cuda.grid(1)
    inside = 0
    for _ in range(trials):
        x = xoroshiro128p_uniform_float32(states, i)
        y = xoroshiro128p_uniform_float32(states, i)
        if x * x + y * y <= float32(1.0):
            inside += 1
    hits[i] = float32(4.0) * inside / trials


# roofscan: a=f4[67108864] j=1024 k=4096 grid=(262144,) block=(256,)
@cuda.jit
def bitonic_step(a, j, k):
    i = cuda.grid(1)
    other = i ^ j
    if other > i:
        if i & k == 0:
            if a[i] > a[other]:
                a[i], a[other] = a[other], a[i]
        elif a[i] < a[other]:
            a[i], a[other] = a[other], a[i]


FILTER = np.ones((5, 5), np.float32)


# roofscan: image=f4[8192,8192] out=f4[8192,8192] grid=(256,1024) block=(32,8)
@cuda.jit
def convolution(image, out):
    weights = cuda.const.array_like(FILTER)
    j, i = cuda.grid(2)
    if 2 <= i < image.shape[0] - 2 and 2 <= j < image.shape[1] - 2:
        acc = float32(0.0)
        for p in range(5):
            for q in range(5):
                acc += weights[p, q] * image[i + p - 2, j + q - 2]
        out[i, j] = acc


# roofscan: columns=i4[32,2097152] data=f8[32,2097152] x=f8[2097152] y=f8[2097152] grid=(8192,) block=(256,)
@cuda.jit
def spmv_ell(columns, data, x, y):
    row = cuda.grid(1)
    if row < y.size:
        acc = 0.0
        for k in range(data.shape[0]):
            acc += data[k, row] * x[columns[k, row]]
        y[row] = acc


# roofscan: indptr=i4[262145] indices=i4[67108864] data=f8[67108864]
# roofscan: x=f8[262144] y=f8[262144] grid=(32768,) block=(32,8)
@cuda.jit
def spmv_csr_by_warps(indptr, indices, data, x, y):
    lane = cuda.threadIdx.x
    row = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if row < y.size:
        acc = 0.0
        for p in range(indptr[row] + lane, indptr[row + 1], 32):
            acc += data[p] * x[indices[p]]
        for k in (16, 8, 4, 2, 1):
            acc += cuda.shfl_down_sync(0xFFFFFFFF, acc, k)
        if lane == 0:
            y[row] = acc


# roofscan: x=f2[134217728] y=f2[134217728] a=f2 grid=(1056,) block=(256,)
@cuda.jit
def saxpy_of_halves(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


# roofscan: x=f4[67108864] y=f4[67108864] grid=(262144,) block=(256,)
@cuda.jit
def polynomial_with_doubles(x, y):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        for _ in range(64):
            v = v * 1.0001 + 0.5
        y[i] = v


# roofscan: x=f8[16777216] y=f8[16777216] grid=(16,) block=(128,)
@cuda.jit
def few_blocks(x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = x[i] + 1.0


# roofscan: x=f4[4096] y=f4[4096] grid=(16,) block=(256,)
@cuda.jit
def tiny(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = float32(2.0) * x[i]


# roofscan: x=f4[131072,1024] y=f4[131072,1024] grid=(16384,) block=(256,)
@cuda.jit
def rmsnorm_warp(x, y):
    t = cuda.threadIdx.x
    warp = t // 32
    lane = t % 32
    row = cuda.blockIdx.x * 8 + warp
    s = float32(0.0)
    for j in range(lane, x.shape[1], 32):
        v = x[row, j]
        s += v * v
    for k in (16, 8, 4, 2, 1):
        s += cuda.shfl_xor_sync(0xFFFFFFFF, s, k)
    s = float32(1.0) / math.sqrt(s / float32(x.shape[1]))
    for j in range(lane, x.shape[1], 32):
        y[row, j] = x[row, j] * s


# roofscan: A=f4[32768,8192] x=f4[8192] y=f4[32768] grid=(4096,) block=(256,)
@cuda.jit
def gemv_warp(A, x, y):
    row = cuda.grid(1) // 32
    lane = cuda.laneid
    if row < A.shape[0]:
        s = float32(0.0)
        for j in range(lane, A.shape[1], 32):
            s += A[row, j] * x[j]
        for k in (16, 8, 4, 2, 1):
            s += cuda.shfl_down_sync(0xFFFFFFFF, s, k)
        if lane == 0:
            y[row] = s


# roofscan: A=f4[32768,8192] x=f4[8192] y=f4[32768] grid=(32768,) block=(256,)
@cuda.jit
def gemv_block(A, x, y):
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    s = float32(0.0)
    for j in range(t, A.shape[1], cuda.blockDim.x):
        s += A[row, j] * x[j]
    part[t] = s
    cuda.syncthreads()
    i = cuda.blockDim.x // 2
    while i != 0:
        if t < i:
            part[t] += part[t + i]
        cuda.syncthreads()
        i //= 2
    if t == 0:
        y[row] = part[0]


# roofscan: u=f4[512,512,512] v=f4[512,512,512] grid=(524288,) block=(256,)
@cuda.jit
def stencil_flat(u, v):
    i = cuda.grid(1)
    nz, ny, nx = u.shape
    x = i % nx
    y = (i // nx) % ny
    z = i // (nx * ny)
    if 0 < x < nx - 1 and 0 < y < ny - 1 and 0 < z < nz - 1:
        v[z, y, x] = u[z, y, x - 1] + u[z, y, x + 1] + u[z, y - 1, x] + u[z, y + 1, x] + u[z - 1, y, x] + u[z + 1, y, x]


# roofscan: x=f4[134217728] y=f4[134217728] grid=(524288,) block=(256,)
@cuda.jit
def gelu(x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        v = x[i]
        y[i] = float32(0.5) * v * (float32(1.0) + math.tanh(float32(0.7978846) * (v + float32(0.044715) * v * v * v)))


# roofscan: A=f8[4096,4096] B=f8[4096,4096] C=f8[4096,4096] grid=(128,128) block=(32,32)
@cuda.jit
def matmul64(A, B, C):
    j, i = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        s = 0.0
        for k in range(A.shape[1]):
            s += A[i, k] * B[k, j]
        C[i, j] = s


# roofscan: u=f8[384,384,384] v=f8[384,384,384] grid=(48,48,48) block=(8,8,8)
@cuda.jit
def stencil27(u, v):
    k, j, i = cuda.grid(3)
    n0, n1, n2 = u.shape
    if 0 < i < n0 - 1 and 0 < j < n1 - 1 and 0 < k < n2 - 1:
        s = 0.0
        for a in range(-1, 2):
            for b in range(-1, 2):
                for c in range(-1, 2):
                    s += u[i + a, j + b, k + c]
        v[i, j, k] = s / 27.0


# roofscan: a=f4[16384,16384] b=f4[16384,16384] grid=(512,512) block=(256,)
@cuda.jit
def transpose_1d(a, b):
    tile = cuda.shared.array((32, 33), float32)
    t = cuda.threadIdx.x
    tx, ty = t % 32, t // 32
    x = cuda.blockIdx.x * 32 + tx
    y = cuda.blockIdx.y * 32 + ty
    for k in range(0, 32, 8):
        tile[ty + k, tx] = a[y + k, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + tx
    y = cuda.blockIdx.x * 32 + ty
    for k in range(0, 32, 8):
        b[y + k, x] = tile[tx, ty + k]


# roofscan: p=f4[33554432,8] grid=(131072,) block=(256,) dt=f4
@cuda.jit
def push_records(p, dt):
    i = cuda.grid(1)
    if i < p.shape[0]:
        p[i, 0] += p[i, 3] * dt
        p[i, 1] += p[i, 4] * dt
        p[i, 2] += p[i, 5] * dt


# roofscan: p=f4[33554432,8] q=f4[33554432,8] grid=(131072,) block=(256,)
@cuda.jit
def copy_records(p, q):
    i = cuda.grid(1)
    if i < p.shape[0]:
        q[i, 0] = p[i, 0]
        q[i, 1] = p[i, 1]


# roofscan: src=f4[2048,2048] dst=f4[4096,4096] scale=f8:0.3 grid=(128,512) block=(32,8)
@cuda.jit
def upsample(src, dst, scale):
    x, y = cuda.grid(2)
    if y < dst.shape[0] and x < dst.shape[1]:
        dst[y, x] = src[int(y * scale), int(x * scale)]

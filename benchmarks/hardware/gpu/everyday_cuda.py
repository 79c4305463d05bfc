"""Everyday numba.cuda kernels, whose counters on an H200 are in h200.json (``python -m benchmarks.gpu FOLDER``)."""

import math

import numpy as np
from numba import cuda, float32, float64, int32, int64

TILE = 16
TDIM = 32
BROWS = 8
BX = 32
BY = 8
HX = BX + 2
HY = BY + 2
TPAD = TDIM + 1
NTHREADS = 256
HALF = 128
BINS = 256
SCAN_N = 512
GAUSS3 = np.array([[0.0625, 0.125, 0.0625], [0.125, 0.25, 0.125], [0.0625, 0.125, 0.0625]], dtype=np.float32)


@cuda.jit
def heat3d_7pt(u, un, coef):
    k, j, i = cuda.grid(3)
    nx, ny, nz = u.shape
    if i >= 1 and i < nx - 1 and j >= 1 and j < ny - 1 and k >= 1 and k < nz - 1:
        un[i, j, k] = u[i, j, k] + coef * (
            u[i + 1, j, k]
            + u[i - 1, j, k]
            + u[i, j + 1, k]
            + u[i, j - 1, k]
            + u[i, j, k + 1]
            + u[i, j, k - 1]
            - 6.0 * u[i, j, k]
        )


@cuda.jit
def box_mean27(a, b):
    x, y, z = cuda.grid(3)
    if 0 < z < a.shape[0] - 1 and 0 < y < a.shape[1] - 1 and 0 < x < a.shape[2] - 1:
        acc = float32(0.0)
        for dz in range(-1, 2):
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    acc += a[z + dz, y + dy, x + dx]
        b[z, y, x] = acc * float32(1.0 / 27.0)


@cuda.jit
def conv2d_5x5(img, w, out):
    col, row = cuda.grid(2)
    h = img.shape[0]
    wd = img.shape[1]
    if row < h - 4 and col < wd - 4:
        s = float32(0.0)
        for p in range(5):
            for q in range(5):
                s += w[p, q] * img[row + p, col + q]
        out[row, col] = s


@cuda.jit
def blur_const3(img, out):
    weights = cuda.const.array_like(GAUSS3)
    x, y = cuda.grid(2)
    h, w = img.shape
    if x < 1 or y < 1 or x >= w - 1 or y >= h - 1:
        return
    s = float32(0.0)
    for dy in range(3):
        for dx in range(3):
            s += weights[dy, dx] * img[y + dy - 1, x + dx - 1]
    out[y, x] = s


@cuda.jit
def diffuse_halo(u, v, alpha):
    s = cuda.shared.array((HY, HX), float64)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    j = cuda.blockIdx.x * cuda.blockDim.x + tx
    i = cuda.blockIdx.y * cuda.blockDim.y + ty
    n, m = u.shape
    if i < n and j < m:
        s[ty + 1, tx + 1] = u[i, j]
        if tx == 0 and j > 0:
            s[ty + 1, 0] = u[i, j - 1]
        if tx == BX - 1 and j < m - 1:
            s[ty + 1, BX + 1] = u[i, j + 1]
        if ty == 0 and i > 0:
            s[0, tx + 1] = u[i - 1, j]
        if ty == BY - 1 and i < n - 1:
            s[BY + 1, tx + 1] = u[i + 1, j]
    cuda.syncthreads()
    if i > 0 and i < n - 1 and j > 0 and j < m - 1:
        c = s[ty + 1, tx + 1]
        lap = s[ty, tx + 1] + s[ty + 2, tx + 1] + s[ty + 1, tx] + s[ty + 1, tx + 2] - 4.0 * c
        v[i, j] = c + alpha * lap


@cuda.jit
def gemm_naive(A, B, C):
    i, j = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        tmp = float32(0.0)
        for k in range(A.shape[1]):
            tmp += A[i, k] * B[k, j]
        C[i, j] = tmp


@cuda.jit
def dgemm_tile16(A, B, C):
    sA = cuda.shared.array(shape=(TILE, TILE), dtype=float64)
    sB = cuda.shared.array(shape=(TILE, TILE), dtype=float64)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    row = cuda.blockIdx.y * TILE + ty
    col = cuda.blockIdx.x * TILE + tx
    acc = 0.0
    ntiles = (A.shape[1] + TILE - 1) // TILE
    for t in range(ntiles):
        sA[ty, tx] = 0.0
        sB[ty, tx] = 0.0
        if row < A.shape[0] and t * TILE + tx < A.shape[1]:
            sA[ty, tx] = A[row, t * TILE + tx]
        if col < B.shape[1] and t * TILE + ty < B.shape[0]:
            sB[ty, tx] = B[t * TILE + ty, col]
        cuda.syncthreads()
        for k in range(TILE):
            acc += sA[ty, k] * sB[k, tx]
        cuda.syncthreads()
    if row < C.shape[0] and col < C.shape[1]:
        C[row, col] = acc


@cuda.jit
def matmul_rect(A, B, C, M, N, K):
    col = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    row = cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y
    if row < M and col < N:
        acc = float32(0.0)
        for k in range(K):
            acc += A[row, k] * B[k, col]
        C[row, col] = acc


@cuda.jit
def transpose_padded(src, dst):
    tile = cuda.shared.array((TDIM, TPAD), float32)
    x = cuda.blockIdx.x * TDIM + cuda.threadIdx.x
    y = cuda.blockIdx.y * TDIM + cuda.threadIdx.y
    for r in range(0, TDIM, BROWS):
        tile[cuda.threadIdx.y + r, cuda.threadIdx.x] = src[y + r, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TDIM + cuda.threadIdx.x
    y = cuda.blockIdx.x * TDIM + cuda.threadIdx.y
    for r in range(0, TDIM, BROWS):
        dst[y + r, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + r]


@cuda.jit
def transpose_conflict(src, dst):
    tile = cuda.shared.array((TDIM, TDIM), float64)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    bx = cuda.blockIdx.x * TDIM
    by = cuda.blockIdx.y * TDIM
    if by + ty < src.shape[0] and bx + tx < src.shape[1]:
        tile[ty, tx] = src[by + ty, bx + tx]
    cuda.syncthreads()
    if bx + ty < dst.shape[0] and by + tx < dst.shape[1]:
        dst[bx + ty, by + tx] = tile[tx, ty]


@cuda.jit
def transpose_wcoal(src, dst):
    x, y = cuda.grid(2)
    if y < dst.shape[0] and x < dst.shape[1]:
        dst[y, x] = src[x, y]


@cuda.jit
def batchnorm_infer(x, mean, var, gamma, beta, y, eps):
    p = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    c = cuda.blockIdx.y
    n = cuda.blockIdx.z
    if p < x.shape[2]:
        inv = 1.0 / math.sqrt(var[c] + eps)
        y[n, c, p] = (x[n, c, p] - mean[c]) * inv * gamma[c] + beta[c]


@cuda.jit
def softmax_thread(x, y):
    row = cuda.grid(1)
    if row >= x.shape[0]:
        return
    n = x.shape[1]
    big = x[row, 0]
    for j in range(1, n):
        big = max(big, x[row, j])
    total = float32(0.0)
    for j in range(n):
        e = math.exp(x[row, j] - big)
        y[row, j] = e
        total += e
    for j in range(n):
        y[row, j] /= total


@cuda.jit
def softmax_block(x, y):
    sh = cuda.shared.array(NTHREADS, float32)
    row = cuda.blockIdx.x
    tid = cuda.threadIdx.x
    n = x.shape[1]
    m = float32(-1e30)
    for j in range(tid, n, NTHREADS):
        m = max(m, x[row, j])
    sh[tid] = m
    cuda.syncthreads()
    s = NTHREADS // 2
    while s > 0:
        if tid < s:
            sh[tid] = max(sh[tid], sh[tid + s])
        cuda.syncthreads()
        s //= 2
    m = sh[0]
    cuda.syncthreads()
    acc = float32(0.0)
    for j in range(tid, n, NTHREADS):
        acc += math.exp(x[row, j] - m)
    sh[tid] = acc
    cuda.syncthreads()
    s = NTHREADS // 2
    while s > 0:
        if tid < s:
            sh[tid] += sh[tid + s]
        cuda.syncthreads()
        s //= 2
    total = sh[0]
    for j in range(tid, n, NTHREADS):
        y[row, j] = math.exp(x[row, j] - m) / total


@cuda.jit
def layer_norm_rows(x, w, b, out, eps):
    ssum = cuda.shared.array(HALF, float32)
    ssq = cuda.shared.array(HALF, float32)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    d = x.shape[1]
    a = float32(0.0)
    q = float32(0.0)
    for c in range(t, d, cuda.blockDim.x):
        v = x[row, c]
        a += v
        q += v * v
    ssum[t] = a
    ssq[t] = q
    cuda.syncthreads()
    half = cuda.blockDim.x >> 1
    while half > 0:
        if t < half:
            ssum[t] += ssum[t + half]
            ssq[t] += ssq[t + half]
        cuda.syncthreads()
        half >>= 1
    mean = ssum[0] / float32(d)
    var = ssq[0] / float32(d) - mean * mean
    rstd = float32(1.0) / math.sqrt(var + eps)
    for c in range(t, d, cuda.blockDim.x):
        out[row, c] = (x[row, c] - mean) * rstd * w[c] + b[c]


@cuda.jit
def rms_norm_f32(x, g, out, eps):
    part = cuda.shared.array(shape=NTHREADS, dtype=float32)
    tid = cuda.threadIdx.x
    row = cuda.blockIdx.x
    ss = float32(0.0)
    for k in range(tid, x.shape[1], NTHREADS):
        ss += x[row, k] ** 2
    part[tid] = ss
    cuda.syncthreads()
    step = NTHREADS // 2
    while step:
        if tid < step:
            part[tid] += part[tid + step]
        cuda.syncthreads()
        step //= 2
    scale = 1.0 / math.sqrt(part[0] / x.shape[1] + eps)
    for k in range(tid, x.shape[1], NTHREADS):
        out[row, k] = x[row, k] * scale * g[k]


@cuda.jit
def gravity_f64(pos, mass, acc, soft):
    i = cuda.grid(1)
    if i < pos.shape[0]:
        xi = pos[i, 0]
        yi = pos[i, 1]
        zi = pos[i, 2]
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(pos.shape[0]):
            dx = pos[j, 0] - xi
            dy = pos[j, 1] - yi
            dz = pos[j, 2] - zi
            d2 = dx * dx + dy * dy + dz * dz + soft
            f = mass[j] / (d2 * math.sqrt(d2))
            ax += f * dx
            ay += f * dy
            az += f * dz
        acc[i, 0] = ax
        acc[i, 1] = ay
        acc[i, 2] = az


@cuda.jit
def nbody_shtile(px, py, pz, m, fx, fy, fz, eps2):
    sx = cuda.shared.array(NTHREADS, float32)
    sy = cuda.shared.array(NTHREADS, float32)
    sz = cuda.shared.array(NTHREADS, float32)
    sm = cuda.shared.array(NTHREADS, float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * NTHREADS + t
    xi = px[i]
    yi = py[i]
    zi = pz[i]
    ax = float32(0.0)
    ay = float32(0.0)
    az = float32(0.0)
    for tile in range(cuda.gridDim.x):
        j = tile * NTHREADS + t
        sx[t] = px[j]
        sy[t] = py[j]
        sz[t] = pz[j]
        sm[t] = m[j]
        cuda.syncthreads()
        for k in range(NTHREADS):
            dx = sx[k] - xi
            dy = sy[k] - yi
            dz = sz[k] - zi
            r2 = dx * dx + dy * dy + dz * dz + eps2
            inv = float32(1.0) / math.sqrt(r2)
            s = sm[k] * inv * inv * inv
            ax += dx * s
            ay += dy * s
            az += dz * s
        cuda.syncthreads()
    fx[i] = ax
    fy[i] = ay
    fz[i] = az


@cuda.jit
def lj_cutoff(x, y, z, fx, fy, fz, rc2, sigma2):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        fxi = float32(0.0)
        fyi = float32(0.0)
        fzi = float32(0.0)
        for j in range(n):
            if j != i:
                dx = x[i] - x[j]
                dy = y[i] - y[j]
                dz = z[i] - z[j]
                r2 = dx * dx + dy * dy + dz * dz
                if r2 < rc2:
                    sr2 = sigma2 / r2
                    sr6 = sr2 * sr2 * sr2
                    f = float32(24.0) * sr6 * (float32(2.0) * sr6 - float32(1.0)) / r2
                    fxi += f * dx
                    fyi += f * dy
                    fzi += f * dz
        fx[i] = fxi
        fy[i] = fyi
        fz[i] = fzi


@cuda.jit
def gelu_erf(x, y):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        y[i] = float32(0.5) * v * (float32(1.0) + math.erf(v * float32(0.7071067811865476)))


@cuda.jit
def sigmoid_f64(x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        y[i] = 1.0 / (1.0 + math.exp(-x[i]))


@cuda.jit
def silu_stride(x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        v = x[i]
        y[i] = v / (1.0 + math.exp(-v))


@cuda.jit
def tanh_inplace(x):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] = math.tanh(x[i, j])


@cuda.jit
def bias_relu(x, bias, y):
    col, row = cuda.grid(2)
    if row < x.shape[0] and col < x.shape[1]:
        t = x[row, col] + bias[col]
        y[row, col] = t if t > 0 else 0.0


@cuda.jit
def gemv_rowthread(A, x, y):
    r = cuda.grid(1)
    if r < A.shape[0]:
        s = 0.0
        for c in range(A.shape[1]):
            s += A[r, c] * x[c]
        y[r] = s


@cuda.jit
def gemv_rowblock(A, x, y):
    cache = cuda.shared.array(HALF, float32)
    t = cuda.threadIdx.x
    r = cuda.blockIdx.x
    s = float32(0.0)
    c = t
    while c < A.shape[1]:
        s += A[r, c] * x[c]
        c += cuda.blockDim.x
    cache[t] = s
    cuda.syncthreads()
    k = HALF // 2
    while k != 0:
        if t < k:
            cache[t] += cache[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        y[r] = cache[0]


@cuda.jit
def gemv_transposed(At, x, y):
    i = cuda.grid(1)
    if i < At.shape[1]:
        s = float32(0.0)
        for k in range(At.shape[0]):
            s += At[k, i] * x[k]
        y[i] = s


@cuda.jit
def dot_atomic(a, b, out):
    cache = cuda.shared.array(NTHREADS, float64)
    tid = cuda.threadIdx.x
    i = tid + cuda.blockIdx.x * cuda.blockDim.x
    temp = 0.0
    while i < a.shape[0]:
        temp += a[i] * b[i]
        i += cuda.blockDim.x * cuda.gridDim.x
    cache[tid] = temp
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if tid < s:
            cache[tid] += cache[tid + s]
        cuda.syncthreads()
        s //= 2
    if tid == 0:
        cuda.atomic.add(out, 0, cache[0])


@cuda.jit
def histo_global(data, hist):
    i = cuda.grid(1)
    if i < data.size:
        cuda.atomic.add(hist, data[i], 1)


@cuda.jit
def histo_shared(data, hist):
    local = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        local[t] = 0
    cuda.syncthreads()
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, data.shape[0], stride):
        cuda.atomic.add(local, data[i], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(hist, t, local[t])


@cuda.jit
def scan_inblock(x, y, sums):
    buf = cuda.shared.array(SCAN_N, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    buf[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    off = 1
    while off < SCAN_N:
        v = float32(0.0)
        if t >= off:
            v = buf[t - off]
        cuda.syncthreads()
        buf[t] += v
        cuda.syncthreads()
        off *= 2
    if i < y.size:
        y[i] = buf[t]
    if t == SCAN_N - 1:
        sums[cuda.blockIdx.x] = buf[t]


@cuda.jit
def gather_index(src, idx, out):
    i = cuda.grid(1)
    if i < idx.size:
        out[i] = src[idx[i]]


@cuda.jit
def scatter_index(val, idx, dst, scale):
    i = cuda.grid(1)
    if i < val.size:
        dst[idx[i]] = scale * val[i]


@cuda.jit
def rgb_to_grey(rgb, grey):
    x, y = cuda.grid(2)
    if y < rgb.shape[0] and x < rgb.shape[1]:
        r = rgb[y, x, 0]
        g = rgb[y, x, 1]
        b = rgb[y, x, 2]
        grey[y, x] = 0.299 * r + 0.587 * g + 0.114 * b


@cuda.jit
def mandelbrot_px(img, xmin, xmax, ymin, ymax, iters):
    h, w = img.shape
    x, y = cuda.grid(2)
    if x < w and y < h:
        cr = xmin + x * (xmax - xmin) / w
        ci = ymin + y * (ymax - ymin) / h
        zr = 0.0
        zi = 0.0
        count = 0
        for _ in range(iters):
            zr2 = zr * zr
            zi2 = zi * zi
            if zr2 + zi2 > 4.0:
                break
            zi = 2.0 * zr * zi + ci
            zr = zr2 - zi2 + cr
            count += 1
        img[y, x] = count


@cuda.jit
def black_scholes(S, X, T, call, put, r, vol):
    i = cuda.grid(1)
    if i >= S.shape[0]:
        return
    sqt = math.sqrt(T[i])
    d1 = (math.log(S[i] / X[i]) + (r + float32(0.5) * vol * vol) * T[i]) / (vol * sqt)
    d2 = d1 - vol * sqt
    k = float32(0.7071067811865476)
    h = float32(0.5)
    one = float32(1.0)
    n1 = h * (one + math.erf(d1 * k))
    n2 = h * (one + math.erf(d2 * k))
    disc = X[i] * math.exp(-r * T[i])
    call[i] = S[i] * n1 - disc * n2
    put[i] = disc * (one - n2) - S[i] * (one - n1)


@cuda.jit
def drift_aos(pos, vel, dt):
    i = cuda.grid(1)
    if i < pos.shape[0]:
        pos[i, 0] += vel[i, 0] * dt
        pos[i, 1] += vel[i, 1] * dt
        pos[i, 2] += vel[i, 2] * dt


@cuda.jit
def drift_soa(x, y, z, vx, vy, vz, dt):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] += vx[i] * dt
        y[i] += vy[i] * dt
        z[i] += vz[i] * dt


@cuda.jit
def complex_mul(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] * b[i]


@cuda.jit
def upsample_2x(src, dst):
    x, y = cuda.grid(2)
    if y < dst.shape[0] and x < dst.shape[1]:
        dst[y, x] = src[y // 2, x // 2]


@cuda.jit
def maxpool_2x2(src, dst):
    ox, oy = cuda.grid(2)
    if oy < dst.shape[0] and ox < dst.shape[1]:
        a = max(src[2 * oy, 2 * ox], src[2 * oy, 2 * ox + 1])
        b = max(src[2 * oy + 1, 2 * ox], src[2 * oy + 1, 2 * ox + 1])
        dst[oy, ox] = max(a, b)


@cuda.jit
def isum_int32(a, out):
    sh = cuda.shared.array(512, int64)
    t = cuda.threadIdx.x
    s = 0
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        s += a[i]
    sh[t] = s
    cuda.syncthreads()
    half = 256
    while half > 0:
        if t < half:
            sh[t] += sh[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, sh[0])


@cuda.jit
def fir_filter(x, h, y):
    i = cuda.grid(1)
    ntap = h.shape[0]
    if i < x.shape[0] - ntap + 1:
        acc = float32(0.0)
        for k in range(ntap):
            acc += h[k] * x[i + ntap - 1 - k]
        y[i] = acc


@cuda.jit
def spmv_ell(vals, cols, x, y):
    row = cuda.grid(1)
    if row < y.shape[0]:
        dot = 0.0
        for k in range(vals.shape[0]):
            dot += vals[k, row] * x[cols[k, row]]
        y[row] = dot


@cuda.jit
def bfs_frontier(indptr, indices, level, nextlevel, cur):
    v = cuda.grid(1)
    if v < level.size:
        if level[v] == cur:
            for e in range(indptr[v], indptr[v + 1]):
                w = indices[e]
                if level[w] == 0:
                    nextlevel[w] = cur + 1


@cuda.jit
def midaxis_sum(a, out):
    c = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    n = cuda.blockIdx.y
    if c < a.shape[2]:
        s = float32(0.0)
        for k in range(a.shape[1]):
            s += a[n, k, c]
        out[n, c] = s

"""numba.cuda kernels that the model, mended by habit_cuda.py, had not seen: predicted first, then counted."""

import math

from numba import cuda, float32, float64

TX = 32
TY = 8
TX1 = TX + 1
T16 = 16
T17 = T16 + 1
B128 = 128
B256 = 256
FULL = 0xFFFFFFFF


@cuda.jit
def heat_with_source(t, q, out, k, dt, rdx2):
    i = cuda.blockIdx.z * cuda.blockDim.z + cuda.threadIdx.z
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    m = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    ni, nj, nm = t.shape
    if 1 <= i < ni - 1 and 1 <= j < nj - 1 and 1 <= m < nm - 1:
        lap = (
            t[i + 1, j, m] + t[i - 1, j, m] + t[i, j + 1, m] + t[i, j - 1, m] + t[i, j, m + 1] + t[i, j, m - 1]
        ) - 6.0 * t[i, j, m]
        out[i, j, m] = t[i, j, m] + dt * (k * lap * rdx2 + q[i, j, m])


@cuda.jit
def gradient_magnitude(f, g):
    z, y, x = cuda.grid(3)
    if z < f.shape[0] - 1 and y < f.shape[1] - 1 and x < f.shape[2] - 1:
        if z > 0 and y > 0 and x > 0:
            gx = float32(0.5) * (f[z, y, x + 1] - f[z, y, x - 1])
            gy = float32(0.5) * (f[z, y + 1, x] - f[z, y - 1, x])
            gz = float32(0.5) * (f[z + 1, y, x] - f[z - 1, y, x])
            g[z, y, x] = math.sqrt(gx * gx + gy * gy + gz * gz)


@cuda.jit
def smooth_along_depth(a, b):
    """Threads in a plane keep the last three levels in registers."""
    x, y = cuda.grid(2)
    n = a.shape[0]
    if x < a.shape[2] and y < a.shape[1]:
        below = a[0, y, x]
        here = a[1, y, x]
        for k in range(1, n - 1):
            above = a[k + 1, y, x]
            b[k, y, x] = float32(0.25) * (below + float32(2.0) * here + above)
            below = here
            here = above


@cuda.jit
def divergence_of_rows(v, out, h):
    """Three components in the last axis."""
    k, j, i = cuda.grid(3)
    if 0 < i < out.shape[0] - 1 and 0 < j < out.shape[1] - 1 and 0 < k < out.shape[2] - 1:
        out[i, j, k] = (
            (v[i + 1, j, k, 0] - v[i - 1, j, k, 0])
            + (v[i, j + 1, k, 1] - v[i, j - 1, k, 1])
            + (v[i, j, k + 1, 2] - v[i, j, k - 1, 2])
        ) * h


@cuda.jit
def mirrored_blur(a, b):
    """Seven points along a row, mirrored at the edges."""
    j, i = cuda.grid(2)
    h, w = a.shape
    if i < h and j < w:
        s = float32(0.0)
        for d in range(-3, 4):
            k = j + d
            if k < 0:
                k = -k
            if k >= w:
                k = 2 * w - 2 - k
            s += a[i, k]
        b[i, j] = s / float32(7.0)


@cuda.jit
def product_f8_tile16(A, B, C):
    sA = cuda.shared.array((T16, T16), float64)
    sB = cuda.shared.array((T16, T16), float64)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    col = cuda.blockIdx.x * T16 + tx
    row = cuda.blockIdx.y * T16 + ty
    acc = 0.0
    for t in range(A.shape[1] // T16):
        sA[ty, tx] = A[row, t * T16 + tx]
        sB[ty, tx] = B[t * T16 + ty, col]
        cuda.syncthreads()
        for k in range(T16):
            acc += sA[ty, k] * sB[k, tx]
        cuda.syncthreads()
    if row < C.shape[0] and col < C.shape[1]:
        C[row, col] = acc


@cuda.jit
def product_with_bias(X, W, bias, Y):
    """A layer: rows of X times columns of W, a bias and a ramp."""
    j, i = cuda.grid(2)
    if i < Y.shape[0] and j < Y.shape[1]:
        s = bias[j]
        for k in range(X.shape[1]):
            s += X[i, k] * W[k, j]
        Y[i, j] = s if s > float32(0.0) else float32(0.0)


@cuda.jit
def gram(X, G):
    """Columns of X with each other."""
    a, b = cuda.grid(2)
    if a < G.shape[1] and b < G.shape[0]:
        s = 0.0
        for r in range(X.shape[0]):
            s += X[r, a] * X[r, b]
        G[b, a] = s


@cuda.jit
def batched_matvec(A, x, y):
    """A block a matrix, a thread a row of 128."""
    b = cuda.blockIdx.x
    i = cuda.threadIdx.x
    s = float32(0.0)
    for k in range(A.shape[2]):
        s += A[b, i, k] * x[b, k]
    y[b, i] = s


@cuda.jit
def transpose_complex(a, b):
    j, i = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        b[j, i] = a[i, j]


@cuda.jit
def transpose_tile16(src, dst):
    tile = cuda.shared.array((T16, T17), float32)
    x = cuda.blockIdx.x * T16 + cuda.threadIdx.x
    y = cuda.blockIdx.y * T16 + cuda.threadIdx.y
    if x < src.shape[1] and y < src.shape[0]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = src[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * T16 + cuda.threadIdx.x
    y = cuda.blockIdx.x * T16 + cuda.threadIdx.y
    if x < dst.shape[1] and y < dst.shape[0]:
        dst[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit
def batched_transpose(a, b):
    k, j, i = cuda.grid(3)
    if i < a.shape[0] and j < a.shape[1] and k < a.shape[2]:
        b[i, k, j] = a[i, j, k]


@cuda.jit
def interleave(re, im, out):
    """Two arrays into one of pairs."""
    i = cuda.grid(1)
    if i < re.size:
        out[2 * i] = re[i]
        out[2 * i + 1] = im[i]


@cuda.jit
def scale_rows_to_maximum(x, out):
    """A block a row: the largest magnitude by halving, then a division."""
    m = cuda.shared.array(B128, float32)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    big = float32(0.0)
    for j in range(t, x.shape[1], cuda.blockDim.x):
        big = max(big, abs(x[row, j]))
    m[t] = big
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            m[t] = max(m[t], m[t + s])
        cuda.syncthreads()
        s //= 2
    big = m[0]
    for j in range(t, x.shape[1], cuda.blockDim.x):
        out[row, j] = x[row, j] / big


@cuda.jit
def rms_norm_by_warps(x, w, out, eps):
    lane = cuda.threadIdx.x
    row = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    n = x.shape[1]
    if row < x.shape[0]:
        s = 0.0
        for j in range(lane, n, 32):
            s += x[row, j] * x[row, j]
        for k in (16, 8, 4, 2, 1):
            s += cuda.shfl_xor_sync(FULL, s, k)
        r = 1.0 / math.sqrt(s / n + eps)
        for j in range(lane, n, 32):
            out[row, j] = x[row, j] * r * w[j]


@cuda.jit
def channel_statistics(x, mean, var):
    """A thread a channel of an image batch, channels last."""
    c = cuda.grid(1)
    if c < x.shape[2]:
        s = 0.0
        q = 0.0
        for b in range(x.shape[0]):
            for p in range(x.shape[1]):
                v = x[b, p, c]
                s += v
                q += v * v
        n = x.shape[0] * x.shape[1]
        mean[c] = s / n
        var[c] = q / n - (s / n) * (s / n)


@cuda.jit
def springs(x, v, k, dt):
    """A chain of masses in three directions."""
    i = cuda.grid(1)
    n = x.shape[1]
    if 0 < i < n - 1:
        for d in range(3):
            f = k * (x[d, i + 1] - 2.0 * x[d, i] + x[d, i - 1])
            v[d, i] += dt * f


@cuda.jit
def pair_potential(x, y, z, e, rc2):
    """All pairs through shared memory, energies cut off."""
    px = cuda.shared.array(B128, float32)
    py = cuda.shared.array(B128, float32)
    pz = cuda.shared.array(B128, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    n = x.shape[0]
    xi = x[i]
    yi = y[i]
    zi = z[i]
    s = float32(0.0)
    for base in range(0, n, B128):
        px[t] = x[base + t]
        py[t] = y[base + t]
        pz[t] = z[base + t]
        cuda.syncthreads()
        for j in range(B128):
            dx = xi - px[j]
            dy = yi - py[j]
            dz = zi - pz[j]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < rc2 and r2 > float32(0.0):
                i2 = float32(1.0) / r2
                i6 = i2 * i2 * i2
                s += i6 * (i6 - float32(1.0))
        cuda.syncthreads()
    e[i] = s


@cuda.jit
def drag_and_gravity(p, m, g, c, dt):
    """Records of six numbers: positions and velocities."""
    i = cuda.grid(1)
    if i < p.shape[0]:
        vx = p[i, 3]
        vy = p[i, 4]
        vz = p[i, 5]
        s = math.sqrt(vx * vx + vy * vy + vz * vz)
        a = c * s / m[i]
        vx -= dt * a * vx
        vy -= dt * a * vy
        vz -= dt * (a * vz + g)
        p[i, 0] += dt * vx
        p[i, 1] += dt * vy
        p[i, 2] += dt * vz
        p[i, 3] = vx
        p[i, 4] = vy
        p[i, 5] = vz


@cuda.jit
def gather_field(px, py, field, out):
    """Particles read four corners of their cell of a plane of 2,048 by 2,048."""
    i = cuda.grid(1)
    if i < px.size:
        x = px[i] * 2046.0
        y = py[i] * 2046.0
        ix = int(x)
        iy = int(y)
        fx = x - ix
        fy = y - iy
        a = field[iy, ix] * (1.0 - fx) + field[iy, ix + 1] * fx
        b = field[iy + 1, ix] * (1.0 - fx) + field[iy + 1, ix + 1] * fx
        out[i] = a * (1.0 - fy) + b * fy


@cuda.jit
def selu(x, y, n):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i < n:
        v = x[i]
        if v > 0:
            y[i] = 1.0507009873554805 * v
        else:
            y[i] = 1.7580993408473766 * (math.exp(v) - 1.0)


@cuda.jit
def gated_linear(x, out):
    """The second half of a row gates the first."""
    j, i = cuda.grid(2)
    n = out.shape[1]
    if i < out.shape[0] and j < n:
        out[i, j] = x[i, j] / (float32(1.0) + math.exp(-x[i, j + n]))


@cuda.jit
def softsign_by_stride(x, y):
    i = cuda.grid(1)
    step = cuda.gridDim.x * cuda.blockDim.x
    while i < x.size:
        y[i] = x[i] / (1.0 + abs(x[i]))
        i += step


@cuda.jit
def swish_gradient(x, g, out, beta):
    i = cuda.grid(1)
    if i < x.shape[0]:
        s = 1.0 / (1.0 + math.exp(-beta * x[i]))
        out[i] = g[i] * (s + beta * x[i] * s * (1.0 - s))


@cuda.jit
def matvec_f4_blocks(A, x, y):
    """A block of 128 a row, halved in shared memory."""
    part = cuda.shared.array(B128, float32)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    s = float32(0.0)
    for j in range(t, A.shape[1], B128):
        s += A[row, j] * x[j]
    part[t] = s
    cuda.syncthreads()
    k = B128 // 2
    while k > 0:
        if t < k:
            part[t] += part[t + k]
        cuda.syncthreads()
        k >>= 1
    if t == 0:
        y[row] = part[0]


@cuda.jit
def vecmat(x, A, y):
    """A thread a column."""
    j = cuda.grid(1)
    if j < A.shape[1]:
        s = float32(0.0)
        for i in range(A.shape[0]):
            s += x[i] * A[i, j]
        y[j] = s


@cuda.jit
def matvec_pair(A, B, x, y):
    """Two matrices at once, a thread a row."""
    i = cuda.grid(1)
    if i < A.shape[0]:
        s = 0.0
        for j in range(A.shape[1]):
            s += (A[i, j] + B[i, j]) * x[j]
        y[i] = s


@cuda.jit
def toeplitz_matvec(c, x, y):
    """A matrix that its first column tells."""
    i = cuda.grid(1)
    n = y.shape[0]
    if i < n:
        s = 0.0
        for j in range(x.shape[0]):
            s += c[n - 1 + i - j] * x[j]
        y[i] = s


@cuda.jit
def rows_summed(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j]
        out[i] = s


@cuda.jit
def rows_doubled(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for j in range(x.shape[1]):
            out[i, j] = 2.0 * x[i, j]


@cuda.jit
def rows_filled(out, value):
    i = cuda.grid(1)
    if i < out.shape[0]:
        for j in range(out.shape[1]):
            out[i, j] = value


@cuda.jit
def rows_scaled_f4(x, out, f):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for j in range(x.shape[1]):
            out[i, j] = f * x[i, j]

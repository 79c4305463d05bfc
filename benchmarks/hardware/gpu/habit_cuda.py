"""numba.cuda kernels of everyday habits, predicted before they were measured: their counters are in habits.json."""

import math

from numba import cuda, float32, float64, int32, uint32

R = 4
TX = 32
TY = 8
T16 = 16
TX1 = TX + 1
TX2 = TX + 2
TY2 = TY + 2
B128 = 128
B256 = 256
B264 = B256 + 8
WARP = 32
FULL = 0xFFFFFFFF
C0 = float32(-2.847222)
C1 = float32(1.6)
C2 = float32(-0.2)
C3 = float32(0.025396825)
C4 = float32(-0.0017857143)


@cuda.jit
def acoustic_r4(p, q, vel):
    """Fourth neighbours in three dimensions, threads in a plane, marching along the slowest axis."""
    ix, iy = cuda.grid(2)
    nz, ny, nx = p.shape
    if ix >= R and ix < nx - R and iy >= R and iy < ny - R:
        for iz in range(R, nz - R):
            c = float32(3.0) * C0 * p[iz, iy, ix]
            c += C1 * (
                p[iz, iy, ix - 1]
                + p[iz, iy, ix + 1]
                + p[iz, iy - 1, ix]
                + p[iz, iy + 1, ix]
                + p[iz - 1, iy, ix]
                + p[iz + 1, iy, ix]
            )
            c += C2 * (
                p[iz, iy, ix - 2]
                + p[iz, iy, ix + 2]
                + p[iz, iy - 2, ix]
                + p[iz, iy + 2, ix]
                + p[iz - 2, iy, ix]
                + p[iz + 2, iy, ix]
            )
            c += C3 * (
                p[iz, iy, ix - 3]
                + p[iz, iy, ix + 3]
                + p[iz, iy - 3, ix]
                + p[iz, iy + 3, ix]
                + p[iz - 3, iy, ix]
                + p[iz + 3, iy, ix]
            )
            c += C4 * (
                p[iz, iy, ix - 4]
                + p[iz, iy, ix + 4]
                + p[iz, iy - 4, ix]
                + p[iz, iy + 4, ix]
                + p[iz - 4, iy, ix]
                + p[iz + 4, iy, ix]
            )
            q[iz, iy, ix] = float32(2.0) * p[iz, iy, ix] - q[iz, iy, ix] + vel[iz, iy, ix] * c


@cuda.jit
def diffusion_by_coefficient(u, k, out, dt):
    """Conductivities between cells, early return at the border."""
    x, y, z = cuda.grid(3)
    if x == 0 or y == 0 or z == 0 or x >= u.shape[2] - 1 or y >= u.shape[1] - 1 or z >= u.shape[0] - 1:
        return
    c = u[z, y, x]
    kc = k[z, y, x]
    fx = 0.5 * (kc + k[z, y, x + 1]) * (u[z, y, x + 1] - c) - 0.5 * (kc + k[z, y, x - 1]) * (c - u[z, y, x - 1])
    fy = 0.5 * (kc + k[z, y + 1, x]) * (u[z, y + 1, x] - c) - 0.5 * (kc + k[z, y - 1, x]) * (c - u[z, y - 1, x])
    fz = 0.5 * (kc + k[z + 1, y, x]) * (u[z + 1, y, x] - c) - 0.5 * (kc + k[z - 1, y, x]) * (c - u[z - 1, y, x])
    out[z, y, x] = c + dt * (fx + fy + fz)


@cuda.jit
def periodic_seven_points(a, b):
    """Neighbours around the edges by a remainder."""
    k, j, i = cuda.grid(3)
    n0, n1, n2 = a.shape
    if i < n0 and j < n1 and k < n2:
        b[i, j, k] = (
            a[(i + 1) % n0, j, k]
            + a[(i + n0 - 1) % n0, j, k]
            + a[i, (j + 1) % n1, k]
            + a[i, (j + n1 - 1) % n1, k]
            + a[i, j, (k + 1) % n2]
            + a[i, j, (k + n2 - 1) % n2]
            - float32(6.0) * a[i, j, k]
        )


@cuda.jit
def curl(ex, ey, ez, hx, hy, hz, s):
    """The magnetic half step of the Yee scheme."""
    k, j, i = cuda.grid(3)
    if i < hx.shape[0] - 1 and j < hx.shape[1] - 1 and k < hx.shape[2] - 1:
        hx[i, j, k] -= s * ((ez[i, j + 1, k] - ez[i, j, k]) - (ey[i, j, k + 1] - ey[i, j, k]))
        hy[i, j, k] -= s * ((ex[i, j, k + 1] - ex[i, j, k]) - (ez[i + 1, j, k] - ez[i, j, k]))
        hz[i, j, k] -= s * ((ey[i + 1, j, k] - ey[i, j, k]) - (ex[i, j + 1, k] - ex[i, j, k]))


@cuda.jit
def upwind2d(c, u, v, out, dx):
    """Differences against the wind: which neighbour is read depends on data."""
    j, i = cuda.grid(2)
    if 1 <= i < c.shape[0] - 1 and 1 <= j < c.shape[1] - 1:
        if u[i, j] > 0.0:
            gx = c[i, j] - c[i, j - 1]
        else:
            gx = c[i, j + 1] - c[i, j]
        if v[i, j] > 0.0:
            gy = c[i, j] - c[i - 1, j]
        else:
            gy = c[i + 1, j] - c[i, j]
        out[i, j] = c[i, j] - (u[i, j] * gx + v[i, j] * gy) / dx


@cuda.jit
def red_black(u, f, colour):
    """Half of the points of a plane, every other one of a row."""
    jj, i = cuda.grid(2)
    j = 2 * jj + (i + colour) % 2
    if i > 0 and i < u.shape[0] - 1 and j > 0 and j < u.shape[1] - 1:
        u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])


@cuda.jit
def five_points_in_shared(a, b):
    """A tile with a frame of one, corners unused."""
    tile = cuda.shared.array((TY2, TX2), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    j = cuda.blockIdx.x * TX + tx
    i = cuda.blockIdx.y * TY + ty
    h, w = a.shape
    if i < h and j < w:
        tile[ty + 1, tx + 1] = a[i, j]
        if tx == 0 and j > 0:
            tile[ty + 1, 0] = a[i, j - 1]
        if tx == TX - 1 and j < w - 1:
            tile[ty + 1, TX + 1] = a[i, j + 1]
        if ty == 0 and i > 0:
            tile[0, tx + 1] = a[i - 1, j]
        if ty == TY - 1 and i < h - 1:
            tile[TY + 1, tx + 1] = a[i + 1, j]
    cuda.syncthreads()
    if i > 0 and j > 0 and i < h - 1 and j < w - 1:
        b[i, j] = float32(0.2) * (
            tile[ty + 1, tx + 1] + tile[ty, tx + 1] + tile[ty + 2, tx + 1] + tile[ty + 1, tx] + tile[ty + 1, tx + 2]
        )


@cuda.jit
def product_tile16(A, B, C):
    """Tiles of 16 in shared memory, sizes that divide."""
    sA = cuda.shared.array((T16, T16), float32)
    sB = cuda.shared.array((T16, T16), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    if x >= C.shape[1] or y >= C.shape[0]:
        return
    tmp = float32(0.0)
    for i in range(A.shape[1] // T16):
        sA[ty, tx] = A[y, tx + i * T16]
        sB[ty, tx] = B[ty + i * T16, x]
        cuda.syncthreads()
        for j in range(T16):
            tmp += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    C[y, x] = tmp


@cuda.jit
def product_of_four(A, B, C):
    """Each thread holds two by two results in registers; tiles of 32 by 16."""
    sA = cuda.shared.array((TX, T16), float32)
    sB = cuda.shared.array((T16, TX), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    row = cuda.blockIdx.y * TX
    col = cuda.blockIdx.x * TX
    c00 = float32(0.0)
    c01 = float32(0.0)
    c10 = float32(0.0)
    c11 = float32(0.0)
    for t in range(A.shape[1] // T16):
        sA[ty, tx] = A[row + ty, t * T16 + tx]
        sA[ty + T16, tx] = A[row + ty + T16, t * T16 + tx]
        sB[ty, tx] = B[t * T16 + ty, col + tx]
        sB[ty, tx + T16] = B[t * T16 + ty, col + tx + T16]
        cuda.syncthreads()
        for k in range(T16):
            a0 = sA[ty, k]
            a1 = sA[ty + T16, k]
            b0 = sB[k, tx]
            b1 = sB[k, tx + T16]
            c00 += a0 * b0
            c01 += a0 * b1
            c10 += a1 * b0
            c11 += a1 * b1
        cuda.syncthreads()
    C[row + ty, col + tx] = c00
    C[row + ty, col + tx + T16] = c01
    C[row + ty + T16, col + tx] = c10
    C[row + ty + T16, col + tx + T16] = c11


@cuda.jit
def batch_of_products(A, B, C):
    """A block multiplies the two matrices of a batch, 16 by 16."""
    b = cuda.blockIdx.x
    j = cuda.threadIdx.x
    i = cuda.threadIdx.y
    s = 0.0
    for k in range(A.shape[2]):
        s += A[b, i, k] * B[b, k, j]
    C[b, i, j] = s


@cuda.jit
def lower_of_square(A, C):
    """Below the diagonal of A times its transpose."""
    j, i = cuda.grid(2)
    if i < C.shape[0] and j <= i:
        s = float32(0.0)
        for k in range(A.shape[1]):
            s += A[i, k] * A[j, k]
        C[i, j] = s


@cuda.jit
def transposed_times(A, B, C, alpha, beta):
    """alpha times the transpose of A times B plus beta times C."""
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= C.shape[0] or j >= C.shape[1]:
        return
    acc = 0.0
    for k in range(A.shape[0]):
        acc += A[k, i] * B[k, j]
    C[i, j] = alpha * acc + beta * C[i, j]


@cuda.jit
def transpose_f8(src, dst):
    """Tiles of 32 by 33 doubles, eight rows of threads."""
    tile = cuda.shared.array((TX, TX1), float64)
    x = cuda.blockIdx.x * TX + cuda.threadIdx.x
    y = cuda.blockIdx.y * TX + cuda.threadIdx.y
    for r in range(0, TX, TY):
        if y + r < src.shape[0] and x < src.shape[1]:
            tile[cuda.threadIdx.y + r, cuda.threadIdx.x] = src[y + r, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TX + cuda.threadIdx.x
    y = cuda.blockIdx.x * TX + cuda.threadIdx.y
    for r in range(0, TX, TY):
        if y + r < dst.shape[0] and x < dst.shape[1]:
            dst[y + r, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + r]


@cuda.jit
def channels_last(src, dst):
    """Channels from the second axis to the last, by a flat index."""
    idx = cuda.grid(1)
    n, c, h, w = src.shape
    if idx < n * c * h * w:
        ww = idx % w
        hh = (idx // w) % h
        cc = (idx // (w * h)) % c
        nn = idx // (w * h * c)
        dst[nn, hh, ww, cc] = src[nn, cc, hh, ww]


@cuda.jit
def rotate_axes(a, b):
    """b[k, i, j] = a[i, j, k], coalesced reads."""
    k, j, i = cuda.grid(3)
    if i < a.shape[0] and j < a.shape[1] and k < a.shape[2]:
        b[k, i, j] = a[i, j, k]


@cuda.jit
def flip_rows(img, out):
    """A picture upside down, bytes, four channels."""
    x, y = cuda.grid(2)
    h = img.shape[0]
    if y < h and x < img.shape[1]:
        for c in range(4):
            out[h - 1 - y, x, c] = img[y, x, c]


@cuda.jit
def softmax_by_warps(x, y):
    """A warp a row; the maximum and the sum by shuffles."""
    lane = cuda.threadIdx.x
    row = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    n = x.shape[1]
    if row < x.shape[0]:
        m = float32(-1e30)
        for j in range(lane, n, WARP):
            m = max(m, x[row, j])
        off = 16
        while off > 0:
            m = max(m, cuda.shfl_xor_sync(FULL, m, off))
            off >>= 1
        s = float32(0.0)
        for j in range(lane, n, WARP):
            s += math.exp(x[row, j] - m)
        off = 16
        while off > 0:
            s += cuda.shfl_xor_sync(FULL, s, off)
            off >>= 1
        for j in range(lane, n, WARP):
            y[row, j] = math.exp(x[row, j] - m) / s


@cuda.jit
def layer_norm_affine(x, gamma, beta, y, eps):
    """A block a row: mean and variance in one pass, halved in shared memory."""
    ssum = cuda.shared.array(B256, float32)
    ssq = cuda.shared.array(B256, float32)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    n = x.shape[1]
    s = float32(0.0)
    q = float32(0.0)
    for j in range(t, n, B256):
        v = x[row, j]
        s += v
        q += v * v
    ssum[t] = s
    ssq[t] = q
    cuda.syncthreads()
    k = B256 // 2
    while k > 0:
        if t < k:
            ssum[t] += ssum[t + k]
            ssq[t] += ssq[t + k]
        cuda.syncthreads()
        k //= 2
    mean = ssum[0] / n
    rstd = float32(1.0) / math.sqrt(ssq[0] / n - mean * mean + eps)
    for j in range(t, n, B256):
        y[row, j] = (x[row, j] - mean) * rstd * gamma[j] + beta[j]


@cuda.jit
def group_norm(x, mean, rstd, w, b, y, groups):
    """Statistics are known; the channel says the group."""
    i = cuda.grid(1)
    n, c, h, ww = x.shape
    if i < n * c * h * ww:
        p = i % ww
        q = (i // ww) % h
        ch = (i // (ww * h)) % c
        s = i // (ww * h * c)
        g = ch // (c // groups)
        y[s, ch, q, p] = (x[s, ch, q, p] - mean[s, g]) * rstd[s, g] * w[ch] + b[ch]


@cuda.jit
def unit_rows(x, out):
    """A thread a row, double precision, 64 columns."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j] * x[i, j]
        norm = math.sqrt(s)
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] / norm


@cuda.jit
def log_softmax_online(x, out):
    """A thread a row: the maximum and the sum follow each other in one pass."""
    i = cuda.grid(1)
    if i >= x.shape[0]:
        return
    m = x[i, 0]
    s = 1.0
    for j in range(1, x.shape[1]):
        v = x[i, j]
        if v > m:
            s = s * math.exp(m - v) + 1.0
            m = v
        else:
            s += math.exp(v - m)
    ls = m + math.log(s)
    for j in range(x.shape[1]):
        out[i, j] = x[i, j] - ls


@cuda.jit
def standardize_columns(x, mean, std, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        sd = std[j]
        out[i, j] = (x[i, j] - mean[j]) / sd if sd > 0.0 else 0.0


@cuda.jit
def gravity_of_fours(pos, acc, eps2):
    """Bodies are rows of four numbers: x, y, z, mass."""
    i = cuda.grid(1)
    n = pos.shape[0]
    if i < n:
        xi = pos[i, 0]
        yi = pos[i, 1]
        zi = pos[i, 2]
        ax = float32(0.0)
        ay = float32(0.0)
        az = float32(0.0)
        for j in range(n):
            dx = pos[j, 0] - xi
            dy = pos[j, 1] - yi
            dz = pos[j, 2] - zi
            r2 = dx * dx + dy * dy + dz * dz + eps2
            inv = float32(1.0) / math.sqrt(r2)
            f = pos[j, 3] * inv * inv * inv
            ax += f * dx
            ay += f * dy
            az += f * dz
        acc[i, 0] = ax
        acc[i, 1] = ay
        acc[i, 2] = az


@cuda.jit
def neighbour_forces(x, y, z, neigh, count, fx, fy, fz, rc2):
    """Lists of neighbours, a row of 64 places a particle, 32 used."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        xi = x[i]
        yi = y[i]
        zi = z[i]
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for k in range(count[i]):
            j = neigh[k, i]
            dx = xi - x[j]
            dy = yi - y[j]
            dz = zi - z[j]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < rc2:
                i6 = 1.0 / (r2 * r2 * r2)
                f = 24.0 * i6 * (2.0 * i6 - 1.0) / r2
                sx += f * dx
                sy += f * dy
                sz += f * dz
        fx[i] = sx
        fy[i] = sy
        fz[i] = sz


@cuda.jit
def verlet(x, v, a, box, dt):
    """Positions of three coordinates, put back into a box."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        for d in range(3):
            v[i, d] += 0.5 * dt * a[i, d]
            p = x[i, d] + dt * v[i, d]
            if p < 0.0:
                p += box
            elif p >= box:
                p -= box
            x[i, d] = p


@cuda.jit
def boris(px, py, pz, ex, ey, ez, bx, by, bz, h):
    """Rotation of momenta by fields, one value per particle."""
    i = cuda.grid(1)
    if i < px.size:
        ux = px[i] + h * ex[i]
        uy = py[i] + h * ey[i]
        uz = pz[i] + h * ez[i]
        g = h / math.sqrt(1.0 + ux * ux + uy * uy + uz * uz)
        tx = bx[i] * g
        ty = by[i] * g
        tz = bz[i] * g
        s = 2.0 / (1.0 + tx * tx + ty * ty + tz * tz)
        wx = ux + uy * tz - uz * ty
        wy = uy + uz * tx - ux * tz
        wz = uz + ux * ty - uy * tx
        px[i] = ux + s * (wy * tz - wz * ty) + h * ex[i]
        py[i] = uy + s * (wz * tx - wx * tz) + h * ey[i]
        pz[i] = uz + s * (wx * ty - wy * tx) + h * ez[i]


@cuda.jit
def deposit(x, q, rho, inv_dx):
    """Charge of particles on two points of a grid of 65,536, by atomic updates."""
    i = cuda.grid(1)
    if i < x.size:
        s = x[i] * inv_dx
        k = int(s)
        w = s - k
        cuda.atomic.add(rho, k, q[i] * (1.0 - w))
        cuda.atomic.add(rho, k + 1, q[i] * w)


@cuda.jit
def potential_on_plane(atoms, out, spacing):
    """Coulomb potential of 2,000 charges at each point of a plane."""
    ix, iy = cuda.grid(2)
    if iy < out.shape[0] and ix < out.shape[1]:
        cx = spacing * ix
        cy = spacing * iy
        e = float32(0.0)
        for n in range(atoms.shape[0]):
            dx = cx - atoms[n, 0]
            dy = cy - atoms[n, 1]
            dz = atoms[n, 2]
            e += atoms[n, 3] / math.sqrt(dx * dx + dy * dy + dz * dz)
        out[iy, ix] = e


@cuda.jit
def mish(x, y):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        y[i] = v * math.tanh(math.log1p(math.exp(v)))


@cuda.jit
def leaky_gradient(grad, x, out, slope):
    """Strides over the grid by gridsize."""
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, x.size, step):
        g = grad[i]
        out[i] = g if x[i] > float32(0.0) else g * slope


@cuda.jit
def dropout(x, y, seed, keep):
    """A random number of its own a thread, by shifts."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        s = uint32(i) ^ uint32(seed)
        s ^= s << uint32(13)
        s ^= s >> uint32(17)
        s ^= s << uint32(5)
        s ^= s << uint32(13)
        s ^= s >> uint32(17)
        s ^= s << uint32(5)
        u = float32(s) * float32(2.3283064e-10)
        y[i] = x[i] / keep if u < keep else float32(0.0)


@cuda.jit
def hard_swish(x, y):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        v = x[i, j]
        y[i, j] = v * min(max(v + float32(3.0), float32(0.0)), float32(6.0)) / float32(6.0)


@cuda.jit
def matvec_in_shared(A, x, y):
    """A thread a row; the vector passes through shared memory in pieces of 128."""
    sx = cuda.shared.array(B128, float32)
    row = cuda.grid(1)
    t = cuda.threadIdx.x
    m, n = A.shape
    acc = float32(0.0)
    for base in range(0, n, B128):
        sx[t] = x[base + t]
        cuda.syncthreads()
        if row < m:
            for k in range(B128):
                acc += A[row, base + k] * sx[k]
        cuda.syncthreads()
    if row < m:
        y[row] = acc


@cuda.jit
def symmetric_matvec(A, x, y):
    """The upper half of a symmetric matrix alone is read, a thread a row."""
    i = cuda.grid(1)
    n = A.shape[0]
    if i < n:
        s = 0.0
        for j in range(i):
            s += A[j, i] * x[j]
        for j in range(i, n):
            s += A[i, j] * x[j]
        y[i] = s


@cuda.jit
def matvec_by_warps(A, x, y):
    """Warps of a block of 256 take the rows in turn over the grid."""
    lane = cuda.threadIdx.x % WARP
    warp = (cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x) // WARP
    warps = cuda.gridDim.x * cuda.blockDim.x // WARP
    for row in range(warp, A.shape[0], warps):
        s = 0.0
        for j in range(lane, A.shape[1], WARP):
            s += A[row, j] * x[j]
        for k in (16, 8, 4, 2, 1):
            s += cuda.shfl_down_sync(FULL, s, k)
        if lane == 0:
            y[row] = s


@cuda.jit
def banded_matvec(diags, offsets, x, y):
    """Diagonals of a matrix, eleven of them."""
    i = cuda.grid(1)
    n = y.shape[0]
    if i < n:
        s = 0.0
        for d in range(offsets.shape[0]):
            j = i + offsets[d]
            if 0 <= j < n:
                s += diags[d, i] * x[j]
        y[i] = s


@cuda.jit
def rank_one_update(A, x, y, alpha):
    j, i = cuda.grid(2)
    if i < A.shape[0] and j < A.shape[1]:
        A[i, j] += alpha * x[i] * y[j]


@cuda.jit
def block_maximum(x, out, where):
    """The largest element of each block's part and its place."""
    val = cuda.shared.array(B256, float32)
    idx = cuda.shared.array(B256, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    best = float32(-1e30)
    place = 0
    while i < x.shape[0]:
        if x[i] > best:
            best = x[i]
            place = i
        i += cuda.gridsize(1)
    val[t] = best
    idx[t] = place
    cuda.syncthreads()
    s = B256 // 2
    while s > 0:
        if t < s and val[t + s] > val[t]:
            val[t] = val[t + s]
            idx[t] = idx[t + s]
        cuda.syncthreads()
        s >>= 1
    if t == 0:
        out[cuda.blockIdx.x] = val[0]
        where[cuda.blockIdx.x] = idx[0]


@cuda.jit
def resize_bilinear(src, dst, sy, sx):
    """A picture at 0.6 of its size, clamped at the border."""
    x, y = cuda.grid(2)
    if y < dst.shape[0] and x < dst.shape[1]:
        fy = y * sy
        fx = x * sx
        y0 = int(fy)
        x0 = int(fx)
        y1 = min(y0 + 1, src.shape[0] - 1)
        x1 = min(x0 + 1, src.shape[1] - 1)
        wy = fy - y0
        wx = fx - x0
        top = src[y0, x0] * (float32(1.0) - wx) + src[y0, x1] * wx
        low = src[y1, x0] * (float32(1.0) - wx) + src[y1, x1] * wx
        dst[y, x] = top * (float32(1.0) - wy) + low * wy


@cuda.jit
def yuv_planes(rgb, yuv):
    """Bytes of interleaved pixels to three planes."""
    x, y = cuda.grid(2)
    if y < rgb.shape[0] and x < rgb.shape[1]:
        r = float32(rgb[y, x, 0])
        g = float32(rgb[y, x, 1])
        b = float32(rgb[y, x, 2])
        yuv[0, y, x] = float32(0.299) * r + float32(0.587) * g + float32(0.114) * b
        yuv[1, y, x] = float32(-0.169) * r - float32(0.331) * g + float32(0.5) * b
        yuv[2, y, x] = float32(0.5) * r - float32(0.419) * g - float32(0.081) * b


@cuda.jit
def count_above(x, limit, total):
    """One number counts what exceeds a threshold: few of the elements do."""
    i = cuda.grid(1)
    if i < x.size and x[i] > limit:
        cuda.atomic.add(total, 0, 1)


@cuda.jit
def filter_in_shared(x, w, y):
    """A filter of nine taps; a piece of the signal with its frame in shared memory."""
    s = cuda.shared.array(B264, float32)
    t = cuda.threadIdx.x
    g = cuda.grid(1)
    n = x.shape[0]
    s[t + 4] = x[g] if g < n else float32(0.0)
    if t < 4:
        s[t] = x[g - 4] if g >= 4 else float32(0.0)
    if t >= B256 - 4:
        s[t + 8] = x[g + 4] if g + 4 < n else float32(0.0)
    cuda.syncthreads()
    if g < n:
        acc = float32(0.0)
        for k in range(9):
            acc += w[k] * s[t + k]
        y[g] = acc


@cuda.jit
def tridiagonal_systems(lower, diag, upper, rhs, x, work):
    """A thread a system of 64 unknowns; systems lie side by side."""
    i = cuda.grid(1)
    n, batch = diag.shape
    if i < batch:
        work[0, i] = upper[0, i] / diag[0, i]
        x[0, i] = rhs[0, i] / diag[0, i]
        for k in range(1, n):
            m = 1.0 / (diag[k, i] - lower[k, i] * work[k - 1, i])
            work[k, i] = upper[k, i] * m
            x[k, i] = (rhs[k, i] - lower[k, i] * x[k - 1, i]) * m
        for k in range(n - 2, -1, -1):
            x[k, i] -= work[k, i] * x[k + 1, i]


@cuda.jit
def median_of_nine(img, out):
    """The middle of nine neighbours by sorting in local memory."""
    x, y = cuda.grid(2)
    h, w = img.shape
    if 0 < y < h - 1 and 0 < x < w - 1:
        v = cuda.local.array(9, float32)
        k = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                v[k] = img[y + dy, x + dx]
                k += 1
        for a in range(5):
            for b in range(a + 1, 9):
                if v[b] < v[a]:
                    t = v[a]
                    v[a] = v[b]
                    v[b] = t
        out[y, x] = v[4]


@cuda.jit
def row_prefix_sums(a, out):
    """A thread a column: running sums down the rows."""
    j = cuda.grid(1)
    if j < a.shape[1]:
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i, j]
            out[i, j] = s


@cuda.jit
def gather_rows(table, ids, out):
    """An embedding: a block copies a row of 256 numbers that an index names."""
    row = cuda.blockIdx.x
    c = cuda.threadIdx.x
    out[row, c] = table[ids[row], c]


@cuda.jit
def attention_scores(q, k, s, scale):
    """Scores of heads of 64 numbers, a thread a pair."""
    j, i, h = cuda.grid(3)
    if i < q.shape[1] and j < k.shape[1]:
        acc = float32(0.0)
        for d in range(64):
            acc += q[h, i, d] * k[h, j, d]
        s[h, i, j] = acc * scale

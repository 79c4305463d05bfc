"""Geometry, finite elements, interpolation, flat indices."""
import math
import numpy as np
from numba import njit, prange


@njit
def bounding_box(pts):
    """Minimum and maximum by axis."""
    lo = np.array([np.inf, np.inf, np.inf])
    hi = np.array([-np.inf, -np.inf, -np.inf])
    for p in pts:
        for k in range(3):
            if p[k] < lo[k]:
                lo[k] = p[k]
            if p[k] > hi[k]:
                hi[k] = p[k]
    return lo, hi
# oracle pts=f8[100,3]


def bbox_numpy(pts, margin=0.1):
    """NumPy bounding box and scale."""
    lo = pts.min(axis=0)
    hi = pts.max(axis=0)
    size = hi - lo
    return (pts - lo) / (size + margin)
# oracle pts=f8[100,3] margin=0.1


@njit
def polygon_area(xs, ys):
    """Shoelace with modulo."""
    n = xs.shape[0]
    a = 0.0
    for i in range(n):
        k = (i + 1) % n
        a += xs[i] * ys[k] - xs[k] * ys[i]
    return 0.5 * abs(a)
# oracle xs=f8[200] ys=f8[200]


@njit
def assemble_p1(nodes, elems, K, f, rhs):
    """Linear triangles; scratch 3x3."""
    Ke = np.zeros((3, 3))
    for e in range(elems.shape[0]):
        i, j, k = elems[e]
        x1, y1 = nodes[i]
        x2, y2 = nodes[j]
        x3, y3 = nodes[k]
        area = 0.5 * abs((x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1)) + 1e-9
        b = np.array([y2 - y3, y3 - y1, y1 - y2])
        c = np.array([x3 - x2, x1 - x3, x2 - x1])
        for a in range(3):
            for d in range(3):
                Ke[a, d] = (b[a] * b[d] + c[a] * c[d]) / (4.0 * area)
        for a in range(3):
            for d in range(3):
                K[elems[e, a], elems[e, d]] += Ke[a, d]
            rhs[elems[e, a]] += f * area / 3.0
# oracle nodes=f8[25,2] elems=i8[60,3]<25 K=f8[25,25] f=1.0 rhs=f8[25]


@njit
def interp_linear(xq, xp, fp):
    """Binary search and interpolation."""
    out = np.empty(xq.shape[0])
    n = xp.shape[0]
    for q in range(xq.shape[0]):
        lo = 0
        hi = n - 1
        while hi - lo > 1:
            mid = (lo + hi) // 2
            if xp[mid] > xq[q]:
                hi = mid
            else:
                lo = mid
        t = (xq[q] - xp[lo]) / (xp[hi] - xp[lo])
        out[q] = fp[lo] * (1.0 - t) + fp[hi] * t
    return out
# oracle xq=f8[60] xp=f8[64] fp=f8[64]


@njit
def table_lookup(x, table, x0, dx):
    """Uniform table with clamps."""
    n = table.shape[0]
    y = np.empty_like(x)
    for i in range(x.size):
        t = (x[i] - x0) / dx
        k = int(t)
        if k < 0:
            k = 0
        elif k > n - 2:
            k = n - 2
        w = t - k
        y[i] = table[k] + w * (table[k + 1] - table[k])
    return y
# oracle x=f8[200] table=f8[64] x0=0.4 dx=0.02


@njit
def trilinear(vol, pts, out):
    """Trilinear samples of a volume."""
    nx, ny, nz = vol.shape
    for p in range(pts.shape[0]):
        x, y, z = pts[p]
        i = min(max(int(x * nx), 0), nx - 2)
        j = min(max(int(y * ny), 0), ny - 2)
        k = min(max(int(z * nz), 0), nz - 2)
        u = x * nx - i
        v = y * ny - j
        w = z * nz - k
        c00 = vol[i, j, k] * (1 - u) + vol[i + 1, j, k] * u
        c01 = vol[i, j, k + 1] * (1 - u) + vol[i + 1, j, k + 1] * u
        c10 = vol[i, j + 1, k] * (1 - u) + vol[i + 1, j + 1, k] * u
        c11 = vol[i, j + 1, k + 1] * (1 - u) + vol[i + 1, j + 1, k + 1] * u
        c0 = c00 * (1 - v) + c10 * v
        c1 = c01 * (1 - v) + c11 * v
        out[p] = c0 * (1 - w) + c1 * w
# oracle vol=f4[10,12,16] pts=f8[80,3] out=f8[80]


@njit
def scale_flat(a, s, out):
    """Flat index to rows and columns."""
    n, m = a.shape
    for k in range(n * m):
        i = k // m
        j = k % m
        out[i, j] = s[i] * a[i, j]
# oracle a=f8[20,24] s=f8[20] out=f8[20,24]


@njit
def transpose_flat(a, n, m):
    """A matrix kept flat."""
    b = np.empty(n * m, dtype=a.dtype)
    for i in range(n):
        for j in range(m):
            b[j * n + i] = a[i * m + j]
    return b
# oracle n=24 m=32 a=f4[n*m]


@njit(parallel=True)
def pair_index(pts, out):
    """Condensed distance index."""
    n = pts.shape[0]
    for i in prange(n):
        for j in range(i + 1, n):
            s = 0.0
            for d in range(pts.shape[1]):
                t = pts[i, d] - pts[j, d]
                s += t * t
            out[n * i - i * (i + 1) // 2 + j - i - 1] = math.sqrt(s)
# oracle pts=f8[30,3] out=f8[435]


@njit(parallel=True)
def reduce_planes(vol, w):
    """Weighted mean of planes; result of the trailing shape."""
    out = np.zeros(vol.shape[1:])
    for k in range(vol.shape[0]):
        out += w[k] * vol[k]
    return out / w.sum()
# oracle vol=f8[6,20,24] w=f8[6]


@njit
def gradient3d(phi, h, g):
    """3-D slices."""
    g[0, 1:-1, :, :] = (phi[2:, :, :] - phi[:-2, :, :]) / (2 * h)
    g[1, :, 1:-1, :] = (phi[:, 2:, :] - phi[:, :-2, :]) / (2 * h)
    g[2, :, :, 1:-1] = (phi[:, :, 2:] - phi[:, :, :-2]) / (2 * h)
# oracle phi=f8[8,10,16] h=0.1 g=f8[3,8,10,16]


@njit
def fortran_update(A, x, y, alpha):
    """Rank one update, column by column."""
    m, n = A.shape
    for j in range(n):
        t = alpha * y[j]
        for i in range(m):
            A[i, j] += x[i] * t
# oracle A=f8[40,24]F x=f8[40] y=f8[24] alpha=0.5
# oracle A=f8[40,24] x=f8[40] y=f8[24] alpha=0.5


@njit(parallel=True)
def parallel_stats(x):
    """Reductions in prange."""
    s = 0.0
    s2 = 0.0
    lo = np.inf
    hi = -np.inf
    for i in prange(x.size):
        v = x[i]
        s += v
        s2 += v * v
        lo = min(lo, v)
        hi = max(hi, v)
    mean = s / x.size
    return mean, np.sqrt(s2 / x.size - mean**2), lo, hi
# oracle x=f8[300]
# oracle x=f4[300]


@njit
def mixed_axpy(x, y, idx, scale):
    """f4, f8 and integers."""
    total = 0.0
    for i in range(len(idx)):
        v = np.float32(scale) * x[idx[i]]
        y[i] = v + y[i]
        total += y[i] / (i + 1)
    return total
# oracle x=f4[100] y=f8[200] idx=i4[200]<100 scale=2.0


@njit
def nearest_segment(px, py, segs):
    """Distance of a point to segments."""
    best = 1e30
    who = -1
    for s in range(segs.shape[0]):
        ax, ay, bx, by = segs[s, 0], segs[s, 1], segs[s, 2], segs[s, 3]
        dx, dy = bx - ax, by - ay
        l2 = dx * dx + dy * dy
        if l2 == 0.0:
            t = 0.0
        else:
            t = max(0.0, min(1.0, ((px - ax) * dx + (py - ay) * dy) / l2))
        ex = px - (ax + t * dx)
        ey = py - (ay + t * dy)
        d2 = ex * ex + ey * ey
        if d2 < best:
            best = d2
            who = s
    return who, math.sqrt(best)
# oracle px=0.3 py=0.4 segs=f8[100,4]


@njit
def upsample_volume(src, factor):
    """Nearest upsampling with integer division."""
    d, h, w = src.shape
    out = np.empty((d * factor, h * factor, w * factor), dtype=src.dtype)
    for z in range(d * factor):
        for y in range(h * factor):
            for x in range(w * factor):
                out[z, y, x] = src[z // factor, y // factor, x // factor]
    return out
# oracle src=f4[4,6,8] factor=2


@njit
def rotate_vertices(verts, R, out):
    """A 3x3 matrix made by a helper."""
    for i in range(verts.shape[0]):
        out[i] = R @ verts[i]
# oracle verts=f8[80,3] R=f8[3,3] out=f8[80,3]


@njit
def cross3(a, b):
    out = np.empty(3)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out
# oracle a=f8[3] b=f8[3]


@njit
def mesh_normals(v, faces):
    """The caller below its helper."""
    n = np.zeros(v.shape)
    for f in range(faces.shape[0]):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        nrm = cross3(v[b] - v[a], v[c] - v[a])
        for t in range(3):
            n[faces[f, t]] += nrm
    for i in range(n.shape[0]):
        l = np.sqrt(n[i, 0] ** 2 + n[i, 1] ** 2 + n[i, 2] ** 2)
        if l > 0:
            n[i] /= l
    return n
# oracle v=f8[40,3] faces=i8[70,3]<40

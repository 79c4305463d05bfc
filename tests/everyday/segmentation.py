"""Pixels that belong together: thresholds with clamped windows, labels, stacks and queues of pixels."""

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def adaptive_threshold(img, ii, out, win=7, c=0.9):
    """Bradley's threshold with an integral image, clamped windows."""
    h, w = img.shape
    for y in range(h):
        row = 0
        for x in range(w):
            row += img[y, x]
            ii[y, x] = row if y == 0 else ii[y - 1, x] + row
    half = win // 2
    for y in range(h):
        y0 = max(y - half, 0)
        y1 = min(y + half, h - 1)
        for x in range(w):
            x0 = max(x - half, 0)
            x1 = min(x + half, w - 1)
            s = ii[y1, x1]
            if y0 > 0:
                s -= ii[y0 - 1, x1]
            if x0 > 0:
                s -= ii[y1, x0 - 1]
            if y0 > 0 and x0 > 0:
                s += ii[y0 - 1, x0 - 1]
            area = (y1 - y0 + 1) * (x1 - x0 + 1)
            out[y, x] = 255 if img[y, x] * area > s * c else 0
# oracle img=u1[24,40]<255 ii=i8[24,40] out=u1[24,40] win=7 c=0.9


@njit
def find_root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit
def label_components(img, labels, parent):
    """Two-pass labelling with union-find, 4-connected."""
    h, w = img.shape
    for i in range(h * w):
        parent[i] = i
    for y in range(h):
        for x in range(w):
            if img[y, x] == 0:
                continue
            if x > 0 and img[y, x - 1]:
                a = find_root(parent, y * w + x)
                b = find_root(parent, y * w + x - 1)
                if a != b:
                    parent[max(a, b)] = min(a, b)
            if y > 0 and img[y - 1, x]:
                a = find_root(parent, y * w + x)
                b = find_root(parent, (y - 1) * w + x)
                if a != b:
                    parent[max(a, b)] = min(a, b)
    for y in range(h):
        for x in range(w):
            labels[y, x] = find_root(parent, y * w + x) + 1 if img[y, x] else 0
# oracle img=u1[20,30]<2 labels=i4[20,30] parent=i8[600]


@njit
def region_grow(img, seed_y, seed_x, tol, mask, stack):
    """Flood fill with an explicit stack."""
    h, w = img.shape
    top = 0
    stack[0, 0] = seed_y
    stack[0, 1] = seed_x
    top = 1
    mask[seed_y, seed_x] = 1
    ref = img[seed_y, seed_x]
    area = 0
    while top > 0:
        top -= 1
        y = stack[top, 0]
        x = stack[top, 1]
        area += 1
        for k in range(4):
            yy = y + (1 if k == 0 else -1 if k == 1 else 0)
            xx = x + (1 if k == 2 else -1 if k == 3 else 0)
            if yy < 0 or yy >= h or xx < 0 or xx >= w:
                continue
            if mask[yy, xx] == 0 and abs(img[yy, xx] - ref) <= tol:
                mask[yy, xx] = 1
                stack[top, 0] = yy
                stack[top, 1] = xx
                top += 1
    return area
# oracle img=f8[20,30] seed_y=10 seed_x=15 tol=2.0 mask=u1[20,30]<1 stack=i4[1200,2]


@njit
def percolates(grid, full, queue):
    """Breadth-first flow from the top row; stops at the bottom."""
    n, m = grid.shape
    head = 0
    tail = 0
    for j in range(m):
        if grid[0, j]:
            full[0, j] = True
            queue[tail] = j
            tail += 1
    while head < tail:
        p = queue[head]
        head += 1
        i = p // m
        j = p % m
        if i == n - 1:
            return True
        if i + 1 < n and grid[i + 1, j] and not full[i + 1, j]:
            full[i + 1, j] = True
            queue[tail] = p + m
            tail += 1
        if i > 0 and grid[i - 1, j] and not full[i - 1, j]:
            full[i - 1, j] = True
            queue[tail] = p - m
            tail += 1
        if j + 1 < m and grid[i, j + 1] and not full[i, j + 1]:
            full[i, j + 1] = True
            queue[tail] = p + 1
            tail += 1
        if j > 0 and grid[i, j - 1] and not full[i, j - 1]:
            full[i, j - 1] = True
            queue[tail] = p - 1
            tail += 1
    return False
# oracle grid=b1[24,32] full=b1[24,32] queue=i8[768]


@njit
def _erode(src, dst, r):
    h, w = src.shape
    for y in range(h):
        for x in range(w):
            v = 255
            for dy in range(-r, r + 1):
                yy = min(max(y + dy, 0), h - 1)
                for dx in range(-r, r + 1):
                    xx = min(max(x + dx, 0), w - 1)
                    if src[yy, xx] < v:
                        v = src[yy, xx]
            dst[y, x] = v


@njit
def _dilate(src, dst, r):
    h, w = src.shape
    for y in range(h):
        for x in range(w):
            v = 0
            for dy in range(-r, r + 1):
                yy = min(max(y + dy, 0), h - 1)
                for dx in range(-r, r + 1):
                    xx = min(max(x + dx, 0), w - 1)
                    if src[yy, xx] > v:
                        v = src[yy, xx]
            dst[y, x] = v


@njit
def top_hat(img, out, r=1, black=False):
    """White or black top-hat of a uint8 image."""
    tmp = np.empty_like(img)
    if black:
        _dilate(img, tmp, r)
        _erode(tmp, out, r)
    else:
        _erode(img, tmp, r)
        _dilate(tmp, out, r)
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            out[y, x] = out[y, x] - img[y, x] if black else img[y, x] - out[y, x]
# oracle img=u1[20,30]<250 out=u1[20,30] r=1
# oracle img=u1[20,30]<250 out=u1[20,30] r=1 black=1


@njit
def chamfer_distance(mask, dist):
    """Distance transform: a pass forwards and one backwards."""
    h, w = mask.shape
    for y in range(h):
        for x in range(w):
            dist[y, x] = 0.0 if mask[y, x] else 1e9
    for y in range(h):
        for x in range(w):
            d = dist[y, x]
            if y > 0:
                d = min(d, dist[y - 1, x] + 1.0)
                if x > 0:
                    d = min(d, dist[y - 1, x - 1] + 1.414)
                if x < w - 1:
                    d = min(d, dist[y - 1, x + 1] + 1.414)
            if x > 0:
                d = min(d, dist[y, x - 1] + 1.0)
            dist[y, x] = d
    for y in range(h - 1, -1, -1):
        for x in range(w - 1, -1, -1):
            d = dist[y, x]
            if y < h - 1:
                d = min(d, dist[y + 1, x] + 1.0)
                if x > 0:
                    d = min(d, dist[y + 1, x - 1] + 1.414)
                if x < w - 1:
                    d = min(d, dist[y + 1, x + 1] + 1.414)
            if x < w - 1:
                d = min(d, dist[y, x + 1] + 1.0)
            dist[y, x] = d
# oracle mask=u1[24,36]<2 dist=f8[24,36]

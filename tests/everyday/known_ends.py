"""Loops that end at a place worked out in each iteration, alone and beside an end that data choose."""

from numba import njit


@njit
def sums_to_the_edge(height, out, reach):
    h, w = height.shape
    for y in range(h):
        for x in range(w):
            total = 0.0
            for s in range(reach):
                xx = x + s
                if xx >= w:
                    break
                total += height[y, xx]
            out[y, x] = total
# oracle height=f8[20,48] out=f8[20,48] reach=16


@njit
def counted_before_the_edge(x, out, reach):
    n = x.shape[0]
    for i in range(n):
        total = 0.0
        for k in range(reach):
            total += 1.5
            j = i + 2 * k
            last = j + 1
            if k + i >= n - 1:
                break
            total += x[last - 2 * k]
        out[i] = total
# oracle x=f8[300] out=f8[300] reach=12


@njit
def shadows(height, sun, shade, steps):
    h, w = height.shape
    for y in range(h):
        for x in range(w):
            lit = 1.0
            for s in range(1, steps):
                xx = x + s
                if xx >= w:
                    break
                if height[y, xx] > height[y, x] + s * sun:
                    lit = 0.3
                    break
            shade[y, x] = lit
# oracle height=f8[20,48] sun=0.02 shade=f8[20,48] steps=16


@njit
def steps_of_a_ray(height, sun, shade, steps):
    h, w = height.shape
    for y in range(h):
        for x in range(w):
            lit = 1.0
            level = height[y, x]
            xx = x
            for s in range(steps):
                xx += 1
                if xx >= w:
                    break
                level += sun
                if height[y, xx] > level:
                    lit = 0.3
                    break
            shade[y, x] = lit
# oracle height=f8[20,48] sun=0.02 shade=f8[20,48] steps=16



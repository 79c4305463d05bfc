"""Cellular automata and boards: wrap-around by remainders, a state that decides, rows moved over full ones."""

import numpy as np
from numba import njit


@njit
def life_bits(board, out):
    h, w = board.shape
    for i in range(h):
        up = (i - 1 + h) % h
        dn = (i + 1) % h
        for j in range(w):
            b = board[i, j]
            l = (b << 1) & 255
            r = b >> 1
            n = (board[up, j] & 1) + (board[dn, j] & 1) + (l & 1) + (r & 1)
            out[i, j] = 1 if n == 3 or (n == 2 and b & 1) else 0
# oracle board=u1[40,96]<256 out=u1[40,96]


@njit
def forest_fire(grid, nxt, p_grow, steps):
    h, w = grid.shape
    burnt = 0
    for _ in range(steps):
        for i in range(h):
            for j in range(w):
                c = grid[i, j]
                if c == 2:
                    nxt[i, j] = 0
                    burnt += 1
                elif c == 1:
                    fire = False
                    if i > 0 and grid[i - 1, j] == 2:
                        fire = True
                    if i < h - 1 and grid[i + 1, j] == 2:
                        fire = True
                    if j > 0 and grid[i, j - 1] == 2:
                        fire = True
                    if j < w - 1 and grid[i, j + 1] == 2:
                        fire = True
                    nxt[i, j] = 2 if fire else 1
                else:
                    nxt[i, j] = 1 if np.random.random() < p_grow else 0
        grid, nxt = nxt, grid
    return grid, burnt
# oracle grid=u1[30,40]<3 nxt=u1[30,40] p_grow=0.1 steps=3


@njit
def rule_110(cells, history, rule=110):
    n = cells.size
    steps = history.shape[0]
    history[0, :] = cells
    for t in range(1, steps):
        for i in range(n):
            l = history[t - 1, i - 1]
            c = history[t - 1, i]
            r = history[t - 1, (i + 1) % n]
            history[t, i] = (rule >> (4 * l + 2 * c + r)) & 1
# oracle cells=u1[128]<2 history=u1[30,128]<2


@njit
def tetris_lines(board):
    h, w = board.shape
    dst = h - 1
    for src in range(h - 1, -1, -1):
        full = True
        for j in range(w):
            if board[src, j] == 0:
                full = False
        if not full:
            if dst != src:
                board[dst, :] = board[src, :]
            dst -= 1
    for r in range(dst + 1):
        board[r, :] = 0
    return h - 1 - dst
# oracle board=u1[40,10]<3
# oracle board=i8[6,16]<3
# oracle board=i8[2,16]<3


@njit
def rows_above_emptied(board, top):
    """All rows are looked at, some of them written: how many is not known, and no more than there are."""
    h, w = board.shape
    for i in range(h):
        if board[i, 0] == 1:
            top -= 1
    for r in range(top + 1):
        board[r, 0] = 0
# oracle board=u1[40,10]<3 top=39
# oracle board=u1[400,10]<3 top=399


@njit
def relax_flip(buf, steps):
    _, n, m = buf.shape
    flip = 0
    for _ in range(steps):
        nxt = 1 - flip
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                buf[nxt, i, j] = 0.25 * (buf[flip, i - 1, j] + buf[flip, i + 1, j] + buf[flip, i, j - 1] + buf[flip, i, j + 1])
        flip = nxt
    return flip
# oracle buf=f8[2,30,40] steps=4

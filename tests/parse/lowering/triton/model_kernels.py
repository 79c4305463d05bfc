"""Triton kernels of language models and optimizers, as people write them. They are read as text, and run by
``interpreter.py``."""

# ruff: noqa
import triton
import triton.language as tl


@triton.jit
def add_rms_norm(x_ptr, res_ptr, w_ptr, y_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride
    res_ptr += row * stride
    y_ptr += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        m = cols < N
        h = tl.load(x_ptr + cols, mask=m, other=0.0).to(tl.float32) + tl.load(res_ptr + cols, mask=m, other=0.0).to(
            tl.float32
        )
        tl.store(res_ptr + cols, h, mask=m)
        acc += h * h
    rstd = 1 / tl.sqrt(tl.sum(acc, axis=0) / N + eps)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        m = cols < N
        h = tl.load(res_ptr + cols, mask=m, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=m)
        tl.store(y_ptr + cols, h * rstd * w, mask=m)


@triton.jit
def argmax_rows(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full((), float("-inf"), tl.float32)
    where = tl.full((), 0, tl.int32)
    for off in range(0, n_cols, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=float("-inf"))
        m = tl.max(x, axis=0)
        i = tl.argmax(x, axis=0) + off
        where = tl.where(m > best, i, where)
        best = tl.maximum(best, m)
    tl.store(out_ptr + row, where)


@triton.jit
def dequant_matmul(
    a_ptr, qw_ptr, s_ptr, z_ptr, c_ptr, M, N, K, GS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    shifts = (rk % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        kk = k * BK + rk
        a = tl.load(a_ptr + rm[:, None] * K + kk[None, :], mask=rm[:, None] < M, other=0.0)
        q = tl.load(qw_ptr + (kk[:, None] // 8) * N + rn[None, :])
        g = (k * BK) // GS
        s = tl.load(s_ptr + g * N + rn)
        z = tl.load(z_ptr + g * N + rn)
        w = ((q >> shifts[:, None]) & 0xF).to(tl.float16)
        w = (w - z[None, :]) * s[None, :]
        acc += tl.dot(a, w)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def int8_weight_only(x_ptr, w_ptr, scale_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    npn = tl.cdiv(N, BN)
    pm = pid // npn
    pn = pid % npn
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0)
        acc = tl.dot(x, w.to(x.dtype), acc)
    sc = tl.load(scale_ptr + rn, mask=rn < N)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc * sc[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def conv1d_causal(x_ptr, w_ptr, b_ptr, y_ptr, L, D, W: tl.constexpr, BLOCK_L: tl.constexpr, BLOCK_D: tl.constexpr):
    pl = tl.program_id(0)
    pd = tl.program_id(1)
    bat = tl.program_id(2)
    d = pd * BLOCK_D + tl.arange(0, BLOCK_D)
    l = pl * BLOCK_L + tl.arange(0, BLOCK_L)
    acc = tl.zeros((BLOCK_L, BLOCK_D), dtype=tl.float32)
    acc += tl.load(b_ptr + d, mask=d < D)[None, :]
    for j in tl.static_range(W):
        src = l + j - (W - 1)
        ok = (src[:, None] >= 0) & (src[:, None] < L) & (d[None, :] < D)
        x = tl.load(x_ptr + bat * L * D + src[:, None] * D + d[None, :], mask=ok, other=0.0)
        w = tl.load(w_ptr + d * W + j, mask=d < D)
        acc += x * w[None, :]
    acc = acc * tl.sigmoid(acc)
    tl.store(y_ptr + bat * L * D + l[:, None] * D + d[None, :], acc, mask=(l[:, None] < L) & (d[None, :] < D))


@triton.jit
def mamba_scan(u_ptr, dt_ptr, A_ptr, B_ptr, C_ptr, y_ptr, L, D, N: tl.constexpr, BLOCK_D: tl.constexpr):
    pb = tl.program_id(0)
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    n = tl.arange(0, N)
    dm = d < D
    A = tl.load(A_ptr + d[:, None] * N + n[None, :], mask=dm[:, None])
    h = tl.zeros((BLOCK_D, N), dtype=tl.float32)
    for t in range(L):
        u = tl.load(u_ptr + (pb * L + t) * D + d, mask=dm)
        dt = tl.load(dt_ptr + (pb * L + t) * D + d, mask=dm)
        b = tl.load(B_ptr + (pb * L + t) * N + n)
        c = tl.load(C_ptr + (pb * L + t) * N + n)
        h = h * tl.exp(dt[:, None] * A) + (dt * u)[:, None] * b[None, :]
        y = tl.sum(h * c[None, :], axis=1)
        tl.store(y_ptr + (pb * L + t) * D + d, y, mask=dm)


@triton.jit
def layer_norm_bwd_lock(
    DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP_SIZE_M
    Lock += lock_id
    Count = Lock + GROUP_SIZE_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = (x - mean) * rstd
    wdy = w * dy
    xhat = tl.where(mask, xhat, 0.0)
    wdy = tl.where(mask, wdy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    dx = (wdy - (xhat * c1 + c2)) * rstd
    tl.store(DX + cols, dx, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = (dy).to(w.dtype)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@triton.jit
def paged_decode(
    q_ptr,
    k_cache,
    v_cache,
    tables,
    lens,
    o_ptr,
    scale,
    max_blocks,
    HEADS: tl.constexpr,
    PAGE: tl.constexpr,
    D: tl.constexpr,
):
    seq = tl.program_id(0)
    head = tl.program_id(1)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    q = tl.load(q_ptr + (seq * HEADS + head) * D + d)
    n = tl.load(lens + seq)
    m_i = -float("inf")
    l_i = 0.0
    acc = tl.zeros([D], dtype=tl.float32)
    for b in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(tables + seq * max_blocks + b)
        offs = ((page * HEADS + head) * PAGE + t[:, None]) * D + d[None, :]
        ok = (b * PAGE + t) < n
        k = tl.load(k_cache + offs, mask=ok[:, None], other=0.0)
        s = tl.sum(q[None, :] * k, axis=1) * scale
        s = tl.where(ok, s, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(s, axis=0))
        p = tl.exp(s - m_new)
        alpha = tl.exp(m_i - m_new)
        v = tl.load(v_cache + offs, mask=ok[:, None], other=0.0)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        l_i = l_i * alpha + tl.sum(p, axis=0)
        m_i = m_new
    tl.store(o_ptr + (seq * HEADS + head) * D + d, acc / l_i)


@triton.jit
def grouped_gemm(
    a_ptr,
    b_ptr,
    c_ptr,
    sizes,
    offs_ptr,
    N,
    K,
    n_groups,
    NUM_SM: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    tile = tl.program_id(0)
    last = 0
    for g in range(n_groups):
        gm = tl.load(sizes + g)
        start = tl.load(offs_ptr + g)
        tiles_m = tl.cdiv(gm, BM)
        tiles_n = tl.cdiv(N, BN)
        num = tiles_m * tiles_n
        while tile >= last and tile < last + num:
            t = tile - last
            tm = t // tiles_n
            tn = t % tiles_n
            rm = start + tm * BM + tl.arange(0, BM)
            rn = tn * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, tl.cdiv(K, BK)):
                rk = k * BK + tl.arange(0, BK)
                a = tl.load(a_ptr + rm[:, None] * K + rk[None, :])
                b = tl.load(b_ptr + g * K * N + rk[:, None] * N + rn[None, :])
                acc += tl.dot(a, b)
            tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16))
            tile += NUM_SM
        last = last + num


@triton.jit
def flash_fwd_inner(
    acc,
    l_i,
    m_i,
    q,
    k_ptrs,
    v_ptrs,
    start_m,
    qk_scale,
    stride_kn,
    stride_vk,
    offs_m,
    offs_n,
    N_CTX,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    STAGE: tl.constexpr,
):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    k_ptrs += lo * stride_kn
    v_ptrs += lo * stride_vk
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(k_ptrs)
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(v_ptrs)
        acc = tl.dot(p.to(tl.float16), v, acc)
        m_i = m_ij
        k_ptrs += BLOCK_N * stride_kn
        v_ptrs += BLOCK_N * stride_vk
    return acc, l_i, m_i


@triton.jit
def flash_fwd(
    Q,
    K,
    V,
    Out,
    M,
    sm_scale,
    stride_h,
    stride_m,
    N_CTX,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    STAGE: tl.constexpr,
):
    start_m = tl.program_id(0)
    off_h = tl.program_id(1)
    base = off_h.to(tl.int64) * stride_h
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(Q + base + offs_m[:, None] * stride_m + offs_d[None, :])
    k_ptrs = K + base + offs_n[None, :] * stride_m + offs_d[:, None]
    v_ptrs = V + base + offs_n[:, None] * stride_m + offs_d[None, :]
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale
    qk_scale *= 1.44269504
    if STAGE & 1:
        acc, l_i, m_i = flash_fwd_inner(
            acc,
            l_i,
            m_i,
            q,
            k_ptrs,
            v_ptrs,
            start_m,
            qk_scale,
            stride_m,
            stride_m,
            offs_m,
            offs_n,
            N_CTX,
            BLOCK_M,
            BLOCK_N,
            4 - STAGE,
        )
    if STAGE & 2:
        acc, l_i, m_i = flash_fwd_inner(
            acc,
            l_i,
            m_i,
            q,
            k_ptrs,
            v_ptrs,
            start_m,
            qk_scale,
            stride_m,
            stride_m,
            offs_m,
            offs_n,
            N_CTX,
            BLOCK_M,
            BLOCK_N,
            2,
        )
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(M + off_h * N_CTX + offs_m, m_i)
    tl.store(Out + base + offs_m[:, None] * stride_m + offs_d[None, :], acc.to(Out.type.element_ty))


@triton.heuristics({"EVEN": lambda args: args["N"] % args["BLOCK"] == 0})
@triton.jit
def gelu(x_ptr, y_ptr, N, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(x_ptr + offs)
    else:
        x = tl.load(x_ptr + offs, mask=offs < N, other=0.0)
    y = 0.5 * x * (1.0 + tl.math.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))
    if EVEN:
        tl.store(y_ptr + offs, y)
    else:
        tl.store(y_ptr + offs, y, mask=offs < N)


@triton.jit
def adamw(p_ptr, g_ptr, m_ptr, v_ptr, lr, beta1, beta2, eps, wd, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    p = tl.load(p_ptr + i, mask=ok)
    g = tl.load(g_ptr + i, mask=ok)
    m = tl.load(m_ptr + i, mask=ok)
    v = tl.load(v_ptr + i, mask=ok)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    p = p * (1 - lr * wd) - lr * m / (tl.sqrt(v) + eps)
    tl.store(p_ptr + i, p, mask=ok)
    tl.store(m_ptr + i, m, mask=ok)
    tl.store(v_ptr + i, v, mask=ok)


@triton.jit
def group_norm(x_ptr, y_ptr, w_ptr, b_ptr, eps, C, HW, GROUPS: tl.constexpr, CPG: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    n = pid // GROUPS
    g = pid % GROUPS
    base = (n * C + g * CPG) * HW
    s = 0.0
    s2 = 0.0
    for c in range(CPG):
        for off in range(0, HW, BLOCK):
            i = off + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + base + c * HW + i, mask=i < HW, other=0.0)
            s += tl.sum(x)
            s2 += tl.sum(x * x)
    cnt = CPG * HW
    mean = s / cnt
    rstd = tl.rsqrt(s2 / cnt - mean * mean + eps)
    for c in range(CPG):
        w = tl.load(w_ptr + g * CPG + c)
        b = tl.load(b_ptr + g * CPG + c)
        for off in range(0, HW, BLOCK):
            i = off + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + base + c * HW + i, mask=i < HW, other=0.0)
            tl.store(y_ptr + base + c * HW + i, (x - mean) * rstd * w + b, mask=i < HW)


@triton.jit
def l2_norm_rows(X, Out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    X = X + pid * N
    Out = Out + pid
    row_mask = pid < M
    _sum = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for off in range(0, N, BLOCK_N):
        cols = off + tl.arange(0, BLOCK_N)[None, :]
        mask = row_mask & (cols < N)
        a = tl.load(X + cols, mask, other=0.0).to(tl.float32)
        _sum += a * a
    s = tl.sum(_sum, axis=1)
    out = tl.sqrt(s)[:, None]
    tl.store(Out, out, row_mask)


@triton.jit
def embedding_backward(grad_ptr, idx_ptr, out_ptr, n, D, BM: tl.constexpr, BD: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BD + tl.arange(0, BD)
    idx = tl.load(idx_ptr + r, mask=r < n, other=0)
    g = tl.load(grad_ptr + r[:, None] * D + c[None, :], mask=(r[:, None] < n) & (c[None, :] < D), other=0.0)
    tl.atomic_add(out_ptr + idx[:, None] * D + c[None, :], g, mask=(r[:, None] < n) & (c[None, :] < D))


@triton.jit
def topk_gate(x_ptr, w_ptr, i_ptr, E: tl.constexpr, TOPK: tl.constexpr):
    row = tl.program_id(0)
    e = tl.arange(0, E)
    x = tl.load(x_ptr + row * E + e)
    x = tl.softmax(x)
    for k in range(TOPK):
        m = tl.max(x, axis=0)
        j = tl.argmax(x, axis=0)
        tl.store(w_ptr + row * TOPK + k, m)
        tl.store(i_ptr + row * TOPK + k, j)
        x = tl.where(e == j, -float("inf"), x)

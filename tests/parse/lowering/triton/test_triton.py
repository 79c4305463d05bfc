"""Triton kernels: operations as derived by hand, and operations and bytes as an interpreter on NumPy has them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.bindings import resolve_values
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.cost.memory.models import launch_of
from roofscan.parse.reader.facts import parse_facts
from roofscan.report.kernel_view.device import configuration_grid, device_json
from tests.parse.lowering.triton.interpreter import run

FILES = ("kernels.py", "public_kernels.py", "model_kernels.py")
SOURCE = "\n\n".join((Path(__file__).parent / name).read_text() for name in FILES)
HEAD, *PARTS = SOURCE.split("\n\n\n")
HELPERS = [part for part in PARTS if "    return " in part]
CASES = {
    "add": ("x_ptr=f4[1000] y_ptr=f4[1000] out_ptr=f4[1000] n=1000 BLOCK=128 grid=8", 1024),
    "softmax": ("in_ptr=f4[2000] out_ptr=f4[2000] in_row_stride=100 out_row_stride=100 n_cols=100 BLOCK=128 grid=20",
                20 * 5 * 128),
    "matmul": ("a_ptr=f2[6400] b_ptr=f2[5120] c_ptr=f4[5120] M=80 N=64 K=80 stride_am=80 stride_ak=1 stride_bk=64"
               " stride_bn=1 stride_cm=64 stride_cn=1 BM=16 BN=32 BK=16 GROUP=2 grid=10", 10 * 2 * 16 * 32 * 16 * 5),
    "matmul2": ("a_ptr=f4[2048] b_ptr=f4[3072] c_ptr=f4[1536] M=32 N=48 K=64 BM=16 BN=16 BK=32 grid=(2,3)",
                2 * 32 * 48 * 64),
    "matmul_split_k": ("a_ptr=f4[2048] b_ptr=f4[3072] c_ptr=f4[1536] M=32 N=48 K=64 BM=16 BN=16 BK=16 SPLIT=2"
                       " grid=(2,3,2)", 2 * 32 * 48 * 64 + 2 * 32 * 48),
    "matmul_batched": ("a_ptr=f4[8192] b_ptr=f4[12288] c_ptr=f4[6144] M=32 N=48 K=64 BM=16 BN=16 BK=32 grid=(2,3,4)",
                       4 * 2 * 32 * 48 * 64),
    "layer_norm": ("X=f4[2000] Y=f4[2000] W=f4[100] B=f4[100] Mean=f4[20] Rstd=f4[20] stride=100 N=100 eps=1e-5"
                   " BLOCK=64 grid=20", 20 * (2 * 64 + 64 + 1 + 3 * 2 * 64 + 64 + 1 + 3 + 4 * 2 * 64)),
    "layer_norm_backward": ("DX=f4[2000] DY=f4[2000] DW=f4[100] DB=f4[100] X=f4[2000] W=f4[100] Mean=f4[20]"
                            " Rstd=f4[20] stride=100 N=100 BLOCK=128 grid=20", 20 * (13 * 128 + 2)),
    "dropout": ("x_ptr=f4[1000] out_ptr=f4[1000] n=1000 p=0.5 seed=7 BLOCK=128 grid=8", 8 * (2 * 128 + 1)),
    "embedding": ("idx_ptr=i8[12] w_ptr=f4[1000] out_ptr=f4[240] dim=20 BLOCK=32 grid=12", 0),
    "transpose": ("a_ptr=f4[600] b_ptr=f4[600] M=20 N=30 BM=16 BN=16 grid=(2,2)", 0),
    "attention": ("Q=f4[4096] K=f4[4096] V=f4[4096] O=f4[4096] sm_scale=0.25 N_CTX=64 BM=16 BN=32 D=16 grid=(4,4)",
                  16 * (2 * (4 * 16 * 32 * 16 + 5 * 16 * 32 + 16 * 16 + 5 * 16) + 16 * 16 + 16)),
    "gated": ("x_ptr=f4[1000] y_ptr=f4[1000] out_ptr=f4[1000] n=1000 BLOCK=128 SCALE=2.0 grid=8", 8 * 3 * 128),
    "rope": ("q_ptr=f4[8192] cos_ptr=f4[512] sin_ptr=f4[512] stride_row=512 n_heads=8 head_dim=64 BLOCK_H=8 grid=16",
             16 * 6 * 8 * 32),
    "rms_norm": ("X=f4[2000] Y=f4[2000] W=f4[100] r=f4[20] X_stride=100 Y_stride=100 n_cols=100 eps=1e-5"
                 " BLOCK_SIZE=128 grid=20", 20 * (4 * 128 + 3)),
    "cross_entropy_online": ("X_ptr=f4[2000] X_stride=100 Y_ptr=i8[20] Y_stride=1 loss_ptr=f4[20] n_cols=100"
                             " BLOCK_SIZE=64 grid=20", 20 * (2 * (4 * 64 + 5) + 2 * 3 * 64 + 4)),
    "matmul_blocks": ("a_ptr=f4[5760] b_ptr=f4[4608] c_ptr=f4[5120] M=80 N=64 K=72 stride_am=72 stride_ak=1"
                      " stride_bk=64 stride_bn=1 stride_cm=64 stride_cn=1 BM=16 BN=32 BK=16 grid=(5,2)",
                      10 * 5 * 2 * 16 * 32 * 16),
    "matmul_swizzle2d": ("a_ptr=f4[5120] b_ptr=f4[4096] c_ptr=f4[5120] M=80 N=64 K=64 BM=16 BN=32 BK=16 GROUP=2"
                         " grid=(5,2)", 2 * 80 * 64 * 64),
    "matmul_int8": ("a_ptr=i1[5120] b_ptr=i1[4096] c_ptr=f2[5120] scale_a=f4[80] scale_b=f4[64] M=80 N=64 K=64 BM=16"
                    " BN=32 BK=16 grid=(5,2)", 2 * 80 * 64),  # integers count as no FLOPs
    "attention_causal": ("Q=f2[8192] K=f2[8192] V=f2[8192] Out=f2[8192] sm_scale=0.25 N_CTX=128 BLOCK_M=32 BLOCK_N=16"
                         " D=16 grid=(4,4)",
                         80 * (2 * 2 * 32 * 16 * 16 + 6 * 32 * 16 + 32 * 16 + 5 * 32) + 16 * (32 * 16 + 1)),
    "cumsum": ("x_ptr=f4[1000] y_ptr=f4[1000] n=1000 BLOCK=128 grid=8", 8 * 128),
    "recurrence": ("a_ptr=f4[1024] b_ptr=f4[1024] y_ptr=f4[1024] n=128 BLOCK=128 grid=8", 8 * 3 * 128),
    "histogram": ("x_ptr=i8[1000] h_ptr=i4[100] n=1000 BLOCK=128 grid=8", 0),
    "walk_on": ("x_ptr=f4[1000] n=1000 BLOCK=128 grid=3", 8 * 128),
    "early_return": ("x_ptr=f4[2000] y_ptr=f4[2000] n=1000 BLOCK=128 grid=10", 8 * 128),
}  # fmt: skip


def reported(name: str, bind: str, *machines: str):
    text = "\n\n".join([HEAD, *(part for part in PARTS if f"def {name}(" in part or part in HELPERS)])
    kernels = analyze_source(text, "k.py", Options(bind=bind, machines=machines)).kernels
    return next(k for k in kernels if k.kernel.name == name).reports[0]


def counted(name: str, bind: str, *machines: str):
    cost = reported(name, bind, *machines).cost
    values, problems = resolve_values(cost.kernel, parse_facts(bind))
    assert not problems
    return cost, values


def arguments(bind: str) -> tuple[dict[str, object], tuple[int, ...]]:
    facts = parse_facts(bind)
    given: dict[str, object] = {name: fact.value for name, fact in facts.scalars.items()}
    for name, fact in facts.arrays.items():
        size = int(fact.shape[0].constant)
        given[name] = np.full(size, DATA.get(name, 0), fact.dtype.code)
    grid = facts.integers("grid")
    given.pop("grid", None)
    floats = {name for name, fact in facts.scalars.items() if fact.is_float}
    return {name: float(v) if name in floats else v for name, v in given.items()}, grid


@pytest.mark.parametrize("name", CASES)
def test_operations_are_those_derived_by_hand(name: str) -> None:
    bind, flops = CASES[name]
    cost, values = counted(name, bind)
    assert (cost.status, cost.flops.evaluate(values)) == ("exact", flops)


MODELS = {
    "add_rms_norm": ("x_ptr=f4[2000] res_ptr=f4[2000] w_ptr=f4[100] y_ptr=f4[2000] stride=100 N=100 eps=1e-5 BLOCK=32"
                     " grid=20"),
    "argmax_rows": "x_ptr=f4[2000] out_ptr=i4[20] n_cols=100 BLOCK=32 grid=20",
    "dequant_matmul": ("a_ptr=f2[4096] qw_ptr=i4[512] s_ptr=f2[128] z_ptr=f2[128] c_ptr=f2[4096] M=64 N=64 K=64 GS=32"
                       " BM=16 BN=32 BK=32 grid=(4,2)"),
    "int8_weight_only": ("x_ptr=f2[4480] w_ptr=i1[3360] scale_ptr=f4[48] y_ptr=f4[3072] M=64 N=48 K=70 BM=16 BN=32"
                         " BK=32 grid=8"),
    "conv1d_causal": ("x_ptr=f4[4000] w_ptr=f4[80] b_ptr=f4[20] y_ptr=f4[4000] L=100 D=20 W=4 BLOCK_L=32 BLOCK_D=16"
                      " grid=(4,2,2)"),
    "mamba_scan": ("u_ptr=f4[4000] dt_ptr=f4[4000] A_ptr=f4[320] B_ptr=f4[3200] C_ptr=f4[3200] y_ptr=f4[4000] L=100"
                   " D=20 N=16 BLOCK_D=16 grid=(2,2)"),
    "layer_norm_bwd_lock": ("DX=f4[2000] DY=f4[2000] DW=f4[400] DB=f4[400] X=f4[2000] W=f4[100] Mean=f4[20]"
                            " Rstd=f4[20] Lock=i4[8] stride=100 N=100 GROUP_SIZE_M=4 BLOCK_SIZE_N=128 grid=20"),
    "paged_decode": ("q_ptr=f4[128] k_cache=f4[4096] v_cache=f4[4096] tables=i4[32] lens=i4[4] o_ptr=f4[128] scale=0.25"
                     " max_blocks=8 HEADS=2 PAGE=16 D=16 grid=(4,2)"),
    "flash_fwd": ("Q=f2[4096] K=f2[4096] V=f2[4096] Out=f2[4096] M=f4[256] sm_scale=0.25 stride_h=2048 stride_m=16"
                  " N_CTX=128 BLOCK_M=32 BLOCK_N=16 HEAD_DIM=16 STAGE=3 grid=(4,2)"),
    "gelu": "x_ptr=f4[1000] y_ptr=f4[1000] N=1000 BLOCK=128 EVEN=0 grid=8",
    "adamw": ("p_ptr=f4[1000] g_ptr=f4[1000] m_ptr=f4[1000] v_ptr=f4[1000] lr=0.01 beta1=0.5 beta2=0.5 eps=1e-8 wd=0.1"
              " n=1000 BLOCK=128 grid=8"),
    "group_norm": ("x_ptr=f4[6400] y_ptr=f4[6400] w_ptr=f4[16] b_ptr=f4[16] eps=1e-5 C=16 HW=100 GROUPS=4 CPG=4"
                   " BLOCK=64 grid=16"),
    "l2_norm_rows": "X=f4[3000] Out=f4[30] M=30 N=100 BLOCK_M=8 BLOCK_N=32 grid=4",
    "embedding_backward": "grad_ptr=f4[2000] idx_ptr=i8[20] out_ptr=f4[10000] n=20 D=100 BM=8 BD=32 grid=(3,4)",
    "topk_gate": "x_ptr=f4[1280] w_ptr=f4[40] i_ptr=i8[40] E=64 TOPK=2 grid=20",
}  # fmt: skip
SHARES = {"layer_norm_bwd_lock": (Fraction(1, 5), 0), "paged_decode": (1, 3)}  # of branches on data; mean trips
DATA = {"lens": 48}  # what arrays hold, if not zeros


@pytest.mark.parametrize("name", {**CASES, **MODELS})
def test_operations_and_bytes_are_those_of_a_run(name: str) -> None:
    bind = CASES[name][0] if name in CASES else MODELS[name]
    cost, values = counted(name, bind)
    for s in cost.kernel.symbols:
        if s.kind in ("share", "trips"):
            values[s.name] = SHARES[name][s.kind == "trips"]
    memory, total = run(SOURCE, name, *arguments(bind)), cost.registers.total
    assert cost.flops.evaluate(values) == pytest.approx(memory.flops, rel=1e-12)
    moved = total.load.evaluate(values), total.writeback.evaluate(values)
    assert moved == pytest.approx((memory.loaded, memory.stored), rel=1e-12)
    assert cost.status == ("parametric" if name in SHARES else "exact")


LARGER = {
    "add": "x_ptr=f4[10000] y_ptr=f4[10000] out_ptr=f4[10000] n=10000 BLOCK=1024 grid=10",
    "softmax": "in_ptr=f4[40000] out_ptr=f4[40000] in_row_stride=200 out_row_stride=200 n_cols=200 BLOCK=256 grid=200",
    "matmul": "a_ptr=f2[65536] b_ptr=f2[65536] c_ptr=f2[65536] M=256 N=256 K=256 stride_am=256 stride_ak=1"
              " stride_bk=256 stride_bn=1 stride_cm=256 stride_cn=1 BM=32 BN=64 BK=32 GROUP=3 grid=32",
    "matmul2": "a_ptr=f2[65536] b_ptr=f2[65536] c_ptr=f4[65536] M=256 N=256 K=256 BM=64 BN=64 BK=32 grid=(4,4)",
    "matmul_split_k": "a_ptr=f4[16384] b_ptr=f4[16384] c_ptr=f4[16384] M=128 N=128 K=128 BM=32 BN=32 BK=32 SPLIT=2"
                      " grid=(4,4,2)",
    "matmul_batched": "a_ptr=f4[65536] b_ptr=f4[65536] c_ptr=f4[65536] M=128 N=128 K=128 BM=32 BN=64 BK=32"
                      " grid=(4,2,4)",
    "layer_norm": "X=f4[100000] Y=f4[100000] W=f4[1000] B=f4[1000] Mean=f4[100] Rstd=f4[100] stride=1000 N=1000"
                  " eps=1e-5 BLOCK=256 grid=100",
    "layer_norm_backward": "DX=f4[20000] DY=f4[20000] DW=f4[200] DB=f4[200] X=f4[20000] W=f4[200] Mean=f4[100]"
                           " Rstd=f4[100] stride=200 N=200 BLOCK=256 grid=100",
    "dropout": "x_ptr=f4[10000] out_ptr=f4[10000] n=10000 p=0.5 seed=7 BLOCK=1024 grid=10",
    "embedding": "idx_ptr=i8[120] w_ptr=f4[6400] out_ptr=f4[7680] dim=64 BLOCK=64 grid=120",
    "transpose": "a_ptr=f4[20000] b_ptr=f4[20000] M=100 N=200 BM=32 BN=32 grid=(4,7)",
    "attention": "Q=f4[65536] K=f4[65536] V=f4[65536] O=f4[65536] sm_scale=0.25 N_CTX=256 BM=64 BN=32 D=32 grid=(4,8)",
}  # fmt: skip
UNALIGNED = 0.08  # rows that begin inside a sector, under masks: the mean length of a row stands for all


@pytest.mark.parametrize("name", LARGER)
def test_a_gpu_is_asked_for_the_sectors_of_a_run(name: str) -> None:
    bind = LARGER[name]
    cost, values = counted(name, bind, "h200")
    given, grid = arguments(bind)
    memory = run(SOURCE, name, given, grid)
    requested, reuse = cost.registers, cost.reuse
    assert requested.requests is not None and reuse is not None and requested.status == "estimate"
    assert requested.requests.sectors.evaluate(values) == pytest.approx(memory.sectors, rel=UNALIGNED)
    if name != "embedding":  # which rows are looked up depends on data
        assert reuse.footprint.evaluate(values) == pytest.approx(memory.footprint, rel=UNALIGNED)
    assert cost.kernel.launch is not None and reuse.traffic(262_144).granule == 32


def test_products_of_tiles_run_on_matrix_units() -> None:
    """A product of 4096 x 4096 in fp16 takes an H200 as long as its matrix units and its caches need."""
    bind = ("a_ptr=f2[16777216] b_ptr=f2[16777216] c_ptr=f4[16777216] M=4096 N=4096 K=4096 BM=128 BN=128 BK=32"
            " grid=(32,32)")  # fmt: skip
    report = reported("matmul2", bind, "h200")
    assert report.time is not None and 2 * 4096**3 / 989e12 < report.time.expected < 4 * 2 * 4096**3 / 989e12
    assert max(level.ridge for level in report.levels if level.ridge) > 150  # of plain units: 28


def test_sizes_that_are_free_stay_symbols() -> None:
    cost, _ = counted("matmul2", "")
    assert cost.flops.evaluate({"BM": 16, "BN": 32, "BK": 8, "K": 64, "programs_x": 3, "programs_y": 2}) == (
        6 * 2 * 16 * 32 * 64
    )
    assert cost.status == "exact"


def test_a_launch_covers_what_the_masks_let_through() -> None:
    cost, _ = counted("add", "")
    assert str(cost.kernel.values["programs_x"]) == "ceiling(n/BLOCK)"
    assert any("as many programs as its masks ask for" in text for text in cost.kernel.assumptions)


def test_the_first_configuration_is_held() -> None:
    cost, _ = counted("gated", "")
    assert cost.kernel.guesses["BLOCK"] == 256


def test_products_are_of_the_type_of_their_operands() -> None:
    cost, _ = counted("matmul", CASES["matmul"][0])
    assert {precision for kind, precision in cost.operations if kind == "mul"} == {"fp16"}


OUTSIDE = {
    "while n > 0:\n        n -= 1\n        if n == 3:\n            break": "a break statement",
    "for k in range(n):\n        if k > 3:\n            return": "a return",
    'tl.inline_asm_elementwise("mov.u32 $0, 0;", "=r", [x], dtype=tl.int32, is_pure=True, pack=1)': "inline_asm",
}


@pytest.mark.parametrize("body", OUTSIDE)
def test_what_is_outside_says_so(body: str) -> None:
    text = f"import triton\nimport triton.language as tl\n@triton.jit\ndef f(x, n):\n    {body}\n"
    [result] = analyze_source(text, "k.py").kernels
    assert result.reports[0].cost.status == "unsupported"
    assert OUTSIDE[body] in result.kernel.reasons[0].message


BY_DATA = {
    "if tl.load(x) > 0.0:\n        tl.store(x, tl.load(x) + 1.0)": ("parametric", "p1*programs_x"),
    "if tl.load(x) > 0.0:\n        return\n    tl.store(x, tl.load(x) + 1.0)": (
        "parametric",
        "-p1*programs_x + programs_x",
    ),
    "while tl.load(x) > 0.0:\n        tl.store(x, tl.load(x) + 1.0)": ("parametric", "programs_x*trips_6"),
    "for k in range(tl.load(x)):\n        tl.store(x, k * 1.0 + 2.0)": ("parametric", "2*programs_x*trips_6"),
    "if tl.program_id(0) * 4 + 4 <= n and n > 7:\n        tl.store(x, 1.0 + tl.load(x))": (
        "exact",
        "programs_x",
    ),
    "y = 1.0 + tl.load(x) if tl.load(x) > 0.0 else 0.0": ("parametric", "p1*programs_x"),
}


@pytest.mark.parametrize("body", BY_DATA)
def test_what_depends_on_data_is_a_symbol(body: str) -> None:
    text = "import triton\nimport triton.language as tl\n@triton.jit\ndef f(x, n):\n"
    [result] = analyze_source(f"{text}    i = tl.program_id(0)\n    {body}\n", "k.py").kernels
    cost = result.reports[0].cost
    status, flops = BY_DATA[body]
    assert cost.status == status
    if status == "parametric":
        assert str(cost.flops) == flops


CARRIED = """
import triton
import triton.language as tl
@triton.jit
def f(x, n, B: tl.constexpr):
    at, step = 0, 0
    for k in range(n):
        tl.store(x + at + tl.arange(0, B), 1.0)
        at += step
        step += B
"""


def test_a_step_that_changes_is_not_taken_for_a_step() -> None:
    """``at`` rises by 0 in the first iteration, and by more in each later one."""
    [result] = analyze_source(CARRIED, "k.py").kernels
    assert any("depends on data" in reason.message for reason in result.kernel.reasons)


def test_functions_that_return_are_no_kernels() -> None:
    names = {result.kernel.name for result in analyze_source(SOURCE, "k.py").kernels}
    assert "cumsum" in names and not names & {"plus", "compose", "sigmoid_times"}


LAUNCHES = {
    "a function of the constants": (
        'grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)\n    add[grid](x, y, out, n, BLOCK=512)',
        "ceiling(n/BLOCK)", 512,
    ),
    "a tuple": ("add[(n // 256,)](x, y, out, n, BLOCK=256)", "floor(n/256)", 256),
    "a function with a name, and names for sizes": (
        'BLOCK = 64\n    def grid(meta):\n        return (triton.cdiv(n, meta["BLOCK"]),)\n'
        "    add[grid](x, y, out, n, BLOCK=BLOCK, num_warps=8)", "ceiling(n/BLOCK)", 64,
    ),
    "a function in place": ("add[lambda meta: (7,)](x, y, out, n, BLOCK=128)", "7", 128),
}  # fmt: skip


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_launch_is_read_from_the_file(name: str) -> None:
    body, programs, block = LAUNCHES[name]
    text = f"{HEAD}\n\n{PARTS[0]}\n\ndef host(x, y, out, n):\n    {body}\n"
    kernel = next(k.kernel for k in analyze_source(text, "k.py").kernels if k.kernel.name == "add")
    assert (str(kernel.values["programs_x"]), kernel.guesses["BLOCK"]) == (programs, block)
    assert any("launched as in line" in said for said in kernel.assumptions)


TOLD = """
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def scaled(x_ptr, y_ptr, b_ptr, n, m, stride_x, stride_n, BLOCK: tl.constexpr, BIAS: tl.constexpr, ACT: tl.constexpr,
           EVEN: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + tl.program_id(1) * stride_x + offs * stride_n, mask=offs < n)
    if BIAS:
        v += tl.load(b_ptr + offs, mask=offs < n)
    if ACT == "relu":
        v = tl.maximum(v, 0.0)
    if EVEN:
        v = v * 2.0
    tl.store(y_ptr + tl.program_id(1) * n + offs, v, mask=offs < n)
"""
CALL = "scaled[(triton.cdiv(n, 256), m)](x, y, b, n, m, x.stride(0), x.stride(1), BLOCK=256, BIAS={}, ACT={})"
PASSED = {
    "types": (
        "x = torch.zeros(m, n, dtype=torch.float16)\n    y = torch.empty_like(x)\n"
        "    b = x.new_empty(n).to(torch.bfloat16)",
        {"x_ptr": "f2", "y_ptr": "f2", "b_ptr": "bf2"},
    ),
    "what a name was bound to before": (
        "y = torch.zeros(9)\n    x = y.half()\n    x = x.contiguous()\n    y = y.to(x.dtype).view(-1)\n"
        "    b = torch.randint(0, 9, (n,))", {"x_ptr": "f2", "y_ptr": "f2", "b_ptr": "i8"},
    ),
    "nothing": ("b = other(x)", {"x_ptr": "f4", "y_ptr": "f4", "b_ptr": "f4"}),
    "a call of the function": ("b = x.T\n\nv = torch.ones(8, 8).double()\nhost(v, v[0], 8, 8)",
                               {"x_ptr": "f8", "y_ptr": "f8", "b_ptr": "f8"}),
}  # fmt: skip


def told(body: str, *choices: str, bind: str = ""):
    made, _, after = body.partition("\n\n")
    host = f"def host(x, y, n, m):\n    {made}\n" + "".join(f"    {CALL.format(*c.split())}\n" for c in choices)
    text = f"import torch\n{HEAD}\n{TOLD}\n{host}\n{after}\n"
    return analyze_source(text, "k.py", Options(bind=bind)).kernels[0]


@pytest.mark.parametrize("name", PASSED)
def test_the_types_of_tensors_are_those_that_a_launch_passes(name: str) -> None:
    body, types = PASSED[name]
    kernel = told(body, "True 'relu'").kernel
    assert {a.name: a.dtype.code for a in kernel.arrays if a.role == "parameter"} == types


def test_flags_are_those_of_all_launches() -> None:
    one, two = told("b = x", "True 'relu'"), told("b = x", "True 'relu'", "False 'relu'")
    assert [str(k.reports[0].cost.flops.evaluate({"BLOCK": 1, "programs_x": 1, "programs_y": 1, "p1": 0, "p2": 0}))
            for k in (one, two)] == ["2", "1"]  # fmt: skip
    assert "BIAS is True (launched in line 24)" in one.kernel.assumptions
    assert not any(text.startswith("BIAS") for text in two.kernel.assumptions)


def test_strides_are_those_of_tensors_without_gaps() -> None:
    launched = told("m, n = x.shape\n    b = x", "True 'relu'").kernel
    assert {name: str(launched.values[name]) for name in ("stride_x", "stride_n")} == {"stride_x": "n", "stride_n": "1"}
    alone = analyze_source(f"{HEAD}\n{TOLD}", "k.py").kernels[0].kernel
    assert alone.guesses["stride_n"] == 1 and "stride_x" not in alone.guesses
    padded = told("m, n = x.shape\n    b = x", "True 'relu'", bind="stride_x=128 n=100").kernel
    assert "stride_x" not in {name for name, value in padded.values.items() if value.constant != 128}


def test_heuristics_are_worked_out() -> None:
    free, even, odd = (told("b = x", "False None", bind=bind) for bind in ("", "n=512 BLOCK=256", "n=500 BLOCK=256"))
    [flag] = [s for s in free.kernel.symbols if s.kind == "flag"]
    assert flag.meaning == "1 where n % BLOCK == 0, else 0"
    assert even.reports[0].cost.flops.evaluate({"programs_x": 2, "programs_y": 1}) == 512
    assert not odd.reports[0].cost.flops


ODD = "-B*p1*programs_x + B*programs_x"
TESTS = {
    "S & 1": (ODD, {"S": 3}, 8), "S == 1": ("B*p1*programs_x", {"S": 3}, 0),
    "S != 1": (ODD, {"S": 3}, 8), "not S": (ODD, {"S": 3}, 0),
    "n % 16": (ODD, {"n": 100}, 8), "n >> 4": (ODD, {"n": 16}, 8),
    "not tl.program_id(0) > 0": ("B", {}, 8),
}  # fmt: skip


@pytest.mark.parametrize("test", TESTS)
def test_tests_on_parameters_are_flags(test: str) -> None:
    """A size for which the test holds is no size for which it does not: neither is left out."""
    flops, bound, work = TESTS[test]
    text = (
        "import triton\nimport triton.language as tl\n@triton.jit\ndef f(x, n, B: tl.constexpr, S: tl.constexpr):\n"
        "    o = tl.program_id(0) * B + tl.arange(0, B)\n    v = tl.load(x + o)\n"
        f"    if {test}:\n        v = v * 2.0\n    tl.store(x + o, v)\n"
    )
    [free] = analyze_source(text, "k.py").kernels
    assert str(free.reports[0].cost.flops) == flops
    bind = " ".join(["B=8", "grid=1", *(f"{n}={v}" for n, v in bound.items())])
    [known] = analyze_source(text, "k.py", Options(bind=bind)).kernels
    assert (known.reports[0].cost.status, known.reports[0].cost.flops.evaluate({"programs_x": 1})) == ("exact", work)


OTHERS = {
    "a flag": ("if FLAG:\n        v = v * 2.0\n    tl.store(x + o, v, mask=o < n)", "parametric", {"p1": 1, "B": 8}, 8),
    "programs that walk on": (
        "for i in tl.range(tl.program_id(0), tl.cdiv(n, B), tl.num_programs(0)):\n"
        "        tl.store(x + i * B + tl.arange(0, B), v + 1.0)", "exact", {"n": 100, "B": 8}, 104,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_flags_and_programs_that_walk_on(name: str) -> None:
    body, status, sizes, flops = OTHERS[name]
    text = (
        "import triton\nimport triton.language as tl\n@triton.jit\ndef f(x, n, B: tl.constexpr, FLAG: tl.constexpr):\n"
    )
    text += f"    o = tl.arange(0, B)\n    v = tl.load(x + o, mask=o < n)\n    {body}\n"
    [result] = analyze_source(text, "k.py").kernels
    cost = result.reports[0].cost
    flags = {s.name: 1 for s in cost.kernel.symbols if s.kind == "flag"}
    assert cost.flops.evaluate({**flags, **sizes}) == flops
    assert cost.status == status


# -- configurations of autotune -----------------------------------------------------------------------
TUNED = """
import triton
import triton.language as tl
MORE = [triton.Config({"BM": 16, "BN": 16}, num_warps=2), triton.Config({"BM": 64, "BN": 32})]
@triton.autotune(configs=CONFIGS, key=["M"])
@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr = 64, BK: tl.constexpr = 32):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        rk = k * BK + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        y = tl.load(b + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))
"""
SIZES = "M=1000 N=512 K=256"


def tuned(configs: str, bind: str = SIZES):
    text = TUNED.replace("CONFIGS", configs)
    [result] = analyze_source(text, "k.py", Options(bind=bind, machines=("h200",))).kernels
    return result.reports[0]


@pytest.mark.parametrize("bind", [SIZES, ""])
def test_the_configurations_are_those_of_their_constants_bound(bind: str) -> None:
    """The fastest first, each with the figures of a kernel that has these constants."""
    report = tuned("MORE", bind)
    times = [t.time.expected for t in report.configurations]
    assert len(times) == 2 and times == sorted(times)
    assert {t.configuration.options for t in report.configurations} == {(("num_warps", 2),), ()}
    assert report.verdict.time.expected == pytest.approx(next(
        t.time.expected for t in report.configurations if t.configuration.options
    ))  # fmt: skip
    if bind:
        wide = next(t for t in report.configurations if not t.configuration.options)
        bound = tuned("MORE", f"{bind} BM=64 BN=32")
        assert not bound.configurations
        assert wide.time.expected == pytest.approx(bound.verdict.time.expected)
        moved = [row.traffic.total for row in reversed(bound.levels)]
        assert wide.bytes == pytest.approx([float((m.load + m.writeback).constant) for m in moved])
        assert wide.time.limit == bound.verdict.limit


def test_num_warps_sets_the_threads_of_a_program() -> None:
    report = tuned('[triton.Config({"BM": 32}, 8), triton.Config({"BM": 64}, num_warps=2, num_stages=3)]')
    assert report.cost.kernel.launch.block[0].constant == 256
    assert [dict(c.options) for c in report.cost.kernel.launch.configurations] == [
        {"num_warps": 8}, {"num_warps": 2, "num_stages": 3},
    ]  # fmt: skip


NOT_COMPARED = {
    "one configuration": ('[triton.Config({"BM": 32})]', SIZES, 0),
    "a comprehension": ('[triton.Config({"BM": b}) for b in (16, 32)]', SIZES, 1),
    "values that are not known": ('[triton.Config({"BM": x}), triton.Config({**y}), triton.Config(z)]', SIZES, 3),
    "a flag": ('[triton.Config({"BM": 32}), triton.Config({"BM": 32, "F": True})]', SIZES, 1),
    "no size at all": ('[triton.Config({"BM": 0}), triton.Config({"BM": 32})]', SIZES, 0),
    "a grid that leaves other work to each": ("MORE", f"{SIZES} grid=(8,8)", 0),
}


@pytest.mark.parametrize("name", NOT_COMPARED)
def test_configurations_that_cannot_be_compared(name: str) -> None:
    configs, bind, left_out = NOT_COMPARED[name]
    report = tuned(configs, bind)
    assert not report.configurations
    said = [text for text in report.cost.kernel.assumptions if text.startswith("configurations whose values")]
    assert [text.rpartition(" ")[2] for text in said] == ([str(left_out)] if left_out else [])


def test_configurations_in_text_and_json() -> None:
    configs = ", ".join(f'triton.Config({{"BM": {16 << k % 4}, "BN": {16 << k // 4}}})' for k in range(10))
    report = tuned(f"[{configs}]")
    grid = configuration_grid(report, "")
    assert len(grid.rows) == 9 and grid.rows[-1][0] == "and 2 more"
    assert grid.head == ("configuration", "limit", "L1", "L2", "HBM", "expected")
    shown = device_json(report, {})["configurations"]
    assert len(shown) == 10 and shown[0]["constants"].keys() == {"BM", "BN"}
    assert shown[0]["bytes"].keys() == {"dram", "l2", "l1"} and shown[0]["seconds"] >= shown[0]["at_least"]
    assert not device_json(tuned("[]"), {})


def test_a_walk_over_the_grid_asks_the_second_cache_for_every_row() -> None:
    text = (
        "import triton\nimport triton.language as tl\n\n@triton.jit\ndef scale(x, y, rows, B: tl.constexpr):\n"
        "    for row in range(tl.program_id(0), rows, tl.num_programs(0)):\n"
        "        at = row * B + tl.arange(0, B)\n        tl.store(y + at, 2.0 * tl.load(x + at))\n"
    )
    sizes = "x=f4[12976128] y=f4[12976128] rows=12672 B=1024 grid="
    moved = []
    for grid in (12672, 1056):
        [kernel] = analyze_source(text, options=Options(bind=f"{sizes}{grid}", machines=("h200",))).kernels
        model = launch_of(kernel.reports[0].cost)
        assert model is not None
        moved.append(value_of(model.movements.misses["x"]))
    assert moved == pytest.approx([4 * 12976128] * 2, 1e-6)

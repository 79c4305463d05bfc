"""The size of a block that nothing tells: held, never enumerated, and refused where no launch can have it."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.bindings import resolve_values
from roofscan.parse.reader.facts import parse_facts

KERNEL = """
from numba import cuda
@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2.0
"""

INIT = "class Run:\n    def __init__(self):\n        self.t = 96\n"
HELD = {
    "def host(x, n, t):\n    scale[(n + t - 1) // t, t](x)\n": {"t": 256},
    "def host(x, t):\n    scale[(4, 4), (t, t)](x)\n": {"t": 16},
    "def host(x, n, a, b, c):\n    scale[n, (a, b, c)](x)\n": {"a": 8, "b": 8, "c": 8},
    "def host(x, w):\n    scale[8, 32 * w](x)\n": {"w": 16},  # warps
    "def host(x):\n    scale[1, x.size](x)\n": {"x_shape_0": 256},  # one block
    "def host(x, n, tpb=64):\n    scale[n // tpb, tpb](x)\n": {"tpb": 64},
    "def host(x, n):\n    t = min(n, 1024)\n    scale[(n + t - 1) // t, t](x)\n": {},  # n grows
    "def host(x, t, s):\n    scale[8, t, 0, 4 * s](x)\n": {"t": 256},  # s bytes of shared memory
    "class Run:\n    def host(self):\n        scale[self.n // self.t, self.t](self.x)\n": {"self_t": 256},
    "class Run:\n    t = 64\n    def host(self):\n        scale[self.n // self.t, self.t](self.x)\n": {"self_t": 64},
    f"{INIT}    def host(self):\n        scale[9, self.t](self.x)\n": {"self_t": 96},
    f"{INIT}    t = 64\n    def host(self):\n        scale[9, self.t](self.x)\n": {"self_t": 256},  # neither of two
}  # fmt: skip


def _host(text: str, bind: str = ""):
    found = analyze_source(KERNEL + text, "k.py", Options(machines=("h200",), kernels="all", bind=bind)).kernels
    return next(each for each in found if each.kernel.name.endswith("host"))


@pytest.mark.parametrize("host", HELD)
def test_the_threads_of_a_block_are_held_while_the_data_grow(host: str) -> None:
    found = _host(host)
    assert dict(found.kernel.guesses) == HELD[host]
    [step] = found.reports[0].device_work
    assert step.step.launches


def test_a_kernel_holds_the_block_that_a_launch_passes() -> None:
    text = "from numba import cuda\n@cuda.jit\ndef host(x, m):\n    i = cuda.blockIdx.x * m + cuda.threadIdx.x\n"
    text += "    if i < x.size:\n        x[i] *= 2.0\ndef go(x, m):\n    host[x.size // m, m](x, m)\n"
    assert dict(_host(text).kernel.guesses) == {"m": 256}


@pytest.mark.parametrize("host, bind", [*zip(HELD, ("t=1000000", "t=100"))])
def test_a_block_that_no_launch_can_have_is_refused(host: str, bind: str) -> None:
    problems = resolve_values(_host(host).kernel, parse_facts(bind))[1]
    assert len(problems) == 1 and problems[0].endswith("threads; a block has at most 1024")
    assert _host(host, bind).conflicts


def test_a_default_that_no_block_can_have_is_outside_the_model() -> None:
    found = _host("def host(x, n, tpb=2048):\n    scale[n // tpb, tpb](x)\n")
    reason = found.reports[0].cost.kernel.unsupported
    assert reason is not None and "blocks of 2048 threads" in reason.message


def test_blocks_of_another_size_in_each_iteration() -> None:
    text = "def host(x, n):\n    b = 32\n    while b <= 1024:\n        scale[(n + b - 1) // b, b](x)\n        b *= 2\n"
    [step] = _host(text).reports[0].device_work
    assert step.step.launches

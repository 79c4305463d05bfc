"""RFL705: a block reads arrays again and again that a tile in shared memory would hold."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.finding import Finding, Subject
from roofscan.rules.lanes import launched, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext

CODE = Code(
    id="RFL705",
    title="a tile in shared memory pays",
    remedy="tile in shared memory",
    location="kernel",
    meaning="""
        The threads of a block load the same bytes from L1 many times, and these loads limit the kernel: by their
        wavefronts, or by the instructions that compute addresses. Where memory or L2 takes longer, a tile gains
        nothing, and there is no finding.""",
    why="""
        A tile in shared memory has a constant size, so its addresses are constants and its loop is unrolled: an access
        takes two instructions instead of ten.""",
    action="""
        Let each block copy its part into a cuda.shared.array, call cuda.syncthreads(), and read the part there.""",
    bad="""
        from numba import cuda, float32

        # roofscan: A=f4[4096,4096] B=f4[4096,4096] C=f4[4096,4096] grid=(128,128) block=(32,32)
        @cuda.jit
        def product(A, B, C):
            j, i = cuda.grid(2)
            if i < C.shape[0] and j < C.shape[1]:
                acc = float32(0.0)
                for k in range(A.shape[1]):
                    acc += A[i, k] * B[k, j]
                C[i, j] = acc
        """,
    good="""
        from numba import cuda, float32

        # roofscan: A=f4[4096,4096] B=f4[4096,4096] C=f4[4096,4096] grid=(128,128) block=(32,32)
        @cuda.jit
        def product(A, B, C):
            a = cuda.shared.array((32, 32), float32)
            b = cuda.shared.array((32, 32), float32)
            j, i = cuda.grid(2)
            x, y = cuda.threadIdx.x, cuda.threadIdx.y
            acc = float32(0.0)
            for t in range(A.shape[1] // 32):
                a[y, x] = A[i, t * 32 + x]
                b[y, x] = B[t * 32 + y, j]
                cuda.syncthreads()
                for k in range(32):
                    acc += a[y, k] * b[k, x]
                cuda.syncthreads()
            C[i, j] = acc
        """,
)

WORTH_IT = 1.3  # the least gain: a tile is more code


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context) and all(array.space != "shared" for array in context.kernel.arrays)


def find(context: RuleContext) -> Iterator[Finding]:
    from roofscan.roofline.gpu.what_if import tileable, with_tiles  # of modules that few files need

    found = launched(context)
    names = tileable(found) if found is not None else ()
    if found is None or not names:
        return
    gain = found.seconds / with_tiles(found, names).seconds
    if gain < WORTH_IT:
        return
    message = (
        f"{context.name}: up to {gain:.2g}x by tiles of {', '.join(names)} in shared memory; "
        f"its blocks request each byte many times"
    )
    yield context.at(
        CODE.id, context.kernel.line, context.kernel.column, message, Subject("array", names), (("gain", gain),)
    )

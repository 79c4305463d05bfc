"""``roofscan fix``: blocks of a loop give the same bits, or are not offered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.api import Options
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.cost.transform.tile import legal_tilings
from roofscan.finding import Finding
from roofscan.fix.model import Fix, Site
from roofscan.fix.offers import Choice, fixed
from roofscan.fix.source import SourceTree
from roofscan.fix.tiling import tiled
from tests.fix.same_results import outcome
from tests.fix.test_interchange import HEAD, THOROUGHNESS, fix
from tests.oracle.words import read_words
from tests.support.lowered_source import lowered

READS = ("A[i, k]", "B[k, j]", "x[j]", "x[k]", "x[k + 1]", "B[k + 2, j]", "A[k, i]", "w", "k", "B[j, k]", "x[i + k]")
STORES = ("C[i, j]", "C[i, j]", "C[i, k]", "y[j]", "C[i, j + 1]", "C[k, j]", "y[k]")
PARAMETERS = ("A", "B", "C", "x", "y", "w", "n", "m", "p")


@st.composite
def products(draw: st.DrawFn) -> str:
    k_range = draw(st.sampled_from(("p", "p", "1, p", "0, p")))
    lines = ["for i in range(n):", f"    for k in range({k_range}):"]
    lines += [f"        t = {draw(st.sampled_from(READS[:2]))}".replace("j", "i")] if draw(st.booleans()) else []
    lines.append("        for j in range(m):")
    for _ in range(draw(st.integers(1, 2))):
        reads = (draw(st.sampled_from((*READS, *(["t"] if len(lines) > 3 else [])))) for _ in range(2))
        store, op = draw(st.sampled_from(STORES)), draw(st.sampled_from(("=", "+=", "-=")))
        lines.append(f"            {store} {op} {' * '.join(reads)}")
    return f"{HEAD}def f({', '.join(PARAMETERS)}):\n" + "".join(f"    {line}\n" for line in lines)


def fixes_of(text: str, size: int) -> Iterator[Fix]:
    """The fixes for every legal tiling, whether it pays or not."""
    kernel = lowered(text)
    for perfect in perfect_nests(kernel):
        for tile in legal_tilings(kernel, perfect):
            source = SourceTree(text.encode())
            function = source.function_at(kernel.line)
            assert function is not None
            record = replace(tile, size=size).record
            finding = Finding("RFL101", "k.py", kernel.line, 0, "", kernel.name, transformation=record)
            made = tiled(Site(finding, kernel, source, function))
            if made is not None:
                yield made


@settings(max_examples=50 * THOROUGHNESS, deadline=None)
@given(products(), st.sampled_from((1, 2, 3, 8)), st.sampled_from((0, 1, 2, 4)), st.sampled_from((0, 1, 5)))
def test_every_legal_tiling_gives_the_same_bits(text: str, size: int, n: int, p: int) -> None:
    words = f"n={n} m=3 p={p} A=f8[9,9] B=f8[9,9] C=f8[9,9] x=f8[9] y=f8[9] w=1.5"
    arguments = read_words(words, PARAMETERS).arguments
    before = outcome(text, "f", arguments)
    for made in fixes_of(text, size):
        assert outcome(made.module.code, "f", arguments) == before, made.module.code


PRODUCT = """def product(A, B, C):
    n, m = C.shape
    # rows of C
    for i in range(n):
        for k in range(B.shape[0]):
            a = A[i, k]  # once a row
            for j in range(m):
                C[i, j] += a * B[k, j]
"""


def test_a_product_in_blocks() -> None:
    made = fix(HEAD + PRODUCT)
    after = made.after.decode().removeprefix(HEAD)
    assert len(made.fixes) == 1 and "tile k by " in made.fixes[0]
    size = made.fixes[0].partition("tile k by ")[2].partition(",")[0]
    assert (
        after
        == f"""def product(A, B, C):
    n, m = C.shape
    # rows of C
    for kk in range(0, B.shape[0], {size}):
        B_block = B[kk:]
        for i in range(n):
            A_row = A[i, kk:]
            C_row = C[i]
            for k in range(min(kk + {size}, B.shape[0]) - kk):
                a = A_row[k]  # once a row
                for j in range(m):
                    C_row[j] += a * B_block[k, j]
"""
    )
    again = fixed("k.py", made.after, Options(), Choice(unsafe=True), lambda findings, _: findings)
    assert again.after == made.after, "a fixed file has nothing left to fix"

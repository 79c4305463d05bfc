"""Which functions are kernels, under every spelling of what compiles them."""

from __future__ import annotations

import pytest

from roofscan.parse.reader.find import Candidate, candidates_named, find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.parse.syntax import Call, Other

IMPORTS = """
import functools
import numba, numba as nb
import numpy as np
import jax, torch
import numba.cuda as nbc
from functools import partial
from numba import njit, jit as jj, vectorize, guvectorize, stencil, cuda, prange, cfunc, types, float64
from numba.experimental import jitclass
from numba.extending import register_jitable, overload, overload_method, intrinsic
from .utils import ngjit, numba_jit, njit_parallel, skip_if_no_jit
from . import _numba_utils as nu
from somewhere.jax_things import edit
from jax import jit as jax_jit

OPTS = {"cache": True, "parallel": True}
FLAGS = dict(nogil=True, fastmath=True)
FAST = True
SIG = "void(f8[:])"
fast = njit(cache=True, fastmath=True)
faster = fast
par = partial(njit, parallel=True)
par2 = functools.partial(nb.njit, **OPTS)
alias = nb.njit
either = njit if numba else (lambda f: f)
try:
    maybe = njit(parallel=True)
except Exception:
    def maybe(f): return f

def apply(f):
    return njit(cache=True, parallel=True)(f)

def apply_if(func):
    if FAST:
        return nb.njit(func, fastmath=True)
    return func

def with_options(*args, **kwargs):
    kwargs.setdefault("cache", True)
    return numba.njit(*args, parallel=True, **kwargs)

def nested(flag=True):
    def decorate(f):
        return nb.njit(f, fastmath=flag)
    return decorate

def timed(f):
    return f
"""


def found(source: str, plain: bool = False) -> dict[str, Candidate]:
    return {c.name: c for c in find_candidates(read_module(source, "a.py"), plain).candidates}


def decorated(decorator: str) -> Candidate | None:
    return found(f"{IMPORTS}\n{decorator}\ndef kernel(x):\n    return x\n").get("kernel")


@pytest.mark.parametrize(
    "decorator, kind",
    [
        ("@njit", "njit"), ("@njit()", "njit"), ("@nb.njit", "njit"), ("@numba.njit(cache=True)", "njit"),
        ("@jj", "jit"), ("@nb.jit(nopython=True)", "jit"), ("@numba.core.decorators.njit", "njit"),
        ("@alias", "njit"), ("@vectorize", "vectorize"), ("@nb.vectorize(['f8(f8)'])", "vectorize"),
        ("@guvectorize([(float64[:], float64[:])], '(n)->(n)')", "guvectorize"), ("@stencil", "stencil"),
        ("@numba.stencil(cval=0.0)", "stencil"), ("@cuda.jit", "cuda"), ("@nbc.jit(device=True)", "cuda"),
        ("@numba.cuda.jit('void(f8[:])')", "cuda"), ("@cfunc('f8(f8)')", "njit"), ("@register_jitable", "njit"),
        ("@nb.generated_jit(nopython=True)", "jit"), ("@fast", "njit"), ("@faster", "njit"), ("@par", "njit"),
        ("@par2", "njit"), ("@maybe", "njit"), ("@either", "njit"), ("@apply", "njit"),
        ("@apply_if", "njit"), ("@nested()", "njit"),
        ("@with_options", "njit"), ("@with_options(fastmath=True)", "njit"), ("@ngjit", "njit"),
        ("@ngjit(nogil=True)", "njit"), ("@numba_jit('f8(f8)')", "njit"), ("@njit_parallel", "njit"),
        ("@nu.njit", "njit"), ("@nu.vectorize", "vectorize"), ("@timed\n@njit", "njit"),
        ("@njit\n@timed", "njit"), ("@njit(  # why\n    cache=True,\n)", "njit"), ("@(njit)", "njit"),
    ],
)  # fmt: skip
def test_spellings_that_compile(decorator: str, kind: str) -> None:
    candidate = decorated(decorator)
    assert candidate is not None
    assert (candidate.decorator.kind, candidate.how) == (kind, "decorated")


@pytest.mark.parametrize(
    "decorator",
    [
        "", "@timed", "@property", "@staticmethod", "@functools.lru_cache", "@np.vectorize", "@jax.jit", "@jax_jit",
        "@torch.jit.script", "@torch.jit", "@overload(np.clip)", "@overload_method(int, 'a')", "@intrinsic",
        "@edit", "@skip_if_no_jit", "@unknown", "@unknown.thing(3)", "@nb.prange", "@(lambda f: f)", "@d['njit']",
        "@partial(timed, 3)", "@nb.typed.List",
    ],
)  # fmt: skip
def test_spellings_that_do_not(decorator: str) -> None:
    assert decorated(decorator) is None


@pytest.mark.parametrize(
    "decorator, parallel, fastmath",
    [
        ("@njit", False, False),
        ("@njit(parallel=True)", True, False),
        ("@njit(parallel=False, fastmath=False)", False, False),
        ("@njit(fastmath=True, parallel=True)", True, True),
        ("@njit(fastmath={'reassoc', 'nnan'})", False, True),
        ("@njit(fastmath={'nnan', 'ninf'})", False, False),  # these flags reorder nothing
        ("@njit(fastmath={'fast': True})", False, True),
        ("@njit(fastmath={'reassoc': False})", False, False),
        ("@njit(fastmath='fast')", False, True),
        ("@njit(fastmath=set())", False, False),
        ("@njit(fastmath=FAST)", False, True),
        ("@njit(parallel=unknown)", False, False),
        ("@njit(**OPTS)", True, False),
        ("@njit(**FLAGS)", False, True),
        ("@njit(**OPTS, fastmath=True)", True, True),
        ("@njit(**unknown)", False, False),
        ("@njit(**{'parallel': True})", True, False),
        ("@vectorize(['f8(f8)'], target='parallel')", True, False),
        ("@vectorize(['f8(f8)'], target='cpu')", False, False),
        ("@fast", False, True),
        ("@fast(parallel=True)", True, True),
        ("@par", True, False),
        ("@par2", True, False),
        ("@maybe", True, False),
        ("@apply", True, False),
        ("@apply_if", False, True),
        ("@with_options", True, False),
        ("@with_options(fastmath=True)", True, True),
    ],
)
def test_options(decorator: str, parallel: bool, fastmath: bool) -> None:
    candidate = decorated(decorator)
    assert candidate is not None
    assert (candidate.decorator.parallel, candidate.decorator.fastmath) == (parallel, fastmath)


@pytest.mark.parametrize(
    "decorator, signatures, layout, target",
    [
        ("@njit('f8(f8[:])', cache=True)", 1, None, None),
        ("@njit(SIG)", 1, None, None),
        ("@njit([SIG, 'void(f4[:])'])", 2, None, None),
        ("@njit(float64(float64[:]))", 1, None, None),
        ("@njit((float64[:],))", 1, None, None),
        ("@njit((types.Array(float64, 1, 'C'), float64))", 1, None, None),
        ("@njit(('f8(f8)', 'f4(f4)'))", 2, None, None),
        ("@njit(signature_or_function='f8(f8)')", 1, None, None),
        ("@vectorize(['f8(f8)', 'f4(f4)'], target='cuda')", 2, None, "cuda"),
        ("@guvectorize([(float64[:], float64[:])], '(n)->(n)')", 1, "(n)->(n)", None),
        ("@guvectorize('(n),()->(n)')", 0, "(n),()->(n)", None),
        ("@guvectorize(['void(f8[:], f8[:])', 'void(f4[:], f4[:])'], '(n)->()')", 2, "(n)->()", None),
    ],
)
def test_signatures(decorator: str, signatures: int, layout: str | None, target: str | None) -> None:
    candidate = decorated(decorator)
    assert candidate is not None
    options = candidate.options
    assert (len(options.signatures), options.layout, options.target) == (signatures, layout, target)


def test_keywords_and_locals() -> None:
    candidate = decorated("@cuda.jit(device=True, locals={'s': float64})")
    assert candidate is not None
    assert candidate.options.device and set(candidate.options.locals) == {"s"}
    assert set(candidate.options.keywords) == {"device", "locals"}


@pytest.mark.parametrize(
    "statement, kind",
    [
        ("g = njit(kernel)", "njit"),
        ("g = nb.njit(kernel, parallel=True)", "njit"),
        ("g = njit(cache=True)(kernel)", "njit"),
        ("g = vectorize(['f8(f8)'])(kernel)", "vectorize"),
        ("kernel = jj(kernel)", "jit"),
        ("g = apply(kernel)", "njit"),
        ("g = par(kernel)", "njit"),
        ("if FAST:\n    g = njit(kernel)", "njit"),
        ("def build():\n    return njit(kernel)", "njit"),
        ("class C:\n    def build(self):\n        self.g = njit(kernel)", "njit"),
        ("class C:\n    g = njit(kernel)", "njit"),
        ("g = njit(kernel) if FAST else kernel", "njit"),
    ],
)
def test_call_forms(statement: str, kind: str) -> None:
    candidate = found(f"{IMPORTS}\ndef kernel(x):\n    return x\n{statement}\n").get("kernel")
    assert candidate is not None
    assert (candidate.decorator.kind, candidate.how) == (kind, "decorated")
    assert candidate.decorator.parallel == ("parallel" in statement or "apply" in statement or "par(" in statement)


@pytest.mark.parametrize(
    "statement",
    [
        "g = jax.jit(kernel)", "g = timed(kernel)", "g = njit(other)", "g = njit('f8(f8)')", "g = kernel(njit)",
        "def build(kernel):\n    return njit(kernel)", "compiled = njit(other)\ng = compiled(kernel)",
    ],
)  # fmt: skip
def test_calls_that_compile_something_else(statement: str) -> None:
    source = f"{IMPORTS}\ndef kernel(x):\n    return x\ndef other(x):\n    return x\n{statement}\n"
    assert "kernel" not in found(source)


STRUCTURE = """
from numba import njit, jit
from numba.experimental import jitclass
from numba import float64, int32

spec = [("data", float64[:]), ("n", int32)]

@jitclass(spec)
class Grid:
    n: int32
    def __init__(self, n):
        self.n = n
    def total(self):
        return self.data.sum()

class Plain:
    @staticmethod
    @njit
    def scale(x):
        return x
    def untouched(self):
        return 1

def factory(n):
    if n:
        @njit(parallel=True)
        def kernel(x):
            return x * n
    else:
        @njit
        def kernel(x):
            return x
    def slow(x):
        def deep(y):
            return y
        return njit(deep)(x)
    return jit(slow)

if True:
    @njit
    def conditional(x):
        return x
"""


def test_locations_of_kernels() -> None:
    candidates = find_candidates(read_module(STRUCTURE, "a.py"), plain=False).candidates
    told = [(c.name, c.decorator.kind, [f.name for f in c.enclosing]) for c in candidates]
    assert told == [
        ("Grid.__init__", "jitclass", []),
        ("Grid.total", "jitclass", []),
        ("Plain.scale", "njit", []),
        ("factory.kernel", "njit", ["factory"]),
        ("factory.kernel", "njit", ["factory"]),
        ("factory.slow", "jit", ["factory"]),
        ("factory.slow.deep", "njit", ["factory", "slow"]),
        ("conditional", "njit", []),
    ]
    assert [c.decorator.parallel for c in candidates if c.name == "factory.kernel"] == [True, False]
    assert set(candidates[0].options.fields) == {"data", "n"}
    assert all(c.function.name == c.name.rpartition(".")[2] for c in candidates)


def test_a_decorated_function_too_deep_to_convert_is_still_found() -> None:
    source = f"import numba as nb\n@nb.njit(parallel=True)\ndef f(x):\n    return {'-' * 600}x\n"
    candidate = found(source)["f"]
    assert candidate.decorator.kind == "njit"
    assert isinstance(candidate.function.body[0], Other) and "deep" in candidate.function.body[0].kind


def test_methods_compiled_in_the_class_body() -> None:
    assert set(found("from numba import njit\nclass C:\n    def f(x): pass\n    g = njit(f)\n")) == {"C.f"}


def test_any_function_can_be_asked_for() -> None:
    module = read_module(STRUCTURE, "a.py")
    kinds = {c.name: c.how for name in ("untouched", "Plain.scale") for c in candidates_named(module, name)}
    assert kinds == {"Plain.untouched": "plain", "Plain.scale": "decorated"}
    assert len(candidates_named(module, "factory.kernel")) == 2
    assert candidates_named(module, "none") == ()


def test_local_imports_count() -> None:
    source = "def build():\n    from numba import njit as j\n    @j\n    def f(x):\n        return x\n    return f\n"
    assert set(found(source)) == {"build.f"}


def test_unresolved_names_go_by_their_spelling() -> None:
    assert set(found("from .a import *\nfrom .b import *\n@ngjit\ndef f(x): pass\n@cached\ndef g(x): pass\n")) == {"f"}


def test_wrappers_that_call_themselves_end() -> None:
    wrappers = "def a(f):\n    return b(f)\ndef b(f):\n    return a(f)\nloop = loop\n"
    assert not found(wrappers + "@a\ndef f(x): jit\n@loop\ndef g(x): pass\n")


# -- plain functions --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body",
    [
        "for i in range(n): a[i] = 0",
        "for i, v in enumerate(a): b[i] = v",
        "for i in range(1, n): a[i] += a[i - 1]",
        "while i < n:\n        a[i] = 0\n        i += 1",
        "for row in a: row[1:, 2] = 0",
        "for k in order: a[k, 0] = 1",
        "for i in nb.prange(n): a[i] = 0",
        "return np.sqrt(a)",
        "return a @ b",
        "a @= b",
        "return np.linalg.norm(a)",
        "return root(a) + 1",
        "b[1:-1] = 0.5 * (a[2:] + a[:-2])",
        "b[1:] = a[1:] - a[:-1]",
        "a = np.array(a)\n    return (a - a.mean(axis=0)) ** 2",
        "a = np.asarray(a, dtype=float)\n    return a.reshape(-1, 10).mean(axis=1)",
        "c = np.asarray(a)\n    return 2.0 * c",
    ],
)
def test_plain_array_code(body: str) -> None:
    imports = "import numpy as np\nimport numba as nb\nfrom numpy import sqrt as root\n"
    source = f"{imports}def f(a, b, n, i, order):\n    {body}\n"
    assert not found(source)
    candidate = found(source, plain=True)["f"]
    assert (candidate.how, candidate.decorator.kind, candidate.decorator.compiled) == ("plain", "none", False)


@pytest.mark.parametrize(
    "body",
    [
        "return a + b",
        "return a[0]",
        "for k in d: d[k] += 1",
        "for k in a: print(d['key'], k)",
        "for i in range(3): print(d['key'])",
        "for k, v in d.items(): e[k] = v",
        "words = t.split()\n    for i in range(3): print(words[i])",
        "d = {}\n    for i in range(3): d[i] = a",
        "for line in t: print(line[1:], line[0])",
        "for i in range(n): s += str(i)",
        "return np.array([1, 2])",
        "x = np.array([1.0, 2.0])\n    return x * n",
        "x = np.asarray(a)\n    return x.shape[0] + n",
        "x = np.array(a)\n    return x.tolist()",
        "np.random.seed(3)",
        "np.testing.assert_allclose(a, b)",
        "x = np.load(a)",
        "def g(): return np.sqrt(a)",
        "return a[1:] + a[:1] * n",
        "return a[1:] % b",
    ],
)
def test_plain_code_that_is_not(body: str) -> None:
    source = f"import numpy as np\ndef f(a, b, d, t: str, n, s):\n    {body}\n"
    assert "f" not in found(source, plain=True)


def test_signatures_keep_their_source() -> None:
    candidate = decorated("@njit(float64(float64[:]))")
    assert candidate is not None
    [signature] = candidate.options.signatures
    assert isinstance(signature, Call) and signature.place.line == IMPORTS.count("\n") + 2


def test_options_of_a_compiler_that_an_imported_function_wraps() -> None:
    candidate = decorated("@ngjit(nb.njit(parallel=True))")
    assert candidate is not None and candidate.decorator.parallel
    candidate = decorated("@ngjit(nb.njit(fastmath=True))")
    assert candidate is not None and candidate.decorator.fastmath

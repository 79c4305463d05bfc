"""An independent count of the functions that Numba compiles: ``ast`` and text alone, nothing of roofscan.

It looks at names only: a decorator or a called function whose last part is one of Numba's, or that ends in
``jit``, in a file that does not take it from another package's compiler.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Union

NAMES = frozenset((
    "njit", "jit", "vectorize", "guvectorize", "stencil", "cfunc", "register_jitable", "generated_jit",
))  # fmt: skip
OTHER_COMPILERS = re.compile(r"\s*(?:from|import)\s+(?:jax|torch|tensorflow|triton|taichi|cupy)\b")
DECORATED_LINE = re.compile(r"\s*@(?:\w+\.)*\w*(?:jit|vectorize|stencil|cfunc|jitable)\b")
DEF_LINE = re.compile(r"\s*(?:async\s+)?def\s+\w")

Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef]
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def compiled_lines(text: str) -> set[int]:
    """The lines of the ``def`` of all functions that look compiled."""
    if "jit" not in text and "vectorize" not in text and "stencil" not in text and "cfunc" not in text:
        return set()
    foreign = frozenset(foreign_names(text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError:
        return set(_by_text(text.split("\n")))
    return set(_decorated(tree, foreign)) | set(_called(tree, foreign)) | set(_methods(tree))


def foreign_names(text: str) -> Iterator[str]:
    """Names that a file imports from compilers other than Numba."""
    for line in text.split("\n"):
        if OTHER_COMPILERS.match(line):
            yield from re.findall(r"\w+", line.partition("import")[2])


def _head(node: ast.expr) -> str:
    """The dotted name that is called or named: ``nb.njit`` for ``nb.njit(cache=True)``."""
    while isinstance(node, ast.Call):
        node = node.func
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _compiles(node: ast.expr, foreign: frozenset[str]) -> bool:
    head = _head(node)
    first, _, _ = head.partition(".")
    last = head.rpartition(".")[2]
    numpy_s = head in ("np.vectorize", "numpy.vectorize")
    return first not in foreign and not numpy_s and (last in NAMES or last.endswith("jit"))


def _decorated(tree: ast.Module, foreign: frozenset[str]) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS) and any(_compiles(d, foreign) for d in node.decorator_list):
            yield node.lineno


def _called(tree: ast.Module, foreign: frozenset[str]) -> Iterator[int]:
    """``fast = njit(slow)`` and ``njit(cache=True)(slow)`` of a function that the file defines once."""
    lines: dict[str, list[int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS):
            lines.setdefault(node.name, []).append(node.lineno)
    parameters = {a.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for a in node.args}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _compiles(node.func, foreign):
            first = node.args[0]
            if isinstance(first, ast.Name) and first.id not in parameters and len(lines.get(first.id, ())) == 1:
                yield lines[first.id][0]


def _methods(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(_head(d).endswith("jitclass") for d in node.decorator_list):
            yield from (inner.lineno for inner in node.body if isinstance(inner, DEFINITIONS))


def _by_text(lines: list[str]) -> Iterator[int]:
    """For a grammar newer than the running Python's: a decorator's line, and the next ``def`` after it."""
    for number, line in enumerate(lines):
        if DECORATED_LINE.match(line):
            yield next((k + 1 for k in range(number, len(lines)) if DEF_LINE.match(lines[k])), number + 1)


# -- floating-point work --------------------------------------------------------------------------

FLOAT_CALLS = frozenset((
    "sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "arctan", "arctan2", "atan",
    "atan2", "arcsin", "arccos", "asin", "acos", "sinh", "cosh", "tanh", "pow", "power", "hypot", "erf", "erfc",
    "gamma", "lgamma", "dot", "mean", "std", "var", "sum", "cumsum", "norm", "inv", "solve", "det", "prod",
))  # fmt: skip


def float_lines(text: str) -> set[int]:
    """The lines of the ``def`` of functions with a sign of floating-point arithmetic in their own code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError:
        return set()
    definitions = (node for node in ast.walk(tree) if isinstance(node, DEFINITIONS))
    return {node.lineno for node in definitions if any(_is_float_work(n) for n in ast.walk(node))}


def _is_float_work(node: ast.AST) -> bool:
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        if isinstance(node.op, (ast.Div, ast.Pow, ast.MatMult)):
            return True
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
        return isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)) and any(_is_float(s) for s in sides)
    return isinstance(node, ast.Call) and _head(node.func).rpartition(".")[2] in FLOAT_CALLS


def _is_float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)

"""Functions out of real files, each as a source text of its own: with the functions and constants of its module.

Nothing of a package is imported: the text holds what the function needs, or the function is left out.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

IMPORTED = {"numpy", "math", "cmath", "numba"}
"""Modules that an extracted source may import: the oracle provides them."""

COMPILERS = ("jit", "njit")
"""Endings of names of decorators, the wrappers of packages included."""

ELEMENTWISE = ("vectorize", "stencil")
FORBIDDEN = {
    "open", "exec", "eval", "compile", "input", "__import__", "breakpoint", "globals", "locals", "vars", "exit", "quit",
    "save", "savez", "savetxt", "load", "loadtxt", "fromfile", "tofile", "memmap", "genfromtxt", "ctypes", "ctypeslib",
    "objmode", "testing", "f2py", "distutils", "lib",
}  # fmt: skip
"""Names that a function may not use: it would reach out of the run."""

HEAD = "from numba import njit, stencil, vectorize\n"
Definition = ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Extracted:
    """One function: where it stands, and its text with all that it needs."""

    path: str
    line: int
    name: str
    source: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line} {self.name}"


def extracted(path: Path) -> Iterator[Extracted]:
    """The functions of a file that can stand alone: the compiled ones, and plain ones that use NumPy."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError):
        return
    module = _Module(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and (_compiler(node) or module.uses_numpy(node)):
            text = module.text_of(node)
            if text:
                yield Extracted(str(path), node.lineno, node.name, text)


class _Module:
    """The top-level definitions of a module, by name."""

    def __init__(self, tree: ast.Module) -> None:
        self._definitions: dict[str, Definition] = {}
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)):
                for name in _names(node):
                    self._definitions[name] = node

    def uses_numpy(self, function: ast.FunctionDef) -> bool:
        imports = {n for n, node in self._definitions.items() if isinstance(node, (ast.Import, ast.ImportFrom))}
        numerical = {n for n in imports if _is_imported(self._definitions[n])}
        return not function.decorator_list and bool(_used(function) & numerical)

    def text_of(self, function: ast.FunctionDef) -> str:
        """The text; empty where the function needs what is not there."""
        needed: dict[int, Definition] = {}
        waiting: list[Definition] = [function]
        while waiting:
            node = waiting.pop()
            if id(node) in needed:
                continue
            needed[id(node)] = node
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            for name in _used(node) - _bound(node):
                if name in FORBIDDEN:
                    return ""
                if name in self._definitions:
                    waiting.append(self._definitions[name])
                elif not hasattr(builtins, name):
                    return ""
        if not all(_stands_alone(node) for node in needed.values()):
            return ""
        ordered = sorted(needed.values(), key=lambda node: node.lineno)
        return HEAD + "\n".join(ast.unparse(_plain(node)) for node in ordered) + "\n"


def _names(node: Definition) -> Iterable[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]


def _is_imported(node: Definition) -> bool:
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in IMPORTED for alias in node.names)
    return isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in IMPORTED


def _stands_alone(node: Definition) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return _is_imported(node)
    outside = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)} & FORBIDDEN
    inner = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.With)
    return not outside and not any(isinstance(each, inner) for each in ast.walk(node))


def _code(node: Definition) -> Iterator[ast.AST]:
    """The nodes that run: neither decorators nor annotations of a function."""
    if isinstance(node, ast.FunctionDef):
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            yield from ast.walk(part)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        yield from ast.walk(node.value)


def _used(node: Definition) -> set[str]:
    return {each.id for each in _code(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}


def _bound(node: Definition) -> set[str]:
    """Names that a definition binds itself: parameters, locals, inner functions, variables of comprehensions."""
    bound = {each.id for each in _code(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    bound |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    bound |= {each.name for each in _code(node) if isinstance(each, ast.FunctionDef)}
    return bound | {e.name for e in _code(node) if isinstance(e, ast.ExceptHandler) and e.name}


def _compiler(node: ast.FunctionDef) -> str:
    """`njit`, `vectorize` or `stencil` for a decorator that is one or wraps one; else empty."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = ast.unparse(called).lower()
        if "cuda" in name or "guvectorize" in name:
            return ""
        if name.endswith(ELEMENTWISE):
            return name.rpartition(".")[2]
        if name.endswith(COMPILERS):
            return "njit"
    return ""


def _plain(node: Definition) -> Definition:
    """A function under the bare decorator, without annotations: their names may be unknown in the text."""
    if not isinstance(node, ast.FunctionDef):
        return node
    copy = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(copy, ast.FunctionDef)
    compiler = _compiler(node)
    copy.decorator_list = [ast.Name(compiler, ast.Load())] if compiler else []
    copy.returns = None
    for arg in ast.walk(copy.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    return copy

"""Which undecorated functions are array code: loops over subscripted arrays, or array expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roofscan.parse import syntax
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.decorators import compiler_of
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.package import find
from roofscan.parse.syntax_walk import CONFIGURING, dotted_path, walk, walk_all

NO_ARRAY_WORK = frozenset((
    "array", "asarray", "asanyarray", "load", "save", "savez", "savez_compressed", "loadtxt", "savetxt",
    "genfromtxt", "fromfile", "set_printoptions", "get_printoptions", "printoptions", "errstate", "seterr",
    "geterr", "dtype", "iinfo", "finfo", "issubdtype", "can_cast", "result_type", "promote_types", "isscalar",
    "ndim", "seed", "default_rng", "RandomState", "get_include", "array2string", "array_repr",
))  # fmt: skip
"""NumPy functions whose calls alone do not make a function array code."""

ARRAY_PACKAGES = frozenset(("numpy", "cupy", "jax"))  # packages with functions of arrays

ARRAY_MAKERS = frozenset(("array", "asarray", "asanyarray", "ascontiguousarray"))
"""Functions that make an array of what they are given: arithmetic on the result is array code."""

COMPUTING_METHODS = frozenset((
    "all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "dot", "max", "mean", "min", "prod",
    "ptp", "sort", "std", "sum", "trace", "var",
))  # fmt: skip
"""Methods of arrays that go through all elements."""

COUNTING = frozenset(("range", "prange", "pndindex", "enumerate", "arange", "ndindex", "ndenumerate"))
"""Functions that iterate over indices."""

TEXT_MAKERS = frozenset((
    "dict", "str", "open", "defaultdict", "Counter", "OrderedDict", "split", "rsplit", "splitlines", "keys",
    "items", "read", "readlines", "groups",
))  # fmt: skip
"""Functions and methods whose results are dicts, text, or lists of text."""


_SLICE = re.compile(r"\[[^][]*:")


def may_be_array_code(definition: Definition, module: Module) -> bool:
    """The quick look at a function's text, before it is converted."""
    text = "\n".join(module.lines[definition.line - 1 : definition.end_line])
    if "[" in text and ("for " in text or "while " in text or "](" in text):
        return True
    if _SLICE.search(text):
        return True
    origins = {**module.inner_imports, **module.imports}
    if any(origin.partition(".")[0] == "numba" for origin in origins.values()):
        return True
    imported = (name for name, origin in origins.items() if origin.partition(".")[0] in ARRAY_PACKAGES)
    return "@" in text or any(name in text for name in imported)


def is_array_code(function: syntax.Function, module: Module) -> bool:
    """Whether a function loops over subscripted arrays, is built of array expressions or calls several kernels."""
    return (
        _computes_with_arrays(function, module)
        or _loops_over_subscripts(function)
        or _computes_with_slices(function)
        or _computes_with_made_arrays(function, module)
        or _calls_kernels(function, module)
    )


def _calls_kernels(function: syntax.Function, module: Module) -> bool:
    """Whether it calls several kernels, or launches one."""
    calls = (node for node in walk(function.body) if isinstance(node, syntax.Call))
    called = (_kernel(node.function, module) for node in calls)
    return sum(found is not None for found in called) > 1 or any(_launched(function, module))


def _launched(function: syntax.Function, module: Module) -> Iterator[bool]:
    """``kernel[grid, block]``, ``kernel.configure``, ``kernel.forall``."""
    for node in walk(function.body):
        if isinstance(node, syntax.Subscript) or (isinstance(node, syntax.Attribute) and node.name in CONFIGURING):
            yield _kernel(node.base, module) == "cuda"


def _kernel(name: syntax.Expression, module: Module) -> str | None:
    """The kind of kernel that a name means."""
    if not isinstance(name, syntax.Name):
        return None
    function, there = module.function(name.id), module
    origin = module.resolve_name(name.id) if function is None and module.follow else None
    if origin is not None and (found := find(module, origin)) is not None:
        function, there = found.module.function(found.name), found.module
    compilers = (compiler_of(decorator, there) for decorator in (function.decorators if function else ()))
    return next((compiler.kind for compiler in compilers if compiler is not None), None)


def _computes_with_arrays(function: syntax.Function, module: Module) -> bool:
    for node in walk(function.body):
        if isinstance(node, (syntax.Binary, syntax.AugAssign)) and node.op == "@":
            return True
        if isinstance(node, syntax.Call):
            origin = module.resolve(node.function) or ""
            name = origin.rpartition(".")[2]
            of_arrays = origin.startswith(("numpy.", "cupy.", "jax.numpy."))
            if of_arrays and name not in NO_ARRAY_WORK and ".testing." not in origin:
                return True
    return False


def _computes_with_slices(function: syntax.Function) -> bool:
    """``u[2:] - u[:-2]``, ``0.5 * (u[2:] + u[:-2])``: lists and strings are added and repeated, nothing else."""
    for node in walk(function.body):
        if isinstance(node, syntax.Binary) and node.op in ("-", "*", "/", "**"):
            left, right = _is_sliced(node.left), _is_sliced(node.right)
            if (left or right) and (node.op != "*" or (left and right) or _is_real(node.left) or _is_real(node.right)):
                return True
    return False


def _computes_with_made_arrays(function: syntax.Function, module: Module) -> bool:
    """``x = np.array(x)``, and then ``x - x.mean(axis=0)`` or ``x.reshape(-1, 10).mean(axis=1)``."""
    made = set(_made_arrays(function, module))
    if not made:
        return False
    for node in walk(function.body):
        if isinstance(node, syntax.Binary) and any(dotted_path(side) in made for side in (node.left, node.right)):
            return True
        if isinstance(node, syntax.Call) and isinstance(node.function, syntax.Attribute):
            if node.function.name in COMPUTING_METHODS and _owner(node.function.base) in made:
                return True
    return False


def _made_arrays(function: syntax.Function, module: Module) -> Iterator[str]:
    """The names of arrays that are made of arguments, not of numbers that are written out."""
    for node in walk(function.body):
        value = node.value if isinstance(node, syntax.Assign) else None
        if not isinstance(value, syntax.Call) or not value.args or isinstance(value.args[0], syntax.Sequence):
            continue
        package, _, name = (module.resolve(value.function) or "").rpartition(".")
        if package in ("numpy", "cupy", "jax.numpy") and name in ARRAY_MAKERS:
            yield from (target.id for target in node.targets if isinstance(target, syntax.Name))


def _owner(node: syntax.Expression) -> str | None:
    """The array behind ``x.reshape(-1, 10)`` and ``x.T``."""
    while isinstance(node, (syntax.Attribute, syntax.Call)):
        node = node.function if isinstance(node, syntax.Call) else node.base
    return dotted_path(node)


def _is_sliced(node: syntax.Expression) -> bool:
    """Whether an expression is a slice, or a sum, product or quotient with one."""
    if isinstance(node, syntax.Binary):
        return _is_sliced(node.left) or _is_sliced(node.right)
    return isinstance(node, syntax.Subscript) and any(isinstance(item, syntax.Slice) for item in node.items)


def _is_real(node: syntax.Expression) -> bool:
    return isinstance(node, syntax.Literal) and isinstance(node.value, float)


def _loops_over_subscripts(function: syntax.Function) -> bool:
    texts, counters = set(_containers_of_text(function)), set(_counters(function))
    loops = (node for node in walk(function.body) if isinstance(node, (syntax.For, syntax.While)))
    inside = (node for loop in loops for node in walk(loop.body))
    return any(
        isinstance(node, syntax.Subscript) and dotted_path(node.base) not in texts and _is_index(node.items, counters)
        for node in inside
    )


def _is_index(items: tuple[syntax.Expression, ...], counters: set[str]) -> bool:
    """Whether subscripts look like those of an array: several of them, arithmetic, or a loop's counter. ``d[key]`` with
    a key that runs over anything else, ``row[0]`` and ``line[1:]`` are as likely a dict's, a list's or a string's."""
    if any(isinstance(item, syntax.Literal) and isinstance(item.value, (str, bytes)) for item in items):
        return False
    return len(items) > 1 or any(
        isinstance(part, syntax.Binary) or (isinstance(part, syntax.Name) and part.id in counters)
        for part in walk_all(items)
    )


def _counters(function: syntax.Function) -> Iterator[str]:
    """The names that count: over a range, or up and down by ``+=`` in the function."""
    for node in walk(function.body):
        if isinstance(node, syntax.For) and isinstance(node.iterable, syntax.Call):
            if (dotted_path(node.iterable.function) or "").rpartition(".")[2] in COUNTING:
                yield from (name.id for name in walk_all(node.target) if isinstance(name, syntax.Name))
        elif isinstance(node, syntax.AugAssign) and isinstance(node.target, syntax.Name) and node.op in ("+", "-"):
            yield node.target.id


def _containers_of_text(function: syntax.Function) -> Iterator[str]:
    """The names that obviously stand for dicts, text, or lists of text."""
    yield from ("sys.argv", "os.environ")
    for parameter in function.parameters:
        annotation = parameter.annotation
        if annotation is not None and _names_text(annotation):
            yield parameter.name
    for node in walk(function.body):
        if isinstance(node, syntax.Assign) and node.value is not None and _holds_text(node.value):
            yield from (name for target in node.targets if (name := dotted_path(target)))


def _names_text(annotation: syntax.Expression) -> bool:
    names = {node.id for node in walk_all(annotation) if isinstance(node, syntax.Name)}
    if isinstance(annotation, syntax.Literal) and isinstance(annotation.value, str):
        names |= set(annotation.value.replace("[", " ").replace("]", " ").split())
    return bool(names & {"str", "bytes", "dict", "Dict", "Mapping", "Path"})


def _holds_text(value: syntax.Expression) -> bool:
    if isinstance(value, syntax.Literal):
        return isinstance(value.value, (str, bytes))
    if isinstance(value, syntax.Other):
        return value.kind.startswith("a dict")
    if isinstance(value, syntax.Sequence):
        return bool(value.items) and all(_holds_text(item) for item in value.items)
    if isinstance(value, syntax.Call):
        function = value.function  # a method of anything: "a b".split()
        name = function.name if isinstance(function, syntax.Attribute) else dotted_path(function)
        return name in TEXT_MAKERS
    return False

"""What compiles a function: Numba's decorators under any name, wrappers of them, and their options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from roofscan.frozen import dataclass
from roofscan.ir.kernel import Decorator
from roofscan.ir.kinds import DecoratorKind
from roofscan.parse.reader.module import SELF, Module
from roofscan.parse.syntax import Call, Conditional, Expression, Function, Keyword, Literal, Name, Sequence
from roofscan.parse.syntax_walk import dict_items, dotted_path, walk_all

KINDS: dict[str, DecoratorKind] = {
    "njit": "njit", "jit": "jit", "vectorize": "vectorize", "guvectorize": "guvectorize",
    "stencil": "stencil", "jitclass": "jitclass", "cfunc": "njit", "register_jitable": "njit",
    "generated_jit": "jit",
}  # fmt: skip
"""Numba's names -> the kinds of ``ir.kernel.Decorator``. ``overload`` and ``intrinsic`` make no kernels."""

OTHER_COMPILERS = frozenset((
    "jax", "jaxlib", "flax", "equinox", "haiku", "torch", "tensorflow", "triton", "cupy", "cupyx", "taichi",
    "warp", "mlx", "brainstate", "brainpy", "pytensor", "theano", "pallas", "tinygrad", "max",
))  # fmt: skip
"""Packages whose ``jit`` is not Numba's."""


UNTYPED = frozenset(("jitclass", "stencil"))  # kinds whose arguments are no signatures

UNREAD = "**"  # the keyword of options of which nothing is known

UFUNCS = ("vectorize", "guvectorize")  # kinds that Numba compiles under NumPy's error model

TYPE_MAKERS = frozenset(("Array", "Tuple", "UniTuple", "Optional", "optional", "Omitted", "List", "typeof"))
"""Numba's functions that make one type: their calls are no signatures."""


@dataclass(frozen=True)
class Compiler:
    """Something that, called with a function, compiles it: the kind, and the options it has so far."""

    kind: DecoratorKind
    args: tuple[Expression, ...] = ()
    keywords: Mapping[str, Expression] = field(default_factory=dict)

    def called(self, args: tuple[Expression, ...], keywords: Mapping[str, Expression]) -> Compiler:
        return replace(self, args=self.args + args, keywords={**self.keywords, **keywords})


@dataclass(frozen=True)
class CompileOptions:
    """What a decorator says. Expressions are as written; names of module constants are put in. ``signatures`` are all
    of them (a list is spread out); ``locals`` the types of ``locals={…}``; ``layout`` is a gufunc's ``"(n),(n)->()"``;
    ``target`` "cpu", "parallel", "cuda" …; ``device`` marks a CUDA device function; ``fields`` are the types of a
    jitclass's fields; ``keywords`` every keyword argument."""

    signatures: tuple[Expression, ...] = ()
    locals: Mapping[str, Expression] = field(default_factory=dict)
    layout: str | None = None
    target: str | None = None
    device: bool = False
    fields: Mapping[str, Expression] = field(default_factory=dict)
    keywords: Mapping[str, Expression] = field(default_factory=dict)


def named_compiler(origin: str) -> Compiler | None:
    """The compiler that a dotted origin outside the module is, judged by its name alone. Numba's own, under any of
    its modules; and names of other packages that end in jit or njit: projects wrap Numba so (``from .utils import
    ngjit``)."""
    parts = origin.lstrip(".").split(".")
    last = parts[-1]
    if last == "jit" and "cuda" in parts[:-1]:
        return Compiler("cuda")
    if parts[0] == "triton" and last == "jit":
        return Compiler("triton")
    if any("numba" in part for part in parts[:-1]):
        return Compiler(KINDS[last]) if last in KINDS else _wrapped_name(last)
    if parts[0] in OTHER_COMPILERS or origin.startswith(("builtins.", SELF)):
        return None
    return _wrapped_name(last)


def _wrapped_name(name: str) -> Compiler | None:
    words = set(name.lower().split("_"))
    if name.endswith("guvectorize"):
        return Compiler("guvectorize")
    if words & {"no", "not", "disable", "without", "skip", "skipif", "requires", "needs", "has", "uses"}:
        return None
    return Compiler("njit") if name.endswith("jit") or words & {"jit", "njit", "jitted"} else None


def may_compile(decorator: str, module: Module) -> bool:
    """Whether a decorator's dotted name may be a compiler: a cheap look, hardly anything is converted."""
    origin = module.resolve_name(decorator)
    if origin is None:
        return named_compiler(decorator) is not None or bool(module.assignments(decorator))
    if origin.startswith(SELF) or origin == "functools.partial":
        return True
    return named_compiler(origin) is not None


_NONE: frozenset[str] = frozenset()


def compiler_of(expression: Expression, module: Module, seen: frozenset[str] = _NONE) -> Compiler | None:
    """The compiler that an expression is: a name, ``njit(cache=True)``, a wrapper of the module, or None."""
    if isinstance(expression, Call):
        return _called(expression, module, seen)
    if isinstance(expression, Conditional):
        return compiler_of(expression.then, module, seen) or compiler_of(expression.orelse, module, seen)
    name = dotted_path(expression)
    return compiler_named(name, module, seen) if name else None


def compiler_named(name: str, module: Module, seen: frozenset[str] = _NONE) -> Compiler | None:
    """The compiler of a dotted name: the module's assignments and wrapper functions first, then its imports."""
    if name not in seen:
        seen |= {name}
        for value in module.assignments(name):
            if found := compiler_of(value, module, seen):
                return found
        if found := _wrapper(name, module, seen):
            return found
    return named_compiler(module.resolve_name(name) or name)


def _called(call: Call, module: Module, seen: frozenset[str]) -> Compiler | None:
    keywords = expanded(call.keywords, module)
    inner = compiler_of(call.args[0], module, seen) if call.args else None  # partial(njit, …), lazy(njit(…))
    nested = inner is not None and isinstance(call.args[0], Call)  # whatever the function around it is called
    if not nested and (base := compiler_of(call.function, module, seen)):
        applied = call.args and (module.resolve(call.args[0]) or "").startswith(SELF)
        if applied or _is_interpreted(keywords, module):  # njit(f) compiles nothing more
            return None
        return base.called(call.args, keywords)
    if inner is not None and module.resolve(call.function) == "functools.partial":
        return inner.called(call.args[1:], keywords)
    return inner


def _is_interpreted(keywords: Mapping[str, Expression], module: Module) -> bool:
    """Whether it runs in object mode: ``forceobj=True``, also where that is handed to what makes the options, as
    ``**options(forceobj=True)``."""
    unread = keywords.get(UNREAD)
    handed = {each.name: each.value for each in unread.keywords} if isinstance(unread, Call) else {}
    return _is_true(keywords.get("forceobj", handed.get("forceobj")), module)


def _wrapper(name: str, module: Module, seen: frozenset[str]) -> Compiler | None:
    """The compiler that a function of the module hands its argument to: ``def fast(f): return njit(f)``."""
    function = module.function(name)
    if function is None or not function.parameters:
        return None
    for node in walk_all(function.body):
        if isinstance(node, Function):
            found = next(filter(None, (compiler_of(d, module, seen) for d in node.decorators)), None)
        else:
            found = _called(node, module, seen) if isinstance(node, Call) else None
        if found is not None:
            return replace(found, args=tuple(a for a in found.args if not _is_argument(a)))
    return None


def _is_argument(expression: Expression) -> bool:
    """Whether a wrapper passes this on from its caller: the function itself, or ``*args``."""
    return not isinstance(expression, (Literal, Sequence, Call))


def expanded(keywords: tuple[Keyword, ...], module: Module) -> dict[str, Expression]:
    """Keyword arguments by name, ``**OPTIONS`` of a literal dict in the module spread out, or under ``UNREAD``."""
    found: dict[str, Expression] = {}
    for keyword in keywords:
        if keyword.name is not None:
            found[keyword.name] = keyword.value
        else:
            found.update(options_dict(keyword.value, module) or {UNREAD: keyword.value})
    return found


def options_dict(expression: Expression, module: Module) -> dict[str, Expression]:
    """The entries with text keys of ``{"a": …}`` or ``dict(a=…)``, or of a module constant that is one."""
    value = constant(expression, module)
    if isinstance(value, Call) and dotted_path(value.function) in ("dict", "OrderedDict"):
        return expanded(value.keywords, module)
    return {
        key.value: item for key, item in dict_items(value) if isinstance(key, Literal) and isinstance(key.value, str)
    }


def constant(expression: Expression, module: Module) -> Expression:
    """The module constant of that name; any other expression as it is."""
    if isinstance(expression, Name):
        return module.constants.get(expression.id, expression)
    return expression


def decorator_of(compiler: Compiler, module: Module) -> Decorator:
    """The options that change what a kernel may do."""
    given = compiler.keywords
    parallel = _is_true(compiler.keywords.get("parallel"), module)
    parallel |= _text(compiler.keywords.get("target"), module) == "parallel"
    numpy = _text(compiler.keywords.get("error_model"), module) == "numpy" or compiler.kind in UFUNCS
    fastmath = _allows(compiler.keywords.get("fastmath"), module, "reassoc")
    approximates = _allows(compiler.keywords.get("fastmath"), module, "afn")
    inlined = _text(compiler.keywords.get("inline"), module) == "always"
    return Decorator(
        compiler.kind, parallel, fastmath, "numpy" if numpy else "python", inlined, "locals" in given,
        any(_is_true(given.get(option), module) for option in ("boundscheck", "debug")), UNREAD in given,
        approximates,
    )  # fmt: skip


def options_of(compiler: Compiler, module: Module) -> CompileOptions:
    keywords = compiler.keywords
    given = [constant(arg, module) for arg in compiler.args]
    given += [constant(keywords[k], module) for k in ("signature", "signature_or_function") if k in keywords]
    layout = next((text for arg in given if (text := _text(arg, module)) and "->" in text), None)
    types = [arg for arg in given if _text(arg, module) is None or _text(arg, module) != layout]
    spec = keywords.get("spec", compiler.args[0] if compiler.args else None)
    return CompileOptions(
        signatures=() if compiler.kind in UNTYPED else tuple(_spread(types, module)),
        locals=options_dict(keywords["locals"], module) if "locals" in keywords else {},
        layout=layout,
        target=_text(keywords.get("target"), module),
        device=_is_true(keywords.get("device"), module),
        fields=_fields(spec, module) if compiler.kind == "jitclass" and spec is not None else {},
        keywords=dict(keywords),
    )


def _spread(args: list[Expression], module: Module) -> Iterator[Expression]:
    """The signatures in ``args``: text, type calls, and tuples of types; lists of them one by one."""
    for arg in args:
        if isinstance(arg, Sequence) and arg.kind != "tuple":
            yield from (constant(item, module) for item in arg.items)
        elif isinstance(arg, Sequence) and arg.items and all(map(_is_signature, arg.items)):
            yield from arg.items
        else:
            yield arg


def _is_signature(expression: Expression) -> bool:
    """Whether this is a signature and not one type: text or a call with a type for each argument."""
    if isinstance(expression, Literal):
        return isinstance(expression.value, str) and "(" in expression.value
    return isinstance(expression, Call) and is_type_call(expression)


def is_type_call(call: Call) -> bool:
    """Whether a call writes a signature (``f8(f8[:])``) and not one type (``types.Array(f8, 1, "C")``)."""
    return (dotted_path(call.function) or "").rpartition(".")[2] not in TYPE_MAKERS


def _fields(spec: Expression, module: Module) -> dict[str, Expression]:
    """The field types of a jitclass's spec: a dict, or a list of (name, type) pairs."""
    spec = constant(spec, module)
    if isinstance(spec, Call) and spec.args:  # OrderedDict([…])
        spec = constant(spec.args[0], module)
    if not isinstance(spec, Sequence):
        return options_dict(spec, module)
    pairs = [item.items for item in spec.items if isinstance(item, Sequence) and len(item.items) == 2]
    return {name.value: kind for name, kind in pairs if isinstance(name, Literal) and isinstance(name.value, str)}


def _text(expression: Expression | None, module: Module) -> str | None:
    value = constant(expression, module) if expression is not None else None
    return value.value if isinstance(value, Literal) and isinstance(value.value, str) else None


def _is_true(expression: Expression | None, module: Module) -> bool:
    """Whether an option is surely on: a constant that is true. What cannot be read counts as off."""
    value = constant(expression, module) if expression is not None else None
    return isinstance(value, Literal) and bool(value.value)


def _allows(expression: Expression | None, module: Module, flag: str) -> bool:
    """Whether a ``fastmath`` option has a flag: all flags, or this one among some. "reassoc" lets a reduction be
    reordered, "afn" a function be approximated."""
    value = constant(expression, module) if expression is not None else None
    if isinstance(value, Sequence):
        flags = {item.value for item in value.items if isinstance(item, Literal)}
    elif value is not None and dict_items(value):
        flags = {
            key.value
            for key, on in dict_items(value)
            if isinstance(key, Literal) and isinstance(on, Literal) and on.value
        }
    elif isinstance(value, Literal) and isinstance(value.value, str):
        flags = {value.value}
    else:
        return _is_true(expression, module)
    return bool(flags & {"fast", flag})

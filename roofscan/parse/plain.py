"""Which undecorated functions are array code: loops over subscripted arrays, or whole-array expressions."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse.module import Module
from roofscan.parse.outline import Piece
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Binary,
    Call,
    Expression,
    For,
    Function,
    Literal,
    Name,
    Other,
    Sequence,
    Slice,
    Subscript,
    While,
)
from roofscan.parse.tree import dotted_name, walk

NO_ARRAY_WORK = frozenset((
    "array", "asarray", "asanyarray", "load", "save", "savez", "savez_compressed", "loadtxt", "savetxt",
    "genfromtxt", "fromfile", "set_printoptions", "get_printoptions", "printoptions", "errstate", "seterr",
    "geterr", "dtype", "iinfo", "finfo", "issubdtype", "can_cast", "result_type", "promote_types", "isscalar",
    "ndim", "seed", "default_rng", "RandomState", "get_include", "array2string", "array_repr",
))  # fmt: skip
"""NumPy functions whose calls alone do not make a function array code."""

TEXT_MAKERS = frozenset((
    "dict", "str", "open", "defaultdict", "Counter", "OrderedDict", "split", "rsplit", "splitlines", "keys",
    "items", "read", "readlines", "groups",
))  # fmt: skip
"""Functions and methods whose results are dicts, text, or lists of text."""


def may_be_array_code(piece: Piece, module: Module) -> bool:
    """The quick look at a function's text, before it is converted."""
    text = "\n".join(module.lines[piece.first_line - 1 : piece.end_line])
    if "[" in text and ("for " in text or "while " in text):
        return True
    imported = (name for name, origin in module.imports.items() if origin.partition(".")[0] == "numpy")
    return " @ " in text or "np." in text or any(name in text for name in imported)


def is_array_code(function: Function, module: Module) -> bool:
    """Whether a function loops over subscripted arrays or is built of array expressions."""
    return _computes_with_arrays(function, module) or _loops_over_subscripts(function)


def _computes_with_arrays(function: Function, module: Module) -> bool:
    for node in walk(function.body, nested=False):
        if isinstance(node, (Binary, AugAssign)) and node.op == "@":
            return True
        if isinstance(node, Call):
            origin = module.resolve(node.function) or ""
            name = origin.rpartition(".")[2]
            if origin.startswith("numpy.") and name not in NO_ARRAY_WORK and ".testing." not in origin:
                return True
    return False


def _loops_over_subscripts(function: Function) -> bool:
    texts = set(_containers_of_text(function))
    for loop in walk(function.body, nested=False):
        if isinstance(loop, (For, While)):
            keys = _keys(loop) if isinstance(loop, For) else set()
            if any(_reads_array(node, texts, keys) for node in walk(loop.body, nested=False)):
                return True
    return False


def _keys(loop: For) -> set[tuple[str, str | None]]:
    """The loop's variables, each with what it runs over: ``d[key]`` is a dict's where key runs over d."""
    return {(node.id, dotted_name(loop.iterable)) for node in walk(loop.target) if isinstance(node, Name)}


def _reads_array(node: object, texts: set[str], keys: set[tuple[str, str | None]]) -> bool:
    """Whether a node is a subscript that is not obviously one of a dict or of a list of text."""
    if not isinstance(node, Subscript) or dotted_name(node.base) in texts:
        return False
    if any(isinstance(item, Name) and (item.id, dotted_name(node.base)) in keys for item in node.items):
        return False
    if any(isinstance(item, Literal) and isinstance(item.value, (str, bytes)) for item in node.items):
        return False
    return any(isinstance(part, (Name, Slice)) for part in walk(node.items))


def _containers_of_text(function: Function) -> Iterator[str]:
    """The names that obviously stand for dicts, text, or lists of text."""
    yield from ("sys.argv", "os.environ")
    for parameter in function.parameters:
        annotation = parameter.annotation
        if annotation is not None and _names_text(annotation):
            yield parameter.name
    for node in walk(function.body, nested=False):
        if isinstance(node, Assign) and node.value is not None and _holds_text(node.value):
            yield from (name for target in node.targets if (name := dotted_name(target)))


def _names_text(annotation: Expression) -> bool:
    names = {node.id for node in walk(annotation) if isinstance(node, Name)}
    if isinstance(annotation, Literal) and isinstance(annotation.value, str):
        names |= set(annotation.value.replace("[", " ").replace("]", " ").split())
    return bool(names & {"str", "bytes", "dict", "Dict", "Mapping", "Path"})


def _holds_text(value: Expression) -> bool:
    if isinstance(value, Literal):
        return isinstance(value.value, (str, bytes))
    if isinstance(value, Other):
        return value.kind.startswith("a dict")
    if isinstance(value, Sequence):
        return bool(value.items) and all(_holds_text(item) for item in value.items)
    if isinstance(value, Call):
        function = value.function  # a method of anything: "a b".split()
        name = function.name if isinstance(function, Attribute) else dotted_name(function)
        return name in TEXT_MAKERS
    return False

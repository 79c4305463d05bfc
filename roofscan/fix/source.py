"""A file as a LibCST tree with places: bytes in, the same bytes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import count
from typing import TypeVar

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider

New = cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel
"""What a node is replaced by."""

BUILT_IN = frozenset(("range", "prange", "len", "min", "max", "abs", "float", "int", "round", "bool", "complex"))
"""The functions of Python (and Numba) that fixes write, or move."""

_WITH_THE_SAME = frozenset(
    ("numba", "math", "builtins", "six.moves")
)  # modules whose functions of these names are these

_Key = TypeVar("_Key")


class SourceTree:
    """One parse of a file."""

    def __init__(self, data: bytes) -> None:
        """ParserSyntaxError where it is not Python; ValueError where LibCST cannot write it back unchanged."""
        self._wrapper = MetadataWrapper(cst.parse_module(data), unsafe_skip_copy=True)
        self.module = self._wrapper.module
        if self.module.bytes != data:
            raise ValueError("it cannot be written back unchanged")

    @cached_property
    def text(self) -> str:
        return self.module.code

    @cached_property
    def _places(self) -> Mapping[cst.CSTNode, CodeRange]:
        return self._wrapper.resolve(PositionProvider)

    @cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        return self._wrapper.resolve(ParentNodeProvider)

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What a node is in, the innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def line(self, node: cst.CSTNode) -> int:
        return self.lines(node)[0]

    def start(self, node: cst.CSTNode) -> tuple[int, int]:
        """Line and column."""
        place = self._places[node].start
        return place.line, place.column

    def lines(self, node: cst.CSTNode) -> range:
        place = self._places[node]
        return range(place.start.line, place.end.line + 1)

    def loses_comments(self, changed: cst.Module) -> bool:
        """Whether a module that was made of this one lacks a comment. What both have is not looked at."""
        had, has = (
            Counter(comment.value for part in parts for comment in comments(part))
            for parts in (_new_parts(changed, self.module), _new_parts(self.module, changed))
        )
        return not had <= has

    def hides_built_ins(self, changed: cst.Module) -> bool:
        """Whether the file gives other functions the names of built-in ones that its changed statements use."""
        new = _new_parts(self.module, changed)
        return not BUILT_IN.isdisjoint({*loaded_names(*new)} & {*self._own_names, *_named_in(*new)})

    @cached_property
    def _own_names(self) -> frozenset[str]:
        """What the module binds outside of its functions."""
        return frozenset(name for statement in self.module.body for name in _named_in(statement, inside=False))

    @cached_property
    def own_functions(self) -> Mapping[str, cst.FunctionDef]:
        """The functions at the top of the module whose names nothing else there binds."""
        bound = Counter(name for statement in self.module.body for name in _named_in(statement, inside=False))
        found = (node for node in self.module.body if isinstance(node, cst.FunctionDef))
        return {node.name.value: node for node in found if bound[node.name.value] == 1}

    @cached_property
    def _functions(self) -> Mapping[int, cst.FunctionDef]:
        return {self.line(node): node for node in _functions_in(self.module)}

    def function_at(self, line: int) -> cst.FunctionDef | None:
        """The function whose ``def`` stands on a line."""
        return self._functions.get(line)

    def loop_at(self, function: cst.FunctionDef, line: int, name: str) -> cst.For | None:
        """The ``for`` over a name on a line of a function."""
        found = (node for node in nodes(function.body) if isinstance(node, cst.For))
        return next((node for node in found if self.line(node) == line and loop_name(node) == name), None)

    def replaced(self, changes: Mapping[cst.CSTNode, New]) -> cst.Module:
        """The module with other nodes, or other statements, in the place of some nodes; all else is shared."""
        around: set[cst.CSTNode] = set()
        for node in changes:
            while (node := self.parents.get(node, node)) not in around and node not in changes:
                around.add(node)
        changed = self.module.visit(Replacing(changes, around))
        assert isinstance(changed, cst.Module)
        return changed


class Replacing(cst.CSTTransformer):
    """Other nodes in the place of some nodes; ``around``: all that hold one of these, where that is known."""

    def __init__(self, changes: Mapping[cst.CSTNode, New], around: Collection[cst.CSTNode] | None = None) -> None:
        super().__init__()
        self._changes = changes
        self._around = around

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node not in self._changes if self._around is None else node in self._around

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> New:  # type: ignore[override]
        return self._changes.get(original_node, updated_node)


class Renaming(cst.CSTTransformer):
    """An expression in the place of a name."""

    def __init__(self, name: str, new: cst.BaseExpression) -> None:
        super().__init__()
        self._name = name
        self._new = new

    def of(self, statement: cst.BaseStatement) -> cst.BaseStatement:
        changed = statement.visit(self)
        assert isinstance(changed, cst.BaseStatement)
        return changed

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._new.deep_clone() if original_node.value == self._name else updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)  # no variable

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


class Replaced(cst.CSTTransformer):
    """Other expressions in the place of some subscripts."""

    def __init__(self, elements: Mapping[cst.Subscript, cst.BaseExpression]) -> None:
        super().__init__()
        self._elements = elements

    def of(self, statements: Iterable[cst.BaseStatement]) -> tuple[cst.BaseStatement, ...]:
        return tuple(s for statement in statements if isinstance(s := statement.visit(self), cst.BaseStatement))

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        return self._elements.get(original_node, updated_node)


@lru_cache(maxsize=1 << 14)
def children_of(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """The nodes right below one, in the order of the text. LibCST copies a node to list them, and the module of a fix
    shares most of its nodes with the file: the last answers are kept."""
    return tuple(node.children)


@lru_cache(maxsize=8)
def nodes(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """The node and all nodes in it, in the order of the text. Every fix walks the same function: the last few walks
    are kept."""
    found, stack = [], [node]
    while stack:
        found.append(stack.pop())
        stack += reversed(children_of(found[-1]))
    return tuple(found)


def _parts(module: cst.Module) -> tuple[cst.CSTNode, ...]:
    """The statements of a module, and what stands before and after them."""
    return *module.header, *module.body, *module.footer


def _functions_in(module: cst.Module) -> Iterator[cst.FunctionDef]:
    """All functions; expressions, the most of a file, hold none."""
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.FunctionDef):
            yield node
        if not isinstance(node, (cst.BaseExpression, cst.SimpleStatementLine)):
            stack += children_of(node)


def _new_parts(before: cst.Module, after: cst.Module) -> list[cst.CSTNode]:
    """The statements that only the second has."""
    kept = {id(part) for part in _parts(before)}
    return [part for part in _parts(after) if id(part) not in kept]


def _named_in(*parts: cst.CSTNode, inside: bool = True) -> Iterator[str]:
    """The names that some nodes bind in any way; ``inside``: in functions, too."""
    stack = [*parts]
    while stack:
        node = stack.pop()
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            yield node.name.value
        yield from (name.value for target in _targets(node) for name in _names_of(target))
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            yield from _imported(node)
        elif isinstance(node, cst.Param):
            yield node.name.value
        if inside or not isinstance(node, (cst.FunctionDef, cst.BaseExpression)):
            stack += children_of(node)


def _imported(node: cst.Import | cst.ImportFrom) -> Iterator[str]:
    module = node.module if isinstance(node, cst.ImportFrom) else None
    if module is not None and code(module) in _WITH_THE_SAME:
        return
    if isinstance(node.names, cst.ImportStar):
        yield from BUILT_IN - {"range", "prange"}
    else:
        yield from (alias.evaluated_alias or alias.evaluated_name for alias in node.names)


def simple_lines(function: cst.FunctionDef) -> Iterator[cst.SimpleStatementLine]:
    """The lines of a function that hold one statement each."""
    found = (node for node in nodes(function.body) if isinstance(node, cst.SimpleStatementLine))
    return (line for line in found if len(line.body) == 1)


def comments(node: cst.CSTNode) -> list[cst.Comment]:
    return [inner for inner in nodes(node) if isinstance(inner, cst.Comment)]


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def loop_name(node: cst.For) -> str:
    """The variable of a loop, "" where it is not one name."""
    return node.target.value if isinstance(node.target, cst.Name) else ""


def block(node: cst.For | cst.FunctionDef | cst.If | cst.While) -> tuple[cst.BaseStatement, ...]:
    """The statements of an indented block; () where they stand on the line of its head."""
    return tuple(node.body.body) if isinstance(node.body, cst.IndentedBlock) else ()


def parameter_names(function: cst.FunctionDef) -> set[str]:
    """The names of all parameters of a function."""
    return {node.name.value for node in nodes(function.params) if isinstance(node, cst.Param)}


def loaded_names(*parts: cst.CSTNode) -> set[str]:
    """Every name in some nodes: more than they read, since targets, attributes and keywords are among them."""
    return {node.value for part in parts for node in nodes(part) if isinstance(node, cst.Name)}


def only_assignment(statement: cst.BaseStatement) -> cst.Assign | None:
    """The assignment to one target that a statement is; None where it is something else, or more."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else None
    return small if isinstance(small, cst.Assign) and len(small.targets) == 1 else None


def assigned_name(statement: cst.BaseStatement) -> str:
    """The name that a statement gives a value; "" where it does something else."""
    assignment = only_assignment(statement)
    target = assignment.targets[0].target if assignment else None
    return target.value if isinstance(target, cst.Name) else ""


def siblings(source: SourceTree, node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """The statements of the block in which one stands."""
    parent = source.parents[node]
    return tuple(parent.body) if isinstance(parent, cst.IndentedBlock) else ()


def enclosing_loops(source: SourceTree, node: cst.CSTNode) -> tuple[cst.For, ...]:
    """The ``for`` loops around a node, innermost first."""
    found: list[cst.For] = []
    while not isinstance(node, (cst.FunctionDef, cst.Lambda, cst.Module)):
        node = source.parents[node]
        found += [node] if isinstance(node, cst.For) else []
    return tuple(found)


def is_repeated(source: SourceTree, node: cst.CSTNode) -> bool:
    """Whether a loop is around a node."""
    while not isinstance(node, (cst.FunctionDef, cst.Lambda, cst.Module)):
        node = source.parents[node]
        if isinstance(node, (cst.For, cst.While)):
            return True
    return False


def fresh_name(wanted: str, taken: Collection[str]) -> str:
    """The name, or with a number behind it, that nothing has."""
    numbered = (f"{wanted}{number}" for number in count(2))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)


def fresh_names(wanted: Mapping[_Key, str], taken: set[str]) -> dict[_Key, str]:
    """Likewise a name for each; ``taken`` grows by them."""
    found: dict[_Key, str] = {}
    for key, name in wanted.items():
        found[key] = fresh_name(name, taken)
        taken.add(found[key])
    return found


def stored_names(*parts: cst.CSTNode) -> set[str]:
    """The names that assignments and loops in some nodes bind."""
    return set(bindings(*parts))


def bindings(*parts: cst.CSTNode) -> Iterator[str]:
    """Likewise, as often as they are bound."""
    targets = (target for part in parts for node in nodes(part) for target in _targets(node))
    return (name.value for target in targets for name in _names_of(target))


def _targets(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    if isinstance(node, cst.Assign):
        return tuple(target.target for target in node.targets)
    if isinstance(node, (cst.AugAssign, cst.AnnAssign, cst.For, cst.NamedExpr, cst.CompFor)):
        return (node.target,)
    return (node.name,) if isinstance(node, cst.AsName) else ()


def _names_of(target: cst.CSTNode) -> Iterator[cst.Name]:
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _names_of(element.value)

"""One source file: its imports, constants and functions, converted only when asked for."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from roofscan.memo import kept_by
from roofscan.parse import syntax
from roofscan.parse.definitions import Definition, DefinitionPath
from roofscan.parse.reader.convert import convert_lines
from roofscan.parse.reader.outline import outline
from roofscan.parse.reader.resolver import ModuleFinder
from roofscan.parse.reader.source import SourceError, clean
from roofscan.parse.syntax_walk import blocks, bound_values, dotted_path

WORD = re.compile(r"\w+")
SELF = "self:"  # the origin of a module's own top-level names starts with this: ``self:helper``, ``self:Class.method``

_BUILTINS = frozenset(dir(builtins))
_TOO_MANY_ALIASES = 8


class Module:
    """A parsed file. ``path`` and ``text`` are as given, line ends apart; ``definitions`` is its outline. ``finder``
    finds the files of the same package that it imports from (``parse.package``), None: none is looked for. ``others``
    are the modules of those that were read, by path; all modules of one analysis share them."""

    def __init__(
        self,
        path: str,
        text: str,
        definitions: tuple[Definition, ...],
        finder: ModuleFinder | None = None,
        others: dict[str, Module | None] | None = None,
    ) -> None:
        self.path = path
        self.text = text
        self.definitions = definitions
        self.finder = finder or ModuleFinder(follow=False)
        self.others = {} if others is None else others
        self.lines = text.split("\n")
        self.memory: dict[object, tuple[object, Any]] = {}
        """What lowering keeps of a function, by the id of its node: what must stay for that, and what was found."""
        self._failures: dict[int, str] = {}

    @property
    def follow(self) -> bool:
        return self.finder.follow

    @property
    def constants(self) -> Mapping[str, syntax.Expression]:
        """The values of the names that it assigns once."""
        return _Constants(self)

    # -- imports ------------------------------------------------------------------------------
    @cached_property
    def imports(self) -> dict[str, str]:
        """Local name -> dotted origin, of imports at top level (inside ``try`` and ``if`` too). np -> numpy, njit ->
        numba.njit; relative ones keep their dots: ``.pkg.mod.name``. A star import binds nothing here."""
        found: dict[str, str] = {}
        for definition in self.definitions:
            if definition.kind == "import":  # of several, as in try … except ImportError, the first is the rule
                found.update((k, v) for k, v in definition.bound if k not in found or not definition.conditional)
        found.pop("*", None)
        return found

    @cached_property
    def inner_imports(self) -> dict[str, str]:
        """Imports inside functions: they answer for names that nothing at top level binds."""
        found = (definition for top in self.definitions for definition in top.below() if definition.kind == "import")
        return {name: origin for definition in found for name, origin in definition.bound if name != "*"}

    @cached_property
    def star_imports(self) -> tuple[str, ...]:
        """The packages of the star imports, in order."""
        stars = (origin[:-2] for definition in self.definitions for name, origin in definition.bound if name == "*")
        return tuple(dict.fromkeys(stars))

    # -- names --------------------------------------------------------------------------------
    @cached_property
    def word_counts(self) -> Counter[str]:
        """The count of each word in the text, with comments and strings."""
        return Counter(WORD.findall(self.text))

    @cached_property
    def bindings(self) -> dict[str, list[Definition]]:
        """Every top-level name -> the definitions that bind it, ``global`` statements in functions included."""
        found: dict[str, list[Definition]] = {}
        for top in self.definitions:
            for name, _ in top.bound:
                found.setdefault(name, []).append(top)
            for definition in top.below():
                if definition.kind == "other":
                    for name, _ in definition.bound:
                        found.setdefault(name, []).append(definition)
        return found

    def assignments(self, name: str) -> tuple[syntax.Expression, ...]:
        """All values that top-level assignments give to ``name`` alone, in order."""
        definitions = (definition for definition in self.bindings.get(name, ()) if definition.kind == "assign")
        values = (assigned_value(self.statements(definition), name) for definition in definitions)
        return tuple(value for value in values if value is not None)

    # -- functions ----------------------------------------------------------------------------
    @cached_property
    def function_paths(self) -> dict[str, list[DefinitionPath]]:
        """Dotted name -> for each definition of it the definitions around it, outermost first, and itself."""
        found: dict[str, list[DefinitionPath]] = {}
        for path in _function_paths(self.definitions, ()):
            found.setdefault(".".join(definition.name for definition in path), []).append(path)
        return found

    @property
    def functions(self) -> tuple[str, ...]:
        """The dotted names of all functions: ``f``, ``Class.method``, ``outer.inner``."""
        return tuple(self.function_paths)

    def function(self, dotted: str) -> syntax.Function | None:
        """The function of that dotted name. Of several, the last that is defined without a condition, else
        the first. One that cannot be converted has a body of one Other that says why."""
        paths = self.function_paths.get(dotted)
        if not paths:
            return None
        sure = [path for path in paths if not path[-1].conditional]
        return self.function_at(sure[-1] if sure else paths[0])

    def function_at(self, path: DefinitionPath) -> syntax.Function:
        definition = path[-1]
        outermost = next(p for p in path if p.kind == "function")
        for node in _walk(self.statements(outermost)):
            if (
                isinstance(node, syntax.Function)
                and node.place.line == definition.line
                and node.name == definition.name
            ):
                return node
        return self._unconverted(definition, outermost)

    def _unconverted(self, definition: Definition, outermost: Definition) -> syntax.Function:
        """Stands for a function that has no syntax nodes: its body is one Other that names the reason."""
        other = next((node for node in self.statements(outermost) if isinstance(node, syntax.Other)), None)
        why = other.kind if other else self._failures.get(outermost.first_line, "a function of unknown form")
        place = syntax.Place(definition.line, 0, definition.end_line, 0)
        return syntax.Function(place, definition.name, (), (), (syntax.Other(place, why),), None, definition.first_line)

    def class_at(self, definition: Definition) -> syntax.Class | None:
        return next((node for node in self.statements(definition) if isinstance(node, syntax.Class)), None)

    @kept_by(lambda definition: definition.first_line)
    def statements(self, definition: Definition) -> tuple[syntax.Statement, ...]:
        """The statements on a definition's lines; none where they cannot be converted."""
        try:
            if definition.too_deep:
                raise SourceError(self.path, definition.line, "code nested too deeply")
            return convert_lines(self.lines, definition.first_line, definition.end_line, self.path)
        except SourceError as error:
            self._failures[definition.first_line] = error.message
            return ()

    # -- resolving ----------------------------------------------------------------------------
    def resolve(self, expression: syntax.Expression) -> str | None:
        """The dotted origin of a Name or a chain of attributes, as the module's top level binds it. ``np.linalg.norm``
        is "numpy.linalg.norm", ``range`` "builtins.range", a function or class of the module "self:name". Aliases
        (``sqrt = np.sqrt``) are followed. None for anything else, such as parameters. Local names are the caller's to
        know: this looks at the module alone."""
        name = dotted_path(expression)
        return self.resolve_name(name) if name else None

    def resolve_name(self, dotted: str, aliases_left: int = _TOO_MANY_ALIASES) -> str | None:
        """``resolve`` of a dotted name as text."""
        name, dot, rest = dotted.partition(".")
        origin = self._origin(name, aliases_left)
        return f"{origin}{dot}{rest}" if origin else None

    def _origin(self, name: str, aliases_left: int) -> str | None:
        alias = dotted_path(self.constants[name]) if aliases_left and name in self.constants else None
        if alias:
            return self.resolve_name(alias, aliases_left - 1)
        bound = self.bindings.get(name)
        if bound and self._defined(bound):
            return SELF + name
        if name in self.imports:
            return self.imports[name]
        if bound:
            return None  # some other variable of the module
        if name in self.inner_imports:
            return self.inner_imports[name]
        if name in _BUILTINS:
            return f"builtins.{name}"
        return f"{self.star_imports[0]}.{name}" if len(self.star_imports) == 1 else None

    @staticmethod
    def _defined(bound: list[Definition]) -> bool:
        """Whether a def or class has the name: an import wins over a def that only replaces it if it fails."""
        definitions = [definition for definition in bound if definition.kind in ("function", "class")]
        imported = any(definition.kind == "import" for definition in bound)
        return any(not definition.conditional for definition in definitions) if imported else bool(definitions)


class _Constants(Mapping[str, syntax.Expression]):
    """The values of names that the module assigns once, outside any condition; converted when asked for."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def __getitem__(self, name: str) -> syntax.Expression:
        values = self.module.assignments(name) if self._is_constant(name) else ()
        if len(values) != 1:
            raise KeyError(name)
        return values[0]

    def _is_constant(self, name: str) -> bool:
        bound = self.module.bindings.get(name, [])
        return len(bound) == 1 and bound[0].kind == "assign" and not bound[0].conditional

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.module.bindings if name in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._is_constant(name) and bool(self.module.assignments(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def read_module(text: str, path: str, tree: ast.Module | None = None, finder: ModuleFinder | None = None) -> Module:
    """The module of a source text; ``tree`` is its ast where the caller has it. Raises SourceError."""
    text = clean(text, path)
    return Module(path, text, outline(text, path, tree), finder)


def assigned_value(statements: tuple[syntax.Statement, ...], name: str) -> syntax.Expression | None:
    """What ``name`` is assigned in ``statements``, alone or by its place in ``a, b = x, y``: the last such value."""
    pairs = [pair for node in statements if isinstance(node, syntax.Assign) for pair in bound_values(node)]
    return next((v for t, v in reversed(pairs) if isinstance(t, syntax.Name) and t.id == name), None)


def _walk(body: tuple[syntax.Statement, ...]) -> Iterator[syntax.Statement]:
    for node in body:
        yield node
        for block in blocks(node):
            yield from _walk(block)


def _function_paths(definitions: tuple[Definition, ...], around: DefinitionPath) -> Iterator[DefinitionPath]:
    for definition in definitions:
        if definition.kind == "function":
            yield (*around, definition)
        if definition.kind in ("function", "class"):
            yield from _function_paths(definition.children, (*around, definition))

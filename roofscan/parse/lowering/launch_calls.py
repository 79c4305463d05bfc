"""The calls that launch a kernel: ``kernel[grid, …](…)``, ``kernel.configure(grid, …)(…)``, also by a name for what
stands before the arguments, and ``kernel.forall(n, tpb)(…)``, in its file and in the files of its package that import
it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from roofscan.frozen import dataclass
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.module import SELF, Module
from roofscan.parse.reader.package import find, mentioning
from roofscan.parse.syntax import Assign, Attribute, Call, Expression, Function, Name, Place, Subscript
from roofscan.parse.syntax_walk import CONFIGURING, dotted_path, walk, walk_all


@dataclass(frozen=True)
class LaunchCall:
    """A launch: the file and the function that it stands in, the call with the kernel's arguments, and what says its
    sizes, which is ``kernel[…]``, ``kernel.configure(…)`` or ``kernel.forall(…)``."""

    module: Module
    host: Function
    call: Call
    sizes: Subscript | Call

    def place(self, home: Module) -> str:
        """Where it stands, for a reader of the kernel's file."""
        line = f"line {self.call.place.line}"
        return line if self.module is home else f"{line} of {os.path.basename(self.module.path)}"


def launch_calls(module: Module, kernel: str) -> list[LaunchCall]:
    """In the order of the files; those of the kernel's own file alone, if it has any."""
    own = list(_calls(module, module, kernel))
    return own or [found for there in mentioning(module, kernel) for found in _calls(there, module, kernel)]


def _calls(there: Module, home: Module, kernel: str) -> Iterator[LaunchCall]:
    names = {kernel, *(name for name, origin in _imports(there) if origin.rpartition(".")[2] == kernel)}
    for host in _hosts(
        there, tuple(f"{name}{mark}" for name in names for mark in ("[", *(f".{m}" for m in CONFIGURING)))
    ):
        named: dict[str, Subscript | Call] = {}
        for node in walk(host.body):
            if isinstance(node, Assign) and (sizes := _sizes(node.value, {}, there, home, kernel)) is not None:
                named.update((t.id, sizes) for t in node.targets if isinstance(t, Name))
            elif isinstance(node, Call) and (sizes := _sizes(node.function, named, there, home, kernel)) is not None:
                yield LaunchCall(there, host, node, sizes)


def calls_of(module: Module, name: str) -> Iterator[tuple[Function, Call]]:
    """The calls of a function in its file, each with the function that it stands in."""
    for host in _hosts(module, (f"{name}(",)):
        for node in walk(host.body):
            if isinstance(node, Call) and isinstance(node.function, Name) and node.function.id == name:
                yield host, node


def _imports(module: Module) -> Iterator[tuple[str, str]]:
    yield from module.imports.items()
    yield from module.inner_imports.items()


def _hosts(module: Module, marks: tuple[str, ...]) -> Iterator[Function]:
    """The functions and methods that name a kernel so, and the statements of the file that do, each as a function with
    the assignments of the file."""
    for definition in module.definitions:
        lines = module.lines[definition.first_line - 1 : definition.end_line]
        if definition.kind != "import" and any(mark in line for line in lines for mark in marks):
            yield from _functions(module, definition)


def _functions(module: Module, definition: Definition) -> Iterator[Function]:
    if definition.kind in ("function", "class"):
        yield from (node for node in walk_all(module.statements(definition)) if isinstance(node, Function))
        return
    before = (d for d in module.definitions if d.kind == "assign" and d.line < definition.line)
    body = [statement for each in (*before, definition) for statement in module.statements(each)]
    yield Function(Place(definition.line, 0, definition.end_line, 0), "the file", (), (), tuple(body), None, 0)


def _sizes(
    node: Expression | None, named: Mapping[str, Subscript | Call], there: Module, home: Module, kernel: str
) -> Subscript | Call | None:
    """What says the sizes of a launch of that kernel, in an expression that stands for the kernel with its sizes."""
    if isinstance(node, Name):
        return named.get(node.id)
    if isinstance(node, Subscript):
        return node if _means(node.base, there, home, kernel) else None
    if isinstance(node, Call) and isinstance(node.function, Attribute) and node.function.name in CONFIGURING:
        return node if _means(node.function.base, there, home, kernel) else None
    return None


def _means(node: Expression, there: Module, home: Module, kernel: str) -> bool:
    """Whether an expression in one file is the kernel of another."""
    if there is home:
        return isinstance(node, Name) and node.id == kernel
    path = dotted_path(node)
    origin = there.resolve_name(path) if path is not None and path.rpartition(".")[2] else None
    if origin is None or origin.startswith(SELF):
        return False
    found = find(there, origin)
    return found is not None and (found.module.path, found.name) == (home.path, kernel)

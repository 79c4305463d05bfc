"""Call constraints: the type facts of a helper's parameters hold for the arguments of its calls. In ``at(grid, i, j)``,
where ``at`` reads ``grid[i, j]``, ``grid`` has rank 2 at least and ``i`` is an integer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from roofscan.parse.inference.dimension_equalities import takes_no_dimension
from roofscan.parse.inference.factories import made_by_factory
from roofscan.parse.inference.forward import is_new_axis
from roofscan.parse.inference.integers import mark_integer
from roofscan.parse.inference.list_mutation import shared_names
from roofscan.parse.inference.rule import Library
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.package import find, starred
from roofscan.parse.syntax import Assign, Attribute, Binary, Call, Expression, Function, Literal, Name, Slice, Subscript
from roofscan.parse.syntax_walk import CONFIGURING, dotted_path, launched_or_called, subscript_chain

Helper = tuple[Function, TypeFacts]  # a function that is called, and its type facts


def apply_call_constraints(
    nodes: list[Any], facts: TypeFacts, library: Library, helper: Callable[[str], Helper | None]
) -> dict[str, TypeFacts]:
    """Add the facts of all helpers that are called to ``facts``; returns them by the dotted names of the calls."""
    known: dict[str, TypeFacts] = {}
    configured = dict(_configured(nodes))
    for node in nodes:
        path = dotted_path(launched_or_called(node)) if isinstance(node, Call) else None
        path = configured.get(path, path) if path else None
        called = helper(path) if path else None
        if path and called is not None:
            known[path] = called[1]
            _apply_call(node, *called, facts, library)
    return known


def _configured(nodes: list[Any]) -> Iterator[tuple[str, str]]:
    """Names of launches: ``run = kernel[grid, block]``, ``run = kernel.configure(grid, block)``."""
    for node in nodes:
        value = node.value if isinstance(node, Assign) else None
        method = value.function if isinstance(value, Call) and isinstance(value.function, Attribute) else None
        made = value if isinstance(value, Subscript) else method if method and method.name in CONFIGURING else None
        base = dotted_path(made.base) if made is not None else None
        if base and isinstance(node, Assign):
            yield from ((target.id, base) for target in node.targets if isinstance(target, Name))


def _apply_call(call: Call, helper: Function, inner: TypeFacts, facts: TypeFacts, library: Library) -> None:
    named = {p.name: p for p in helper.parameters}
    by_name = [(named[k.name], k.value) for k in call.keywords if k.name in named]
    for parameter, argument in (*zip(helper.parameters, call.args), *by_name):
        if parameter.name in inner.resized_lists:
            facts.resized_lists.update(shared_names(argument))
        if parameter.name in inner.record_uses:
            facts.record_arguments.append((argument, inner.record_uses[parameter.name]))
        path = dotted_path(argument)
        certain = parameter.name in inner.integers and parameter.name not in inner.taken_integers
        if parameter.name in inner.taken_integers:
            facts.habitual_integers.append(argument)
        if path is None:
            _constrain_row(argument, inner.ranks.get(parameter.name, 0), facts)
            if certain:
                mark_integer(argument, facts, library)
                facts.index_arguments.append(argument)
            continue
        if parameter.name in inner.ranks:
            facts.require_rank(path, inner.ranks[parameter.name])
        if certain:
            facts.integers.add(path)
        if parameter.name in inner.scalars:
            facts.scalars.add(path)
        if parameter.name in inner.index_arrays:
            facts.index_arrays.add(path)
        if parameter.name in inner.value_arrays:
            facts.value_arrays.add(path)


def _constrain_row(argument: Expression, rank: int, facts: TypeFacts) -> None:
    """``helper(A[i])``, where the helper takes an array of ``rank``: ``A`` has one more dimension for each index."""
    base, items = subscript_chain(argument)
    path = dotted_path(base)
    fixed = [i for i in items if not isinstance(i, Slice) and not takes_no_dimension(i)]
    plain = all(isinstance(i, (Name, Literal, Binary)) for i in fixed) and not any(map(is_new_axis, items))
    if rank and path and items and plain and not any(isinstance(i, Name) and i.id in facts.ranks for i in fixed):
        facts.require_rank(path, rank + len(fixed))


class Helpers:
    """Found on demand, converted when first asked for; ``memory`` is that of the file which is analysed."""

    def __init__(self, module: Module, memory: dict[object, tuple[object, Any]] | None = None) -> None:
        self.module = module
        self.finder = module.finder
        self._found: dict[str, tuple[Function, Helpers | None] | None] = {}
        self.memory = module.memory if memory is None else memory

    def called(self, name: str) -> tuple[Function, Helpers] | None:
        """What the module means by a name, if it is a function, and the helpers of that function."""
        if name not in self._found:
            self._found[name] = self._find(name)
        found = self._found[name]
        return found and (found[0], found[1] or self)

    def _find(self, name: str) -> tuple[Function, Helpers | None] | None:
        """None for the helpers: these."""
        module = self.module
        own = module.function(name) or made_by_factory(module, name)
        dotted = module.resolve_name(name) if own is None and module.follow else None
        found = None if own is not None else find(module, dotted) if dotted else starred(module, name)
        if found is not None and found.module is not module:
            function = found.module.function(found.name)
            return (function, Helpers(found.module, self.memory)) if function is not None else None
        if found is not None:
            own = module.function(found.name)
        return (own, None) if own is not None else None

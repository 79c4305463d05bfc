"""The functions that a function calls by name: those of its file, and of its package where files are followed."""

from __future__ import annotations

from typing import Any

from roofscan.parse.reader.module import Module
from roofscan.parse.reader.package import find, starred
from roofscan.parse.syntax import Function


class Helpers:
    """Found on demand, converted when first asked for; ``memory`` is that of the file which is analysed."""

    def __init__(self, module: Module, memory: dict[object, tuple[object, Any]] | None = None) -> None:
        self.module = module
        self.finder = module.finder
        self._found: dict[str, tuple[Function, Helpers] | None] = {}
        self.memory = module.memory if memory is None else memory

    def called(self, name: str) -> tuple[Function, Helpers] | None:
        """What the module means by a name, if it is a function, and the helpers of that function."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> tuple[Function, Helpers] | None:
        module = self.module
        own = module.function(name)
        dotted = module.resolve_name(name) if own is None and module.follow else None
        found = None if own is not None else find(module, dotted) if dotted else starred(module, name)
        if found is not None and found.module is not module:
            function = found.module.function(found.name)
            return (function, Helpers(found.module, self.memory)) if function is not None else None
        if found is not None:
            own = module.function(found.name)
        return (own, self) if own is not None else None

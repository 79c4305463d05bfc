"""The process that runs a kernel. It reads the call from standard input and writes the outcome to standard output, both
as JSON. A kernel that never ends, or crashes, takes nothing with it."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from roofscan.measuring.real_arguments import binding_of
from roofscan.measuring.timer import times

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MOST_LINES = 3  # of an error message
UNKNOWN_NUMBER = 1.0001  # a number of which nothing is known: near 1, so that powers of it stay finite


def main() -> None:
    """What the kernel prints goes nowhere: standard output is for the outcome."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as channel:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        json.dump(_Task(json.load(sys.stdin)).outcome(), channel)


class _Task:
    """One run. ``stage`` is what is being done, for the message where it fails."""

    def __init__(self, task: Mapping[str, Any]) -> None:
        self.task, self.stage = task, "import"

    def outcome(self) -> dict[str, Any]:
        try:
            return self._run()
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else ""
            return {"stage": self.stage, "error": _told(error), "missing": missing}

    def _run(self) -> dict[str, Any]:
        task, taken = self.task, {}
        function = _named(_module(task["path"]), task["function"])
        signature = inspect.signature(getattr(function, "py_func", function))
        if task["setup"]:
            self.stage = "setup"
            maker = _maker(task["setup"])
            taken = {n: v for n, v in task["given"].items() if n in inspect.signature(maker).parameters}
            args, kwargs = _arguments(maker(**taken))
            self.stage = "match"
            call = signature.bind(*args, **kwargs)
        else:
            self.stage = "make"
            call = call_of(signature, task["arguments"])
        call.apply_defaults()
        args, kwargs, binding = call.args, call.kwargs, binding_of(call.arguments)
        self.stage = "call"
        seconds = times(lambda: function(*args, **kwargs), task["seconds"])
        return {"seconds": seconds, "binding": binding, "taken": list(taken)}


def _told(error: BaseException) -> str:
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    return ": ".join([type(error).__name__, *([" ".join(lines[:MOST_LINES])] if lines else [])])


def call_of(signature: inspect.Signature, specifications: Sequence[dict[str, Any]]) -> inspect.BoundArguments:
    call = inspect.BoundArguments(signature, {})
    call.arguments.update(zip((s["name"] for s in specifications), made(specifications), strict=True))
    for unknown in (s["name"] for s in specifications if s["kind"] == "unknown"):
        if signature.parameters[unknown].default is not inspect.Parameter.empty:
            del call.arguments[unknown]
    return call


def _maker(setup: str) -> Callable[..., Any]:
    path, _, name = setup.rpartition(":")
    found: Callable[..., Any] = _named(_module(path), name)
    return found


def _arguments(found: Any) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """A dict is by parameter, a tuple or a list in order, anything else the only argument."""
    if found is None:
        raise ValueError("it returned None; return the arguments as a tuple, or as a dict by parameter")
    if isinstance(found, dict):
        return (), found
    return (found if isinstance(found, (tuple, list)) else (found,)), {}


def made(specifications: Sequence[dict[str, Any]]) -> list[Any]:
    """Arguments from their description: floats between 0.5 and 1.5, integers from [0, below)."""
    draw = np.random.default_rng(0)
    return [_made(s, draw) for s in specifications]


def _made(specification: dict[str, Any], draw: np.random.Generator) -> Any:
    if specification["kind"] != "array":
        return _value(**specification)
    kind, shape = np.dtype(specification["dtype"]), specification["shape"]
    if kind.kind in "iu":
        array = draw.integers(0, min(specification["below"], np.iinfo(kind).max), shape).astype(kind)
    elif kind.kind == "b":
        array = draw.integers(0, 2, shape).astype(kind)
    else:
        array = draw.uniform(0.5, 1.5, shape).astype(kind)
    return np.asfortranarray(array) if specification["fortran"] else array


def _value(kind: str, value: Any, dtype: str, **_: Any) -> Any:
    if kind == "unknown":
        value = UNKNOWN_NUMBER
    elif isinstance(value, list):
        return tuple(value)
    return np.dtype(dtype).type(value) if dtype else value


def _module(path: str) -> ModuleType:
    """A file of a package is imported as its module, so that its relative imports work."""
    file = Path(path).resolve()
    name, home = file.stem, file.parent
    while (home / "__init__.py").exists():
        name, home = f"{home.name}.{name}", home.parent
    sys.path.insert(0, str(home))
    if "." in name:
        return importlib.import_module(name)
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def _named(module: ModuleType, dotted: str) -> Any:
    found: Any = module
    for part in dotted.split("."):
        if not hasattr(found, part):
            raise LookupError(f"{Path(module.__file__ or '').name} has no {dotted}")
        found = getattr(found, part)
    return found


if __name__ == "__main__":
    main()

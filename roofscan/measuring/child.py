"""The process that runs a kernel: reads what to call from standard input as JSON, writes its times as JSON. A process
of its own, so that a kernel that never ends, or crashes, takes nothing with it."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from roofscan.measuring.timer import times

NO_MODULE = 3
"""The exit code where a module is not installed; standard output ends with its name."""


def main() -> None:
    task = json.load(sys.stdin)
    function = _named(_module(task["path"]), task["function"])
    if task["setup"]:
        path, _, maker = task["setup"].rpartition(":")
        arguments = list(_named(_module(path), maker)())
    else:
        arguments = made(task["arguments"])
    print(json.dumps({"seconds": times(lambda: function(*arguments), task["seconds"])}))


def made(specifications: Sequence[dict[str, Any]]) -> list[Any]:
    """Arguments from their description: floats between 0.5 and 1.5, integers from [0, below)."""
    draw = np.random.default_rng(0)
    return [_made(s, draw) for s in specifications]


def _made(specification: dict[str, Any], draw: np.random.Generator) -> Any:
    if specification["kind"] == "number":
        return specification["value"]
    kind, shape = np.dtype(specification["dtype"]), specification["shape"]
    if kind.kind in "iu":
        array = draw.integers(0, min(specification["below"], np.iinfo(kind).max), shape).astype(kind)
    elif kind.kind == "b":
        array = draw.integers(0, 2, shape).astype(kind)
    else:
        array = draw.uniform(0.5, 1.5, shape).astype(kind)
    return np.asfortranarray(array) if specification["fortran"] else array


def _module(path: str) -> ModuleType:
    sys.path.insert(0, str(Path(path).resolve().parent))
    specification = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def _named(module: ModuleType, dotted: str) -> Any:
    found: Any = module
    for part in dotted.split("."):
        found = getattr(found, part)
    return found


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as error:
        print(error.name)
        sys.exit(NO_MODULE)

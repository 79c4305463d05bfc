"""Finds machine files and reads them: shipped ones by name, a user's own by path. On the flake8 path: one file is
opened, and TOML is the one thing imported for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from roofscan.files import read_bytes
from roofscan.machine.model import Machine, MachineError, nearest
from roofscan.machine.schema import machine_from_toml

__all__ = ["MachineError", "available", "load_machine", "machine_from_text", "shipped_names"]

_DATA = Path(__file__).parent / "data"


def load_machine(name_or_path: str) -> Machine:
    """The shipped machine of that name, or the one in that file (``….toml``, or a path). Raises MachineError, one line,
    if there is none or it cannot be read."""
    path = _find(name_or_path)
    return machine_from_toml(_parse(path), _shown(path), path.stem)


def available() -> list[tuple[str, str, str]]:
    """Name, kind and description of every shipped machine, by name."""
    machines = [load_machine(name) for name in shipped_names()]
    return [(machine.name, machine.kind, machine.description) for machine in machines]


def shipped_names() -> list[str]:
    """The names that :func:`load_machine` knows without a path."""
    return sorted(path.stem for path in _DATA.glob("*.toml"))


def machine_from_text(text: str, name: str = "machine") -> Machine:
    """A machine from TOML text, for one that stands in no file yet; ``name`` is used where it has none."""
    return machine_from_toml(_decode(text, name), name, name)


def _find(name_or_path: str) -> Path:
    if not _is_path(name_or_path):
        if name_or_path in shipped_names():
            return _DATA / f"{name_or_path}.toml"
        hint = nearest(name_or_path, shipped_names()) or "; `roofscan machine list` shows all"
        raise MachineError(f'unknown machine "{name_or_path}"{hint}')
    return Path(name_or_path)


def _is_path(name: str) -> bool:
    separators = (os.sep, os.altsep) if os.altsep else (os.sep,)
    return name.endswith(".toml") or any(separator in name for separator in separators)


def _parse(path: Path) -> dict[str, Any]:
    try:
        text = (path.read_bytes() if path.parent == _DATA else read_bytes(str(path))).decode()
    except FileNotFoundError:
        raise MachineError(f"{_shown(path)}: the machine file does not exist; check the path") from None
    except UnicodeDecodeError as error:
        raise MachineError(f"{_shown(path)}: not UTF-8 text (byte {error.start}); name a TOML file") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise MachineError(f"{_shown(path)}: cannot be read: {why}; name a TOML file") from None
    return _decode(text, _shown(path))


def _decode(text: str, file: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        parsed: dict[str, Any] = tomllib.loads(text)
        return parsed
    except tomllib.TOMLDecodeError as error:
        raise MachineError(f"{file}: not valid TOML: {error}") from None
    except RecursionError:
        raise MachineError(f"{file}: not a machine file: nested too deeply") from None


def _shown(path: Path) -> str:
    """A shipped machine's file goes by its name alone: where it is installed is of no interest."""
    return path.name if path.parent == _DATA else str(path)

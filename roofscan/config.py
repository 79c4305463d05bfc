"""``[tool.roofscan]`` of the nearest pyproject.toml: the options of the command, kebab-case.

Nothing but texts, numbers and lists is read; what cannot be read becomes a :class:`Problem` with its line,
and the rest of the table still holds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofscan import values
from roofscan.options import DEFAULTS, Options

FILE_NAME = "pyproject.toml"
_LARGEST_FILE = 1_000_000


@dataclass(frozen=True)
class Key:
    """One key of the table: the option that it sets, and what reads its value."""

    option: str
    read: Callable[[object], object]


KEYS: Mapping[str, Key] = {
    "machine": Key("machines", values.texts),
    "kernels": Key("kernels", values.kernels),
    "bind": Key("default_bind", values.text),
    "cache": Key("caches", values.sizes),
    "line": Key("line", values.line_size),
    "select": Key("select", values.codes),
    "ignore": Key("ignore", values.codes),
    "extend-select": Key("extend_select", values.codes),
    "exclude": Key("exclude", values.texts),
    "max-bytes": Key("max_bytes", values.size),
    "jobs": Key("jobs", values.jobs),
    "no-cache": Key("no_cache", values.flag),
    "cache-dir": Key("cache_dir", values.text),
}


@dataclass(frozen=True)
class Problem:
    """One thing in a config file that cannot be read. ``message`` says what to do."""

    path: str
    line: int
    message: str


@dataclass(frozen=True)
class Config:
    """The options that a config file sets over the defaults, and what is wrong with it."""

    options: Options = DEFAULTS
    path: Path | None = None
    problems: tuple[Problem, ...] = ()


def load_config(start: Path) -> Config:
    """The config for a file or folder: the nearest pyproject.toml at or above it that has the table."""
    for folder in _folders(start):
        path = folder / FILE_NAME
        if path.is_file():
            config = read_config(path)
            if config.path or config.problems:
                return config
    return Config()


def read_config(path: Path) -> Config:
    """The options of one pyproject.toml; ``path`` is None where it has no ``[tool.roofscan]``."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return _broken(path, 1, f"is over {_LARGEST_FILE} bytes; roofscan does not read it")
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return _broken(path, 1, f"cannot be read ({_why(error)}); save it as UTF-8")
    if "roofscan" not in text:
        return Config()
    try:
        table = _parse(text).get("tool", {})
    except (ValueError, RecursionError) as error:
        return _broken(path, _error_line(str(error)), f"is no TOML: {_why(error)}; correct that line")
    table = table.get("roofscan") if isinstance(table, dict) else None
    if table is None:
        return Config()
    if not isinstance(table, dict):
        return _broken(path, _line_of(text, "roofscan"), "tool.roofscan is no table; write [tool.roofscan]")
    return _from_table(path, text, table)


def _shown(path: Path | None) -> str:
    """A path as a user would write it: relative where it lies below the working folder."""
    if path is None:
        return FILE_NAME
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def problem_at(config: Config, key: str, message: str) -> Problem:
    """What is wrong with the value of a key, though it could be read."""
    text = config.path.read_text(encoding="utf-8-sig", errors="replace") if config.path else ""
    return Problem(_shown(config.path), _line_of(text, key), f"{key}: {message}")


def _folders(start: Path) -> list[Path]:
    try:
        start = start.resolve()
    except (OSError, RuntimeError, ValueError):
        start = Path.cwd()
    return [*([start] if start.is_dir() else []), *start.parents]


def _parse(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    table: dict[str, Any] = tomllib.loads(text)
    return table


def _from_table(path: Path, text: str, table: dict[str, object]) -> Config:
    chosen: dict[str, Any] = {}
    problems = []
    for name, value in table.items():
        key = KEYS.get(name.replace("_", "-"))
        try:
            if key is None:
                raise ValueError(f"is no option; the options are {', '.join(KEYS)}")
            chosen[key.option] = key.read(value)
        except ValueError as error:
            problems.append(Problem(_shown(path), _line_of(text, name), f"{values.shown(name)[1:-1]}: {error}"))
    if "cache_dir" in chosen:
        chosen["cache_dir"] = str(path.parent / chosen["cache_dir"])
    chosen["machines"] = tuple(_beside(path, machine) for machine in chosen.get("machines", ()))
    return Config(Options(**chosen), path, tuple(problems))


def _beside(config: Path, machine: str) -> str:
    """A machine file is named relative to the config that names it."""
    return str(config.parent / machine) if machine.endswith(".toml") else machine


def _broken(path: Path, line: int, message: str) -> Config:
    return Config(problems=(Problem(_shown(path), line, message),))


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return " ".join((str(error) or type(error).__name__).split())[:200]


def _error_line(message: str) -> int:
    found = re.search(r"line (\d+)", message)
    return int(found[1]) if found else 1


def _line_of(text: str, key: str) -> int:
    """The line that sets ``key`` in the table, or the table's own."""
    in_table, line = False, 1
    for number, content in enumerate(text.splitlines(), 1):
        if content.lstrip().startswith("["):
            in_table = "roofscan" in content
            line = number if in_table else line
        name = content.split("=")[0].strip().strip("\"'")
        dotted = "roofscan" in name and name.split(".")[-1] == key
        if "=" in content and ((name == key and in_table) or dotted):
            return number
    return line

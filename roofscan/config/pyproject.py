"""``[tool.roofscan]`` of the nearest pyproject.toml: the command's options in kebab-case. What cannot be read becomes a
:class:`Problem` with its line, and the rest of the table still holds."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from roofscan.config import values
from roofscan.config.options import DEFAULTS, Options
from roofscan.config.table import COMMAND_OPTIONS, OPTIONS, Option
from roofscan.frozen import dataclass
from roofscan.suggestions import among

FILE_NAME = "pyproject.toml"
_LARGEST_FILE = 1_000_000


KEYS: Mapping[str, Option] = {option.key: option for option in OPTIONS}

COMMAND_KEYS: Mapping[str, Mapping[str, Option]] = {
    command: {option.key: option for option in options} for command, options in COMMAND_OPTIONS.items()
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
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # what COMMAND_KEYS set
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
            return _broken(path, 1, f"is larger than {_LARGEST_FILE} bytes; make it smaller")
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return _broken(path, 1, f"cannot be read ({_why(error)}); save it as UTF-8")
    if "roofscan" not in text:
        return Config()
    try:
        table = _parse(text).get("tool", {})
    except (ValueError, RecursionError) as error:
        return _broken(path, _error_line(str(error)), f"is not valid TOML: {_why(error)}; correct that line")
    table = table.get("roofscan") if isinstance(table, dict) else None
    if table is None:
        return Config()
    if not isinstance(table, dict):
        return _broken(path, _line_of(text, "roofscan"), "tool.roofscan is not a table; write [tool.roofscan]")
    return _from_table(path, text, table)


def _shown(path: Path | None) -> str:
    if path is None:
        return FILE_NAME
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def problem_at(config: Config, key: str, message: str) -> Problem:
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
    reading = _Reading(path, text)
    options = reading.values(KEYS, {k: v for k, v in table.items() if k not in COMMAND_KEYS}, "roofscan")
    options["machines"] = tuple(_beside(path, machine) for machine in options.get("machines", ()))
    commands = {}
    for command, keys in COMMAND_KEYS.items():
        own = table.get(command, {})
        if isinstance(own, dict):
            commands[command] = reading.values(keys, own, f"roofscan.{command}")
        else:
            reading.problem("roofscan", command, f"is not a table; write [tool.roofscan.{command}]")
    return Config(Options(**options), path, commands, tuple(reading.problems))


class _Reading:
    """Tables of one file into values, with a problem for each that cannot be read."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.problems: list[Problem] = []

    def values(self, keys: Mapping[str, Option], table: Mapping[str, object], name: str) -> dict[str, Any]:
        chosen: dict[str, Any] = {}
        for word, value in table.items():
            key = keys.get(word.replace("_", "-"))
            try:
                if key is None:
                    raise ValueError(_unknown(word, keys))
                chosen[key.field] = key.read(value)
            except ValueError as error:
                self.problem(name, word, str(error))
        paths = (key.field for key in keys.values() if key.is_path and isinstance(chosen.get(key.field), str))
        return {**chosen, **{field: str(self.path.parent / chosen[field]) for field in paths if chosen[field]}}

    def problem(self, table: str, key: str, message: str) -> None:
        line = _line_of(self.text, key, table)
        self.problems.append(Problem(_shown(self.path), line, f"{values.shown(key)[1:-1]}: {message}"))


def _unknown(word: str, keys: Mapping[str, Option]) -> str:
    """What is wrong with a key that a table does not have: another table may."""
    owner = next((command for command, own in COMMAND_KEYS.items() if word.replace("_", "-") in own), None)
    if owner is not None and keys is KEYS:
        return f"is an option of {owner} alone; write it below [tool.roofscan.{owner}]"
    return f"is not an option; {among(word, keys)}"


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


def _line_of(text: str, key: str, table: str = "roofscan") -> int:
    in_table, line = False, 1
    for number, content in enumerate(text.splitlines(), 1):
        if content.lstrip().startswith("["):
            if re.search(rf"\b{re.escape(table)}\.[\"']?{re.escape(key)}[\"']?\s*\]", content):
                return number
            in_table = re.search(rf"\b{re.escape(table)}\s*\]", content) is not None
            line = number if in_table else line
        name = content.split("=")[0].strip().strip("\"'")
        dotted = "roofscan" in name and name.split(".")[-1] == key
        if "=" in content and ((name == key and in_table) or dotted):
            return number
    return line

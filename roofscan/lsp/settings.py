"""What a user chooses: ``[tool.roofscan]`` of the nearest pyproject.toml, the editor's settings over it, and over both
the machine that was chosen by command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from roofscan.config import values
from roofscan.config.defaults import LAST_RESORT_SECONDS
from roofscan.config.options import DEFAULTS, Options
from roofscan.config.pyproject import KEYS, load_config
from roofscan.config.run_config import load_run_config
from roofscan.errors import OptionError
from roofscan.frozen import dataclass
from roofscan.suggestions import among

SHOWN = ("inlay-hints", "code-lens")
"""Settings of the editor alone."""
OF_OPTIONS = {name: key for name, key in KEYS.items() if hasattr(DEFAULTS, key.field)}
COMMAND = "command"  # by which an editor starts the server


@dataclass(frozen=True)
class Settings:
    fields: Mapping[str, Any] = field(default_factory=dict)  # of Options
    inlay_hints: bool = False
    code_lens: bool = True
    machine: str = ""  # chosen by command

    def on(self, machine: str) -> Settings:
        """The same with a machine chosen by command. OptionError where there is no such machine."""
        if machine:
            load_run_config(Options(machines=(machine,)))
        return replace(self, machine=machine)

    def options(self, path: str) -> tuple[Options, tuple[str, ...]]:
        """The options of a file, and what is wrong with them: the rest holds."""
        config = load_config(Path(path).parent)
        problems = tuple(f"{p.path} line {p.line}: {p.message}" for p in config.problems)
        chosen = replace(config.options, **self.fields, seconds=LAST_RESORT_SECONDS)
        if self.machine:
            chosen = replace(chosen, machines=(self.machine,), caches=())
        try:
            load_run_config(chosen)
        except OptionError as error:
            plain = replace(chosen, machines=(), caches=(), bind="", default_bind="", nodes=1, threads=None)
            return plain, (*problems, str(error))
        return chosen, problems


def read_settings(table: object, machine: str = "") -> tuple[Settings, tuple[str, ...]]:
    """The settings of an editor, as ``{"machine": …}`` or below ``roofscan``, and what is wrong with them. Keys are
    those of pyproject.toml, in any spelling (``perFileIgnores``); null is not set. A table without any of them is of
    another server: some editors send all settings to each."""
    below = table.get("roofscan") if isinstance(table, Mapping) else None
    if isinstance(below, Mapping):
        table = below
    given = {str(key): value for key, value in table.items()} if isinstance(table, Mapping) else {}
    known = (*OF_OPTIONS, *SHOWN)
    is_ours = table is below or not {_kebab(name) for name in given}.isdisjoint(known)
    fields: dict[str, Any] = {}
    shown: dict[str, bool] = {}
    problems = []
    for name, value in given.items():
        key = _kebab(name)
        try:
            if value is None:
                continue
            if key in SHOWN:
                shown[key.replace("-", "_")] = values.flag(value)
            elif key in OF_OPTIONS:
                fields[KEYS[key].field] = KEYS[key].read(value)
            elif is_ours and key != COMMAND:
                raise ValueError(f"is not known; {among(_camel(key), map(_camel, known))}")
        except ValueError as error:
            problems.append(f"setting {name}: {error}")
    return Settings(fields, **shown, machine=machine), tuple(problems)


def _camel(key: str) -> str:
    """As editors and the page about them spell it."""
    first, *others = key.split("-")
    return first + "".join(map(str.capitalize, others))


def _kebab(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", "-", key).lower()

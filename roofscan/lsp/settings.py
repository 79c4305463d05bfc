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

SHOWN = ("inlay-hints", "code-lens")
"""Settings of the editor alone."""


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
    those of pyproject.toml, in any spelling (``perFileIgnores``); null is not set."""
    if isinstance(table, Mapping) and isinstance(table.get("roofscan"), Mapping):
        table = table["roofscan"]
    given = {_kebab(str(key)): value for key, value in table.items()} if isinstance(table, Mapping) else {}
    fields: dict[str, Any] = {}
    shown: dict[str, bool] = {}
    problems = []
    for key, value in given.items():
        try:
            if value is None:
                continue
            if key in SHOWN:
                shown[key.replace("-", "_")] = values.flag(value)
            elif key in KEYS and hasattr(DEFAULTS, KEYS[key].field):
                fields[KEYS[key].field] = KEYS[key].read(value)
        except ValueError as error:
            problems.append(f"roofscan.{key}: {error}")
    return Settings(fields, **shown, machine=machine), tuple(problems)


def _kebab(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", "-", key).lower()

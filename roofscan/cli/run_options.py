"""The options of one run of the command: its arguments, then pyproject.toml."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofscan.cli.errors import UsageError
from roofscan.config.defaults import LAST_RESORT_SECONDS
from roofscan.config.options import Options
from roofscan.config.pyproject import Config, Problem, load_config, problem_at
from roofscan.config.table import OPTIONS

if TYPE_CHECKING:
    from roofscan.config.run_config import RunConfig

DEFAULTS_OF_COMMANDS: Mapping[str, Mapping[str, object]] = {
    "check": {"format": "text", "fail_on": "warning"},
    "report": {"format": "text", "chart": "roofline"},
}


def config_for(paths: Sequence[str]) -> Config:
    try:
        folders = [os.path.abspath(p if os.path.isdir(p) else os.path.dirname(p) or ".") for p in paths]
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists; change to another") from None
    try:
        return load_config(Path(os.path.commonpath(folders)))
    except ValueError:  # on several drives
        return load_config(Path.cwd())


def merge(arguments: argparse.Namespace, config: Options) -> Options:
    """The options that the arguments set, then those of the config, then those of the subcommand."""
    chosen: dict[str, Any] = {"bind": "", "seconds": LAST_RESORT_SECONDS}
    for option in OPTIONS:
        value = getattr(arguments, option.argument, None)
        if value:
            chosen[option.argument_field or option.field] = _joined(value) if option.repeatable else value
    if arguments.machine and arguments.cache:
        raise UsageError("--machine and --cache exclude each other: --cache replaces the machine; drop one")
    if arguments.machine:
        chosen["caches"] = ()
    if arguments.cache:
        chosen["caches"] = tuple(dict.fromkeys(chosen["caches"]))
    if getattr(arguments, "line", None) and not chosen.get("caches", config.caches):
        raise UsageError("--line is of the caches that --cache names; add --cache BYTES, or drop --line")
    if not arguments.kernels and config.kernels == Options().kernels:
        chosen["kernels"] = arguments.default_kernels
    return replace(config, **chosen)


def load(options: Options) -> RunConfig:
    from roofscan.config.run_config import load_run_config
    from roofscan.errors import OptionError

    try:
        return load_run_config(options)
    except OptionError as error:
        raise UsageError(str(error)) from None


def validate(options: Options) -> None:
    """UsageError where the options name what cannot be loaded. Where they name nothing, nothing is imported."""
    if options.machines or options.bind or options.default_bind or options.nodes > 1 or options.threads:
        load(options)


def refuse_problems(config: Config) -> None:
    """UsageError for what cannot be read of a config."""
    for problem in _problems(config):
        raise UsageError(f"{problem.path}:{problem.line}: {problem.message}")


def _problems(config: Config) -> tuple[Problem, ...]:
    named = config.options.machines or config.options.default_bind
    if config.path is None or not named:
        return config.problems
    from roofscan.config.run_config import load_run_config
    from roofscan.errors import OptionError

    problems = list(config.problems)
    for key, alone in (
        ("machine", Options(machines=config.options.machines)),
        ("bind", Options(default_bind=config.options.default_bind)),
    ):
        try:
            load_run_config(alone)
        except OptionError as error:
            problems.append(problem_at(config, key, error.message))
    return tuple(problems)


def complete(arguments: argparse.Namespace, config: Config) -> None:
    """Completes the arguments of one subcommand: those not given come from its table of the config, or are the
    defaults."""
    chosen = {**DEFAULTS_OF_COMMANDS[arguments.command], **config.commands.get(arguments.command, {})}
    for name, value in chosen.items():
        if not getattr(arguments, name):
            setattr(arguments, name, value)


def _joined(values: Sequence[str] | Sequence[tuple[Any, ...]]) -> Any:
    if isinstance(values[0], str):
        return " ".join(map(str, values))
    return tuple(item for group in values for item in group)

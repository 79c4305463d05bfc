"""The flake8 plugin: an adapter to :func:`roofscan.cache.lookup.check`. flake8 imports this module at every start and
runs it on every file: only the standard library is imported here, the rest for the first file that needs it, and what
analyzes kernels for the first that the cache does not know. An exception would lose the findings of every other plugin;
none leaves."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import argparse
    import ast
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flake8.options.manager import OptionManager

    from roofscan.config.options import Options
    from roofscan.finding import Finding

    Found = tuple[int, int, str, str]  # line, column, code, message

PREFIX = "RFL"


class RoofscanPlugin:
    """What flake8 makes for each file. The class attributes hold the options of the run."""

    name = "roofscan"
    _given: ClassVar[dict[str, str]] = {}  # key -> the text of --roofscan-KEY
    _named_codes: ClassVar[tuple[str, ...]] = ()  # codes that flake8's own select options name
    _wanted: ClassVar[bool] = True  # whether flake8 would show any finding of ours
    _resolved: ClassVar[tuple[Options, tuple[str, ...]] | None] = None  # options, and what is wrong with them
    _reported: ClassVar[set[str]] = set()

    def __init__(self, tree: ast.Module, filename: str, lines: list[str]) -> None:
        self.tree = tree
        self.filename = filename
        self.lines = lines

    @staticmethod
    def add_options(manager: OptionManager) -> None:
        from roofscan.config.table import OPTIONS

        for option in OPTIONS:
            if option.flake8:
                # normalize_paths takes a path relative to the config file that names it.
                kind = {"metavar": option.metavar} if option.metavar else {"action": "store_true", "default": None}
                manager.add_option(
                    f"--roofscan-{option.key}",
                    help=option.flake8.replace("%", "%%"),
                    parse_from_config=True,
                    normalize_paths=option.is_path,
                    **kind,
                )

    @classmethod
    def parse_options(cls, manager: OptionManager, options: argparse.Namespace, args: list[str]) -> None:
        """Keep the texts as they are: what cannot be read becomes a finding, not the end of flake8."""
        from roofscan.config.table import OPTIONS

        texts = {o.key: getattr(options, f"roofscan_{o.argument}", None) for o in OPTIONS if o.flake8}
        cls._given = {key: text for key, text in texts.items() if text is not None}
        selected = [*(options.select or ()), *(options.extend_select or ())]
        cls._named_codes = tuple(word for word in selected if word.startswith(PREFIX) and word != PREFIX)
        cls._wanted = options.select is None or any(
            word.startswith(PREFIX) or PREFIX.startswith(word) for word in selected
        )
        cls._resolved = None
        cls._reported = set()

    def run(self) -> Iterator[tuple[int, int, str, type[RoofscanPlugin]]]:
        """Findings as flake8 takes them: line from 1, column in characters from 0, code and message."""
        try:
            found = self._found() if self._wanted else []
        except Exception as error:  # the one boundary: whatever fails here must not end flake8
            found = [(1, 0, "RFL999", _own_fault(error))]
        for line, column, code, message in found:
            yield line, column, f"{code} {_one_line(message)}", type(self)

    def _found(self) -> list[Found]:
        from roofscan.parse.reader.source import may_hold_kernels

        text = "".join(self.lines)
        may_hold = may_hold_kernels(text)
        if not (may_hold or self._given or _pyproject_speaks_of_roofscan()):
            return []
        resolved = self._resolved or _resolve(self._given, self._named_codes)
        type(self)._resolved = resolved
        options, problems = resolved
        found = self._once(problems)
        return found + self._check(text, options) if may_hold or options.kernels == "all" else found

    def _check(self, text: str, options: Options) -> list[Found]:
        from roofscan.cache.lookup import check, store_for
        from roofscan.cli.errors import UsageError
        from roofscan.errors import OptionError

        if len(text.encode(errors="replace")) > options.max_bytes:
            return [(1, 0, "RFL902", f"not read: over {options.max_bytes} bytes; raise --roofscan-max-bytes")]
        try:
            found = check(text, self.filename, options, self.tree, store=store_for(options)).findings
            findings = self._unknown(found, options.baseline)
        except (OptionError, UsageError) as error:
            return self._once([str(error)])
        return [(f.line, f.column, f.code, f.message) for f in findings]

    def _unknown(self, findings: Sequence[Finding], baseline: str) -> Sequence[Finding]:
        if not baseline:
            return findings
        from roofscan.cli.baseline import read_baseline

        return read_baseline(baseline).new(findings)[0]

    def _once(self, problems: Iterable[str]) -> list[Found]:
        """The problems with options that no file of this process has reported yet, as findings of this file."""
        new = [problem for problem in problems if problem not in self._reported]
        self._reported.update(new)
        return [(1, 0, "RFL902", problem) for problem in new]


def _resolve(given: Mapping[str, str], named_codes: tuple[str, ...]) -> tuple[Options, tuple[str, ...]]:
    from dataclasses import replace
    from pathlib import Path

    from roofscan.config.defaults import LAST_RESORT_SECONDS
    from roofscan.config.pyproject import KEYS, load_config

    config = load_config(Path.cwd())
    problems = [f"{Path(p.path).name} line {p.line}: {p.message}" for p in config.problems]
    chosen: dict[str, Any] = {}
    for key, text in given.items():
        try:
            chosen[KEYS[key].field] = KEYS[key].read(text)
        except ValueError as error:
            problems.append(f"--roofscan-{key}: {error}")
    options = replace(config.options, seconds=LAST_RESORT_SECONDS, **chosen)
    return replace(options, extend_select=options.extend_select + named_codes), tuple(problems)


def _pyproject_speaks_of_roofscan() -> bool:
    """Whether a pyproject.toml here or above may configure roofscan, without a TOML parser."""
    folder, parent = "", os.getcwd()
    while folder != parent:
        folder, parent = parent, os.path.dirname(parent)
        try:
            with open(os.path.join(folder, "pyproject.toml"), "rb") as file:
                if b"roofscan" in file.read():
                    return True
        except OSError:
            continue
    return False


def _own_fault(error: Exception) -> str:
    from roofscan.pipeline.failures import describe_failure

    return f"internal error of roofscan on this file: {describe_failure(error)}; please report it"


def _one_line(text: str) -> str:
    """No line breaks, and no ``:12:3:``, which editors would take for a place."""
    return re.sub(r"\s*:(?=\d+:\d)|\s+", " ", text).strip()

"""Blocks of the documents that no test runs: configuration can be read, and commands are of the real parser."""

from __future__ import annotations

import json
import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from roofscan.cli.errors import UsageError
from roofscan.cli.parser import parse_arguments
from roofscan.config.pyproject import KEYS
from roofscan.lsp.features import CHOOSE_MACHINE, MACHINES
from roofscan.lsp.settings import COMMAND, OF_OPTIONS, SHOWN, Settings, _kebab, read_settings
from tests.docs.pages import BLOCK, DOCS, pages

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = DOCS.parent
DOCUMENTS = [ROOT / "README.md", *pages()]
EDITORS = (DOCS / "editors.md").read_text(encoding="utf-8")
PACKAGE = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
PROPERTIES: Mapping[str, Any] = PACKAGE["contributes"]["configuration"]["properties"]


def blocks(kind: str, text: str = EDITORS) -> list[str]:
    return [block["body"] for block in BLOCK.finditer(text) if block["kind"] == kind]


def strings(text: str) -> list[str]:
    return re.findall(r'"([^"]*)"', text)


def test_helix_starts_the_server_with_settings_that_it_knows() -> None:
    (block,) = blocks("toml")
    table = tomllib.loads(block)
    server = table["language-server"]["roofscan"]
    assert _serves([server["command"], *server["args"]]) and _settings(server["config"]).inlay_hints
    assert "roofscan" in table["language"][0]["language-servers"]


def test_neovim_starts_the_server_with_settings_that_it_knows() -> None:
    new, old = blocks("lua")
    for block in (new, old):
        assert _closes(block)
        (command,) = re.findall(r"cmd = \{(.*)\}", block)
        (key, value) = re.findall(r"(?:roofscan|init_options) = \{ (\w+) = (\w+) \}", block)[0]
        assert _serves(strings(command)) and _settings({key: json.loads(value)}).inlay_hints
    assert set(re.findall(r'vim\.lsp\.\w+\("(\w+)"', new)) == {"roofscan"}


def test_emacs_starts_the_server_with_settings_that_it_knows() -> None:
    (block,) = blocks("elisp")
    assert _closes(block)
    (key,) = re.findall(r"\(:roofscan \(:(\w+) t\)\)", block)
    assert _serves(strings(block)) and _settings({key: True}).inlay_hints


NOT_IN_THE_EXTENSION = {
    *("cache", "line", "cold", "nodes"),  # of reports
    *("jobs", "executor", "max-bytes", "cache-dir", "no-cache"),  # of many files
}


def test_the_extension_has_the_settings_of_the_server() -> None:
    names = {name.removeprefix("roofscan.") for name in PROPERTIES}
    assert {_kebab(name) for name in names} == {*OF_OPTIONS, *SHOWN, COMMAND} - NOT_IN_THE_EXTENSION
    assert {*OF_OPTIONS} > NOT_IN_THE_EXTENSION


SAMPLES = {"string": "x", "number": 1.5, "integer": 2, "boolean": True, "array": ["RFL1"], "object": {"t/*": ["RFL1"]}}


def test_the_server_reads_what_the_extension_sends() -> None:
    defaults = {name: value["default"] for name, value in PROPERTIES.items()}
    assert read_settings({"roofscan": {name.partition(".")[2]: value for name, value in defaults.items()}}) == (
        Settings(),
        (),
    )
    for name, value in PROPERTIES.items():
        types = [value["type"]] if isinstance(value["type"], str) else value["type"]
        samples = [s for s in value.get("enum", [SAMPLES[t] for t in types if t != "null"]) if s is not None]
        for sample in samples:
            assert read_settings({"roofscan": {name.partition(".")[2]: sample}})[1] == (), name


def test_the_extension_starts_the_server_by_default() -> None:
    assert _serves(PROPERTIES["roofscan.command"]["default"])
    assert all(f'"{script}"' in json.dumps(PACKAGE["scripts"]) for script in re.findall(r"npm run (\w+)", EDITORS))


def test_the_page_names_settings_and_commands_of_the_server() -> None:
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", EDITORS, re.MULTILINE)
    named = {key: default for keys, default in rows for key in re.findall(r"`(\w+)`", keys)}
    assert {_kebab(key) for key in named} - {*KEYS, *SHOWN} == set() and len(named) > 4
    shown = {_kebab(key): json.loads(default.strip("`")) for key, default in named.items() if _kebab(key) in SHOWN}
    assert shown == {"inlay-hints": Settings().inlay_hints, "code-lens": Settings().code_lens}
    assert {CHOOSE_MACHINE, MACHINES} <= set(re.findall(r"`(roofscan\.\w+)`", EDITORS))


def test_yaml_and_toml_can_be_read() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        assert all(yaml.safe_load(block) for block in blocks("yaml", text)), document
        assert all(tomllib.loads(block) for block in blocks("toml", text)), document


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_are_of_the_parser(document: Any) -> None:
    for command in _commands(document.read_text(encoding="utf-8")):
        assert parse_arguments(command), shlex.join(command)


def _commands(text: str) -> Iterator[list[str]]:
    """Commands of ``sh`` blocks and workflows, and between back quotes those with options."""
    lines = [line for kind in ("sh", "yaml") for block in blocks(kind, text) for line in block.splitlines()]
    found = [match[1] for line in lines if (match := re.search(r"(?:^|&& |run: |/)(roofscan [^#]*)", line))]
    quoted = re.findall(r"`(roofscan [^`]*)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    for command in (*found, *(c for c in quoted if " -" in c)):
        yield shlex.split(command.replace("\n", " ").partition("<")[0])[1:]


def _serves(command: list[str]) -> bool:
    arguments: Namespace = parse_arguments(command[-1:])
    return command == ["roofscan", "lsp"] and arguments.run.__module__ == "roofscan.cli.lsp_command"


def _settings(table: Mapping[str, Any]) -> Settings:
    settings, problems = read_settings({"roofscan": table})
    assert not problems and all(_kebab(key) in {*KEYS, *SHOWN} for key in table)
    return settings


def _closes(text: str) -> bool:
    """Every bracket, outside strings."""
    waiting, pairs = [], {")": "(", "}": "{", "]": "["}
    for sign in re.sub(r'"[^"\n]*"', "", text):
        if sign in pairs.values():
            waiting.append(sign)
        elif sign in pairs and (not waiting or waiting.pop() != pairs[sign]):
            return False
    return not waiting


def test_commands_that_do_not_exist_are_found() -> None:
    text = "Say `roofscan report --loud x.py`.\n\n```sh\nroofscan check src --colour\n```\n"
    for command in _commands(text):
        with pytest.raises(UsageError):
            parse_arguments(command)
    assert len(list(_commands(text))) == 2
    assert not _closes("f({)}") and not _closes("(") and _closes('f("(", {})')

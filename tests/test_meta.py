"""The project's documents agree with its source: versions, codes, options, commands, paths."""

from __future__ import annotations

import re
import shlex
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml

import roofscan
from roofscan.cli import main
from roofscan.config.pyproject import COMMAND_KEYS, KEYS, read_config
from roofscan.config.table import OPTIONS
from roofscan.flake8_plugin import PREFIX
from roofscan.rules.codes import CODES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "roofscan"
MEMORY = PACKAGE / "cost" / "memory"
PLACES = (ROOT, PACKAGE, PACKAGE / "parse" / "lowering", MEMORY / "lru", MEMORY / "gpu")
"""Where a path of CONTRIBUTING.md may start."""
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
"""All options, codes and keys."""
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_changelog_and_the_citation_name_one_version() -> None:
    (cited,) = re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert CHANGELOG.split("## ")[1].split()[0] == cited
    assert re.match(r"\d+\.\d+", roofscan.__version__)


def test_the_tests_run_with_every_python_that_is_named() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert tested == re.findall(r"Python :: (3\.\d+)", project)
    assert re.findall(r'requires-python = ">=(.*)"', project) == tested[:1]


def test_forms_for_issues_ask_for_the_version() -> None:
    forms = [yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")]
    forms = [form for form in forms if "body" in form]
    assert len(forms) > 2
    for form in forms:
        assert form["name"] and form["description"]
        (version,) = (field for field in form["body"] if field["attributes"]["label"] == "Version")
        assert version["validations"]["required"]


def test_flake8_is_told_the_prefix_of_every_code() -> None:
    (plugin,) = (e for e in distribution("roofscan").entry_points if e.group == "flake8.extension")
    assert plugin.name == PREFIX
    assert all(re.fullmatch(PREFIX + r"\d{3}", code) for code in CODES)


def test_the_table_has_every_code_and_no_other() -> None:
    rows = dict(re.findall(r"^\| (RFL\d{3}) \| (.*)$", REFERENCE, re.MULTILINE))
    assert sorted(rows) == sorted(CODES)
    for code, row in rows.items():
        assert row.startswith(f"{CODES[code].location} |"), code
        assert ("off by default" in row) == (not CODES[code].default), code


def test_the_changelog_names_every_code() -> None:
    assert set(re.findall(r"RFL\d{3}", CHANGELOG)) == set(CODES)


def test_the_plugins_options_are_keys_of_the_config_and_in_the_reference() -> None:
    named = set(re.findall(r"`--roofscan-([a-z-]+)`", REFERENCE))
    assert named == {option.key for option in OPTIONS if option.flake8}


def test_the_hook_runs_a_command_that_is_installed() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^  entry: (\S+) check$", hooks, re.MULTILINE)
    assert entry in {e.name for e in distribution("roofscan").entry_points if e.group == "console_scripts"}


def test_paths_that_the_readme_names_exist() -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*)`", README) + re.findall(r"\]\(([\w./-]+)\)", README)
    assert len(named) > 3
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("command", ["report", "check", "explain", "machine"])
def test_commands_and_their_options_are_in_the_reference(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"\nroofscan {command} " in README and f"\nroofscan {command} " in REFERENCE
    assert main([command, "--help"]) == 0
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert options - set(re.findall(r"--[a-z-]+", REFERENCE)) == set()


@pytest.mark.parametrize("command", ["report", "check"])
def test_every_option_has_a_key_in_the_config(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    options = {word.removeprefix("--") for word in re.findall(r"--[a-z-]+", capsys.readouterr().out)}
    assert options - {"help", "update-baseline", "fix", "stdin-filename"} <= {*KEYS, *COMMAND_KEYS[command]}


def test_the_references_table_has_every_key_and_can_be_read(tmp_path: Path) -> None:
    (table,) = re.findall(r"^```toml\n(\[tool.roofscan\]\n(?:.*\n)*?)```$", REFERENCE, re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(table)
    config = read_config(tmp_path / "pyproject.toml")
    assert config.problems == ()
    named = set(re.findall(r"^\[?([a-z-]+) = |^\[tool\.roofscan\.([a-z-]+)\]", table, re.MULTILINE))
    of_commands = {key for keys in COMMAND_KEYS.values() for key in keys}
    assert {a or b for a, b in named} == {*KEYS, *COMMAND_KEYS, *of_commands}


SCREENS = [
    *re.findall(r"^```console\n\$ (roofscan .*)\n((?:.*\n)*?)```$", README, re.MULTILINE),
    *re.findall(r"^<!-- (roofscan .*) -->\n```text\n((?:.*\n)*?)```$", README, re.MULTILINE),
]
"""Commands and what they print; a comment names the command of a screen that stands before the installation."""


@pytest.mark.parametrize(("command", "screen"), SCREENS, ids=[command for command, _ in SCREENS])
def test_the_readmes_screens_are_what_is_printed(
    command: str, screen: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "110")
    main(shlex.split(command)[1:])
    assert capsys.readouterr().out.strip("\n") == screen.strip("\n")


def test_the_readme_is_short_and_begins_with_a_screen() -> None:
    assert SCREENS[-1][0].startswith("roofscan report")
    assert README.count("\n") <= 200


def test_no_command_of_the_readme_stands_before_the_installation() -> None:
    assert README.index("## Install") < min(README.index(start) for start in ("```sh", "```console"))


def test_every_command_that_the_documents_name_exists(capsys: pytest.CaptureFixture[str]) -> None:
    for command in sorted(set(re.findall(r"(?:^|`)roofscan ([a-z]+) [A-Z-]", README + REFERENCE, re.MULTILINE))):
        assert main([command, "--help"]) == 0, command
    capsys.readouterr()


def test_paths_that_the_guide_for_contributors_names_exist() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {path for path in re.findall(r"`([\w.-]+/[\w./-]*)`", guide) if not path.endswith("/NAME/")}
    assert len(named) > 20
    assert [path for path in sorted(named) if not any((root / path).exists() for root in PLACES)] == []

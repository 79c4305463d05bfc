"""The codes: the table, the pages, and which of them are on."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

from roofscan import rules
from roofscan.api import Options, check_source, enabled
from roofscan.rules.codes import CODES
from roofscan.rules.rule import NOT_RULES, all_rules

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = {
    "RFL001": ("kernel", False), "RFL101": ("kernel", True), "RFL102": ("kernel", True),
    "RFL103": ("kernel", True), "RFL104": ("kernel", True), "RFL201": ("access", True), "RFL202": ("loop", True),
    "RFL203": ("access", True),
    "RFL301": ("expression", True), "RFL302": ("statement", True), "RFL303": ("expression", True),
    "RFL304": ("statement", True),
    "RFL401": ("expression", True), "RFL501": ("loop", True), "RFL502": ("loop", True),
    "RFL503": ("loop", True), "RFL504": ("loop", True), "RFL505": ("kernel", True), "RFL506": ("loop", True),
    "RFL507": ("statement", True),
    "RFL520": ("loop", True), "RFL521": ("loop", True), "RFL522": ("loop", True),
    "RFL523": ("loop", True), "RFL524": ("loop", True), "RFL525": ("loop", True), "RFL526": ("loop", True),
    "RFL601": ("statement", True), "RFL602": ("statement", True), "RFL603": ("loop", False),
    "RFL701": ("access", True), "RFL702": ("kernel", True), "RFL703": ("kernel", True),
    "RFL704": ("kernel", True), "RFL705": ("kernel", True), "RFL706": ("access", True), "RFL707": ("kernel", True),
    "RFL901": ("comment", True), "RFL902": ("config", True), "RFL999": ("file", True),
}  # fmt: skip
"""What the documentation promises: code, where it stands, whether it is on."""


def test_the_codes_are_those_of_the_table():
    assert {code.id: (code.location, code.default) for code in CODES.values()} == TABLE
    assert list(CODES) == sorted(CODES)


def test_one_module_a_code_and_all_are_registered():
    folder = Path(rules.__file__).parent
    with_code = {p.stem for p in folder.glob("*.py") if re.search(r"^CODE = ", p.read_text(), re.M)}
    assert len(with_code) == len(all_rules())
    assert {p.stem for p in folder.glob("*.py")} - with_code == {"__init__", *NOT_RULES}
    for name in with_code:
        module = import_module(f"roofscan.rules.{name}")
        assert module.__doc__ and module.__doc__.startswith(module.CODE.id + ": ")


def test_every_kernel_code_has_tests_of_its_own():
    others = (path for path in sorted(Path(__file__).parent.glob("test_*.py")) if path != Path(__file__))
    text = "".join(path.read_text() for path in others)
    assert {c for c in TABLE if c < "RFL900"} <= set(re.findall(r"RFL\d{3}", text))


@pytest.mark.parametrize("code", TABLE)
def test_pages(code):
    page = CODES[code].page()
    assert page.startswith(f"{code}: ")
    for heading in ("What it means", "Why it matters", "With the finding", "Without it", "What to do"):
        assert f"\n{heading}\n" in page
    assert max(map(len, page.splitlines())) <= 100 and page.endswith("\n")


@pytest.mark.parametrize("code", [c for c in TABLE if c != "RFL902"])
def test_examples_are_python(code):
    for source in (CODES[code].bad, CODES[code].good):
        ast.parse(dedent(source))


@pytest.mark.parametrize("code", [c for c in TABLE if "RFL001" < c < "RFL900"])
def test_the_first_example_has_the_finding_and_the_second_has_not(code):
    machines = ("h200",) if code >= "RFL700" else ()
    for source, expected in ((CODES[code].bad, {code}), (CODES[code].good, set())):
        options = Options(select=(code,), machines=machines)
        assert {f.code for f in check_source(dedent(source), options=options)} == expected


def test_the_example_of_the_config_is_toml():
    assert tomllib.loads(dedent(CODES["RFL902"].good))["tool"]["roofscan"]["machine"]


@pytest.mark.parametrize(
    ("code", "options", "on"),
    [
        ("RFL102", {}, True),
        ("RFL001", {}, False),
        ("RFL001", {"extend_select": ["RFL0"]}, True),
        ("RFL001", {"select": ["RFL"]}, True),
        ("RFL001", {"ignore": ["E203"]}, False),  # another tool's entry turns nothing on
        ("RFL102", {"select": ["RFL2"]}, False),
        ("RFL102", {"ignore": ["RFL1"]}, False),
        ("RFL102", {"ignore": ["RFL1"], "select": ["RFL102"]}, True),
        ("RFL102", {"ignore": ["RFL102"], "select": ["RFL102"]}, False),
        ("RFL102", {"ignore": ["RFL102"], "extend_select": ["RFL1"]}, False),
        ("RFL103", {"ignore": ["RFL102"]}, True),
        ("RFL102", {"extend_select": ["RFL001"]}, True),
        ("RFL102", {"select": ["rfl102"]}, True),
        ("RFL102", {"select": [""]}, False),
        ("RFL555", {}, False),
    ],
)
def test_enabled(code, options, on):
    assert enabled(code, Options(**options)) is on

"""Which findings ``check`` prints and how: per-file ignores, statistics, SARIF, several processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from roofscan.rules.codes import CODES
from tests.cli.conftest import AXPY, Command

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
SHORT = {**TEXT, "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 1024}}}
COUNT = {"type": "integer", "minimum": 1}
REGION = ("startLine", "startColumn", "endLine", "endColumn")
SARIF = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "maxItems": 1, "items": {"$ref": "#/$defs/run"}},
    },
    "$defs": {
        "run": {
            "type": "object",
            "required": ["tool", "results"],
            "additionalProperties": False,
            "properties": {
                "tool": {
                    "required": ["driver"],
                    "properties": {
                        "driver": {
                            "required": ["name", "version", "rules"],
                            "additionalProperties": False,
                            "properties": {
                                "name": {"const": "roofscan"},
                                "version": {"type": "string"},
                                "rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}},
                            },
                        }
                    },
                },
                "columnKind": {"enum": ["unicodeCodePoints", "utf16CodeUnits"]},
                "results": {"type": "array", "maxItems": 25_000, "items": {"$ref": "#/$defs/result"}},
            },
        },
        "rule": {
            "required": ["id", "shortDescription", "fullDescription", "help"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string", "pattern": "^RFL[0-9]{3}$"},
                "shortDescription": SHORT,
                "fullDescription": SHORT,
                "help": TEXT,
                "defaultConfiguration": {
                    "properties": {
                        "enabled": {"type": "boolean"},
                        "level": {"enum": ["none", "note", "warning", "error"]},
                    },
                    "additionalProperties": False,
                },
            },
        },
        "result": {
            "required": ["ruleId", "message", "locations", "partialFingerprints"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": TEXT,
                "locations": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "location": {
            "required": ["physicalLocation"],
            "additionalProperties": False,
            "properties": {
                "physicalLocation": {
                    "required": ["artifactLocation", "region"],
                    "properties": {
                        "artifactLocation": {"properties": {"uri": {"type": "string", "pattern": "^[!-~]+$"}}},
                        "region": {
                            "required": list(REGION),
                            "additionalProperties": False,
                            "properties": dict.fromkeys(REGION, COUNT),
                        },
                    },
                },
                "logicalLocations": {"type": "array", "items": {"required": ["fullyQualifiedName", "kind"]}},
            },
        },
    },
}
"""What SARIF 2.1.0 and GitHub's code scanning require of the parts that are written, and no other parts."""


def kernels(*names: str) -> str:
    """A file with one streaming kernel of each name."""
    head, _, body = AXPY.partition("\n\n\n")
    return head + "".join("\n\n\n" + body.rstrip("\n").replace("axpy", name) for name in names) + "\n"


def test_sarif(roofscan: Command) -> None:
    roofscan.write("src/a b é.py", kernels("one", "two"))
    outcome = roofscan("check", "src", "--format", "sarif")
    jsonschema.validate(outcome.json, SARIF)
    assert (outcome.code, outcome.err) == (0, "")
    (run,) = outcome.json["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "RFL102"
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "src/a%20b%20%C3%A9.py"
    assert [r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] for r in run["results"]] == ["one", "two"]


def test_sarif_knows_a_finding_that_moved(roofscan: Command) -> None:
    def fingerprints(text: str) -> list[str]:
        roofscan.write("k.py", text)
        results = roofscan("check", "k.py", "--format", "sarif").json["runs"][0]["results"]
        return [result["partialFingerprints"]["roofscan/v2"] for result in results]

    first = fingerprints(kernels("one", "two"))
    assert len(set(first)) == 2
    assert fingerprints("# moved\n\n" + kernels("two", "one")) == first[::-1]


def test_sarif_without_findings(roofscan: Command) -> None:
    roofscan.write("k.py", "x = 1\n")
    outcome = roofscan("check", "k.py", "--format", "sarif")
    jsonschema.validate(outcome.json, SARIF)
    assert (outcome.code, outcome.json["runs"][0]["results"]) == (0, [])


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["src/a.py:RFL1"], {"src/b.py", "src/deep/a.py"}),
        (["a.py:RFL102,RFL2"], {"src/b.py"}),
        (["src/deep/*:RFL", "b.py:RFL102"], {"src/a.py"}),
        (["deep/:RFL"], {"src/a.py", "src/b.py", "src/deep/a.py"}),
        (["*:RFL1"], set()),
        (["*:RFL3"], {"src/a.py", "src/b.py", "src/deep/a.py"}),
    ],
)
def test_per_file_ignores(roofscan: Command, patterns: list[str], left: set[str]) -> None:
    for name in ("src/a.py", "src/b.py", "src/deep/a.py"):
        roofscan.write(name, AXPY)
    output = roofscan("check", "src", "--select", "RFL102", "--per-file-ignores", " ".join(patterns)).out
    assert {line.split(":")[0] for line in output.splitlines()} == left
    table = "".join(f'"{p.partition(":")[0]}" = "{p.partition(":")[2]}"\n' for p in patterns)
    roofscan.write("pyproject.toml", "[tool.roofscan.per-file-ignores]\n" + table)
    assert roofscan("check", "src", "--select", "RFL102").out == output


def test_statistics(roofscan: Command) -> None:
    roofscan.write("k.py", kernels("one", "two"))
    plain = roofscan("check", "k.py").out
    outcome = roofscan("check", "k.py", "--statistics")
    assert outcome.out == plain + f"2  RFL102  {CODES['RFL102'].title}\n"
    outcome = roofscan("check", "k.py", "--statistics", "--format", "json")
    assert len(outcome.json["findings"]) == 2
    assert outcome.err.startswith("2  RFL102")


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_several_processes_print_the_same(roofscan: Command, form: str) -> None:
    for number in range(6):
        roofscan.write(f"k{number}.py", kernels(f"f{number}", "g") if number != 3 else "from numba import (")
    words = ("check", ".", "--format", form, "--no-cache")
    alone = roofscan(*words, "--jobs", "1")
    assert roofscan(*words, "--jobs", "3") == alone
    assert alone.code == 1 and "k3.py" in alone.error_line
    assert roofscan("check", ".", "--format", form, "--jobs", "2") == alone  # fills the cache
    assert roofscan("check", ".", "--format", form) == alone


WAITING = """
import signal
import time
from pathlib import Path
from roofscan.cli.parallel import in_order
from roofscan.cli.targets import Target
from roofscan.config.options import Options

def work(name):
    Path(name).touch()
    time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
try:
    list(in_order(work, ["a", "b"], Target, Options(jobs=2)))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs process groups")
def test_an_interrupt_ends_all_processes_quietly(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WAITING]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True, **pipes) as process:
        while not ((tmp_path / "a").exists() and (tmp_path / "b").exists()):
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=40) == ("interrupted\n", "")


def test_reports_of_several_processes_are_the_same(roofscan: Command) -> None:
    for number in range(3):
        roofscan.write(f"k{number}.py", kernels(f"f{number}"))
    for form in ("text", "json", "graph-json"):
        alone = roofscan("report", ".", "--format", form, "--jobs", "1")
        assert roofscan("report", ".", "--format", form, "--jobs", "2") == alone


def test_the_tables_of_the_commands(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    roofscan.write(
        "pyproject.toml",
        '[tool.roofscan.check]\nformat = "github"\n[tool.roofscan.report]\nformat = "json"\noutput = "report.json"\n',
    )
    assert roofscan("check", "k.py").out.startswith("::notice")
    assert roofscan("check", "k.py", "--format", "text").out.startswith("k.py:5:1")
    assert roofscan("report", "k.py").out == ""
    assert Path("report.json").read_text().startswith("{")


def test_warnings_fail_and_notes_do_not(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    plain, strict, never = (
        roofscan("check", "k.py", *more) for more in ((), ("--fail-on", "note"), ("--fail-on", "never"))
    )
    assert (plain.code, strict.code, never.code) == (0, 1, 0)
    assert plain.out == strict.out == never.out and "RFL102" in plain.out
    assert roofscan("check", "k.py", "--min-gain", "1.5").out == ""


def test_details_go_to_json_and_sarif(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    [finding] = roofscan("check", "k.py", "--format", "json").json["findings"]
    assert finding["detail"].startswith(f"{finding['message']}. Where the precision allows it, float32 is 2x faster (")
    assert (finding["severity"], finding["gain"]) == ("note", 1.0)
    [result] = roofscan("check", "k.py", "--format", "sarif").json["runs"][0]["results"]
    assert result["level"] == "note"
    assert result["message"]["markdown"] == finding["detail"]

"""``[tool.roofscan]``: which file counts, what each key sets, a problem for each thing that is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roofscan.api import analyze_source
from roofscan.config.options import DEFAULTS, Options
from roofscan.config.pyproject import KEYS, Config, load_config, read_config


def config(folder: Path, table: str, name: str = "pyproject.toml") -> Config:
    path = folder / name
    path.write_text(table, encoding="utf-8")
    return read_config(path)


def test_every_key_sets_its_option(tmp_path: Path) -> None:
    read = config(
        tmp_path,
        """
        [tool.roofscan]
        machine = ["a100-40gb", "machines/ours.toml"]
        kernels = "all"
        bind = "n=1000"
        cache = [32768, "1MiB"]
        line = 128
        cold = true
        nodes = 16
        threads = 4
        select = ["RFL1", "RFL201"]
        ignore = "RFL102,RFL103"
        extend-select = ["RFL001"]
        exclude = ["build/*"]
        max-bytes = 5000
        jobs = 2
        executor = "dask:tcp://here:8786"
        no-cache = true
        cache-dir = "kept"
        baseline = "known.json"
        min-gain = 1.5

        [tool.roofscan.per-file-ignores]
        "tests/*" = ["RFL1", "RFL201"]
        "old.py" = "RFL"

        [tool.roofscan.check]
        format = "github"
        output = "findings.txt"
        statistics = true
        fail-on = "note"

        [tool.roofscan.report]
        format = "svg"
        output = "report.svg"
        advice = true
        chart = "intensity"
        chart-symbol = "n"
        """,
    )
    options = read.options
    assert read.problems == ()
    assert options.machines == ("a100-40gb", str(tmp_path / "machines/ours.toml"))
    assert (options.kernels, options.default_bind, options.line) == ("all", "n=1000", 128)
    assert options.caches == (32768, 2**20)
    assert (options.cold, options.nodes, options.threads) == (True, 16, 4)
    assert options.select == ("RFL1", "RFL201")
    assert options.ignore == ("RFL102", "RFL103")
    assert options.extend_select == ("RFL001",)
    assert (options.exclude, options.max_bytes) == (("build/*",), 5000)
    assert options.executor == "dask:tcp://here:8786"
    assert (options.jobs, options.no_cache, options.cache_dir) == (2, True, str(tmp_path / "kept"))
    assert (options.baseline, options.min_gain) == (str(tmp_path / "known.json"), 1.5)
    assert options.per_file_ignores == (("tests/*", ("RFL1", "RFL201")), ("old.py", ("RFL",)))
    assert read.commands["check"] == {
        "format": "github",
        "output": str(tmp_path / "findings.txt"),
        "statistics": True,
        "fail_on": "note",
    }
    chart = {"chart": "intensity", "chart_symbol": "n", "advice": True}
    assert read.commands["report"] == {"format": "svg", "output": str(tmp_path / "report.svg"), **chart}
    changed = {key.field for key in KEYS.values()}
    assert all(getattr(options, option) != getattr(DEFAULTS, option) for option in changed)


def test_the_nearest_file_with_the_table_counts(tmp_path: Path) -> None:
    config(tmp_path, "[tool.roofscan]\nline = 128\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    config(tmp_path / "a", "[tool.other]\nx = 1\n")
    (inner / "k.py").write_text("")
    assert load_config(inner / "k.py").options.line == 128
    config(inner, "[tool.roofscan]\nline = 32\n")
    assert load_config(inner / "k.py").options.line == 32


def test_no_file_means_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path).options == DEFAULTS


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        ("[tool.roofscan]\nline = 48\n", 2, "line: .*power of two"),
        ("[tool.roofscan]\n\ncache = -1\n", 3, "cache: .*above 0"),
        ("[tool.roofscan]\ncache = true\n", 2, "cache"),
        ("[tool.roofscan]\nkernels = 'some'\n", 2, "neither decorated nor all"),
        ("[tool.roofscan]\nmachine = 3\n", 2, "neither a string nor a list"),
        ("[tool.roofscan]\nselect = ['E501']\n", 2, "not a code"),
        ("[tool.roofscan]\nbind = 1\n", 2, "not a string"),
        ("[tool.roofscan]\nmachines = 'x'\n", 2, "machines: is not an option; did you mean machine"),
        ("[tool]\nroofscan = 3\n", 2, "not a table"),
        ("[tool.roofscan\nline = 1\n", 1, "not valid TOML"),
        ("[tool.roofscan]\njobs = 0\n", 2, "jobs: .*not a number of processes"),
        ("[tool.roofscan]\nno-cache = 'maybe'\n", 2, "neither true nor false"),
        ("[tool.roofscan]\nper-file-ignores = 'tests'\n", 2, "not a pattern with codes"),
        ("[tool.roofscan.per-file-ignores]\n'a.py' = 'E501'\n", 1, "per-file-ignores: .*not a code"),
        ("[tool.roofscan.check]\nformat = 'svg'\n", 2, "none of text, json, github, sarif"),
        ("[tool.roofscan]\nline = 64\n[tool.roofscan.report]\nadvise = true\n", 4, "advise: is not an option"),
        ("[tool.roofscan]\nfail-on = 'note'\n", 2, r"of check alone; write it below \[tool.roofscan.check\]"),
        ("[tool.roofscan]\nfail_on = 'note'\n", 2, r"of check alone; write it below \[tool.roofscan.check\]"),
        ("[tool.roofscan]\ncheck = true\n", 2, r"write \[tool.roofscan.check\]"),
        ("x = 1\nroofscan = = 2\n", 2, "not valid TOML"),
        ("[tool.roofscan]\nmax-bytes = 1" + "0" * 4000, 2, "more than 18 digits"),
    ],
)
def test_problems_name_line_and_remedy(tmp_path: Path, table: str, line: int, message: str) -> None:
    [problem] = config(tmp_path, table).problems
    assert problem.path.endswith("pyproject.toml")
    assert problem.line == line
    assert "\n" not in problem.message
    assert re.search(message, problem.message), problem.message


def test_one_bad_key_leaves_the_others(tmp_path: Path) -> None:
    read = config(tmp_path, "[tool.roofscan]\nline = 'x'\nkernels = 'all'\n")
    assert len(read.problems) == 1
    assert read.options.kernels == "all"


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"[tool.roofscan]\nbind = '\xff'\n")
    [problem] = read_config(path).problems
    assert "UTF-8" in problem.message


def test_deep_nesting_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    read = config(tmp_path, "[tool.roofscan]\nselect = " + "[" * 5000 + "]" * 5000)
    assert len(read.problems) == 1


def test_a_file_that_does_not_speak_of_roofscan_is_not_even_parsed(tmp_path: Path) -> None:
    assert config(tmp_path, "this is = = no TOML").problems == ()


@pytest.mark.parametrize(
    "bind, said",
    [("grid=0 block=32", "grid is 0; it is at least 1"), ("block=(1,2,3,4)", "block has 4 dimensions"),
     ("grid=1.5", "grid: write integers"), ("grid=1000000000000", "grid is 1000000000000 along x"),
     ("grid=4 block=64", ""), ("x=f8[3,3]", "")],
)  # fmt: skip
def test_no_launch_is_said_of_the_default_facts(bind: str, said: str) -> None:
    text = "from numba import cuda\n@cuda.jit\ndef k(x):\n    x[cuda.grid(1)] = 0.0\n"
    findings = analyze_source(text, options=Options(default_bind=bind)).kernels[0].findings
    assert [f.message.startswith(f"bind: {said}") for f in findings if f.code == "RFL902"] == [True] * bool(said)

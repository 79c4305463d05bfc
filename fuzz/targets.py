"""What the inputs are given to: the analysis, its reports, the command and the plugin."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import tempfile
import tokenize
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzz.inputs import Input
from roofscan.api import OptionError, analyze_file, analyze_source
from roofscan.cli import main
from roofscan.config.options import Options
from roofscan.flake8_plugin import RoofscanPlugin
from roofscan.report.json_ import render_json
from roofscan.report.markdown import render_markdown
from roofscan.report.text import render_text

RENDERERS: tuple[Callable[[Any], str], ...] = (
    lambda reports: render_text(reports, 100, colour=False),
    lambda reports: render_json(reports, [{}]),
    render_markdown,
)
PLUGIN_SHARE = 16  # one text in so many also goes through the plugin, which repeats the analysis
ALL_FINDINGS = Options(kernels="all", select=("RFL",), no_cache=True)


def problem_with(given: Input, seconds: float) -> str:
    """What is wrong with the outcome, or ""; the caller catches exceptions. A kernel gets ``seconds`` of CPU time."""
    options = replace(ALL_FINDINGS, seconds=seconds)
    if given.kind in ("config", "machine", "baseline"):
        return _command(given)
    if given.kind == "bind":
        with contextlib.suppress(OptionError):
            analyze_source(given.data.decode(), "made.py", Options(bind=given.words, kernels="all", no_cache=True))
    text = _decoded(given.data)
    if text is None:
        return _file(given.data, options)
    return _text(text, options) or (_plugin(text) if len(text) % PLUGIN_SHARE == 0 else "")


def _text(text: str, options: Options) -> str:
    report = analyze_source(text, "made.py", options)
    reports = [kernel.reports for kernel in report.kernels]
    RENDERERS[len(text) % len(RENDERERS)](reports)
    findings = [f for kernel in report.kernels for f in kernel.findings] + list(report.findings)
    return _failures(f"{f.code} {f.message}" for f in findings)


def _file(data: bytes, options: Options) -> str:
    """Bytes that are not UTF-8 text: as a file, through the API and the command."""
    with _folder() as folder:
        path = folder / "made.py"
        path.write_bytes(data)
        analyze_file(str(path), options)
        return _run("check", "--kernels", "all", "--no-cache", str(path))


def _command(given: Input) -> str:
    """The command with a senseless config, machine or baseline."""
    with _folder() as folder:
        path, other = folder / "made.py", folder / "given.toml"
        path.write_bytes(given.data)
        words = given.words.encode("utf-8", "replace")
        if given.kind == "config":
            (folder / "pyproject.toml").write_bytes(words)
            return _run("check", "--no-cache", str(path)) or _run("report", str(path))
        other.write_bytes(words)
        option = "--machine" if given.kind == "machine" else "--baseline"
        return _run("check", "--no-cache", option, str(other), str(path))


def _plugin(text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""  # flake8 does not call plugins on such files
    lines = text.splitlines(keepends=True)
    chosen = argparse.Namespace(select=["RFL"], extend_select=None, roofscan_kernels="all")
    RoofscanPlugin.parse_options(None, chosen, [])  # type: ignore[arg-type]
    found = list(RoofscanPlugin(tree, "made.py", lines).run())
    return _failures(message for _, _, message, _ in found)


def _failures(messages: Iterator[str]) -> str:
    return next((message for message in messages if message.startswith("RFL999")), "")


def _run(*words: str) -> str:
    """What the command prints if it fails or ends with an undocumented code; else ""."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    failed = "own fault" in err.getvalue() or "RFL999" in out.getvalue() or code not in (0, 1, 2)
    return f"exit code {code}: {(err.getvalue() or out.getvalue())[:160]}" if failed else ""


def _decoded(data: bytes) -> str | None:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding) if encoding == "utf-8" else None
    except (SyntaxError, LookupError, ValueError):
        return None


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A fresh current folder, so that no config above it counts."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(here)

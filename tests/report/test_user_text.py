"""All text that a user can see, in one file to be read from top to bottom: ``tests/report/user_text.txt``.

The file has what the program prints (help, code pages, findings, a report) and the templates of all other
messages, file by file. After a change of wording write it anew, and read the difference:

    python -m tests.report.test_user_text
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent

from roofscan.api import Options, check_source
from roofscan.cli import main
from roofscan.rules.codes import CODES

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("user_text.txt")
SCREENS = (
    "--help", "report --help", "check --help", "explain --help", "machine --help",
    "report fixtures/dense.py::gemm_naive --advice", "report fixtures/stencils.py --kernels all",
)  # fmt: skip
NOT_WORDS = re.compile(r"\s*<|:root|fontname|font-family|style=|[\w.]+(\[[^\]]*\])?( \| [\w.]+)+$")
"""Markup, styles and types: text that no user reads."""
_JOINTS = {"do": " ", "Assumption": " is "}
"""Of sentences that are made of several texts: ``do("tile", …)``, ``Assumption(name, …)``."""


@cache
def collected() -> str:
    parts = [*_screens(), _findings(), *_templates()]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _screens() -> Iterator[str]:
    for code in CODES.values():
        yield f"$ roofscan explain {code.id}\n{code.page()}"
    for words in SCREENS:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), _in_the_project(), contextlib.suppress(SystemExit):
            main(words.split())
        yield f"$ roofscan {words}\n{_without_figures(out.getvalue())}"


@contextlib.contextmanager
def _in_the_project() -> Iterator[None]:
    """Where paths and the width of help are always the same."""
    folder, width = os.getcwd(), os.environ.get("COLUMNS")
    os.chdir(ROOT)
    os.environ["COLUMNS"] = "100"
    try:
        yield
    finally:
        os.chdir(folder)
        del os.environ["COLUMNS"]
        if width is not None:
            os.environ["COLUMNS"] = width


def _findings() -> str:
    """The findings of the pages' examples."""
    options = Options(select=("RFL",))
    found = [
        f for code in CODES.values() if code.id < "RFL902" for f in check_source(dedent(code.bad), options=options)
    ]
    return "\n".join(["$ roofscan check", *(f"{f.code} {_without_figures(f.message)}" for f in found)])


def _without_figures(text: str) -> str:
    """``#`` for each figure: other tests hold them."""
    text = re.sub(r"(?<![\w.])\d+(,\d{3})*(\.\d+)?(e[+-]?\d+)?(?!\w)", "#", text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def _templates() -> Iterator[str]:
    for path in sorted((ROOT / "roofscan").rglob("*.py")):
        shown = dict.fromkeys(filter(_is_read, _texts(ast.parse(path.read_text(encoding="utf-8")))))
        if shown:
            yield "\n".join([f"== {path.relative_to(ROOT).as_posix()}", *shown])


def _is_read(text: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", re.sub(r"\{[^}]*\}", "", text))
    return len(words) > 1 and " " in text.strip() and not NOT_WORDS.match(text)


def _texts(tree: ast.Module) -> Iterator[str]:
    """The strings of a module but for docstrings, decorators and what a code's page prints, on one line each."""
    hidden = {id(inner) for node in ast.walk(tree) for outer in _unread(node) for inner in ast.walk(outer)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (joint := _JOINTS.get(getattr(node.func, "id", ""))):
            yield " ".join(joint.join(map(_template, node.args)).split())
            told = (arg for arg in node.args if isinstance(arg, (ast.Constant, ast.JoinedStr)))
            hidden |= {id(inner) for arg in told for inner in (arg, *getattr(arg, "values", ()))}
        elif isinstance(node, ast.JoinedStr) and id(node) not in hidden:
            yield " ".join(_template(node).split())
            hidden |= {
                id(inner) for value in node.values if isinstance(value, ast.Constant) for inner in ast.walk(value)
            }
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield " ".join(node.value.split())


def _unread(node: ast.AST) -> Iterator[ast.AST]:
    body = getattr(node, "body", None)
    for statement in body if isinstance(body, list) else ():
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            yield statement
    yield from getattr(node, "decorator_list", ())
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Code":
        yield node


def _template(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if not isinstance(node, ast.JoinedStr):
        return "{…}"
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values)


def test_user_text_is_as_it_was_read() -> None:
    remedy = "the text that users see has changed: run `python -m tests.report.test_user_text` and read the difference"
    assert collected().splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines(), remedy


NOT_PLAIN = (
    "in vain", "by the ceilings", "need not move", "what must move", "hands? on", "hand(?:s|ed) out",
    "turns? of the loop", "whole numbers", "of ours", "at hand", "what lies there", "(?:first|second) table",
    "(?<!there )(?:is|are) no (?:number|integer|array|text|name|kernel|file|slice)",
)  # fmt: skip
"""Words that the field does not use, or that say nothing."""


def test_every_sentence_is_plain() -> None:
    assert re.findall(rf".*\b(?:{'|'.join(NOT_PLAIN)})\b.*", collected()) == []


if __name__ == "__main__":
    GOLDEN.write_text(collected(), encoding="utf-8")

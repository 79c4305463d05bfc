"""Every command and snippet of the documentation prints what the page shows."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from roofscan.rules.codes import CODES
from tests.docs.pages import DOCS, pages, printed

NEEDED = {"many-files.md": ("distributed", "duckdb", "pyarrow")}
"""What the programs of a page import."""


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_what_the_blocks_of_a_page_print(page: Path) -> None:
    for module in NEEDED.get(page.name, ()):
        pytest.importorskip(module)
    wrong = [f"line {block.line}:\n{block.actual}" for block in printed(page) if block.actual != block.written]
    assert not wrong, f"run `python -m tests.docs.pages {page.name}` and read the change\n" + "\n".join(wrong)


def test_each_code_has_a_page() -> None:
    pytest.importorskip("mkdocs")
    hooks = import_module("docs.hooks")
    assert [f"codes/{code}.md" for code in CODES] == [path for path, _ in hooks.code_pages()]


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"[\w-]+\.md", (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in pages())

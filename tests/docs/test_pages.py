"""Every command and snippet of the documentation prints what the page shows."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from roofscan.machine.files import load_machine
from roofscan.roofline.time import numpy_calls, statements
from roofscan.roofline.time.body_time import LEARNED, SURPRISE
from roofscan.roofline.time.fresh_memory import KEPT_BYTES, KEPT_IN_ANY_CASE
from roofscan.rules.codes import CODES
from tests.docs.pages import DOCS, pages, printed

NEEDED = {"many-files.md": ("distributed", "duckdb", "pyarrow")}
"""What the programs of a page import."""


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_what_the_blocks_of_a_page_print(page: Path) -> None:
    for module in NEEDED.get(page.name, ()):
        pytest.importorskip(module)
    wrong = [f"line {block.line}:\n{block.actual}" for block in printed(page) if block.actual != block.written]
    remedy = f"run `python -m tests.docs.pages docs/{page.relative_to(DOCS)}` and read the change"
    assert not wrong, "\n".join([remedy, *wrong])


def test_prices_of_the_page_on_times_are_those_of_the_model() -> None:
    text, timing = (DOCS / "times.md").read_text(encoding="utf-8"), load_machine("generic-x86-64").timing
    rows = re.findall(r"^\| .* \| `(\w+)` \| (\d+) ns \|$", text, re.MULTILINE)
    assert len(rows) == 4 and [(key, round(getattr(timing, key).value * 1e9)) for key, _ in rows] == [
        (key, int(figure)) for key, figure in rows
    ]
    cycles = [int(figure.replace(",", "")) for figure in re.findall(r"^\| .* \| ([\d,]+) \|$", text, re.MULTILINE)]
    of_numpy = (numpy_calls.UFUNC, numpy_calls.ITERATED, numpy_calls.COPY, numpy_calls.SELECTION, numpy_calls.REDUCTION)
    more = (numpy_calls.VARIANCE, numpy_calls.LIBRARY, numpy_calls.NUMBER, numpy_calls.VIEW)
    of_model = (statements.ALLOCATION, statements.LARGE_ALLOCATION, statements.ON_VIEWS, statements.OPERAND)
    last = (statements.EXTREMUM, statements.VARIANCE, statements.SELECTION, statements.LIBRARY)
    assert cycles == [*of_model, *last, *of_numpy, *more]
    assert f"more than {statements.SMALL_BYTES} bytes" in text
    assert f"up to {LEARNED:,} of these" in text and SURPRISE == 1 / 8
    assert f"{KEPT_BYTES >> 20} MiB" in text and f"{KEPT_IN_ANY_CASE >> 10} KiB" in text


def test_each_code_has_a_page() -> None:
    pytest.importorskip("mkdocs")
    hooks = import_module("docs.hooks")
    assert [f"codes/{code}.md" for code in CODES] == [path for path, _ in hooks.code_pages()]


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"[\w-]+\.md", (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in pages())

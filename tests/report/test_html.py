"""The HTML page: complete, self-contained, and escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from roofscan.cli import main
from roofscan.report.page.document import render_page
from tests.support.handmade_reports import AXPY, TOY, axpy_report, unsupported_report

OWN_SCRIPTS = ("data", "d3", "chart", "page")
VOID = {"meta", "br", "input", "wbr"}


class Balance(HTMLParser):
    """Every tag that opens is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def balanced(text: str) -> set[str]:
    parser = Balance()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser.seen


def test_a_page_has_a_section_a_kernel_and_needs_nothing_else() -> None:
    text = render_page([(axpy_report(),), (unsupported_report(),)])
    tags = balanced(text)
    assert {"table", "section", "main"} <= tags and not tags & {"link", "img", "iframe"}
    assert text.count('<section id="kernel:') == 2
    assert re.sub("http-equiv|<script>.*?</script>", "", text, flags=re.DOTALL).count("http") == 0
    assert text == render_page([(axpy_report(),), (unsupported_report(),)])


def test_names_cannot_break_out_of_their_place() -> None:
    report = axpy_report()
    hostile = replace(report, cost=replace(report.cost, kernel=replace(AXPY, name='<script>alert("x")</script>')))
    text = render_page([(hostile,)])
    balanced(text)
    assert text.count("<script") == len(OWN_SCRIPTS)
    assert "&lt;script&gt;" in text


def test_machines_are_side_by_side() -> None:
    text = render_page([(axpy_report(), axpy_report(machine=replace(TOY, name="other")))])
    balanced(text)
    assert '<th scope="col">machine</th>' in text


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    assert main(["report", "fixtures/dense.py::gemm_naive", "--format", "html", "--output", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "all of B (8*n**2 + 24*n B) fits in L1 while n ≤ 62" in text
    balanced(text)

"""The Markdown report: tables that hold, and text that stays text."""

from __future__ import annotations

from dataclasses import replace

from roofscan.report.markdown import render_markdown
from tests.support.handmade_reports import TOY, axpy_report, unsupported_report


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def test_a_section_has_counts_table_and_verdict() -> None:
    text = render_markdown([(axpy_report(),)])
    assert text.startswith("### `axpy`\n\n`fixtures/streams.py:12` · **exact** · fp64 · one core\n")
    assert "- FLOPs: `2*n`\n" in text
    assert "| DRAM → L2 | 1 MiB | `~ 24*n` | 0.0833 | 3.00 | memory | 1.33 GFLOP/s |" in text
    assert "\n> **RFL102** axpy is memory-bound on toy" in text


def test_every_row_has_as_many_cells_as_the_head() -> None:
    text = render_markdown([(axpy_report(), axpy_report(machine=replace(TOY, name="a|b")))])
    for table in text.split("\n\n"):
        assert len({line.replace("\\|", "").count("|") for line in rows(table)}) <= 1
    assert "a\\|b" in text


def test_names_cannot_break_out_of_their_place() -> None:
    hostile = "`x` | <script>alert(1)</script>\n# heading"
    text = render_markdown([(unsupported_report(hostile),)])
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "\n# heading" not in text


def test_several_kernels_follow_each_other() -> None:
    text = render_markdown([(axpy_report(),), (unsupported_report(),)])
    assert text.count("### ") == 2
    assert text.count("On toy") == 1


def test_it_is_the_same_every_time() -> None:
    assert render_markdown([(axpy_report(),)]) == render_markdown([(axpy_report(),)])

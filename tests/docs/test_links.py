"""Links of the documents lead to files that exist, and to headings of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofscan.rules.codes import CODES
from tests.docs.pages import DOCS, pages

ROOT = DOCS.parent
DOCUMENTS = [*sorted(ROOT.glob("*.md")), ROOT / "benchmarks" / "README.md", *pages()]
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(text: str) -> Iterator[str]:
    """Those that stay in the project."""
    return (link for link in LINK.findall(CODE.sub("", text)) if "://" not in link)


def anchors(text: str) -> set[str]:
    """The headings as MkDocs and GitHub name them; a second heading of one name would be another's on each."""
    titles = HEADING.findall(re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


def dead(document: Path) -> list[str]:
    return [link for link in links(document.read_text(encoding="utf-8")) if not _leads_somewhere(document, link)]


def _leads_somewhere(document: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = document.parent / path if path else document
    if target.parent == DOCS / "codes":  # MkDocs makes these pages
        return target.stem in CODES and not anchor
    if not target.exists() or (DOCS in document.parents and DOCS not in target.parents):
        return False
    return not anchor or anchor in anchors(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(document: Path) -> None:
    assert dead(document) == []


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Two words, `one`\n\n```sh\n# not a heading\n```\n")
    page = tmp_path / "page.md"
    good = "[a](other.md#two-words-one) [b](#here) [c](https://example.org/x.md#y) `[d](gone.md)`"
    bad = "[e](gone.md) [f](other.md#gone) [g](#gone) [h](other.md#not-a-heading)"
    page.write_text(f"# Here\n\n{good}\n{bad}\n")
    assert dead(page) == ["gone.md", "other.md#gone", "#gone", "other.md#not-a-heading"]

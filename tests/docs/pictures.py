"""The pictures of the documentation: ``python -m tests.docs.pictures`` writes them into ``docs/images``. The page, the
editor and the cell are pictures of what roofscan makes of ``fixtures/`` now; they need Chromium, chromedriver, selenium
and Pillow (which matplotlib brings)."""

from __future__ import annotations

import io
import os
import re
import time
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

import roofscan
from roofscan.api import analyze_file
from roofscan.cli import main
from roofscan.lsp.notes import Note, notes_of
from tests.docs.pages import BLOCK, DOCS, TITLE
from tests.report.test_page import browser_of

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
PAGE_FILES = ("fixtures/dense.py", "fixtures/stencils.py", "fixtures/streams.py")
FILE, KERNEL = "fixtures/dense.py", "gemm_naive"
WIDTH = 1100
CELL = """
.roofscan { font: 13px/1.5 sans-serif; padding: 8px; width: 780px; box-sizing: border-box; }
table { border-collapse: collapse; } td, th { text-align: right; padding: 3px 10px; }
tr:nth-child(even) { background: #f5f5f5; }
"""
STYLE = """
body { margin: 0; padding: 14px; background: #1b1f27; color: #d6dbe3; font: 14px/1.6 monospace; width: 1040px; }
.line { white-space: pre; } .number { color: #5c6573; } .hint { color: #8a94a6; background: #262c38; font-size: 12px; }
.mark { text-decoration: underline wavy #e5a50a; text-underline-offset: 4px; } .key { color: #c792ea; }
.lens { color: #7d8799; font-size: 12px; } .said { color: #e5a50a; font-size: 12px; }
.hover { font: 13px/1.5 sans-serif; border: 1px solid #3b4252; background: #232833; padding: 6px 14px;
  margin: 4px 0 8px 84px; width: 700px; } table { font: inherit; }
.hover td, .hover th { padding: 0 14px 0 0; text-align: left; font-weight: normal; }
.hover th { color: #8a94a6; } code { font-family: monospace; }
"""


def page_picture(driver: Any) -> bytes:
    """The top of the HTML report: chart and overview."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "page.html"
        main(["report", *PAGE_FILES, "--format", "html", "--output", str(target)])
        driver.set_window_size(WIDTH, 1130)
        driver.get(target.as_uri())
        time.sleep(2)
        driver.execute_script(
            "document.querySelector('header').hidden = true; document.documentElement.style.overflow = 'hidden'"
        )
        return bytes(driver.get_screenshot_as_png())


def editor_picture(driver: Any) -> bytes:
    """A kernel as an editor shows it with what ``roofscan lsp`` sends: lens, hints, a finding, the hover of the def."""
    [kernel] = analyze_file(FILE, functions=[KERNEL]).kernels
    [report] = kernel.reports
    notes = {note.line: note for note in notes_of(report)}
    found = {f.line: f.message for f in report.findings if f.gain and f.gain >= 2}
    lines = Path(FILE).read_text(encoding="utf-8").splitlines()
    shown = [n for n in range(kernel.kernel.line - 1, kernel.kernel.end_line + 1) if lines[n - 1].strip()]
    code = [n for n in shown if not _is_prose(lines[n - 1])]
    body = "".join(text for n in code for text in _line(n, lines[n - 1], notes.get(n), found.get(n, "")))
    with TemporaryDirectory() as folder:
        target = Path(folder) / "editor.html"
        target.write_text(f"<meta charset=utf-8><style>{STYLE}</style>{body}", encoding="utf-8")
        driver.set_window_size(WIDTH, 640)
        driver.get(target.as_uri())
        height = driver.execute_script("return document.documentElement.scrollHeight")
        driver.set_window_size(WIDTH, height + 160)
        return bytes(driver.find_element("css selector", "body").screenshot_as_png)


def cell_picture(driver: Any) -> bytes:
    """What a notebook shows below a cell that ends with a report."""
    report = roofscan.analyze(f"{FILE}::{KERNEL}")
    with TemporaryDirectory() as folder:
        target = Path(folder) / "cell.html"
        target.write_text(f"<meta charset=utf-8><style>{CELL}</style>{report._repr_html_()}", encoding="utf-8")
        driver.set_window_size(820, 600)
        driver.get(target.as_uri())
        return bytes(driver.find_element("css selector", ".roofscan").screenshot_as_png)


def roofline_pictures() -> None:
    """The kernel of the README, and that of the tutorial before and after its fix."""
    main(["report", f"{FILE}::{KERNEL}", "--format", "svg", "--output", str(IMAGES / "roofline.svg")])
    [block, *_] = (
        b for b in BLOCK.finditer((DOCS / "tutorial.md").read_text(encoding="utf-8")) if TITLE.search(b["head"])
    )
    with TemporaryDirectory() as folder:
        source = Path(folder) / "heat.py"
        source.write_text(block["body"], encoding="utf-8")
        for name in ("before", "after"):
            main(["report", f"{source}::smooth", "--format", "svg", "--output", str(IMAGES / f"smooth-{name}.svg")])
            main(["fix", "--write", str(source)])


def _is_prose(line: str) -> bool:
    """Of the docstring."""
    return not re.match(r"\s*(@|def |for |acc|C\[|return)", line)


def _line(number: int, text: str, note: Note | None, finding: str) -> Iterator[str]:
    is_def = text.startswith("def ")
    if is_def:
        yield '<div class="line lens">      open report</div>'
    body = re.sub(r"\b(def|for|in)\b", r'<span class="key">\1</span>', escape(text.strip()))
    mark = ' class="mark"' if finding else ""
    hint = f' <span class="hint"> {escape(note.label)} </span>' if note and note.label else ""
    margin = f'<span class="number">{number:>4}  </span>{" " * (len(text) - len(text.lstrip()))}'
    yield f'<div class="line">{margin}<span{mark}>{body}</span>{hint}</div>'
    if finding:
        yield f'<div class="line said">      ⚠ {escape(finding)}</div>'
    if is_def and note:
        hover = "".join(_markdown(note.hover)).replace("</div><tr>", "</div><table><tr>")
        yield f'<div class="hover">{hover.replace("</tr><div>", "</tr></table><div>")}</div>'


def _markdown(text: str) -> Iterator[str]:
    """The few forms that a hover has: bold, code, a table, items."""
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|:"):
            yield f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in line.strip('|').split('|'))}</tr>"
        elif line.strip() and not line.startswith("|:"):
            yield f"<div>{_inline(line.replace('- ', '• ', 1) if line.startswith('- ') else line)}</div>"


def _inline(text: str) -> str:
    parts = escape(text.strip()).split("`")
    for at, part in enumerate(parts):
        plain = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", re.sub(r"\\([\W_])", r"\1", part))
        parts[at] = f"<code>{part}</code>" if at % 2 else plain
    return "".join(parts)


def small(png: bytes) -> bytes:
    """With 256 colours."""
    target = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256).save(target, "PNG", optimize=True)
    return target.getvalue()


def write() -> None:
    """Paths in the pictures begin at the root of the project."""
    os.chdir(ROOT)
    IMAGES.mkdir(exist_ok=True)
    driver = browser_of()
    try:
        (IMAGES / "page.png").write_bytes(small(page_picture(driver)))
        (IMAGES / "editor.png").write_bytes(small(editor_picture(driver)))
        (IMAGES / "cell.png").write_bytes(small(cell_picture(driver)))
    finally:
        driver.quit()
    roofline_pictures()


if __name__ == "__main__":
    write()

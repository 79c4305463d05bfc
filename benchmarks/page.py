"""How large the HTML page of many kernels is, and how soon it opens: ``python -m benchmarks.page [PATH ...]``.

Reports PATHS (the fixtures three times over, without any), at most 500 kernels of them, as one page, or takes a page
that is there (``.html``), and opens it in Chromium three times, each time in a new browser. Prints bytes, and seconds
until the page is ready for its reader, with table, chart and search; and from there until a link to its last kernel
shows that kernel. Exits with 1 beyond a limit.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests.report.test_page import browser_of, program_of, wait_until

ROOT = Path(__file__).parents[1]
KERNELS = 500
BYTES, SECONDS = 3_000_000, 2.0
ROUNDS = 3
READY = "document.documentElement.dataset.ready === ''"
LAST = "document.querySelector('section.kernel:last-of-type')"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "paths", nargs="*", help="files or folders to report (the fixtures three times over), or one page"
    )
    paths = parser.parse_args().paths
    if not (program_of() and shutil.which("chromedriver")):
        parser.error("Chromium and chromedriver are not here: install both (Debian: chromium chromium-driver)")
    with TemporaryDirectory() as folder:
        made = paths and paths[0].endswith(".html")
        page = Path(paths[0]).resolve() if made else _page(paths or _copies(Path(folder)), Path(folder) / "page.html")
        opened = [_opened(page) for _ in range(ROUNDS)]
        size = page.stat().st_size
    ready, last = (median(column) for column in zip(*opened, strict=True))
    print(f"{size / 1e6:.2f} MB (limit {BYTES / 1e6:.0f})")
    print(f"ready after {ready:.2f} s (limit {SECONDS:.0f}); the last kernel is shown after {last:.2f} s more")
    return int(size > BYTES or ready > SECONDS)


def _copies(folder: Path) -> list[str]:
    return [str(shutil.copytree(ROOT / "fixtures", folder / name)) for name in ("first", "second", "third")]


def _page(paths: list[str], target: Path) -> Path:
    command = [sys.executable, "-m", "roofscan", "report", *paths, "--top", str(KERNELS), "--format", "html"]
    subprocess.run([*command, "--output", str(target)], check=True)
    return target


def _opened(page: Path) -> tuple[float, float]:
    browser: Any = browser_of()
    try:
        begun = time.perf_counter()
        browser.get(page.as_uri())
        wait_until(browser, READY)
        ready = time.perf_counter()
        browser.execute_script(f"location.hash = '#' + {LAST}.id")
        wait_until(browser, f"{LAST}.querySelector('table') !== null")
        return ready - begun, time.perf_counter() - ready
    finally:
        browser.quit()


if __name__ == "__main__":
    sys.exit(main())

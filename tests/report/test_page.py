"""The HTML page in a real browser: Chromium, driven by Selenium. Without them these tests are skipped; where CI=true
they fail instead."""

from __future__ import annotations

import base64
import importlib.util
import itertools
import os
import shutil
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from roofscan.api import analyze_file, analyze_source, with_time_pieces
from roofscan.cli import main
from roofscan.cli.page import changes_of
from roofscan.report.page.document import About, render_page
from roofscan.report.page.trees import tree
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.symbolic.expr import Expr, Func, symbol
from roofscan.symbolic.extrema import maximum, minimum

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-dev-shm-usage", "--window-size=1200,1000",
)  # fmt: skip
KERNELS = """\
import numpy as np
from numba import njit


@njit
def scale(x, a):
    for i in range(x.size):
        x[i] *= a  # </script><script>window.hacked = 1</script>


@njit
def matmul(A, B, C):
    '''<img src=x onerror="window.hacked = 2"> ]]> <!-- '''
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]


@njit
def copy(x, y):
    for i in range(x.size):
        y[i] = x[i]
"""
FAR = """\
from numba import njit


@njit
def rarely(x, y):
    for i in range(x.size):
        y[i] = x[i]
    return x[0] + 1.0


@njit
def often(x, a):
    for i in range(8):
        for k in range(a):
            x[i] = x[i] * 0.5
"""


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    parts = (importlib.util.find_spec("selenium"), program_of(), shutil.which("chromedriver"))
    if not all(parts):
        why = "needs Chromium, chromedriver and selenium"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    browser = browser_of()
    yield browser
    browser.quit()


def browser_of() -> Any:
    """Chromium with its driver, both of which are there."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program_of()
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def program_of() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose path would end a script."""
    folder = tmp_path_factory.mktemp("page") / "a<" / "script><b>"
    folder.mkdir(parents=True)
    (folder / "kernels.py").write_text(KERNELS, encoding="utf-8")
    target = tmp_path_factory.mktemp("out") / "page.html"
    assert main(["report", str(folder / "kernels.py"), "--format", "html", "--output", str(target)]) == 0
    return target


@pytest.fixture
def browser(driver: Any, page: Path) -> Any:
    driver.get("about:blank")
    driver.get(page.as_uri())
    wait_until(driver, "document.documentElement.dataset.ready === ''")
    return driver


def wait_until(driver: Any, condition: str) -> None:
    end = time.monotonic() + 20
    while not driver.execute_script(f"return {condition}"):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


def shown_kernels(browser: Any) -> list[str]:
    rows = "[...document.querySelectorAll('#overview tbody tr')].filter((row) => !row.hidden)"
    return list(browser.execute_script(f"return {rows}.map((row) => row.cells[0].textContent)"))


def test_text_of_the_source_is_text(browser: Any) -> None:
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.images.length") == 0
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    section = browser.find_element("id", "kernel:scale")
    browser.execute_script("arguments[0].scrollIntoView()", section)
    wait_until(browser, "document.querySelector('[id=\"kernel:scale\"] .source') !== null")
    assert "</script><script>window.hacked = 1</script>" in section.text
    assert "a</script><b>/kernels.py" in section.text


def test_nothing_but_the_pages_own_script_runs(browser: Any) -> None:
    browser.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.hacked = 3'; document.body.append(s);"
        "const i = document.createElement('img'); i.src = 'https://example.org/x.png'; document.body.append(i)"
    )
    assert browser.execute_script("return window.hacked") is None
    refused = [entry["message"] for entry in browser.get_log("browser")]
    assert len(refused) == 2 and all("Content Security Policy" in message for message in refused)


def test_the_overview_sorts(browser: Any) -> None:
    assert shown_kernels(browser)[0] == "matmul"  # the largest gain
    assert browser.find_element("css selector", "#overview th[aria-sort=descending]").text.startswith("gain")
    heads = browser.find_elements("css selector", "#overview th button")
    heads[0].click()
    assert shown_kernels(browser) == ["copy", "matmul", "scale"]
    heads[0].click()
    assert shown_kernels(browser) == ["scale", "matmul", "copy"]
    next(head for head in heads if head.text.startswith("gain")).click()
    assert shown_kernels(browser)[0] == "matmul"
    assert browser.find_element("css selector", "#overview th[aria-sort=descending]").text.startswith("gain")


def test_a_machine_is_chosen(driver: Any, tmp_path: Path) -> None:
    target = tmp_path / "machines.html"
    source = tmp_path / "kernels.py"
    source.write_text(KERNELS, encoding="utf-8")
    words = ["report", str(source), "--format", "html", "--output", str(target)]
    assert main([*words, "--machine", "xeon-6248r", "--machine", "a100-40gb"]) == 0
    driver.get(target.as_uri())
    wait_until(driver, "document.documentElement.dataset.ready === ''")
    assert sorted(shown_kernels(driver)) == ["copy", "matmul", "scale"]
    legends = "return [...document.querySelectorAll('.legend label')].map((label) => label.textContent.trim())"
    assert "xeon-6248r, one core, fp64 (2)" in driver.execute_script(legends)
    driver.find_element("id", "machine").send_keys("a100")
    cells = "[...document.querySelectorAll('#overview tbody tr')].filter((row) => !row.hidden)"
    assert driver.execute_script(f"return {cells}.map((row) => row.cells[2].textContent)") == ["a100-40gb"] * 3
    assert "a100-40gb, whole device, fp64 (2)" in driver.execute_script(legends)
    driver.find_element("id", "machine").send_keys("\ue015")  # the next one: all
    assert len(shown_kernels(driver)) == 6
    assert [entry["message"] for entry in driver.get_log("browser")] == []


def test_a_finding_shows_its_diff(browser: Any) -> None:
    blocks = browser.find_elements("css selector", '[id="kernel:matmul"] details.change')
    assert blocks
    summary = blocks[0].find_element("css selector", "summary")
    browser.execute_script("arguments[0].scrollIntoView(); arguments[0].click()", summary)
    assert summary.text.startswith("diff: ") and "safe" in summary.text
    assert blocks[0].find_element("css selector", "ins").text.startswith("+")


def test_the_overview_filters(browser: Any) -> None:
    browser.find_element("id", "search").send_keys("MATM")
    assert shown_kernels(browser) == ["matmul"]
    assert browser.find_element("id", "count").text == "1 of 3 kernels"
    assert len(browser.find_elements("css selector", "#chart a")) == 1
    assert not browser.find_element("id", "kernel:scale").is_displayed()


def test_a_point_leads_to_its_kernel(browser: Any) -> None:
    points = browser.find_elements("css selector", "#chart a")
    assert len(points) == 2  # copy has no FLOPs
    browser.execute_script("arguments[0].focus()", points[1])
    tip = browser.find_element("id", "tip")
    assert tip.text.startswith("matmul\ngeneric-x86-64\nAI ")
    points[1].click()
    assert browser.execute_script("return decodeURIComponent(location.hash)") == "#kernel:matmul"
    assert browser.execute_script("return document.querySelector(':target').id") == "kernel:matmul"


def test_the_legend_hides_levels(browser: Any) -> None:
    before = len(browser.find_elements("css selector", "#chart .roof"))
    boxes = browser.find_elements("css selector", ".legend label")
    next(box for box in boxes if box.text == "L2").click()
    assert len(browser.find_elements("css selector", "#chart .roof")) == before - 1
    boxes[0].click()
    assert browser.find_elements("css selector", "#chart a") == []


def test_a_slider_moves_figures_and_points(browser: Any) -> None:
    browser.execute_script("location.hash = '#kernel:matmul'")
    section = '[id="kernel:matmul"]'
    wait_until(browser, f"document.querySelector('{section} .sliders input') !== null")
    points = f"return [...document.querySelectorAll('{section} svg a')].map((a) => a.getAttribute('transform')).join()"
    captions = f"return document.querySelector('{section} .figures caption').textContent"
    before = browser.execute_script(points), browser.execute_script(captions)
    for number in browser.find_elements("css selector", f"{section} .sliders input[type=number]"):
        number.clear()
        number.send_keys("100\t")
    after = browser.execute_script(points), browser.execute_script(captions)
    assert before[0] != after[0]
    assert after[1].endswith("2 MFLOP") and "= 100" in after[1]
    slider = browser.find_element("css selector", f"{section} .sliders input[type=range]")
    browser.execute_script("arguments[0].focus()", slider)
    slider.send_keys("\ue014")  # the right arrow
    assert browser.execute_script(captions) != after[1]
    lines = f"return [...document.querySelectorAll('{section} .source td:nth-child(2)')].map((td) => td.textContent)"
    assert [text for text in browser.execute_script(lines) if text] != []


TIME = """const box = document.querySelector('[id="kernel:matmul"] .time'); return box.textContent"""


def test_a_slider_moves_the_expected_time(browser: Any) -> None:
    browser.execute_script("location.hash = '#kernel:matmul'")
    section = '[id="kernel:matmul"]'
    wait_until(browser, f"document.querySelector('{section} .sliders input') !== null")
    start = browser.execute_script(TIME)
    assert start.startswith("Expected time: ") and "limited by address translations" in start
    binds = f"return document.querySelector('{section} .figures tr.binds').textContent"
    assert browser.execute_script(binds).startswith("TLB") and "pages" in browser.execute_script(binds)
    bold = f"return getComputedStyle(document.querySelector('{section} .figures tr.binds th')).fontWeight"
    assert browser.execute_script(bold) == "600"
    marks = f"return document.querySelectorAll('{section} figure .dot.memory').length"
    assert browser.execute_script(marks) == 1
    first, _, every = browser.find_elements("css selector", f"{section} .sliders input[type=number]")
    every.clear()
    every.send_keys("64\t")
    assert first.get_attribute("value") == "64"
    assert (small := browser.execute_script(TIME)) != start and "µs" in small and "translations" not in small
    first.clear()
    first.send_keys("65\t")
    assert "not known at these sizes" in browser.execute_script(TIME)


def test_the_times_of_the_page_are_those_of_json(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS, encoding="utf-8")
    kernels = analyze_file(str(path)).kernels
    report = next(k.reports[0] for k in kernels if k.kernel.name == "matmul")
    script = "return timeOf(byId.get('kernel:matmul').machines[0], new Map(arguments[0])).seconds"
    for size in (16, 300, 3000):
        sizes = {"n": size, "m": size}
        [piece] = [p for p in with_time_pieces(report).time_pieces or () if all(g.evaluate(sizes) >= 0 for g in p.when)]
        found = browser.execute_script(script, [*sizes.items()])
        assert found == pytest.approx(float(piece.expected.evaluate(sizes)))
    assert isinstance(report.time, TimePrediction)
    here = browser.execute_script(script, [[name, float(size)] for name, size in report.verdict.sizes.items()])
    assert here == pytest.approx(float(report.time.expected), rel=1e-9)  # as the sentence above the sliders says


def test_points_far_from_the_roofs_sit_at_the_edge(driver: Any, tmp_path: Path) -> None:
    source, target = tmp_path / "far.py", tmp_path / "far.html"
    source.write_text(FAR, encoding="utf-8")
    assert main(["report", str(source), "--format", "html", "--output", str(target)]) == 0
    driver.get(target.as_uri())
    wait_until(driver, "document.documentElement.dataset.ready === ''")
    turns = "return [...document.querySelectorAll('#chart .far')].map((arrow) => arrow.getAttribute('transform'))"
    assert sorted(driver.execute_script(turns)) == ["rotate(0)", "rotate(180)"]
    ticks = "return [...document.querySelectorAll('#chart .axis')].map((axis) => axis.querySelectorAll('.tick').length)"
    assert max(driver.execute_script(ticks)) < 12


def test_a_page_of_500_kernels_is_small() -> None:
    """Measured on the pages of few: what a kernel adds to a page."""
    folder = Path(__file__).parents[2] / "fixtures"
    kernels = [
        k for name in ("dense.py", "stencils.py", "streams.py") for k in analyze_file(str(folder / name)).kernels
    ]
    sources = {k.kernel.path: Path(k.kernel.path).read_text(encoding="utf-8").split("\n") for k in kernels}
    about = About(sources=sources, changes=dict(changes_of(kernels)))
    nothing, all_of_them = (len(render_page([k.reports for k in some], about).encode()) for some in ([], kernels))
    assert nothing + (all_of_them - nothing) / len(kernels) * 500 < 3e6


def test_sections_of_many_kernels_travel_compressed(
    driver: Any, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link to a kernel still leads to it."""
    monkeypatch.setattr("roofscan.report.page.document.MOST_LETTERS", 0)
    target = tmp_path / "packed.html"
    target.write_text(render_page([k.reports for k in analyze_source(KERNELS, "k.py").kernels]), encoding="utf-8")
    assert 'class="kernel"' not in target.read_text(encoding="utf-8")
    driver.get("about:blank")
    driver.get(f"{target.as_uri()}#kernel:scale")
    wait_until(driver, "document.documentElement.dataset.ready === ''")
    wait_until(driver, "document.querySelector('section.kernel:target .levels, section.kernel:target table') !== null")
    assert driver.execute_script("return document.querySelector('section.kernel:target').id") == "kernel:scale"
    assert driver.execute_script("return document.querySelector('noscript').offsetHeight") == 0


def test_a_figure_tells_its_lines_and_terms(browser: Any) -> None:
    browser.execute_script("location.hash = '#kernel:matmul'")
    section = '[id="kernel:matmul"]'
    wait_until(browser, f"document.querySelector('{section} .source') !== null")
    browser.find_element("css selector", f"{section} caption .explain").click()
    assert browser.find_element("css selector", f"{section} .why").text == "FLOPs: 2*m**2*n (line 18)"
    assert browser.find_element("css selector", f"{section} .source tr.why").text.startswith("18 ")
    browser.find_elements("css selector", f"{section} td .explain")[-2].click()
    assert "bytes at DRAM, at large sizes: A " in browser.find_element("css selector", f"{section} .why").text


def test_dark_and_light(browser: Any) -> None:
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = browser.execute_script(colour)
    browser.find_element("id", "theme").click()
    assert browser.execute_script(colour) != light
    browser.find_element("id", "theme").click()
    assert browser.execute_script(colour) == light


def printed_pages(browser: Any) -> int:
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    data = base64.b64decode(printed["data"])
    return data.count(b"/Type /Page\n") + data.count(b"/Type /Page ")


def test_a_kernel_prints_on_about_a_page(driver: Any, tmp_path: Path) -> None:
    """The overview comes first, and what is folded is not printed."""
    target = tmp_path / "page.html"
    assert (
        main(["report", "fixtures/dense.py", "fixtures/streams.py", "--format", "html", "--output", str(target)]) == 0
    )
    driver.get(target.as_uri())
    wait_until(driver, "document.documentElement.dataset.ready === ''")
    kernels = len(shown_kernels(driver))
    assert kernels > 20 and printed_pages(driver) <= kernels + 1
    before = printed_pages(driver)
    driver.execute_script("for (const each of document.querySelectorAll('details.more')) each.open = true")
    assert printed_pages(driver) > before


STOPS = """const found = [], all = [...document.querySelectorAll('a, button, input, select, summary')];
    for (const each of all) if (each.checkVisibility()) found.push([each.tagName.toLowerCase(),
        (each.getAttribute('aria-label') ?? each.labels?.[0]?.textContent ?? each.textContent).trim()]);
    return found"""


def press(browser: Any, key: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(key).perform()


def test_the_page_is_used_by_keyboard_alone(browser: Any) -> None:
    """The first stop skips the chart; every stop has a name and shows that it is chosen; Enter sorts."""
    from selenium.webdriver.common.keys import Keys

    press(browser, Keys.TAB)
    assert browser.execute_script("return document.activeElement.className") == "skip"
    assert browser.execute_script("return document.activeElement.getBoundingClientRect().left >= 0")
    press(browser, Keys.ENTER)
    press(browser, Keys.TAB)
    assert browser.execute_script("return document.activeElement.textContent") == "kernel"
    press(browser, Keys.ENTER)
    assert shown_kernels(browser) == ["copy", "matmul", "scale"]
    for _ in range(12):
        press(browser, Keys.TAB)
        style = "getComputedStyle(document.activeElement)"
        assert browser.execute_script(f"return {style}.outlineStyle !== 'none' || {style}.strokeWidth === '3px'")
    assert all(name for _, name in browser.execute_script(STOPS))


def test_tooltips_follow_the_keyboard(browser: Any) -> None:
    """As they follow the pointer; Escape closes them."""
    from selenium.webdriver.common.keys import Keys

    browser.execute_script("document.querySelector('section.kernel').scrollIntoView()")
    wait_until(browser, "document.querySelector('button.explain') !== null")
    for target in ("#chart svg a", "button.explain"):
        browser.execute_script(f"document.querySelector('{target}').focus()")
        assert browser.execute_script(
            "const tip = document.getElementById('tip'); return !tip.hidden && tip.textContent"
        )
        press(browser, Keys.ESCAPE)
        assert browser.execute_script("return document.getElementById('tip').hidden")


def test_tables_have_names_and_heads(browser: Any) -> None:
    """For a screen reader; the row that limits is not told by its weight alone."""
    tables = "[...document.querySelectorAll('table')].filter((each) => each.rows.length)"
    lacking = "!(each.querySelector('th[scope=col]') && (each.caption ?? each.getAttribute('aria-label')))"
    assert browser.execute_script(f"return {tables}.filter((each) => {lacking}).map((each) => each.outerHTML)") == []
    assert browser.execute_script(
        "return [...document.querySelectorAll('.levels .binds')].every((row) => row.ariaCurrent)"
    )
    limits = browser.execute_script("return document.getElementById('about').textContent")
    shown = browser.execute_script("return [...document.querySelectorAll('#overview abbr')].map((each) => each.title)")
    assert all(meaning in limits for meaning in shown)


def test_the_page_prints_on_a4_with_all_its_sections(browser: Any) -> None:
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    data = base64.b64decode(printed["data"])
    assert data.startswith(b"%PDF") and data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") >= 3
    width, height = (float(x) for x in data.split(b"/MediaBox [0 0 ")[1].split(b"]")[0].split())
    assert (round(width), round(height)) == (595, 842)
    assert browser.execute_script("return document.querySelectorAll('.source').length") == 3
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert not browser.execute_script("return [...document.querySelectorAll('details')].some((each) => each.open)")


LONG = f"a_kernel_{'with_a_long_name_' * 8}of_a_test"
WIDTHS = """const [name, place] = document.querySelector('#overview tbody tr').cells, width = (e) => e.offsetWidth;
    const hidden = (e) => e.scrollWidth - e.clientWidth, page = document.documentElement.scrollWidth;
    return [page, width(name), width(place), hidden(document.getElementById('chart')),
        hidden(document.querySelector('.wide:has(#overview)'))]"""


@pytest.mark.parametrize(("media", "width"), [("print", 680), ("screen", 640), ("screen", 800)])
def test_one_long_name_takes_no_room_of_others(driver: Any, tmp_path: Path, media: str, width: int) -> None:
    """On A4 between its margins, and in narrow windows, where the chart and the overview are whole."""
    source, target = tmp_path / "kernels.py", tmp_path / "long.html"
    source.write_text(KERNELS.replace("matmul", LONG), encoding="utf-8")
    assert main(["report", str(source), "--format", "html", "--output", str(target)]) == 0
    driver.get(target.as_uri())
    wait_until(driver, "document.documentElement.dataset.ready === ''")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media})
    assert shown_kernels(driver)[0] == LONG
    page_width, name, place, *cut = driver.execute_script(WIDTHS)
    folded = driver.execute_script("return document.querySelector('details').offsetHeight")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert page_width <= width and 80 < name < width / 2.5 and place > 80 and max(cut) <= 0
    assert (folded == 0) == (media == "print")


n, m = symbol("n"), symbol("m")
EXPRESSIONS = (
    Expr.of(7), 2 * n**3 - n * Expr.of(Fraction(1, 3)), n**2 / m, minimum(n, m + 3), maximum(n - 40, m, 0),
    Expr.atom(Func("floor", (n + 7, Expr.of(8)))), Expr.atom(Func("pow2", (m,))), Expr.atom(Func("ilog2", (n,))),
    Expr.atom(Func("sum", (symbol("k") * m, symbol("k"), Expr.of(1), n))), Expr.atom(Func("pow", (n, m))),
)  # fmt: skip


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=str)
def test_the_page_evaluates_as_we_do(browser: Any, expr: Expr) -> None:
    for sizes in ({"n": 37, "m": 5}, {"n": 8, "m": 11}):
        script = "return valueOf(arguments[0], new Map(arguments[1]))"
        found = browser.execute_script(script, tree(expr), [*sizes.items()])
        assert found == pytest.approx(float(expr.evaluate(sizes)), rel=1e-12)


def test_what_has_no_value_is_not_a_number(browser: Any) -> None:
    for strange in (["constructor"], ["__proto__", 1], "n", ["+", "toString"]):
        assert browser.execute_script("return Number.isNaN(valueOf(arguments[0], new Map()))", strange)


LABELS = """return [...document.querySelectorAll(arguments[0] + ' svg[aria-label^=roofline] > text')].filter((text) =>
    !text.classList.contains('along')).map((text) => { const box = text.getBBox(); return [text.textContent, box.x,
    box.y + 2, box.x + box.width, box.y + box.height - 3]; })"""


def test_labels_of_a_chart_do_not_meet(browser: Any) -> None:
    section = '[id="kernel:matmul"]'
    browser.execute_script("location.hash = '#kernel:matmul'")
    wait_until(browser, f"document.querySelector('{section} figure svg') !== null")
    labels = browser.execute_script(LABELS, section)
    assert len(labels) > 5
    for one, other in itertools.combinations(labels, 2):
        apart = one[1] > other[3] or other[1] > one[3] or one[2] > other[4] or other[2] > one[4]
        assert apart, (one, other)


CROSSED = """const svg = document.querySelector(arguments[0] + ' figure svg');
    const texts = [...svg.querySelectorAll('text.name, text.faint:not(.along)')];
    const boxes = texts.map((text) => [text.textContent, text.getBBox()]);
    const slopes = [...svg.querySelectorAll('path.roof')].filter((path) => path.getBBox().height > 1);
    return boxes.filter(([, box]) => slopes.some((path) => { const long = path.getTotalLength();
      return [...Array(400).keys()].some((n) => { const p = path.getPointAtLength(long * n / 400);
        return box.x < p.x && p.x < box.x + box.width && box.y + 2 < p.y && p.y < box.y + box.height - 3; }); }))
      .map(([text]) => text)"""


@pytest.mark.parametrize("kernel", ["matmul", "scale"])
def test_labels_of_a_chart_cross_no_slope(browser: Any, kernel: str) -> None:
    section = f'[id="kernel:{kernel}"]'
    browser.execute_script(f"location.hash = '#kernel:{kernel}'")
    wait_until(browser, f"document.querySelector('{section} figure svg') !== null")
    assert browser.execute_script(CROSSED, section) == []


def test_sliders_and_terms_have_the_short_names_of_the_text(browser: Any) -> None:
    browser.execute_script("location.hash = '#kernel:copy'")
    section = '[id="kernel:copy"]'
    wait_until(browser, f"document.querySelector('{section} .sliders code') !== null")
    assert browser.find_element("css selector", f"{section} .sliders code").text == "N"
    assert browser.find_element("css selector", f"{section} .figures caption").text.startswith("At N = ")
    browser.find_elements("css selector", f"{section} td .explain")[-1].click()
    assert "N" in (why := browser.find_element("css selector", f"{section} .why").text) and "x_shape_0" not in why

"""The parts of the server that need no client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from roofscan.api import analyze_source
from roofscan.budget import spend
from roofscan.lsp.moved_lines import MovedLines
from roofscan.lsp.notes import notes_of
from roofscan.lsp.places import Places, edits
from roofscan.lsp.server import RoofscanServer
from roofscan.lsp.settings import Settings, read_settings
from roofscan.lsp.worker import Worker
from tests.lsp.conftest import TOTAL, offset

LINES = st.lists(st.sampled_from(["a", "b", "", "\U0001f7e5 x", "\x0c"]), max_size=8)
TEXTS = LINES.map("\n".join)


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_edits_make_the_later_text(old: list[str], new: list[str], end: str) -> None:
    before, after = end.join(old), end.join(new)
    made = before
    for edit in reversed(edits(before, after, Places(before, PositionCodec()))):
        made = made[: offset(made, edit.range.start)] + edit.new_text + made[offset(made, edit.range.end) :]
    assert made == after


@given(TEXTS, TEXTS)
def test_lines_around_a_change_are_found_again(before: str, after: str) -> None:
    moved, old, new = MovedLines(before, after), before.split("\n"), after.split("\n")
    for line in range(1, len(old) + 1):
        assert 1 <= moved.later(line) <= len(new)
    middle = MovedLines(f"{before}\nlast", f"{before}\nmore\nlast")
    assert middle.later(len(old) + 1) == len(old) + 2 and middle.earlier(len(old) + 2) == len(old) + 1


def test_settings_in_any_spelling() -> None:
    settings, problems = read_settings(
        {
            "roofscan": {
                "machine": "a100-40gb",
                "perFileIgnores": {"x.py": "RFL1"},
                "inlay-hints": True,
                "code_lens": None,
            }
        }
    )
    assert problems == ()
    assert settings.fields == {"machines": ("a100-40gb",), "per_file_ignores": (("x.py", ("RFL1",)),)}
    assert (settings.inlay_hints, settings.code_lens) == (True, True)


def test_settings_that_cannot_be_read() -> None:
    settings, problems = read_settings({"kernels": "some", "inlayHints": "often", "machine": "a100-40gb"})
    assert settings.fields == {"machines": ("a100-40gb",)}
    assert [problem.partition(":")[0] for problem in problems] == ["setting kernels", "setting inlayHints"]
    assert read_settings(None) == read_settings({}) == read_settings({"roofscan": None})


def test_settings_that_are_not_known() -> None:
    table = {"codeLense": False, "machin": "a100-40gb", "command": ["roofscan", "lsp"]}
    told = (
        "setting codeLense: is not known; did you mean codeLens?",
        "setting machin: is not known; did you mean machine?",
    )
    assert read_settings({"roofscan": table, "pylsp": {}}) == (Settings(), told)
    assert read_settings({"pylsp": {"machin": 3}}) == (Settings(), ())  # of another server


def test_work_that_nobody_waits_for_ends() -> None:
    async def cancelled() -> float:
        worker, started = Worker(), time.monotonic()
        order = asyncio.create_task(worker.run(_endless))
        await asyncio.sleep(0.05)
        order.cancel()
        with pytest.raises(asyncio.CancelledError):
            await order
        assert await worker.run(lambda: 3) == 3
        worker.close()
        return time.monotonic() - started

    assert asyncio.run(cancelled()) < 30


def test_what_a_user_waits_for_comes_first() -> None:
    done: list[str] = []

    async def ordered() -> None:
        worker = Worker()
        first = asyncio.create_task(worker.run(lambda: _until(worker.is_awaited)))
        given_up = asyncio.create_task(worker.run(lambda: done.append("given up")))
        later = asyncio.create_task(worker.run(lambda: done.append("findings")))
        await asyncio.sleep(0.01)
        given_up.cancel()
        await asyncio.gather(first, later, worker.run(lambda: done.append("hover"), urgent=True))
        assert not worker.is_awaited()
        worker.close()

    asyncio.run(ordered())
    assert done == ["hover", "findings"]


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    assert condition()


def _endless() -> None:
    while True:
        spend(100)


def test_a_failure_reaches_who_ordered_the_work() -> None:
    async def failed() -> None:
        await Worker().run(lambda: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(failed())


def test_a_failure_of_an_answer_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    async def answers() -> list[tuple[int, int] | None]:
        server = RoofscanServer()
        monkeypatch.setattr(server, "say", said.append)
        try:
            return [await server.answered(partial(divmod, 1, zero)) for zero in (1, 0, 0)]
        finally:
            server.end()

    assert asyncio.run(answers()) == [(1, 0), None, None]
    assert len(said) == 1 and said[0].startswith("internal error of roofscan: ZeroDivisionError")


def test_a_range_behind_the_text_is_empty() -> None:
    assert Places("a", PositionCodec()).line(7) == types.Range(types.Position(6, 0), types.Position(6, 0))


def test_the_hover_of_a_kernel_has_the_details_of_its_verdict() -> None:
    text = "from numba import njit\n@njit\ndef f(x, y, a):\n    for i in range(len(x)):\n        y[i] += a * x[i]\n"
    report = analyze_source(text, "k.py").kernels[0].reports[0]
    [verdict] = (finding for finding in report.findings if finding.code == report.verdict.code)
    hover = notes_of(report)[0].hover.replace("\\", "")
    assert verdict.detail != verdict.message and f"- RFL102 {verdict.detail}\n" in hover


def test_a_helper_that_moves_nothing_has_no_table() -> None:
    [result] = analyze_source("from numba import njit\n@njit\ndef f(x):\n    return max(0.0, min(1.0, x))\n").kernels
    hover = notes_of(result.reports[0])[0].hover
    assert "`2` FLOPs" in hover and "|" not in hover


def test_the_hover_of_a_loop_has_the_details_of_its_findings() -> None:
    [result] = analyze_source(TOTAL, "f.py").kernels
    [loop] = [note for note in notes_of(result.reports[0]) if note.line == 7]
    [chain] = [finding for finding in result.reports[0].findings if finding.code == "RFL501"]
    assert chain.detail != chain.message and f"- RFL501 {chain.detail}" in loop.hover.replace("\\", "")

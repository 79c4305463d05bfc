"""Threads that share caches: the traffic of ``everyday/threads.py`` against runs whose threads take turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.cost.memory.base import Sharing
from tests.fixture_files import read_fixtures
from tests.oracle import run
from tests.oracle.analysis import analyzed
from tests.oracle.compare import Disagreement, traffic_disagrees
from tests.oracle.words import read_words

KERNELS = {kernel.name: kernel for kernel in read_fixtures(Path(__file__).parent / "everyday" / "threads.py")}
PRIVATE, PAIRS, SHARED = Sharing(1, 4), Sharing(2, 2), Sharing(4, 1)
DRIFT = "threads that do unequal work, or branch on data, meet less often or more often than thought"
ENDS = "rows at the ends of a thread's part are fetched anew in each sweep"
KNOWN = {
    ("assign_clusters", PRIVATE): "a store that a branch seldom reaches counts as part of each iteration",
    ("assign_clusters", PAIRS): DRIFT,
    ("assign_clusters", SHARED): DRIFT,
    ("sweeps", PRIVATE): ENDS,
    ("sweeps", PAIRS): ENDS,
    ("lower_product", SHARED): DRIFT,
    ("covariance", PAIRS): DRIFT,
    ("covariance", SHARED): DRIFT,
    ("weighted", PRIVATE): "one core's cache fetches what the others have written",
    ("weighted", PAIRS): "one core's cache fetches what the others have written",
}
"""Estimates that leave the range of the runs at some capacity."""


@pytest.mark.parametrize("sharing", [PRIVATE, PAIRS, SHARED], ids=["private", "pairs", "shared"])
@pytest.mark.parametrize("name", KERNELS)
def test_traffic_is_that_of_threads_that_take_turns(name: str, sharing: Sharing) -> None:
    kernel = KERNELS[name]
    found: list[Disagreement] = []
    for line in kernel.oracle:
        words = read_words(line, kernel.parameters)
        trace = run(kernel.source, kernel.name, words.arguments)
        found += traffic_disagrees(analyzed(kernel.source, name, words.bind), words, trace, sharing)
    assert bool(found) == ((name, sharing) in KNOWN), found
    assert not any(wrong.claim for wrong in found), found

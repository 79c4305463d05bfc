"""How near bounds are where data end inner loops: no execution makes more trips than all, or reaches further."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.api import Options, analyze_source
from roofscan.pipeline.failures import INTERNAL_ERROR
from tests.cost.memory.near_bounds import bound_and_moved
from tests.fixture_files import read_fixtures
from tests.oracle.analysis import counted

EVERYDAY = Path(__file__).parents[2] / "everyday"
KERNELS = {
    k.name: k for name in ("rows_left_early", "queues_and_tables") for k in read_fixtures(EVERYDAY / f"{name}.py")
}


@pytest.mark.parametrize(
    ("name", "capacity", "most"),
    [
        ("nearest_rows", 512, 1.8),
        ("nearest_rows", 2048, 1.5),
        ("weights_of_labels", 512, 1.4),
        ("seldom_weights", 2048, 3),
        ("left_of_each", 512, 3.5),
        ("assign_clusters", 2048, 3.6),
        ("knapsack", 512, 4.6),
    ],
)
def test_bound_is_near_the_run(name: str, capacity: int, most: float) -> None:
    mine, moved = bound_and_moved(KERNELS[name], capacity)
    assert 0.95 * moved <= mine <= most * moved


@pytest.mark.parametrize("words", ["", "x=f8[8] limit=4.0", "x=f8[40]"])
@pytest.mark.parametrize("name", ["sums_until_full", "slices_until_full"])
def test_data_decide_how_many_rows_there_are(name: str, words: str) -> None:
    cost = counted(KERNELS[name].source, name, words).cost
    assert cost.status == "parametric"
    assert any(symbol.startswith("trips_") for symbol in cost.flops.symbols)


NODES = """
def places_of(graph, every):
    graph, face = (graph, list(graph.nodes))
    ordered = in_order(graph, face)
    for k in range(3, len(ordered)):
        node, around = ordered[k]

def in_order(graph, face):
    first = face[0]
    for k in range(len(graph.nodes()) - 1, 1, -1):
        at = first
        while at != last:
            behind = graph[node][at]["next"]
"""


def test_memory_that_is_fresh_in_a_loop_of_unknown_trips_may_be_anywhere() -> None:
    kernels = analyze_source(NODES, options=Options(kernels="all")).kernels
    assert kernels and not any(f.code == INTERNAL_ERROR for k in kernels for f in k.findings)

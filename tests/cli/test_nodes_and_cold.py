"""``--cold`` and ``--nodes``: times of a first call, and the level beyond memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sympy

import roofscan
from roofscan.cli import main

DATA = Path(roofscan.__file__).parent / "machine" / "data"

KERNELS = """
from numba import njit

@njit
def jacobi(u, v):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

@njit
def gathered(x, index, y):
    for i in range(y.shape[0]):
        y[i] = 2.0 * x[index[i]]
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "kernels.py").write_text(KERNELS)
    return str(tmp_path / "kernels.py")


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    shipped = (DATA / "generic-x86-64.toml").read_text()
    network = '[network]\nbandwidth_all = { nameplate = 12.5e9, source = "100 Gbit/s" }\n'
    (tmp_path / "cluster.toml").write_text(shipped + network)
    return str(tmp_path / "cluster.toml")


def kernel(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["report", *words, "--format", "json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["kernels"]
    return dict(found)


@pytest.mark.parametrize("n", [50, 400, 3000])
def test_a_first_call_takes_longer_and_moves_the_same(n: int, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"{source}::jacobi", "--bind", f"u=f8[{n},{n}]"]
    warm, cold = kernel(capsys, *words), kernel(capsys, *words, "--cold")
    assert warm["levels"][-1]["traffic"] == cold["levels"][-1]["traffic"]
    seconds = [one["verdict"]["time_seconds"]["expected"]["value"] for one in (warm, cold)]
    assert seconds[0] < seconds[1] < seconds[0] + 24 * n * n / 16e9 * 1.5
    assert cold["verdict"]["limit"] == "DRAM"


@pytest.mark.parametrize("words", [["--cold"], ["--nodes", "16"]])
def test_times_of_free_sizes_hold_where_they_are_bound(
    words: list[str], source: str, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    common = [f"{source}::jacobi", "--machine", cluster, *words]
    verdict = kernel(capsys, *common)["verdict"]
    [size] = verdict["sizes"].values()
    bound = kernel(capsys, *common, "--bind", f"n={size}")["verdict"]["time_seconds"]["expected"]["value"]
    expr = verdict["time_seconds"]["expected"]["expr"]
    assert float(sympy.sympify(expr).subs("n", size)) == pytest.approx(bound, rel=1e-3)


def test_the_text_says_which_call(source: str, cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["report", f"{source}::jacobi", "--bind", "u=f8[1000,1000]"]
    assert main([*words, "--cold"]) == 0
    assert "a first call" in capsys.readouterr().out
    assert main([*words, "--nodes", "16", "--machine", cluster]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "a call on 16 nodes" in printed and "network → DRAM" in printed
    assert "4 × 4 nodes, each with a block; each receives 8*n - 16 = 7984 B" in printed


def test_the_network_has_a_ridge_and_binds_small_blocks(
    source: str, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"{source}::jacobi", "--machine", cluster, "--bind"]
    large = kernel(capsys, *words, "u=f8[10000,10000]", "--nodes", "16")
    assert large["network"]["grid"] == [4, 4] and large["network"]["bound"] == "compute"
    assert large["network"]["received"] == {"expr": "8*n - 16", "value": 79984}
    assert large["network"]["intensity"]["value"] == pytest.approx(4 * 9998**2 / 16 / 79984)
    assert large["network"]["ridge"] == pytest.approx(24e9 / 12.5e9)
    small = kernel(capsys, *words, "u=f8[66,66]", "--nodes", "1024")
    assert small["network"]["bound"] == "memory"
    assert small["verdict"]["shares"]["network"] > 0
    assert sum(small["verdict"]["shares"].values()) == pytest.approx(1)


def test_what_is_not_known_is_said(source: str, cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"{source}::gathered", "--machine", cluster, "--nodes", "4"]
    found = kernel(capsys, *words, "--bind", "y=f8[100] x=f8[100]")
    assert found["network"]["received"]["expr"] is None and "not affine" in found["network"]["why"]
    assert "the data that nodes exchange are not known" in found["verdict"]["time_seconds"]["reason"]


@pytest.mark.parametrize("command", ["report", "check"])
def test_nodes_need_a_network(command: str, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, source, "--nodes", "4"]) == 2
    assert "generic-x86-64 has no network; add [network]" in capsys.readouterr().err
    assert main([command, source, "--nodes", "none"]) == 2
    assert '"none" is not a number of machines' in capsys.readouterr().err

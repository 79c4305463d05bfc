"""``--executor dask:ADDRESS``: the same output as processes, from workers that share no disk with the command."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roofscan.cli import main
from roofscan.files import at_hand, read_bytes
from roofscan.parse.reader.package import imported_files
from tests.fixture_files import FIXTURES

distributed = pytest.importorskip("distributed")

WAIT = 60.0  # seconds for a cluster to start


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, in processes of their own, each in an empty folder."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    commands = [[*scheduler, "--no-dashboard"], *[[*worker, "--no-dashboard"]] * 2]
    started = []
    for command in commands:
        folder = tmp_path_factory.mktemp("node")
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        quiet = subprocess.DEVNULL
        started.append(subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet))
    try:
        with distributed.Client(address, timeout=WAIT, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=WAIT)
        yield address, started
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose kernel calls a helper of another file, and some fixtures."""
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "helper.py").write_text("from numba import njit\n\n\n@njit\ndef twice(a):\n    return 2.0 * a\n")
    (folder / "kernels.py").write_text(
        "from numba import njit\nfrom .helper import twice\n\n\n@njit\ndef scale(x, y):\n"
        "    for i in range(x.shape[0]):\n        y[i] = twice(x[i]) + 1.0\n"
    )
    for name in ("streams", "sparse"):
        shutil.copy(FIXTURES / f"{name}.py", folder)
    monkeypatch.chdir(tmp_path)
    return folder


def _out(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(words)
    return capsys.readouterr().out


def test_a_cluster_prints_what_processes_print(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remote = ("--executor", f"dask:{cluster[0]}")
    for command in (("check", "--no-cache"), ("report", "--format", "json")):
        here, there = (_out(capsys, *command, *more, "pkg") for more in (("--jobs", "1"), remote))
        assert here and there == here


def test_records_of_workers_are_kept_here(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _out(capsys, "check", "--executor", f"dask:{cluster[0]}", "pkg")
    assert any(Path(".roofscan_cache").glob("*.json"))
    assert _out(capsys, "check", "--executor", "dask:tcp://127.0.0.1:1", "pkg") == first  # all of it is known


def test_a_workers_death_costs_a_retry(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address, (_, first, _) = cluster
    command = ["-m", "roofscan", "check", "--no-cache", "--executor", f"dask:{address}", "pkg"]
    expected = _out(capsys, "check", "--no-cache", "--jobs", "1", "pkg")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    running = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, env=environment)
    time.sleep(2.0)
    first.kill()
    out, _ = running.communicate(timeout=120)
    assert out.decode() == expected


def test_no_scheduler_is_one_line_within_ten_seconds(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    code = main(["check", "--no-cache", "--executor", "dask:tcp://127.0.0.1:1", "pkg"])
    assert time.monotonic() - started < 10
    assert code == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in capsys.readouterr().err


def test_the_files_that_a_file_may_read(package: Path) -> None:
    names = {os.path.relpath(name) for name in imported_files("pkg/kernels.py")}
    assert names == {"pkg/kernels.py", "pkg/helper.py", "pkg/__init__.py"}


def test_only_what_was_sent_is_there() -> None:
    with at_hand({"a.py": b"x = 1\n"}):
        assert read_bytes("./a.py") == b"x = 1\n"
        with pytest.raises(FileNotFoundError):
            read_bytes(__file__)

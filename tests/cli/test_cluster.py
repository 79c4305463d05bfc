"""``--executor dask:ADDRESS``: the same output as processes, from workers that share no disk with the command."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest

from roofscan.cli import main
from roofscan.cli.cluster import _answering, _awaited, _close, _connected, _there
from roofscan.cli.errors import UsageError
from roofscan.cli.sending import Folder, Sender
from roofscan.cli.targets import Target
from roofscan.config.options import Options
from roofscan.files import at_hand, python_files, read_bytes
from tests.fixture_files import FIXTURES

distributed = pytest.importorskip("distributed")

WAIT = 60.0  # seconds for a cluster to start
PATIENT = "10s"  # how long a worker asks a dead one for data, over and over; 30 s by Dask's default


Processes = list[subprocess.Popen[bytes]]
TREE = Path(__file__).parents[2]


def _started(folder: Path, *words: str, tree: Path = TREE) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", *words, "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": PATIENT}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)


def _scheduler(folder: Path, tree: Path = TREE) -> tuple[str, subprocess.Popen[bytes]]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port))
    scheduler = _started(folder, *words, tree=tree)
    return f"tcp://127.0.0.1:{port}", scheduler


def _worker(folder: Path, address: str, tree: Path = TREE) -> subprocess.Popen[bytes]:
    return _started(folder, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", tree=tree)


@contextmanager
def _ended(processes: Processes) -> Iterator[None]:
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _wait_for(address: str, workers: int) -> None:
    with distributed.Client(address, timeout=WAIT, set_as_default=False) as client:
        until = time.monotonic() + WAIT
        while len(client.nthreads()) != workers:
            assert time.monotonic() < until
            time.sleep(0.02)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Processes]]:
    """A scheduler and two workers, in processes of their own, each in an empty folder."""
    address, scheduler = _scheduler(tmp_path_factory.mktemp("scheduler"))
    workers = [_worker(tmp_path_factory.mktemp("worker"), address) for _ in range(2)]
    with _ended([scheduler, *workers]):
        _wait_for(address, 2)
        yield address, workers


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
    cluster: tuple[str, Processes], package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("script.py").write_text((package / "kernels.py").read_text().replace("from .helper", "from pkg.helper"))
    remote = ("--executor", f"dask:{cluster[0]}")
    for command in (("check", "--no-cache"), ("report", "--format", "json")):
        here, there = (_out(capsys, *command, *more, "pkg") for more in (("--jobs", "1"), remote))
        assert here and there == here


def test_records_of_workers_are_kept_here(
    cluster: tuple[str, Processes], package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _out(capsys, "check", "--executor", f"dask:{cluster[0]}", "pkg")
    assert any(Path(".roofscan_cache").glob("*.json"))
    assert _out(capsys, "check", "--executor", "dask:tcp://127.0.0.1:1", "pkg") == first  # all of it is known


def test_a_workers_death_costs_a_retry(
    cluster: tuple[str, Processes], package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of two workers is killed while it works on a file."""
    address, (first, second) = cluster
    command = ["-m", "roofscan", "check", "--no-cache", "--executor", f"dask:{address}", "pkg"]
    expected = _out(capsys, "check", "--no-cache", "--jobs", "1", "pkg")
    environment = {**os.environ, "PYTHONPATH": str(TREE)}
    with distributed.Client(address, timeout=WAIT, set_as_default=False) as client:
        places = client.run(os.getpid)
        running = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, env=environment)
        killed = next(place for place, process in places.items() if process == first.pid)
        until = time.monotonic() + WAIT
        while not any("_there" in str(key) for key in client.processing()[killed]):
            assert time.monotonic() < until
            time.sleep(0.01)
        first.kill()
    out, _ = running.communicate(timeout=120)
    assert out.decode() == expected and running.returncode == 1
    assert first.wait() and second.poll() is None


def test_a_worker_that_dies_once_it_told_its_version(
    package: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its answer dies with it, and nobody else may answer for it."""
    folder, expected = tmp_path_factory.mktemp("nodes"), _out(capsys, "check", "--no-cache", "--jobs", "1", "pkg")
    address, scheduler = _scheduler(folder)
    workers = [_worker(folder, address) for _ in range(2)]

    def wait_and_kill(*asked: Any, **options: Any) -> None:
        distributed.client.wait(*asked, **options)
        workers[0].kill()
        workers[0].wait()

    monkeypatch.setattr(distributed, "wait", wait_and_kill)
    with _ended([scheduler, *workers]):
        _wait_for(address, 2)
        assert _out(capsys, "check", "--no-cache", "--executor", f"dask:{address}", "pkg") == expected


def test_a_scheduler_that_stops_before_the_answers_are_read(
    package: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path_factory.mktemp("nodes")
    address, scheduler = _scheduler(folder)
    worker = _worker(folder, address)

    def wait_and_kill(asked: Any, **options: Any) -> None:
        distributed.client.wait(asked, **options)
        worker.kill()
        scheduler.kill()
        scheduler.wait()

    monkeypatch.setattr(distributed, "wait", wait_and_kill)
    with _ended([scheduler, worker]):
        _wait_for(address, 1)
        assert main(["check", "--no-cache", "--executor", f"dask:{address}", "pkg"]) == 2
    assert f"the scheduler at {address} has stopped" in capsys.readouterr().err


def _refused(capsys: pytest.CaptureFixture[str], address: str) -> str:
    """The one line of an error that comes within ten seconds."""
    started = time.monotonic()
    assert main(["check", "--no-cache", "--executor", f"dask:{address}", "pkg"]) == 2
    assert time.monotonic() - started < 10
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_no_scheduler_is_one_line_within_ten_seconds(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for address in ("tcp://127.0.0.1:1", "tcp://", "http://127.0.0.1:1", "tls://127.0.0.1:1"):
        assert f"no Dask scheduler answers at {address}" in _refused(capsys, address)


def test_a_scheduler_that_says_nothing_is_one_line(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.socket()) as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        assert f"no Dask scheduler answers at {address} (no answer within 3 seconds)" in _refused(capsys, address)


def test_a_server_of_another_kind_is_one_line(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        Thread(target=_answer, args=(server, b"HTTP/1.1 400 Bad Request\r\n\r\n"), daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert f"no Dask scheduler answers at {address} (the server that answers is not a scheduler)" in _refused(
            capsys, address
        )


def _answer(server: socket.socket, data: bytes) -> None:
    peer = server.accept()[0]
    peer.sendall(data)
    peer.recv(1)


def test_workers_of_another_version_are_refused(
    package: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the start, and when one comes later; then the last worker leaves."""
    folder, tree = tmp_path_factory.mktemp("nodes"), tmp_path_factory.mktemp("tree")
    shutil.copytree(TREE / "roofscan", tree / "roofscan", ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "roofscan" / "errors.py").open("a").write("# another version\n")
    address, scheduler = _scheduler(folder)
    other = _worker(folder, address, tree)
    with _ended([scheduler, other]):
        _wait_for(address, 1)
        assert "has another version of roofscan" in _refused(capsys, address)
        with distributed.Client(address, timeout=WAIT) as client:
            late = client.submit(_there, "work_on", "another program", b"")
            with pytest.raises(UsageError, match="has another version of roofscan"):
                _awaited(late, address, "a.py")
            never = client.submit(time.sleep, 60.0)
            other.kill()
            with pytest.raises(UsageError, match="no worker is left"):
                _awaited(never, address, "a.py")


def test_who_has_no_roofscan(
    package: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scheduler needs none, and a worker says so, each time that it is asked."""
    folder, tree = tmp_path_factory.mktemp("nodes"), tmp_path_factory.mktemp("tree")
    (tree / "roofscan").mkdir()
    (tree / "roofscan" / "__init__.py").write_text("raise ImportError('no roofscan here')\n")
    address, scheduler = _scheduler(folder, tree)
    lacking = _worker(folder, address, tree)
    with _ended([scheduler, lacking]):
        _wait_for(address, 1)
        for _ in range(2):
            assert "cannot run this roofscan (no roofscan here); install it there" in _refused(capsys, address)
        with distributed.Client(address, timeout=WAIT) as client, pytest.raises(UsageError, match="install it there"):
            _awaited(client.submit(_there, "work_on", "", b""), address, "a.py")
        lacking.kill()
        _wait_for(address, 0)
        worker = _worker(folder, address)
        with _ended([worker]):
            _wait_for(address, 1)
            expected = _out(capsys, "check", "--no-cache", "pkg")
            assert _out(capsys, "check", "--no-cache", "--executor", f"dask:{address}", "pkg") == expected


def test_a_scheduler_that_dies_is_one_line(
    package: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("nodes")
    address, scheduler = _scheduler(folder)
    worker = _worker(folder, address)
    with _ended([scheduler, worker]):
        _wait_for(address, 1)
        client = _connected(address)
        never = client.submit(time.sleep, 60.0)
        scheduler.kill()
        with pytest.raises(UsageError, match=r"has stopped|no Dask scheduler answers"), _answering(address):
            _awaited(never, address, "a.py")
        _close(client)


class _Here:
    """A client that does at once what is submitted, and counts it."""

    def __init__(self) -> None:
        self.sent = 0

    def submit(self, function: Callable[[Any], Any], argument: Any, **_: Any) -> Any:
        self.sent += function is zlib.decompress
        return function(argument)


def _names(folders: list[Folder]) -> list[set[str]]:
    return [set(cast(dict[str, bytes], folder.on("a worker"))) for folder in folders]


def test_the_files_that_travel(package: Path) -> None:
    """Those of a package travel once for all of its files, and for none without kernels. A file outside of any goes
    with those beside it and the packages that these name."""
    Path("script.py").write_text("from beside import run  # numba\n")
    Path("beside.py").write_text("import pkg\n")
    for name in ("pkg/inner", "other"):
        Path(name).mkdir()
        Path(name, "__init__.py").write_text("")
    here = _Here()
    sender = Sender(cast(Any, here), Options())
    own, kernels = sender.files(Target("pkg/kernels.py"))
    assert set(own) == {"pkg/kernels.py"} and sender.files(Target("pkg/helper.py"))[1] == kernels
    inside = {f"pkg/{name}.py" for name in ("__init__", "helper", "inner/__init__", "kernels", "sparse", "streams")}
    assert _names(kernels) == [inside] and here.sent == 1
    assert sender.files(Target("beside.py")) == ({"beside.py": b"import pkg\n"}, [])
    assert len(sender.files(Target("beside.py", ("run",)))[1]) == 2
    assert _names(sender.files(Target("script.py"))[1]) == [{"script.py", "beside.py"}, inside]


def test_sent_folders_hold_what_those_on_disk_hold(package: Path) -> None:
    for name in ("pkg/a/z.py", "pkg/b.py", "pkg/a.py", "not-a-name/c.py", "loose.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    names = [os.path.normpath(path) for path in map(str, Path().rglob("*.py"))]
    for folder, below, most in product((".", "pkg", "./pkg", "pkg/a"), (True, False), (4, 99)):
        on_disk = python_files(folder, below, most)
        with at_hand(dict.fromkeys([*names, "/elsewhere/d.py", "../e.py"], b"")):
            assert python_files(folder, below, most) == on_disk


def test_only_what_was_sent_is_there() -> None:
    with at_hand({"a.py": b"x = 1\n"}):
        assert read_bytes("./a.py") == b"x = 1\n"
        with pytest.raises(FileNotFoundError):
            read_bytes(__file__)

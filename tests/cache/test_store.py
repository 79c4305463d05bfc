"""The folder of records: each is complete or absent, with concurrent writers, killed writers and broken files."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roofscan.cache import store as module
from roofscan.cache.store import Store

NAME = "0123456789abcdef" * 2
OTHER = "f" * 32
RECORD = {"text": "é", "units": {"a": [1, None, True]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_what_is_written_is_read(folder: Path) -> None:
    Store(str(folder)).write(NAME, RECORD)
    assert Store(str(folder)).read(NAME) == RECORD
    assert Store(str(folder)).read(OTHER) is None


def test_git_and_backups_leave_the_folder_alone(folder: Path) -> None:
    Store(str(folder)).write(NAME, RECORD)
    assert (folder / ".gitignore").read_text().splitlines()[-1] == "*"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_a_users_folder_is_not_marked(folder: Path) -> None:
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    Store(str(folder)).write(NAME, RECORD)
    assert sorted(path.name for path in folder.iterdir()) == [f"{NAME}.json", "notes.txt"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-3],
        lambda data: data.replace(b"true", b"null"),
        lambda data: b"",
        lambda data: b"\xff\xfe" + data,
        lambda data: data.split(b"\n")[1],
        lambda data: data + data,
    ],
    ids=["cut", "changed", "empty", "noise", "no checksum", "twice"],
)
def test_a_spoiled_record_is_none(folder: Path, spoil: object) -> None:
    store = Store(str(folder))
    store.write(NAME, RECORD)
    path = folder / f"{NAME}.json"
    path.write_bytes(spoil(path.read_bytes()))  # type: ignore[operator]
    assert store.read(NAME) is None
    store.write(NAME, RECORD)
    assert store.read(NAME) == RECORD


def test_a_folder_in_place_of_a_record_is_none(folder: Path) -> None:
    (folder / f"{NAME}.json").mkdir(parents=True)
    store = Store(str(folder))
    store.write(NAME, RECORD)
    assert store.read(NAME) is None
    assert not list(folder.glob(".*.tmp"))


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "home")
    Store(str(tmp_path / "cache")).write(NAME, RECORD)
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize("name", ["missing/deep/cache", "file", "nul\0l"])
def test_what_cannot_be_written_is_not_kept(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "missing").write_text("")
    store = Store(str(tmp_path / name))
    store.write(NAME, RECORD)
    assert store.read(NAME) is None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read(folder: Path) -> None:
    Store(str(folder)).write(NAME, RECORD)
    folder.chmod(0o500)
    store = Store(str(folder))
    store.write(OTHER, RECORD)
    assert (store.read(NAME), store.read(OTHER)) == (RECORD, None)
    folder.chmod(0o700)


def test_the_folder_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(folder))
    for number in range(20):
        store.write(f"{number:032x}", {"text": "x" * 1000})
        os.utime(folder / f"{number:032x}.json", (number, number))
    (folder / "notes.txt").write_text("x" * 5000)
    monkeypatch.setattr(module, "MAX_FOLDER_BYTES", 10_000)
    monkeypatch.setattr(module, "_prepared", set())  # as in a process of its own
    Store(str(folder)).write(NAME, RECORD)
    left = sorted(path.name for path in folder.glob("*.json"))
    assert NAME + ".json" in left and f"{19:032x}.json" in left
    assert f"{0:032x}.json" not in left
    assert sum((folder / name).stat().st_size for name in left) <= 11_000
    assert (folder / "notes.txt").exists()


def test_the_folder_is_tidied_once_a_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tidied: list[str] = []
    monkeypatch.setattr(Store, "_tidy", lambda store: tidied.append(store.folder))
    for number in range(3):  # every file of a check has a store of its own
        Store(str(folder)).write(f"{number:032x}", RECORD)
    assert tidied == [str(folder)]
    shutil.rmtree(folder)
    Store(str(folder)).write(NAME, RECORD)
    assert Store(str(folder)).read(NAME) == RECORD


def test_a_record_in_use_stays_young(folder: Path) -> None:
    store = Store(str(folder))
    store.write(NAME, RECORD)
    path = folder / f"{NAME}.json"
    os.utime(path, (0, 0))
    store.read(NAME)
    assert time.time() - path.stat().st_mtime < 60


def test_a_huge_record_is_not_kept(folder: Path) -> None:
    store = Store(str(folder))
    store.write(NAME, {"text": "x" * module.MAX_FILE_BYTES})
    assert store.read(NAME) is None


def _write_many(folder: str, seed: int) -> None:
    store = Store(folder)
    for number in range(200):
        store.write(NAME, {"writer": seed, "body": [seed] * (number % 50)})


def test_several_writers_at_once(folder: Path) -> None:
    writers = [multiprocessing.Process(target=_write_many, args=(str(folder), seed)) for seed in range(3)]
    for writer in writers:
        writer.start()
    seen = False
    while any(writer.is_alive() for writer in writers):
        there = Store(str(folder)).read(NAME) is not None
        assert there or not seen
        seen = there
        writers[0].join(0.001)  # a reader that never waits takes the writers' time
    last = Store(str(folder)).read(NAME)
    assert last is not None and last["body"] == [last["writer"]] * 49
    assert not list(folder.glob(".*.tmp"))


FOREVER = """
import sys
from roofscan.cache.store import Store
store, number = Store(sys.argv[1]), 0
while True:
    store.write(f"{number % 7:032x}", {"body": [number] * 5000})
    number += 1
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_kill_at_any_moment(folder: Path) -> None:
    for pause in (0.0, 0.003, 0.01):
        writer = subprocess.Popen([sys.executable, "-c", FOREVER, str(folder)])
        while not (folder / f"{6:032x}.json").exists():
            time.sleep(0.005)
        time.sleep(pause)
        writer.kill()
        writer.wait()
        for number in range(7):
            record = Store(str(folder)).read(f"{number:032x}")
            assert record is not None and len(set(record["body"])) == 1

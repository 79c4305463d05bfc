"""The packages of the corpus: their wheels downloaded by pip, their ``.py`` files unpacked. Nothing is installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

LIST = Path(__file__).parent / "corpus.txt"
DOWNLOAD = (
    "-m",
    "pip",
    "download",
    "--quiet",
    "--no-deps",
    "--only-binary",
    ":all:",
    "--ignore-requires-python",
)
NEWER = ("--python-version", "3.12")
MOST_BYTES = 500_000_000  # of one wheel's .py files, unpacked


def listed() -> list[str]:
    """The requirements of the list: ``name==version``."""
    lines = (line.strip() for line in LIST.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def fetch(requirement: str, folder: Path) -> Path | None:
    """The folder of a package's files, downloaded if it is not there; None where there is no wheel."""
    name = requirement.partition("==")[0].replace("-", "_")
    target = folder / "unpacked" / requirement.replace("==", "-")
    if target.is_dir():
        return target
    wheel = next(_wheels(folder, name), None) or _download(requirement, folder, name)
    return None if wheel is None else _unpack(wheel, target)


def _wheels(folder: Path, name: str) -> Iterator[Path]:
    return (path for path in folder.glob("*.whl") if path.name.lower().startswith(f"{name.lower()}-"))


def _download(requirement: str, folder: Path, name: str) -> Path | None:
    folder.mkdir(parents=True, exist_ok=True)
    for options in (NEWER, ()):
        command = [sys.executable, *DOWNLOAD, *options, "--dest", str(folder), requirement]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return next(_wheels(folder, name), None)
    return None


def _unpack(wheel: Path, target: Path) -> Path:
    """A wheel is a zip file; only its ``.py`` files are written, and only inside ``target``."""
    partial = target.with_name(f"{target.name}.part")
    with zipfile.ZipFile(wheel) as archive:
        sources = [entry for entry in archive.infolist() if entry.filename.endswith(".py")]
        if sum(entry.file_size for entry in sources) > MOST_BYTES:
            raise ValueError(f"{wheel.name} is too large")
        for entry in sources:
            archive.extract(entry, partial)  # zipfile keeps names inside the folder
    partial.mkdir(parents=True, exist_ok=True)
    return partial.rename(target)

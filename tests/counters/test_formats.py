"""Files of other tools, in the form that each writes: kernels, seconds, FLOPs and bytes of one call."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.counters.read import read_measured
from roofscan.errors import OptionError
from roofscan.measurement import MEMORY, Measurement

DATA = Path(__file__).parent / "data"


def read(name: str, kernel: str = "") -> list[Measurement]:
    return list(read_measured(f"{kernel}={DATA / name}" if kernel else str(DATA / name)).measurements)


@pytest.mark.parametrize("name", ["nsight_long.csv", "nsight_raw.csv"])
def test_nsight_compute(name: str) -> None:
    copy, jacobi, product = read(name)
    assert "jacobi2d" in jacobi.kernel and jacobi.tool == "Nsight Compute"
    assert jacobi.seconds == pytest.approx(695.488e-6, rel=1e-3)
    assert jacobi.bytes[MEMORY] == pytest.approx(1208760832 + 1190341120, rel=1e-2)
    assert jacobi.bytes["L2"] == 2540296768 + 1812191968
    assert jacobi.bytes["L1"] == 5132206208 + 1207762944
    assert jacobi.flops == pytest.approx(603783184, abs=4)
    assert product.flops == 137438953472
    assert copy.flops == 0 and product.seconds == pytest.approx(17.0704e-3, rel=1e-3)


def test_launches_of_one_configuration_are_averaged() -> None:
    [copy, *_] = read("nsight_raw.csv")
    assert copy.calls == 2 and copy.bytes[MEMORY] == 536875776 + 515976704


def test_the_sections_of_nsight_compute() -> None:
    [jacobi] = read("nsight_sections.csv")
    assert jacobi.seconds == pytest.approx(695.49e-6)
    assert jacobi.bytes == {MEMORY: pytest.approx(3.45e12 * 695.49e-6)}
    assert jacobi.flops is None


def test_regions_of_likwid() -> None:
    jacobi, setup = read("likwid_regions.csv")
    assert (jacobi.kernel, jacobi.calls, jacobi.tool) == ("jacobi", 10, "LIKWID")
    assert jacobi.seconds == pytest.approx(0.1204512)
    assert jacobi.bytes == {MEMORY: pytest.approx(2.40176e9)}
    assert jacobi.flops == pytest.approx(3320.855e6 * 0.1204512)
    assert setup.bytes == {} and setup.flops == 0


def test_a_run_of_likwid_without_regions() -> None:
    [whole] = read("likwid_whole.csv")
    assert (whole.kernel, whole.seconds, whole.flops) == ("", 0.1204, None)
    assert whole.bytes == {"L3": pytest.approx(2.4202e9)}
    assert read("likwid_whole.csv", "jacobi")[0].kernel == "jacobi"


def test_perf_stat() -> None:
    [run] = read("perf.csv")
    assert run.kernel == "" and run.seconds == pytest.approx(1.20692618)
    assert run.flops == 120004 + 4 * 99970010
    assert run.bytes == {MEMORY: pytest.approx((15271.5 + 7633.59) * 2**20)}


def test_perf_stat_with_another_separator_and_repeats() -> None:
    [run] = read("perf_repeated.csv")
    assert run.seconds == pytest.approx(0.12045 / 0.998)
    assert run.bytes == {"L2": 64 * (62552044 + 31270011)}


def test_figures_of_several_calls_are_divided() -> None:
    [run] = read("perf.csv", "jacobi@10")
    assert run.kernel == "jacobi" and run.calls == 10
    assert run.seconds == pytest.approx(0.120692618) and run.flops == (120004 + 4 * 99970010) / 10


def test_a_plain_table() -> None:
    first, second, _ = read("plain.csv")
    assert (first.kernel, first.seconds, first.flops) == ("solver.jacobi", 0.12045, 399840016)
    assert first.bytes == {MEMORY: 2.4e9} and first.sizes == {"n": 10000, "m": 10000}
    assert second.bytes == {"L2": 4.1e7} and second.flops is None
    assert second.place.endswith("plain.csv:3")


BAD = {
    "nothing": ("", "1: is not the output of ncu"),
    "prose": ("Profiling took 5 s.\nDone.\n", "1: is not the output of ncu"),
    "cells": ("kernel,seconds\nf,1,2\n", "2: has 3 cells, and the header 2"),
    "number": ("kernel,seconds\nf,1\ng,fast\n", '3: "fast" is not a number'),
    "sign": ("kernel,seconds\nf,-1\n", '2: "-1" cannot have been measured'),
    "endless": ("kernel,seconds\nf,1e999\n", '2: "1e999" cannot have been measured'),
    "json": ('{"schema":\n', "is not JSON; write it again with roofscan measure"),
    "schema": ('{"schema": "else"}\n', "1: has no schema roofscan-measured/1"),
    "figure": ('{"schema": "roofscan-measured/1", "measurements": [{"kernel": "f"}]}', "1: lacks a figure"),
    "launches": ('==PROF==\n"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n', "2: holds no launch"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(OptionError) as raised:
        read_measured(str(file))
    assert str(raised.value).startswith(f"{file}:") and message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"No such file.*; name a file"):
        read_measured(str(tmp_path / "none.csv"))
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(OptionError, match="UTF-8; export it as CSV"):
        read_measured(str(tmp_path / "binary.csv"))

"""The JSON contract: its schema, its values, and that it is strict and always the same."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import roofscan
from roofscan.finding import Finding, Subject
from roofscan.report.figures import plain_number, ratio_text, ratio_value, value_of
from roofscan.report.json_ import caches_json, machine_json, render_findings, render_json
from roofscan.roofline.model import Advice, KernelReport, Ratio
from roofscan.symbolic.expr import Expr, symbol
from roofscan.transformation import LoopRecord, TransformationRecord
from tests.support.handmade_reports import TOY, N, axpy_report, cache_report, movement, rational, unsupported_report

SCHEMA = json.loads((Path(roofscan.__file__).parent / "report" / "schema.json").read_text())
OTHER = replace(TOY, name="other")


def rendered(*kernels: tuple[KernelReport, ...]) -> dict[str, Any]:
    machines = [machine_json(r.machine) if r.machine else caches_json([512, 32768], 64) for r in kernels[0]]
    text = render_json(kernels, machines)
    document: dict[str, Any] = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    jsonschema.validate(document, SCHEMA)
    return document


def test_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_schema_refuses_what_the_contract_forbids() -> None:
    document = rendered((axpy_report(),))
    del document["kernels"][0]["levels"][0]["ridge"]
    with pytest.raises(jsonschema.ValidationError, match="ridge"):
        jsonschema.validate(document, SCHEMA)


def test_free_sizes_leave_values_null() -> None:
    [kernel] = rendered((axpy_report(),))["kernels"]
    assert kernel["flops"]["expr"] == "2*n"
    assert kernel["flops"]["value"] is None
    assert kernel["flops"]["by_class"]["mul"] == {"expr": "n", "value": None}
    assert kernel["compulsory"]["expr"] == "24*n"
    assert kernel["verdict"]["attainable_flops"]["value"] is None
    assert kernel["symbols"] == {"n": "x.shape[0]"}


def test_bound_sizes_give_integers() -> None:
    [kernel] = rendered((axpy_report(1000),))["kernels"]
    assert kernel["flops"]["value"] == 2000
    assert isinstance(kernel["flops"]["value"], int)
    memory = kernel["levels"][-1]
    assert [memory[part]["value"] for part in ("load", "fill", "writeback")] == [16000, 0, 8000]
    assert memory["arrays"]["y"]["writeback"] == {"expr": "8*n", "value": 8000}
    assert kernel["verdict"]["attainable_flops"]["value"] == pytest.approx(16e9 / 12)


def test_an_intensity_without_symbols_has_its_value() -> None:
    [kernel] = rendered((axpy_report(),))["kernels"]
    assert kernel["levels"][0]["intensity"] == {"expr": "1/12", "value": pytest.approx(1 / 12)}


def test_fills_count_where_the_machine_allocates_on_write() -> None:
    report = axpy_report(10, replace(TOY, write_allocate=True))
    assert report.compulsory is not None
    filled = replace(report, compulsory=replace(report.compulsory, total=movement(8 * N, 8 * N, 8 * N)))
    [kernel] = rendered((filled,))["kernels"]
    assert kernel["compulsory"]["value"] == 240
    [kernel] = rendered((replace(filled, machine=TOY),))["kernels"]
    assert kernel["compulsory"]["value"] == 160


def test_levels_keep_their_order_and_names() -> None:
    [kernel] = rendered((axpy_report(),))["kernels"]
    assert [(level["name"], level["capacity"]) for level in kernel["levels"]] == [
        ("L1", 0),
        ("L2", 32768),
        ("DRAM", 2**20),
    ]


def test_caches_have_neither_ridge_nor_bound() -> None:
    document = rendered((cache_report(8),))
    [kernel] = document["kernels"]
    assert [level["name"] for level in kernel["levels"]] == ["512", "32768"]
    assert all(level["ridge"] is None and level["bound"] is None for level in kernel["levels"])
    assert kernel["verdict"]["attainable_flops"]["value"] is None
    assert document["machine"]["name"] is None


def test_an_unsupported_kernel_invents_nothing() -> None:
    [kernel] = rendered((unsupported_report(),))["kernels"]
    assert kernel["flops"] == {"expr": None, "value": None, "by_class": {}}
    assert kernel["footprint"] == {"expr": None, "value": None, "status": "unknown"}
    assert kernel["levels"] == []
    assert kernel["reasons"][0]["message"] == "a call of an unknown function"


def test_unknown_traffic_is_null() -> None:
    report = axpy_report(10)
    first = report.levels[0]
    unknown = replace(first, traffic=replace(first.traffic, status="unknown", why="line 3: a gather"))
    [kernel] = rendered((replace(report, levels=(unknown,)),))["kernels"]
    level = kernel["levels"][0]
    assert level["load"] == {"expr": None, "value": None}
    assert level["intensity"] is None
    assert level["arrays"] == {}


def test_other_machines_are_listed_after_the_first() -> None:
    document = rendered((axpy_report(), axpy_report(machine=OTHER)))
    assert document["machine"]["name"] == "toy"
    assert [m["name"] for m in document["machines"]] == ["toy", "other"]
    [elsewhere] = document["kernels"][0]["elsewhere"]
    assert elsewhere["machine"] == "other"
    assert len(elsewhere["levels"]) == 3


def test_fused_movement_is_there_only_if_it_is_known() -> None:
    report = axpy_report(10)
    fused = replace(report, levels=(replace(report.levels[0], fused=movement(N, N)),))
    assert "fused" not in rendered((report,))["kernels"][0]["levels"][0]
    assert rendered((fused,))["kernels"][0]["levels"][0]["fused"]["load"] == {"expr": "n", "value": 10}


def test_advice() -> None:
    advice = Advice("interchange", 13, "make j innermost", Ratio(2 * N, 8 * N), math.inf)
    [kernel] = rendered((replace(axpy_report(), advice=(advice,)),))["kernels"]
    assert kernel["advice"][0]["intensity"] == {"expr": "1/4", "value": 0.25}
    assert kernel["advice"][0]["speedup_bound"] is None  # infinity is not JSON


def test_kernels_are_sorted_and_bytes_repeat() -> None:
    kernels = [(unsupported_report(),), (axpy_report(),)]
    machines = [machine_json(TOY)]
    text = render_json(kernels, machines)
    assert text == render_json(list(reversed(kernels)), machines)
    assert [k["name"] for k in json.loads(text)["kernels"]] == ["axpy", "odd"]


def test_no_kernels() -> None:
    document = json.loads(render_json([], [machine_json(TOY)]))
    jsonschema.validate(document, SCHEMA)
    assert document["kernels"] == []


def test_findings() -> None:
    finding = Finding(
        "RFL202", "a.py", 3, 4, "make i the innermost loop", "f", 3, 9, Subject("loop", ("i",)), (("share", 0.5),),
        transformation=TransformationRecord("interchange", (LoopRecord("i", 2), LoopRecord("j", 3)), ("j", "i")),
    )  # fmt: skip
    document = json.loads(render_findings([finding]))
    assert document["findings"] == [
        {
            "code": "RFL202",
            "column": 5,
            "detail": "",
            "end_column": 10,
            "end_line": 3,
            "figures": {"share": 0.5},
            "gain": None,
            "severity": "warning",
            "kernel": "f",
            "line": 3,
            "message": "make i the innermost loop",
            "path": "a.py",
            "subject": {"kind": "loop", "names": ["i"]},
            "transformation": {
                "kind": "interchange",
                "loops": [{"name": "i", "line": 2}, {"name": "j", "line": 3}],
                "order": ["j", "i"],
                "size": None,
                "around": None,
                "arrays": [],
            },
        }
    ]


@pytest.mark.parametrize(
    ("expr", "values", "expected"),
    [
        (2 * N, {"n": 3}, 6),
        (N * rational(1, 4), {"n": 2}, 0.5),
        (N * rational(1, 2), {"n": 2}, 1),
        (N, {}, None),
        (Expr.of(1) / N, {"n": 0}, None),
        (N**4000, {"n": 10}, None),
    ],
)
def test_values(expr: Expr, values: dict[str, int], expected: float | None) -> None:
    value = value_of(expr, values)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_json_cannot_hold_is_null(number: float) -> None:
    assert plain_number(number) is None


M = symbol("m")


@pytest.mark.parametrize(
    ("flops", "moved", "text"),
    [
        (2 * N, 24 * N, "1/12"),
        (2 * N**3, 24 * N**2, "n/12"),
        (2 * N**2, 8 * N**2 + 16 * N, "n/(4*n + 8)"),
        (N * M + N, 8 * N, "m/8 + 1/8"),
        (N + 1, 8 * N + 16, "(n + 1)/(8*n + 16)"),
        (Expr(), 8 * N, "0"),
    ],
)
def test_intensity_text(flops: Expr, moved: Expr, text: str) -> None:
    assert ratio_text(Ratio(flops, moved)) == text


def test_intensity_text_has_the_ratio_s_value() -> None:
    ratio = Ratio(6 * N * M + 2 * N, 8 * N * M + 4 * N * N)
    sympy = pytest.importorskip("sympy")
    shown = sympy.sympify(ratio_text(ratio), locals={"n": sympy.Symbol("n"), "m": sympy.Symbol("m")})
    assert float(shown.subs({"n": 7, "m": 3})) == pytest.approx(ratio_value(ratio, {"n": 7, "m": 3}))

"""Reports and findings as JSON: the contract ``roofscan/1``; strict, sorted, the same bytes every time."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict

from roofscan.cost.transform.fuse_expressions import temporaries
from roofscan.files import file_of
from roofscan.machine.model import Level, Machine, Sourced
from roofscan.report import figures
from roofscan.report.compared import measured_json
from roofscan.report.figures import Json, Values, amount, finite, plain_number
from roofscan.report.kernel_view.device import device_json
from roofscan.report.kernel_view.network import network_json
from roofscan.report.traffic_json import compulsory_json, intensity_json, layers_json, levels_json, table_json
from roofscan.roofline.model import Advice, Finding, KernelReport, Verdict
from roofscan.roofline.time.prediction import CLOSE, TimePiece, TimePrediction
from roofscan.symbolic.chamber import condition_text
from roofscan.symbolic.expr import Expr

SCHEMA = "roofscan/1"
FINDINGS_SCHEMA = "roofscan-findings/1"

NO_EXPRESSION = "its traffic at the sizes of the verdict is not one expression"


def render_json(kernels: Sequence[Sequence[KernelReport]], machines: Sequence[Json]) -> str:
    """All kernels as one object; each comes as its reports, one per machine (the first is in ``levels``). ``machines``
    are the targets as :func:`machine_json` or :func:`caches_json` gives them."""
    ordered = sorted(kernels, key=lambda k: (k[0].cost.kernel.path, k[0].cost.kernel.line, k[0].cost.kernel.name))
    document: Json = {"schema": SCHEMA, "machine": machines[0], "kernels": [kernel_json(k) for k in ordered]}
    if len(machines) > 1:
        document["machines"] = list(machines)
    return dump(document)


def render_findings(findings: Iterable[Finding]) -> str:
    """The findings of ``check``. Columns are 1-based, as in its text."""
    cells = {f.path: {"cell": cell} if (cell := file_of(f.path)[1]) else {} for f in findings}
    rows = [{"path": f.path, **cells[f.path], "kernel": f.kernel or None, **_finding(f)} for f in findings]
    return dump({"schema": FINDINGS_SCHEMA, "findings": rows})


def _finding(finding: Finding) -> Json:
    """Lines and columns count from 1; the end column is the one after the last character."""
    end_line, end_column = finding.end
    return {
        "code": finding.code,
        "line": finding.line,
        "column": finding.column + 1,
        "end_line": end_line,
        "end_column": end_column + 1,
        "message": finding.message,
        "detail": finding.detail,
        "subject": {"kind": finding.subject.kind, "names": list(finding.subject.names)},
        "severity": finding.severity,
        "gain": finite(finding.gain),
        "figures": {name: finite(number) for name, number in finding.figures},
        "transformation": asdict(finding.transformation) if finding.transformation else None,
    }


def dump(document: Json) -> str:
    return json.dumps(document, indent=2, sort_keys=True, allow_nan=False) + "\n"


def kernel_json(reports: Sequence[KernelReport]) -> Json:
    """One kernel. Reports beyond the first are under ``elsewhere``, by machine."""
    report = reports[0]
    cost, kernel = report.cost, report.cost.kernel
    values = figures.bound_values(cost)
    supported = cost.status != "unsupported"
    result: Json = {
        "name": kernel.name,
        "path": kernel.path,
        "line": kernel.line,
        "end_line": kernel.end_line,
        "status": cost.status,
        "compiled": kernel.decorator.kind,
        "reasons": [{"line": r.line, "message": r.message, "effect": r.effect} for r in kernel.reasons],
        "symbols": {s.name: s.meaning for s in kernel.symbols},
        "binding": {name: plain_number(value) for name, value in values.items()},
        "temporaries": [{"name": t.name, "is": t.made_of, "line": t.line} for t in temporaries(kernel).values()],
        "assumptions": list(kernel.assumptions),
        "conditions": [condition_text(g) for g in cost.conditions],
        "flops": {
            **amount(cost.flops if supported else None, values),
            "by_class": {k: amount(e, values) for k, e in figures.by_class(cost).items()} if supported else {},
        },
        "footprint": {**amount(report.footprint, values), "status": figures.compulsory_status(report)},
        "compulsory": compulsory_json(report, values),
        **_on_machine(report, values),
    }
    if cost.free:
        result["large_sizes"] = {
            name: plain_number(cost.sample_point[name]) for name in cost.free if name in cost.sample_point
        }
    if len(reports) > 1:
        result["elsewhere"] = [
            {"machine": r.machine.name if r.machine else None, **_on_machine(r, values)} for r in reports[1:]
        ]
    return result


def _on_machine(report: KernelReport, values: Values) -> Json:
    return {
        "precision": report.precision,
        "scope": report.scope,
        "levels": levels_json(report, values),
        **layers_json(report, values),
        "translations": [table_json(table, report, values) for table in report.translations],
        "verdict": _verdict(report, values),
        "advice": [_advice(advice, values) for advice in report.advice],
        "findings": [_finding(finding) for finding in report.findings],
        "notes": list(report.notes),
        **network_json(report, values),
        **device_json(report, values),
        **measured_json(report),
    }


def _verdict(report: KernelReport, values: Values) -> Json:
    verdict = report.verdict
    attainable = amount(verdict.attainable_expr, values)
    if not report.cost.free:
        attainable["value"] = finite(verdict.attainable)
    attainable["at_large_sizes"] = finite(verdict.attainable)
    attainable["at_least"] = finite(verdict.span.low) if verdict.span else None
    sure = verdict.traffic_status in (None, "exact", "lower_bound")
    by_roofline = verdict.attainable if sure else verdict.roof
    attainable["at_most"] = finite(verdict.span.high if verdict.span else verdict.fastest or by_roofline)
    return {
        "code": verdict.code,
        "level": verdict.level,
        "bound": verdict.bound,
        "attainable_flops": attainable,
        "bytes_per_second": finite(verdict.bandwidth),
        "transfer_seconds": _transfer(verdict, values),
        "sizes": {name: plain_number(value) for name, value in verdict.sizes.items()},
        "compute_roof": finite(verdict.roof),
        "roof_limits": verdict.roof_limits,
        "reason": verdict.reason,
        "time_seconds": _time(report),
        "limit": _resource(verdict.limit),
        "shares": {_resource(name): share for name, share in verdict.shares.items()},
    }


def _resource(name: str | None) -> str | None:
    """The contract knows one link: the network."""
    return "network" if name == "link" else name


def _time(report: KernelReport) -> Json:
    """The time of one call: in the sizes, where they are bound, and at those of the verdict."""
    time = report.time
    if not isinstance(time, TimePrediction):
        return {"expected": _seconds(None), "at_least": _seconds(None), "reason": time.why if time else ""}
    free = report.cost.free & time.sizes if time.sizes is not None else report.cost.free
    pieces = report.time_pieces or ()
    expected, least = (pieces[-1].expected, pieces[-1].at_least) if pieces else (time.expected_expr, time.at_least_expr)
    return {
        "expected": _seconds(time.expected, expected, free),
        "at_least": _seconds(time.at_least, least, free),
        "reason": "" if expected is not None else NO_EXPRESSION,
        "calibrated": time.calibrated,
        "pieces": [_time_piece(piece, figures.bound_values(report.cost)) for piece in pieces],
    }


def _time_piece(piece: TimePiece, values: Values) -> Json:
    """``within``: how far the expression may be from the time at a size, as a share of it."""
    return {
        "when": [str(g) for g in piece.when],
        "expected": amount(piece.expected, values),
        "at_least": amount(piece.at_least, values),
        "limit": _resource(piece.limit),
        "within": piece.within,
        "status": "estimate" if piece.within > CLOSE else "model",
    }


def _seconds(seconds: float | None, expr: Expr | None = None, free: Collection[str] = ()) -> Json:
    value, text = None if free else seconds, None if expr is None else str(expr)
    return {"expr": text, "value": finite(value), "at_large_sizes": finite(seconds)}


def _transfer(verdict: Verdict, values: Values) -> Json | None:
    """The time that a kernel without FLOPs takes to move its bytes, all of them cold."""
    if verdict.seconds is None:
        return None
    return {**amount(verdict.seconds_expr, values), "at_large_sizes": finite(verdict.seconds)}


def _advice(advice: Advice, values: Values) -> Json:
    return {
        "kind": advice.kind,
        "line": advice.line,
        "message": advice.message,
        "intensity": intensity_json(advice.intensity, values),
        "speedup_bound": finite(advice.speedup_bound),
        "gain": finite(advice.gain),
        "change": str(advice.change),
        "example": advice.example,
    }


def machine_json(machine: Machine) -> Json:
    return {
        "name": machine.name,
        "description": machine.description,
        "kind": machine.kind,
        "cores": machine.cores,
        "write_allocate": machine.write_allocate,
        "levels": [_machine_level(level) for level in machine.levels],
        "peak_flops": {
            "core": {p: finite(t.fma.value) for p, t in machine.core.items()},
            "whole": {p: finite(t.fma.value) for p, t in machine.whole.items()},
            "tensor": {p: finite(s.value) for p, s in machine.tensor.items()},
        },
    }


def _machine_level(level: Level) -> Json:
    return {
        "name": level.name,
        "capacity": level.capacity,
        "line": level.line,
        "bandwidth_core": _sourced(level.bandwidth_core),
        "bandwidth_all": _sourced(level.bandwidth_all),
    }


def _sourced(number: Sourced | None) -> int | float | None:
    return None if number is None else finite(number.value)


def caches_json(capacities: Sequence[int], line: int) -> Json:
    """The object in place of a machine where only cache sizes are given."""
    levels = [{"name": str(capacity), "capacity": capacity, "line": line} for capacity in capacities]
    return {"name": None, "kind": "caches", "levels": levels}

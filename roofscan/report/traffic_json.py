"""The traffic of a kernel as JSON: what crosses each interface, in pieces of the sizes, and what must fit a cache."""

from __future__ import annotations

from roofscan.cost.memory.base import Movement, Traffic
from roofscan.machine.model import Level, Machine
from roofscan.report import figures
from roofscan.report.figures import Json, Values, amount, finite
from roofscan.report.layer_sentences import LayerFormatter, formatter_on, page_formatter_on
from roofscan.roofline.layer_conditions import significant
from roofscan.roofline.model import (
    CacheFit,
    KernelReport,
    LayerCondition,
    LevelReport,
    Ratio,
    SymbolRanges,
    TableReport,
)
from roofscan.roofline.pieces import TrafficPiece
from roofscan.roofline.whole_lines import AllSizes


def levels_json(report: KernelReport, values: Values) -> list[Json]:
    written, fused = AllSizes(report.cost), AllSizes(report.cost.fused) if report.cost.fused else None
    levels = [_level(level, report.machine, values) for level in report.levels]
    for shown, level in zip(levels, report.levels, strict=True):
        shown["pieces"] = [_piece(p, report.machine, values) for p in written.at(level.capacity, level.sharing)]
        if fused is not None and "fused" in shown:
            shown["fused"]["pieces"] = [
                _piece(p, report.machine, values) for p in fused.at(level.capacity, level.sharing)
            ]
    return levels


def _level(level: LevelReport, machine: Machine | None, values: Values) -> Json:
    traffic = level.traffic
    known = traffic.status != "unknown"
    result: Json = {
        "name": level.name,
        "capacity": level.capacity,
        "cache": _cache(level.cache),
        "line": level.line,
        "status": traffic.status,
        "why": traffic.why,
        "conditions": list(traffic.conditions),
        **_movement(traffic.total if known else None, values),
        "traffic": amount(figures.moved(traffic.total, machine) if known else None, values),
        "arrays": {name: _movement(m, values) for name, m in traffic.arrays.items()} if known else {},
        "intensity": intensity_json(level.intensity, values) if known else None,
        "ridge": finite(level.ridge),
        "bound": level.bound,
        "memory_bound_when": [_holds(holds) for holds in level.memory_bound_when],
        "notes": list(level.notes),
    }
    if traffic.granule:
        result |= {"granule": traffic.granule, **_requests(traffic, values)}
    if level.attainable is not None and not level.attainable.is_known:
        low, high = level.attainable.low, level.attainable.high
        result["attainable_flops"] = {"at_least": finite(low), "at_most": finite(high)}
    if level.fused is not None:
        result["fused"] = {
            **_movement(level.fused, values),
            "traffic": amount(figures.moved(level.fused, machine), values),
            "status": level.fused_status or traffic.status,
        }
    return result


def _movement(movement: Movement | None, values: Values) -> Json:
    parts = ("load", "fill", "writeback")
    return {part: amount(getattr(movement, part) if movement else None, values) for part in parts}


def _piece(piece: TrafficPiece, machine: Machine | None, values: Values) -> Json:
    """Where each text of ``when`` is at least 0."""
    return {
        "when": [str(g) for g in piece.when],
        **_movement(piece.moved, values),
        "traffic": amount(figures.moved(piece.moved, machine), values),
        "status": piece.status,
    }


def _requests(traffic: Traffic, values: Values) -> Json:
    """What warps ask for, of the caches that they ask."""
    asked = traffic.requests
    if asked is None:
        return {}
    figures = {"requests": asked.requests, "sectors": asked.sectors, "wavefronts": asked.wavefronts}
    figures["shared_wavefronts"] = asked.shared_wavefronts
    return {name: amount(expr, values) for name, expr in figures.items()}


def _cache(cache: Level | None) -> Json | None:
    if cache is None:
        return None
    shared = {"shared_by": cache.shared_by, "exclusive": cache.exclusive}
    return {"name": cache.name, "capacity": cache.capacity, **shared, "source": cache.source}


def _holds(holds: SymbolRanges) -> Json:
    return {"symbol": holds.symbol, "ranges": [list(r) for r in holds.ranges], "others": holds.others}


def intensity_json(ratio: Ratio | None, values: Values) -> Json | None:
    return None if ratio is None else {"expr": figures.ratio_text(ratio), "value": figures.ratio_value(ratio, values)}


def compulsory_json(report: KernelReport, values: Values) -> Json:
    movement = report.compulsory.total if report.compulsory else None
    whole = amount(figures.compulsory_bytes(report), values)
    live = amount(figures.live_bytes(report), values)
    return {**whole, **_movement(movement, values), "live": live, "status": figures.compulsory_status(report)}


def layers_json(report: KernelReport, values: Values) -> Json:
    """``layer_conditions``, largest distance first, of caches that ``threads`` share; ``told`` are those that the text
    reports. A cache of at least ``needs`` bytes moves ``then`` bytes, one below ``least`` moves ``else`` bytes (all
    farther reuse misses, all nearer hits). ``iterations`` is how often the innermost body runs that runs most."""
    formatter = formatter_on(report)
    reported = significant(report.steps)
    return {
        "iterations": amount(formatter.iterations, values),
        "layer_conditions": [_step(step, formatter, values, step in reported) for step in report.steps],
    }


def table_json(table: TableReport, report: KernelReport, values: Values) -> Json:
    """Pages that a table of address translations misses, and the layer conditions of pages: texts count pages, amounts
    bytes of pages."""
    formatter = page_formatter_on(report, table)
    steps = [_step(step, formatter, values, step in significant(table.steps)) for step in table.steps]
    return {
        "name": table.name,
        "capacity": table.capacity,
        "page": table.page,
        "status": table.status,
        "missed": amount(table.missed, values),
        "layer_conditions": steps,
    }


def _step(step: LayerCondition, formatter: LayerFormatter, values: Values, is_told: bool) -> Json:
    return {
        "text": formatter.sentence(step),
        "holds": formatter.subject(step),
        "loop": formatter.loop_name(step),
        "line": step.line,
        "arrays": list(step.arrays),
        "needs": amount(step.needs, values),
        "least": amount(step.least, values),
        "between": {array: amount(size, values) for array, size in step.between},
        "then": amount(step.then, values),
        "else": amount(step.otherwise, values),
        "share": round(step.share, 6),
        "threads": step.sharing.threads,
        "told": is_told,
        "fits": [_fit(fit) for fit in step.fits],
    }


def _fit(fit: CacheFit) -> Json:
    return {
        "cache": fit.cache or str(fit.capacity),
        "capacity": fit.capacity,
        "symbol": fit.symbol or None,
        "ranges": [list(span) for span in fit.ranges],
        "in_part": [list(span) for span in fit.partly],
        "with": {name: str(value) for name, value in fit.also},
    }

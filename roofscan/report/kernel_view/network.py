"""What several nodes exchange: figures, JSON, and a remark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofscan.report import formatting
from roofscan.report.figures import Values, amount, bound_values, ratio_text, ratio_value, shown_sizes
from roofscan.roofline.model import KernelReport, Ratio
from roofscan.roofline.network import Exchange, NetworkReport


def network_intensity(report: KernelReport, network: NetworkReport) -> Ratio | None:
    """FLOPs over the bytes that all nodes receive."""
    exchange = network.exchange
    flops = (report.cost.fused or report.cost).flops
    return Ratio(flops, exchange.a_call * network.nodes) if exchange and exchange.a_call else None


def network_remarks(report: KernelReport) -> Iterator[tuple[str, str]]:
    network = report.network
    if network is None:
        return
    if network.exchange is None:
        yield "network", f"the data that {network.nodes} nodes exchange are not known: {network.why}"
        return
    yield "network", f"{grid_text(network.exchange)} nodes, each with a block; each {_steps(report, network.exchange)}"


def grid_text(exchange: Exchange) -> str:
    return " × ".join(map(str, exchange.grid))


def _steps(report: KernelReport, exchange: Exchange) -> str:
    values, large = bound_values(report.cost), shown_sizes(report)
    received = f"receives {formatting.with_value(exchange.a_step, values, large, 'B')} from the others"
    if exchange.steps.constant == 1:
        return f"{received} in a call"
    return f"{received} in each of {formatting.with_value(exchange.steps, values, large, '')} steps"


def network_json(report: KernelReport, values: Values) -> dict[str, Any]:
    """``network``; absent for a single machine."""
    network = report.network
    if network is None:
        return {}
    exchange, ratio = network.exchange, network_intensity(report, network)
    found = {
        "nodes": network.nodes,
        "grid": list(exchange.grid) if exchange else None,
        "received": amount(exchange.a_call if exchange else None, values),
        "received_a_step": amount(exchange.a_step if exchange else None, values),
        "steps": amount(exchange.steps if exchange else None, values),
        "intensity": {"expr": ratio_text(ratio), "value": ratio_value(ratio, values)} if ratio else None,
        "ridge": network.ridge,
        "bound": network.bound,
        "why": network.why,
    }
    return {"network": found}

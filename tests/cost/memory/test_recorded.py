"""A reported kernel keeps its figures and releases the working state of its cache model."""

from __future__ import annotations

from pathlib import Path

from roofscan.api import analyze_file
from roofscan.config.options import Options
from roofscan.cost.analyze import cost_kernel
from roofscan.cost.memory.models import RecordedModel, without_working_state
from roofscan.report.text import render_text
from tests.cost.transform.test_fuse_expressions import kernel_of

FIXTURES = Path(__file__).parents[3] / "fixtures"


def test_the_figures_are_the_same() -> None:
    cost = cost_kernel(kernel_of("z[:] = x[0] * y[0] + z * 2.0\nreturn np.sum(z)"))
    again = without_working_state(cost)
    assert cost.reuse is not None and again.reuse is not None
    assert (again.reuse.line, again.reuse.status) == (64, cost.reuse.status)
    assert again.reuse.footprint == cost.reuse.footprint
    assert again.reuse.traffic(32768) == cost.reuse.traffic(32768)
    assert again.reuse.classes == cost.reuse.classes


def test_reports_keep_no_working_state() -> None:
    kernels = analyze_file(str(FIXTURES / "fusion.py"), Options(kernels="all")).kernels
    costs = [report.cost for kernel in kernels for report in kernel.reports]
    every = costs + [cost.fused for cost in costs if cost.fused]
    assert len(every) > len(costs) and all(isinstance(cost.reuse, RecordedModel) for cost in every)


def test_what_was_asked_before_is_not_worked_out_again() -> None:
    [kernel] = analyze_file(str(FIXTURES / "fusion.py"), Options(kernels="all"), ["blend"]).kernels
    render_text([kernel.reports], 100, False)
    assert "_again" not in vars(kernel.reports[0].cost.reuse)

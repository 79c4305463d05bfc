"""Items by names of something that is no array of records: no shapes, and no work, are made up for them."""

from __future__ import annotations

from tests.oracle.analysis import counted

LAYERS = """import numpy as np

def forward(params, x):
    h = np.maximum(params["W1"] @ x + params["b1"], 0.0)
    return params["W2"] @ h + params["b2"]
"""


def test_matrices_in_a_dict_have_no_sizes() -> None:
    found = counted(LAYERS, "forward", "")
    assert found.cost.status == "bounded" and found.cost.flops.constant is not None
    assert any("'W1'" in reason.message for reason in found.kernel.reasons)

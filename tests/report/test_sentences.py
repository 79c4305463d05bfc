"""Sentences of a report on several machines: each names its machine once."""

from __future__ import annotations

from roofscan.api import analyze_source
from roofscan.config.options import Options
from roofscan.report.kernel_view.sentences import findings_of, verdict_of
from roofscan.rules.sentence import shortest

MACHINES = ("generic-x86-64", "epyc-9654")
AXPY = """
from numba import njit

# roofscan: x=f8[n] y=f8[n]
@njit
def axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]
"""


def test_a_sentence_that_names_its_machine_has_no_other_name_before_it() -> None:
    [kernel] = analyze_source(AXPY, "axpy.py", Options(machines=MACHINES)).kernels
    for name, report in zip(MACHINES, kernel.reports, strict=True):
        verdict = verdict_of(report, several=True)
        assert verdict.text.count(name) == 1 and not verdict.machine
        others = findings_of([report], several=True)
        assert all(sentence.machine == name and name not in sentence.text for sentence in others)


def test_a_shortened_message_says_that_only_its_details_name_the_machine() -> None:
    long, short = "f: " + 120 * "x" + " on m", "f: x"
    assert [shortest(forms, (0,)).names_machine for forms in ((short,), (long, short))] == ["always", "at length"]
    assert shortest((long, short)).names_machine == "never"

"""A kernel lowered with what its user says of it, and what in that it contradicts or does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.config.run_config import RunConfig
from roofscan.cost.bindings import launch_problems, resolve_values
from roofscan.finding import Finding, Subject, SubjectKind
from roofscan.frozen import dataclass
from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import WORDS
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import Candidate
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.types import known_facts, unreadable_annotations
from roofscan.suggestions import among

_ABOUT: Mapping[str, SubjectKind] = {"RFL901": "comment", "RFL902": "option"}


@dataclass(frozen=True)
class LoweredKernel:
    kernel: Kernel
    facts: Facts  # that it is lowered with
    remarks: tuple[Finding, ...]  # on its pragma, its annotations and the options
    conflicts: tuple[str, ...]  # what these facts contradict all the same
    accepted: bool  # its verdict, by the pragma


def lower_with_facts(module: Module, candidate: Candidate, config: RunConfig) -> LoweredKernel:
    """Facts of the command come before those of the pragma, and these before the defaults of the config. What
    conflicts is left out, and a finding says so."""
    own = candidate.pragma or Facts()
    facts = config.defaults.merged(own).merged(config.facts)
    kernel, conflicts = _lowered(module, candidate, facts)
    remarks: tuple[Finding, ...] = ()
    if conflicts:
        facts, remarks = _without_conflicts(module, candidate, config)
        kernel, conflicts = _lowered(module, candidate, facts)
        remarks += tuple(finding_at("RFL902", module, candidate, f"--bind: {conflict}") for conflict in conflicts)
    unread = (finding_at("RFL901", module, candidate, said) for said in unreadable_annotations(candidate))
    remarks += (*unread, *_unknown_in_pragma(kernel, own))
    return LoweredKernel(kernel, facts, remarks, conflicts, own.accepted)


def _lowered(module: Module, candidate: Candidate, facts: Facts) -> tuple[Kernel, tuple[str, ...]]:
    """The kernel with these facts (and no others), and what in them it contradicts."""
    known, unknown = known_facts(facts, module)
    kernel = lower(module, replace(candidate, pragma=None), known)
    _, conflicts = resolve_values(kernel, known)
    return kernel, (*unknown, *kernel.contradictions, *conflicts)


def _without_conflicts(module: Module, candidate: Candidate, config: RunConfig) -> tuple[Facts, tuple[Finding, ...]]:
    own = candidate.pragma or Facts()
    remarks: tuple[Finding, ...] = ()
    _, conflicts = _lowered(module, candidate, own)
    if conflicts:
        own = Facts()
        remarks = (finding_at("RFL901", module, candidate, f"the pragma is ignored: {conflicts[0]}"),)
    both = config.defaults.merged(own)
    kernel, conflicts = _lowered(module, candidate, both)
    remarks += tuple(finding_at("RFL902", module, candidate, f"bind: {said}") for said in launch_problems(kernel, both))
    return (own if conflicts else both).merged(config.facts), remarks


def _unknown_in_pragma(kernel: Kernel, pragma: Facts) -> tuple[Finding, ...]:
    """A finding for each name of the pragma that the kernel does not have."""
    if kernel.unsupported:
        return ()
    known = names_of(kernel)
    in_budgets = dict.fromkeys(name for budget in pragma.budgets for name in sorted(budget.most.symbols))
    unknown = (name for name in (*pragma.names, *in_budgets) if name not in known)
    messages = (f"the pragma names {n}, which {kernel.name} does not have; {among(n, known)}" for n in unknown)
    place, about = (kernel.path, kernel.line, kernel.column), Subject("comment")
    return tuple(Finding("RFL901", *place, m, kernel.name, subject=about) for m in messages)


def names_of(kernel: Kernel) -> frozenset[str]:
    words = WORDS if kernel.on_gpu else ()
    return frozenset((*kernel.parameters, *(a.name for a in kernel.arrays), *(s.name for s in kernel.symbols), *words))


def finding_at(code: str, module: Module, candidate: Candidate, message: str) -> Finding:
    place, about = candidate.function.place, Subject(_ABOUT.get(code, "kernel"))
    return Finding(code, module.path, place.line, place.column, message, candidate.name, subject=about)

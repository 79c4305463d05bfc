"""What a rule is: a module of this folder that has a ``CODE``. To add one, add a file; no list names it.

A module whose code is found in kernels also has

- ``NEEDS``: the last stage that its ``find`` reads (by default all);
- ``may_apply(context)``: whether it may find something, by the results of earlier stages: a necessary condition,
  which spares the analysis the stages that no rule needs (by default always);
- ``find(context)``: its findings on one kernel;
- ``YIELDS_TO``: this rule is not asked where one of these codes is found on the kernel.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from textwrap import dedent, fill, indent
from types import ModuleType

from roofscan.finding import Finding
from roofscan.frozen import dataclass
from roofscan.rules.rule_context import KernelAnalysis, RuleContext, Stage

WIDTH = 96


@dataclass(frozen=True)
class Code:
    """One code. ``bad`` and ``good`` are whole modules (or settings), with the finding and without it."""

    id: str  # "RFL101"
    title: str  # what it says, in a few words
    location: str  # kernel, access, loop, comment, config, file
    meaning: str
    why: str
    action: str
    bad: str
    good: str
    default: bool = True  # whether it is on without being asked for
    remedy: str = ""  # what to do, in a word or two, for a table

    def page(self, width: int = WIDTH) -> str:
        """In lines of at most ``width`` letters, but for the examples."""
        state = "on" if self.default else "off; select it to report it"
        parts = [
            f"{self.id}: {self.title}\n(location: {self.location}; by default: {state})",
            f"What it means\n{_text(self.meaning, width)}",
            f"Why it matters\n{_text(self.why, width)}",
            f"With the finding\n{_example(self.bad)}",
            f"Without it\n{_example(self.good)}",
            f"What to do\n{_text(self.action, width)}",
        ]
        return "\n\n".join(parts) + "\n"


def _text(words: str, width: int) -> str:
    return fill(" ".join(words.split()), width, initial_indent="  ", subsequent_indent="  ")


def _example(source: str) -> str:
    return indent(dedent(source).strip("\n"), "    ")


NOT_RULES = ("codes", "conditions", "faster_code", "lanes", "rule", "rule_context", "sentence")


@dataclass(frozen=True)
class Rule:
    """One code, and how it is found in a kernel; ``find`` is None for what is found elsewhere (comments, options)."""

    code: Code
    needs: Stage
    may_apply: Callable[[RuleContext], bool]
    find: Callable[[RuleContext], Iterable[Finding]] | None
    yields_to: tuple[str, ...]


@cache
def all_rules() -> tuple[Rule, ...]:
    package = import_module("roofscan.rules")
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if info.name not in NOT_RULES)
    modules = [import_module(f"roofscan.rules.{name}") for name in names]
    return tuple(sorted((_rule(m) for m in modules if hasattr(m, "CODE")), key=lambda rule: rule.code.id))


def _rule(module: ModuleType) -> Rule:
    return Rule(
        module.CODE,
        getattr(module, "NEEDS", Stage.TRAFFIC),
        getattr(module, "may_apply", lambda context: True),
        getattr(module, "find", None),
        getattr(module, "YIELDS_TO", ()),
    )


def findings_on(analysis: KernelAnalysis) -> tuple[Finding, ...]:
    """All that there is to say of a kernel, by code. No stage is worked out for this that no rule needs."""
    lowered = RuleContext(analysis, Stage.KERNEL)
    open_ = [rule for rule in all_rules() if rule.find is not None and rule.may_apply(lowered)]
    context = lowered
    for stage in Stage:
        context = RuleContext(analysis, stage)
        if not any(rule.needs > stage and rule.may_apply(context) for rule in open_):
            break
    return tuple(sorted(_asked(open_, context), key=lambda finding: finding.code))


def _asked(rules: Iterable[Rule], context: RuleContext) -> Iterator[Finding]:
    """The findings of the rules that need no more than there is; those that yield to others come after them."""
    codes: set[str] = set()
    for rule in sorted(rules, key=lambda rule: _rank(rule.code.id)):
        if rule.find is None or rule.needs > context.stage or codes.intersection(rule.yields_to):
            continue
        for finding in rule.find(context):
            codes.add(finding.code)
            yield finding


@cache
def _rank(code: str) -> int:
    """How many rules one after the other must be asked before this one."""
    yields_to = next((rule.yields_to for rule in all_rules() if rule.code.id == code), ())
    return 1 + max(map(_rank, yields_to), default=-1)

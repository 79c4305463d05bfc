"""The machines and facts that the options name, loaded."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from roofscan.config.defaults import DEFAULT_MACHINE
from roofscan.config.options import Options
from roofscan.errors import OptionError
from roofscan.frozen import dataclass
from roofscan.ir.facts import Facts
from roofscan.machine.files import load_machine, shipped_names
from roofscan.machine.model import Machine, MachineError
from roofscan.machine.threads import on_threads
from roofscan.parse.reader.facts import FactError, parse_facts


@dataclass(frozen=True)
class RunConfig:
    """The machines and facts that the options name, loaded. Without a machine, the caches of the options replace it."""

    options: Options
    machines: tuple[Machine, ...]
    facts: Facts
    defaults: Facts
    only_findings: bool = False  # no reports

    @property
    def targets(self) -> tuple[Machine | None, ...]:
        return self.machines or (None,)


def load_run_config(options: Options) -> RunConfig:
    facts = _read_facts("--bind", options.bind)
    defaults = _read_facts("bind", options.default_bind)
    if options.caches:
        return RunConfig(options, (), facts, defaults)
    try:
        machines = tuple(_machine(name) for name in options.machines or (DEFAULT_MACHINE,))
    except MachineError as error:
        raise OptionError(str(error)) from None
    return RunConfig(options, tuple(_in_use(machine, options) for machine in machines), facts, defaults)


def _in_use(machine: Machine, options: Options) -> Machine:
    """The machine as the options use it."""
    if options.nodes > 1 and machine.network is None:
        raise OptionError(f"{machine.name} has no network; add [network] with bandwidth_all to its file", "nodes")
    if options.threads is not None:
        machine = _on_threads(machine, options.threads)
    used = (options.cold, options.nodes)
    return machine if used == (machine.cold, machine.nodes) else replace(machine, cold=used[0], nodes=used[1])


def _on_threads(machine: Machine, threads: int) -> Machine:
    if machine.kind == "gpu":
        raise OptionError(f"{machine.name} is a GPU; its threads are those of the launch", "threads")
    if threads > machine.cores:
        raise OptionError(f"{machine.name} has {machine.cores} cores; write at most {machine.cores}", "threads")
    return on_threads(machine, threads)


def _machine(name: str) -> Machine:
    """A machine; those that come with roofscan are read once, files each time, since they may change."""
    return _shipped(name) if name in shipped_names() else load_machine(name)


@cache
def _shipped(name: str) -> Machine:
    return load_machine(name)


def _read_facts(key: str, text: str) -> Facts:
    try:
        return parse_facts(text)
    except FactError as error:
        raise OptionError(str(error), key) from None

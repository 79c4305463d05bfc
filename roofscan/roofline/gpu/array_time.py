"""The expected time of array expressions on a GPU (CuPy, ufuncs for ``cuda``): one launch an operation, each as long as
its bytes need, or as the host needs to launch it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from roofscan.cost.memory.gpu.host import DeviceStep, elements_of, executions_of
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Access, Kernel, Loop
from roofscan.ir.launch import Launch, LaunchWork
from roofscan.ir.visitor import accesses, loops, walk_with_blocks
from roofscan.machine.model import Machine
from roofscan.roofline.gpu.host_time import TimedStep
from roofscan.roofline.roof import compute_roof
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ONE, ZERO, Expr, NotEvaluable, Number, ceil_div

THREADS = 128  # of a block of an elementwise kernel

Values = Mapping[str, Number]


@dataclass(frozen=True)
class NestOnDevice:
    """The nest of one operation, done so many ``times``; ``moved``: the bytes of its operands and its result."""

    nest: Loop
    times: Expr
    moved: Expr


def array_steps(cost: KernelCost, machine: Machine, values: Values) -> list[TimedStep]:
    """The launches of a kernel of array expressions, in order; NotEvaluable where it is none."""
    figures, memory = machine.gpu or {}, machine.levels[-1].bandwidth_all
    found = list(_operations(cost, values))
    if not found or memory is None:
        raise NotEvaluable("it has no array operation that a GPU would run")
    products = {nest.line: compute_roof(nest, values, machine, "device").seconds for nest in cost.nests if nest.library}
    dispatch, steps = figures["dispatch"].value, []
    for one in found:
        moved, times = float(number(one.moved, values)), float(number(one.times, values))
        parts = {
            machine.levels[-1].name: moved / memory.value, "launch": dispatch,
            "vector": products.get(one.nest.line, 0.0) / max(1.0, times),
        }  # fmt: skip
        longest = max(parts, key=lambda name: parts[name])
        step, least = DeviceStep(_launched(one.nest), one.times), moved / (memory.nameplate or memory.value)
        steps.append(TimedStep(step, times, parts[longest], least, moved, {longest: 1.0}))
    return steps


def _operations(cost: KernelCost, values: Values) -> Iterator[NestOnDevice]:
    """An operation ends with the nest that writes its result; a sum of all elements writes none."""
    kernel, waiting = cost.kernel, ZERO
    if any(loop.axis is not None for loop in loops(kernel.body)):
        return
    last: NestOnDevice | None = None
    for nest, times in executions_of(kernel, values, lambda loop: loop.array_expression):
        last = NestOnDevice(nest, times, _moved(kernel, nest) + waiting)
        writes = any(access.write for access in accesses((nest,)))
        waiting = ZERO if writes else last.moved
        if writes:
            yield last
    if last is not None and waiting:
        yield last


def _moved(kernel: Kernel, nest: Loop) -> Expr:
    total = ZERO
    for node, around in walk_with_blocks((nest,)):
        if isinstance(node, Access):
            names = {name for index in node.index if index is not None for name in index.symbols}
            elements = ONE
            for loop in around:
                if isinstance(loop, Loop) and (loop.var in names or not node.regular):
                    elements = elements * (loop.stop - loop.start)
            total = total + elements * kernel.array(node.array).dtype.size
    return total


def _launched(nest: Loop) -> Loop:
    named = [*accesses((nest,))]
    written = next((a.array for a in named if a.write), f"reduction of {named[0].array}" if named else "an operation")
    launch = Launch((ceil_div(elements_of(nest), Expr.of(THREADS)), ONE, ONE), (Expr.of(THREADS), ONE, ONE))
    return replace(nest, device=LaunchWork(written, launch, len({a.array for a in named})))

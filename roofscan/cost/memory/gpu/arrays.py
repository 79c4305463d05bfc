"""Array operations on a GPU (CuPy and other NumPy-like libraries, ufuncs for ``cuda``): each is one launch, with a
thread for each element, neighbours for neighbours. Products of matrices read their operands once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.gpu.host import DeviceStep, HostModel, alone_in, executions_of
from roofscan.cost.memory.gpu.model import LaunchModel, launch_model
from roofscan.cost.memory.gpu.place_expressions import element_offset
from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import DIRECTIONS, Launch, LaunchAxis, LaunchWork
from roofscan.ir.tree import Access, Body, Loop, Operation, When
from roofscan.ir.visitor import LEAVES, accesses, leaves, substitute, walk_with_blocks
from roofscan.symbolic.expr import ONE, ZERO, Expr, Number, symbol
from roofscan.symbolic.floors import ceil_div

THREADS = 128  # of a block of an elementwise kernel
EACH = 16  # elements of a thread of a reduction
MAPPING = "each array operation is one launch, with a thread for each element"
ONCE = "a product reads its operands once, at least"

Values = Mapping[str, Number]


@dataclass(frozen=True)
class _Dim:
    """A direction in which the threads of an operation are counted: ``var`` from 0 up to ``extent``."""

    var: str
    extent: Expr


def array_model(kernel: Kernel, values: Values, device: Device, free: frozenset[str]) -> HostModel | None:
    """None where it is no sequence of array operations, or what one of them touches is not known."""
    if not _is_of_arrays(kernel):
        return None
    steps: list[DeviceStep] = []
    waiting: list[LaunchModel] = []
    for nest, times in executions_of(kernel, values, lambda loop: loop.array_expression):
        if _is_read_again(nest, waiting):
            continue
        part = _launched(kernel, nest, values, free)
        model = launch_model(part, values, device, free)
        if model is None:
            return None
        waiting.append(model)
        if any(access.write for access in accesses((nest,))):
            steps.append(_step(nest, times, waiting))
            waiting = []
    if waiting:
        steps.append(_step(nest, times, waiting))
    products = dict.fromkeys(
        f"{ONCE} (line {o.line})" for o in leaves(kernel.body) if isinstance(o, Operation) and o.library
    )
    return HostModel(kernel, device, steps, values, (*products, MAPPING), "lower_bound" if products else "estimate")


def _is_of_arrays(kernel: Kernel) -> bool:
    """Whether all that it touches is touched by array operations of plain code, or of a ufunc."""
    if kernel.on_gpu or kernel.decorator.kind not in ("none", "pragma", "vectorize"):
        return False
    touched = [around for node, around in walk_with_blocks(kernel.body) if isinstance(node, Access)]
    return bool(touched) and all(any(isinstance(b, Loop) and b.array_expression for b in a) for a in touched)


def _is_read_again(nest: Loop, before: Sequence[LaunchModel]) -> bool:
    """Whether it is an operand of a product that has been read for the other one."""
    nodes = [*leaves((nest,))]
    read = {access.array for part in before for access in accesses(part.kernel.body)}
    return all(isinstance(node, Access) and not node.write and node.array in read for node in nodes)


def _step(nest: Loop, times: Expr, parts: Sequence[LaunchModel]) -> DeviceStep:
    """An operation ends with the nest that writes its result; a sum of all elements writes none."""
    named = [access for part in parts for access in accesses(part.kernel.body)]
    written = next((a.array for a in named if a.write), f"reduction of {named[0].array}")
    largest = max(parts, key=lambda part: part.movements.program.launch.blocks).kernel.launch
    assert largest is not None
    work = LaunchWork(written, largest, 0)
    return DeviceStep(replace(nest, device=work), times, launches=tuple(parts))


# -- one operation ------------------------------------------------------------------------------------
def _launched(kernel: Kernel, nest: Loop, values: Values, free: frozenset[str]) -> Kernel:
    """The kernel of an operation: its innermost dimension lies along x."""
    dims, body = _counted_from_0(alone_in(kernel, nest))
    dims, body = _collapsed(kernel, dims, body)
    dims = sorted(dims, key=lambda dim: _stride(kernel, dim, body, values), reverse=True)
    for dim in dims[:-3]:
        body = (Loop(dim.var, ZERO, dim.extent, ONE, body, nest.line),)
    across = dims[-3:][::-1]
    block = _block(across, values, free)
    grid = [ceil_div(dim.extent, size) for dim, size in zip(across, block)]
    if not any(access.write for access in accesses(body)):
        grid[0] = ceil_div(across[0].extent, block[0] * EACH)
        body, across[0] = _by_strides(across[0], body, grid[0] * block[0], nest.line)
    body = (When(tuple(Condition(d.extent - 1 - symbol(d.var), "ge") for d in across), body, nest.line),)
    for dim, direction, blocks, size in zip(across, DIRECTIONS, grid, block):
        axis = LaunchAxis("grid", direction)
        body = (Loop(dim.var, ZERO, blocks * size, ONE, body, nest.line, axis=axis),)
    launch = Launch(_triple(grid), _triple(block))
    return replace(kernel, body=body, launch=launch, values={})


def _by_strides(dim: _Dim, body: Body, threads: Expr, line: int) -> tuple[Body, _Dim]:
    """The threads of a reduction go through a dimension in steps of their number."""
    first = f"first {dim.var}"
    return (Loop(dim.var, symbol(first), dim.extent, threads, body, line),), _Dim(first, dim.extent)


def _counted_from_0(body: Body) -> tuple[list[_Dim], Body]:
    """The loops that hold one another, each alone, and what the innermost holds."""
    dims: list[_Dim] = []
    while len(body) == 1 and isinstance(loop := body[0], Loop) and not loop.carried and loop.total is None:
        outer = {dim.var for dim in dims}
        if (loop.start.symbols | loop.stop.symbols | loop.step.symbols) & outer:
            break
        dims.append(_Dim(loop.var, ceil_div(loop.stop - loop.start, loop.step)))
        body = substitute(loop.body, {loop.var: loop.start + loop.step * symbol(loop.var)})
    return dims, body


def _collapsed(kernel: Kernel, dims: Sequence[_Dim], body: Body) -> tuple[list[_Dim], Body]:
    """Dimensions that lie one behind another in all arrays are one."""
    found = [*dims[:1]]
    simple = all(isinstance(node, LEAVES) for node in body) and all(access.regular for access in accesses(body))
    for inner in dims[1:]:
        outer = found[-1]
        steps = [(_step_of(kernel, a, outer.var), _step_of(kernel, a, inner.var)) for a in accesses(body)]
        if simple and all(a is not None and b is not None and a == b * inner.extent for a, b in steps):
            body = substitute(body, {outer.var: ZERO})
            found[-1] = _Dim(inner.var, outer.extent * inner.extent)
        else:
            found.append(inner)
    return found, body


def _step_of(kernel: Kernel, access: Access, var: str) -> Expr | None:
    """The elements from one value of a variable to the next; None where that is not a number in the sizes."""
    offset = element_offset(access, kernel.array(access.array))
    return offset.coefficient(var) if offset.is_linear_in({var}) else None


def _stride(kernel: Kernel, dim: _Dim, body: Body, values: Values) -> float:
    """Of what is written, or else of what is read."""
    found = sorted(accesses(body), key=lambda access: not access.write)
    steps = [_step_of(kernel, access, dim.var) for access in found]
    return next((abs(float(s.evaluate(values))) for s in steps if s is not None and s), 0.0)


def _block(across: Sequence[_Dim], values: Values, free: frozenset[str]) -> list[Expr]:
    """Threads take the elements in the order in which they lie: short rows are some to a block."""
    width = THREADS
    if len(across) > 1 and not across[0].extent.symbols & free:
        width = min(THREADS, max(1, int(across[0].extent.evaluate(values))))
    return [Expr.of(width), Expr.of(max(1, THREADS // width)), ONE][: len(across)]


def _triple(sizes: Sequence[Expr]) -> tuple[Expr, Expr, Expr]:
    x, y, z = (*sizes, ONE, ONE, ONE)[:3]
    return x, y, z

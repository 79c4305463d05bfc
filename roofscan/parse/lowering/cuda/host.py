"""What a function of the host asks of a device: launches, whose loops stand where the call does, and transfers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.assumption import Assumption
from roofscan.ir.launch import DeviceWork, Launch, LaunchWork, TransferWork
from roofscan.ir.tree import Loop, Node
from roofscan.ir.visitor import substitute
from roofscan.parse.lowering.calls.arguments import argument
from roofscan.parse.lowering.calls.inline import compiler_used, frame_of_call, lower_body
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.cuda.blocks import hold_block
from roofscan.parse.lowering.cuda.launch_sites import BY_DRIVER, CONFIGURED, DRIVERS_BLOCK, possible
from roofscan.parse.lowering.cuda.launches import StatedLaunch
from roofscan.parse.lowering.cuda.threads import lower_threads
from roofscan.parse.lowering.numpy.allocation import EMPTY, Allocation, AllocationLike
from roofscan.parse.lowering.numpy.array_operations import allocate, as_operand, copy_into, fill, stream_read
from roofscan.parse.lowering.numpy.rule import Function as Rule
from roofscan.parse.lowering.numpy.rule import NumpyRule, rows
from roofscan.parse.lowering.values import (
    NONE,
    Configured,
    FunctionRef,
    Keywords,
    Scalar,
    TupleValue,
    Unknown,
    Value,
    View,
    integer,
)
from roofscan.parse.syntax import Function
from roofscan.symbolic.expr import ONE, ZERO, Expr
from roofscan.symbolic.floors import ceil_div


# -- launches -----------------------------------------------------------------------------------------
def is_cuda(cx: Context, called: FunctionRef) -> bool:
    compiler = compiler_used(called.function, called.module or cx.module)
    return compiler is not None and compiler.kind == "cuda"


def configured(function: FunctionRef, items: Sequence[Value]) -> Configured:
    grid, block, _, shared = (*items, None, None, None, None)[:4]
    return Configured(function, grid, block, shared)


def configure(cx: Context, function: FunctionRef, args: list[Value], keywords: Keywords) -> Configured:
    """``kernel.configure(griddim, blockdim, stream, sharedmem)``, which is ``kernel[…]``."""
    grid, block, _, shared = (argument(args, keywords, k, name) for k, name in enumerate(CONFIGURED))
    return Configured(function, grid, block, shared)


def for_all(cx: Context, function: FunctionRef, args: list[Value], keywords: Keywords) -> Configured:
    """``kernel.forall(ntasks, tpb, stream, sharedmem)``."""
    work, block, shared = (argument(args, keywords, k, n) for k, n in ((0, "ntasks"), (1, "tpb"), (3, "sharedmem")))
    if block is None or _sizes(block) == (ZERO,):
        block = integer(DRIVERS_BLOCK[0])
        cx.builder.assume(f"{function.dotted} has blocks of {DRIVERS_BLOCK[0]} threads, {BY_DRIVER}")
    return Configured(function, None, block, shared, work)


def launch(cx: Context, configuration: Configured, args: list[Value], keywords: Keywords, line: int) -> Value:
    """The loops over the threads of a launch, and the transfers of the host's arrays that it is given."""
    called, builder = configuration.function, cx.builder
    assert isinstance(called.function, Function)
    arrays = [arg for arg in args if isinstance(arg, View)]
    copied = [arg for arg in arrays if _in_host(cx, arg)]
    for view in copied:
        _transfer(cx, view, None, line, to_device=True)
    frame, function, stated = frame_of_call(cx, called, args, keywords, line), called.function, _stated(configuration)
    hold_block(cx, stated.block or (), called.dotted)
    made: list[Launch] = []
    with builder.inside() as body:
        lower_body(cx, called, frame, line, lambda: made.append(_threads(cx, function, stated)))
    for node in body:
        is_launch = isinstance(node, Loop) and node.axis is not None
        builder.add(_closed(cx, node, LaunchWork(called.dotted, made[0], len(arrays))) if is_launch else node)
    for view in copied:
        _transfer(cx, None, view, line, to_device=False)
    return NONE


def _threads(cx: Context, function: Function, stated: StatedLaunch) -> Launch:
    """Adds the loops over the threads, in which names and types are those of a kernel."""
    before = cx.compiled, cx.threads, cx.builder.launch
    cx.compiled, cx.threads, cx.builder.launch = True, {}, None
    try:
        lower_threads(cx, function, stated)
        return cx.builder.launch or Launch((ONE, ONE, ONE), (ONE, ONE, ONE))
    finally:
        cx.compiled, cx.threads, cx.builder.launch = before


def _stated(configuration: Configured) -> StatedLaunch:
    grid, block, shared = (_sizes(v) for v in (configuration.grid, configuration.block, configuration.shared))
    block = possible("block", block)
    work = _sizes(configuration.work)
    if work and block and len(block) == 1:
        grid = (ceil_div(work[0], block[0]),)
    return StatedLaunch(possible("grid", grid), block, shared=shared[0] if shared else ZERO)


def _sizes(value: Value | None) -> tuple[Expr, ...] | None:
    items = value.items if isinstance(value, TupleValue) else (value,)
    exprs = [item.expr for item in items if isinstance(item, Scalar) and item.expr is not None]
    return tuple(exprs) if len(exprs) == len(items) else None


def _closed(cx: Context, loop: Node, work: LaunchWork) -> Node:
    """The loop with the sizes of this launch in the place of their symbols, which the next launch makes anew."""
    builder = cx.builder
    values = dict(builder.launched)
    for name in values:
        del builder.launched[name], builder.symbols[name]
        builder.guesses.pop(name, None)
    for key in [key for key, made in builder.shares.items() if key[0] == "launch" and made.symbols & values.keys()]:
        del builder.shares[key]
    values = {name: value.subs(values) for name, value in values.items()}
    assert isinstance(loop, Loop)
    [closed] = substitute((replace(loop, device=work),), values)
    return closed


# -- transfers ----------------------------------------------------------------------------------------
def _in_host(cx: Context, view: View) -> bool:
    """Whether the function made an array in the host's memory. Parameters are taken to be on the device."""
    array = cx.builder.arrays[view.array]
    if array.role in ("parameter", "global"):
        cx.builder.assume(Assumption(array.name, "in the memory of the device (kernels are launched with it)"))
        return False
    return array.name not in cx.on_device


def _transfer(cx: Context, source: View | None, target: View | None, line: int, *, to_device: bool) -> None:
    """One without a source writes its target alone: the device's copy has no name; one without a target likewise."""
    with cx.builder.inside() as body:
        if source is not None and target is not None:
            copy_into(cx, target, source, line)
        elif source is not None:
            stream_read(cx, source, line)
        elif target is not None:
            fill(cx, target, Scalar(target.dtype), line)
    work: DeviceWork = TransferWork(to_device, source is None or target is None)
    for node in body:
        cx.builder.add(replace(node, device=work) if isinstance(node, Loop) else node)


def to_device(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``cuda.to_device(x, stream, copy, to)``: a new array of the device, or that which is given."""
    source = as_operand(cx, args[0], line) if args else None
    target = argument(args, keywords, 3, "to")
    if not isinstance(source, View):
        return Unknown("an array of the device")
    made = target if isinstance(target, View) else allocate(cx, source.shape, source.dtype, line)
    cx.on_device.add(made.array)
    copied = argument(args, keywords, 2, "copy")
    if not (isinstance(copied, Scalar) and copied.number == 0):
        _transfer(cx, source, made, line, to_device=True)
    return made


def copy_to_host(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``d.copy_to_host(x)``: a new array of the host, or that which is given if its rank is known to fit."""
    source = args[0] if args else None
    if not isinstance(source, View):
        return Unknown("an array of the host")
    given = argument(args, keywords, 1, "ary")
    if isinstance(given, View) and len(given.shape) == len(source.shape):
        target = given
    else:
        target = allocate(cx, source.shape, source.dtype, line)
    _transfer(cx, source, target, line, to_device=False)
    return target


def copy_to_device(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``d.copy_to_device(x)``."""
    if len(args) > 1 and isinstance(args[0], View) and isinstance(source := as_operand(cx, args[1], line), View):
        _transfer(cx, source, args[0], line, to_device=True)
    return NONE


class DeviceAllocation(Allocation):
    """``cuda.device_array(shape, dtype)``."""

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        return _known(cx, super().lower(cx, name, args, keywords, line))


class DeviceAllocationLike(AllocationLike):
    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        return _known(cx, super().lower(cx, name, args, keywords, line))


def _known(cx: Context, made: Value | None) -> Value | None:
    if isinstance(made, View):
        cx.on_device.add(made.array)
    return made


TRANSFERS: dict[str, NumpyRule] = {
    **rows(
        "to_device", Rule(to_device, keeps_rank=True, takes_array=True, between_memories=True, copy_target=(3, "to"))
    ),
    **rows(
        "copy_to_host",
        Rule(copy_to_host, keeps_rank=True, is_method=True, between_memories=True, copy_target=(1, "ary")),
    ),
    **rows("asnumpy", Rule(copy_to_host, keeps_rank=True, between_memories=True)),
    **rows("copy_to_device", Rule(copy_to_device, is_method=True, copy_target=(1, "ary"))),
    **rows("device_array mapped_array managed_array", DeviceAllocation(written=False, makes_on_device=True)),
    **rows("device_array_like mapped_array_like", DeviceAllocationLike(written=False, between_memories=True)),
    **rows("pinned_array", EMPTY),
    **rows("pinned_array_like", AllocationLike(written=False)),
}

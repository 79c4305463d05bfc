"""References: accesses of the source with the steps of their addresses and how often threads make them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod

from roofscan.cost.memory.gpu.programs.executions import Executions, PlaceState
from roofscan.cost.memory.gpu.programs.program import Reference, SerialLoop, Strides
from roofscan.cost.memory.gpu.programs.reads_first import ALWAYS, ReadsFirst
from roofscan.cost.memory.gpu.threads.access_steps import AccessSteps, Steps
from roofscan.cost.memory.gpu.threads.places import ThreadPlaces
from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of
from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import MOST_REGISTERS
from roofscan.ir.tree import Access, Block, Body, Branch, Loop, When
from roofscan.ir.visitor import conditions_of, loops_of
from roofscan.memo import kept_by
from roofscan.symbolic.expr import Expr

REGISTER = 4  # bytes


class References:
    def __init__(
        self, kernel: Kernel, places: ThreadPlaces, executions: Executions, firsts: Mapping[int, ReadsFirst]
    ) -> None:
        self._kernel = kernel
        self._places = places
        self._executions = executions
        self._firsts = firsts
        self._steps = AccessSteps(places)

    def in_registers(self, node: Access, array: Array, state: PlaceState) -> bool:
        """Whether the source says which element it is, of an array that registers hold."""
        counted = {loop.var for loop, _ in state.loops if loop.constant}
        named = all(subscript is not None and subscript.symbols <= counted for subscript in node.index)
        return named and value_of(self._extent(array)) <= MOST_REGISTERS * REGISTER

    def tile(self, node: Loop, state: PlaceState) -> Reference:
        """The access to a tile."""
        around = tuple(chain_of((node,)))
        lanes, body = loops_of(around), around[-1].body
        [access] = [leaf for leaf in body if isinstance(leaf, Access)]
        trips = [self._executions.number(lane.stop - lane.start) for lane in lanes]
        for lane, extent in zip(lanes, trips):
            self._places.enter(lane, Fraction(value_of(extent)))
        executions = self._executions.of(body, state)
        shares = [self._share(lane, lanes, conditions_of(around)) for lane in lanes]
        found = self.of(access, self._kernel.array(access.array), state, executions, lanes)
        dims = found.loops[len(state.loops) :]
        tile = tuple((stride, loop.trips * share) for (loop, stride), share in zip(dims, shares))
        return replace(found, loops=found.loops[: len(state.loops)], tile=tile)

    def _share(self, lane: Loop, lanes: Sequence[Loop], masks: Sequence[Condition]) -> Fraction:
        """Of a dimension of a tile, what masks on it alone let through in all tiles alike."""
        others = {other.var for other in lanes} - {lane.var}
        own = [m for m in masks if lane.var in m.expr.symbols and others.isdisjoint(m.expr.symbols)]
        return self._places.share_of(lane, own)

    def of(
        self, node: Access, array: Array, state: PlaceState, executions: Num, lanes: Sequence[Loop] = ()
    ) -> Reference:
        steps, scattered = self._steps.of(node, array, [*(loop for _, loop in state.loops), *lanes], state.guards)
        around = [s for s, _ in state.loops]
        around += [SerialLoop(lane.var, self._executions.number(lane.stop - lane.start), False) for lane in lanes]
        loops = tuple((s, self._executions.number(stride)) for s, stride in zip(around, steps.loops))
        extent = self._extent(array)
        if len(array.shape) == 1 and 0 < steps.period < value_of(extent):
            extent = steps.period
        return Reference(
            node, array, steps.base, self._triple(steps.thread), self._triple(steps.block), loops,
            state.guards, executions, scattered, extent, lanes=steps.lanes, sure=state.sure,
            period=steps.period, first=self._firsts.get(id(node), ALWAYS), tested=state.tested,
            origin=self._origin(steps),
        )  # fmt: skip

    def _origin(self, steps: Steps) -> Num:
        return (
            self._executions.number(steps.origin)
            if value_of(self._executions.number(steps.origin)) == steps.base
            else steps.base
        )

    @kept_by(lambda array: array.name)
    def _extent(self, array: Array) -> Num:
        size = array.record.size if array.record else array.dtype.size
        return self._executions.number(prod(array.shape, start=Expr.of(size)))

    def _triple(self, strides: tuple[Expr, Expr, Expr]) -> Strides:
        return (
            self._executions.number(strides[0]),
            self._executions.number(strides[1]),
            self._executions.number(strides[2]),
        )


def chain_of(body: Body) -> Iterator[Block]:
    """The blocks that hold one another, each alone."""
    while len(body) == 1 and isinstance(body[0], (Loop, When, Branch)):
        yield body[0]
        body = body[0].body

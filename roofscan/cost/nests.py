"""The parts of a kernel that compute one after the other: loop nests, calls of a library, straight-line code."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from roofscan.cost.compiled.machine_code import MachineCode
from roofscan.cost.counts import ExecutionCounts, StatementDomain, operations
from roofscan.cost.recurrences import chains, fused_pairs, uses_of
from roofscan.cost.result import NestCost
from roofscan.cost.strides import has_strided_innermost
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import MATRIX, PrecisionName
from roofscan.ir.tree import LibraryCall, Loop, Node, Operation
from roofscan.ir.visitor import loops, outermost_loops
from roofscan.symbolic.expr import Expr, sum_of


def nests_of(kernel: Kernel, executions: ExecutionCounts) -> Iterator[NestCost]:
    """Each top-level loop nest, each library call, and the rest of the straight-line code as one. The BLAS-like calls
    in a loop are nests of their own: only they run on all cores."""
    uses = uses_of(kernel.body)
    by_nest: dict[str, list[StatementDomain]] = {}
    for domain in executions.domains:
        by_nest.setdefault(domain.loops[0].var if domain.loops else "", []).append(domain)
    yield from _by_library(executions, by_nest.get("", []), uses)
    called = {n.part_of for v in executions.domains for n in v.body if isinstance(n, Operation) and n.library}
    for loop in outermost_loops(kernel.body):
        domains = by_nest.get(loop.var, [])
        if not called or kernel.on_gpu:
            yield _loop_nest(kernel, executions, loop, domains, domains, uses)
            continue
        moving = [domain for domain in domains if _moves_operands(domain, called)]
        own = _with([v for v in domains if not _moves_operands(v, called)], lambda node: not _is_blas(node))
        does_more = any(isinstance(node, Operation) for domain in own for node in domain.body)
        for calls in _by_library(executions, _with(domains, _is_blas), uses):
            yield replace(calls, amid=does_more)
        if moving:
            yield _operands(kernel, executions, loop, moving)
        if own or not moving:
            yield _loop_nest(kernel, executions, loop, domains, own, uses)


def _loop_nest(
    kernel: Kernel, executions: ExecutionCounts, loop: Loop, domains: Sequence[StatementDomain],
    own: Sequence[StatementDomain], uses: Tally[int],
) -> NestCost:  # fmt: skip
    """``own``: of its domains, what no library does."""
    libraries = {node.library for domain in own for node in domain.body if isinstance(node, Operation)}
    found = () if kernel.on_gpu else chains(kernel, executions, domains, (loop,))  # threads hide latency
    code = MachineCode(kernel, executions, found)
    return NestCost(
        line=loop.line,
        parallel=_is_parallel(loop) or bool(libraries - {""}),
        library=next(iter(libraries)) if len(libraries) == 1 else "",
        operations=operations(executions, own),
        fused_pairs=fused_pairs(executions, own, uses),
        chains=found,
        bodies=code.bodies(own),
        starts=tuple(code.starts(own)),
        integers=tuple(code.integers(own)),
        strided_innermost=has_strided_innermost(kernel, executions, (loop,)),
        matrix=dict(_on_matrix_units(executions, own)),
        split=_is_parallel(loop),
    )


def _operands(
    kernel: Kernel, executions: ExecutionCounts, loop: Loop, moving: Sequence[StatementDomain]
) -> NestCost:  # fmt: skip
    """The loads and stores of BLAS-like calls, which all cores share."""
    code = MachineCode(kernel, executions, ())
    return NestCost(
        line=loop.line, parallel=True, library="", operations={}, fused_pairs={}, chains=(), strided_innermost=False,
        bodies=code.bodies(moving), starts=tuple(code.starts(moving)),
    )  # fmt: skip


def _by_library(
    executions: ExecutionCounts, domains: Sequence[StatementDomain], uses: Tally[int]
) -> Iterator[NestCost]:
    """The calls of each library and of each of its functions, and the rest."""
    found = [node for domain in domains for node in domain.body if isinstance(node, Operation)]
    for kind in dict.fromkeys(map(_function, found)):
        part = _with(domains, partial(_is_of, kind))
        yield NestCost(
            line=next(node.line for node in found if _function(node) == kind),
            parallel=bool(kind[0]),
            library=kind[0],
            function=kind[1],
            operations=operations(executions, part),
            fused_pairs={} if kind[0] else fused_pairs(executions, part, uses),
            chains=(),
            strided_innermost=False,
        )


def _with(domains: Sequence[StatementDomain], has: Callable[[Node], bool]) -> list[StatementDomain]:
    return [replace(domain, body=tuple(node for node in domain.body if has(node))) for domain in domains]


def _is_blas(node: Node) -> bool:
    return isinstance(node, Operation) and bool(node.library)


def _is_of(kind: tuple[str, str], node: Node) -> bool:
    return isinstance(node, Operation) and _function(node) == kind


def _function(operation: Operation) -> tuple[str, str]:
    return operation.library, operation.part_of.name if operation.part_of else ""


def _moves_operands(domain: StatementDomain, called: Collection[LibraryCall | None]) -> bool:
    """Whether BLAS-like calls load or store there what they take and give."""
    call = domain.loops[-1].part_of if domain.loops else None
    return call is not None and call in called and not any(isinstance(node, Operation) for node in domain.body)


def _is_parallel(loop: Loop) -> bool:
    return any(inner.parallel for inner in loops((loop,)))


def _on_matrix_units(
    executions: ExecutionCounts, domains: Sequence[StatementDomain]
) -> Iterator[tuple[PrecisionName, Expr]]:
    """By precision; none outside kernels of a GPU."""
    found = _with(domains, lambda node: isinstance(node, Operation) and node.function == MATRIX)
    counted = operations(executions, [domain for domain in found if domain.body])
    for precision in {precision for _, precision in counted}:
        yield precision, sum_of(count for (_, p), count in counted.items() if p == precision)

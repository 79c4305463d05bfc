"""A loop that has machine code of its own, and what the rules of `compiled_loop` ask of its body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TypeGuard

from roofscan.cost.compiled.unrolled_loops import constant_trips
from roofscan.cost.counts import StatementDomain
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.data_subscripts import Rest
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import INTEGER_POWER
from roofscan.ir.tree import Access, Branch, Leaf, Loop, Node, Operation, When
from roofscan.ir.visitor import LEAVES, loops, walk
from roofscan.memo import kept_by
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

LOADED_STRIDES = (2, 3, 4)  # strides, in elements, that loads of vector code shuffle
ARITHMETIC = ("add", "sub", "mul", "div", "sqrt")  # what LLVM takes out of a loop that does not change it
OPAQUE = ("", INTEGER_POWER, "hypot")  # functions that stay inside; it knows others as free of effects (Numba 0.68)
_IRREGULAR = 1 << 30


def without_wrap(access: Access, loop: Loop) -> Access:
    """With ``i + 1`` for ``(i + 1) % n`` in a loop over all n: LLVM 20 takes the last iteration out of the loop."""
    if not any(e is not None and any(atom.name == "floor" for atom in e.atoms) for e in access.index):
        return access
    return replace(access, index=tuple(e and _without_wrap(e, loop) for e in access.index))


def _without_wrap(subscript: Expr, loop: Loop) -> Expr:
    wraps = {a for a in subscript.atoms if a.name == "floor" and is_choice(a.args[0], a.args[1], (loop,))}
    kept = {m: c for m, c in subscript.terms.items() if wraps.isdisjoint(atom for atom, _ in m)}
    return Expr(kept) if wraps else subscript


def is_choice(number: Expr, divisor: Expr, loops: Iterable[Loop]) -> bool:
    """Whether it is the number after a counter that stays below the divisor: LLVM compares them instead
    (``simplifyIVRemainder``)."""
    counters = (loop for loop in loops if number - symbol(loop.var) == ONE and loop.step == ONE)
    ends = ((loop.start.constant, (divisor - loop.stop).constant) for loop in counters)
    return any(start is not None and start >= 0 and rest is not None and rest >= 0 for start, rest in ends)


@dataclass(frozen=True)
class LoopBody:
    """An innermost loop, with the short loops that are unrolled into it."""

    kernel: Kernel
    loop: Loop
    nested: bool  # whether another loop is around it
    is_innermost: bool
    serial_chains: frozenset[str]  # the loops through which a chain runs that may not be reordered

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(node for node in walk(self.loop.body) if isinstance(node, LEAVES))

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        found = (node for node in self.leaves if isinstance(node, Access))
        return tuple(without_wrap(access, self.loop) for access in found)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(node for node in self.leaves if isinstance(node, Operation))

    @cached_property
    def _unguarded(self) -> set[tuple[str, tuple[Expr | None, ...]]]:
        """The places that an iteration moves to and accesses whatever branches do."""
        return moving_places(self, walk(self.loop.body, lambda block: not isinstance(block, Branch)))

    def guards(self, access: Access) -> bool:
        """Whether branches alone access a place that the loop moves."""
        return is_moved(access, self.loop.var) and (access.array, access.index) not in self._unguarded

    def holds_in_branch(self, access: Access) -> bool:
        """Whether branches alone access a place that the loop does not move: it is not loaded before the loop."""
        return not is_moved(access, self.loop.var) and (access.array, access.index) not in self._known

    @cached_property
    def _known(self) -> set[tuple[str, tuple[Expr | None, ...]]]:
        """The places that the kernel accesses whatever branches do."""
        nodes = walk(self.kernel.body, lambda block: not isinstance(block, Branch))
        return {(node.array, node.index) for node in nodes if isinstance(node, Access)}

    @cached_property
    def unrolled(self) -> frozenset[str]:
        """The variables of the short loops."""
        return frozenset(loop.var for loop in loops(self.loop.body))

    @cached_property
    def _changing(self) -> set[int]:
        return changing_nodes(self.kernel, self.loop, {node.id: node for node in self.leaves}, powers=False)

    def kept(self, domain: StatementDomain) -> StatementDomain:
        """Without the arithmetic that LLVM takes out of the loop, as ``dt / dx**2``, or out of a short loop in it."""
        if not self.kernel.compiles(self.loop):
            return domain
        body = tuple(self._once(node, domain.loops) for node in domain.body if not self.is_taken_out(node))
        return replace(domain, body=body)

    def is_taken_out(self, node: Node) -> bool:
        return _is_movable(node) and node.id not in self._changing

    def _once(self, node: Node, around: Sequence[Loop]) -> Node:
        """With its count as if its short loops that do not change it had one iteration."""
        if not _is_movable(node):
            return node
        shared = 1
        for short in reversed(around):
            trips = constant_trips(self.kernel, short)
            if short.var not in self.unrolled or not trips or node.id in self._changing_in(short):
                break
            shared *= trips
        return node if shared == 1 else replace(node, count=node.count * Fraction(1, shared))

    @kept_by(lambda short: short.var)
    def _changing_in(self, short: Loop) -> set[int]:
        nodes = {node.id: node for node in walk(short.body) if isinstance(node, LEAVES)}
        return changing_nodes(self.kernel, short, nodes, powers=False)

    def stride(self, access: Access) -> int:
        """Elements that an iteration moves on: the compiler knows extents of no array, only which axis has stride 1, if
        the signature leaves it that."""
        moved, array = 0, self.kernel.array(access.array)
        for subscript, stride in zip(access.index, array.strides):
            if subscript is None or self.loop.var not in subscript.symbols:
                continue
            if array.any_stride or access.any_stride:
                return _IRREGULAR
            step = (subscript.coefficient(self.loop.var) * self.loop.step).constant
            if stride != ONE or step is None or not subscript.is_linear_in([self.loop.var]):
                return _IRREGULAR
            moved += int(step)
        return moved

    def is_row(self, access: Access) -> bool:
        """Whether data choose where it walks, but not how: by numbers from before the loop, or elements that no store
        of the loop may change."""
        rests = [rest for subscript, rest in zip(access.index, access.rests) if subscript is None]
        return bool(rests) and all(rest is not None and self._is_known(rest) for rest in rests)

    def _is_known(self, rest: Rest) -> bool:
        element = None if any(access.write for access in self.accesses) else rest.element
        moved = [rest.expr] if rest.fixed else [rest.expr, *element[1]] if element else None
        return moved is not None and all(self.loop.var not in expr.symbols for expr in moved)

    def keeps_test(self, subscript: Expr | None) -> bool:
        """Whether Numba tests for a negative value a subscript that the loop moves."""
        if self.loop.array_expression or self.loop.parallel or not self.kernel.compiles(self.loop):
            return False
        if subscript is None or self.loop.var not in subscript.symbols:
            return False
        offset = subscript.coefficient(self.loop.var, 0).subs(dict.fromkeys(self.unrolled, ZERO))
        natural = offset.constant is not None or self._is_natural(offset)
        if not natural or subscript.coefficient(self.loop.var).constant not in (1, -1, *LOADED_STRIDES):
            return True
        step = self.loop.step.constant
        if step is not None and step < 0:
            return self.nested
        if self.loop.start.constant not in (0, 1):
            return offset.constant is None or not self._starts_inside(subscript)
        return subscript.coefficient(self.loop.var).constant == -1 and not self._is_of_one_sign(subscript)

    def _starts_inside(self, subscript: Expr) -> bool:
        """Whether LLVM sees that a walk up from a number stays above zero, ``x[i - 2]`` for i in range(2, n): where the
        function has seen that n is no negative number. Measured: 1.0 with views instead, and 4 to 7 elsewhere."""
        first, sizes = subscript.subs({self.loop.var: self.loop.start}).constant, self.loop.stop.symbols
        if first is None or first < 0 or len(sizes) != 1 or subscript.coefficient(self.loop.var) != ONE:
            return False
        [size] = sizes
        return (self.loop.stop - symbol(size)).constant is not None and is_natural_size(self.kernel, self.loop, size)

    def _is_of_one_sign(self, subscript: Expr) -> bool:
        """Whether LLVM sees the sign of a walk backwards: ``x[-i]`` from 1 on, which stands here as ``x[n - i]``, or up
        to where a variable that counts ends it (``x[i - k]`` for k up to i). Measured with sums in any order: 0.11 ns
        an element of the latter, and 0.51 of ``x[m - 1 - k]`` with k below m, or ``x[i - k]`` with k below a size."""
        size = subscript + Expr.of(self.loop.var)
        if self.loop.start == ONE and len(size.symbols) == 1 and size == Expr.of(*size.symbols):
            return True
        last = subscript.subs({self.loop.var: self.loop.stop - 1}).constant
        around = {loop.var for loop in loops(self.kernel.body)}
        return last is not None and last >= 0 and bool(self.loop.stop.symbols) and self.loop.stop.symbols <= around

    def tests_value(self, access: Access, rest: Rest) -> bool:
        """Whether Numba tests for a negative value a subscript that data choose anew in an iteration."""
        if self.loop.array_expression or access.written or rest.fixed or not self.kernel.compiles(self.loop):
            return False
        return rest.element is None or not self.kernel.array(rest.element[0]).dtype.is_unsigned

    def _is_natural(self, expr: Expr) -> bool:
        """Whether it is a sum of sizes, of shares of such sums, and of variables of loops that count up from such a sum
        by one."""
        sizes = {s.name for s in self.kernel.symbols if s.kind in ("size", "tile")}
        shares = (atom.name == "floor" and self._is_natural(atom.args[0]) for atom in expr.atoms)
        if not all(shares) or any(c < 0 for c in expr.terms.values()):
            return False
        rest = expr.symbols - sizes
        around = [loop for loop in loops(self.kernel.body) if loop.var in rest]
        return len(around) == len(rest) and all(o.step == ONE and self._is_natural(o.start) for o in around)

    @cached_property
    def operands(self) -> tuple[int, ...]:
        """The axes of each array of a NumPy expression that makes an array: each slice is an operand of its own."""
        if not (self.kernel.compiles(self.loop) and self.loop.array_expression and self.operations):
            return ()
        made = [a for a in self.accesses if a.write and self.kernel.array(a.array).is_made]
        axes = {s for write in made for e in write.index if e is not None for s in e.symbols}
        found: dict[object, int] = {}
        for read in (a for a in self.accesses if not a.write and a.regular):
            moved = [e for e in read.index if e is not None and not axes.isdisjoint(e.symbols)]
            whole = len(moved) == len(read.index) and self.kernel.array(read.array).shape[-1] == self.loop.stop
            if moved:
                found[read.array if whole else read.id] = len(moved)
        return tuple(found.values())


def is_natural_size(kernel: Kernel, loop: Loop, size: str) -> bool:
    """Whether a function has tested before a loop that a size is no negative number: making an array does, but not of
    the result of an expression, and so does a test of the source, ``if n < 24: return``."""
    for array in kernel.arrays:
        made = array.is_made and kernel.line <= array.line < loop.line and not (array.fresh_in or array.made_in)
        if made and any(_at_least(extent, size) for extent in array.shape) and not _is_result(kernel, array):
            return True
    tests = (node for node in kernel.body if isinstance(node, When) and any(each is loop for each in loops(node.body)))
    every = (condition for test in tests for condition in test.conditions)
    return any(each.relation == "ge" and _at_least(each.expr, size) for each in every)


def _at_least(expr: Expr, size: str) -> bool:
    """Whether a size is known not to be negative where this is: ``n`` and ``n - 24``."""
    rest = (expr - symbol(size)).constant
    return rest is not None and rest <= 1


def _is_result(kernel: Kernel, array: Array) -> bool:
    """Whether operations of the statement that makes an array compute its elements."""
    here = (loop for loop in loops(kernel.body) if loop.array_expression and loop.line == array.line)
    return any(isinstance(node, Operation) for loop in here for node in walk(loop.body))


def _is_movable(node: Node) -> TypeGuard[Operation]:
    """Whether LLVM moves it to where its operands are known."""
    if not isinstance(node, Operation):
        return False
    return node.kind in ARITHMETIC or (
        node.kind == "special" and node.dtype.kind == "float" and node.function not in OPAQUE
    )


def changing_nodes(kernel: Kernel, loop: Loop, nodes: Mapping[int, Leaf], powers: bool) -> set[int]:
    """The values that may change from one iteration to the next, as LLVM sees it: it takes what no store of the loop
    may reach out of the loop (arrays of the module, which are constants), and what is computed from such values.
    ``powers``: they move as well, as calls that it opens only after it took tests out of loops."""
    found = {carried.entry for carried in loop.carried}
    fixed = {a.id for a in reads_of_written_rows(tuple(n for n in nodes.values() if isinstance(n, Access)), loop.var)}
    for node in nodes.values():
        if isinstance(node, Access):
            constant = kernel.array(node.array).role == "global" and node.regular and not is_moved(node, loop.var)
            moves = not constant and node.id not in fixed
        else:
            is_power = powers and isinstance(node, Operation) and node.function == INTEGER_POWER
            moves = is_power or (isinstance(node, Operation) and (node.counts_on or not found.isdisjoint(node.inputs)))
        if moves:
            found.add(node.id)
    return found


def moving_places(code: LoopBody, nodes: Iterable[Node]) -> set[tuple[str, tuple[Expr | None, ...]]]:
    return {(n.array, n.index) for n in nodes if isinstance(n, Access) and is_moved(n, code.loop.var)}


def is_moved(access: Access, var: str) -> bool:
    return any(e is not None and var in e.symbols for e in access.index)


def reads_of_written_rows(accesses: Sequence[Access], var: str) -> Iterator[Access]:
    """The reads of one element, the same throughout a loop, from a row that the loop writes."""
    rows = {(a.array, a.index[:-1]) for a in accesses if a.write and moved_last(a, var)}
    fixed = (a for a in accesses if not a.write and a.regular and a.index and not is_moved(a, var))
    return (a for a in fixed if (a.array, a.index[:-1]) in rows)


def moved_last(access: Access, var: str) -> bool:
    return bool(access.index) and access.index[-1] is not None and var in access.index[-1].symbols

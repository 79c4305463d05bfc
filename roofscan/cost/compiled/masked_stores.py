"""Stores that only some executions of a branch on data make. Vector code makes them under masks, which AVX2 has for
elements of 4 and 8 bytes alone, and slow ones on some cores; AVX-512 has them for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from roofscan.cost.compiled.beyond_arithmetic import branch_share, is_speculated
from roofscan.cost.counts import StatementDomain
from roofscan.cost.loop_body import LoopBody
from roofscan.cost.result import Masks
from roofscan.ir.tree import Access, Body, Branch, Loop, Node, Operation
from roofscan.ir.visitor import leaves
from roofscan.symbolic.expr import ONE, Expr

MASKED_BYTES = 4  # of the smallest element that AVX2 stores under a mask
Place = tuple[str, tuple[Expr | None, ...]]
Arms = tuple[Body, Body]


class MaskedStores:
    """Those of one innermost loop."""

    def __init__(self, code: LoopBody) -> None:
        self._code = code
        self._masked = frozenset(self._under_masks(code.loop.body))
        sizes = (code.kernel.array(array).dtype.size for array, _ in self._masked)
        self._selected = frozenset(self._selections(code.loop.body))
        self._apart = any(map(self._stay_apart, _arms_in(code.loop)))
        self.need_masks = any(size < MASKED_BYTES for size in sizes) or self._apart

    def of(self, visit: StatementDomain) -> Masks | None:
        """None where the machine code of the body is the same without masks."""
        if not self._masked and not self.need_masks:
            return None
        written = [n for n in visit.body if isinstance(n, Access) and n.write and _place(n) in self._masked]
        stored = sum(Fraction(self._size(n), self._stores(_place(n))) for n in written)
        guessed = branch_share(visit, True, self._code.guards) if self.need_masks else None
        return Masks(float(stored), _share(visit, self._code.loop), self.need_masks, guessed)

    def is_shared(self, store: Access) -> bool:
        """Whether both arms of the test around it store there and do little else: LLVM moves such stores behind the
        arms, and selects what they store."""
        return store.regular and not self._apart and _place(store) in self._selected

    def _selections(self, body: Body) -> Iterator[Place]:
        for one, other in _pairs(body):
            yield from self._selections(one)
            yield from self._selections(other)
            if all(is_speculated(tuple(leaves(arm)), self._code.guards) for arm in (one, other)):
                yield from _stored(one) & _stored(other)

    def _size(self, store: Access) -> int:
        return self._code.kernel.array(store.array).dtype.size

    def _stores(self, place: Place) -> int:
        """LLVM makes one store of those of several arms."""
        return sum(access.write and _place(access) == place for access in self._code.accesses)

    def _under_masks(self, body: Iterable[Node]) -> Iterator[Place]:
        """What an arm stores and the other one does not. LLVM stores once, after both, what both store."""
        for one, other in _pairs(body):
            yield from self._under_masks(one)
            yield from self._under_masks(other)
            yield from _stored(one) ^ _stored(other)

    def _stay_apart(self, arms: Arms) -> bool:
        """Whether three arms or more do nothing but store to one place: LLVM 20 leaves such stores in branches, unless
        both arms of the first test hold another one. Seen in compiled code of Numba 0.68."""
        one, other = ((self._bare(arm), self._chain(arm)) for arm in arms)
        return (one[0] is not None and one[0] == other[1]) or (other[0] is not None and other[0] == one[1])

    def _chain(self, body: Body) -> Place | None:
        """The place that the arms of a test store to, where that is all they do."""
        pairs = list(_pairs(body))
        if len(pairs) != 1 or any(not isinstance(node, Branch) for node in self._beyond_tests(body)):
            return None
        one, other = ({self._bare(arm), self._chain(arm)} - {None} for arm in pairs[0])
        return next(iter(one & other), None)

    def _bare(self, body: Body) -> Place | None:
        """The place that a body stores to, where that is all it does."""
        rest = self._beyond_tests(body)
        [store] = rest if len(rest) == 1 else [None]
        return _place(store) if isinstance(store, Access) and store.write else None

    def _beyond_tests(self, body: Body) -> list[Node]:
        """What is neither part of a test nor read before it."""
        tests = [node for node in body if isinstance(node, Operation) and node.kind == "compare"]
        tested = {i for test in tests for i in test.inputs}
        rest = (node for node in body if node not in tests)
        return [n for n in rest if not (isinstance(n, Access) and self._is_known(n, tested))]

    def _is_known(self, access: Access, tested: set[int]) -> bool:
        return not access.write and (access.id in tested or not self._code.guards(access))


def _place(access: Access) -> Place:
    return access.array, access.index


def _share(visit: StatementDomain, loop: Loop) -> Expr:
    """Of the iterations of the loop, those that reach the body."""
    share = ONE
    for node in visit.domain.path if visit.domain else ():
        if isinstance(node, Loop) and node.var == loop.var:
            share = ONE
        elif isinstance(node, Branch):
            share = share * node.share
    return share


def _pairs(body: Iterable[Node]) -> Iterator[Arms]:
    """The arms of each test on data; one of them may be empty."""
    branches = [node for node in body if isinstance(node, Branch)]
    while branches:
        one = branches.pop(0)
        has_other = bool(branches) and one.share + branches[0].share == ONE
        yield one.body, branches.pop(0).body if has_other else ()


def _arms_in(loop: Loop) -> Iterator[Arms]:
    todo: list[Sequence[Node]] = [loop.body]
    while todo:
        for arms in _pairs(todo.pop()):
            yield arms
            todo.extend(arms)


def _stored(body: Body) -> frozenset[Place]:
    """What a body stores in any case."""
    own = {_place(node) for node in body if isinstance(node, Access) and node.write and node.regular}
    return frozenset(own.union(*(_stored(one) & _stored(other) for one, other in _pairs(body))))

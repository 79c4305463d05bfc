"""The tree of the model: loops and references with affine forms, made from the kernel's IR. Conditions on loop
variables become guards of the nodes in them, data-dependent branches a share, so that a loop's children are references
and loops."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import TypeVar, Union

from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TouchKind


@dataclass(eq=False)
class Buffer:
    """One stretch of memory. Strides fall; the last one is 1. All in elements, ``per_line`` of them a line."""

    name: str
    per_line: int
    strides: tuple[Num, ...]
    size: Num  # elements from the first to the last, over all dimensions
    owner: str = ""  # the array of the kernel that movement is charged to
    base: Buffer | None = None  # of scattered references: that of the others to the same memory
    made: bool = False  # whether the kernel allocates it: what it reads there, it has written
    packed: int = 0  # inner strides that are the largest of several: rows follow each other whatever they say

    @cached_property
    def steps(self) -> tuple[float, ...]:
        return tuple(value_of(s) for s in self.strides)


@dataclass(frozen=True)
class Modulo:
    """A subscript taken modulo ``modulus``, then moved by ``offset``."""

    modulus: Num
    offset: Num


@dataclass(frozen=True)
class Clamp:
    """A subscript kept between ``low`` and ``high``."""

    low: Num | None
    high: Num | None


IndexLimit = Union[Modulo, Clamp]


@dataclass(eq=False)
class TreeNode:
    """What references and loops have in common, set once they are built: see ``canonical_forms``."""

    buffers: frozenset[int] = field(default=frozenset(), init=False)
    written_in: frozenset[int] = field(default=frozenset(), init=False)
    own_names: frozenset[str] | None = field(default=None, init=False)
    places: dict[object, int] = field(default_factory=dict, init=False)  # where nodes were asked for, numbered
    form: int = field(default=0, init=False)
    taken: Num = field(default=1, init=False)  # the share that branches on data let run; a part of ``share``
    arms: frozenset[tuple[int, bool]] = field(default=frozenset(), init=False)  # of branches on data, by their numbers
    own_buffers: tuple[Buffer, ...] = field(default=(), init=False)  # in the order in which it meets them
    shapes: dict[tuple[int, bool], int] = field(default_factory=dict, init=False)  # by buffer and whether of writes


@dataclass(frozen=True)
class PointerWalk:
    """What refs that one pointer moves have in common. ``pace``: lines that a step of one takes it further."""

    key: tuple[object, ...]
    loop: int  # its uid
    back: int
    most: int | None
    descends: bool
    pace: Fraction

    @property
    def goes_on(self) -> bool:
        """Whether it never turns back, however far it goes."""
        return self.most is None and not self.back

    def loop_of(self, ref: Ref) -> LoopNode:
        """The loop of the pointer, around one of these refs."""
        return next(loop for loop in ref.loops if loop.uid == self.loop)


@dataclass(frozen=True)
class ShiftedRow:
    """A row along which a reference goes in a loop, from where data say: ``x[q, (i + c[q]) % n]`` in a loop over i, for
    each iteration of the loops inside a row of its own. ``loop``: its uid; ``period``: where rows begin again."""

    loop: int
    period: Num | None


@dataclass(eq=False)
class Ref(TreeNode):
    """One access: a subscript for each stride of its buffer, perhaps taken modulo a number or clamped. Irregular ones
    touch one unknown line each, of at most ``reach`` lines."""

    uid: int
    buffer: Buffer
    subscripts: tuple[Affine, ...]
    write: bool
    line: int
    guards: tuple[Affine, ...] = ()  # each is >= 0 where it is executed
    share: Num = 1  # of the executions, where a branch depends on data
    loops: tuple["LoopNode", ...] = ()  # those around it, outermost first
    irregular: str = ""  # why, or ""
    reach: Num = 0
    known: Mapping[int, Affine] = field(default_factory=dict)  # by dimension: what an irregular one has of subscripts
    spread: tuple[Affine, ...] = ()  # the places that an irregular one can have, as subscripts of its buffer's base
    anywhere: tuple["LoopNode", ...] = ()  # loops over the subscripts of these that are not known
    width: int = 1  # elements of the buffer that it covers in the last dimension
    repeats: bool = False  # an irregular one that touches the line which the access before it touched
    common: bool = True  # no thread of a parallel loop has elements of its own: see ``threads``
    in_row: bool = False  # walks along a row of which the data choose the place: a line holds several elements
    stands: bool = False  # stays at one such place in all iterations of the innermost loop
    shifted_row: ShiftedRow | None = None
    number: tuple[object, ...] = ()  # of one at unknown numbers that are computed before: equal for equal places
    computed_in: int = 0  # the uid of the loop of which every iteration has such numbers of its own
    moving: frozenset[str] = frozenset()  # the loops inside that one which move it
    stay: int = 0  # iterations of the innermost loop in which a counter takes it one line further, at the soonest
    series: tuple[object, ...] = ()  # equal for those that one counter moves together
    walk: PointerWalk | None = None  # whose element, or one beside it, it touches
    moves: bool = False  # it runs whenever the counter moves, or others of the series do
    near: frozenset[TouchKind] = frozenset()  # in which it touches lines of such a row that others touched just now
    index_limits: tuple[tuple[int, IndexLimit], ...] = ()  # by dimension
    around: dict[tuple[int, ...], tuple[str, ...]] = field(default_factory=dict, init=False)  # see ``names_around``

    def __post_init__(self) -> None:
        self.put_in(self.buffer)

    def put_in(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.buffers = frozenset((id(self.buffer),))
        self.written_in = self.buffers if self.write else frozenset()


@dataclass(eq=False)
class LoopNode(TreeNode):
    """``var`` runs over lows <= var <= highs (all of them) by ``step`` > 0, downwards if ``descending``."""

    uid: int
    var: str
    lows: tuple[Affine, ...]
    highs: tuple[Affine, ...]
    step: Num
    descending: bool
    line: int
    children: tuple["Child", ...] = ()
    guards: tuple[Affine, ...] = ()
    share: Num = 1
    loops: tuple["LoopNode", ...] = ()
    name: str = ""  # in the source
    mean: bool = False  # its executions make different numbers of iterations, of which the mean is known
    furthest: tuple[Affine, ...] = ()  # of such a loop: the last iteration that any can make, if that is known
    sampled_all: bool = False  # its body is not affine in ``var``: every iteration is sampled
    parallel: bool = False  # threads run its iterations, and no loop around it is parallel
    refs: tuple[Ref, ...] = field(default=(), init=False)
    names: frozenset[str] = field(default=frozenset(), init=False)
    names_below: frozenset[str] = field(default=frozenset(), init=False)  # in the limits of the loops inside
    in_order: tuple[str, ...] = field(default=(), init=False)
    irregular_in: frozenset[int] = field(default=frozenset(), init=False)  # the buffers of irregular references
    refs_by_buffer: dict[int, tuple[Ref, ...]] = field(default_factory=dict, init=False)
    children_by_buffer: dict[int, tuple[int, ...]] = field(default_factory=dict, init=False)  # of children

    def seal(self) -> None:
        """Summarizes the subtree, once the children are complete."""
        self.refs = tuple(r for c in self.children for r in refs_of(c))
        self.refs_by_buffer = _grouped((id(r.buffer), r) for r in self.refs)
        self.children_by_buffer = _grouped((key, n) for n, c in enumerate(self.children) for key in c.buffers)
        self.buffers = frozenset(self.refs_by_buffer)
        self.written_in = frozenset(id(r.buffer) for r in self.refs if r.write)
        self.irregular_in = frozenset(id(r.buffer) for r in self.refs if r.irregular)
        inner = [c for c in self.children if isinstance(c, LoopNode)]
        self.names_below = frozenset().union(*(c.names_below.union(names_of(c)) for c in inner))
        self.names = names_of(self).union(*(c.names if isinstance(c, LoopNode) else names_of(c) for c in self.children))

    def cut(self) -> None:
        """Leaves what is inside, which refers to it."""
        self.children, self.refs, self.refs_by_buffer = (), (), {}

    @cached_property
    def widest(self) -> LoopNode:
        """The loop of which every execution makes the most iterations; itself where the mean is that number."""
        if not self.furthest:
            return self
        lows, highs = (self.furthest, self.highs) if self.descending else (self.lows, self.furthest)
        wide = LoopNode(-1 - self.uid, self.var, lows, highs, self.step, self.descending, self.line)
        wide.guards = self.guards
        return wide

    @property
    def direction(self) -> int:
        return -1 if self.descending else 1

    @property
    def alignment(self) -> int:
        """How far the alignment of a representative iteration is known: a multiple of the step away."""
        step = value_of(self.step)
        return int(step) if step == int(step) else 1


Child = Union[Ref, LoopNode]
Member = TypeVar("Member")


def _grouped(pairs: Iterable[tuple[int, Member]]) -> dict[int, tuple[Member, ...]]:
    groups: dict[int, list[Member]] = {}
    for key, member in pairs:
        groups.setdefault(key, []).append(member)
    return {key: tuple(group) for key, group in groups.items()}


def refs_of(child: Child) -> tuple[Ref, ...]:
    return (child,) if isinstance(child, Ref) else child.refs


def refs_to(child: Child, buffer: Buffer) -> tuple[Ref, ...]:
    if isinstance(child, LoopNode):
        return child.refs_by_buffer.get(id(buffer), ())
    return (child,) if child.buffer is buffer else ()


def has_irregular(child: Child, buffer: Buffer) -> bool:
    if isinstance(child, LoopNode):
        return id(buffer) in child.irregular_in
    return child.buffer is buffer and bool(child.irregular)


def children_to(loop: LoopNode, buffer: Buffer) -> tuple[Child, ...]:
    return tuple(loop.children[n] for n in loop.children_by_buffer.get(id(buffer), ()))


def sorted_names(loop: LoopNode) -> tuple[str, ...]:
    if not loop.in_order:
        loop.in_order = tuple(sorted(loop.names))
    return loop.in_order


def is_open(node: Child) -> bool:
    """Whether branches on data around it decide that it runs."""
    return isinstance(node.taken, SampledExpr) or node.taken != 1


def exclusive(a: Child, b: Child) -> bool:
    """Whether only one of two children of a loop can run in an iteration: they are in both arms of a branch."""
    return any((branch, not arm) in b.arms for branch, arm in a.arms)


def names_of(child: Child) -> frozenset[str]:
    """The loop variables that a child's own forms mention."""
    if child.own_names is None:
        child.own_names = _names(child)
    return child.own_names


def names_around(ref: Ref, fixed: Container[str]) -> tuple[str, ...]:
    """The variables on which the elements of a reference depend, in order: its own, and those in the bounds of loops
    that are not fixed."""
    free = tuple([loop.uid for loop in ref.loops if loop.var not in fixed])
    found = ref.around.get(free)
    if found is None:
        names = names_of(ref).union(*(names_of(loop) for loop in ref.loops if loop.uid in free))
        found = ref.around[free] = tuple(sorted(names))
    return found


def _names(child: Child) -> frozenset[str]:
    forms = child.guards + (child.subscripts if isinstance(child, Ref) else child.lows + child.highs)
    return frozenset().union(*(f.names for f in forms))


def loops_below(loop: LoopNode) -> Iterator[LoopNode]:
    for child in loop.children:
        if isinstance(child, LoopNode):
            yield child
            yield from loops_below(child)


def walked(loop: LoopNode, buffer: Buffer) -> int:
    """The last dimension in which the loop moves references, perhaps through the bounds of a loop inside; 0 also
    where it moves none."""
    moving = {loop.var}
    for inner in loops_below(loop):
        if any(moving & f.names for f in (*inner.lows, *inner.highs)):
            moving.add(inner.var)
    refs = [r for r in refs_to(loop, buffer) if not r.irregular]
    dims = (n for r in refs for n, s in enumerate(r.subscripts) if moving & s.coefs.keys())
    return max(dims, default=0)


def crossing(loop: LoopNode, buffer: Buffer) -> bool:
    """Whether references to a buffer walk at different speeds, or towards each other."""
    refs = [r for r in refs_to(loop, buffer) if not r.irregular]
    for dim in range(len(buffer.strides)):
        speeds = {value_of(r.subscripts[dim].coefs.get(loop.var, 0)) for r in refs}
        if len(speeds - {0.0}) > 1:
            return True
    return False

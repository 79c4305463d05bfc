"""What parts of a tree have in common: equal numbers for equal structures. Array code is nests that are alike but for
the arrays they touch. Loop variables get the name of their depth, and every node the number of its form: what it does,
in which loops, with its buffers numbered as it meets them. What holds for one node of a form holds for all. Forms are
compared by their expressions, never by values at the sample point."""

from __future__ import annotations

from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, IndexLimit, LoopNode, Modulo, Ref, loops_below
from roofscan.cost.memory.lru.tree.sampled_expr import Num, structure_of
from roofscan.memo import kept_by

FormKey = tuple[object, ...]


class FormNumbers:
    """The numbers of forms, of what they are made of, and of the places where nodes were asked for."""

    def __init__(self) -> None:
        self.forms: dict[FormKey, int] = {}
        self.structures: dict[object, int] = {}
        self.places: dict[object, int] = {}


def put_in_form(root: LoopNode, numbers: FormNumbers | None = None) -> bool:
    """Names the loop variables of a tree by depth, and numbers its forms. Whether they have their ``numbers`` in common
    with other trees: not where terms that are not affine, or places that depend on data, are like no other."""
    opaque = any(f.opaque for f in _all_forms(root))
    if not opaque:
        _rename(root)
    in_common = not opaque and not any(ref.irregular for ref in root.refs)
    CanonicalForms(numbers if numbers is not None and in_common else FormNumbers()).node(root)
    return in_common


def _all_forms(root: LoopNode) -> list[Affine]:
    loops = (root, *loops_below(root))
    found = [f for x in loops for f in (*x.lows, *x.highs, *x.guards)]
    return found + [f for r in root.refs for f in (*r.subscripts, *r.guards)]


def _rename(root: LoopNode) -> None:
    loops = (root, *loops_below(root))
    named = {loop.uid: {outer.var: f"@{n}" for n, outer in enumerate((*loop.loops, loop))} for loop in loops}
    for loop in loops:
        names = named[loop.uid]
        forms = (loop.lows, loop.highs, loop.guards, loop.furthest)
        loop.lows, loop.highs, loop.guards, loop.furthest = (_in_names(fs, names) for fs in forms)
        loop.own_names = None
    for ref in root.refs:
        names = named[ref.loops[-1].uid]
        ref.subscripts, ref.guards = _in_names(ref.subscripts, names), _in_names(ref.guards, names)
        ref.spread = _in_names(ref.spread, names)
        ref.moving = frozenset(names[var] for var in ref.moving)
        ref.known = dict(zip(ref.known, _in_names(tuple(ref.known.values()), names)))
        ref.own_names = None
    for loop in loops:
        loop.var = named[loop.uid][loop.var]
    for loop in reversed(loops):
        loop.seal()


def _in_names(forms: tuple[Affine, ...], names: dict[str, str]) -> tuple[Affine, ...]:
    return tuple(Affine(f.constant, {names.get(v, v): c for v, c in f.coefs.items()}, f.alignment) for f in forms)


class CanonicalForms:
    def __init__(self, numbers: FormNumbers) -> None:
        self._numbers = numbers.forms
        self._structures = numbers.structures
        self._places = numbers.places

    def node(self, node: Child) -> None:
        node.places = self._places
        if isinstance(node, Ref):
            self._ref(node)
            return
        for child in node.children:
            self.node(child)
        node.own_buffers = tuple(dict.fromkeys(s for c in node.children for s in c.own_buffers))
        number = {id(s): n for n, s in enumerate(node.own_buffers)}
        inside = tuple((c.form, tuple(number[id(s)] for s in c.own_buffers)) for c in node.children)
        node.form = self._number("loop", self._bounds(node), self._num(node.share), self._num(node.taken), inside)
        for buffer in node.own_buffers:
            refs = node.refs_by_buffer[id(buffer)]
            for writes in (False, True):
                shapes = {r.shapes[id(buffer), writes] for r in refs if (id(buffer), writes) in r.shapes}
                if shapes:
                    node.shapes[id(buffer), writes] = self._number("shapes", *sorted(shapes))

    def _ref(self, ref: Ref) -> None:
        buffer = ref.buffer
        shape = self._number(
            "ref", self._buffer(buffer), self._affine(ref.subscripts), self._affine(ref.guards),
            tuple(self._bounds(x) for x in ref.loops),
            tuple((dim, *self._limit(limit)) for dim, limit in ref.index_limits),
            ref.uid if ref.irregular else 0, ref.width,
        )  # fmt: skip
        ref.own_buffers = (buffer,)
        ref.form = self._number("access", shape, ref.write, self._num(ref.share), self._num(ref.taken))
        ref.shapes[id(buffer), False] = shape
        if ref.write:
            ref.shapes[id(buffer), True] = self._number("written", shape) if ref.irregular else shape

    # -- keys -----------------------------------------------------------------------------------
    def _number(self, *key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    @kept_by(lambda loop: loop.uid)
    def _bounds(self, loop: LoopNode) -> FormKey:
        ends = (self._affine(loop.lows), self._affine(loop.highs), self._affine(loop.guards))
        kind = (loop.descending, loop.sampled_all, loop.parallel)
        return (loop.var, *ends, self._num(loop.step), *kind)

    def _buffer(self, buffer: Buffer) -> FormKey:
        return (buffer.per_line, *map(self._num, buffer.strides), self._num(buffer.size))

    def _limit(self, limit: IndexLimit) -> FormKey:
        if isinstance(limit, Modulo):
            return (self._num(limit.modulus), self._num(limit.offset))
        ends = (None if end is None else self._num(end) for end in (limit.low, limit.high))
        return ("clamp", *ends)

    def _affine(self, forms: tuple[Affine, ...]) -> FormKey:
        return tuple(self._form(f) for f in forms)

    def _form(self, form: Affine) -> FormKey:
        if form.opaque:
            return ("opaque", id(form))
        coefs = tuple(sorted((v, self._num(c)) for v, c in form.coefs.items()))
        return (self._num(form.constant), coefs, form.alignment)

    def _num(self, number: Num) -> int:
        return structure_of(number, self._structures)

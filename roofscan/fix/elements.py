"""Whole-array expressions element by element: ``0.5 * u[1:] + v`` as ``0.5 * u[i + 1] + v[i]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy

import libcst as cst

from roofscan.fix.array_loops.walks import Lengths, NewAxis, NotElementwise, Stretch, Walk, walks_of
from roofscan.fix.hazards import divides
from roofscan.fix.linear import Linear
from roofscan.fix.model import Site
from roofscan.fix.numbers import SPECIAL, function_name, is_alike, is_constant, numpy_name
from roofscan.fix.source import bindings, code, is_repeated, loaded_names, nodes, simple_lines
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel

FLOATING = ("f8", "f4", "c16")
_COMPARISONS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.Power)


Places = tuple[str, ...]
"""The subscripts of an element that follow the loops, axis by axis; "" where an axis has one index for all."""


@dataclass(frozen=True)
class Element:
    """What an expression is in one iteration; ``rank``: of the expression."""

    node: cst.BaseExpression
    rank: int = 0

    @property
    def text(self) -> str:
        return code(self.node)


class Elements:
    """The expressions of some statements in loops over ``indices``, each shorter than the arrays by ``trimmed``.
    NotElementwise where an expression is something else, or not understood."""

    def __init__(
        self,
        arrays: Mapping[str, Array],
        numbers: set[str],
        loops: Sequence[tuple[str, int]],
        lengths: Lengths,
        fresh: Callable[[str], str],
        is_given: Callable[[cst.BaseExpression], bool] = lambda node: False,
        flat: Collection[str] = (),
    ) -> None:
        """``is_given``: whether an expression of numbers is computed before, by the caller; ``flat``: arrays of any
        rank, of which the loops see all elements in a row."""
        self._arrays, self._numbers, self._loops, self._fresh = arrays, numbers, tuple(loops), fresh
        self._lengths, self._is_given, self._flat = lengths, is_given, flat
        self.given: dict[str, tuple[set[str], str]] = {}  # what is computed before: the names in it, and its own
        self._scalars: dict[str, Element] = {}  # by names of arrays: what stands for them in an iteration
        self.called: dict[str, str] = {}  # arrays that have another name in the loops
        self.touched: dict[str, set[Places]] = {}  # by array: which of its elements an iteration takes
        self.fixed: dict[str, tuple[str, str]] = {}  # one element for all iterations: its array, and its name
        self.ends: dict[str, str] = {}  # names in the ends of slices: the arrays whose axes are so long
        self.every_loop = self._loops
        self.divides = self.is_special = self.spreads = False

    def keep(self, name: str, rank: int) -> str:
        """From here on, a name is one number in each iteration: another one, where it is an argument until then."""
        known = self._scalars.get(name)
        is_argument = name in self._arrays and self._arrays[name].role == "parameter"
        is_read = name in self.touched or any(name in names for names, _ in self.given.values())
        own = known.text if known else self._fresh(f"{name}_element") if is_argument else name
        if name in self._numbers or (is_read and not is_argument) or (known and known.rank != rank) or not rank:
            raise NotElementwise
        self._scalars[name] = Element(cst.Name(own), rank)
        return own

    def without_last(self) -> Elements:
        """The same in the loops around the innermost one."""
        outer = copy(self)
        outer._loops = self._loops[:-1]
        return outer

    def is_kept(self, name: str) -> bool:
        return name in self._scalars

    def of(self, node: cst.BaseExpression) -> Element:
        if self._is_given(node):
            return Element(cst.Name(self._from_caller(node)))
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if isinstance(node, cst.Float) or is_constant(node) or (isinstance(node, cst.Integer) and is_alike(node)):
            return Element(node)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            inner = self.of(node.expression)
            return Element(node.with_changes(expression=inner.node), inner.rank)
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, _ARITHMETIC):
            left, right = self.of(node.left), self.of(node.right)
            self.divides |= divides(node)
            if not isinstance(node.right, cst.Integer) or not left.rank:
                self.is_special |= isinstance(node.operator, cst.Power)
            return Element(node.with_changes(left=left.node, right=right.node), max(left.rank, right.rank))
        if isinstance(node, cst.Call) and (function_name(node) or _is_abs(node)):
            self.is_special |= function_name(node) in SPECIAL
            found = [self.of(arg.value) for arg in node.args]
            args = [arg.with_changes(value=inner.node) for arg, inner in zip(node.args, found, strict=True)]
            return Element(node.with_changes(args=args), max(inner.rank for inner in found))
        if isinstance(node, cst.Call) and len(node.args) == 3 and not any(a.keyword or a.star for a in node.args):
            if numpy_name(node) == "where":
                return self._chosen(node)
            if numpy_name(node) == "clip":
                return self._clipped(node)
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name):
            return self.element(node.value.value, node.slice)
        raise NotElementwise

    def _chosen(self, node: cst.Call) -> Element:
        """``np.where(test, one, other)``: a floating-point number, if one of the two certainly is."""
        test, one, other = self._test(node.args[0].value), *(self.of(arg.value) for arg in node.args[1:])
        if not (one.rank or other.rank or any(isinstance(part.node, cst.Float) for part in (one, other))):
            raise NotElementwise
        chosen = cst.IfExp(test.node, one.node, other.node, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return Element(chosen, max(test.rank, one.rank, other.rank))

    def _clipped(self, node: cst.Call) -> Element:
        """``np.clip(value, least, most)``, which keeps what is no number."""
        found = [self.of(arg.value) for arg in node.args]
        if not found[0].rank:
            raise NotElementwise
        module, (value, least, most) = code(node.func).removesuffix("clip"), (part.text for part in found)
        text = f"{module}minimum({module}maximum({value}, {least}), {most})"
        return Element(cst.parse_expression(text), max(part.rank for part in found))

    def _test(self, node: cst.BaseExpression) -> Element:
        """A comparison of two elements, or several of them with ``&`` and ``|``."""
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.BitAnd, cst.BitOr)):
            left, right = self._test(node.left), self._test(node.right)
            operator = cst.And() if isinstance(node.operator, cst.BitAnd) else cst.Or()
            both = cst.BooleanOperation(left.node, operator, right.node, lpar=node.lpar, rpar=node.rpar)
            return Element(both, max(left.rank, right.rank))
        if not isinstance(node, cst.Comparison) or len(node.comparisons) > 1:
            raise NotElementwise
        compared = node.comparisons[0]
        if not isinstance(compared.operator, _COMPARISONS):
            raise NotElementwise
        left, right = self.of(node.left), self.of(compared.comparator)
        new = node.with_changes(left=left.node, comparisons=[compared.with_changes(comparator=right.node)])
        return Element(new, max(left.rank, right.rank))

    def _of_name(self, node: cst.Name) -> Element:
        if node.value in self._scalars:
            return self._scalars[node.value]
        return Element(node) if node.value in self._numbers else self.element(node.value, ())

    def element(self, name: str, parts: Sequence[cst.SubscriptElement]) -> Element:
        """The element of an array, or of a slice of it."""
        array = self._arrays.get(name)
        if array is None or name in self._scalars or array.record or array.dtype.code not in FLOATING:
            raise NotElementwise
        walks = walks_of(parts, len(array.shape), self._lengths)
        if name in self._flat and walks != [Stretch()]:
            raise NotElementwise
        own = [walk for walk in walks if isinstance(walk, (Stretch, NewAxis))]
        loops = self._loops[len(self._loops) - len(own) :] if own else ()
        self.spreads |= len(own) > sum(isinstance(walk, Stretch) for walk in own)
        along = [(walk, trimmed) for walk, (_, trimmed) in zip(own, loops, strict=False) if isinstance(walk, Stretch)]
        if len(own) > len(loops) or any(walk.trimmed != trimmed for walk, trimmed in along):
            raise NotElementwise
        self.ends |= {walk.end: self._lengths[walk.end][0] for walk, _ in along if walk.end}
        subscripts = [*self._subscripts(walks, iter(loops))]
        text = f"{self.called.get(name, name)}[{', '.join(subscripts)}]"
        if not own:
            return Element(cst.Name(self._before(name, text)))
        axes = [walk for walk in walks if not isinstance(walk, NewAxis)]
        places = tuple(s if isinstance(walk, Stretch) else "" for walk, s in zip(axes, subscripts, strict=True))
        self.touched.setdefault(name, set()).add(places)
        return Element(cst.parse_expression(text), len(own))

    def _from_caller(self, node: cst.BaseExpression) -> str:
        names, text = loaded_names(node), code(node)
        if not names.isdisjoint(self._scalars):
            raise NotElementwise
        if text not in self.given:
            self.given[text] = (names, self._fresh("number"))
        return self.given[text][1]

    def _before(self, array: str, text: str) -> str:
        """What an element is called that is the same in all iterations: it is read before them."""
        if text not in self.fixed:
            self.fixed[text] = (array, self._fresh(f"{array}_element"))
        return self.fixed[text][1]

    def _subscripts(self, walks: Sequence[Walk], loops: Iterator[tuple[str, int]]) -> Iterator[str]:
        for walk in walks:
            if isinstance(walk, NewAxis):
                next(loops)
            elif isinstance(walk, Stretch):
                yield str(Linear(walk.first, {next(loops)[0]: 1}))
            elif not self._numbers >= loaded_names(walk):
                raise NotElementwise
            else:
                yield code(walk)


def _is_abs(node: cst.Call) -> bool:
    return code(node.func) == "abs" and len(node.args) == 1 and not (node.args[0].keyword or node.args[0].star)


def is_fresh(node: cst.BaseExpression) -> bool:
    """Whether an expression of arrays is a new array, not one of them or a view."""
    return isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.Call))


def types_of(kernel: Kernel, names: Iterable[str]) -> Iterator[str]:
    """What must be assumed of the types of arrays that come from outside: of all, where one is made from others."""
    outside = {name: array for name, array in kernel.array_named.items() if array.role in ("parameter", "global")}
    used, found = [*names], dict[str, list[str]]()
    for name, array in outside.items():
        if name in used or not outside.keys() >= {*used}:
            found.setdefault(array.dtype.name, []).append(array.name)
    return (f"{listed(same)} {'are' if same[1:] else 'is'} {dtype}" for dtype, same in found.items())


def listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def known_arrays(site: Site, of_any_rank: bool = False, at: cst.CSTNode | None = None) -> Mapping[str, Array]:
    """The arrays of known rank that one name stands for in all of a function: ``v += 1`` stores into the array; and
    those that a name stands for until ``at``, a statement."""
    in_place = (node.target for node in nodes(site.function) if isinstance(node, cst.AugAssign))
    made = {name for name, array in site.kernel.array_named.items() if array.role == "local"}
    stays = {*site.kernel.parameters, *(made if site.kernel.decorator.compiled else ())}
    given = Counter(t.value for t in in_place if isinstance(t, cst.Name) and t.value in stays)
    given += _bound_from(site, at) if at is not None else Counter()
    bound = Counter(bindings(site.function)) - given
    known, unsure = site.kernel.array_named, {} if of_any_rank else of_unknown_rank(site.kernel)
    return {
        name: array
        for name, array in known.items()
        if bound[name] <= (array.role not in ("parameter", "global")) and name not in unsure
    }


def _bound_from(site: Site, at: cst.CSTNode) -> Counter[str]:
    """How often names are bound at a statement or behind it; of one in a loop, behind is before, too."""
    if is_repeated(site.source, at):
        return Counter()
    start = site.source.start(at)
    late = (s for s in simple_lines(site.function) if site.source.start(s) >= start)
    plain = (s for s in late if isinstance(s.body[0], cst.Assign))
    return Counter(name for s in plain for name in bindings(s) if name in site.kernel.parameters)


def of_unknown_rank(kernel: Kernel) -> Mapping[str, Array]:
    unsure = {s.name for s in kernel.symbols if s.extent and s.extent.dimension is None}
    found = kernel.array_named.items()
    return {name: array for name, array in found if any(extent.symbols & unsure for extent in array.shape)}

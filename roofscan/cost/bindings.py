"""The values that the user's facts give to symbols: a pragma, or ``--bind``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod

from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import DIRECTIONS, MOST_ALONG, MOST_REGISTERS, MOST_THREADS, WORDS, LaunchWork
from roofscan.ir.tree import Body, Loop, Node, When
from roofscan.ir.visitor import loops, replace_nodes, substitute
from roofscan.symbolic.expr import Expr, NotEvaluable, Number
from roofscan.units import counted


def resolve_values(kernel: Kernel, facts: Facts) -> tuple[dict[str, Number], list[str]]:
    """The value of each symbol that the facts determine, and what they contradict, one line each. Scalars name symbols
    as the report prints them; the extents given for an array are equations with its shape in the source (``A=f8[100]``
    where A has the shape ``2*n`` says n = 50)."""
    values, problems = _Equations(kernel, facts).solve()
    return values, [*launch_problems(kernel, facts), *block_problems(kernel, values), *problems]


def block_problems(kernel: Kernel, values: Mapping[str, Number]) -> list[str]:
    """The blocks of launches that have too many threads at these values."""
    work = [loop.device for loop in kernel.device_work() if isinstance(loop.device, LaunchWork)]
    launches = [(each.kernel, each.launch) for each in work]
    launches += [("the kernel", kernel.launch)] if kernel.launch is not None else []
    known = [(name, launch.block) for name, launch in launches if all(e.symbols <= values.keys() for e in launch.block)]
    sizes = ((name, prod(map(float, (e.evaluate(values) for e in block)))) for name, block in known)
    return [
        f"{name} is launched with blocks of {threads:.0f} threads; a block has at most {MOST_THREADS}"
        for name, threads in dict(sizes).items()
        if threads > MOST_THREADS
    ]


def launch_problems(kernel: Kernel, facts: Facts) -> list[str]:
    """What no launch of a GPU's kernel can be."""
    if kernel.launch is None:
        return []
    words = [word for word in WORDS if word in facts.names and word not in kernel.parameters]
    found = {word: facts.integers(word) for word in words}
    problems = [f"{word}: write integers, as grid=(384,1536) block=(32,8) registers=32" for word in words
                if found[word] is None or (word == "registers" and len(found[word] or ()) > 1)]  # fmt: skip
    for word, sizes in found.items():
        if len(sizes or ()) > len(DIRECTIONS):
            problems.append(f"{word} has {len(sizes or ())} dimensions; a launch has at most {len(DIRECTIONS)}")
        if min(sizes or (1,)) < 1:
            problems.append(f"{word} is {min(sizes or ())}; it is at least 1")
        for most, size, direction in zip(MOST_ALONG.get(word, ()), sizes or (), DIRECTIONS):
            if size > most:
                problems.append(f"{word} is {size} along {direction}; there it is at most {most}")
    if (threads := prod(found.get("block") or ())) > MOST_THREADS:
        problems.append(f"block has {threads} threads; a block has at most {MOST_THREADS}")
    if (registers := prod(found.get("registers") or ())) > MOST_REGISTERS:
        problems.append(f"registers is {registers}; a thread has at most {MOST_REGISTERS}")
    return problems


def put_in(kernel: Kernel, values: Mapping[str, Number]) -> Kernel:
    """The kernel with the numbers in the place of symbols; the same kernel where all or none of its symbols have one:
    figures of sizes that are all bound are expressions with a value."""
    names = {s.name for s in kernel.symbols}
    known = {name: Expr.of(values[name]) for name in names & values.keys()}
    if not known or names <= values.keys():
        return kernel

    def with_numbers(expr: Expr) -> Expr:
        return expr.subs(known)

    arrays = tuple(
        replace(a, shape=tuple(map(with_numbers, a.shape)), strides=tuple(map(with_numbers, a.strides)))
        for a in kernel.arrays
    )
    free = frozenset(loop.var for loop in loops(kernel.body) if (loop.stop - loop.start).constant is None)
    launch = kernel.launch and kernel.launch.mapped(with_numbers)
    try:
        body = substitute(kernel.body, known)
    except (NotEvaluable, ZeroDivisionError):  # ``(i - 1) % n`` in a loop to n, where n is 0
        body = substitute(_reached(kernel.body, known), known)
    return replace(kernel, arrays=arrays, body=body, launch=launch, bound_loops=free)


def _reached(body: Body, known: Mapping[str, Expr]) -> Body:
    """The body without loops that have no iteration, and without what runs under conditions that do not hold."""

    def changed(node: Node) -> Body | None:
        if isinstance(node, When):
            values = [(c.relation, c.expr.subs(known).constant) for c in node.conditions if not c.modulus]
            fails = any(
                v is not None and (v < 0 if relation == "ge" else relation == "eq" and v) for relation, v in values
            )
            return () if fails else None
        if not isinstance(node, Loop):
            return None
        length, step = (node.stop - node.start).subs(known).constant, node.step.subs(known).constant
        return () if length is not None and step is not None and length * step <= 0 else None

    return replace_nodes(body, changed)


class _Equations:
    """Equations between symbols, from the user's facts: each is solved when only one of its symbols is unknown."""

    def __init__(self, kernel: Kernel, facts: Facts) -> None:
        self._kinds = {s.name: s.kind for s in kernel.symbols}
        self._arrays = {a.name: a for a in kernel.arrays}
        self._kernel = kernel
        self._facts = facts
        self._values: dict[str, Number] = {}
        self._problems: list[str] = []

    def solve(self) -> tuple[dict[str, Number], list[str]]:
        for name, fact in self._facts.scalars.items():
            if name in self._kinds and fact.number is not None:
                self._learn(name, fact.number, f"{name}={fact.number}")
        known = {name: expr for name, expr in self._kernel.values.items() if name in self._kinds}
        equations = [(Expr.of(name) - expr, f"{name}={expr}") for name, expr in known.items()]
        equations += self._extents()
        while equations:
            left = [(g, text) for g, text in equations if not self._use(g, text)]
            if len(left) == len(equations):
                break
            equations = left
        return self._values, self._problems

    def _extents(self) -> list[tuple[Expr, str]]:
        """shape in the source - extent given, for each extent of each array."""
        found = []
        for name, fact in self._facts.arrays.items():
            array = self._arrays.get(name)
            if array is None or fact.shape is None:
                continue
            if len(fact.shape) != len(array.shape) - array.in_words:
                given = counted(len(fact.shape), "dimension")
                self._problems.append(f"{name}{fact.dimensions} has {given}, in the source {len(array.shape)}")
                continue
            found += [(s - e, f"{name}{fact.dimensions}") for s, e in zip(array.shape, fact.shape) if e is not None]
        return [*found, *self._single_extents()]

    def _single_extents(self) -> Iterator[tuple[Expr, str]]:
        for (name, dimension), size in self._facts.extents.items():
            array, text = self._arrays.get(name), f"{name}.shape[{dimension}]={size}"
            if array is not None and dimension < len(array.shape):
                yield array.shape[dimension] - size, text
            elif array is not None:
                self._problems.append(f"{text}: {name} has {counted(len(array.shape), 'dimension')} in the source")

    def _use(self, equation: Expr, text: str) -> bool:
        """Solves ``equation = 0`` for its only unknown; True where nothing is left to do with it."""
        known = equation.subs(self._values)
        unknown = known.symbols
        if len(unknown) > 1:
            return False
        if not unknown:
            if known.constant:
                self._problems.append(self._contradiction(equation, text))
            return True
        [name] = unknown
        slope = known.coefficient(name).constant
        if not known.is_linear_in([name]) or not slope:
            return False
        value = Fraction(-1) * Fraction(known.constant_term) / slope
        self._learn(name, value.numerator if value.denominator == 1 else value, text)
        return True

    def _contradiction(self, equation: Expr, text: str) -> str:
        said = ", ".join(f"{s}={self._values[s]}" for s in sorted(equation.symbols))
        return f"{text} contradicts {said}" if said else f"{text} contradicts the source"

    def _learn(self, name: str, value: Number, text: str) -> None:
        kind = self._kinds.get(name, "size")
        problem = _impossible(kind, value)
        if name in self._values and self._values[name] != value:
            problem = f"{name} is {self._values[name]} elsewhere"
        if problem:
            self._problems.append(f"{text}: {problem}")
        else:
            self._values[name] = value


def _impossible(kind: str, value: Number) -> str:
    """Why a symbol of that kind cannot have the value, or ""."""
    whole = Fraction(value).denominator == 1
    if kind in ("size", "tile", "int", "total", "length", "launch", "open") and not whole:
        return f"{value} is not an integer"
    if kind in ("size", "trips", "total", "length", "launch", "cost") and value < 0:
        return f"{value} is below 0; write an integer from 0 on"
    if kind in ("tile", "open") and value < 1:
        return f"{value} is below 1"
    if kind == "share" and not 0 <= value <= 1:
        return f"{value} is not a share between 0 and 1"
    if kind == "flag" and value not in (0, 1):
        return f"{value} is neither 0 nor 1"
    return ""

"""The inputs: random kernels, broken files, oversized constructs, options that make no sense.

``make_input(seed, number, sources)`` always gives the same input, so that one that fails can be repeated by itself.
"""

from __future__ import annotations

import ast
import random
import tokenize
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from fuzz.random_code import RandomCode

FIXTURES = Path(__file__).parent.parent / "fixtures"
MAX_CHARACTERS = 2_000
"""Of a file that are mutated at once: many short inputs find more than a few long ones."""


@dataclass(frozen=True)
class Input:
    """``data`` is a Python file; ``words`` are the text of an option, a pragma, a config or a machine."""

    kind: str
    data: bytes = b""
    words: str = ""


@dataclass
class Sources:
    """Real files to mutate: the fixtures and those of other folders, read when they are first drawn."""

    folders: Sequence[Path] = (FIXTURES,)
    _paths: list[Path] = field(default_factory=list)
    _texts: dict[Path, str] = field(default_factory=dict)

    def draw(self, random: random.Random) -> str:
        """Some lines of a file, from the start of a definition on."""
        if not self._paths:
            self._paths = sorted(path for folder in self.folders for path in folder.rglob("*.py"))
        path = random.choice(self._paths)
        if path not in self._texts:
            self._texts[path] = path.read_text("utf-8", "replace")
        lines = self._texts[path].splitlines(keepends=True)
        starts = [k for k, line in enumerate(lines) if line.startswith(("def ", "@", "class "))] or [0]
        start = random.choice(starts)
        imports = "".join(line for line in lines[:start] if line.startswith(("import ", "from ")))
        return (imports + "".join(lines[start : start + random.randint(4, 40)]))[:MAX_CHARACTERS]


def make_input(seed: int, number: int, sources: Sources) -> Input:
    """The input of this number."""
    draw = random.Random(f"{seed}/{number}")
    kinds = list(KINDS)
    kind = draw.choices(kinds, [KINDS[k][0] for k in kinds])[0]
    return KINDS[kind][1](draw, sources)


# -- text -----------------------------------------------------------------------------------------
def _random(random: random.Random, sources: Sources) -> Input:
    return Input("random", RandomCode(random).module().encode())


def _grafted(random: random.Random, sources: Sources) -> Input:
    """Real code whose expressions and statements have changed places: it parses and makes no sense."""
    tree = _parsed(sources.draw(random)) or ast.parse("def f(x):\n    return x[0] * 2.0\n")
    expressions = [n for n in ast.walk(tree) if isinstance(n, ast.expr)]
    statements = [n for n in ast.walk(tree) if isinstance(n, ast.stmt)]
    grafts = [*(n for n in expressions if not isinstance(n, ast.Starred)), *RandomCode(random).expressions(3)]
    for _ in range(random.randint(1, 8)):
        _graft(random, random.choice([*expressions, *statements]), grafts, statements)
    text = _unparsed(tree)
    return Input("grafted", (text if text is not None else "x = 1\n").encode("utf-8", "replace"))


def _graft(random: random.Random, into: ast.AST, grafts: list[ast.expr], statements: list[ast.stmt]) -> None:
    fields = [(name, value) for name, value in ast.iter_fields(into) if isinstance(value, (ast.expr, list)) and value]
    if not fields:
        return
    name, value = random.choice(fields)
    if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
        setattr(into, name, random.choice(grafts))
    elif isinstance(value, list) and isinstance(value[0], ast.stmt):
        value.insert(random.randrange(len(value) + 1), random.choice(statements))
    elif isinstance(value, list) and isinstance(value[0], ast.expr):
        if isinstance(getattr(value[0], "ctx", ast.Load()), ast.Load):
            value[random.randrange(len(value))] = random.choice(grafts)


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _unparsed(tree: ast.Module) -> str | None:
    """The text of a tree; None where grafts made it cyclic or too large."""
    try:
        if sum(1 for _, _ in zip(ast.walk(tree), range(20_000))) == 20_000:
            return None
        return ast.unparse(ast.fix_missing_locations(tree))
    except (RecursionError, ValueError, TypeError, AttributeError):
        return None


def _shuffled(random: random.Random, sources: Sources) -> Input:
    """Tokens deleted, repeated, swapped and replaced."""
    try:
        tokens = list(tokenize.generate_tokens(StringIO(sources.draw(random)).readline))
    except (tokenize.TokenError, SyntaxError):
        return _truncated(random, sources)
    words = [(t.type, t.string) for t in tokens]
    for _ in range(random.randint(1, 6)):
        at, other = random.randrange(len(words)), random.randrange(len(words))
        change = random.randrange(4)
        if change == 0:
            del words[at]
        elif change == 1:
            words.insert(at, words[other])
        elif change == 2:
            words[at], words[other] = words[other], words[at]
        else:
            words[at] = (tokenize.NAME, random.choice(WORDS))
        if not words:
            break
    try:
        return Input("shuffled", tokenize.untokenize(words).encode("utf-8", "replace"))
    except (ValueError, AssertionError, IndexError):
        return _truncated(random, sources)


def _truncated(random: random.Random, sources: Sources) -> Input:
    text = sources.draw(random)
    return Input("truncated", text[: random.randrange(len(text) + 1)].encode("utf-8", "replace"))


def _noisy(random: random.Random, sources: Sources) -> Input:
    """Bytes of a file changed, deleted and inserted; or nothing but noise."""
    data = bytearray(sources.draw(random).encode() if random.random() < 0.8 else random.randbytes(400))
    for _ in range(random.randint(1, 20)):
        at = random.randrange(len(data) + 1)
        data[at : at + random.choice((0, 1, 1, 5))] = random.randbytes(random.choice((0, 1, 2)))
    return Input("noisy", bytes(data))


def _encoded(random: random.Random, sources: Sources) -> Input:
    """Encoding declarations over text in that encoding or another; line ends of all systems, form feeds, tabs."""
    text = sources.draw(random).replace("\n", random.choice(("\n", "\r\n", "\r", "\n\f", "\n\v", "\n\x1c")))
    text = text.replace("    ", random.choice(("    ", "\t", "\t    ", "\u00a0")))
    text += random.choice(("é", "\U0001f600", "\0", ""))
    cookie = random.choice(("utf-8", "latin-1", "utf-16", "cp1252", "ascii", "utf-7", "rot13", "idna", "nonsense", ""))
    codec = random.choice(("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp037"))
    head = f"# -*- coding: {cookie} -*-\n" if cookie else ""
    return Input("encoded", (head + text).encode(codec, "replace"))


def _oversized(random: random.Random, sources: Sources) -> Input:
    size = random.choice((10, 100, 300, 1_000, 3_000, 10_000))
    head = "from numba import njit\n\n\n@njit\ndef kernel(x, n):\n"
    return Input("oversized", (head + random.choice(OVERSIZED)(size) + "\n").encode())


def _indented(lines: list[str]) -> str:
    return "\n".join("    " + line for line in lines)


def _nest(opening: str, size: int) -> str:
    """``size`` compound statements inside each other."""
    depth = min(size, 95)
    lines = ["    " * k + opening.replace("i", f"i{k}") for k in range(depth)]
    return _indented([*lines, "    " * depth + "x[0] += 1.0"])


OVERSIZED: tuple[Callable[[int], str], ...] = (
    lambda n: _indented([f"x[0] = {'(' * n}x[1]{')' * n}"]),
    lambda n: _indented([f"x[0] = {' + '.join(['x[1]'] * n)}"]),
    lambda n: _indented([f"x[0] = {' ** '.join(['x[1]'] * n)}"]),
    lambda n: _indented([f"x[0] = {'-' * n}x[1]"]),
    lambda n: _indented([f"x[0] = {'not ' * n}x[1]"]),
    lambda n: _indented([f"x[0] = x{'[0]' * n}"]),
    lambda n: _indented([f"x[0] = x{'.T' * n}[0]"]),
    lambda n: _indented([f"x[0] = x{'()' * n}"]),
    lambda n: _indented([f"x[0] = {'lambda: ' * n}x"]),
    lambda n: _indented([f"x[0] = {'[' * n}{']' * n}"]),
    lambda n: _indented([f"x[0] = {' if n else '.join(['x[1]'] * n)}"]),
    lambda n: _indented([f"x[0] = {' < '.join(['x[1]'] * n)}"]),
    lambda n: _indented([f"x[0] = {' and '.join(['x[1]'] * n)}"]),
    lambda n: _indented([f"x[0] = {' or '.join(f'n == {k}' for k in range(n))}"]),
    lambda n: _indented([f"{' = '.join(f'a{k}' for k in range(n))} = x[0]"]),
    lambda n: _indented([f"a{k} = x[{k}] * x[{k + 1}]" for k in range(n)]),
    lambda n: _indented(["a0 = n", *(f"a{k + 1} = a{k} * a{k} + a{k}" for k in range(min(n, 300))), "x[a9] = 1.0"]),
    lambda n: _indented([f"if n == {k}: x[{k}] = 1.0" for k in range(n)]),
    lambda n: _indented([f"{'el' * (k > 0)}if n > {k}: x[{k}] = 1.0" for k in range(n)]),
    lambda n: _indented([f"for i in range({'9' * n}): x[0] += 1.0"]),
    lambda n: _indented([f"for i in range(10**{n}): x[0] += 1.0"]),
    lambda n: _indented([f"x[0] = x[1] ** {n} ** {n}", f"x[1] **= 10**{n}"]),
    lambda n: _indented(["x[0] = 1e999 * x[1] + 1e-999 + 1e308 * 10.0", f"x[{10**9}] = -{'9' * n}.0"]),
    lambda n: _indented([f"for i in range(n ** {n}): x[i] += 1.0"]),
    lambda n: _indented([f"for i in range(0, n, {n}): x[i:i + {n}] += 1.0"]),
    lambda n: _indented([f"for i in range({n}):", f"    for j in range(i ** {n % 50}): x[i] += x[j]"]),
    lambda n: _indented([f"y = x.reshape({', '.join(['1'] * n)})", "return y * 2.0"]),
    lambda n: _indented([f"return ({', '.join(['x[0]'] * n)})[{n - 1}]"]),
    lambda n: _indented([f"return [1.0] * {10**9} + [2.0] * -{n} + (1,) * n"]),
    lambda n: _indented([f"return x[{', '.join([':'] * n)}]", f"return x[{', '.join(['...'] * n)}]"]),
    lambda n: _indented([f"return f'{'{x[0]}' * n}'"]),
    lambda n: _indented([f"n //= {n + 2}" for _ in range(min(n, 300))] + ["for i in range(n): x[i] += 1.0"]),
    lambda n: _indented([f"n = min(n, {k} * n + 1)" for k in range(min(n, 200))] + ["for i in range(n): x[i] += 1.0"]),
    lambda n: _nest("for i in range(n):", n),
    lambda n: _nest("for i in range(i - 1, n):", n),
    lambda n: _nest("while x[i]:", n),
    lambda n: _nest("if x[0] > i:", n),
    lambda n: _nest("def f():", n),
    lambda n: _nest("class i:", n),
    lambda n: _nest("with x:", n),
    lambda n: _indented(["return kernel(x, n - 1) + kernel(x, n - 2)"]),
    lambda n: _indented(["f = lambda g: g(g)", "return f(f)"]),
)


# -- words ----------------------------------------------------------------------------------------
WORDS = (
    "n", "A=f8[n,m]", "x=f4[0]", "x=f8[-1]", "x=f8[1e9]", "n=9" + "9" * 40, "p1=1.5", "p1=nan", "=", "[", "]", "x=",
    "A=c16[2,2,2,2,2]F", "x.shape[0]=3", "__import__('os')", "n=n", "n==3", "\0", "\u202e", "é=1", "lambda", "None",
    "[tool.roofscan]", "machine = 'h200'", "line = 64", "line = true", "bind = 3", "select = ['RFL1']", "name = 'x'",
    "kind = 'cpu'", "cores = -1", "[[levels]]", "capacity = 1e400", "bandwidth = 'fast'", "'''", "{}", "#", "RFL101",
    "if", "return", "yield", "await", "async", "global", "nonlocal", ":=", "**", "->", "match", "type", "prange", "@",
)  # fmt: skip


def _worded(kind: str) -> Callable[[random.Random, Sources], Input]:
    def make(random: random.Random, sources: Sources) -> Input:
        words = random.choice((" ", "\n", ",")).join(random.choices(WORDS, k=random.randint(0, 7)))
        source = "from numba import njit\n\n\n@njit\ndef f(A, x, n):\n    for i in range(n):\n        x[i] += A[i, 0]\n"
        if kind == "pragma":
            source = source.replace("@njit", "# roofscan: " + words.replace("\n", " ") + "\n@njit")
        return Input(kind, source.encode("utf-8", "replace"), words)

    return make


KINDS: dict[str, tuple[int, Callable[[random.Random, Sources], Input]]] = {
    "random": (34, _random),
    "grafted": (28, _grafted),
    "shuffled": (12, _shuffled),
    "truncated": (4, _truncated),
    "noisy": (5, _noisy),
    "encoded": (4, _encoded),
    "oversized": (3, _oversized),
    "pragma": (4, _worded("pragma")),
    "bind": (2, _worded("bind")),
    "config": (2, _worded("config")),
    "machine": (1, _worded("machine")),
    "baseline": (1, _worded("baseline")),
}
"""The kinds of input with their weights."""

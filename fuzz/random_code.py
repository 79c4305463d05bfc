"""Random modules that parse and look like kernels: every construct in every place that takes it.

``GRAMMAR`` is data: the forms of each kind as text, where ``<kind>`` stands for any form of that kind. The first
form of a kind holds no other: it is chosen where the nesting is at its limit.
"""

from __future__ import annotations

import ast
import random
import re

MAX_DEPTH = 8  # of forms inside each other

GRAMMAR = {
    "name": "x|y|A|B|n|m|k|i|j|s|t|l|f|K|out|self".split("|"),
    "number": "1|0|2|3|-1|0.5|2.0|1e300|2j|10**20|64|True|None|'a'|b''|()|[]|...".split("|"),
    "arithmetic": "+|-|*|/|+|*|//|%|**|@|&|^|<<".split("|"),
    "comparison": "<|<=|>|==|!=|is|is not|in|not in".split("|"),
    "function": (
        "abs range len min max sum int float enumerate zip reversed list tuple pow divmod sorted map any print prange "
        "isinstance helper kernel f math.sqrt np.sqrt np.exp np.zeros np.empty_like np.ones np.full np.array np.arange "
        "np.linspace np.dot np.sum np.mean np.var np.where np.einsum np.outer np.clip np.roll np.concatenate np.stack "
        "np.cumsum np.linalg.norm np.linalg.solve np.fft.fft np.pad np.maximum np.sort np.add.reduce np.add.at np.diff "
        "np.reshape np.transpose np.float32 np.ndindex np.take np.tile np.repeat np.meshgrid np.nonzero np.interp "
        "np.convolve np.median np.searchsorted np.bincount np.unique np.gradient np.swapaxes np.expand_dims np.kron "
        "np.broadcast_to np.atleast_2d np.tensordot np.trapezoid np.histogram np.linalg.inv np.linalg.svd np.triu"
    ).split(),
    "method": (
        "T shape size copy sum reshape append astype mean dot fill real ravel max flatten transpose pop extend ndim "
        "dtype items flat conj sort view cumsum k"
    ).split(),
    "arguments": ["", "<term>", "<term>, <term>", "<size>, <size>", "<term>, <term>, <size>", "*<name>, k=<term>"],
    "size": ["n", "<name>", "<number>", "n + 1", "i - 1", "<name> <arithmetic> <size>", "<term>", "len(<name>)"],
    "axis": ["i", "<size>", "<size>", "<name>", ":", "<size>:<size>", "::<size>", "<size>:", ":<size>", "None", "..."],
    "index": ["i", "<axis>", "<axis>", "<axis>, <axis>", "<axis>, <axis>, <axis>", "<term>"],
    "items": [
        "range(n)", "range(<size>)", "range(<size>, <size>)", "range(<size>, <size>, <size>)", "prange(<size>)",
        "<term>",
        "enumerate(<term>)", "zip(<term>, <term>)", "np.ndindex(<size>, <size>)",
    ],
    "element": ["x[i]", "<name>[<index>]"],
    "term": [
        "x", "<name>", "<number>", "<element>", "<element>", "<element>", "(<term> <arithmetic> <term>)",
        "(<term> <arithmetic> <term>)", "(<term> <arithmetic> <term>)", "<function>(<arguments>)",
        "<function>(<arguments>)",
        "<name>.<method>(<arguments>)", "<name>.<method>", "(<term>).<method>", "(<term> <comparison> <term>)",
        "(<term> < <term> <= <term>)", "(<term> and <term>)", "(<term> or <term>)", "(<term> if <term> else <term>)",
        "(-<term>)", "(not <term>)", "(~<term>)", "(<term>, <term>)", "[<term>, <term>]", "[*<name>, <term>]",
        "[<term> for <name> in <items>]", "sum(<term> for <name> in <items> if <term>)", "(lambda <name>: <term>)",
        "(<name> := <term>)", "f'{<name>}'", "(<term>)[<index>]", "{<term>: <term>}", "{<term>, <term>}",
        "np.zeros((<size>, <size>))", "<function>(<term>, axis=<size>)", "<function>(<term>, out=<name>)",
        "np.einsum('ij,jk->ik', <term>, <term>)", "{<name>: <term> for <name> in <items>}",
    ],
    "place": ["s", "<name>", "<element>", "<element>", "self.<name>", "<name>.<method>"],
    "target": ["i", "<name>", "<place>", "<name>, <name>", "(<name>, <name>), <name>", "*<name>, <name>"],
    "statement": [
        "pass", "<target> = <term>", "<name> = <term>", "<element> = <term>", "<place> <arithmetic>= <term>",
        "<element> += <term>", "<name>, <name> = <term>, <term>", "<name>, <name> = <name>.shape",
        "<name>: float = <term>",
        "return <term>", "<term>", "del <place>", "assert <term>", "global <name>", "raise ValueError", "break",
        "continue",
        "<name>.append(<term>)", "<name>.shape = <term>", "import numpy as <name>", "yield <term>",
        "<name> = <name> = <term>",
    ],
    "opening": [
        "if <term>", "for <target> in <items>", "for <name> in <items>", "for <name> in <items>",
        "for i in range(<size>)",
        "while <term>", "with <term> as <name>", "def <name>(<name>, k=<term>)", "class <name>", "if <term>",
    ],
    "decorator": [
        "@njit", "@njit", "@njit(parallel=True, fastmath=True)", "@nb.jit(nopython=True)", "# roofscan: n=8 A=f8[n,n]",
        "@njit('f8(f8[:], i8)')", "@vectorize", "@stencil", "@nb.guvectorize(['(f8[:],f8[:])'], '(n)->(n)')",
        "@nb.cuda.jit",
        "@nb.vectorize(['f8(f8,f8)'])", "@njit(locals={'s': nb.float32})", "@helper\n@njit", "# plain",
    ],
    "parameters": ["x, n", "x, y, n", "A, B, n, m", "x, A, k=1", "A, x, out=None", "*t", "self, x, **l", "x, *, k", ""],
}  # fmt: skip

HEAD = "import math\nimport numpy as np\nimport numba as nb\nfrom numba import njit, prange, vectorize, stencil\n\n"


class RandomCode:
    """Draws modules and expressions by the grammar."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def module(self) -> str:
        constant = f"K = {self.form('term')}\n\n\n" if self.draw.random() < 0.3 else ""
        functions = [self.function(name) for name in ("kernel", "helper")[: self.draw.randint(1, 2)]]
        return HEAD + constant + "\n\n".join(functions)

    def expressions(self, count: int) -> list[ast.expr]:
        """Expressions as syntax trees; those that do not parse left out."""
        found = []
        for _ in range(count):
            try:
                found.append(ast.parse(self.form("term"), mode="eval").body)
            except SyntaxError:
                continue
        return found

    def function(self, name: str) -> str:
        head = f"{self.form('decorator')}\ndef {name}({self.form('parameters')}):\n"
        return head + self.block(self.draw.randint(1, 5), 1)

    def block(self, length: int, level: int) -> str:
        pad, text = "    " * level, ""
        for _ in range(length):
            if level > 4 or self.draw.random() < 0.6:
                text += f"{pad}{self.form('statement')}\n"
                continue
            opening = "try" if self.draw.random() < 0.05 else self.form("opening")
            text += f"{pad}{opening}:\n{self.block(self.draw.randint(1, 3), level + 1)}"
            if opening == "try" or (self.draw.random() < 0.15 and opening.startswith(("if", "for", "while"))):
                closing = "finally" if opening == "try" else "else"
                text += f"{pad}{closing}:\n{self.block(1, level + 1)}"
        return text

    def form(self, kind: str, depth: int = 0) -> str:
        forms = GRAMMAR[kind]
        text = forms[0] if depth > MAX_DEPTH else self.draw.choice(forms)
        return re.sub(r"<([a-z]+)>", lambda part: self.form(part[1], depth + 2), text)

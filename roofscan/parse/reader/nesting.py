"""How deeply a parser recurses over a text, bounded by its tokens."""

from __future__ import annotations

import io
import tokenize

_LINKS = frozenset(("not", "lambda", "if", "and", "or", "await", "in", "is"))


def nesting(text: str) -> int:
    """An upper bound on the depth: the open brackets and the operators of the chains in them, or the ``elif``s.

    Text that cannot be tokenized is measured up to the error, where a parser stops too.
    """
    deepest, elifs = 0, 0
    links = [0]  # of the chain so far, inside each open bracket
    total = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            word = token.string
            if token.type == tokenize.NEWLINE:
                links, total = [0], 0
            elif word in (",", ";"):
                total -= links[-1]
                links[-1] = 0
            elif token.type in (tokenize.OP, tokenize.STRING) or word in _LINKS:
                links[-1] += 1
                total += 1
                if word in ("(", "[", "{"):
                    links.append(0)
                elif word in (")", "]", "}") and len(links) > 1:
                    total -= links.pop()
            elif word == "elif":
                elifs += 1
            deepest = max(deepest, total)
    except (tokenize.TokenError, SyntaxError):
        pass
    return max(deepest, elifs)

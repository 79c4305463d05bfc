"""How deeply a parser would recurse over a text, estimated from its tokens."""

from __future__ import annotations

import io
import tokenize

_LINKS = frozenset(("not", "lambda", "if", "and", "or", "await", "in", "is"))


def nesting(text: str) -> int:
    """An upper estimate of the depth: the open brackets and the links of the chains in them, or of ``elif``s.

    Text that the tokenizer does not take is measured up to there: a parser then stops there too.
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

"""How deeply a parser would recurse over a text, estimated from its tokens."""

from __future__ import annotations

import io
import tokenize

_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_SEPARATORS = frozenset((",", ";", ":"))
_LINKS = frozenset(("not", "lambda", "if", "and", "or", "await", "in", "is"))


def nesting(text: str) -> int:
    """An upper estimate of the depth: the open brackets and the links of the chains in them, or of ``elif``s.

    Text that the tokenizer does not take is measured up to there: a parser then stops there too.
    """
    deepest, chain, elifs = 0, [0], 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            word = token.string
            if token.type == tokenize.NEWLINE:
                chain = [0]
            elif word in _OPENERS:
                chain[-1] += 1
                chain.append(0)
            elif word in _CLOSERS:
                chain = chain[:-1] or [0]
            elif word in _SEPARATORS:
                chain[-1] = 0
            elif word == "elif":
                elifs += 1
            elif token.type in (tokenize.OP, tokenize.STRING) or word in _LINKS:
                chain[-1] += 1
            deepest = max(deepest, sum(chain))
    except (tokenize.TokenError, SyntaxError):
        pass
    return max(deepest, elifs)

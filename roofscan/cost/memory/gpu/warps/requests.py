"""One request: the addresses that the active lanes of a warp ask for in one instruction. It touches so many sectors,
and takes so many wavefronts of the banks (data) and of the tags. Requests differ by where they begin in a line: by the
residues of their addresses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

WORD = 4  # bytes that a bank serves a cycle
MAX_LINES_AT_ONCE = 2  # whose tags one wavefront compares
LINES_BEFORE = 2.5  # as many more lines does a request take that has more


def granules(addresses: Collection[int], size: int, granule: int) -> int:
    """The distinct granules that items of ``size`` bytes at these addresses touch."""
    first = {address // granule for address in addresses}
    return len(first | {(address + size - 1) // granule for address in addresses})


def data_wavefronts(addresses: Sequence[int], size: int, banks: int) -> int:
    """The lanes are served in groups that together ask for a word of each bank; a wavefront serves each bank's word
    once, so that a group takes as many as the most distinct words of one bank."""
    lanes = max(1, min(len(addresses), banks * WORD // size))
    return sum(_group(addresses[first : first + lanes], size, banks) for first in range(0, len(addresses), lanes))


def _group(addresses: Sequence[int], size: int, banks: int) -> int:
    words: dict[int, set[int]] = defaultdict(set)
    for address in addresses:
        for word in range(address // WORD, (address + size - 1) // WORD + 1):
            words[word % banks].add(word)
    return max(map(len, words.values()), default=0)


def tag_wavefronts(lines: float, lines_a_cycle: float) -> float:
    """The cycles that comparing the tags of so many lines takes (measured on an H200: (L + 2.5)/4)."""
    return 1.0 if lines <= MAX_LINES_AT_ONCE else (lines + LINES_BEFORE) / lines_a_cycle

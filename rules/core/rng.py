"""
Randomness that anybody can check.

A table has one secret 128-bit seed. Each step draws from a stream of its own, named by a label:
block *i* is ``SHA-256(seed || len(label) || label || i)``. Python does not promise that
`random.shuffle` stays the same across versions, so `below` and the shuffle are ours, pinned by vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

SEED_BYTES = 16
_WORD_BYTES = 4
_WORD_VALUES = 1 << (8 * _WORD_BYTES)


def fingerprint(seed: bytes) -> str:
    """Return the public promise of *seed*: its SHA-256 in hex, shown before the game begins."""
    return sha256(seed).hexdigest()


class Rng:
    """
    One labelled stream of a seed.

    Args:
        seed: the table's secret, `SEED_BYTES` long.
        label: names the step; the same seed and label give the same stream for ever.
    """

    __slots__ = ("_at", "_block", "_count", "_prefix")

    def __init__(self, seed: bytes, label: str) -> None:
        name = label.encode()
        self._prefix = sha256(seed + len(name).to_bytes(2, "big") + name)
        self._count = 0
        self._block = b""
        self._at = 0

    def _word(self) -> int:
        """Return the next 32 bits as an integer."""
        if self._at == len(self._block):
            block = self._prefix.copy()
            block.update(self._count.to_bytes(8, "big"))
            self._block = block.digest()
            self._count += 1
            self._at = 0
        start = self._at
        self._at = start + _WORD_BYTES
        return int.from_bytes(self._block[start : self._at], "big")

    def below(self, bound: int) -> int:
        """
        Return an integer from 0 to *bound* - 1, each equally likely.

        Raises:
            ValueError: *bound* is not from 1 to 2**32.
        """
        if not 1 <= bound <= _WORD_VALUES:
            raise ValueError(f"bound out of range: {bound}")
        fair = _WORD_VALUES - _WORD_VALUES % bound  # words from here on would favour small numbers
        while True:
            word = self._word()
            if word < fair:
                return word % bound

    def choice(self, items: Sequence[T]) -> T:
        """Return one of *items*, each equally likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return *items* in a random order (Fisher-Yates, from the last place down)."""
        deck = list(items)
        for place in range(len(deck) - 1, 0, -1):
            other = self.below(place + 1)
            deck[place], deck[other] = deck[other], deck[place]
        return deck

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Return *count* of *items* at different places, in random order."""
        return self.shuffled(items)[:count]

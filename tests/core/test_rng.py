"""Chance is fair, the same for ever, and checked by anybody with a SHA-256 at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from itertools import permutations
from typing import Any

import pytest

from rules.core.rng import SEED_BYTES, Rng, fingerprint

SEED = bytes(range(SEED_BYTES))
CHI_SQUARE_23_AT_1_IN_1000 = 49.73
CHI_SQUARE_9_AT_1_IN_1000 = 27.88

BELOW_1000 = [560, 506, 237, 104, 899, 925, 284, 998, 436, 809, 90, 721]
SHUFFLED_20 = [3, 10, 19, 2, 1, 9, 4, 16, 14, 11, 18, 7, 8, 13, 15, 5, 12, 17, 0, 6]
WIDE = [495985056, 1149834969, 2056161849, 1382643446, 681376691, 659584356, 2]


def test_the_first_words_are_pinned() -> None:
    """The numbers that a seed and a label give are written down: they may never change."""
    rng = Rng(SEED, "step 1")

    assert BELOW_1000 == [rng.below(1000) for _ in range(12)]


def test_the_shuffle_is_pinned() -> None:
    """So is the order of a shuffled deck, and a sample of it."""
    assert SHUFFLED_20 == Rng(SEED, "deal").shuffled(range(20))
    assert SHUFFLED_20[:5] == Rng(SEED, "deal").sample(range(20), 5)


def test_large_bounds_are_pinned() -> None:
    """The whole width of a word can be drawn, and a bound that refuses half of all words."""
    rng = Rng(SEED, "large")

    assert WIDE == [rng.below(bound) for bound in (2**32, 2**31 + 1, 2**31 + 1, 2**31 + 1, 2**31 + 1, 2**32, 3)]


def test_the_stream_is_what_the_module_says() -> None:
    """The first block is SHA-256 of seed, length of the label, label and counter, read as big-endian words."""
    label = "größte Ä"
    name = label.encode()
    block = sha256(SEED + len(name).to_bytes(2, "big") + name + bytes(8)).digest()
    second = sha256(SEED + len(name).to_bytes(2, "big") + name + (1).to_bytes(8, "big")).digest()
    words = [int.from_bytes((block + second)[at : at + 4], "big") for at in range(0, 64, 4)]
    rng = Rng(SEED, label)

    assert words == [rng.below(2**32) for _ in words]


def test_streams_differ_by_label_and_seed() -> None:
    """Neither another label nor another seed gives the same numbers, not even where they read alike in a row."""
    drawn = [
        Rng(seed, label).below(2**32)
        for seed, label in ((SEED, "a"), (SEED, "ab"), (SEED, ""), (SEED[::-1], "a"), (SEED + b"a", ""), (SEED, "b"))
    ]

    assert len(drawn) == len(set(drawn))


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1])
def test_bounds_out_of_range_are_errors(bound: int) -> None:
    """Nothing is drawn from nothing, nor from more than a word holds."""
    with pytest.raises(ValueError, match="bound out of range"):
        Rng(SEED, "x").below(bound)


def test_nothing_cannot_be_chosen_from() -> None:
    """A choice of none is an error, a shuffle of none is none."""
    with pytest.raises(ValueError, match="bound out of range"):
        Rng(SEED, "x").choice([])

    assert [] == Rng(SEED, "x").shuffled([])


def test_below_one_is_always_zero() -> None:
    """A bound of one leaves no choice."""
    rng = Rng(SEED, "one")

    assert {0} == {rng.below(1) for _ in range(50)}


def test_below_stays_below_and_gets_everywhere() -> None:
    """Every number below the bound comes up, none at it or beyond."""
    rng = Rng(SEED, "ten")

    assert set(range(10)) == {rng.below(10) for _ in range(500)}


def test_below_is_fair() -> None:
    """Ten numbers come up equally often, as far as chance allows."""
    rng = Rng(SEED, "fair")
    counts = Counter(rng.below(10) for _ in range(20_000))

    assert chi_square(counts, range(10), 20_000) < CHI_SQUARE_9_AT_1_IN_1000


def test_every_order_of_four_cards_is_as_likely() -> None:
    """The 24 orders of a deck of four come up equally often."""
    rng = Rng(SEED, "orders")
    counts = Counter(tuple(rng.shuffled("abcd")) for _ in range(24_000))

    assert chi_square(counts, permutations("abcd"), 24_000) < CHI_SQUARE_23_AT_1_IN_1000


def test_the_chi_square_can_fail() -> None:
    """A shuffle that swaps with any place, the usual mistake, is caught by the same figure."""
    rng = Rng(SEED, "biased")
    counts: Counter[tuple[str, ...]] = Counter()
    for _ in range(24_000):
        deck = list("abcd")
        for place in range(4):
            other = rng.below(4)
            deck[place], deck[other] = deck[other], deck[place]
        counts[tuple(deck)] += 1

    assert chi_square(counts, permutations("abcd"), 24_000) > CHI_SQUARE_23_AT_1_IN_1000


def test_a_shuffle_loses_nothing_and_leaves_the_deck() -> None:
    """The deck that was given stays as it was; the new one has the same cards."""
    deck = ["a", "a", "b", "c"]

    shuffled = Rng(SEED, "deck").shuffled(deck)

    assert ["a", "a", "b", "c"] == deck
    assert Counter(deck) == Counter(shuffled)


def test_a_sample_takes_each_place_once() -> None:
    """Two of three cards are two different places; more than there are is all of them."""
    assert 2 == len(set(Rng(SEED, "sample").sample(range(3), 2)))
    assert [0, 1, 2] == sorted(Rng(SEED, "sample").sample(range(3), 9))


def test_the_fingerprint_is_the_hash_of_the_seed() -> None:
    """What is promised in the lobby can be checked with any SHA-256."""
    assert "be45cb2605bf36bebde684841a28f0fd43c69850a3dce5fedba69928ee3a8991" == fingerprint(SEED)


def chi_square(counts: Counter[Any], outcomes: Iterable[Any], total: int) -> float:
    """Return how far *counts* are from all outcomes being equally likely."""
    kinds = list(outcomes)
    expected = total / len(kinds)
    return sum((counts[kind] - expected) ** 2 for kind in kinds) / expected

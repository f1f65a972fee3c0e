"""How many sit at which table, who cannot be seated, and which rematches no pairing could avoid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from math import comb

import msgspec

SMALL_FIELD = 16
"""Fewer people than this who play several rounds do better in threes."""
ADVISED_SIZE = 3


class Sizes(msgspec.Struct, frozen=True):
    """Fewest, preferred and most people at a table."""

    low: int
    preferred: int
    high: int


class Split(msgspec.Struct, frozen=True):
    """
    A number of people put at tables.

    Attributes:
        tables: size of each table, the largest first.
        byes: how many cannot be seated; 0 whenever some split seats everybody.
    """

    tables: tuple[int, ...]
    byes: int = 0


@lru_cache(maxsize=4096)
def split(people: int, sizes: Sizes) -> Split:
    """
    Put *people* at tables.

    As many as possible are seated; then the sum of distances from the preferred size is least, then the number of
    different sizes, then that of tables. Should even then two splits be left, larger tables win.
    """
    for seated in range(people, 0, -1):
        ways = _ways(seated, sizes)
        if ways:
            return Split(min(ways, key=lambda tables: _badness(tables, sizes)), people - seated)
    return Split((), people)


def _ways(seated: int, sizes: Sizes) -> list[tuple[int, ...]]:
    """
    Return every split of *seated* that may be the best, with sizes in falling order.

    Among as many tables as the preferred size, all of another size, some always add up to a multiple of
    it and could be replaced at no cost. So a best split has fewer such tables than that.
    """
    others = [size for size in range(sizes.low, sizes.high + 1) if size != sizes.preferred]
    ways = []
    for count in range(sizes.preferred):
        for odd in combinations_with_replacement(others, count):
            tables, left = divmod(seated - sum(odd), sizes.preferred)
            if tables >= 0 and not left:
                ways.append(tuple(sorted((*odd, *(sizes.preferred,) * tables), reverse=True)))
    return ways


def _badness(tables: tuple[int, ...], sizes: Sizes) -> tuple[int, int, int, tuple[int, ...]]:
    away = sum(abs(size - sizes.preferred) for size in tables)
    return away, len(set(tables)), len(tables), tuple(-size for size in tables)


def unavoidable(people: int, rounds: Sequence[Sequence[int]]) -> int:
    """
    Return how many rematches *people* cannot avoid, whoever pairs them: a lower bound, usually the truth.

    A pair that meets m times counts m(m - 1) / 2. Two arguments are used. Between any two rounds, somebody
    who sits down in a table of one shares it with the fewest others when these come evenly from all
    tables of the other. And over all rounds the meetings spread at best evenly over all pairs.

    Args:
        people: how many there are, byes included.
        rounds: the sizes of the tables of each round.
    """
    apart = sum(
        _repeated(later, len(earlier) + people - sum(earlier))  # whoever had a bye comes from a table of their own
        for earlier, later in combinations(rounds, 2)
    )
    pairs = comb(people, 2)
    if not pairs:
        return 0
    each, more = divmod(sum(comb(size, 2) for tables in rounds for size in tables), pairs)
    return max(apart, more * comb(each + 1, 2) + (pairs - more) * comb(each, 2))


def _repeated(later: Sequence[int], tables: int) -> int:
    """Return the least number of pairs that sit together again, drawn evenly from so many tables."""
    total = 0
    for size in later if tables else ():
        each, more = divmod(size, tables)
        total += more * comb(each + 1, 2) + (tables - more) * comb(each, 2)
    return total


def better_in_threes(people: int, sizes: Sizes, rounds: int, least_seats: int) -> bool:
    """Tell whether the organiser should hear that smaller tables suit so few people."""
    return people < SMALL_FIELD and rounds > 1 and sizes.preferred > ADVISED_SIZE >= least_seats

"""
Points for the places at one table.

They are integers in 1/120 of a point (`UNIT`), so that every table of 2 to 6 and every tie comes out exact.
Places are those of `Outcome`: tied seats share a place and the next one is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from rules.core.contract import Refusal

UNIT = 120
"""Parts of one point."""
LEAST_SIZE, LARGEST_SIZE = 2, 6
"""Sizes of a table that the arithmetic is exact for."""
MOST_POINTS = 300
"""For one place in a list of the organiser's own; thirty rounds of them have four digits, as their column has."""

LISTS = {
    "5-3-2-1": ((5, 2), (5, 3, 1), (5, 3, 2, 1), (5, 3, 2, 1, 0), (5, 3, 2, 1, 0, 0)),
    "6-4-2-0": ((6, 0), (6, 3, 0), (6, 4, 2, 0), (6, 4, 3, 1, 0), (6, 5, 4, 2, 1, 0)),
}
"""Points by place, a list for each size."""
SOLE_WIN, SHARED_WIN = 5, 1
"""What `win-draw` gives for a first place of one's own, and to each who shares it."""

SchemeKey = Literal["share", "5-3-2-1", "6-4-2-0", "win-draw", "custom"]


class Scheme(msgspec.Struct, frozen=True):
    """
    How places become points.

    Attributes:
        key: which of the schemes.
        lists: for `custom` alone, whole points by place; the length of a list is the size it is for. They are kept when
            another scheme is tried.
    """

    key: SchemeKey = "share"
    lists: tuple[tuple[int, ...], ...] = ()


def check_scheme(scheme: Scheme, low: int, high: int) -> None:
    """
    Check that tables of *low* to *high* can be scored.

    Raises:
        Refusal: `unknown_size` for a size without a list, `bad_points` for a list that rises or leaves its bounds.
    """
    if not LEAST_SIZE <= low <= high <= LARGEST_SIZE:
        raise Refusal("bad_sizes", low=LEAST_SIZE, high=LARGEST_SIZE)
    if scheme.key != "custom":
        return
    for points in scheme.lists:
        falling = all(before >= after for before, after in pairwise(points))
        if not falling or not all(0 <= value <= MOST_POINTS for value in points):
            raise Refusal("bad_points", size=len(points))
    sizes = [len(points) for points in scheme.lists]
    if len(set(sizes)) != len(sizes):
        raise Refusal("bad_points", size=max(sizes, key=sizes.count))
    for size in range(low, high + 1):
        if size not in sizes:
            raise Refusal("unknown_size", size=size)


def check_places(places: Sequence[int]) -> None:
    """
    Check that *places* are those of a table: from 1, ties share a place and the next one is skipped.

    Raises:
        Refusal: `bad_places`.
    """
    if any(place != 1 + sum(other < place for other in places) for place in places):
        raise Refusal("bad_places")


def award(scheme: Scheme, places: Sequence[int]) -> tuple[int, ...]:
    """Return the points of each of *places* at one table, in 1/120."""
    size = len(places)
    if size < LEAST_SIZE:
        return (0,) * size
    return tuple(_points(scheme, place, places.count(place), size) for place in places)


def sole_win(scheme: Scheme, size: int) -> int:
    """Return the points of an undisputed win at a table of *size*, in 1/120."""
    return _points(scheme, 1, 1, size)


def _points(scheme: Scheme, place: int, sharing: int, size: int) -> int:
    """Return what each of *sharing* players at one place gets."""
    if scheme.key == "share":
        below = size - place - sharing + 1
        return UNIT * (2 * below + sharing - 1) // (2 * (size - 1))
    if scheme.key == "win-draw":
        return UNIT * (0 if place > 1 else SOLE_WIN if sharing == 1 else SHARED_WIN)
    lists = scheme.lists if scheme.key == "custom" else LISTS[scheme.key]
    points = next(values for values in lists if len(values) == size)
    return UNIT * sum(points[place - 1 : place - 1 + sharing]) // sharing

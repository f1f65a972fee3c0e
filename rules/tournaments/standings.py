"""
Points, tie-breaks and places of everybody, from what was played.

Nothing is rounded: ratios are `Fraction`s here and pairs of integers in a `Row`. What each tie-break means
is said at the function that reckons it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from math import lcm
from typing import Any, Literal

import msgspec

from rules.tournaments.points import Scheme, award, sole_win

Tie = Literal["wins", "head_to_head", "score_index", "opponents", "places", "absences"]
TIES: tuple[Tie, ...] = ("wins", "head_to_head", "score_index", "opponents", "places", "absences")
"""The usual order of tie-breaks."""

Parted = Literal["", "last", "stage", "points", "lot", Tie]
"""What puts a line below the one above: nothing, where they share a place; `last` for those below all others."""

Ratio = tuple[int, int]
"""Numerator and denominator in lowest terms."""


class Seated(msgspec.Struct, frozen=True, array_like=True):
    """
    One table that was played.

    Attributes:
        entrants: who sat there, computers left out; the first one began.
        places: theirs, among each other.
        scores: theirs, as the game gives them.
    """

    entrants: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """
    All that standings follow from.

    Attributes:
        entrants: everybody who is listed.
        tables: all tables that count.
        byes: how many each entrant has had; absent keys mean none.
        absences: likewise, none after a drop.
        lots: by entrant, drawn once; the lower goes first where a lot decides.
        last: entrants that stand below all others, such as the disqualified.
        stage: by entrant, how far they came, compared before points: the later round first, places of
            a final as negative numbers.
    """

    entrants: tuple[int, ...]
    tables: tuple[Seated, ...] = ()
    byes: Mapping[int, int] = msgspec.field(default_factory=dict)
    absences: Mapping[int, int] = msgspec.field(default_factory=dict)
    lots: Mapping[int, int] = msgspec.field(default_factory=dict)
    last: frozenset[int] = frozenset()
    stage: Mapping[int, tuple[int, ...]] = msgspec.field(default_factory=dict)


class Row(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """
    One line of standings, with every value that placed it.

    Attributes:
        entrant: number of the entrant.
        place: from 1; who is equal in everything shares it.
        points: in 1/120, byes included.
        table_points: in 1/120, from tables alone.
        played: tables played.
        byes: how many.
        absences: how many.
        wins: first places, one shared by k counts 1/k.
        head_to_head: against those equal so far; `None` where it was not asked or not all of them had met.
        score_index: mean share of the scores at the tables.
        opponents: mean of the opponents' points a table, in 1/120.
        places: how many firsts, seconds ...
        parted: what put this line below the one above.
        mark: "" or the status that is shown beside the name: dropped, disqualified.
    """

    entrant: int
    place: int
    points: int
    table_points: int
    played: int
    byes: int
    absences: int
    wins: Ratio
    head_to_head: int | None
    score_index: Ratio
    opponents: Ratio
    places: tuple[int, ...]
    parted: Parted = ""
    mark: str = ""


class _Sheet(msgspec.Struct):
    """What one entrant did, while it is added up."""

    tables: list[int]
    table_points: int = 0


class Reckoning:
    """
    Everybody's points and values from one ledger.

    Args:
        ledger: what was played.
        scheme: how places become points.
        usual_size: the table size whose sole win bounds and halves a bye.
    """

    def __init__(self, ledger: Ledger, scheme: Scheme, usual_size: int) -> None:
        self.ledger = ledger
        self._win = sole_win(scheme, usual_size)
        self._sheets: defaultdict[int, _Sheet] = defaultdict(lambda: _Sheet([]))
        for number, table in enumerate(ledger.tables):
            for entrant, points in zip(table.entrants, award(scheme, table.places), strict=True):
                sheet = self._sheets[entrant]
                sheet.tables.append(number)
                sheet.table_points += points

    def table_points(self, entrant: int) -> int:
        """Return the points from tables alone, in 1/120."""
        return self._sheets[entrant].table_points

    def played(self, entrant: int) -> int:
        """Return the number of tables played."""
        return len(self._sheets[entrant].tables)

    def bye(self, entrant: int) -> int:
        """
        Return what one bye is worth to this entrant by now, in 1/120.

        The mean of the own points a played table, rounded down, at most a sole win; half a sole win while
        nothing is played.
        """
        played = self.played(entrant)
        return min(self.table_points(entrant) // played, self._win) if played else self._win // 2

    def points(self, entrant: int) -> int:
        """Return all points, in 1/120."""
        return self.table_points(entrant) + self.ledger.byes.get(entrant, 0) * self.bye(entrant)

    def wins(self, entrant: int) -> Fraction:
        """Return the first places; one shared by k counts 1/k."""
        firsts = (table.places.count(1) for table, at in self._seats(entrant) if table.places[at] == 1)
        return sum((Fraction(1, sharing) for sharing in firsts), Fraction(0))

    def score_index(self, entrant: int) -> Fraction:
        """
        Return the mean over played tables of size x own score / sum of the table's scores.

        Where a score is below 0, all of that table are raised until none is. A table whose scores are all 0
        counts 1 for everybody; who has played no table has 0.
        """
        over, under = 0, 1
        for table, at in self._seats(entrant):
            raised = max(0, -min(table.scores))
            total = sum(table.scores) + raised * len(table.scores)
            own, total = (len(table.scores) * (table.scores[at] + raised), total) if total else (1, 1)
            over, under = over * total + own * under, under * total
        return Fraction(over, under * max(1, self.played(entrant)))

    def opponents(self, entrant: int) -> Fraction:
        """Return the mean, over every meeting, of the opponent's points a played table, in 1/120; 0 without any."""
        met = [other for table, _ in self._seats(entrant) for other in table.entrants if other != entrant]
        if not met:
            return Fraction(0)
        common = lcm(*(self.played(other) for other in met))
        total = sum(self.table_points(other) * (common // self.played(other)) for other in met)
        return Fraction(total, common * len(met))

    def places(self, entrant: int) -> tuple[int, ...]:
        """Return how many firsts, seconds and so on, up to the last place ever taken."""
        counts = Counter(table.places[at] for table, at in self._seats(entrant))
        return tuple(counts[place] for place in range(1, max(counts, default=0) + 1))

    def head_to_head(self, equal: Sequence[int]) -> dict[int, int] | None:
        """
        Compare exactly those who are *equal* so far over the tables they had in common.

        Returns:
            By entrant: how often one of the others was placed below, minus how often above. `None` unless each
            pair of them has met.
        """
        group = frozenset(equal)
        result = dict.fromkeys(equal, 0)
        met = set()
        for number in sorted({number for one in group for number in self._sheets[one].tables}):
            table = self.ledger.tables[number]
            here = [pair for pair in zip(table.entrants, table.places, strict=True) if pair[0] in group]
            for (one, place), (other, other_place) in combinations(here, 2):
                met.add(frozenset((one, other)))
                better = (other_place > place) - (other_place < place)
                result[one] += better
                result[other] -= better
        return result if len(met) == len(group) * (len(group) - 1) // 2 else None

    def _seats(self, entrant: int) -> list[tuple[Seated, int]]:
        tables = (self.ledger.tables[number] for number in self._sheets[entrant].tables)
        return [(table, table.entrants.index(entrant)) for table in tables]


def rank(
    ledger: Ledger, scheme: Scheme, usual_size: int, ties: Sequence[Tie] = TIES, *, by_lot: bool = False
) -> tuple[Row, ...]:
    """
    Put everybody in order.

    Args:
        ledger: what was played.
        scheme: how places become points.
        usual_size: the table size whose sole win bounds and halves a bye.
        ties: tie-breaks in the order in which they are asked.
        by_lot: whether a lot parts those who are equal in everything, instead of a shared place.

    Returns:
        A row an entrant, the best first. Those who share a place stand in order of their lots.
    """
    made = Reckoning(ledger, scheme, usual_size)
    heads: dict[int, int] = {}
    groups: list[_Group] = [(list(ledger.entrants), "")]
    groups = _part(groups, "last", lambda one: one not in ledger.last)
    groups = _part(groups, "stage", lambda one: ledger.stage.get(one, ()))
    groups = _part(groups, "points", made.points)
    measures: dict[str, Callable[[int], Any]] = {
        "wins": made.wins,
        "score_index": made.score_index,
        "opponents": made.opponents,
        "places": made.places,
        "absences": lambda one: -ledger.absences.get(one, 0),
    }
    for tie in ties:
        if tie != "head_to_head":
            groups = _part(groups, tie, measures[tie])
            continue
        for group, _ in groups:
            heads.update((made.head_to_head(group) if len(group) > 1 else None) or {})
        groups = _part(groups, tie, lambda one: heads.get(one, 0))
    if by_lot:
        groups = _part(groups, "lot", lambda one: -ledger.lots.get(one, 0))
    rows: list[Row] = []
    for group, parted in groups:
        place = len(rows) + 1
        for entrant in sorted(group, key=lambda one: (ledger.lots.get(one, 0), one)):
            first = len(rows) + 1 == place
            rows.append(_row(made, entrant, place, heads.get(entrant), parted if first else ""))
    return tuple(rows)


_Group = tuple[list[int], Parted]


def _part(groups: list[_Group], name: Parted, value: Callable[[int], Any]) -> list[_Group]:
    """Part each group of equals by a value, the highest first; the first part keeps what had put it there."""
    parted: list[_Group] = []
    for group, before in groups:
        if len(group) == 1:
            parted.append((group, before))
            continue
        values = {one: value(one) for one in group}
        ordered = sorted(group, key=lambda one: values[one], reverse=True)
        for number, (_, part) in enumerate(groupby(ordered, key=lambda one: values[one])):
            parted.append((list(part), name if number else before))
    return parted


def _row(made: Reckoning, entrant: int, place: int, head: int | None, parted: Parted) -> Row:
    return Row(
        entrant=entrant,
        place=place,
        points=made.points(entrant),
        table_points=made.table_points(entrant),
        played=made.played(entrant),
        byes=made.ledger.byes.get(entrant, 0),
        absences=made.ledger.absences.get(entrant, 0),
        wins=made.wins(entrant).as_integer_ratio(),
        head_to_head=head,
        score_index=made.score_index(entrant).as_integer_ratio(),
        opponents=made.opponents(entrant).as_integer_ratio(),
        places=made.places(entrant),
        parted=parted,
    )

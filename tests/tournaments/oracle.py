"""
Points and tie-breaks once more, straight from their definitions.

Shares nothing with the code under test: slow, by brute force, in whole `Fraction`s of points. A history is a list
of rounds, each a dict: `tables` (lists of (who, place, score)), `byes` and `absent` (lists of who).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cmp_to_key
from typing import Any

Round = dict[str, Any]
PLACES = {
    "5-3-2-1": {2: [5, 2], 3: [5, 3, 1], 4: [5, 3, 2, 1], 5: [5, 3, 2, 1, 0], 6: [5, 3, 2, 1, 0, 0]},
    "6-4-2-0": {2: [6, 0], 3: [6, 3, 0], 4: [6, 4, 2, 0], 5: [6, 4, 3, 1, 0], 6: [6, 5, 4, 2, 1, 0]},
}


def table_points(scheme: str, lists: dict[int, list[int]], table: list[Any], who: int) -> Fraction:
    """Return what *who* gets for one table."""
    size = len(table)
    mine = next(place for one, place, _ in table if one == who)
    tied = [one for one, place, _ in table if place == mine]
    below = [one for one, place, _ in table if place > mine]
    if scheme == "share":
        return (len(below) + Fraction(len(tied) - 1, 2)) / (size - 1)
    if scheme == "win-draw":
        return Fraction(0 if mine > 1 else 5 if len(tied) == 1 else 1)
    values = (lists if scheme == "custom" else PLACES[scheme])[size]
    covered = [value for at, value in enumerate(values, start=1) if mine <= at < mine + len(tied)]
    return Fraction(sum(covered), len(covered))


class Oracle:
    """All values of everybody after a history."""

    def __init__(self, history: list[Round], scheme: str, lists: dict[int, list[int]], usual: int) -> None:
        self.tables = [table for round_ in history for table in round_["tables"]]
        self.history = history
        self.scheme, self.lists = scheme, lists
        row = [(0, 1, 0), *((other, 2, 0) for other in range(1, usual))]
        self.win = table_points(scheme, lists, row, 0)

    def mine(self, who: int) -> list[Any]:
        """Return the tables of one player."""
        return [table for table in self.tables if who in [one for one, _, _ in table]]

    def from_tables(self, who: int) -> Fraction:
        """Return the points from tables."""
        return sum((table_points(self.scheme, self.lists, table, who) for table in self.mine(who)), Fraction(0))

    def byes(self, who: int) -> int:
        """Return how many byes."""
        return sum(round_["byes"].count(who) for round_ in self.history)

    def points(self, who: int) -> Fraction:
        """Return all points: a bye is the mean a played table, rounded down to 1/120, at most a sole win."""
        played = len(self.mine(who))
        bye = self.win / 2
        if played:
            mean = self.from_tables(who) / played
            bye = min(Fraction(int(mean * 120), 120), self.win)
        return self.from_tables(who) + self.byes(who) * bye

    def wins(self, who: int) -> Fraction:
        """Return first places, shared ones in parts."""
        total = Fraction(0)
        for table in self.mine(who):
            firsts = [one for one, place, _ in table if place == 1]
            if who in firsts:
                total += Fraction(1, len(firsts))
        return total

    def score_index(self, who: int) -> Fraction:
        """Return the mean of size x own score / sum."""
        if not self.mine(who):
            return Fraction(0)
        total = Fraction(0)
        for table in self.mine(who):
            raised = [(one, score - min(0, *(s for _, _, s in table))) for one, _, score in table]
            whole = sum(score for _, score in raised)
            total += Fraction(len(table) * dict(raised)[who], whole) if whole else 1
        return total / len(self.mine(who))

    def opponents(self, who: int) -> Fraction:
        """Return the mean over every meeting of the opponent's points a played table."""
        met = [one for table in self.mine(who) for one, _, _ in table if one != who]
        each = [self.from_tables(one) / len(self.mine(one)) for one in met]
        return sum(each, Fraction(0)) / len(each) if each else Fraction(0)

    def places(self, who: int) -> list[int]:
        """Return how many firsts, seconds ... sixths."""
        own = [place for table in self.mine(who) for one, place, _ in table if one == who]
        return [own.count(place) for place in range(1, 7)]

    def absences(self, who: int) -> int:
        """Return how many rounds were missed."""
        return sum(round_["absent"].count(who) for round_ in self.history)

    def duel(self, who: int, group: list[int]) -> int:
        """Return how many of the group were placed below, less those above, over common tables."""
        total = 0
        for table in self.mine(who):
            place = {one: at for one, at, _ in table}
            for other in group:
                if other != who and other in place:
                    total += 1 if place[other] > place[who] else -1 if place[other] < place[who] else 0
        return total

    def all_met(self, group: list[int]) -> bool:
        """Tell whether each pair of the group has sat at one table."""
        sets = [{one for one, _, _ in table} for table in self.tables]
        return all(any({a, b} <= table for table in sets) for a in group for b in group if a < b)

    def order(self, players: list[int], ties: tuple[str, ...]) -> list[list[int]]:
        """Return the players by place: a list of lists, who is equal in everything in one."""
        groups = self._split([players], self.points)
        for tie in ties:
            if tie == "head_to_head":
                values = {who: self.duel(who, group) if self.all_met(group) else 0 for group in groups for who in group}
                groups = self._split(groups, lambda who, values=values: values[who])
            elif tie == "absences":
                groups = self._split(groups, lambda who: -self.absences(who))
            else:
                groups = self._split(groups, getattr(self, tie))
        return groups

    @staticmethod
    def _split(groups: list[list[int]], value: Any) -> list[list[int]]:
        made: list[list[int]] = []
        for group in groups:
            values = {who: value(who) for who in group}

            def compare(one: int, other: int, values: dict[int, Any] = values) -> int:
                return -1 if values[one] > values[other] else 1 if values[one] < values[other] else 0

            last = object()
            for who in sorted(group, key=cmp_to_key(compare)):
                if values[who] != last:
                    made.append([])
                    last = values[who]
                made[-1].append(who)
        return made

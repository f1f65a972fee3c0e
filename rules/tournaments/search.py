"""
The search behind `pairing`: tables of given sizes at least cost.

People are indices by rank here. A field with few ways to seat it is searched through. In a larger one
people change places as long as that helps; then a few are shaken up and it is tried again, within a number
of steps that depends on the field alone, so that the same request always ends the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import msgspec

from rules.core.rng import Rng
from rules.tournaments.sizes import unavoidable

Tables = list[list[int]]
Value = tuple[int, int, int, int]
"""Meetings that happen again, 1 if the most frequent pair meets again, spread, starts; the least is best."""

SEARCHED_THROUGH = 16_000
"""Up to so many ways of seating a field, each one is looked at."""
STEPS = 100_000
"""Exchanges tried in a larger field."""
STEPS_EACH = 700
"""More of them for each person, where that is more."""
REACH = 24
"""In a very large field people change places with those so many ranks above or below."""
WIDE_FIELD = 64
SHAKEN = 3
"""Exchanges made at random before the next try."""
PATIENCE = 120
"""Tries in a row without a better result, after which a pairing without rematches is good enough."""
JUDGED_ALONE = 9
"""Up to so many people a round is the best there is, whatever comes after."""
FORESEEN_FIELD = 48
"""Up to so many people it is looked whether the rounds to come can do without rematches too."""
FORESEEN_TRIES = 2
"""Ways into the future that are tried before a pairing counts as a dead end."""
FORESEEN_STEPS = 8_000
OTHERS = (1, 60, 240, 0)
"""If it is one, others are made: points rounded down to multiples of these, 0 for no points at all."""


class Field(msgspec.Struct):
    """
    People to be seated, by rank.

    Attributes:
        names: what each is called outside.
        points: in falling order.
        starts: how often each has begun.
        met: how often each has met each.
        sizes: of the tables.
    """

    names: list[int]
    points: list[int]
    starts: list[int]
    met: list[list[int]]
    sizes: list[int]


def best_tables(field: Field, ahead: int, rng: Rng) -> tuple[tuple[int, ...], ...]:
    """
    Return the tables found, by the names outside.

    In a field of middle size a round without rematches may leave the next ones none. It then gives way to
    another one without, even if that has a larger spread.

    Args:
        field: who is to be seated, and at what sizes.
        ahead: how many rounds are still to come.
        rng: chance; the same stream leads to the same tables.
    """
    few = ways(field.sizes) <= SEARCHED_THROUGH
    tables = _search_through(field) if few else _Climb(field, rng).best()
    if ahead and JUDGED_ALONE < len(field.names) <= FORESEEN_FIELD and not value(field, tables)[0]:
        tables = _with_foresight(field, tables, ahead, rng)
    return tuple(tuple(field.names[one] for one in table) for table in tables)


def _with_foresight(field: Field, tables: Tables, ahead: int, rng: Rng) -> Tables:
    """Return the first of *tables* and others that leads on, the best of those that get furthest if none does."""
    people = len(field.names)
    if unavoidable(people, [field.sizes] * (ahead + 1)):
        return tables
    best, furthest = tables, _leads_on(field, tables, ahead, rng)
    for grain in OTHERS:
        if furthest == ahead:
            break
        points = [point // grain * grain for point in field.points] if grain else [0] * people
        other = _Climb(msgspec.structs.replace(field, points=points), rng).best()
        if not value(field, other)[0]:
            reached = _leads_on(field, other, ahead, rng)
            if reached > furthest:
                best, furthest = other, reached
    return best


def _leads_on(field: Field, tables: Tables, ahead: int, rng: Rng) -> int:
    """Return how many of the rounds *ahead* were seated without a rematch after *tables*."""
    furthest = 0
    for _ in range(FORESEEN_TRIES):
        reached, now = 0, tables
        later = msgspec.structs.replace(
            field, points=[0] * len(field.points), starts=[0] * len(field.starts), met=[list(row) for row in field.met]
        )
        while reached < ahead:
            for one, other in (pair for table in now for pair in combinations(table, 2)):
                later.met[one][other] += 1
                later.met[other][one] += 1
            now = _Climb(later, rng, FORESEEN_STEPS, any_order=True).best()
            if value(later, now)[0]:
                break
            reached += 1
        furthest = max(furthest, reached)
        if furthest == ahead:
            break
    return furthest


def ways(sizes: Sequence[int]) -> int:
    """Return in how many ways people can be put at tables of *sizes*."""
    left = sum(sizes)
    count = 1
    for size in sizes:
        count *= comb(left, size)
        left -= size
    for size in set(sizes):
        for number in range(2, sizes.count(size) + 1):
            count //= number
    return count


def value(field: Field, tables: Sequence[Sequence[int]]) -> Value:
    """Reckon what *tables* are worth."""
    worst = max((max(row) for row in field.met), default=0)
    again = top = spread = starts = 0
    for table in tables:
        part = _table_value(field, table, worst)
        again, top, spread, starts = again + part[0], max(top, part[1]), spread + part[2], starts + part[3]
    return again, top, spread, starts


def _table_value(field: Field, table: Sequence[int], worst: int) -> Value:
    meetings = [field.met[one][other] for one, other in combinations(table, 2)]
    points = [field.points[one] for one in table]
    most = max(meetings, default=0)
    return sum(meetings), int(most == worst > 0), max(points) - min(points), min(field.starts[one] for one in table)


# --- small fields --------------------------------------------------------------------------------


def _search_through(field: Field) -> Tables:
    """Look at every way of seating, cutting off what is already no better than the best found."""
    worst = max((max(row) for row in field.met), default=0)
    known: dict[tuple[int, ...], Value] = {}
    best: list[tuple[Value, Tables]] = []

    def seat(left: tuple[int, ...], sizes: tuple[int, ...], so_far: Value, tables: Tables) -> None:
        if best and so_far >= best[0][0]:
            return
        if not left:
            best[:] = [(so_far, [list(table) for table in tables])]
            return
        first, rest = left[0], left[1:]
        for size in sorted(set(sizes), reverse=True):
            fewer = list(sizes)
            fewer.remove(size)
            for others in combinations(rest, size - 1):
                table = (first, *others)
                if table not in known:
                    known[table] = _table_value(field, table, worst)
                again, top, spread, starts = known[table]
                total = (so_far[0] + again, max(so_far[1], top), so_far[2] + spread, so_far[3] + starts)
                seat(tuple(one for one in rest if one not in others), tuple(fewer), total, [*tables, list(table)])

    seat(tuple(range(len(field.points))), tuple(field.sizes), (0, 0, 0, 0), [])
    return best[0][1]


# --- larger fields -------------------------------------------------------------------------------


class _Climb:
    """
    Change places until nothing gets better, shake, and try again.

    The four figures of a `Value` are packed into one integer; only the second is a count of pairs here,
    which is 0 exactly when the figure is.
    """

    def __init__(self, field: Field, rng: Rng, steps: int = 0, *, any_order: bool = False) -> None:
        self._field = field
        self._rng = rng
        self._any_order = any_order
        people = len(field.points)
        worst = max(max(row) for row in field.met)
        self._spread = (max(field.starts) + 1) * len(field.sizes) + 1
        top = self._spread * ((field.points[0] - field.points[-1]) * len(field.sizes) + 1)
        self._again = top * (people * people + 1)
        self._pair = [[times * self._again + (times == worst > 0) * top for times in row] for row in field.met]
        self._steps = steps or max(STEPS, STEPS_EACH * people)
        self._tables: Tables = []
        self._at = [0] * people
        self._prices: list[int] = []

    def best(self) -> Tables:
        """Return the best tables found."""
        self._begin()
        self._climb(list(range(len(self._at))))
        best, best_price = self._copy(), sum(self._prices)
        idle = 0
        while best_price and self._steps > 0 and (idle < PATIENCE or best_price >= self._again):
            self._climb(self._shake())
            price = sum(self._prices)
            idle = 0 if price < best_price else idle + 1
            if price <= best_price:
                best, best_price = self._copy(), price
            else:
                self._restore(best)
        return best

    def _begin(self) -> None:
        """Seat people by rank, or in any order, the sizes in any order."""
        people: list[int] = list(range(len(self._at)))
        if self._any_order:
            people = self._rng.shuffled(people)
        start = 0
        tables = []
        for size in self._rng.shuffled(self._field.sizes):
            tables.append(people[start : start + size])
            start += size
        self._restore(tables)

    def _copy(self) -> Tables:
        return [list(table) for table in self._tables]

    def _restore(self, tables: Tables) -> None:
        self._tables = [list(table) for table in tables]
        self._prices = [self._price(table) for table in self._tables]
        for number, table in enumerate(self._tables):
            for one in table:
                self._at[one] = number

    def _price(self, table: list[int]) -> int:
        points, starts = self._field.points, self._field.starts
        # Ranks fall with points, so the ends of a table are those of its ranks.
        total = (points[min(table)] - points[max(table)]) * self._spread + min([starts[one] for one in table])
        for place, one in enumerate(table):
            row = self._pair[one]
            for other in table[:place]:
                total += row[other]
        return total

    def _climb(self, waiting: list[int]) -> None:
        """Give each of those who wait, and whoever is moved by it, their best exchange."""
        queue = dict.fromkeys(waiting)
        while queue and self._steps > 0:
            one = next(iter(queue))
            del queue[one]
            partner = self._best_partner(one)
            if partner is not None:
                self._exchange(one, partner)
                queue.update(dict.fromkeys(self._tables[self._at[one]] + self._tables[self._at[partner]]))

    def _best_partner(self, one: int) -> int | None:
        here = self._at[one]
        home = self._tables[here]
        rest = [other for other in home if other != one]
        best, found = 0, None
        for other in self._reach(one, rematch=self._prices[here] >= self._again):
            there = self._at[other]
            if there == here:
                continue
            self._steps -= 1
            guests = [*rest, other]
            hosts = [one if who == other else who for who in self._tables[there]]
            gain = self._price(guests) + self._price(hosts) - self._prices[here] - self._prices[there]
            if gain < best:
                best, found = gain, other
        return found

    def _reach(self, one: int, *, rematch: bool) -> Iterator[int]:
        """Yield whom to change places with: in a large field those near in rank, unless a rematch presses."""
        people = len(self._at)
        if people <= WIDE_FIELD or rematch:
            yield from range(people)
        else:
            yield from range(max(0, one - REACH), min(people, one + REACH + 1))

    def _exchange(self, one: int, other: int) -> None:
        here, there = self._at[one], self._at[other]
        self._tables[here][self._tables[here].index(one)] = other
        self._tables[there][self._tables[there].index(other)] = one
        self._at[one], self._at[other] = there, here
        for number in (here, there):
            self._prices[number] = self._price(self._tables[number])

    def _shake(self) -> list[int]:
        """Make some exchanges at random, near in rank, one of them at a table with a rematch if there is any."""
        moved: list[int] = []
        sore = [number for number, price in enumerate(self._prices) if price >= self._again]
        for number in range(SHAKEN):
            if sore and not number:
                one = self._rng.choice(self._tables[self._rng.choice(sore)])
            else:
                one = self._rng.below(len(self._at))
            near = [other for other in self._reach(one, rematch=False) if self._at[other] != self._at[one]]
            if near:
                other = self._rng.choice(near)
                self._exchange(one, other)
                moved += self._tables[self._at[one]] + self._tables[self._at[other]]
        return moved

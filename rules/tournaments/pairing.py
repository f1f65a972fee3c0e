"""
Who sits with whom in a round.

A round is asked for by a `Request`, worked out by `propose` away from the event loop, and taken by the event
only after `check`. Both are pure: the same request gives the same proposal for ever, and the order in which
people signed up is nowhere in it.

The best pairing has, in this order of weight: the least sum of (meetings)^2 over all pairs, the least largest
number of meetings, the least sum over tables of highest minus lowest points, the least sum of earlier
starts of those who begin. Small fields are searched through; in larger ones people change places until
nothing gets better, from many beginnings, within a fixed number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from rules.core.contract import Refusal
from rules.core.rng import Rng
from rules.tournaments.search import Field, best_tables

Pair = tuple[int, int, int]
"""Two entrants, the lower number first, and how often they have met."""


class Player(msgspec.Struct, frozen=True, array_like=True):
    """
    One who is to be paired.

    Attributes:
        entrant: number of the entrant, a name and no more.
        lot: drawn at the start; what stands for chance where nothing else decides.
        points: in 1/120, from the standings before this round.
        starts: how often they have begun a table.
        byes: how many they have had.
    """

    entrant: int
    lot: int
    points: int = 0
    starts: int = 0
    byes: int = 0


class Group(msgspec.Struct, frozen=True):
    """
    People who are paired among each other.

    Attributes:
        players: all of them, in any order.
        sizes: of the tables, the largest first; whoever is left over has a bye.
        classes: when a fixed design is followed, its rounds that were not played yet; one of them is taken.
    """

    players: tuple[Player, ...]
    sizes: tuple[int, ...]
    classes: tuple[tuple[tuple[int, ...], ...], ...] = ()


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """
    A round to be paired.

    Attributes:
        round: its number.
        attempt: raised when it is paired again.
        groups: one, or one a group of the format `groups`.
        met: pairs that have met.
        seed: the secret of the event's chance, in hex.
        ahead: how many rounds like this one are still to come.
    """

    round: int
    attempt: int
    groups: tuple[Group, ...]
    met: tuple[Pair, ...]
    seed: str
    ahead: int = 0


class Cost(msgspec.Struct, frozen=True, array_like=True, order=True):
    """
    How good a pairing is; the least is best, the first figure first.

    Attributes:
        squares: sum over all pairs of (meetings after the round)^2.
        most: the largest number of meetings of any pair.
        spread: sum over tables of highest minus lowest points, in 1/120.
        starts: sum over tables of how often the beginner has begun before.
    """

    squares: int
    most: int
    spread: int
    starts: int


class Proposal(msgspec.Struct, frozen=True):
    """
    A paired round.

    Attributes:
        round: as asked.
        attempt: as asked.
        tables: entrants in order of their seats, the beginner first; a list a group, the best table first.
        byes: entrants without a table.
        cost: of all tables together.
    """

    round: int
    attempt: int
    tables: tuple[tuple[tuple[int, ...], ...], ...]
    byes: tuple[int, ...]
    cost: Cost


def propose(request: Request) -> Proposal:
    """Pair a round; takes up to some seconds for hundreds of people, so keep it off the event loop."""
    met = meetings(request.met)
    tables = []
    byes: list[int] = []
    for number, group in enumerate(request.groups):
        rng = Rng(bytes.fromhex(request.seed), f"pairing {request.round} {request.attempt} {number}")
        players = {who.entrant: who for who in group.players}
        resting = choose_byes(group, rng)
        byes += resting
        seated = [who for who in _by_lot(group.players) if who.entrant not in resting]
        if group.classes:
            made = _from_design(group, met, rng)
        else:
            made = best_tables(_field(seated, group.sizes, met, rng), request.ahead, rng)
        ranked = sorted(made, key=lambda table: _worth(table, players), reverse=True)
        tables.append(tuple(seat(table, players, rng) for table in ranked))
    flat = tuple(table for made in tables for table in made)
    return Proposal(request.round, request.attempt, tuple(tables), tuple(byes), cost(request, flat))


def check(request: Request, proposal: Proposal) -> None:
    """
    Make sure that a proposal is one for this request, and a sound one.

    Everybody is there exactly once, sizes are those of the split, byes go to whom they should, the cost is
    what it claims, and no more rematches are in it than when people are seated by points alone.

    Raises:
        Refusal: `outdated_pairing` when it was made for another round or other people, `bad_pairing` else.
    """
    if (request.round, request.attempt) != (proposal.round, proposal.attempt):
        raise Refusal("outdated_pairing")
    wanted = sorted(who.entrant for group in request.groups for who in group.players)
    given = sorted([*proposal.byes, *(one for made in proposal.tables for table in made for one in table)])
    if wanted != given or len(proposal.tables) != len(request.groups):
        raise Refusal("outdated_pairing")
    for group, made in zip(request.groups, proposal.tables, strict=True):
        here = {who.entrant for who in group.players}
        if sorted(map(len, made), reverse=True) != list(group.sizes) or not all(map(here.issuperset, made)):
            raise Refusal("bad_pairing", why="sizes")
        resting = [who for who in group.players if who.entrant in proposal.byes]
        playing = [who for who in group.players if who.entrant not in proposal.byes]
        if resting and playing and max(map(_bye_order, resting)) > min(map(_bye_order, playing)):
            raise Refusal("bad_pairing", why="byes")
    flat = tuple(table for made in proposal.tables for table in made)
    if cost(request, flat) != proposal.cost:
        raise Refusal("bad_pairing", why="cost")
    if proposal.cost.squares > cost(request, _by_points(request, proposal.byes)).squares:
        raise Refusal("bad_pairing", why="rematches")


def cost(request: Request, tables: Sequence[Sequence[int]]) -> Cost:
    """Reckon what *tables* cost, their first seats as the beginners."""
    met = meetings(request.met)
    players = {who.entrant: who for group in request.groups for who in group.players}
    squares = sum(times * times for times in met.values())
    most = max(met.values(), default=0)
    spread = starts = 0
    for table in tables:
        for pair in combinations(sorted(table), 2):
            times = met.get(pair, 0)
            squares += 2 * times + 1
            most = max(most, times + 1)
        points = [players[one].points for one in table]
        spread += max(points) - min(points)
        starts += players[table[0]].starts
    return Cost(squares, most, spread, starts)


def meetings(met: Sequence[Pair]) -> dict[tuple[int, int], int]:
    """Return how often each pair, the lower number first, has met."""
    return {(one, other): times for one, other, times in met}


def choose_byes(group: Group, rng: Rng) -> frozenset[int]:
    """Choose who has a bye: never had one before anybody had two, then the fewest points, then by lot."""
    missing = len(group.players) - sum(group.sizes)
    drawn = rng.shuffled(_by_lot(group.players)) if missing else []
    return frozenset(who.entrant for who in sorted(drawn, key=_bye_order)[:missing])


def seat(table: Sequence[int], players: Mapping[int, Player], rng: Rng) -> tuple[int, ...]:
    """Put a table in order of seats: whoever has begun least begins, a lot deciding; the rest by lot."""
    drawn = rng.shuffled(sorted(table, key=lambda one: players[one].lot))
    beginner = min(drawn, key=lambda one: players[one].starts)
    return (beginner, *(one for one in drawn if one != beginner))


def _by_lot(players: Sequence[Player]) -> list[Player]:
    return sorted(players, key=lambda who: (who.lot, who.entrant))


def _bye_order(who: Player) -> tuple[int, int]:
    return who.byes, who.points


def _worth(table: Sequence[int], players: Mapping[int, Player]) -> tuple[int, int, int, int]:
    """Return what puts a table before another: most points at the top, at the end, in all, then lots."""
    points = [players[one].points for one in table]
    return max(points), min(points), sum(points), -min(players[one].lot for one in table)


def _field(seated: Sequence[Player], sizes: tuple[int, ...], met: Mapping[tuple[int, int], int], rng: Rng) -> Field:
    """Put a group into the form in which it is searched: lists by rank, chance among equals."""
    ordered = sorted(rng.shuffled(seated), key=lambda who: -who.points)
    names = [who.entrant for who in ordered]
    again = [[met.get((min(one, other), max(one, other)), 0) for other in names] for one in names]
    return Field(
        names=names,
        points=[who.points for who in ordered],
        starts=[who.starts for who in ordered],
        met=again,
        sizes=list(sizes),
    )


def _from_design(group: Group, met: Mapping[tuple[int, int], int], rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Take the round of the design that suits the points best."""
    players = {who.entrant: who for who in group.players}

    def price(tables: tuple[tuple[int, ...], ...]) -> tuple[int, int, int]:
        again = sum(met.get(pair, 0) for table in tables for pair in combinations(sorted(table), 2))
        spread = starts = 0
        for table in tables:
            points = [players[one].points for one in table]
            spread += max(points) - min(points)
            starts += min(players[one].starts for one in table)
        return again, spread, starts

    return min(rng.shuffled(group.classes), key=price)


def _by_points(request: Request, byes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Seat people by points alone, as a measure of what is easily had."""
    tables = []
    for group in request.groups:
        left = sorted(
            (who for who in group.players if who.entrant not in byes),
            key=lambda who: (-who.points, who.lot, who.entrant),
        )
        for size in group.sizes:
            tables.append(tuple(who.entrant for who in left[:size]))
            left = left[size:]
    return tuple(tables)

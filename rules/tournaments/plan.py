"""What comes next: the plan before the start, the kind of the next round, and the pairing that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from rules.core.contract import Refusal
from rules.core.table import CLOCKS_MS
from rules.tournaments.designs import Line, design_for
from rules.tournaments.ledger import Cut, Tied, finalists, met, points, regular, starts, survivors
from rules.tournaments.model import MOST_ENTRANTS, MOST_ROUNDS, MOST_TIMER_MS, Kind, Setup, Tournament
from rules.tournaments.pairing import Group, Player, Request
from rules.tournaments.points import check_scheme
from rules.tournaments.search import JUDGED_ALONE
from rules.tournaments.sizes import ADVISED_SIZE, Sizes, Split, better_in_threes, split, unavoidable
from rules.tournaments.standings import TIES

PLANNED_FROM = 4
"""In `swiss`, so many rounds are better planned by a fixed design; fewer leave the search enough room."""


def check_setup(setup: Setup) -> None:
    """
    Make sure that the rules of a tournament can be kept.

    Raises:
        Refusal: `bad_setup` with the `field` that is wrong, `bad_sizes`, `unknown_size`, `bad_points`.
    """
    if not setup.games:
        raise Refusal("bad_setup", field="games")
    sizes = setup.sizes
    if not setup.least_seats <= sizes.low <= sizes.preferred <= sizes.high <= setup.most_seats:
        raise Refusal("bad_sizes", low=setup.least_seats, high=setup.most_seats)
    check_scheme(setup.scheme, setup.least_seats, setup.most_seats)
    timers = (setup.check_in_ms, setup.no_show_ms, setup.round_ms, setup.pick_ms)
    final = setup.final
    wrong = {
        "title": not setup.title.strip(),
        "rounds": not 1 <= setup.rounds <= MOST_ROUNDS or len(setup.games) > MOST_ROUNDS,
        "final": final and not setup.least_seats <= final <= setup.most_seats,
        "advance": setup.advance < 1,
        "group_size": setup.group_size and setup.group_size < sizes.low,
        "ties": len(set(setup.ties)) != len(setup.ties) or not set(setup.ties) <= set(TIES),
        "timers": not all(0 <= timer <= MOST_TIMER_MS for timer in timers) or not setup.check_in_ms,
        "late_until": setup.late_until < 1 or (setup.format == "knockout" and setup.late_until != 1),
        "clock": setup.clock_ms not in CLOCKS_MS,
        "most": not 1 <= setup.most <= MOST_ENTRANTS,
        "check_in": setup.format == "league" and setup.check_in == "every",
    }
    for field, bad in wrong.items():
        if bad:
            raise Refusal("bad_setup", field=field)


class PlannedRound(msgspec.Struct, frozen=True):
    """A round as it would be: its kind, the sizes of its tables, and byes."""

    kind: Kind
    tables: tuple[int, ...]
    byes: int = 0


class Plan(msgspec.Struct, frozen=True):
    """
    What a start would lead to.

    Attributes:
        players: who would take part.
        rounds: one by one, as if nobody came or left.
        rematches: how many of them nobody can avoid, over all rounds.
        fixed: whether a fixed design keeps everybody apart.
        hints: `threes` (small tables suit so few better), `byes`, `rematches`, `smaller_final`.
        blocks: why it cannot begin: `too_few`, `check_in_first`.
    """

    players: int
    rounds: tuple[PlannedRound, ...]
    rematches: int
    fixed: bool
    hints: tuple[str, ...]
    blocks: tuple[str, ...]


def plan(record: Tournament) -> Plan:
    """Plan the whole tournament for those who would take part now."""
    setup = record.setup
    players = len(starters(record))
    blocks = [] if seatable(players, setup) else ["too_few"]
    if setup.check_in != "none" and not record.check:
        blocks.append("check_in_first")
    rounds = _knockout(players, setup) if setup.format == "knockout" else _rounds(players, setup)
    parts = group_sizes(players, setup) if setup.format == "groups" else (players,)
    again = 0
    if setup.format in ("swiss", "groups"):
        again = sum(unavoidable(part, [split(part, setup.sizes).tables] * setup.rounds) for part in parts)
    fixed = bool(parts) and all(_design(part, setup) for part in parts)
    hints = []
    if setup.format == "swiss" and better_in_threes(players, setup.sizes, setup.rounds, setup.least_seats):
        threes = Sizes(setup.least_seats, ADVISED_SIZE, min(ADVISED_SIZE + 1, setup.most_seats))
        if unavoidable(players, [split(players, threes).tables] * setup.rounds) < again:
            hints.append("threes")
    if any(planned.byes for planned in rounds):
        hints.append("byes")
    if again:
        hints.append("rematches")
    if 0 < players < setup.final:
        hints.append("smaller_final")
    return Plan(players, rounds, again, fixed, tuple(hints), tuple(blocks))


def starters(record: Tournament) -> tuple[int, ...]:
    """Return who would take part in the first round."""
    checked = record.check != ""
    return tuple(who.number for who in record.active if who.checked or not checked)


def seatable(players: int, setup: Setup) -> bool:
    """Tell whether at least one table can be filled."""
    return bool(split(players, setup.sizes).tables)


def _rounds(players: int, setup: Setup) -> tuple[PlannedRound, ...]:
    if setup.format == "league":
        return ()
    kind: Kind = "groups" if setup.format == "groups" else "swiss"
    parts = group_sizes(players, setup) if kind == "groups" else (players,)
    splits = [split(part, setup.sizes) for part in parts]
    tables = tuple(sorted((size for made in splits for size in made.tables), reverse=True))
    byes = sum(made.byes for made in splits)
    kinds: list[Kind] = [kind] * setup.rounds
    if setup.power and kind == "swiss":
        kinds[-1] = "power"
    rounds = [PlannedRound(one, tables, byes) for one in kinds]
    if setup.final and players >= setup.least_seats:
        rounds.append(PlannedRound("final", (min(setup.final, players),)))
    return tuple(rounds)


def _knockout(players: int, setup: Setup) -> tuple[PlannedRound, ...]:
    rounds: list[PlannedRound] = []
    while players >= setup.least_seats:
        if is_final(players, setup):
            rounds.append(PlannedRound("final", (players,)))
            break
        made = split(players, setup.sizes)
        if not made.tables:
            break
        rounds.append(PlannedRound("knockout", made.tables, made.byes))
        players = max(winners(made, setup), setup.sizes.low)
    return tuple(rounds)


def winners(made: Split, setup: Setup) -> int:
    """Return how many go on from a round of a knockout, before anybody fills up."""
    return made.byes + sum(min(setup.advance, size - 1) for size in made.tables)


def is_final(players: int, setup: Setup) -> bool:
    """Tell whether so many play the final of a knockout: they fit at a table and would not fill one a round later."""
    if players > setup.sizes.high:
        return False
    if players <= setup.sizes.preferred:
        return True
    return winners(split(players, setup.sizes), setup) < setup.sizes.low


def group_sizes(players: int, setup: Setup) -> tuple[int, ...]:
    """Return the sizes of the groups, as even as can be, each able to fill a table."""
    count = max(1, (2 * players + setup.group_size) // (2 * setup.group_size)) if setup.group_size else 1
    while count > 1 and players // count < setup.sizes.low:
        count -= 1
    each, more = divmod(players, count)
    return tuple(each + (number < more) for number in range(count))


@lru_cache(maxsize=1024)
def _design_of(players: int, sizes: Sizes) -> tuple[tuple[Line, ...], ...]:
    made = split(players, sizes)
    return () if made.byes else design_for(made.tables)


def _design(players: int, setup: Setup) -> tuple[tuple[Line, ...], ...]:
    """Return the fixed design that a field of so many follows, none if it is better paired by search."""
    design = _design_of(players, setup.sizes)
    searched = setup.format == "swiss" and (players <= JUDGED_ALONE or setup.rounds < PLANNED_FROM or setup.power)
    planned = setup.format in ("swiss", "groups") and setup.rounds <= len(design)
    return design if planned and not searched else ()


# --- the next round ------------------------------------------------------------------------------


def next_kind(record: Tournament) -> Kind | None:
    """Return what round comes next, `None` when there is nothing left but to finish."""
    setup = record.setup
    if setup.format == "league":
        return None if record.rounds else "league"
    if not record.rounds:
        whole = setup.format == "knockout" and is_final(len(present(record)), setup)
        return "final" if whole else setup.format
    if any(played.kind == "final" for played in record.rounds):
        return None
    if setup.format == "knockout":
        through = survivors(record)
        if len(through.through) < setup.least_seats:
            return None
        if playoffs(record, through):
            return "playoff"
        return "final" if is_final(len(through.through), setup) else "knockout"
    held = len(regular(record))
    if held < setup.rounds:
        last = held + 1 == setup.rounds and setup.power and setup.format == "swiss"
        return "power" if last else setup.format
    if not setup.final:
        return None
    through = finalists(record)
    if len(through.through) < setup.least_seats:
        return None
    return "playoff" if playoffs(record, through) else "final"


def playoffs(record: Tournament, made: Cut) -> tuple[Tied, ...]:
    """Return the ties at a cut that a table can decide, if the rules ask for it and none was held just now."""
    setup = record.setup
    if setup.cut != "playoff" or (record.round and record.round.kind == "playoff"):
        return ()
    chosen: list[Tied] = []
    for tied in made.ties:
        taken = {one for other in chosen for one in other.entrants}
        if setup.least_seats <= len(tied.entrants) <= setup.most_seats and not taken & set(tied.entrants):
            chosen.append(tied)
    return tuple(chosen)


def present(record: Tournament) -> tuple[int, ...]:
    """Return who takes part in the next round of `swiss` or `groups`."""
    checked = record.check != "" and record.setup.check_in == "every"
    return tuple(who.number for who in record.active if who.checked or not checked)


def pairing_request(record: Tournament) -> Request:
    """Return what `pairing.propose` is to be called with while the last round waits for its pairing."""
    played = record.rounds[-1]
    setup = record.setup
    earlier = record.rounds[:-1]
    earned = points(record)
    began = starts(earlier)
    parts: dict[int, list[Player]] = {}
    for who in record.active:
        if who.number not in played.absent:
            own, byes = earned[who.number] if earlier else (0, 0)
            parts.setdefault(who.group, []).append(Player(who.number, who.lot, own, began[who.number], byes))
    groups = []
    for group, players in sorted(parts.items()):
        by_lot = tuple(sorted(players, key=lambda who: (who.lot, who.entrant)))
        sizes = split(len(players), setup.sizes).tables
        groups.append(Group(by_lot, sizes, _classes_left(record, max(0, group - 1), by_lot, sizes)))
    return Request(
        round=played.number,
        attempt=played.attempt,
        groups=tuple(groups),
        met=tuple(sorted((one, other, times) for (one, other), times in met(earlier).items())),
        seed=record.salt,
        ahead=max(0, setup.rounds - len(regular(record)) - setup.power),
    )


def plane(people: Sequence[int], record: Tournament) -> tuple[int, ...]:
    """Put a field on the points of its fixed design by lot; nothing when it follows none."""
    by_lot = tuple(sorted(people, key=lambda one: (record.entrant(one).lot, one)))
    return by_lot if _design(len(people), record.setup) else ()


def _classes_left(
    record: Tournament, group: int, players: Sequence[Player], sizes: tuple[int, ...]
) -> tuple[tuple[Line, ...], ...]:
    """
    Return the rounds of a design that can be played now, of *sizes* and without those who are missing.

    None are left once a round has departed from it, or when somebody plays who is not in it.
    """
    points = record.planes[group] if group < len(record.planes) else ()
    here = {who.entrant for who in players}
    if not points or not here <= set(points):
        return ()
    classes = [
        [frozenset(points[at] for at in line) for line in lines]
        for lines in _design_of(len(points), record.setup.sizes)
    ]
    for played in record.rounds[:-1]:
        if not played.counts:
            continue
        sat = [set(pod.seats) for pod in played.pods if not pod.group or pod.group == group + 1]
        same = [lines for lines in classes if all(any(table <= line for line in lines) for table in sat)]
        if not same:
            return ()
        classes.remove(same[0])
    seated = [tuple(tuple(sorted(line & here)) for line in lines if line & here) for lines in classes]
    return tuple(made for made in seated if tuple(sorted(map(len, made), reverse=True)) == sizes)

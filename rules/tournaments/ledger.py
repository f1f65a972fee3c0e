"""From rounds to standings, to what pairing needs to know, and to those who go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from rules.tournaments.model import Pod, Round, Tournament
from rules.tournaments.standings import Ledger, Reckoning, Row, Seated, rank


def listed(record: Tournament) -> tuple[int, ...]:
    """Return the entrants that standings list: all but who missed the first check-in."""
    return tuple(who.number for who in record.entrants if who.status != "unchecked")


def tables(rounds: Iterable[Round]) -> tuple[Seated, ...]:
    """Return the tables of *rounds* that were played and count."""
    return tuple(
        Seated(pod.players, pod.places, pod.scores)
        for played in rounds
        if played.counts
        for pod in played.pods
        if pod.stage == "done" and pod.places
    )


def ledger(record: Tournament, upto: int, entrants: Collection[int], last: Collection[int]) -> Ledger:
    """
    Return all that counts up to round *upto*.

    Args:
        record: the tournament.
        upto: number of the last round that counts.
        entrants: whom to list.
        last: who stands below all others.
    """
    rounds = [played for played in record.rounds[:upto] if played.phase != "pairing"]
    counted = [played for played in rounds if played.counts]
    byes: Counter[int] = Counter()
    absences: Counter[int] = Counter()
    for played in counted:
        byes.update(played.byes)
        absences.update(played.absent)
        for pod in played.pods:
            if pod.stage == "done":
                byes.update(pod.byes)
                absences.update(pod.absent)
    for number in entrants:
        missed = sum(played.number < record.entrant(number).first for played in counted)
        if missed and record.setup.format != "league":
            absences[number] += missed
    return Ledger(
        entrants=tuple(sorted(entrants, key=lambda one: record.entrant(one).lot)),
        tables=tables(counted),
        byes=byes,
        absences=absences,
        lots={one: record.entrant(one).lot for one in entrants},
        last=frozenset(last),
        stage=_stages(rounds),
    )


def _stages(rounds: Sequence[Round]) -> dict[int, tuple[int, ...]]:
    """Return how far each came: in a knockout the last round they were in, and everywhere the place in the final."""
    stages: dict[int, tuple[int, ...]] = {}
    for played in rounds:
        if played.kind == "knockout":
            seated = [one for pod in played.pods for one in (*pod.players, *pod.byes)]
            stages.update(dict.fromkeys((*seated, *played.byes), (played.number,)))
        if played.kind == "final":
            for pod in played.pods:
                stages.update({one: (played.number, -_placed(pod, one)) for one in pod.seats})
    return stages


def reckon(record: Tournament, upto: int, marks: Mapping[int, str], *, shared: bool = False) -> tuple[Row, ...]:
    """
    Return the standings after round *upto* of the entrants in *marks*.

    Args:
        record: the tournament.
        upto: number of the last round that counts.
        marks: by entrant, the mark beside the name: "" or a status.
        shared: whether those equal in everything share a place even if the rules part them by lot.
    """
    last = [one for one, mark in marks.items() if mark == "disqualified"]
    setup = record.setup
    by_lot = setup.equal == "lot" and not shared
    made = rank(ledger(record, upto, marks, last), setup.scheme, setup.sizes.preferred, setup.ties, by_lot=by_lot)
    return tuple(msgspec.structs.replace(row, mark=marks[row.entrant]) for row in made)


def marks(record: Tournament) -> dict[int, str]:
    """Return the mark of everybody who is listed now."""
    states = {number: record.entrant(number).status for number in listed(record)}
    return {number: "" if status == "in" else status for number, status in states.items()}


def standings(record: Tournament) -> tuple[Row, ...]:
    """Return the standings as of now: those of the closed round, or provisional ones with what is played since."""
    played = record.round
    if played is not None and played.phase == "closed":
        return played.rows
    return reckon(record, len(record.rounds), marks(record))


def order(record: Tournament) -> tuple[Row, ...]:
    """Return the standings with those equal in everything on one place, whatever the rules say."""
    return reckon(record, len(record.rounds), marks(record), shared=True)


def points(record: Tournament) -> Mapping[int, tuple[int, int]]:
    """Return the points, in 1/120, and the byes of everybody listed; all that pairing may know of standings."""
    listed_ = listed(record)
    book = ledger(record, len(record.rounds), listed_, ())
    made = Reckoning(book, record.setup.scheme, record.setup.sizes.preferred)
    return {one: (made.points(one), book.byes.get(one, 0)) for one in listed_}


def met(rounds: Iterable[Round]) -> Counter[tuple[int, int]]:
    """Return how often each pair, the lower number first, has sat at one table."""
    return Counter(pair for table in tables(rounds) for pair in combinations(sorted(table.entrants), 2))


def starts(rounds: Iterable[Round]) -> Counter[int]:
    """Return how often each has begun a table."""
    return Counter(table.entrants[0] for table in tables(rounds))


# --- who goes on ---------------------------------------------------------------------------------


class Tied(msgspec.Struct, frozen=True):
    """Entrants equal in everything, of whom only some go on; *seats* is how many."""

    entrants: tuple[int, ...]
    seats: int


class Cut(msgspec.Struct, frozen=True):
    """Who goes on, the best first, and the ties among them that a lot has parted."""

    through: tuple[int, ...]
    ties: tuple[Tied, ...] = ()


def cut(record: Tournament, ranked: Sequence[tuple[int, object]], seats: int) -> Cut:
    """
    Cut off the best of *ranked*, which are entrants, each with a key that equals share.

    A tie at the cut is parted by a play-off if one was held, else by lot.
    """
    if len(ranked) <= seats or not seats:
        return Cut(tuple(one for one, _ in ranked[:seats]))
    edge = ranked[seats - 1][1]
    sure = [one for one, _ in ranked[:seats]]
    if ranked[seats][1] != edge:
        return Cut(tuple(sure))
    tied = sorted(one for one, key in ranked if key == edge)
    sure = [one for one, key in ranked[:seats] if key != edge]
    placed = _playoff(record, tied)
    parted = sorted(tied, key=lambda one: (placed.get(one, 0), record.entrant(one).lot))
    left = seats - len(sure)
    ties = () if placed else (Tied(tuple(tied), left),)
    return Cut((*sure, *parted[:left]), ties)


def _playoff(record: Tournament, tied: Sequence[int]) -> dict[int, int]:
    """Return the places of a play-off between exactly those tied, nothing if none was held."""
    for played in reversed(record.rounds):
        if played.kind != "playoff":
            return {}
        for pod in played.pods:
            if sorted(pod.seats) == list(tied) and pod.stage == "done":
                return {one: _placed(pod, one) for one in tied}
    return {}


def _placed(pod: Pod, one: int) -> int:
    """Return the place at a play-off or final: who came without being able to play stands above who did not come."""
    if one in pod.players and pod.places:
        return pod.places[pod.players.index(one)]
    return len(pod.seats) + (one in pod.absent)


def regular(record: Tournament) -> tuple[Round, ...]:
    """Return the rounds that count."""
    return tuple(played for played in record.rounds if played.counts)


def finalists(record: Tournament) -> Cut:
    """
    Return who plays the final of `swiss` or `groups`, in order of rank.

    Of groups, the best of each go first and the best others fill up. Only who still plays is asked.
    """
    rows = [row for row in order(record) if not row.mark]
    setup = record.setup
    if setup.format == "swiss":
        return cut(record, [(row.entrant, row.place) for row in rows], setup.final)
    best: set[int] = set()
    ties: list[Tied] = []
    for group in range(1, len(record.planes) + 1):
        own = [(row.entrant, row.place) for row in rows if record.entrant(row.entrant).group == group]
        made = cut(record, own, setup.advance)
        best.update(made.through)
        ties += made.ties
    others = [(row.entrant, row.place) for row in rows if row.entrant not in best]
    made = cut(record, others, max(0, setup.final - len(best)))
    best.update(made.through)
    return Cut(tuple(row.entrant for row in rows if row.entrant in best), (*ties, *made.ties))


def survivors(record: Tournament) -> Cut:
    """
    Return who goes on after the last round of a knockout, in order of rank.

    Of each table the best k, never all; should they be too few for a table, the best others fill up.
    Equal places at a table are parted by the standings of the event.
    """
    played = regular(record)[-1]
    rows = {row.entrant: row for row in order(record) if not row.mark}
    best = {one for one in (*played.byes, *(bye for pod in played.pods for bye in pod.byes)) if one in rows}
    others: list[tuple[int, tuple[int, int]]] = []
    ties: list[Tied] = []
    for pod in played.pods:
        ranked = _at_table(pod, rows)
        made = cut(record, ranked, max(0, min(record.setup.advance, len(pod.players) - 1)))
        best.update(made.through)
        ties += made.ties
        others += [one for one in ranked if one[0] not in made.through]
    others.sort(key=lambda one: one[1])
    made = cut(record, others, max(0, record.setup.sizes.low - len(best)))
    best.update(made.through)
    return Cut(tuple(one for one in rows if one in best), (*ties, *made.ties))


def through(record: Tournament) -> Cut:
    """Return who goes on to the next stage after the last round that counts."""
    return survivors(record) if record.setup.format == "knockout" else finalists(record)


def _at_table(pod: Pod, rows: Mapping[int, Row]) -> list[tuple[int, tuple[int, int]]]:
    """Return who played at a table and still plays, the best first, with what makes them equal."""
    places = zip(pod.players, pod.places, strict=True) if pod.places else ()
    ranked = [(one, (place, rows[one].place)) for one, place in places if one in rows]
    return sorted(ranked, key=lambda one: one[1])

"""
What a tournament wants of the outside, read off its record.

Orders are a state that is wanted, not messages: asking again after a restart gives the same ones, and each
goes once the matching input has come in. Whoever carries one out must be able to do so twice.
"""

from __future__ import annotations

import re

import msgspec

from rules.core.table import Person
from rules.tournaments.model import Pod, Round, Tournament
from rules.tournaments.pairing import Request
from rules.tournaments.plan import pairing_request


class Pair(msgspec.Struct, frozen=True, tag=True):
    """Call `pairing.propose` away from the event loop and put `Paired` in."""

    request: Request


class OpenTable(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """
    Open a game with exactly these people in this order of seats, computers after them; answer with `Opened`.

    Attributes:
        origin: names this opening for ever; a table that was opened for it is the one.
    """

    origin: str
    round: int
    pod: int
    attempt: int
    game: str
    options: dict[str, str]
    people: tuple[Person, ...]
    computers: int
    clock_ms: int
    channel_id: int


class EndTable(msgspec.Struct, frozen=True, tag=True):
    """
    End a game that is not wanted any more, or whose round is overdue.

    Its `Ended`, with whom it waited for, or its `Result` is the answer, also if it is over already.
    """

    table_id: int


class Place(msgspec.Struct, frozen=True, tag=True):
    """Make a thread for a table, or find that the channel serves; answer with `Placed`."""

    round: int
    pod: int
    attempt: int


class Hurry(msgspec.Struct, frozen=True, tag=True):
    """The round is overdue: have computers finish this game at once."""

    table_id: int


class Reseat(msgspec.Struct, frozen=True, tag=True):
    """Give a seat of a running game to a substitute; answer with `Reseated`."""

    round: int
    pod: int
    attempt: int
    table_id: int
    seat: int
    person: Person


class PutOut(msgspec.Struct, frozen=True, tag=True):
    """Have a computer take the seat of somebody who was disqualified; nothing to do once it has."""

    table_id: int
    user_id: int


_ORIGIN = re.compile(r"t(\d+)-r(\d+)-(\d+)-(\d+)")

Order = Pair | OpenTable | EndTable | Place | Hurry | Reseat | PutOut


def origin(record: Tournament, played: Round, pod: Pod) -> str:
    """Return the name of one opening of one table, the same for ever."""
    return f"t{record.tournament_id}-r{played.number}-{pod.number}-{pod.attempt}"


def read_origin(name: str) -> tuple[int, int, int, int] | None:
    """Return tournament, round, table and attempt of a name that `origin` gave; `None` for any other."""
    found = _ORIGIN.fullmatch(name)
    if found is None:
        return None
    tournament_id, number, pod, attempt = map(int, found.groups())
    return tournament_id, number, pod, attempt


def orders(record: Tournament) -> tuple[Order, ...]:
    """Return all that is wanted now, in a steady order."""
    wanted: list[Order] = [EndTable(table_id) for table_id in record.closing]
    played = record.round
    if record.phase != "running" or played is None:
        return tuple(wanted)
    if played.phase == "pairing":
        wanted.append(Pair(pairing_request(record)))
    for pod in played.pods if played.phase == "playing" else ():
        wanted += _for_pod(record, played, pod)
    return tuple(wanted)


def _for_pod(record: Tournament, played: Round, pod: Pod) -> list[Order]:
    wanted: list[Order] = []
    here = (played.number, pod.number, pod.attempt)
    if not pod.channel_id and pod.stage != "done":
        wanted.append(Place(*here))
    if pod.stage == "ready":
        wanted.append(_opening(record, played, pod))
    if not pod.live:
        return wanted
    for seat, one in enumerate(pod.players):
        who = record.entrant(one)
        if who.status == "disqualified":
            wanted.append(PutOut(pod.table_id, pod.users[seat]))
        elif pod.users[seat] != who.user_id:
            wanted.append(Reseat(*here, pod.table_id, seat, Person(who.user_id, who.name)))
    if played.overdue and record.setup.overdue == "computers":
        wanted.append(Hurry(pod.table_id))
    if played.overdue and record.setup.overdue == "absent":
        wanted.append(EndTable(pod.table_id))
    return wanted


def _opening(record: Tournament, played: Round, pod: Pod) -> OpenTable:
    game = record.setup.game(played.number)
    people = tuple(Person(who.user_id, who.name) for who in map(record.entrant, pod.players))
    return OpenTable(
        origin=origin(record, played, pod),
        round=played.number,
        pod=pod.number,
        attempt=pod.attempt,
        game=game.key,
        options=game.options,
        people=people,
        computers=pod.computers,
        clock_ms=record.setup.clock_ms,
        channel_id=pod.channel_id or record.channel_id,
    )

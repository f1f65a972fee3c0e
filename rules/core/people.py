"""People at a table: the lobby, coming and going, the host's rights, and ends without a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rules.core.computers import free_name, usual_level
from rules.core.contract import Ctx, Event, Game, Outcome, Refusal, Seat
from rules.core.ports import Owed
from rules.core.table import (
    CLOCKS_MS,
    LOBBY_IDLE_MS,
    RECENT_ENTRIES,
    THINK_MS,
    Advance,
    By,
    CameBack,
    Configure,
    End,
    Entry,
    Kick,
    Move,
    Open,
    Person,
    Record,
    SeatTaken,
    Sitting,
    Substitute,
    Substituted,
    Table,
    TableEnded,
)


def in_lobby(record: Record) -> Record:
    """Return *record* if its game has not begun; refuse else."""
    if record.table.phase != "lobby":
        raise Refusal("already_started")
    return record


def playing(record: Record) -> Record:
    """Return *record* if its game is under way; refuse else."""
    if record.table.phase != "playing":
        raise Refusal("not_started")
    return record


def hosted(record: Record, user_id: int, *, admin: bool = False) -> Record:
    """Return *record* if this person is its host, or an admin where that counts; refuse else."""
    if record.table.host_id != user_id and not admin:
        raise Refusal("not_host")
    return record


def changed(record: Record, **fields: Any) -> Record:
    """Return *record* with some fields of its table replaced."""
    return msgspec.structs.replace(record, table=msgspec.structs.replace(record.table, **fields))


def put(values: Sequence[Any], seat: Seat, value: Any) -> tuple[Any, ...]:
    """Return *values* with that of one seat replaced."""
    return (*values[:seat], value, *values[seat + 1 :])


def remember(record: Record, events: Sequence[Event], seat: Seat | None = None, by: By = "person") -> Record:
    """Return *record* with what everybody saw of an input added to its last entries."""
    public = tuple(event for event in events if event.audience is None)
    return msgspec.structs.replace(record, recent=(*record.recent, Entry(seat, by, public))[-RECENT_ENTRIES:])


def owe(table: Table, kind: str, seat: Seat | None = None) -> Owed:
    """Return a message to be sent after the input that *table* is about to take; its nonce is the same for ever."""
    return Owed(f"{table.table_id}-{table.seq + 1}-{kind}-{'' if seat is None else seat}", table.table_id, kind, seat)


def told(record: Record, *events: Event, seat: Seat | None = None, owed: tuple[Owed, ...] = ()) -> Advance:
    """Return the outcome of an input that is over with these public events."""
    return Advance(remember(record, events, seat), events, seat, owed)


# --- the lobby -----------------------------------------------------------------------------------


def reseat(record: Record, sittings: tuple[Sitting, ...], ctx: Ctx, **fields: Any) -> Advance:
    """Change who sits in the lobby; that also puts off its closing."""
    return Advance(changed(record, sittings=sittings, idle_due_ms=ctx.now_ms + LOBBY_IDLE_MS, **fields))


def open_table(game: Game, opening: Open, ctx: Ctx) -> Advance:
    """
    Make the lobby of a new table.

    Raises:
        Refusal: `too_many_computers`, `table_full`, `unknown_clock`, `unknown_option`.
    """
    seated = opening.seated or (opening.host,)
    most = game.spec.max_seats - len(seated)
    if most < 0:
        raise Refusal("table_full")
    if not 0 <= opening.computers <= most:
        raise Refusal("too_many_computers", most=most)
    table = Table(
        table_id=opening.table_id,
        game=opening.game,
        guild_id=opening.guild_id,
        channel_id=opening.channel_id,
        host_id=opening.host.user_id,
        fingerprint=opening.fingerprint,
        options=game.spec.settle_options(opening.options),
        clock_ms=_known_clock(opening.clock_ms),
        idle_ms=opening.idle_ms,
        origin=opening.origin,
        title=opening.title,
        keep_order=opening.keep_order,
    )
    done = reseat(Record(table), tuple(_person(who, table) for who in seated), ctx)
    for _ in range(opening.computers):
        done = add_computer(game, done.record, ctx)
    return done


def _known_clock(clock_ms: int) -> int:
    if clock_ms not in CLOCKS_MS:
        raise Refusal("unknown_clock")
    return clock_ms


def _person(person: Person, table: Table) -> Sitting:
    return Sitting(person.name, user_id=person.user_id, joined=table.seq + 1)


def join(game: Game, record: Record, person: Person, ctx: Ctx) -> Advance:
    """
    Seat somebody in the lobby, in place of a computer when all seats are taken.

    Raises:
        Refusal: `already_seated`, `table_full`.
    """
    sittings = record.table.sittings
    if record.table.seat_of(person.user_id) is not None:
        raise Refusal("already_seated")
    if len(sittings) < game.spec.max_seats:
        return reseat(record, (*sittings, _person(person, record.table)), ctx)
    seat = _last_computer(sittings)
    if seat is None:
        raise Refusal("table_full")
    return reseat(record, (*sittings[:seat], *sittings[seat + 1 :], _person(person, record.table)), ctx)


def _last_computer(sittings: tuple[Sitting, ...]) -> Seat | None:
    return max((seat for seat, who in enumerate(sittings) if who.user_id is None), default=None)


def _computer(game: Game, sittings: tuple[Sitting, ...], left: str = "") -> Sitting:
    return Sitting(free_name([who.name for who in sittings]), level=usual_level(game), left=left)


def add_computer(game: Game, record: Record, ctx: Ctx) -> Advance:
    """
    Seat a computer in the lobby.

    Raises:
        Refusal: `table_full`.
    """
    sittings = record.table.sittings
    if len(sittings) >= game.spec.max_seats:
        raise Refusal("table_full")
    return reseat(record, (*sittings, _computer(game, sittings)), ctx)


def remove_computer(record: Record, ctx: Ctx) -> Advance:
    """
    Take the last computer's seat away.

    Raises:
        Refusal: `no_computer`.
    """
    sittings = record.table.sittings
    seat = _last_computer(sittings)
    if seat is None:
        raise Refusal("no_computer")
    return reseat(record, sittings[:seat] + sittings[seat + 1 :], ctx)


def configure(game: Game, record: Record, wish: Configure, ctx: Ctx) -> Advance:
    """
    Change turn clock and options.

    Raises:
        Refusal: `unknown_clock`, `unknown_option`.
    """
    table = record.table
    clock_ms = table.clock_ms if wish.clock_ms is None else _known_clock(wish.clock_ms)
    options = game.spec.settle_options({**table.options, **wish.options})
    return reseat(record, table.sittings, ctx, options=options, clock_ms=clock_ms)


def move(record: Record, wish: Move) -> Advance:
    """
    Take the table to another channel.

    Raises:
        Refusal: `here_already`.
    """
    if wish.channel_id == record.table.channel_id:
        raise Refusal("here_already")
    return Advance(changed(record, channel_id=wish.channel_id))


# --- getting up ----------------------------------------------------------------------------------


def leave(game: Game, record: Record, user_id: int, ctx: Ctx) -> Advance:
    """
    Get somebody up who wants to go.

    Raises:
        Refusal: `not_seated`.
    """
    return _vacate(game, record, user_id, ctx, kicked=False)


def kick(game: Game, record: Record, wish: Kick, ctx: Ctx) -> Advance:
    """
    Get somebody up who shall go.

    Raises:
        Refusal: `not_host`, `kick_yourself`, `no_such_person`.
    """
    hosted(record, wish.user_id, admin=wish.admin)
    if wish.target_id == wish.user_id:
        raise Refusal("kick_yourself")
    if record.table.seat_of(wish.target_id) is None:
        raise Refusal("no_such_person")
    return _vacate(game, record, wish.target_id, ctx, kicked=True)


def _vacate(game: Game, record: Record, user_id: int, ctx: Ctx, *, kicked: bool) -> Advance:
    """Free a seat in the lobby, give it to a computer in a game; the last one out closes the table."""
    table = record.table
    seat = table.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    sittings = table.sittings[:seat] + table.sittings[seat + 1 :]
    if all(who.user_id is None for who in sittings):
        return close(record, "cancelled" if table.phase == "lobby" else "abandoned")
    host_id = _host_after(table, sittings)
    if table.phase == "lobby":
        return reseat(record, sittings, ctx, host_id=host_id)
    computer = _computer(game, table.sittings, left=table.sittings[seat].name)
    due = ctx.now_ms + THINK_MS[0] if seat in table.to_act else None
    after = changed(
        record,
        host_id=host_id,
        sittings=put(table.sittings, seat, computer),
        due_ms=put(table.due_ms, seat, due),
        warn_ms=put(table.warn_ms, seat, None),
        strikes=put(table.strikes, seat, 0),
        votes=tuple(vote for vote in table.votes if vote != user_id),
    )
    taken = SeatTaken(seat=seat, leaver=computer.left, computer=computer.name, kicked=kicked)
    return _counted(told(after, taken))


def _host_after(table: Table, sittings: Sequence[Sitting]) -> int:
    """
    Return who is host once only *sittings* are left: the one there is, or whoever came first.

    A host who never sat there, such as the organiser of a tournament, stays it: no player may end its game.
    """
    if table.seat_of(table.host_id) is None:
        return table.host_id
    people = sorted((who.joined, who.user_id) for who in sittings if who.user_id is not None)
    return table.host_id if table.host_id in (user_id for _, user_id in people) else people[0][1]


def substitute(record: Record, wish: Substitute, ctx: Ctx) -> Advance:
    """
    Give a seat with its hand and score to a new person.

    Raises:
        Refusal: `not_host`, `already_seated`, `unknown_seat`.
    """
    table = hosted(record, wish.user_id, admin=wish.admin).table
    if table.seat_of(wish.person.user_id) is not None:
        raise Refusal("already_seated")
    if not 0 <= wish.seat < len(table.sittings):
        raise Refusal("unknown_seat")
    before = table.sittings[wish.seat]
    sittings = put(table.sittings, wish.seat, _person(wish.person, table))
    to_act = wish.seat in table.to_act
    due = ctx.now_ms + table.clock_ms if to_act and table.clock_ms and not table.deadlines else None
    after = changed(
        record,
        sittings=sittings,
        host_id=_host_after(table, sittings),
        due_ms=put(table.due_ms, wish.seat, due),
        warn_ms=put(table.warn_ms, wish.seat, None if due is None else due - table.clock_ms // 2),
        acted_ms=put(table.acted_ms, wish.seat, 0),
        strikes=put(table.strikes, wish.seat, 0),
        versions=put(table.versions, wish.seat, table.versions[wish.seat] + 1),
        votes=tuple(vote for vote in table.votes if vote != before.user_id),
    )
    done = told(
        after,
        Substituted(seat=wish.seat, before=before.name, after=wish.person.name),
        owed=(owe(table, "turn" if to_act else "seated", wish.seat),),
    )
    return _counted(done)


def back(record: Record, user_id: int, ctx: Ctx) -> Advance:
    """
    Give a seat back to the person it belongs to.

    Raises:
        Refusal: `not_seated`, `not_away`.
    """
    table = record.table
    seat = table.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    if not table.away(seat):
        raise Refusal("not_away")
    waits = seat in table.to_act and table.clock_ms and not table.deadlines
    due = ctx.now_ms + table.clock_ms if waits else None
    after = changed(
        record,
        strikes=put(table.strikes, seat, 0),
        acted_ms=put(table.acted_ms, seat, ctx.now_ms),
        due_ms=put(table.due_ms, seat, due),
        warn_ms=put(table.warn_ms, seat, None if due is None else due - table.clock_ms // 2),
        idle_due_ms=ctx.now_ms + table.idle_ms if table.idle_ms else None,
    )
    return told(after, CameBack(seat=seat), seat=seat)


# --- ending --------------------------------------------------------------------------------------


def end(record: Record, wish: End) -> Advance:
    """
    End the table, or count a vote for it.

    Raises:
        Refusal: `not_seated`, `not_host` in a lobby, `already_voted`.
    """
    table = record.table
    if wish.admin or wish.user_id == table.host_id:
        if table.phase == "lobby":
            return close(record, "cancelled")
        return close(record, "host" if wish.user_id == table.host_id else "admin")
    if table.seat_of(wish.user_id) is None:
        raise Refusal("not_seated")
    if table.phase == "lobby":
        raise Refusal("not_host")
    if wish.user_id in table.votes:
        raise Refusal("already_voted", votes=len(table.votes), needed=len(table.people) // 2 + 1)
    return _counted(Advance(changed(record, votes=(*table.votes, wish.user_id))))


def _counted(done: Advance) -> Advance:
    """Close the table once more than half of its people want that."""
    table = done.record.table
    if 2 * len(table.votes) > len(table.people):
        closed = close(done.record, "majority")
        return msgspec.structs.replace(closed, events=done.events + closed.events)
    return done


def close(record: Record, reason: str) -> Advance:
    """End without a ranking."""
    table = record.table
    awaited = tuple(who for seat in table.to_act if (who := table.sittings[seat].user_id) is not None)
    quiet = {"phase": "over", "ended": reason, "to_act": (), "due_ms": (), "warn_ms": (), "deadlines": {}}
    owed = (owe(table, "closed"),) if reason in ("idle", "forgotten") else ()
    after = msgspec.structs.replace(changed(record, **quiet, idle_due_ms=None, awaited=awaited), facts=())
    return told(after, TableEnded(reason=reason), owed=owed)


def idle(record: Record, ctx: Ctx) -> Advance:
    """
    Close a table that nobody has touched for its time.

    Raises:
        Refusal: `no_deadline`, its time is not over.
    """
    table = record.table
    if table.idle_due_ms is None or ctx.now_ms < table.idle_due_ms:
        raise Refusal("no_deadline")
    return close(record, "idle" if table.phase == "lobby" else "forgotten")


def ranked(table: Table, outcome: Outcome) -> Table:
    """Take over the game's places, whoever left behind everyone who stayed (LD-86)."""
    stayed = [place for place, who in zip(outcome.places, table.sittings, strict=True) if not who.left]
    places = tuple(
        len(stayed) + 1 if who.left else 1 + sum(other < place for other in stayed)
        for place, who in zip(outcome.places, table.sittings, strict=True)
    )
    return msgspec.structs.replace(
        table,
        phase="over",
        ended="finished",
        idle_due_ms=None,
        places=places,
        scores=outcome.scores,
        reason=outcome.reason,
    )

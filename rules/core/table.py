"""
The life of one table, from lobby to end, as a pure reducer.

`advance` maps a record and an input to the next record: who sits where, whose clock runs, which
panels are out of date and which messages are owed. The game's own rules are called from here and
nowhere else. Folding the logged inputs gives the same record again, whatever crashed in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, assert_never

import msgspec

from rules.core.computers import free_name, usual_level
from rules.core.contract import Ctx, Event, Game, Outcome, Refusal, Seat, Step
from rules.core.ports import Owed

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

CLOCKS_MS = (
    0,
    MINUTE_MS,
    2 * MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    HOUR_MS,
    6 * HOUR_MS,
    12 * HOUR_MS,
    DAY_MS,
    3 * DAY_MS,
    7 * DAY_MS,
)
"""Turn clocks a host may choose; 0 is no clock."""
DEFAULT_CLOCK_MS = 12 * HOUR_MS
LOBBY_IDLE_MS = HOUR_MS
THINK_MS = (1_200, 2_000)
"""How long a computer seems to think: from, below."""
PRESENT_MS = 30_000
"""Somebody who moved this recently is looking at the table and needs no ping."""
DOUBLE_PRESS_MS = 3_000
RECENT_ENTRIES = 8

IDLE = "idle"
"""Name of the lobby's own deadline."""

By = Literal["person", "computer", "clock"]


class Person(msgspec.Struct, frozen=True):
    """Somebody on Discord: the id they act with and the name they joined under."""

    user_id: int
    name: str


class Sitting(msgspec.Struct, frozen=True):
    """
    Who sits in a seat.

    Attributes:
        name: shown to everyone.
        user_id: Discord id, `None` for a computer.
        level: the computer's level, empty for a person.
        left: name of the person whose seat this computer took over, else empty.
    """

    name: str
    user_id: int | None = None
    level: str = ""
    left: str = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """
    What everybody may know of a table beside the game itself.

    Attributes:
        seq: inputs applied so far.
        clock_ms: turn clock, 0 for none.
        to_act: seats the table waits for.
        due_ms: per seat, when a computer moves for it, UTC ms; `None` while nothing runs.
        acted_ms: per seat, when its person last acted, 0 before the first time.
        versions: per seat, raised whenever its own cards, turn or choices change.
        deadlines: the game's (in a lobby the table's) deadlines by name, UTC ms.
        votes: people who want to end the game early.
        ended: why the table is over: finished, abandoned, host, admin, majority, cancelled or idle.
        places: per seat from 1, empty for a game without a ranking.
        reason: the game's end reason when it was played out.
        fingerprint: promise of the seed, see `rng.fingerprint`.
        seed: the secret in hex, empty until the game is over.
    """

    table_id: int
    game: str
    guild_id: int
    channel_id: int
    host_id: int
    fingerprint: str
    phase: Literal["lobby", "playing", "over"] = "lobby"
    seq: int = 0
    sittings: tuple[Sitting, ...] = ()
    options: dict[str, str] = msgspec.field(default_factory=dict)
    clock_ms: int = DEFAULT_CLOCK_MS
    to_act: tuple[Seat, ...] = ()
    due_ms: tuple[int | None, ...] = ()
    acted_ms: tuple[int, ...] = ()
    versions: tuple[int, ...] = ()
    deadlines: dict[str, int] = msgspec.field(default_factory=dict)
    votes: tuple[int, ...] = ()
    ended: str = ""
    places: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    reason: str = ""
    seed: str = ""

    def seat_of(self, user_id: int) -> Seat | None:
        """Return the seat of a person, `None` when they sit elsewhere."""
        return next((seat for seat, who in enumerate(self.sittings) if who.user_id == user_id), None)

    @property
    def people(self) -> tuple[int, ...]:
        """Ids of the people at the table, in turn order."""
        return tuple(who.user_id for who in self.sittings if who.user_id is not None)

    @property
    def next_due_ms(self) -> int | None:
        """The table's next deadline, UTC ms."""
        return min((*self.deadlines.values(), *(due for due in self.due_ms if due is not None)), default=None)

    @property
    def turn_ends_ms(self) -> int | None:
        """When the turn clock next moves for a person, UTC ms."""
        clocked = (due for due, who in zip(self.due_ms, self.sittings, strict=False) if who.user_id is not None)
        return min((due for due in clocked if due is not None), default=None)


class SeatTaken(Event, frozen=True):
    """A computer took over a person's seat."""

    seat: Seat
    leaver: str
    computer: str


class TableEnded(Event, frozen=True):
    """The table ended without a result; *reason* as in `Table.ended`."""

    reason: str


KernelEvent = SeatTaken | TableEnded


class Entry(msgspec.Struct, frozen=True):
    """What one input made public: who moved, by whose hand, and what everyone saw of it."""

    seat: Seat | None
    by: By
    events: tuple[Any, ...]


class Record(msgspec.Struct, frozen=True):
    """
    A table with everything hidden in it. Never leaves the kernel.

    Attributes:
        state: the game's state, `None` in the lobby.
        recent: the last public entries, the oldest first.
        facts: per seat what its panel shows while the game runs; derived, kept to see what an input changed.
    """

    table: Table
    state: Any = None
    recent: tuple[Entry, ...] = ()
    facts: tuple[Any, ...] = ()


class Input(msgspec.Struct, frozen=True, tag=True):
    """Base of everything that can happen to a table; this is what the log holds."""


class Open(Input, frozen=True, kw_only=True):
    """Open a lobby; always the first input."""

    table_id: int
    game: str
    guild_id: int
    channel_id: int
    host: Person
    options: dict[str, str]
    clock_ms: int
    fingerprint: str
    computers: int = 0


class Join(Input, frozen=True):
    """Take a free seat in the lobby, or that of a computer when all are taken."""

    person: Person


class Leave(Input, frozen=True):
    """Get up; once the game runs a computer takes the seat."""

    user_id: int


class AddComputer(Input, frozen=True):
    """Fill one seat with a computer (host)."""

    user_id: int


class RemoveComputer(Input, frozen=True):
    """Free the last computer's seat (host)."""

    user_id: int


class Configure(Input, frozen=True):
    """Change the lobby's options (host); what is `None` or absent stays."""

    user_id: int
    options: dict[str, str] = msgspec.field(default_factory=dict)
    clock_ms: int | None = None


class Start(Input, frozen=True):
    """Deal and begin (host)."""

    user_id: int


class Act(Input, frozen=True):
    """
    A person's move.

    Attributes:
        action: the game's action.
        seen: version of the panel it was pressed on; `None` when no panel was shown.
    """

    user_id: int
    action: Any
    seen: int | None = None


class Play(Input, frozen=True):
    """A move made by a computer, for itself or (`by` "clock") for a person whose time is up."""

    seat: Seat
    action: Any
    by: Literal["computer", "clock"]


class Expire(Input, frozen=True):
    """One of `Table.deadlines` has passed."""

    name: str


class End(Input, frozen=True):
    """
    Wish the table ended: done at once for the host and for an admin, else a vote of the players.

    Attributes:
        admin: whether this person may manage the server.
    """

    user_id: int
    admin: bool = False


Happening = Open | Join | Leave | AddComputer | RemoveComputer | Configure | Start | Act | Play | Expire | End


class Advance(msgspec.Struct, frozen=True):
    """Outcome of one input: the next record, all events, the seat that acted, messages owed."""

    record: Record
    events: tuple[Event, ...] = ()
    seat: Seat | None = None
    owed: tuple[Owed, ...] = ()


def advance(game: Game, record: Record | None, happening: Happening, ctx: Ctx) -> Advance:
    """
    Apply one input to a table.

    Args:
        game: the rules of this table's game.
        record: the table before, `None` for `Open` alone.
        happening: the input.
        ctx: its time and random stream.

    Raises:
        Refusal: with a kernel code, or one of the game's; nothing has changed.
    """
    if isinstance(happening, Open):
        return _bump(_open(game, happening, ctx))
    if record is None or record.table.phase == "over":
        raise Refusal("table_over" if record else "no_table")
    match happening:
        case Join():
            return _bump(_join(game, _in_lobby(record), happening.person, ctx))
        case Leave():
            return _bump(_leave(game, record, happening.user_id, ctx))
        case AddComputer():
            return _bump(_add_computer(game, _hosted(_in_lobby(record), happening.user_id), ctx))
        case RemoveComputer():
            return _bump(_remove_computer(_hosted(_in_lobby(record), happening.user_id), ctx))
        case Configure():
            return _bump(_configure(game, _hosted(_in_lobby(record), happening.user_id), happening, ctx))
        case Start():
            return _bump(_start(game, _hosted(_in_lobby(record), happening.user_id), happening.user_id, ctx))
        case Act():
            return _bump(_act(game, record, happening, ctx))
        case Play():
            step = game.apply(_playing(record).state, happening.seat, happening.action, ctx)
            return _bump(_after(game, record, step, happening.seat, happening.by, ctx))
        case Expire():
            return _bump(_expire(game, record, happening.name, ctx))
        case End():
            return _bump(_end(record, happening))
        case _:
            assert_never(happening)


def own_facts(game: Game, state: Any, table: Table) -> tuple[Any, ...]:
    """Return per seat what its private panel is made of: own cards, choices, whether it is to act."""
    return tuple(
        (game.own(state, seat), tuple(game.legal(state, seat)), seat in table.to_act)
        for seat in range(len(table.sittings))
    )


def _bump(done: Advance) -> Advance:
    table = done.record.table
    record = msgspec.structs.replace(done.record, table=msgspec.structs.replace(table, seq=table.seq + 1))
    return msgspec.structs.replace(done, record=record)


def _in_lobby(record: Record) -> Record:
    if record.table.phase != "lobby":
        raise Refusal("already_started")
    return record


def _playing(record: Record) -> Record:
    if record.table.phase != "playing":
        raise Refusal("not_started")
    return record


def _hosted(record: Record, user_id: int) -> Record:
    if record.table.host_id != user_id:
        raise Refusal("not_host")
    return record


def _changed(record: Record, **fields: Any) -> Record:
    return msgspec.structs.replace(record, table=msgspec.structs.replace(record.table, **fields))


# --- the lobby -----------------------------------------------------------------------------------


def _reseat(record: Record, sittings: tuple[Sitting, ...], ctx: Ctx, **fields: Any) -> Advance:
    """Change who sits in the lobby; that also puts off its closing."""
    return Advance(_changed(record, sittings=sittings, deadlines={IDLE: ctx.now_ms + LOBBY_IDLE_MS}, **fields))


def _open(game: Game, opening: Open, ctx: Ctx) -> Advance:
    if not 0 <= opening.computers < game.spec.max_seats:
        raise Refusal("too_many_computers", most=game.spec.max_seats - 1)
    table = Table(
        table_id=opening.table_id,
        game=opening.game,
        guild_id=opening.guild_id,
        channel_id=opening.channel_id,
        host_id=opening.host.user_id,
        fingerprint=opening.fingerprint,
        options=game.spec.settle_options(opening.options),
        clock_ms=_known_clock(opening.clock_ms),
    )
    done = _reseat(Record(table), (_person(opening.host),), ctx)
    for _ in range(opening.computers):
        done = _add_computer(game, done.record, ctx)
    return done


def _known_clock(clock_ms: int) -> int:
    if clock_ms not in CLOCKS_MS:
        raise Refusal("unknown_clock")
    return clock_ms


def _person(person: Person) -> Sitting:
    return Sitting(person.name, user_id=person.user_id)


def _join(game: Game, record: Record, person: Person, ctx: Ctx) -> Advance:
    sittings = record.table.sittings
    if record.table.seat_of(person.user_id) is not None:
        raise Refusal("already_seated")
    if len(sittings) < game.spec.max_seats:
        return _reseat(record, (*sittings, _person(person)), ctx)
    seat = _last_computer(sittings)
    if seat is None:
        raise Refusal("table_full")
    # At the end of the list, so that people stand there as they came: the next host is the first of them.
    return _reseat(record, (*sittings[:seat], *sittings[seat + 1 :], _person(person)), ctx)


def _last_computer(sittings: tuple[Sitting, ...]) -> Seat | None:
    return max((seat for seat, who in enumerate(sittings) if who.user_id is None), default=None)


def _computer(game: Game, sittings: tuple[Sitting, ...], left: str = "") -> Sitting:
    name = free_name([who.name for who in sittings])
    return Sitting(name, level=usual_level(game), left=left)


def _add_computer(game: Game, record: Record, ctx: Ctx) -> Advance:
    sittings = record.table.sittings
    if len(sittings) >= game.spec.max_seats:
        raise Refusal("table_full")
    return _reseat(record, (*sittings, _computer(game, sittings)), ctx)


def _remove_computer(record: Record, ctx: Ctx) -> Advance:
    sittings = record.table.sittings
    seat = _last_computer(sittings)
    if seat is None:
        raise Refusal("no_computer")
    return _reseat(record, sittings[:seat] + sittings[seat + 1 :], ctx)


def _configure(game: Game, record: Record, wish: Configure, ctx: Ctx) -> Advance:
    table = record.table
    clock_ms = table.clock_ms if wish.clock_ms is None else _known_clock(wish.clock_ms)
    options = game.spec.settle_options({**table.options, **wish.options})
    return _reseat(record, table.sittings, ctx, options=options, clock_ms=clock_ms)


def _start(game: Game, record: Record, starter: int, ctx: Ctx) -> Advance:
    """Choose who begins at random, keep the lobby's order from there (LD-4, LD-5), and deal."""
    seats = len(record.table.sittings)
    if seats < game.spec.min_seats:
        raise Refusal("too_few", missing=game.spec.min_seats - seats)
    first = ctx.rng.below(seats)
    sittings = record.table.sittings[first:] + record.table.sittings[:first]
    present = tuple(ctx.now_ms if who.user_id == starter else 0 for who in sittings)
    dealt = _changed(
        record,
        phase="playing",
        sittings=sittings,
        acted_ms=present,
        due_ms=(None,) * seats,
        versions=(0,) * seats,
    )
    return _after(game, dealt, game.setup(seats, record.table.options, ctx), None, "person", ctx)


# --- the game ------------------------------------------------------------------------------------


def _act(game: Game, record: Record, act: Act, ctx: Ctx) -> Advance:
    table = _playing(record).table
    seat = table.seat_of(act.user_id)
    if seat is None:
        raise Refusal("not_seated")
    if act.seen is not None and act.seen != table.versions[seat]:
        just_now = ctx.now_ms - table.acted_ms[seat] < DOUBLE_PRESS_MS
        raise Refusal("already_done" if just_now else "stale")
    return _after(game, record, game.apply(record.state, seat, act.action, ctx), seat, "person", ctx)


def _expire(game: Game, record: Record, name: str, ctx: Ctx) -> Advance:
    if name not in record.table.deadlines:
        raise Refusal("no_deadline")
    if record.table.phase == "lobby":
        return _close(record, "idle")
    return _after(game, record, game.expire(record.state, name, ctx), None, "clock", ctx)


def _after(game: Game, record: Record, step: Step[Any], seat: Seat | None, by: By, ctx: Ctx) -> Advance:
    """Take over the game's step: whose turn, clocks, panels out of date, pings, the end."""
    before = record.table
    outcome = game.outcome(step.state)
    to_act = () if outcome else tuple(sorted(game.to_act(step.state)))
    deadlines = {} if outcome else dict(game.deadlines(step.state))
    acted_ms = before.acted_ms
    if seat is not None and by == "person":
        acted_ms = (*acted_ms[:seat], ctx.now_ms, *acted_ms[seat + 1 :])
    table = msgspec.structs.replace(
        before,
        to_act=to_act,
        deadlines=deadlines,
        acted_ms=acted_ms,
        due_ms=tuple(_due(before, to_act, deadlines, seat, who, ctx) for who in range(len(before.sittings))),
    )
    facts = own_facts(game, step.state, table)
    raised = tuple(
        version + (old != new)
        for version, old, new in zip(before.versions, record.facts or (None,) * len(facts), facts, strict=True)
    )
    table = msgspec.structs.replace(table, versions=raised)
    owed = _pings(before, table, ctx)
    if outcome:
        table = _ranked(table, outcome)
        owed = ()
    recent = _remember(record.recent, Entry(seat, by, step.events))
    after = Record(table, step.state, recent, () if outcome else facts)
    return Advance(after, step.events, seat, owed)


def _due(
    before: Table, to_act: tuple[Seat, ...], deadlines: Mapping[str, int], actor: Seat | None, seat: Seat, ctx: Ctx
) -> int | None:
    """When a computer moves for *seat*: a fresh span for whoever just moved or came to act, else as it was."""
    computer = before.sittings[seat].user_id is None
    if seat not in to_act or (deadlines and not computer):
        return None
    if seat != actor and seat in before.to_act and before.due_ms[seat] is not None:
        return before.due_ms[seat]
    if computer:
        return ctx.now_ms + THINK_MS[0] + ctx.rng.below(THINK_MS[1] - THINK_MS[0])
    return ctx.now_ms + before.clock_ms if before.clock_ms else None


def _pings(before: Table, after: Table, ctx: Ctx) -> tuple[Owed, ...]:
    """Owe a word to each person whose turn begins, unless they moved a moment ago."""
    if after.deadlines:
        return ()
    return tuple(
        Owed(f"{after.table_id}-{before.seq + 1}-{seat}", after.table_id, "turn", seat)
        for seat in after.to_act
        if seat not in before.to_act
        and after.sittings[seat].user_id is not None
        and ctx.now_ms - after.acted_ms[seat] >= PRESENT_MS
    )


def _remember(recent: tuple[Entry, ...], entry: Entry) -> tuple[Entry, ...]:
    public = tuple(event for event in entry.events if event.audience is None)
    return (*recent, msgspec.structs.replace(entry, events=public))[-RECENT_ENTRIES:]


# --- getting up and ending -----------------------------------------------------------------------


def _leave(game: Game, record: Record, user_id: int, ctx: Ctx) -> Advance:
    table = record.table
    seat = table.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    others = [who.user_id for who in table.sittings if who.user_id not in (None, user_id)]
    if not others:
        return _close(record, "cancelled" if table.phase == "lobby" else "abandoned")
    host_id = table.host_id if table.host_id in others else others[0]
    if table.phase == "lobby":
        return _reseat(record, table.sittings[:seat] + table.sittings[seat + 1 :], ctx, host_id=host_id)
    computer = _computer(game, table.sittings, left=table.sittings[seat].name)
    due = ctx.now_ms + THINK_MS[0] if seat in table.to_act else None
    taken = SeatTaken(seat=seat, leaver=computer.left, computer=computer.name)
    after = _changed(
        record,
        host_id=host_id,
        sittings=(*table.sittings[:seat], computer, *table.sittings[seat + 1 :]),
        due_ms=(*table.due_ms[:seat], due, *table.due_ms[seat + 1 :]),
        votes=tuple(vote for vote in table.votes if vote != user_id),
    )
    after = msgspec.structs.replace(after, recent=_remember(record.recent, Entry(None, "person", (taken,))))
    return _counted(Advance(after, (taken,)))


def _end(record: Record, wish: End) -> Advance:
    table = record.table
    if wish.admin or wish.user_id == table.host_id:
        if table.phase == "lobby":
            return _close(record, "cancelled")
        return _close(record, "host" if wish.user_id == table.host_id else "admin")
    if table.seat_of(wish.user_id) is None:
        raise Refusal("not_seated")
    if table.phase == "lobby":
        raise Refusal("not_host")
    if wish.user_id in table.votes:
        raise Refusal("already_voted", votes=len(table.votes), needed=len(table.people) // 2 + 1)
    return _counted(Advance(_changed(record, votes=(*table.votes, wish.user_id))))


def _counted(done: Advance) -> Advance:
    """Close the table once more than half of its people want that."""
    table = done.record.table
    if 2 * len(table.votes) > len(table.people):
        closed = _close(done.record, "majority")
        return msgspec.structs.replace(closed, events=done.events + closed.events)
    return done


def _close(record: Record, reason: str) -> Advance:
    """End without a ranking."""
    over = TableEnded(reason=reason)
    after = _changed(record, phase="over", ended=reason, to_act=(), due_ms=(), deadlines={})
    recent = _remember(record.recent, Entry(None, "person", (over,)))
    return Advance(msgspec.structs.replace(after, recent=recent, facts=()), (over,))


def _ranked(table: Table, outcome: Outcome) -> Table:
    """Take over the game's places, whoever left behind everyone who stayed (LD-86)."""
    stayed = [place for place, who in zip(outcome.places, table.sittings, strict=True) if not who.left]
    places = tuple(
        len(stayed) + 1 if who.left else 1 + sum(other < place for other in stayed)
        for place, who in zip(outcome.places, table.sittings, strict=True)
    )
    return msgspec.structs.replace(
        table, phase="over", ended="finished", places=places, scores=outcome.scores, reason=outcome.reason
    )

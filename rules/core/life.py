"""
The life of one table, from lobby to end, as a pure reducer.

`advance` maps a record and an input to the next record: who sits where, whose clock runs, which
panels are out of date and which messages are owed. The game's own rules are called from here and
nowhere else. Folding the logged inputs gives the same record again, whatever crashed in between.
"""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from rules.core import people
from rules.core.contract import Ctx, Event, Game, RealTime, Refusal, Seat, Step
from rules.core.people import changed, hosted, in_lobby, owe, playing, put, remember
from rules.core.ports import Owed
from rules.core.table import (
    AWAY_AFTER,
    DOUBLE_PRESS_MS,
    LONG_CLOCK_MS,
    PRESENT_MS,
    THINK_MS,
    Act,
    AddComputer,
    Advance,
    Back,
    By,
    CameBack,
    Configure,
    End,
    Expire,
    Happening,
    Hold,
    Idle,
    Join,
    Kick,
    Leave,
    Move,
    Open,
    Play,
    Record,
    RemoveComputer,
    Resume,
    Start,
    Substitute,
    Table,
    Warn,
    WentAway,
    own_facts,
)


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
        done = people.open_table(game, happening, ctx)
    elif record is None:
        raise Refusal("no_table")
    elif record.table.phase == "over":
        raise Refusal("table_over")
    else:
        done = _apply(game, record, happening, ctx)
    after = changed(done.record, seq=done.record.table.seq + 1)
    return msgspec.structs.replace(done, record=after)


def _apply(game: Game, record: Record, happening: Happening, ctx: Ctx) -> Advance:
    match happening:
        case Join():
            return people.join(game, in_lobby(record), happening.person, ctx)
        case Leave():
            return people.leave(game, record, happening.user_id, ctx)
        case Kick():
            return people.kick(game, record, happening, ctx)
        case Substitute():
            return people.substitute(playing(record), happening, ctx)
        case AddComputer():
            return people.add_computer(game, hosted(in_lobby(record), happening.user_id), ctx)
        case RemoveComputer():
            return people.remove_computer(hosted(in_lobby(record), happening.user_id), ctx)
        case Configure():
            return people.configure(game, hosted(in_lobby(record), happening.user_id), happening, ctx)
        case Move():
            return people.move(hosted(record, happening.user_id, admin=happening.admin), happening)
        case Start():
            return _start(game, hosted(in_lobby(record), happening.user_id), happening.user_id, ctx)
        case Act():
            return _act(game, playing(record), happening, ctx)
        case Back():
            return people.back(playing(record), happening.user_id, ctx)
        case Play():
            step = game.apply(playing(record).state, happening.seat, happening.action, ctx)
            return _after(game, record, step, happening.seat, happening.by, ctx)
        case Hold():
            return _hold(playing(record), happening, ctx)
        case Warn():
            return _warn(playing(record), happening.seat)
        case Expire():
            return _expire(game, playing(record), happening.name, ctx)
        case Resume():
            return _resume(game, record, happening, ctx)
        case Idle():
            return people.idle(record, ctx)
        case End():
            return people.end(record, happening)
        case Open():
            raise Refusal("already_started")
        case _:
            assert_never(happening)


def _start(game: Game, record: Record, starter: int, ctx: Ctx) -> Advance:
    """Choose who begins at random unless that is settled, keep the order from there (LD-4, LD-5), and deal."""
    seats = len(record.table.sittings)
    if seats < game.spec.min_seats:
        raise Refusal("too_few", missing=game.spec.min_seats - seats)
    first = 0 if record.table.keep_order else ctx.rng.below(seats)
    sittings = record.table.sittings[first:] + record.table.sittings[:first]
    dealt = changed(
        record,
        phase="playing",
        sittings=sittings,
        acted_ms=tuple(ctx.now_ms if who.user_id == starter else 0 for who in sittings),
        strikes=(0,) * seats,
        due_ms=(None,) * seats,
        warn_ms=(None,) * seats,
        versions=(0,) * seats,
    )
    return _after(game, dealt, game.setup(seats, record.table.options, ctx), None, "person", ctx)


def _act(game: Game, record: Record, act: Act, ctx: Ctx) -> Advance:
    table = record.table
    seat = table.seat_of(act.user_id)
    if seat is None:
        raise Refusal("not_seated")
    if act.seen is not None and act.seen != table.versions[seat]:
        just_now = ctx.now_ms - table.acted_ms[seat] < DOUBLE_PRESS_MS
        raise Refusal("already_done" if just_now else "stale")
    if isinstance(act.action, game.spec.host_actions):
        hosted(record, act.user_id)
    return _after(game, record, game.apply(record.state, seat, act.action, ctx), seat, "person", ctx)


def _hold(record: Record, hold: Hold, ctx: Ctx) -> Advance:
    due_ms = None if hold.wait_ms is None else ctx.now_ms + hold.wait_ms
    return Advance(changed(record, due_ms=put(record.table.due_ms, hold.seat, due_ms)), seat=hold.seat)


def _resume(game: Game, record: Record, back: Resume, ctx: Ctx) -> Advance:
    """Put off what would have run out while the table rested; a game of real time sees to its own deadlines."""
    if back.rested:
        record = _put_off(record, max(0, ctx.now_ms - back.since_ms))
    if record.table.deadlines and isinstance(game, RealTime):
        return _after(game, record, game.resume(record.state, back.since_ms, ctx), None, "clock", ctx)
    return Advance(record)


def _put_off(record: Record, rest_ms: int) -> Record:
    def later(moment: int | None) -> int | None:
        return None if moment is None else moment + rest_ms

    table = record.table
    return changed(
        record,
        due_ms=tuple(map(later, table.due_ms)),
        warn_ms=tuple(map(later, table.warn_ms)),
        idle_due_ms=later(table.idle_due_ms),
    )


def _expire(game: Game, record: Record, name: str, ctx: Ctx) -> Advance:
    if name not in record.table.deadlines:
        raise Refusal("no_deadline")
    return _after(game, record, game.expire(record.state, name, ctx), None, "clock", ctx)


def _warn(record: Record, seat: Seat) -> Advance:
    """Tell somebody that half of their time is gone: by a ping on long clocks, on the board in any case."""
    table = record.table
    if table.warn_ms[seat] is None:
        raise Refusal("no_deadline")
    owed = (owe(table, "warning", seat),) if table.clock_ms >= LONG_CLOCK_MS else ()
    return Advance(changed(record, warn_ms=put(table.warn_ms, seat, None)), seat=seat, owed=owed)


def _after(game: Game, record: Record, step: Step[Any], seat: Seat | None, by: By, ctx: Ctx) -> Advance:
    """Take over the game's step: whose turn, clocks, panels out of date, messages owed, the end."""
    outcome = game.outcome(step.state)
    before = record.table
    table, presence = _struck(before, seat, by, ctx)
    to_act = () if outcome else tuple(sorted(game.to_act(step.state)))
    table = msgspec.structs.replace(table, to_act=to_act, deadlines={} if outcome else dict(game.deadlines(step.state)))
    goes_on = by != "person" and seat in to_act and (by == "clock" or seat == before.carried)
    table = msgspec.structs.replace(table, carried=seat if goes_on else None)
    facts = own_facts(game, step.state, table)
    table = _clocked(record, table, facts, seat, ctx)
    raised = tuple(
        version + (old != new)
        for version, old, new in zip(before.versions, record.facts or (None,) * len(facts), facts, strict=True)
    )
    table = msgspec.structs.replace(table, versions=raised)
    owed = _owed(before, table, ctx, seat)
    if outcome:
        table, owed, presence = people.ranked(table, outcome), (), ()
    events = (*step.events, *presence)
    after = remember(Record(table, step.state, record.recent, () if outcome else facts), events, seat, by)
    return Advance(after, events, seat, owed)


def _struck(table: Table, seat: Seat | None, by: By, ctx: Ctx) -> tuple[Table, tuple[Event, ...]]:
    """Count turns that the clock ended; a person's own move, or any life at the table, starts anew."""
    presence: tuple[Event, ...] = ()
    if by == "person":
        table = msgspec.structs.replace(table, idle_due_ms=ctx.now_ms + table.idle_ms if table.idle_ms else None)
        if seat is not None:
            presence = (CameBack(seat=seat),) if table.away(seat) else ()
            acted_ms, strikes = put(table.acted_ms, seat, ctx.now_ms), put(table.strikes, seat, 0)
            table = msgspec.structs.replace(table, acted_ms=acted_ms, strikes=strikes)
    elif by == "clock" and seat is not None:
        missed = table.strikes[seat] + 1
        presence = (WentAway(seat=seat),) if missed == AWAY_AFTER else ()
        table = msgspec.structs.replace(table, strikes=put(table.strikes, seat, missed))
    return table, presence


def _clocked(record: Record, table: Table, facts: tuple[Any, ...], actor: Seat | None, ctx: Ctx) -> Table:
    """Set when a computer moves for each seat: a fresh span for whoever just moved or came to act, else as it was."""
    before = record.table
    due_ms: list[int | None] = []
    warn_ms: list[int | None] = []
    for seat in range(len(table.sittings)):
        due = warn = None
        if seat not in table.to_act:
            due = _look(record, table, facts[seat], seat, actor, ctx)
        elif table.deadlines and not table.moved_for(seat):
            pass  # the game's own deadline runs
        elif seat != actor and seat in before.to_act and before.due_ms[seat] is not None:
            due, warn = before.due_ms[seat], before.warn_ms[seat]
        elif table.moved_for(seat):
            due = _thought(ctx)
        elif table.clock_ms:
            due, warn = ctx.now_ms + table.clock_ms, ctx.now_ms + table.clock_ms // 2
        due_ms.append(due)
        warn_ms.append(warn)
    return msgspec.structs.replace(table, due_ms=tuple(due_ms), warn_ms=tuple(warn_ms))


def _thought(ctx: Ctx) -> int:
    """Return when a computer has thought, UTC ms; it takes as long for whatever it then does."""
    return ctx.now_ms + THINK_MS[0] + ctx.rng.below(THINK_MS[1] - THINK_MS[0])


def _look(record: Record, table: Table, facts: Any, seat: Seat, actor: Seat | None, ctx: Ctx) -> int | None:
    """
    Have a computer that nobody waits for, but who may do something, look once at each new choice it has.

    One that acted and may do the same again has had its look; else it would go on for ever.
    """
    choices = facts[1]
    if not choices or not table.plain_computer(seat):
        return None
    if record.facts and record.facts[seat][1] == choices:
        return None if seat == actor else record.table.due_ms[seat]
    return _thought(ctx)


def _owed(before: Table, after: Table, ctx: Ctx, actor: Seat | None) -> tuple[Owed, ...]:
    """Owe a word to each person whose turn begins, unless they moved a moment ago, and to whoever went away."""
    owed = []
    for seat in after.to_act if not after.deadlines else ():
        begins = (seat not in before.to_act or before.deadlines) and not after.moved_for(seat)
        if begins and ctx.now_ms - after.acted_ms[seat] >= PRESENT_MS:
            owed.append(owe(before, "turn", seat))
    if actor is not None and after.away(actor) and not before.away(actor):
        owed.append(owe(before, "away", actor))
    return tuple(owed)

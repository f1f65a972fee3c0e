"""What the staff does at a table or for itself, and how a league opens one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from rules.core.contract import Ctx, Refusal
from rules.tournaments.inputs import AddToTable, OpenPod, Raffle, Remember, Replay, SwapSeats
from rules.tournaments.model import Note, Pod, Round, Tournament, changed, put_entrant, put_pod, put_round
from rules.tournaments.people import enter, entrant
from rules.tournaments.pods import again, arrived, pod_of
from rules.tournaments.rounds import running
from rules.tournaments.steps import Advance, Call, Happened, due, log

MOST_NOTES = 200
MOST_TEXT = 300
"""Characters of a note."""


def replay(record: Tournament, act: Replay, ctx: Ctx) -> Advance:
    """
    Have a table without a result played from the start, with everybody it was made for.

    Raises:
        Refusal: `has_result`, `already_playing`, and as `pod_of`.
    """
    played, pod = pod_of(record, act.round, act.pod)
    if pod.stage == "done" and pod.result != "awarded":
        raise Refusal("has_result")
    busy = _busy((other for other in played.pods if other.number != pod.number), pod.seats)
    if busy:  # in a league they may have sat down elsewhere meanwhile
        raise Refusal("already_playing", names=record.names(sorted(busy)))
    anew = {"here": (), "absent": (), "byes": (), "computers": 0, "places": (), "scores": ()}
    record, pod = again(record, pod, **anew, due_ms=due(ctx, record.setup.no_show_ms))
    record = put_pod(record, played.number, pod)
    round_ms = 0 if played.kind == "league" else record.setup.round_ms
    ends_ms = played.due_ms or due(ctx, round_ms)  # its time over, or all done: once more
    record = put_round(record, played.number, phase="playing", overdue=False, due_ms=ends_ms)
    event = log(act, "replay", ctx, round=played.number, pod=pod.number)
    return Advance(record, (event,), (Call("seats", played.number, pod.number),))


def swap(record: Tournament, act: SwapSeats, ctx: Ctx) -> Advance:
    """
    Have two entrants change seats.

    Raises:
        Refusal: `not_this_round`, `not_at_a_table`, `has_moved`, `seats_first`.
    """
    played = running(record)
    if played.number != act.round or played.phase != "playing":
        raise Refusal("not_this_round", round=played.number)
    one, other = act.entrants
    pods = [pod for pod in _now(played) if {one, other} & set(pod.players)]
    if one == other or not {one, other} <= {who for pod in pods for who in pod.players}:
        raise Refusal("not_at_a_table")
    if not all(pod.movable for pod in pods):
        raise Refusal("has_moved", round=played.number)
    if any(pod.stage == "picking" for pod in pods):
        raise Refusal("seats_first")
    change = {one: other, other: one}
    event = log(act, "swapped", ctx, round=played.number, pod=pods[0].number, entrants=act.entrants)
    return reshaped(record, pods, lambda seats: tuple(change.get(who, who) for who in seats), event, ctx)


def add(record: Tournament, act: AddToTable, ctx: Ctx) -> Advance:
    """
    Seat somebody who has no table this round at a short one; who was forgotten or came late is in by it.

    Raises:
        Refusal: `not_this_round`, `no_pod`, `no_entrant`, `has_moved`, `table_full`, `already_playing`,
            `already_entered`, `full`.
    """
    played, pod = pod_of(record, act.round, act.pod)
    number = act.entrant
    if act.person is not None:
        record = enter(record, act.person, act.lot, late=True)
        number = next(who.number for who in record.entrants if who.user_id == act.person.user_id)
    who = entrant(record, number, "in", "unchecked", "dropped")
    if any(who.number in other.seats for other in _now(played)):
        raise Refusal("already_playing", names=record.names([who.number]))
    if not pod.movable or played.kind in ("final", "playoff"):
        raise Refusal("has_moved", round=played.number)
    if len(pod.players) >= record.setup.most_seats:
        raise Refusal("table_full")
    byes = tuple(one for one in played.byes if one != who.number)
    absent = tuple(one for one in played.absent if one != who.number)
    record = put_round(record, played.number, byes=byes, absent=absent)
    first = played.number if who.status == "unchecked" else min(who.first, played.number)
    group = who.group if act.person is None and who.group else pod.group
    record = put_entrant(record, who.number, status="in", first=first, group=group)
    event = log(act, "added_to_table", ctx, round=played.number, pod=pod.number, entrants=(who.number,))
    return reshaped(record, [pod], lambda seats: (*seats, who.number), event, ctx)


def reshaped(
    record: Tournament,
    pods: Sequence[Pod],
    seats: Callable[[tuple[int, ...]], tuple[int, ...]],
    event: Happened,
    ctx: Ctx,
) -> Advance:
    """Give tables other people, end what was opened for them, and call those who are new."""
    number = record.rounds[-1].number
    due_ms = due(ctx, record.setup.no_show_ms)
    made = Advance(record, (event,))
    for pod in pods:
        people = seats(pod.seats)
        stay = tuple(one for one in pod.here if one in people)
        record, fresh = again(made.record, pod, seats=people, here=stay, computers=0, due_ms=due_ms)
        done = arrived(record, fresh, ctx)
        calls = () if set(people) <= set(pod.seats) else (Call("seats", number, pod.number),)
        made = Advance(done.record, (*made.events, *done.events), (*made.calls, *calls, *done.calls))
    return made


def open_pod(record: Tournament, act: OpenPod, ctx: Ctx) -> Advance:
    """
    Open a table of a league.

    Raises:
        Refusal: `not_a_league`, `not_staff`, `bad_sizes`, `no_entrant`, `already_playing`.
    """
    played = running(record)
    if played.kind != "league" or played.phase != "playing":
        raise Refusal("not_a_league")
    own = record.entrant_of(act.user_id)
    if not act.staff and not (record.setup.self_open and own is not None and own.number in act.entrants):
        raise Refusal("not_staff")
    sizes = record.setup.sizes
    if not sizes.low <= len(act.entrants) <= sizes.high or len(set(act.entrants)) != len(act.entrants):
        raise Refusal("bad_sizes", low=sizes.low, high=sizes.high)
    if not set(act.entrants) <= {who.number for who in record.active}:
        raise Refusal("no_entrant")
    busy = _busy(played.pods, act.entrants)
    if busy:
        raise Refusal("already_playing", names=record.names(sorted(busy)))
    seats = tuple(ctx.rng.shuffled(sorted(act.entrants, key=lambda one: record.entrant(one).lot)))
    pod = Pod(number=len(played.pods) + 1, seats=seats, due_ms=due(ctx, record.setup.no_show_ms))
    record = put_round(record, played.number, pods=(*played.pods, pod))
    event = log(act, "pod_opened", ctx, round=played.number, pod=pod.number, entrants=seats)
    return Advance(record, (event,), (Call("seats", played.number, pod.number),))


def _now(played: Round) -> tuple[Pod, ...]:
    """Return the tables that people of a round sit at now; those of a league that are done are of the past."""
    return tuple(pod for pod in played.pods if pod.stage != "done") if played.kind == "league" else played.pods


def _busy(pods: Iterable[Pod], entrants: Collection[int]) -> set[int]:
    """Return which of *entrants* sit at one of *pods* that is not done."""
    return {one for pod in pods if pod.stage != "done" for one in pod.players if one in entrants}


# --- the staff's own -----------------------------------------------------------------------------


def raffle(record: Tournament, act: Raffle, ctx: Ctx) -> Advance:
    """
    Draw some of those present: who plays on, and has confirmed while a check-in counts.

    Raises:
        Refusal: `bad_count` with how many there are.
    """
    there = _present(record)
    if not 1 <= act.count <= len(there):
        raise Refusal("bad_count", most=len(there))
    drawn = tuple(ctx.rng.sample(sorted(there, key=lambda one: record.entrant(one).lot), act.count))
    return Advance(record, (log(act, "raffle", ctx, entrants=drawn),))


def _present(record: Tournament) -> list[int]:
    played = running(record) if record.phase == "running" else None
    missing: Iterable[int] = played.absent if played else ()
    absent = {*missing, *(one for pod in (_now(played) if played else ()) for one in pod.absent)}
    return [who.number for who in record.active if who.number not in absent and (who.checked or not record.check)]


def remember(record: Tournament, act: Remember, ctx: Ctx) -> Advance:
    """
    Keep a note on somebody, for the staff alone.

    Raises:
        Refusal: `no_entrant`, `text_needed`, `too_many_notes`.
    """
    who = entrant(record, act.entrant)
    text = act.text.strip()
    if not text or len(text) > MOST_TEXT:
        raise Refusal("text_needed", most=MOST_TEXT)
    if len(record.notes) >= MOST_NOTES:
        raise Refusal("too_many_notes", most=MOST_NOTES)
    note = Note(ctx.now_ms, act.user_id, who.number, act.level, text)
    event = log(act, "noted", ctx, staff=True, entrants=(who.number,), facts={"level": act.level, "text": text})
    return Advance(changed(record, notes=(*record.notes, note)), (event,))

"""Deadlines, read off the record, and what follows when one has passed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from rules.core.contract import Ctx, Refusal
from rules.core.table import MINUTE_MS
from rules.tournaments.inputs import CloseCheckIn, Expire
from rules.tournaments.model import Pod, Round, Tournament, changed, put_round
from rules.tournaments.pods import awarded, edit, no_show, picked
from rules.tournaments.rounds import begin
from rules.tournaments.steps import Advance, Call, by_itself, due

CHECK_IN, ROUND, POD = "check_in", "round", "pod-"

AWAY_MS = MINUTE_MS
"""A deadline missed by more than this passed while the bot was away, and nobody could press."""


def deadlines(record: Tournament) -> Mapping[str, int]:
    """Return every deadline that runs, UTC ms: `check_in`, `round`, and `pod-<number>` of the running round."""
    due: dict[str, int] = {}
    if not record.live:
        return due
    if record.check == "open" and record.check_due_ms is not None:
        due[CHECK_IN] = record.check_due_ms
    played = record.round
    if record.phase == "signup" or played is None or played.phase != "playing":
        return due
    if played.due_ms is not None:
        due[ROUND] = played.due_ms
    for pod in played.pods:
        if pod.due_ms is not None and pod.stage in ("gathering", "picking"):
            due[f"{POD}{pod.number}"] = pod.due_ms
    return due


def next_deadline(record: Tournament) -> tuple[str, int] | None:
    """Return the name and the time, UTC ms, of the deadline that passes first; `None` while none runs."""
    return min(deadlines(record).items(), key=lambda named: named[1], default=None)


def expire(record: Tournament, happening: Expire, ctx: Ctx) -> Advance:
    """
    Do what follows when a deadline has passed; too early or twice does nothing.

    Raises:
        Refusal: `no_deadline`, `too_early` with `wait_ms`.
    """
    due_ms = deadlines(record).get(happening.name)
    if due_ms is None:
        raise Refusal("no_deadline")
    if ctx.now_ms < due_ms:
        raise Refusal("too_early", wait_ms=due_ms - ctx.now_ms)
    if happening.name == CHECK_IN:
        made = _check_in_over(record, ctx)
        stands = len(made.record.rounds) == len(record.rounds)  # until somebody of the staff goes on
        return msgspec.structs.replace(made, calls=(Call("checked", len(record.rounds)),)) if stands else made
    played = record.rounds[-1]
    if happening.name == ROUND:
        return _round_over(record, played, ctx)
    pod = played.pods[int(happening.name.removeprefix(POD)) - 1]
    if pod.stage == "picking":
        return picked(record, pod, None, ctx)
    return no_show(record, pod, ctx)


def overslept(record: Tournament, now_ms: int) -> frozenset[str]:
    """Return the names of the deadlines that must have passed while the bot was away."""
    return frozenset(name for name, due_ms in deadlines(record).items() if now_ms - due_ms > AWAY_MS)


def resume(record: Tournament, ctx: Ctx) -> Advance:
    """
    Have what ran out while the bot was away begin again; all other deadlines stand.

    Raises:
        Refusal: `no_deadline` when nothing has.
    """
    late = overslept(record, ctx.now_ms)
    if not late:
        raise Refusal("no_deadline")
    return Advance(timed_anew(record, late, ctx), (by_itself("resumed", ctx),))


def timed_anew(record: Tournament, names: Collection[str], ctx: Ctx) -> Tournament:
    """Have the timers of some deadlines begin again."""
    setup = record.setup
    if CHECK_IN in names:
        record = changed(record, check_due_ms=due(ctx, setup.check_in_ms))
    if record.round is None:
        return record
    pods = tuple(
        edit(pod, due_ms=due(ctx, setup.pick_ms if pod.stage == "picking" else setup.no_show_ms))
        if f"{POD}{pod.number}" in names
        else pod
        for pod in record.round.pods
    )
    due_ms = due(ctx, setup.round_ms) if ROUND in names else record.round.due_ms
    return put_round(record, record.round.number, pods=pods, due_ms=due_ms)


def close_check_in(record: Tournament, act: CloseCheckIn, ctx: Ctx) -> Advance:
    """
    End the check-in early.

    Raises:
        Refusal: `no_check_in`.
    """
    if CHECK_IN not in deadlines(record):
        raise Refusal("no_check_in")
    made = _check_in_over(record, ctx)
    first, *others = made.events
    event = msgspec.structs.replace(first, user_id=act.user_id, reason=act.reason.strip())
    return msgspec.structs.replace(made, events=(event, *others))


def _check_in_over(record: Tournament, ctx: Ctx) -> Advance:
    """Close the check-in: before the first round the organiser starts, before a later one it begins."""
    record = changed(record, check="over", check_due_ms=None)
    event = by_itself("check_in_closed", ctx, facts={"checked": sum(who.checked for who in record.active)})
    made = Advance(record) if record.phase == "signup" else begin(record, ctx)
    return msgspec.structs.replace(made, events=(event, *made.events))


def _round_over(record: Tournament, played: Round, ctx: Ctx) -> Advance:
    """
    Do what the rules say of a round that took too long.

    Unless the organiser is asked, tables that have not begun are given up: who was there gets a bye,
    who was not is absent. What becomes of games that go on follows from `orders`.
    """
    record = put_round(record, played.number, overdue=True, due_ms=None)
    made = Advance(record, (by_itself("overdue", ctx, round=played.number),))
    if record.setup.overdue == "ask":
        return msgspec.structs.replace(made, calls=(Call("stuck", played.number),))
    for pod in played.pods:
        if pod.gathers or pod.stage == "picking":
            done = awarded(made.record, _given_up(made.record, pod), ctx)
        elif pod.stage == "ready" and record.setup.overdue == "absent":
            done = awarded(made.record, edit(pod, byes=pod.players), ctx)
        else:
            continue
        made = Advance(done.record, (*made.events, *done.events), (*made.calls, *done.calls))
    return made


def _given_up(record: Tournament, pod: Pod) -> Pod:
    there = pod.players if pod.stage == "picking" else pod.here
    byes = tuple(one for one in pod.players if one in there and record.entrant(one).status == "in")
    return edit(pod, byes=byes, absent=(*pod.absent, *(one for one in pod.players if one not in byes)))

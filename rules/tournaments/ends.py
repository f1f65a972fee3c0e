"""The end of a tournament, and the ways back from it."""

from __future__ import annotations

import msgspec

from rules.core.contract import Ctx, Refusal
from rules.tournaments.clock import CHECK_IN, deadlines, timed_anew
from rules.tournaments.inputs import Cancel, Finish, Reopen
from rules.tournaments.model import Tournament, changed, put_entrant, put_round
from rules.tournaments.plan import next_kind
from rules.tournaments.rounds import check_over, close, next_attempt, open_tables, running, without
from rules.tournaments.steps import Advance, Call, log


def finish(record: Tournament, act: Finish, ctx: Ctx) -> Advance:
    """
    Confirm the last standings and end the tournament.

    Raises:
        Refusal: `not_running`, `pairing`, `tables_open`, `rounds_left` when a reason is needed.
    """
    played = running(record)
    if played.kind == "league" and open_tables(played):
        raise Refusal("tables_open", round=played.number, pods=open_tables(played))
    if played.kind != "league" and played.phase != "closed":
        check_over(played)
    if next_kind(record) is not None and not act.reason.strip():
        raise Refusal("rounds_left")
    if played.phase != "closed":
        record = close(record)
    record = changed(record, phase="finished", check="", check_due_ms=None)
    return Advance(record, (log(act, "finished", ctx),), (Call("podium"),))


def cancel(record: Tournament, act: Cancel, ctx: Ctx) -> Advance:
    """
    Call it off; tables that are open end.

    Raises:
        Refusal: `finished`.
    """
    if not record.live:
        raise Refusal("finished", phase=record.phase)
    played = record.round
    if played is not None and played.phase == "playing":
        pods = tuple(
            msgspec.structs.replace(pod, stage="stuck", why="ended:cancelled", table_id=0, attempt=pod.attempt + 1)
            if pod.live
            else pod
            for pod in played.pods
        )
        record = put_round(without(record, played), played.number, pods=pods)
    record = changed(record, before=record.phase, phase="cancelled", check_due_ms=None)
    return Advance(record, (log(act, "cancelled", ctx),))


def reopen(record: Tournament, act: Reopen, ctx: Ctx) -> Advance:
    """
    Open again what was finished or cancelled, or the last closed round while the next has seen no move.

    Raises:
        Refusal: `nothing_to_reopen`, `has_moved`.
    """
    done = log(act, "reopened", ctx, round=len(record.rounds))
    played = record.round
    if record.phase == "cancelled":
        record = changed(record, phase=record.before)
        ran = {*deadlines(record), *((CHECK_IN,) if record.check == "open" else ())}
        return Advance(timed_anew(record, ran, ctx), (done,))  # nobody could come meanwhile
    if played is None or record.phase == "signup":
        raise Refusal("nothing_to_reopen")
    if record.phase == "finished" or played.phase == "closed":
        phase = "playing" if played.kind == "league" else "provisional"
        record = put_round(record, played.number, phase=phase, rows=())
        return Advance(changed(record, phase="running", check="", check_due_ms=None), (done,))
    if played.number == 1:
        raise Refusal("nothing_to_reopen")
    if played.begun or played.phase == "provisional":
        raise Refusal("has_moved", round=played.number)
    before = changed(without(record, played), rounds=record.rounds[:-1], attempt=next_attempt(played))
    before = put_round(changed(before, check="", check_due_ms=None), played.number - 1, phase="provisional", rows=())
    for who in before.entrants:
        if who.first > played.number:
            before = put_entrant(before, who.number, first=played.number)
    event = msgspec.structs.replace(done, round=played.number - 1)
    return Advance(before, (event,))

"""At the tables: coming, waiting, choosing seats, opening, results, and what is done when something is amiss."""

from __future__ import annotations

from typing import Any

import msgspec

from rules.core.contract import Ctx, Refusal
from rules.core.table import DAY_MS
from rules.tournaments.inputs import GoOn, Here, PickSeat, Wait
from rules.tournaments.model import Pod, Round, Tournament, changed, put_pod
from rules.tournaments.points import LEAST_SIZE
from rules.tournaments.rounds import running, settle
from rules.tournaments.steps import Advance, Call, by_itself, due, log


def pod_of(record: Tournament, number: int, pod: int) -> tuple[Round, Pod]:
    """
    Return a table of the running round.

    Raises:
        Refusal: `not_running`, `not_this_round`, `no_pod`.
    """
    played = running(record)
    if played.number != number or played.phase == "pairing":
        raise Refusal("not_this_round", round=played.number)
    if played.phase == "closed":
        raise Refusal("round_closed", round=played.number)
    if not 1 <= pod <= len(played.pods):
        raise Refusal("no_pod")
    return played, played.pods[pod - 1]


def own_pod(record: Tournament, user_id: int) -> tuple[Round, Pod, int]:
    """
    Return the unfinished table of a person in the running round, and their entrant.

    Raises:
        Refusal: `not_running`, `not_entered`, `no_table_for_you`.
    """
    played = running(record)
    who = record.entrant_of(user_id)
    if who is None:
        raise Refusal("not_entered")
    for pod in played.pods:
        if pod.stage != "done" and who.number in pod.players:
            return played, pod, who.number
    raise Refusal("no_table_for_you")


def edit(pod: Pod, **fields: Any) -> Pod:
    """Return *pod* with some fields replaced."""
    return msgspec.structs.replace(pod, **fields)


def release(record: Tournament, pod: Pod) -> Tournament:
    """Have the game that was opened for a table end, if it still goes on."""
    return changed(record, closing=(*record.closing, pod.table_id)) if pod.live else record


def again(record: Tournament, pod: Pod, **fields: Any) -> tuple[Tournament, Pod]:
    """Take back whatever was opened for a table, and have its players come anew."""
    record = release(record, pod)
    fresh = {"attempt": pod.attempt + 1, "table_id": 0, "users": (), "stage": "gathering", "why": "", "result": ""}
    return record, edit(pod, **{**fresh, **fields})


# --- coming to the table -------------------------------------------------------------------------


def here(record: Tournament, act: Here, ctx: Ctx) -> Advance:
    """
    Note that somebody is at their table; when the last one comes it can be opened.

    Raises:
        Refusal: `not_running`, `not_entered`, `no_table_for_you`, `already_here`, `seats_first`.
    """
    played, pod, entrant = own_pod(record, act.user_id)
    if pod.stage == "picking":
        raise Refusal("seats_first")
    if entrant in pod.here or not pod.gathers:
        raise Refusal("already_here", round=played.number, pod=pod.number)
    return arrived(record, edit(pod, here=(*pod.here, entrant)), ctx)


def arrived(record: Tournament, pod: Pod, ctx: Ctx) -> Advance:
    """See whether a table has all it waits for. Who dropped out meanwhile is not waited for."""
    played = record.rounds[-1]
    coming = [one for one in pod.players if record.entrant(one).status == "in"]
    if not set(coming) <= set(pod.here):
        return Advance(put_pod(record, played.number, pod))
    if len(coming) == len(pod.players) and len(coming) >= LEAST_SIZE:
        return ready(record, pod, ctx)
    return no_show(record, pod, ctx)


def ready(record: Tournament, pod: Pod, ctx: Ctx) -> Advance:
    """Let a table be opened."""
    number = record.rounds[-1].number
    record = put_pod(record, number, edit(pod, stage="ready", why="", due_ms=None))
    return Advance(record, (by_itself("table_ready", ctx, round=number, pod=pod.number, entrants=pod.players),))


def stuck(record: Tournament, pod: Pod, why: str, ctx: Ctx) -> Advance:
    """Leave a table to the staff, once."""
    number = record.rounds[-1].number
    if pod.stage == "stuck" and pod.why == why:
        return Advance(put_pod(record, number, edit(pod, due_ms=None)))
    record = put_pod(record, number, edit(pod, stage="stuck", why=why, due_ms=None))
    missing = tuple(one for one in pod.players if one not in pod.here) if why == "no_show" else ()
    event = by_itself("stuck", ctx, round=number, pod=pod.number, entrants=missing, facts={"why": why})
    return Advance(record, (event,), (Call("stuck", number, pod.number),))


def short_handed(record: Tournament, pod: Pod, ctx: Ctx, *, fill: bool) -> Advance:
    """
    Go on with those who are there.

    They play if they are enough for the game, or if computers may fill the table up to its fewest seats (all
    of it with *fill*). Otherwise they get the points of a bye. Whoever is missing is absent.
    """
    played = record.rounds[-1]
    there = _there(record, pod)
    missing = tuple(one for one in pod.players if one not in there)
    least = record.setup.game(played.number).low
    computers = 0
    if record.setup.computers:
        computers = max(0, len(pod.players) - len(there) if fill else least - len(there))
    event = by_itself("no_show", ctx, round=played.number, pod=pod.number, entrants=missing)
    pod = edit(pod, absent=(*pod.absent, *missing), computers=computers)
    if len(there) >= LEAST_SIZE and len(there) + computers >= least:
        made = ready(record, pod, ctx)
        return msgspec.structs.replace(made, events=(event, *made.events))
    made = awarded(record, edit(pod, byes=(*pod.byes, *there)), ctx)
    return msgspec.structs.replace(made, events=(event, *made.events))


def _there(record: Tournament, pod: Pod) -> list[int]:
    return [one for one in pod.players if one in pod.here and record.entrant(one).status == "in"]


def awarded(record: Tournament, pod: Pod, ctx: Ctx) -> Advance:
    """Be done with a table that is not played: everybody at it is absent or has a bye."""
    number = record.rounds[-1].number
    record = release(record, pod)
    pod = edit(pod, stage="done", why="", due_ms=None, result="awarded", places=(), scores=(), computers=0)
    event = by_itself("awarded", ctx, round=number, pod=pod.number, entrants=pod.byes, facts={"absent": pod.absent})
    return settle(Advance(put_pod(record, number, pod), (event,)), ctx)


def go_on_short(record: Tournament, act: GoOn, ctx: Ctx) -> Advance:
    """
    Have a table begin without whoever is missing (staff).

    Raises:
        Refusal: `not_waiting`, `no_computers`, `too_few_here`.
    """
    _, pod = pod_of(record, act.round, act.pod)
    if not pod.gathers:
        raise Refusal("not_waiting")
    if act.fill and not record.setup.computers:
        raise Refusal("no_computers")
    there = _there(record, pod)
    least = LEAST_SIZE if record.setup.computers else max(LEAST_SIZE, record.setup.game(act.round).low)
    if len(there) < least:
        raise Refusal("too_few_here", least=least)
    made = short_handed(record, pod, ctx, fill=act.fill)
    event = log(act, "went_on", ctx, round=act.round, pod=act.pod, entrants=tuple(there))
    return msgspec.structs.replace(made, events=(event, *made.events))


def wait(record: Tournament, act: Wait, ctx: Ctx) -> Advance:
    """
    Give the players of a table more time to come, or to choose seats (staff).

    Raises:
        Refusal: `not_waiting`, `bad_wait`.
    """
    _, pod = pod_of(record, act.round, act.pod)
    if not (pod.gathers or pod.stage == "picking"):
        raise Refusal("not_waiting")
    if not 0 < act.wait_ms <= DAY_MS:
        raise Refusal("bad_wait")
    stage = "picking" if pod.stage == "picking" else "gathering"
    pod = edit(pod, stage=stage, why="", due_ms=max(pod.due_ms or 0, ctx.now_ms) + act.wait_ms)
    return Advance(put_pod(record, act.round, pod), (log(act, "waits", ctx, round=act.round, pod=act.pod),))


def no_show(record: Tournament, pod: Pod, ctx: Ctx) -> Advance:
    """Do what follows when the players of a table have not come in time."""
    if record.setup.no_show == "short":
        return short_handed(record, pod, ctx, fill=False)
    return stuck(record, pod, "no_show", ctx)


# --- seats of the final --------------------------------------------------------------------------


def pick(record: Tournament, act: PickSeat, ctx: Ctx) -> Advance:
    """
    Choose a seat in the final; the best rank chooses first.

    Raises:
        Refusal: `not_running`, `not_entered`, `no_table_for_you`, `no_picking`, `not_your_pick`, `seat_taken`.
    """
    _, pod, entrant = own_pod(record, act.user_id)
    if pod.stage != "picking":
        raise Refusal("no_picking")
    if pod.players[len(pod.picks)] != entrant:
        raise Refusal("not_your_pick")
    if not 0 <= act.seat < len(pod.players) or act.seat in pod.picks:
        raise Refusal("seat_taken")
    return picked(record, pod, act.seat, ctx)


def picked(record: Tournament, pod: Pod, seat: int | None, ctx: Ctx) -> Advance:
    """Note a choice (`None`: the first free seat, for who took too long); the last one is no choice."""
    played = record.rounds[-1]
    people = len(pod.players)
    free = [one for one in range(people) if one not in pod.picks]
    picks = (*pod.picks, free[0] if seat is None else seat)
    event = by_itself(
        "picked",
        ctx,
        round=played.number,
        pod=pod.number,
        entrants=(pod.players[len(pod.picks)],),
        facts={"seat": picks[-1]},
    )
    if len(picks) < people - 1:
        record = put_pod(record, played.number, edit(pod, picks=picks, due_ms=due(ctx, record.setup.pick_ms)))
        return Advance(record, (event,), (Call("pick", played.number, pod.number),))
    picks = (*picks, *(one for one in range(people) if one not in picks))
    seats = tuple(one for _, one in sorted(zip(picks, pod.players, strict=False)))
    seated = edit(pod, seats=seats, picks=picks, stage="gathering", due_ms=due(ctx, record.setup.no_show_ms))
    call = Call("seats", played.number, pod.number)
    made = arrived(record, seated, ctx)
    return msgspec.structs.replace(made, events=(event, *made.events), calls=(call, *made.calls))

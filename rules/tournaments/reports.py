"""What the tables of the games report."""

from __future__ import annotations

from typing import Any

from rules.core.contract import Ctx, Refusal
from rules.tournaments.inputs import Ended, FromTable, Moved, Opened, Placed, Reseated, Result
from rules.tournaments.model import Pod, Round, Tournament, changed, put_pod
from rules.tournaments.pods import awarded, edit, stuck
from rules.tournaments.points import check_places
from rules.tournaments.rounds import running, settle
from rules.tournaments.steps import Advance, by_itself


def reported(record: Tournament, report: FromTable) -> tuple[Round, Pod]:
    """
    Return the table that a report is about.

    Raises:
        Refusal: `outdated` when it no longer counts, `already_done` when there is a result.
    """
    played = record.round
    if record.phase != "running" or played is None or played.number != report.round or played.phase != "playing":
        raise Refusal("outdated")
    if not 1 <= report.pod <= len(played.pods):
        raise Refusal("outdated")
    pod = played.pods[report.pod - 1]
    if pod.attempt != report.attempt or (pod.table_id and pod.table_id != report.table_id):
        raise Refusal("outdated")
    if pod.stage == "done":
        raise Refusal("already_done")
    return played, pod


def opened(record: Tournament, report: Opened, ctx: Ctx) -> Advance:
    """Note the table that was opened; one that came too late is told to end."""
    try:
        played, pod = reported(record, report)
    except Refusal:
        known = {pod.table_id for played in record.rounds for pod in played.pods} | set(record.closing)
        if report.table_id in known:
            raise Refusal("already_done") from None
        return Advance(changed(record, closing=(*record.closing, report.table_id)))
    if pod.stage != "ready":
        raise Refusal("already_done")
    pod = edit(pod, stage="open", table_id=report.table_id, users=_users(record, pod))
    event = by_itself("opened", ctx, round=played.number, pod=pod.number, facts={"table": report.table_id})
    return Advance(put_pod(record, played.number, pod), (event,))


def moved(record: Tournament, report: Moved) -> Advance:
    """Note the first move: from now on nobody changes places."""
    played, pod = reported(record, report)
    if pod.stage not in ("ready", "open"):
        raise Refusal("already_done")
    return Advance(put_pod(record, played.number, _known(record, pod, report, stage="moved")))


def _known(record: Tournament, pod: Pod, report: FromTable, **fields: Any) -> Pod:
    """Return *pod* with the table that reported, should its opening never have been heard of."""
    return edit(pod, table_id=report.table_id, users=pod.users or _users(record, pod), due_ms=None, **fields)


def _users(record: Tournament, pod: Pod) -> tuple[int, ...]:
    return tuple(record.entrant(one).user_id for one in pod.players)


def result(record: Tournament, report: Result, ctx: Ctx) -> Advance:
    """
    Take the result of a game, once. Computers are left out of it: their places close up.

    Raises:
        Refusal: `outdated`, `already_done`, `not_open`, `bad_places`.
    """
    forgotten = _closed(record, report.table_id)
    if forgotten is not None:
        return forgotten
    played, pod = reported(record, report)
    if pod.stage not in ("ready", "open", "moved"):
        raise Refusal("not_open")
    people = len(pod.players)
    if not len(report.places) == len(report.scores) == people + pod.computers:
        raise Refusal("bad_places")
    check_places(report.places)
    own = report.places[:people]
    places = tuple(1 + sum(other < place for other in own) for place in own)
    pod = _known(record, pod, report, stage="done", why="", places=places, scores=report.scores[:people])
    pod = edit(pod, result=report.reason)
    facts = {"places": places, "scores": pod.scores, "table": report.table_id}
    event = by_itself("result", ctx, round=played.number, pod=pod.number, entrants=pod.players, facts=facts)
    return settle(Advance(put_pod(record, played.number, pod), (event,)), ctx)


def ended(record: Tournament, report: Ended, ctx: Ctx) -> Advance:
    """
    Note that a game ended without a result: an organiser decides, or the round's deadline has decided.

    Raises:
        Refusal: `outdated`, `already_done`.
    """
    forgotten = _closed(record, report.table_id)
    if forgotten is not None:
        return forgotten
    played, pod = reported(record, report)
    if pod.stage not in ("ready", "open", "moved"):
        raise Refusal("already_done")
    awaited = [one for one in pod.players if record.entrant(one).user_id in report.awaited]
    if played.overdue and record.setup.overdue == "absent" and awaited:
        byes = tuple(one for one in pod.players if one not in awaited)
        pod = edit(pod, absent=(*pod.absent, *awaited), byes=(*pod.byes, *byes), table_id=0)
        return awarded(record, pod, ctx)
    return stuck(record, _known(record, pod, report), f"ended:{report.why}", ctx)


def _closed(record: Tournament, table_id: int) -> Advance | None:
    """Return the outcome when a table that was told to end has ended."""
    if table_id not in record.closing:
        return None
    return Advance(changed(record, closing=tuple(one for one in record.closing if one != table_id)))


def placed(record: Tournament, report: Placed) -> Advance:
    """Note where a table is played, or that this place was deleted."""
    played = running(record)
    fits = played.number == report.round and 1 <= report.pod <= len(played.pods)
    if not fits or played.pods[report.pod - 1].attempt != report.attempt:
        raise Refusal("outdated")
    pod = played.pods[report.pod - 1]
    if pod.channel_id == report.channel_id:
        raise Refusal("already_done")
    return Advance(put_pod(record, played.number, edit(pod, channel_id=report.channel_id)))


def reseated(record: Tournament, report: Reseated) -> Advance:
    """Note that the seat of somebody who was replaced has been handed over at the table."""
    played, pod = reported(record, report)
    if not 0 <= report.seat < len(pod.users) or pod.users[report.seat] == report.user_id:
        raise Refusal("already_done")
    held = (*pod.users[: report.seat], report.user_id, *pod.users[report.seat + 1 :])
    return Advance(put_pod(record, played.number, edit(pod, users=held)))

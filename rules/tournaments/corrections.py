"""Results set by hand: what would change, and the change itself, in closed standings too."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rules.core.contract import Ctx, Refusal
from rules.tournaments.inputs import Correct
from rules.tournaments.ledger import reckon, standings
from rules.tournaments.model import Correction, Pod, Round, Tournament, put_pod, put_round
from rules.tournaments.pods import edit, release
from rules.tournaments.points import LEAST_SIZE, check_places
from rules.tournaments.rounds import running, settle
from rules.tournaments.standings import Row
from rules.tournaments.steps import Advance, Call, log


class Change(msgspec.Struct, frozen=True):
    """What a correction changes for one entrant in the standings after one round."""

    round: int
    entrant: int
    place_before: int
    place_after: int
    points_before: int
    points_after: int


class Preview(msgspec.Struct, frozen=True):
    """
    What a correction would do.

    Attributes:
        rounds: closed rounds whose standings are reckoned anew.
        moves: everybody whose place or points would change, round by round; the running round comes last.
        repairable: whether the running round could still be paired again from the corrected standings.
        kept: whether a later round stays as it was paired, for it has begun.
    """

    rounds: tuple[int, ...]
    moves: tuple[Change, ...]
    repairable: bool
    kept: bool


def preview(record: Tournament, act: Correct) -> Preview:
    """
    Show what `correct` would change.

    Raises:
        Refusal: as `correct`, save `preview_first`.
    """
    before = running(record)
    after = _applied(record, act, 0)
    moves = []
    closed = tuple(played.number for played in record.rounds if played.phase == "closed" and played.number >= act.round)
    for number in closed:
        moves += _moves(number, record.rounds[number - 1].rows, after.rounds[number - 1].rows)
    if before.phase != "closed":
        moves += _moves(before.number, standings(record), standings(after))
    follows = before.number > act.round
    open_ = follows and before.phase == "playing" and not before.begun
    return Preview(closed, tuple(moves), open_, follows and before.phase != "pairing" and not open_)


def _moves(number: int, before: tuple[Row, ...], after: tuple[Row, ...]) -> list[Change]:
    was = {row.entrant: row for row in before}
    return [
        Change(number, row.entrant, was[row.entrant].place, row.place, was[row.entrant].points, row.points)
        for row in after
        if (row.place, row.points) != (was[row.entrant].place, was[row.entrant].points)
    ]


def correct(record: Tournament, act: Correct, ctx: Ctx) -> Advance:
    """
    Set the result of a table: of one that goes on, is stuck or done, in a running or a closed round.

    Standings of closed rounds are reckoned anew and say so. Later rounds that have begun stay as they are
    paired; one that waits for its pairing gets it from the corrected standings.

    Raises:
        Refusal: `not_running`, `not_this_round`, `no_pod`, `not_those`, `one_alone`, `bad_places`;
            `preview_first` once rounds have followed and the consequences were not confirmed.
    """
    played = running(record)
    after = _applied(record, act, ctx.now_ms)
    if (played.number > act.round or record.rounds[act.round - 1].phase == "closed") and not act.confirmed:
        raise Refusal("preview_first", rounds=tuple(range(act.round, played.number + 1)))
    entrants = record.rounds[act.round - 1].pods[act.pod - 1].seats
    facts = {
        "played": [tuple(msgspec.structs.astuple(line)) for line in act.played],
        "absent": act.absent,
        "byes": act.byes,
    }
    event = log(act, "corrected", ctx, round=act.round, pod=act.pod, entrants=entrants, facts=facts)
    return settle(Advance(after, (event,), (Call("by_hand", act.round, act.pod),)), ctx)


def any_pod(record: Tournament, number: int, pod: int) -> Pod:
    """
    Return a table of a round, be it closed.

    Raises:
        Refusal: `not_running`, `not_this_round`, `no_pod`.
    """
    latest = running(record)
    if not 1 <= number <= latest.number or record.rounds[number - 1].phase == "pairing":
        raise Refusal("not_this_round", round=latest.number)
    pods = record.rounds[number - 1].pods
    if not 1 <= pod <= len(pods):
        raise Refusal("no_pod")
    return pods[pod - 1]


def _checked(record: Tournament, act: Correct) -> Pod:
    """Return the table that is set, if what is said of it can be."""
    pod = any_pod(record, act.round, act.pod)
    named = [*(line.entrant for line in act.played), *act.absent, *act.byes]
    if sorted(named) != sorted(pod.seats):
        # who was forgotten cannot be mentioned
        raise Refusal("not_those", names=record.names(one for one in pod.seats if record.entrant(one).user_id > 0))
    if 0 < len(act.played) < LEAST_SIZE:
        raise Refusal("one_alone")
    check_places([line.place for line in act.played])
    return pod


def _applied(record: Tournament, act: Correct, at_ms: int) -> Tournament:
    pod = _checked(record, act)
    lines = {line.entrant: line for line in act.played}
    seats = [one for one in pod.seats if one in lines]
    record = release(record, pod)
    fixed = edit(
        pod,
        stage="done",
        why="",
        due_ms=None,
        absent=act.absent,
        byes=act.byes,
        places=tuple(lines[one].place for one in seats),
        scores=tuple(lines[one].score for one in seats),
        result="by_hand" if seats else "awarded",
    )
    record = put_pod(record, act.round, fixed)
    note = Correction(at_ms, act.user_id, act.round, act.pod, act.reason.strip())
    for played in record.rounds:
        if played.number >= act.round and played.phase == "closed":
            rows = reckon(record, played.number, _marks(played))
            record = put_round(record, played.number, rows=rows, corrections=(*played.corrections, note))
    return record


def _marks(played: Round) -> Mapping[int, str]:
    """Return whom the standings of a closed round list, with the marks of that time."""
    return {row.entrant: row.mark for row in played.rows}

"""What is awaited and from whom: for the organisers with the ways out, for a player where and when to play."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.tournaments.ledger import through
from rules.tournaments.model import ALL_PLAY, Pod, Round, Tournament
from rules.tournaments.plan import next_kind, plan, seatable

Step = Literal[
    "open_check_in", "check_in", "start", "pairing", "tables", "next", "recheck", "no_round", "finish", "reopen",
    "league",
]  # fmt: skip


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """
    One table that a round waits for.

    Attributes:
        round: its round.
        pod: its number.
        stage: how far it is.
        why: while stuck, what is amiss.
        channel_id: where it is, 0 before that is known.
        entrants: whom it waits for; empty when the game itself knows, or the staff is to decide.
        due_ms: until when, UTC ms.
        ways: acts that an organiser can do about it.
    """

    round: int
    pod: int
    stage: str
    why: str
    channel_id: int
    entrants: tuple[int, ...]
    due_ms: int | None
    ways: tuple[str, ...]


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """
    The tournament for those who run it.

    Attributes:
        round: number of the latest round, 0 before the first.
        step: what comes next; `pairing` comes by itself, all others are somebody's.
        ready: whether an organiser can do it now.
        blocks: why not: codes of the plan, or `tables_open`.
        next_kind: what the next round would be, "" for none.
        awaited: entrants who have not confirmed while a check-in is open.
        due_ms: when the check-in or the round ends, UTC ms.
        tables: tables that are waited for.
    """

    round: int
    step: Step
    ready: bool
    blocks: tuple[str, ...] = ()
    next_kind: str = ""
    awaited: tuple[int, ...] = ()
    due_ms: int | None = None
    tables: tuple[Waiting, ...] = ()


def overview(record: Tournament) -> Overview:
    """Tell an organiser what is awaited, from whom, the next step and the ways out."""
    number = len(record.rounds)
    if not record.live:
        return Overview(round=number, step="reopen", ready=True)
    if record.phase == "signup" or record.round is None:
        return _before(record)
    played = record.round
    if played.phase == "pairing":
        return Overview(round=number, step="pairing", ready=False)
    if played.phase == "playing":
        return _playing(played)
    return _between(record, played)


def _before(record: Tournament) -> Overview:
    planned = plan(record)
    awaited = tuple(who.number for who in record.active if not who.checked) if record.check else ()
    step: Step = "start"
    if "check_in_first" in planned.blocks:
        step = "open_check_in"
    elif record.check == "open":
        step = "check_in"
    few = "too_few" in planned.blocks
    return Overview(
        round=0,
        step=step,
        ready=step == "open_check_in" or not few,
        blocks=planned.blocks,
        next_kind=record.setup.format,
        awaited=awaited,
        due_ms=record.check_due_ms,
    )


def _playing(played: Round) -> Overview:
    tables = tuple(waiting(played, pod) for pod in played.pods if pod.stage != "done")
    league = played.kind == "league"
    return Overview(
        round=played.number,
        step="league" if league else "tables",
        ready=league,
        blocks=("tables_open",) if tables else (),
        due_ms=played.due_ms,
        tables=tables,
    )


def _between(record: Tournament, played: Round) -> Overview:
    kind = next_kind(record)
    checking = record.check == "open"
    awaited = tuple(who.number for who in record.active if not who.checked) if checking else ()
    seated = kind not in ALL_PLAY or seatable(len(record.active), record.setup)
    step: Step = "next"
    if kind is None:
        step = "finish"
    elif checking:
        step = "check_in"
    elif not seated:
        step = "no_round"
    elif record.check == "over":  # too few came
        step = "recheck"
    return Overview(
        round=played.number,
        step=step,
        ready=step != "no_round",
        blocks=() if seated else ("too_few",),
        next_kind=kind or "",
        awaited=awaited,
        due_ms=record.check_due_ms,
    )


def waiting(played: Round, pod: Pod) -> Waiting:
    """Tell what one unfinished table waits for, and the ways out; there is always `Correct`."""
    missing: tuple[int, ...] = ()
    ways = []
    shape = ["SwapSeats"]  # until the first move
    if played.counts:
        shape.append("AddToTable")
    if not played.begun and played.kind != "league":
        shape.append("Repair")
    if pod.stage == "picking":
        missing = pod.players[len(pod.picks) : len(pod.picks) + 1]
        ways = ["Wait"]
    elif pod.gathers:
        missing = tuple(one for one in pod.players if one not in pod.here)
        ways = ["Wait", "GoOn", "Substitute", *shape]
    elif pod.stage == "stuck":
        ways = ["Replay"]
    elif pod.stage in ("open", "moved"):
        ways = ["Substitute", *(shape if pod.stage == "open" else ()), "Replay"]
    return Waiting(
        round=played.number,
        pod=pod.number,
        stage=pod.stage,
        why=pod.why,
        channel_id=pod.channel_id,
        entrants=missing,
        due_ms=pod.due_ms,
        ways=(*ways, "Correct"),
    )


# --- for a player --------------------------------------------------------------------------------

State = Literal[
    "not_entered", "signed_up", "check_in", "checked", "missed", "unchecked", "dropped", "disqualified", "picking",
    "seat", "come", "here", "play", "table_done", "staff", "bye", "absent", "waiting", "pairing", "free", "finished",
    "cancelled", "not_through",
]  # fmt: skip


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """
    Where a player is.

    Attributes:
        state: what they do: confirm, choose a seat, come, play, wait, rest ...
        entrant: their number, 0 for nobody's.
        round: the round it is about, 0 for none.
        pod: their table, 0 for none.
        seat: their seat there, from 0.
        channel_id: where the table is, 0 before that is known.
        due_ms: until when they must have acted, UTC ms.
        with_whom: entrants at the table, in order of seats.
    """

    state: State
    entrant: int = 0
    round: int = 0
    pod: int = 0
    seat: int | None = None
    channel_id: int = 0
    due_ms: int | None = None
    with_whom: tuple[int, ...] = ()


def where(record: Tournament, user_id: int) -> Where:
    """Tell a person where and when they play."""
    who = record.entrant_of(user_id)
    if who is None:
        return Where(state="not_entered")
    number = who.number
    played = record.round
    if record.phase in ("finished", "cancelled"):
        return Where(state=record.phase, entrant=number)
    pods = reversed(played.pods) if played and played.phase in ("playing", "provisional") else ()
    mine = [pod for pod in pods if number in pod.seats]
    own = next((pod for pod in mine if pod.stage != "done"), mine[0] if mine else None)
    if played and own is not None and own.stage != "done" and number in own.players:
        return _at_table(played, own, number)
    if who.status != "in":
        return Where(state=who.status, entrant=number)
    if record.check == "open" and not who.checked:
        return Where(state="check_in", entrant=number, round=len(record.rounds) + 1, due_ms=record.check_due_ms)
    if played is None:
        before: State = "signed_up" if not record.check else "checked" if who.checked else "missed"
        return Where(state=before, entrant=number)
    state: State = "waiting"
    if played.phase == "pairing":
        state = "pairing"
    elif played.kind == "league":
        state = "free"
    elif number in played.byes or (own and number in own.byes):
        state = "bye"
    elif number in played.absent or (own and number in own.absent):
        state = "absent"
    elif own is not None:
        state = "table_done"
    elif played.kind in ("knockout", "final", "playoff") and played.phase != "closed":
        sure = played.kind == "playoff" and number in through(record).through  # those who are do not play it
        state = "waiting" if sure else "not_through"
    return Where(state=state, entrant=number, round=played.number, pod=own.number if own else 0)


def _at_table(played: Round, pod: Pod, number: int) -> Where:
    state: State = "play"
    if pod.stage == "picking":
        state = "seat" if pod.players[len(pod.picks)] == number else "picking"
    elif pod.gathers:
        state = "here" if number in pod.here else "come"
    elif pod.stage == "stuck":
        state = "staff"
    elif pod.stage == "ready":
        state = "here"
    return Where(
        state=state,
        entrant=number,
        round=played.number,
        pod=pod.number,
        seat=None if pod.stage == "picking" else pod.players.index(number),
        channel_id=pod.channel_id,
        due_ms=pod.due_ms,
        with_whom=pod.players,
    )

"""From one round to the next: start, pairing, confirmation, final, end, and the ways back."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from rules.tournaments.inputs import Next, Paired, Repair, Start
from rules.tournaments.ledger import marks, order, reckon, starts, through
from rules.tournaments.model import ALL_PLAY, Kind, Pod, Round, Tournament, changed, put_entrant, put_round
from rules.tournaments.pairing import Player, check, seat
from rules.tournaments.plan import (
    group_sizes,
    next_kind,
    pairing_request,
    plane,
    playoffs,
    present,
    seatable,
    starters,
)
from rules.tournaments.sizes import split
from rules.tournaments.standings import Row
from rules.tournaments.steps import Advance, Call, by_itself, due, log


def running(record: Tournament) -> Round:
    """
    Return the round of a tournament that runs.

    Raises:
        Refusal: `not_running`.
    """
    if record.phase != "running" or record.round is None:
        raise Refusal("not_running", phase=record.phase)
    return record.round


# --- start and pairing ---------------------------------------------------------------------------


def start(record: Tournament, act: Start, ctx: Ctx) -> Advance:
    """
    Begin: who missed the check-in is out, groups are drawn, the first round is made.

    Raises:
        Refusal: `already_started`, `check_in_first`, `too_few`, `plan_changed` with the number of `players`.
    """
    if record.phase != "signup":
        raise Refusal("already_started")
    if record.setup.check_in != "none" and not record.check:
        raise Refusal("check_in_first")
    people = starters(record)
    if not seatable(len(people), record.setup):
        raise Refusal("too_few", players=len(people), least=record.setup.sizes.low)
    if act.players != len(people):
        raise Refusal("plan_changed", players=len(people))
    entrants = tuple(
        who if who.status != "in" or who.number in people else msgspec.structs.replace(who, status="unchecked")
        for who in record.entrants
    )
    begun = _in_groups(changed(record, phase="running", entrants=entrants, check_due_ms=None), people)
    made = begin(begun, ctx)
    return msgspec.structs.replace(made, events=(log(act, "started", ctx, entrants=people), *made.events))


def _in_groups(record: Tournament, people: Sequence[int]) -> Tournament:
    """Deal people into groups by lot, and put each on the points of its design."""
    if record.setup.format not in ("swiss", "groups"):
        return record
    by_lot = sorted(people, key=lambda one: (record.entrant(one).lot, one))
    sizes = group_sizes(len(people), record.setup) if record.setup.format == "groups" else (len(people),)
    planes = []
    for number, size in enumerate(sizes, start=1):
        part, by_lot = by_lot[:size], by_lot[size:]
        planes.append(plane(part, record))
        if record.setup.format == "groups":
            for one in part:
                record = put_entrant(record, one, group=number)
    return changed(record, planes=tuple(planes))


def begin(record: Tournament, ctx: Ctx) -> Advance:
    """Make the next round: ask for its pairing, or seat it at once where the standings alone decide."""
    kind = next_kind(record)
    if kind is None:
        return Advance(changed(record, check="over", check_due_ms=None))
    return _make(record, Round(number=len(record.rounds) + 1, kind=kind, attempt=record.attempt), ctx)


def _make(record: Tournament, made: Round, ctx: Ctx, missing: tuple[int, ...] = ()) -> Advance:
    kind = made.kind
    if kind == "league":
        record = changed(record, rounds=(*record.rounds, msgspec.structs.replace(made, phase="playing")), check="")
        return Advance(record, (by_itself("league_open", ctx, round=made.number),))
    people = tuple(one for one in present(record) if one not in missing)
    if kind in ALL_PLAY:
        if not seatable(len(people), record.setup):
            waiting = changed(record, check="over", check_due_ms=None)
            return Advance(waiting, (by_itself("too_few", ctx, facts={"players": len(people)}),))
        absent = tuple(who.number for who in record.active if who.number not in people)
        made = msgspec.structs.replace(made, absent=absent)
    if kind in ("swiss", "groups"):
        record = changed(record, rounds=(*record.rounds, made), check_due_ms=None)
        return Advance(record, (by_itself("pairing", ctx, round=made.number),))
    tables, byes = _seated(record, kind, people, made)
    ties = through(record).ties if kind in ("knockout", "final") and record.rounds else ()
    lots = tuple(by_itself("lot", ctx, round=made.number, entrants=tied.entrants) for tied in ties)
    record = changed(record, rounds=(*record.rounds, made), check="", check_due_ms=None)
    opened = _open_round(record, [(0, table) for table in tables], byes, ctx)
    return msgspec.structs.replace(opened, events=(*lots, *opened.events))


def _seated(
    record: Tournament, kind: Kind, people: Sequence[int], made: Round
) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Seat a round that the standings decide; return its tables and who has a bye."""
    if kind == "power":
        return _by_rank(record, [row for row in order(record) if row.entrant in people], made)
    if not record.rounds:
        ranked = sorted(people, key=lambda one: (record.entrant(one).seed or len(people) + 1, record.entrant(one).lot))
        return ([tuple(ranked)], ()) if kind == "final" else _snake(record, ranked)
    cut = through(record)
    if kind == "playoff":
        return _seat_all(record, [tied.entrants for tied in playoffs(record, cut)], made), ()
    if kind == "final":
        return [cut.through], ()
    return _snake(record, cut.through)


def _by_rank(record: Tournament, rows: Sequence[Row], made: Round) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Seat by rank alone: the best at the first table; byes as ever, to the lowest who had fewest."""
    shape = split(len(rows), record.setup.sizes)
    lowest_first = rows[::-1]
    resting = [row.entrant for row in sorted(lowest_first, key=lambda row: row.byes)[: shape.byes]]
    left = [row.entrant for row in rows if row.entrant not in resting]
    tables = []
    for size in sorted(shape.tables, key=lambda size: abs(size - record.setup.sizes.preferred)):
        tables.append(left[:size])
        left = left[size:]
    return _seat_all(record, tables, made), tuple(resting)


def _seat_all(record: Tournament, tables: Sequence[Sequence[int]], made: Round) -> list[tuple[int, ...]]:
    """Put tables in order of seats: whoever has begun least begins, the rest by lot."""
    began = starts(record.rounds)
    rng = Rng(bytes.fromhex(record.salt), f"{made.kind} {made.number} {made.attempt}")
    players = {one: Player(one, record.entrant(one).lot, starts=began[one]) for table in tables for one in table}
    return [seat(table, players, rng) for table in tables]


def _snake(record: Tournament, ranked: Sequence[int]) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Seat a knockout to and fro: first with last; byes go to the best who had fewest, the better rank sits first."""
    shape = split(len(ranked), record.setup.sizes)
    had = {row.entrant: row.byes for row in order(record)}
    resting = tuple(sorted(ranked, key=lambda one: had[one])[: shape.byes])
    left = [one for one in ranked if one not in resting]
    tables: list[list[int]] = [[] for _ in shape.tables]
    turn = list(range(len(tables)))
    while left:
        for number in turn:
            if left and len(tables[number]) < shape.tables[number]:
                tables[number].append(left.pop(0))
        turn.reverse()
    return [tuple(table) for table in tables], resting


def paired(record: Tournament, happening: Paired, ctx: Ctx) -> Advance:
    """
    Take a pairing that was worked out elsewhere.

    Raises:
        Refusal: `not_running`, `already_paired`, `outdated_pairing`, `bad_pairing`.
    """
    played = running(record)
    if played.phase != "pairing":
        raise Refusal("already_paired")
    check(pairing_request(record), happening.proposal)
    grouped = record.setup.format == "groups"
    tables = [
        (number if grouped else 0, table)
        for number, made in enumerate(happening.proposal.tables, start=1)
        for table in made
    ]
    return _open_round(changed(record, check=""), tables, happening.proposal.byes, ctx)


def _open_round(
    record: Tournament, tables: Sequence[tuple[int, tuple[int, ...]]], byes: tuple[int, ...], ctx: Ctx
) -> Advance:
    """Have people come to their tables."""
    played = record.rounds[-1]
    setup = record.setup
    final = played.kind == "final"
    due_ms = due(ctx, setup.pick_ms if final else setup.no_show_ms)
    pods = tuple(
        Pod(
            number=number,
            seats=table,
            group=group,
            attempt=played.attempt,
            stage="picking" if final else "gathering",
            due_ms=due_ms,
        )
        for number, (group, table) in enumerate(tables, start=1)
    )
    record = put_round(record, played.number, phase="playing", pods=pods, byes=byes, due_ms=due(ctx, setup.round_ms))
    calls = tuple(Call("pick" if final else "seats", played.number, pod.number) for pod in pods)
    event = by_itself("paired", ctx, round=played.number, facts={"kind": played.kind, "tables": len(pods)})
    resting = (by_itself("byes", ctx, round=played.number, entrants=byes),) if byes else ()
    return settle(Advance(record, (event, *resting), calls), ctx)


def settle(made: Advance, ctx: Ctx) -> Advance:
    """Bring a round to its provisional end once all its tables are done."""
    played = made.record.round
    if played is None or played.phase != "playing" or played.kind == "league":
        return made
    if any(pod.stage != "done" for pod in played.pods):
        return made
    return Advance(
        put_round(made.record, played.number, phase="provisional", due_ms=None),
        (*made.events, by_itself("round_over", ctx, round=played.number)),
        (*made.calls, Call("standings", played.number)),
    )


def repair(record: Tournament, act: Repair, ctx: Ctx) -> Advance:
    """
    Pair the running round again; who has entered meanwhile takes part.

    Raises:
        Refusal: `not_running`, `not_this_round`, `pairing`, `has_moved`, `too_few`.
    """
    played = running(record)
    if played.number != act.round or played.kind == "league":
        raise Refusal("not_this_round", round=played.number)
    if played.phase == "pairing":
        raise Refusal("pairing", round=played.number)
    if played.begun or played.phase != "playing":
        raise Refusal("has_moved", round=played.number)
    for who in record.active:
        if who.first > played.number:
            record = put_entrant(record, who.number, first=played.number)
    again = Round(number=played.number, kind=played.kind, attempt=next_attempt(played))
    before = changed(without(record, played), rounds=record.rounds[:-1])
    anew = played.kind in ALL_PLAY or not before.rounds  # else those who go on are seated
    if anew and not seatable(len(present(before)), record.setup):
        raise Refusal("too_few", players=len(present(before)), least=record.setup.sizes.low)
    if played.kind not in ALL_PLAY:  # who has got through may have changed, and with them what is played
        kind = next_kind(before) if present(before) else None
        if kind is None:
            raise Refusal("too_few", players=0, least=record.setup.least_seats)
        again = msgspec.structs.replace(again, kind=kind)
    made = _make(before, again, ctx, played.absent)
    return msgspec.structs.replace(made, events=(log(act, "repaired", ctx, round=played.number), *made.events))


def next_attempt(played: Round) -> int:
    """Return an attempt that no table of a round has had."""
    return 1 + max((pod.attempt for pod in played.pods), default=played.attempt)


def without(record: Tournament, played: Round) -> Tournament:
    """Return *record* with all tables of a round told to end."""
    opened = tuple(pod.table_id for pod in played.pods if pod.live)
    return changed(record, closing=(*record.closing, *opened))


# --- onwards -------------------------------------------------------------------------------------


def open_tables(played: Round) -> tuple[int, ...]:
    """Return the numbers of the tables that a round waits for."""
    return tuple(pod.number for pod in played.pods if pod.stage != "done")


def go_on(record: Tournament, act: Next, ctx: Ctx) -> Advance:
    """
    Confirm a round and go on to the next; between the two there may be a check-in.

    Raises:
        Refusal: `not_running`, `already_done`, `pairing`, `tables_open`, `no_more_rounds`, `too_few`.
    """
    played = running(record)
    if act.round != played.number:
        raise Refusal("already_done" if act.round < played.number else "not_this_round", round=played.number)
    if played.phase == "closed":
        if record.check == "open":
            raise Refusal("already_done", round=played.number)
        if next_kind(record) is None:
            raise Refusal("no_more_rounds")
        return _check_in(record, act, "check_in_opened", ctx)
    if played.kind == "league" and not open_tables(played):
        raise Refusal("no_more_rounds")
    check_over(played)
    kind = next_kind(record)
    if kind is None:
        raise Refusal("no_more_rounds")
    if kind in ALL_PLAY and not seatable(len(record.active), record.setup):
        raise Refusal("too_few", players=len(record.active), least=record.setup.sizes.low)
    record = close(record)
    if record.setup.check_in == "every" and kind in ALL_PLAY:
        return _check_in(record, act, "confirmed", ctx)
    made = begin(record, ctx)
    return msgspec.structs.replace(made, events=(log(act, "confirmed", ctx, round=act.round), *made.events))


def _check_in(record: Tournament, act: Next, what: str, ctx: Ctx) -> Advance:
    record, call = open_check_in(record, ctx)
    return Advance(record, (log(act, what, ctx, round=act.round),), (call,))


def open_check_in(record: Tournament, ctx: Ctx) -> tuple[Tournament, Call]:
    """Ask everybody to confirm that they are there."""
    entrants = tuple(msgspec.structs.replace(who, checked=False) for who in record.entrants)
    record = changed(record, check="open", check_due_ms=ctx.now_ms + record.setup.check_in_ms, entrants=entrants)
    return record, Call("check_in", len(record.rounds) + 1)


def check_over(played: Round) -> None:
    """
    Make sure that all tables of a round are done.

    Raises:
        Refusal: `pairing`, `tables_open`.
    """
    if played.phase == "pairing":
        raise Refusal("pairing", round=played.number)
    if played.phase == "playing":
        raise Refusal("tables_open", round=played.number, pods=open_tables(played))


def close(record: Tournament) -> Tournament:
    """Write down the standings of the last round for good."""
    played = record.rounds[-1]
    rows = reckon(record, played.number, marks(record))
    return put_round(record, played.number, phase="closed", due_ms=None, rows=rows)

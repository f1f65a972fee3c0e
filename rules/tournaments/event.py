"""
The life of one tournament as a pure reducer.

`advance` maps a record and an input to the next record. It reads no clock and asks no table: what those
know comes in as inputs, and what is wanted of them is read off the record by `orders`. Folding the
logged inputs gives the same record again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

import msgspec

from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from rules.tournaments import clock, corrections, desk, ends, people, pods, reports, rounds
from rules.tournaments import inputs as i
from rules.tournaments.model import Tournament, changed
from rules.tournaments.rights import check_rights
from rules.tournaments.steps import Advance


def advance(record: Tournament | None, happening: i.Happening, ctx: Ctx) -> Advance:
    """
    Apply one input to a tournament.

    Args:
        record: the tournament before, `None` for `Create` alone.
        happening: the input.
        ctx: its time and random stream, labelled as that of the step.

    Raises:
        Refusal: nothing has changed. `already_done` and `outdated` mean that a repeated or late input
            came in, and need no answer where nobody pressed.
    """
    check_rights(happening)
    if record is not None:
        made = _apply(record, happening, ctx)
    elif isinstance(happening, i.Create):
        made = people.create(happening, ctx)
    else:
        raise Refusal("no_tournament")
    seq = made.record.seq + 1
    calls = tuple(
        msgspec.structs.replace(call, nonce=f"t{made.record.tournament_id}-{seq}-{number}")
        for number, call in enumerate(made.calls)
    )
    return msgspec.structs.replace(made, record=changed(made.record, seq=seq), calls=calls)


def _apply(record: Tournament, happening: i.Happening, ctx: Ctx) -> Advance:  # noqa: C901, PLR0912 - a case an input
    match happening:
        case i.Configure():
            return people.configure(record, happening, ctx)
        case i.Join():
            return people.join(record, happening, ctx)
        case i.Leave():
            return people.leave(record, happening, ctx)
        case i.AddMany():
            return people.add_many(record, happening, ctx)
        case i.OpenCheckIn():
            return people.open_checks(record, happening, ctx)
        case i.CloseCheckIn():
            return clock.close_check_in(record, happening, ctx)
        case i.CheckIn():
            return people.check_in(record, happening)
        case i.CheckOthers():
            return people.check_others(record, happening, ctx)
        case i.Seed():
            return people.seed(record, happening, ctx)
        case i.Drop() | i.Disqualify():
            return people.drop(record, happening, ctx)
        case i.Undrop():
            return people.undrop(record, happening, ctx)
        case i.Substitute():
            return people.substitute(record, happening, ctx)
        case i.Gone():
            return people.gone(record, happening, ctx)
        case i.Raffle():
            return desk.raffle(record, happening, ctx)
        case i.Remember():
            return desk.remember(record, happening, ctx)
        case i.Start():
            return rounds.start(record, happening, ctx)
        case i.Next():
            return rounds.go_on(record, happening, ctx)
        case i.Paired():
            return rounds.paired(record, happening, ctx)
        case i.Repair():
            return rounds.repair(record, happening, ctx)
        case i.Finish():
            return ends.finish(record, happening, ctx)
        case i.Cancel():
            return ends.cancel(record, happening, ctx)
        case i.Reopen():
            return ends.reopen(record, happening, ctx)
        case i.Here():
            return pods.here(record, happening, ctx)
        case i.PickSeat():
            return pods.pick(record, happening, ctx)
        case i.GoOn():
            return pods.go_on_short(record, happening, ctx)
        case i.Wait():
            return pods.wait(record, happening, ctx)
        case i.Replay():
            return desk.replay(record, happening, ctx)
        case i.SwapSeats():
            return desk.swap(record, happening, ctx)
        case i.AddToTable():
            return desk.add(record, happening, ctx)
        case i.OpenPod():
            return desk.open_pod(record, happening, ctx)
        case i.Correct():
            return corrections.correct(record, happening, ctx)
        case i.Opened():
            return reports.opened(record, happening, ctx)
        case i.Moved():
            return reports.moved(record, happening)
        case i.Result():
            return reports.result(record, happening, ctx)
        case i.Ended():
            return reports.ended(record, happening, ctx)
        case i.Placed():
            return reports.placed(record, happening)
        case i.Reseated():
            return reports.reseated(record, happening)
        case i.Expire():
            return clock.expire(record, happening, ctx)
        case i.Resume():
            return clock.resume(record, ctx)
        case i.Create():
            raise Refusal("already_created")
        case _:
            assert_never(happening)


def context(seed: bytes, seq: int, now_ms: int) -> Ctx:
    """Return what input number *seq* of a tournament, from 1, may know: its time and its own stream of the seed."""
    return Ctx(now_ms, Rng(seed, f"step {seq}"))


def replay(seed: bytes, inputs: Iterable[tuple[int, i.Happening]]) -> tuple[Tournament | None, tuple[Advance, ...]]:
    """
    Fold logged inputs, each with its time in UTC ms.

    Returns:
        The record, and the outcome of each input, whose events are the public log.
    """
    record: Tournament | None = None
    steps: list[Advance] = []
    for seq, (now_ms, happening) in enumerate(inputs, start=1):
        steps.append(advance(record, happening, context(seed, seq, now_ms)))
        record = steps[-1].record
    return record, tuple(steps)

"""Whole events in which anything may happen at any time, drawn by chance."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.core.contract import Refusal
from rules.tournaments import inputs as i
from rules.tournaments.clock import deadlines
from rules.tournaments.corrections import preview
from rules.tournaments.export import as_json, standings_csv, tables_csv
from rules.tournaments.ledger import standings, tables
from rules.tournaments.model import Round, Setup
from rules.tournaments.orders import orders
from rules.tournaments.points import Scheme
from rules.tournaments.sizes import Sizes
from rules.tournaments.status import overview, where
from tests.tournaments.hall import BOSS, GAME, Hall, person, setup
from tests.tournaments.oracle import Oracle
from tests.tournaments.test_standings import same


@st.composite
def rules(draw: st.DrawFn) -> Setup:
    """Draw the rules of a tournament."""
    low = draw(st.integers(2, 5))
    preferred = draw(st.integers(low, 6))
    high = draw(st.integers(preferred, 6))
    kind = draw(st.sampled_from(["swiss", "groups", "knockout", "league"]))
    return setup(
        format=kind,
        games=(GAME,),
        sizes=Sizes(low, preferred, high),
        rounds=draw(st.integers(1, 4)),
        final=draw(st.sampled_from([0, 2, 3, 4])),
        advance=draw(st.integers(1, 3)),
        group_size=draw(st.sampled_from([0, low, 9])) if kind == "groups" else 0,
        scheme=Scheme(draw(st.sampled_from(["share", "5-3-2-1", "6-4-2-0", "win-draw"]))),
        equal=draw(st.sampled_from(["shared", "lot"])),
        cut=draw(st.sampled_from(["lot", "playoff"])),
        power=draw(st.booleans()),
        check_in="none" if kind == "league" else draw(st.sampled_from(["none", "first", "every"])),
        no_show_ms=draw(st.sampled_from([0, 60_000])),
        no_show=draw(st.sampled_from(["ask", "short"])),
        round_ms=draw(st.sampled_from([0, 600_000])),
        overdue=draw(st.sampled_from(["ask", "computers", "absent"])),
        pick_ms=draw(st.sampled_from([0, 30_000])),
        late_until=1 if kind == "knockout" else draw(st.integers(1, 4)),
        computers=draw(st.booleans()),
    )


def anything(hall: Hall, dice: random.Random) -> i.Happening:
    """Return an input that may or may not make sense now."""
    record = hall.record
    rounds = len(record.rounds)
    someone = dice.choice(record.entrants).number if record.entrants else 1
    user = hall.user(someone) if record.entrants else 1
    act: dict[str, Any] = {"user_id": BOSS, "staff": dice.random() < 0.95, "reason": dice.choice(["why", "why", ""])}
    pods = record.round.pods if record.round else ()
    pod = dice.choice(pods) if pods else None
    at: dict[str, Any] = {**act, "round": max(1, rounds - (dice.random() < 0.1)), "pod": pod.number if pod else 1}
    table = dice.choice(list(hall.tables)) if hall.tables else 0
    known = hall.tables.get(table)
    report = {"round": 1, "pod": 1, "attempt": 1, "table_id": 77}
    if known:
        report = {"round": known.round, "pod": known.pod, "attempt": known.attempt, "table_id": table}
    seats = list(pod.seats) if pod else [1]
    dice.shuffle(seats)
    cut = dice.randint(0, len(seats))
    others = seats[cut:]
    correct = i.Correct(
        **at,
        played=tuple(i.Line(one, place, dice.randint(0, 9)) for place, one in enumerate(seats[:cut], start=1)),
        absent=tuple(others[::2]),
        byes=tuple(others[1::2]),
        confirmed=dice.random() < 0.7,
    )
    happenings: list[tuple[int, Any]] = [
        (12, i.Here(user_id=user)),
        (6, i.CheckIn(user_id=user)),
        (3, i.Join(user_id=dice.randint(1001, 1070), name="Late")),
        (1, i.Leave(user_id=user)),
        (1, i.Gone(user_id=user)),
        (1, i.AddMany(**act, people=(person(dice.randint(1, 9)),))),
        (1, i.OpenCheckIn(**act)),
        (1, i.CloseCheckIn(**act)),
        (1, i.CheckOthers(**act, entrant=someone)),
        (1, i.Seed(**act, order=(someone,))),
        (2, i.Next(**act, round=max(1, rounds))),
        (1, i.Repair(**act, round=max(1, rounds))),
        (1, i.Reopen(**act)),
        (3, i.PickSeat(user_id=user, seat=dice.randint(0, 5))),
        (2, i.GoOn(**at, fill=dice.random() < 0.3)),
        (1, i.Wait(**at, wait_ms=60_000)),
        (1, i.Replay(**at)),
        (1, i.SwapSeats(**act, round=max(1, rounds), entrants=(someone, dice.choice(seats)))),
        (1, i.AddToTable(**at, entrant=someone)),
        (1, i.AddToTable(**at, person=person(dice.randint(41, 60)))),
        (2, correct),
        (1, i.Drop(**act, entrant=someone)),
        (1, i.Undrop(**act, entrant=someone)),
        (1, i.Substitute(**act, entrant=someone, person=person(dice.randint(10, 40)))),
        (1, i.Raffle(**act, count=2)),
        (1, i.Remember(**act, entrant=someone, level="caution", text="late")),
        (3, i.OpenPod(**act, entrants=tuple(sorted({someone, *seats, dice.randint(1, 9)})[:4]))),
        (2, i.Moved(**report)),
        (1, i.Ended(**report, why="abandoned", awaited=(user,))),
        (1, i.Placed(round=max(1, rounds), pod=1, attempt=1, channel_id=0)),
        (1, i.Resume()),
    ]
    if known:
        happenings.append((1, i.Opened(**report)))
    if known and table not in hall.over:
        happenings.append((10, hall.outcome(table)))
    if dice.random() < 0.03:
        rare = [
            i.Cancel(**act),
            i.Finish(**act),
            i.Disqualify(**act, entrant=someone),
            i.Configure(**act, setup=record.setup),
        ]
        return dice.choice(rare)  # type: ignore[no-any-return]
    weights = [weight for weight, _ in happenings]
    return dice.choices([happening for _, happening in happenings], weights)[0]  # type: ignore[no-any-return]


def watch(before: tuple[Round, ...], hall: Hall, happening: i.Happening) -> None:
    """Check what must hold after every input."""
    record = hall.record
    for was, now in zip(before, record.rounds, strict=False):
        if was.phase == now.phase == "closed" and not isinstance(happening, i.Correct):
            assert was.rows == now.rows
    for played in record.rounds:
        seats = list(chain.from_iterable(pod.seats for pod in played.pods))
        if played.kind != "league":
            everybody = [*seats, *played.byes, *(one for one in played.absent)]
            assert len(everybody) == len(set(everybody))
        for pod in played.pods:
            assert len(set(pod.seats)) == len(pod.seats)
            assert pod.stage != "done" or not pod.places or len(pod.places) == len(pod.players) == len(pod.scores)
    if not isinstance(happening, i.Create):
        assert all(table.ways for table in overview(record).tables)
        assert all(due > 0 for due in deadlines(record).values())
        if record.entrants:
            where(record, record.entrants[-1].user_id)


def rescue(hall: Hall) -> None:
    """Bring any event to its end by what its overview says, and nothing else."""
    for _ in range(400):
        view = overview(hall.record)
        hall.obey()
        view = overview(hall.record)
        if hall.record.phase == "finished":
            return
        match view.step:
            case "reopen":
                hall.boss(i.Reopen)
            case "open_check_in":
                hall.boss(i.OpenCheckIn)
            case "check_in" | "start" if hall.record.phase == "signup":
                if view.ready:
                    hall.start()
                else:
                    hall.boss(i.AddMany, people=tuple(person(100 + number + hall.now_ms % 1000) for number in range(6)))
                    for one in overview(hall.record).awaited:
                        hall.boss(i.CheckOthers, entrant=one)
                    hall.now_ms += 7
            case "check_in":
                for one in view.awaited:
                    hall.boss(i.CheckOthers, entrant=one)
                hall.boss(i.CloseCheckIn)
            case "next" | "recheck":
                hall.next()
            case "no_round" | "finish":
                hall.boss(i.Finish)
            case "league":
                for table in view.tables:
                    settle_by_hand(hall, table.round, table.pod)
                hall.boss(i.Finish)
            case "tables":
                for table in view.tables:
                    settle_by_hand(hall, table.round, table.pod)
            case _:
                raise AssertionError(view.step)
    raise AssertionError("it never ends")


def settle_by_hand(hall: Hall, number: int, pod: int) -> None:
    """Set a result: everybody absent."""
    seats = hall.record.rounds[number - 1].pods[pod - 1].seats
    hall.boss(i.Correct, round=number, pod=pod, absent=seats, confirmed=True)


def counted_once(hall: Hall) -> None:
    """Points of the standings are exactly those of the tables in the rounds."""
    rows = standings(hall.record)
    seats = sum(len(table.entrants) for table in tables(hall.record.rounds))
    assert sum(row.played for row in rows) == seats


def reckoned_alike(hall: Hall) -> None:
    """Every value of every closed round is that of the oracle, which is told what came of tables and people."""
    record = hall.record
    lists = {len(points): list(points) for points in record.setup.scheme.lists}
    history: list[dict[str, Any]] = []
    for played in record.rounds:
        if played.kind not in ("playoff", "final"):
            done = [pod for pod in played.pods if pod.stage == "done"]
            late = [who.number for who in record.entrants if who.first > played.number and played.kind != "league"]
            history.append({
                "tables": [list(zip(pod.players, pod.places, pod.scores, strict=True)) for pod in done if pod.places],
                "byes": [*played.byes, *(one for pod in done for one in pod.byes)],
                "absent": [*played.absent, *late, *(one for pod in done for one in pod.absent)],
            })  # fmt: skip
        oracle = Oracle(history, record.setup.scheme.key, lists, record.setup.sizes.preferred)
        for row in played.rows:
            same(row, oracle)


def walk(rules: Setup, people: int, seed: int, steps: int) -> Hall:
    """Have anything happen *steps* times, then end it all."""
    dice = random.Random(seed)
    hall = Hall(rules, seed)
    hall.enter(people)
    if dice.random() < 0.9:
        if rules.check_in != "none":
            hall.boss(i.OpenCheckIn)
            for who in hall.record.entrants:
                if dice.random() < 0.9:
                    hall.do(i.CheckIn(user_id=who.user_id))
        try:
            hall.start()
        except Refusal as refusal:
            assert refusal.code == "too_few"  # noqa: PT017
    for _ in range(steps):
        before = hall.record.rounds
        happening = anything(hall, dice)
        if isinstance(happening, i.Correct) and hall.record.phase == "running":
            with suppress(Refusal):
                preview(hall.record, happening)
        if not hall.code(happening):
            watch(before, hall, happening)
            if dice.random() < 0.1:
                assert hall.code(happening) != "" or not isinstance(happening, i.Result | i.Next | i.Opened | i.Here)
        if dice.random() < 0.7:
            hall.obey()
        if dice.random() < 0.06 and overview(hall.record).step in ("tables", "league"):
            hall.gather()
            for pod in hall.round.pods:
                if dice.random() < 0.8 and pod.table_id in hall.tables and pod.live:
                    hall.finish(pod.table_id)
        if dice.random() < 0.05 and deadlines(hall.record):
            hall.pass_time()
    return hall


def proves(hall: Hall) -> None:
    """Bring an event to its end and look at it from all sides."""
    rescue(hall)
    assert hall.replayed() == hall.record
    assert not orders(hall.record)
    assert not deadlines(hall.record)
    counted_once(hall)
    reckoned_alike(hall)
    assert len({call.nonce for call in hall.calls}) == len(hall.calls)
    assert max((len(call.nonce) for call in hall.calls), default=0) <= 25
    assert standings_csv(hall.record).count("\n") == len(standings(hall.record)) + 1
    assert tables_csv(hall.record)
    assert b'"log"' in as_json(hall.record, hall.events)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(rules(), st.integers(2, 24), st.integers(0, 2**32), st.integers(0, 120))
def test_whatever_happens_an_event_can_be_brought_to_its_end(made: Setup, people: int, seed: int, steps: int) -> None:
    """No input is counted twice, closed standings stand, the log replays, and there always is a way on."""
    proves(walk(made, people, seed, steps))


@pytest.mark.soak
@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(rules(), st.integers(2, 64), st.integers(0, 2**32), st.integers(0, 400))
def test_so_do_large_events(made: Setup, people: int, seed: int, steps: int) -> None:
    """The same for up to 64 people and long walks."""
    proves(walk(made, people, seed, steps))

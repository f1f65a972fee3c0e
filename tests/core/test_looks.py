"""Computers that nobody waits for look once at each new choice; a computer finishes a turn that the clock began."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from rules.core.contract import Ctx
from rules.core.life import advance
from rules.core.replay import replay
from rules.core.rng import SEED_BYTES, Rng, fingerprint
from rules.core.table import (
    HOUR_MS,
    MINUTE_MS,
    THINK_MS,
    Act,
    AddComputer,
    Expire,
    Hold,
    Join,
    Open,
    Play,
    Record,
    Start,
)
from rules.lambada import GAME, CaughtOut, Lay, Pass
from tests.core.hall import Hall
from tests.core.helpers import ANA, BO, CY, NOW_MS, RING_MS, Count, Driver, Ring, Say, Think
from tests.rules.lambada.build import card, catching


def quiet(_view: Any, legal: Sequence[Any], _rng: Rng, /) -> Any:
    """Count when it is one's turn, and keep silent otherwise."""
    return legal[0] if isinstance(legal[0], Say) else None


def beside(**others: Any) -> tuple[Driver, int]:
    """Return a game of two people and a computer in which a person is to act, and the computer's seat."""
    driver = Driver(Count(quiet), clock_ms=0, **others).join(BO).fill(1).start()
    seat = next(seat for seat, who in enumerate(driver.table.sittings) if who.user_id is None)
    if seat in driver.table.to_act:
        driver.do(Play(seat, Say(1), "computer"))
    return driver, seat


def person_beside(driver: Driver, computer: int) -> int:
    """Return the id of the person who is neither to act nor a computer."""
    seat = next(seat for seat in range(3) if seat != computer and seat not in driver.table.to_act)
    return driver.user(seat)


# --- looking -------------------------------------------------------------------------------------


def test_a_computer_that_may_do_something_is_asked_after_a_moment_of_thought() -> None:
    """It is due at a computer's pace though the table waits for a person; people beside it are never due."""
    driver, seat = beside()

    due_ms = driver.table.due_ms

    assert seat not in driver.table.to_act
    assert THINK_MS[0] <= (due_ms[seat] or 0) - driver.now_ms < THINK_MS[1]
    assert [None, None] == [due for other, due in enumerate(due_ms) if other != seat]


def test_a_computer_that_keeps_silent_is_not_asked_again() -> None:
    """Nothing happens, nobody hears of it, and moves that leave its choices alone do not wake it."""
    driver, seat = beside()
    before = driver.record
    driver.do(Hold(seat), after_ms=THINK_MS[1])
    held = driver.record

    driver.do(Act(person_beside(driver, seat), Think()), after_ms=MINUTE_MS)

    assert None is held.table.due_ms[seat]
    assert None is driver.table.due_ms[seat]
    assert (before.state, before.recent, before.table.versions, before.table.idle_due_ms) == (
        held.state,
        held.recent,
        held.table.versions,
        held.table.idle_due_ms,
    )


def test_a_computer_looks_again_when_its_choices_change() -> None:
    """A bell takes one choice away and gives it back: it looks at each, once."""
    driver, seat = beside()
    driver.do(Hold(seat), after_ms=THINK_MS[1])
    driver.do(Act(person_beside(driver, seat), Ring()), after_ms=MINUTE_MS)
    rung = driver.table.due_ms[seat]
    driver.do(Act(person_beside(driver, seat), Think()), after_ms=THINK_MS[0] // 2)
    same = driver.table.due_ms[seat]
    driver.do(Hold(seat), after_ms=THINK_MS[1])
    silent = driver.table.due_ms[seat]

    driver.do(Expire("ring"), after_ms=RING_MS)

    assert rung is not None
    assert rung == same
    assert None is silent
    assert THINK_MS[0] <= (driver.table.due_ms[seat] or 0) - driver.now_ms < THINK_MS[1]


def test_a_computer_that_kept_silent_still_has_its_turn() -> None:
    """Silence holds for what nobody waits for; once it is to act it moves."""
    driver, seat = beside()
    driver.do(Hold(seat), after_ms=THINK_MS[1])

    while seat not in driver.table.to_act:
        driver.do(Act(driver.user(driver.table.to_act[0]), Say(1)))

    assert THINK_MS[0] <= (driver.table.due_ms[seat] or 0) - driver.now_ms < THINK_MS[1]


def test_a_computer_that_may_do_the_same_again_does_it_once() -> None:
    """What it did leaves its choices as they were: it is not asked again, or it would go on for ever."""
    driver, seat = beside()

    driver.do(Play(seat, Think(), "computer"), after_ms=THINK_MS[1])

    assert seat not in driver.table.to_act
    assert None is driver.table.due_ms[seat]


def test_nobody_looks_for_people() -> None:
    """A person beside the turn is never moved for, with a clock or without, away or not."""
    for clock_ms in (0, HOUR_MS):
        driver = Driver(Count(quiet), clock_ms=clock_ms).join(BO, CY).start()
        idle = [seat for seat in range(3) if seat not in driver.table.to_act]
        for _ in range(3):  # until they count as away
            for seat in range(3):
                driver.do(Play(seat, Say(1), "clock"), after_ms=MINUTE_MS) if driver.table.to_act == (seat,) else None

        assert [None, None] == [driver.table.due_ms[seat] for seat in range(3) if seat not in driver.table.to_act]
        assert 2 == len(idle)


def test_silence_needs_a_game() -> None:
    """There is nothing to look at in a lobby."""
    assert "not_started" == Driver().fill(1).refused(Hold(1))


async def test_the_log_has_one_look_for_each_new_choice(hall: Hall) -> None:
    """The door asks the computer, writes its silence down once, and sleeps then; the log replays to the same."""
    quietly = Hall(hall.store, {"count": Count(quiet)})
    table_id = await quietly.playing(BO, computers=1)
    while (table := await quietly.table(table_id)).to_act != (seat := table.seat_of(ANA.user_id),):
        who = table.sittings[table.to_act[0]].user_id
        if who is None:
            quietly.now_ms += THINK_MS[1]
            await quietly.tables.wake(table_id)
        else:
            await quietly.submit(table_id, Act(who, Say(1)))
    for _ in range(5):
        quietly.now_ms += THINK_MS[1]
        await quietly.tables.wake(table_id)
    length = await quietly.length(table_id)
    quietly.now_ms += THINK_MS[1]
    await quietly.tables.wake(table_id)
    rows = await quietly.store.log(table_id)
    snapshot = await quietly.store.load(table_id)
    assert snapshot is not None

    assert seat is not None
    assert length == len(rows)
    assert "Hold" == msgspec.json.decode(rows[-1].input)["type"]
    assert "Hold" != msgspec.json.decode(rows[-2].input)["type"]
    assert await quietly.stored(table_id) == replay(quietly.games["count"], rows, snapshot.seed)


# --- finishing somebody's turn -------------------------------------------------------------------


def test_a_computer_finishes_a_turn_that_the_clock_began() -> None:
    """The turn of several moves runs out: the rest of it comes at a computer's pace, as one strike."""
    driver = Driver(Count(goes_on=True), clock_ms=HOUR_MS).join(BO).start()
    driver.do(Play(0, Say(1), "clock"), after_ms=HOUR_MS)
    first = driver.table
    driver.do(Play(0, Say(1), "computer"), after_ms=THINK_MS[1])
    second = driver.table

    driver.do(Act(driver.user(0), Say(1)), after_ms=THINK_MS[0] // 2)

    assert [(0, 1), (0, 1)] == [(table.carried, table.strikes[0]) for table in (first, second)]
    assert THINK_MS[0] <= (first.due_ms[0] or 0) - (NOW_MS + HOUR_MS) < THINK_MS[1]
    assert first.moved_for(0)
    assert None is first.turn_ends_ms
    assert (None, 0) == (driver.table.carried, driver.table.strikes[0])
    assert driver.now_ms + HOUR_MS == driver.table.due_ms[0]


def test_a_turn_of_one_move_is_over_with_it() -> None:
    """Nobody is carried on when the turn has gone to somebody else."""
    driver = Driver(clock_ms=HOUR_MS).join(BO).start()

    driver.do(Play(0, Say(1), "clock"), after_ms=HOUR_MS)

    assert None is driver.table.carried
    assert driver.now_ms + HOUR_MS == driver.table.due_ms[1]


# --- Lambada, in which fouls must be caught ------------------------------------------------------


async def test_computers_look_call_and_keep_silent_in_lambada(hall: Hall) -> None:
    """Over some matches they do all of it, and every log replays to what is stored."""
    kinds: set[str] = set()
    callers: set[int | None] = set()
    hall.tables.subscribe(
        lambda update: callers.update(event.caller for event in update.events if isinstance(event, CaughtOut))
    )
    for _ in range(3):
        table_id = await hall.open("lambada", clock_ms=MINUTE_MS, computers=3, options={"penalties": "catch"})
        await hall.submit(table_id, Start(ANA.user_id))
        for _ in range(250):
            table = await hall.table(table_id)
            if table.phase == "over":
                break
            assert table.next_due_ms is not None
            hall.now_ms = max(hall.now_ms, table.next_due_ms)
            await hall.tables.wake(table_id)
        rows = await hall.store.log(table_id)
        kinds |= {msgspec.json.decode(row.input)["type"] for row in rows}
        snapshot = await hall.store.load(table_id)
        assert snapshot is not None
        assert await hall.stored(table_id) == replay(hall.games["lambada"], rows, snapshot.seed)

    assert {"Hold", "Play", "Expire"} <= kinds
    assert callers


@pytest.mark.parametrize("computers", [0, 3])
def test_the_table_is_the_same_after_a_foul_and_after_a_clean_card(computers: int) -> None:
    """Clocks, looks, versions, messages owed: laid and passed, a foul leads to the same table to the last field."""
    tables = []
    foul, clean = "grnB yelA pnkA", "yelB grnA pnkA"
    for pile in (foul, clean):
        driver = _lambada(computers)
        hands = ["grnA redM redA", *["bluA bluB purL"] * (len(driver.table.sittings) - 1)]
        state = catching(*hands, word="bluL redA grnM redB bluA orgD redA", pile=pile)
        driver.put(state)
        driver.do(Play(0, Lay(card("grnA"), 1), "computer"), after_ms=THINK_MS[1])
        laid = driver.table
        driver.do(Play(0, Pass(card("redM")), "computer"), after_ms=THINK_MS[1])
        tables.append((laid, driver.table, driver.last.owed, driver.record.recent))
        assert (pile == foul) == bool(driver.record.state.laid.fine)

    assert tables[0] == tables[1]


class _Staged:
    """A table of Lambada moved by hand, whose state can be put there."""

    def __init__(self, record: Record, now_ms: int) -> None:
        self.record = record
        self.now_ms = now_ms
        self.last: Any = None

    @property
    def table(self) -> Any:
        """The public part."""
        return self.record.table

    def put(self, state: Any) -> None:
        """Have this be the state, with seat 0 to lay."""
        table = msgspec.structs.replace(self.table, to_act=(0,))
        self.record = Record(table, state, ())

    def do(self, happening: Any, after_ms: int = 0) -> None:
        """Apply an input."""
        self.now_ms += after_ms
        ctx = Ctx(self.now_ms, Rng(bytes(SEED_BYTES), f"step {self.table.seq + 1}"))
        self.last = advance(GAME, self.record, happening, ctx)
        self.record = self.last.record


def _lambada(computers: int) -> _Staged:
    """Return a table under way, of Ana and Bo, or of Ana and computers."""
    given = {"guild_id": 7, "channel_id": 8, "host": ANA, "options": {"penalties": "catch"}, "computers": 0}
    promise = fingerprint(bytes(SEED_BYTES))
    opening = Open(table_id=1, game="lambada", fingerprint=promise, clock_ms=MINUTE_MS, **given)
    opened = advance(GAME, None, opening, Ctx(NOW_MS, Rng(bytes(SEED_BYTES), "step 1")))
    staged = _Staged(opened.record, NOW_MS)
    for _ in range(computers):
        staged.do(AddComputer(ANA.user_id))
    if not computers:
        staged.do(Join(BO))
    staged.do(Start(ANA.user_id))
    return staged

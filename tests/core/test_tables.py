"""The async door on a real database: nothing is lost, nothing happens twice, nothing is told before it is saved."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Sequence
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from rules.core import vault
from rules.core.contract import Refusal, View
from rules.core.ports import Conflict
from rules.core.replay import replay
from rules.core.rng import SEED_BYTES, Rng
from rules.core.table import (
    LOBBY_IDLE_MS,
    MINUTE_MS,
    PRESENT_MS,
    THINK_MS,
    Act,
    AddComputer,
    Configure,
    End,
    Happening,
    Join,
    Leave,
    Open,
    Person,
    Start,
)
from rules.core.tables import Cause, Update
from tests.core.hall import GUILD_ID, Hall
from tests.core.helpers import ANA, BO, CY, DI, NOW_MS, RING_MS, Count, Ring, Say, Think
from tests.helpers import games

CROWD = 200
CLICKS = 50
UNTIMELY = ("too_early", "too_fast", "too_late", "not_host")
"""What a game of real time refuses of its legal moves."""


async def outcomes(*calls: Awaitable[Any]) -> list[str]:
    """Await all at once; return a refusal's code for each that was refused, else "done"."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, Refusal):
            raise result
    return [result.code if isinstance(result, Refusal) else "done" for result in results]


async def refused(call: Awaitable[Any]) -> str:
    """Await what must be refused; return the code."""
    with pytest.raises(Refusal) as caught:
        await call
    return caught.value.code


# --- the door ------------------------------------------------------------------------------------


async def test_a_table_is_opened_and_stored(hall: Hall) -> None:
    """What the update shows is what the database has."""
    table_id = await hall.open(computers=1)

    assert 1 == table_id
    assert (await hall.table(table_id)) == (await hall.stored(table_id)).table == hall.told[0].table
    assert [table_id] == list(await hall.store.find(guild_id=GUILD_ID, user_id=ANA.user_id))
    assert NOW_MS + LOBBY_IDLE_MS == (await hall.store.due())[0].due_ms


async def test_numbers_go_on_after_a_restart(hall: Hall) -> None:
    """A new door does not give out a number again, not that of a refused opening either."""
    await hall.open()
    hall.tables = hall.door(await hall.store.last_table_id())
    with pytest.raises(Refusal, match="unknown_clock"):
        await hall.open(clock_ms=1)

    assert 3 == await hall.open()


async def test_a_refused_opening_leaves_nothing(hall: Hall) -> None:
    """No table, nobody told."""
    assert "unknown_option" == await refused(hall.open(options={"goal": "1"}))

    assert [] == list(await hall.store.find(guild_id=GUILD_ID, live=False))
    assert [] == hall.told


async def test_a_refusal_leaves_table_log_and_listeners_alone(hall: Hall) -> None:
    """Nothing is stored and nobody told."""
    table_id = await hall.open()
    before = await hall.stored(table_id)

    assert "too_few" == await refused(hall.submit(table_id, Start(ANA.user_id)))

    assert before == await hall.stored(table_id)
    assert (1, 1) == (await hall.length(table_id), len(hall.told))


async def test_an_unknown_table_is_refused(hall: Hall) -> None:
    """So is one of a game that is not installed."""
    table_id = await hall.open()
    bare = Hall(hall.store, {"other": Count()})

    assert "no_table" == await refused(hall.tables.glance(99))
    assert "no_table" == await refused(hall.submit(99, Join(BO)))
    assert "no_table" == await refused(bare.tables.glance(table_id))


async def test_everyone_gets_a_scene_of_their_own(hall: Hall) -> None:
    """A seat sees its own and its choices, a spectator neither; after the end nobody has choices."""
    table_id = await hall.playing(BO)
    glance = await hall.tables.glance(table_id)
    scenes = [glance.seen_by(await hall.user(table_id, 0)), glance.seen_by(555), glance.seen_by(None)]
    await hall.submit(table_id, End(ANA.user_id))
    after = (await hall.tables.glance(table_id)).seen_by(ANA.user_id)

    assert [0, None, None] == [scene.seat for scene in scenes]
    assert [Say(1), Say(2), Say(3)] == list(scenes[0].legal)
    assert [(), ()] == [scene.legal for scene in scenes[1:]]
    assert isinstance(scenes[0].view, View)
    assert [True, False, False] == [scene.view.own is not None for scene in scenes]
    assert () == after.legal


async def test_an_update_tells_each_seat_its_own(hall: Hall) -> None:
    """Private events reach their seat alone; raised seats and the presser are named."""
    table_id = await hall.playing(BO)
    dealt = hall.told[-1]
    moved = await hall.submit(table_id, Act(await hall.user(table_id, 0), Say(1)))

    assert [1, 1, 0] == [len(dealt.told(seat)) for seat in (0, 1, None)]
    assert ((0, 1), None, True) == (dealt.raised, dealt.seat, dealt.pressed)
    assert ((0, 1), 0, True) == (moved.raised, moved.seat, moved.pressed)


async def test_the_seed_is_shown_at_the_end_and_not_before(hall: Hall) -> None:
    """The fingerprint stands from the start; the seed that it promised is revealed with the end."""
    table_id = await hall.playing(BO)
    during = await hall.table(table_id)
    await hall.submit(table_id, End(ANA.user_id))
    after = await hall.table(table_id)

    assert "" == during.seed
    assert sha256(bytes.fromhex(after.seed)).hexdigest() == during.fingerprint
    assert (1).to_bytes(SEED_BYTES, "big").hex() == after.seed


async def test_what_is_owed_is_in_the_outbox(hall: Hall) -> None:
    """A ping is stored with the move that makes it due."""
    table_id = await hall.playing(BO, CY)
    before = len(await hall.store.owed())
    hall.now_ms += PRESENT_MS

    update = await hall.submit(table_id, Act(await hall.user(table_id, 0), Say(1)))

    assert [("turn", 1)] == [(owed.kind, owed.seat) for owed in update.owed]
    assert list(update.owed) == list(await hall.store.owed())[before:]


# --- twice ---------------------------------------------------------------------------------------


async def test_a_repeated_delivery_changes_nothing(hall: Hall) -> None:
    """The same interaction comes twice: the table as it is, no events, no second log entry, nobody told."""
    table_id = await hall.open()
    press = hall.press()
    first = await hall.tables.submit(table_id, AddComputer(ANA.user_id), press)

    second = await hall.tables.submit(table_id, AddComputer(ANA.user_id), press)

    assert first.table == second.table == await hall.table(table_id)
    assert ((), ()) == (second.events, second.raised)
    assert (2, 2) == (await hall.length(table_id), len(hall.told))


@pytest.mark.parametrize("happening", [Join(BO), Act(ANA.user_id, Say(1), 1), Start(ANA.user_id), End(CY.user_id)])
async def test_a_repeated_delivery_is_never_applied_again(hall: Hall, happening: Happening) -> None:
    """Also where the rules would refuse the second one anyway, and after a restart."""
    table_id = await hall.open()
    for guest in (CY, DI):
        await hall.submit(table_id, Join(guest))
    if isinstance(happening, Act | End):
        await hall.submit(table_id, Start(ANA.user_id))
    if isinstance(happening, Act):
        happening = Act(await hall.user(table_id, 0), happening.action, 1)
    press = hall.press()
    await hall.tables.submit(table_id, happening, press)
    before, length, told = await hall.stored(table_id), await hall.length(table_id), len(hall.told)
    hall.tables = hall.door(table_id)

    await outcomes(hall.tables.submit(table_id, happening, press))

    assert before == await hall.stored(table_id)
    assert (length, told) == (await hall.length(table_id), len(hall.told))


async def test_a_repeated_opening_is_refused(hall: Hall) -> None:
    """One command opens one table."""
    press = hall.press()
    opening = Open(game="count", guild_id=7, channel_id=8, host=ANA)
    await hall.tables.open(opening, press)

    assert "already_done" == await refused(hall.tables.open(opening, press))

    assert 1 == len(await hall.store.find(guild_id=GUILD_ID))


async def test_two_identical_presses_have_one_effect(hall: Hall) -> None:
    """Two presses on one panel at once: one counts, the other is told that it is done."""
    table_id = await hall.playing(BO)
    act = Act(await hall.user(table_id, 0), Say(2), (await hall.table(table_id)).versions[0])

    done = await outcomes(hall.submit(table_id, act), hall.submit(table_id, act))

    assert ["done", "already_done"] == done
    assert 4 == await hall.length(table_id)
    assert (2, 0) == (await hall.stored(table_id)).state.said


# --- at once -------------------------------------------------------------------------------------


async def test_fifty_joins_of_one_person_take_one_seat(hall: Hall) -> None:
    """However fast one clicks."""
    table_id = await hall.open()

    done = await outcomes(*(hall.submit(table_id, Join(BO)) for _ in range(CLICKS)))

    assert Counter({"already_seated": CLICKS - 1, "done": 1}) == Counter(done)
    assert (ANA.user_id, BO.user_id) == (await hall.stored(table_id)).table.people


async def test_two_hundred_joins_never_fill_more_than_the_seats(hall: Hall) -> None:
    """The lobby is full when it is full."""
    table_id = await hall.open()
    crowd = [Person(1_000 + number, f"P{number}") for number in range(CROWD)]

    done = await outcomes(*(hall.submit(table_id, Join(person)) for person in crowd))

    assert Counter({"done": 3, "table_full": CROWD - 3}) == Counter(done)
    assert 4 == len((await hall.stored(table_id)).table.sittings)
    assert max(len(update.table.sittings) for update in hall.told) == 4


async def test_listeners_hear_in_the_order_of_commits(hall: Hall) -> None:
    """Over several tables at once, each update after its own commit and before the next is told."""
    table_ids = [await hall.open() for _ in range(4)]
    people = [Person(1_000 + number, f"P{number}") for number in range(3)]

    await asyncio.gather(*(hall.submit(table_id, Join(person)) for person in people for table_id in table_ids))

    assert hall.store.saved == [(update.table.table_id, update.table.seq) for update in hall.told]
    for table_id in table_ids:
        assert [1, 2, 3, 4] == [update.table.seq for update in hall.told if update.table.table_id == table_id]


async def test_nothing_is_told_before_it_is_saved(hall: Hall) -> None:
    """While the commit waits, nobody hears and everyone still sees the table as it was."""
    table_id = await hall.open()
    hall.store.gate.clear()
    hall.store.waiting.clear()
    joining = asyncio.ensure_future(hall.submit(table_id, Join(BO)))
    await hall.store.waiting.wait()
    seen = (len(hall.told), len((await hall.table(table_id)).sittings))
    hall.store.gate.set()
    await joining

    assert (1, 1) == seen
    assert (2, 2) == (len(hall.told), len((await hall.table(table_id)).sittings))


async def test_a_cancelled_press_loses_nothing(hall: Hall) -> None:
    """Whoever asked is gone in the middle of the commit: the step is finished, told, and the table usable."""
    table_id = await hall.open()
    hall.store.gate.clear()
    hall.store.waiting.clear()
    joining = asyncio.ensure_future(hall.submit(table_id, Join(BO)))
    await hall.store.waiting.wait()
    joining.cancel()
    with pytest.raises(asyncio.CancelledError):
        await joining
    closing = asyncio.ensure_future(hall.tables.close())
    hall.store.gate.set()
    await closing
    finished = (await hall.stored(table_id)).table.people
    await hall.submit(table_id, Join(CY))

    assert (ANA.user_id, BO.user_id) == finished
    assert [1, 2, 3] == [update.table.seq for update in hall.told]
    assert (ANA.user_id, BO.user_id, CY.user_id) == (await hall.stored(table_id)).table.people


async def test_a_commit_that_fails_leaves_the_table_as_it_was(hall: Hall) -> None:
    """The disk is full: an error, nothing told, and the next input goes on from what is stored."""
    table_id = await hall.playing(BO)
    before, told = await hall.stored(table_id), len(hall.told)
    hall.store.failures.append(OSError("disk full"))
    act = Act(await hall.user(table_id, 0), Say(2))

    with pytest.raises(OSError, match="disk full"):
        await hall.submit(table_id, act)

    assert before == await hall.stored(table_id)
    assert before.table == await hall.table(table_id)
    assert told == len(hall.told)
    await hall.submit(table_id, act)
    assert (2, 0) == (await hall.stored(table_id)).state.said


async def test_an_opening_that_fails_leaves_nothing(hall: Hall) -> None:
    """The next opening works, under another number."""
    hall.store.failures.append(OSError("disk full"))
    with pytest.raises(OSError, match="disk full"):
        await hall.open()

    assert 2 == await hall.open()
    assert "no_table" == await refused(hall.tables.glance(1))


async def test_a_table_that_somebody_else_wrote_is_read_afresh(hall: Hall) -> None:
    """A second door wrote first: this one is told of the conflict, once, and then goes on."""
    table_id = await hall.open()
    other = hall.door(table_id)
    await other.submit(table_id, Join(BO), hall.press())

    with pytest.raises(Conflict):
        await hall.submit(table_id, Join(CY))

    await hall.submit(table_id, Join(CY))
    assert (ANA.user_id, BO.user_id, CY.user_id) == (await hall.stored(table_id)).table.people


async def test_tables_that_nobody_moves_leave_memory_and_come_back(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """More tables than are kept: each goes on from the database as if it had stayed."""
    monkeypatch.setattr(vault, "CACHED", 2)
    table_ids = [await hall.playing(BO) for _ in range(5)]

    for number in (1, 2, 3):
        for table_id in table_ids:
            seat = (await hall.table(table_id)).to_act[0]
            await hall.submit(table_id, Act(await hall.user(table_id, seat), Say(number)))

    for table_id in table_ids:
        record = await hall.stored(table_id)
        assert (4, 2) == record.state.said
        assert record == await replayed(hall, table_id)


# --- time ----------------------------------------------------------------------------------------


async def test_waking_early_does_nothing(hall: Hall) -> None:
    """A moment before the deadline the table is as it was."""
    table_id = await hall.playing(BO, clock_ms=MINUTE_MS)
    hall.now_ms += MINUTE_MS // 2 - 1

    await hall.tables.wake(table_id)

    assert 3 == await hall.length(table_id)


async def test_waking_twice_moves_once(hall: Hall) -> None:
    """Two wakers at the deadline: one move, by the clock."""
    table_id = await hall.playing(BO, clock_ms=MINUTE_MS)
    hall.now_ms += MINUTE_MS

    await asyncio.gather(hall.tables.wake(table_id), hall.tables.wake(table_id))

    assert 4 == await hall.length(table_id)
    assert (1, 0) == (await hall.stored(table_id)).state.said
    assert ("clock", False) == ((await hall.stored(table_id)).recent[-1].by, hall.told[-1].pressed)


async def test_waking_late_gives_the_next_one_their_whole_turn(hall: Hall) -> None:
    """The bot slept through three turns: one is played, the next begins now."""
    table_id = await hall.playing(BO, clock_ms=MINUTE_MS)
    hall.now_ms += 3 * MINUTE_MS

    await hall.tables.wake(table_id)

    assert 4 == await hall.length(table_id)
    assert (None, NOW_MS + 4 * MINUTE_MS) == (await hall.table(table_id)).due_ms


async def test_waking_an_idle_lobby_closes_it(hall: Hall) -> None:
    """The lobby's own deadline; once over there is nothing more to wake for."""
    table_id = await hall.open()
    hall.now_ms += LOBBY_IDLE_MS

    await hall.tables.wake(table_id)
    await hall.tables.wake(table_id)

    assert "idle" == (await hall.table(table_id)).ended
    assert 2 == await hall.length(table_id)
    assert [] == list(await hall.store.due())


async def test_a_deadline_comes_before_a_computer(hall: Hall) -> None:
    """Both are overdue: the deadline passes first, then the computer moves."""
    table_id = await hall.playing(BO, clock_ms=0)
    await hall.submit(table_id, Act(await hall.user(table_id, 1), Ring()))
    leaver = await hall.user(table_id, 0)
    await hall.submit(table_id, Leave(leaver))
    hall.now_ms += RING_MS

    await hall.tables.wake(table_id)

    kinds = [msgspec.json.decode(row.input)["type"] for row in await hall.store.log(table_id)]
    assert ["Expire", "Play"] == kinds[-2:]


async def test_a_computer_plays_after_its_moment_of_thought(hall: Hall) -> None:
    """Not at once, and then as itself."""
    table_id = await hall.playing(computers=1)
    while (await hall.table(table_id)).sittings[(await hall.table(table_id)).to_act[0]].user_id is not None:
        await hall.submit(table_id, Act(ANA.user_id, Say(1)))
    length = await hall.length(table_id)
    hall.now_ms += THINK_MS[0] - 1
    await hall.tables.wake(table_id)
    early = await hall.length(table_id)
    hall.now_ms += THINK_MS[1] - THINK_MS[0]
    await hall.tables.wake(table_id)

    assert length == early
    assert length + 1 == await hall.length(table_id)
    assert "computer" == (await hall.stored(table_id)).recent[-1].by


def failing(_view: Any, _legal: Sequence[Any], _rng: Rng, /) -> Any:
    """Choose nothing, loudly."""
    raise LookupError("the queen of hearts")


def raving(_view: Any, _legal: Sequence[Any], _rng: Rng, /) -> Any:
    """Choose what nobody offered."""
    return Say(1_000)


def silent(_view: Any, _legal: Sequence[Any], _rng: Rng, /) -> Any:
    """Choose nothing at all."""
    return None


@pytest.mark.parametrize("choose", [failing, raving, silent])
async def test_a_computer_that_fails_still_moves(hall: Hall, choose: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A move at random stands in for it, and no card gets into the log through its error."""
    broken = Hall(hall.store, {"count": Count(choose)})
    table_id = await broken.playing(BO, CY, clock_ms=MINUTE_MS)
    for guest in (BO, CY):
        await broken.submit(table_id, Leave(guest.user_id))

    table = await broken.until_over(table_id)

    assert "finished" == table.ended
    assert sum(table.scores) >= 12
    assert "queen" not in caplog.text
    assert (choose is failing) == ("LookupError" in caplog.text)


# --- replay --------------------------------------------------------------------------------------


async def replayed(hall: Hall, table_id: int) -> Any:
    """Fold the log of a table."""
    snapshot = await hall.store.load(table_id)
    assert snapshot
    return replay(hall.games[snapshot.game], await hall.store.log(table_id), snapshot.seed)


@pytest.mark.parametrize("key", ["count", *games()])
@pytest.mark.parametrize("number", range(3))
async def test_the_log_replays_to_what_is_stored(hall: Hall, key: str, number: int) -> None:
    """Whole games of people, computers, leavers and clocks: the fold of the log is the stored record, at any time."""
    game = hall.games[key]
    chance = Rng(number.to_bytes(SEED_BYTES, "big"), "people")
    table_id = await hall.open(key, clock_ms=MINUTE_MS, computers=game.spec.max_seats - 2)
    await hall.submit(table_id, Join(BO))
    await hall.submit(
        table_id, Configure(ANA.user_id, {o.key: chance.choice(o.choices).key for o in game.spec.options})
    )
    await hall.submit(table_id, Start(ANA.user_id))
    leaves_at = 6 + chance.below(10) if number else 10**6

    while (table := await hall.table(table_id)).phase == "playing":
        if table.seq >= leaves_at and BO.user_id in table.people:
            await hall.submit(table_id, Leave(BO.user_id))
        elif (moved := await person_moves(hall, table_id, chance)) is None:
            assert table.next_due_ms is not None
            hall.now_ms = max(hall.now_ms, table.next_due_ms)
            await hall.tables.wake(table_id)
        else:
            assert moved.pressed
        if chance.below(4 + table.seq // 8) == 0:  # the longer the log, the longer it takes
            assert await hall.stored(table_id) == await replayed(hall, table_id)

    assert await hall.stored(table_id) == await replayed(hall, table_id)
    assert "finished" == table.ended
    assert table.places


async def person_moves(hall: Hall, table_id: int, chance: Rng) -> Update | None:
    """Have a person who is to act move after three seconds, unless they doze off or may not; `None` if nobody did."""
    table = await hall.table(table_id)
    awake = [table.sittings[seat].user_id for seat in table.to_act if table.sittings[seat].user_id is not None]
    if not awake or chance.below(6) == 0:
        return None
    hall.now_ms += 3_000
    await hall.tables.wake(table_id)
    user_id = awake[0]
    legal = (await hall.tables.glance(table_id)).seen_by(user_id).legal
    if not legal or user_id not in (await hall.table(table_id)).people:
        return None
    try:
        return await hall.submit(table_id, Act(user_id or 0, chance.choice(list(legal))))
    except Refusal as refusal:
        if refusal.code not in UNTIMELY:
            raise
        return None


async def test_a_log_of_another_seed_is_noticed(hall: Hall) -> None:
    """A deal that was not made from the promised seed does not replay to the same table."""
    table_id = await hall.playing(BO)
    rows = await hall.store.log(table_id)

    assert await hall.stored(table_id) != replay(hall.games["count"], rows, bytes(SEED_BYTES))


async def test_an_empty_log_is_no_table(hall: Hall) -> None:
    """There is nothing to fold."""
    with pytest.raises(Refusal, match="no_table"):
        replay(hall.games["count"], [], bytes(SEED_BYTES))


async def test_the_last_step_of_everyone_is_in_the_log_with_its_seat_and_time(hall: Hall) -> None:
    """Who moved and when: Discord's time of the press, the clock's for the table itself."""
    table_id = await hall.playing(BO)
    user_id = await hall.user(table_id, 1)
    await hall.tables.submit(table_id, Act(user_id, Think()), Cause(NOW_MS + 17, 4_711))

    rows = await hall.store.log(table_id)

    assert [(1, NOW_MS, None), (2, NOW_MS, None), (3, NOW_MS, None), (4, NOW_MS + 17, 1)] == [
        (row.seq, row.at_ms, row.seat) for row in rows
    ]

"""The door of tournaments on a real database: nothing is lost, nothing happens twice, refusals change nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from itertools import count, permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from db import SqliteStore
from rules.core.contract import Refusal
from rules.core.ports import TOURNAMENT
from rules.core.table import MINUTE_MS, Open, Person
from rules.core.tables import Cause, Tables
from rules.tournaments import inputs as i
from rules.tournaments.clock import deadlines
from rules.tournaments.codec import UPGRADES, dump_record, load_input, load_record
from rules.tournaments.door import Tournaments, Update, call_of
from rules.tournaments.event import replay
from rules.tournaments.model import GameChoice, Setup, Tournament
from rules.tournaments.orders import OpenTable, Pair, Place, orders
from rules.tournaments.pairing import propose
from rules.tournaments.sizes import Sizes
from tests.helpers import games

NOW_MS = 1_767_225_600_000
BOSS = 1
CROWD = 60
SETUP = Setup(
    title="Friday Floor",
    format="swiss",
    games=(GameChoice("lets_dance", 2, 6),),
    sizes=Sizes(3, 4, 5),
    rounds=2,
)


class Ballroom:
    """
    A door on a file.

    Attributes:
        now_ms: the time.
        told: every update, in the order of telling.
    """

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.now_ms = NOW_MS
        self.told: list[Update] = []
        self.presses = count(1)
        self.ids = count(1)
        self.door = self.new_door()

    def new_door(self) -> Tournaments:
        """Return another door on the same store, as after a restart."""
        door = Tournaments(self.store, lambda: self.now_ms, lambda: bytes(range(16)), lambda: next(self.ids))
        door.subscribe(self.told.append)
        return door

    def cause(self) -> Cause:
        """Return the press of somebody."""
        return Cause(self.now_ms, next(self.presses))

    async def create(self, **fields: Any) -> int:
        """Create a tournament; return its number."""
        setup = msgspec.structs.replace(SETUP, **fields)
        act = i.Create(user_id=BOSS, staff=True, setup=setup, guild_id=7, channel_id=8)
        return (await self.door.create(act, self.cause())).record.tournament_id

    async def do(self, number: int, act: i.Happening) -> Tournament:
        """Apply an input."""
        return (await self.door.submit(number, act, self.cause())).record

    async def stored(self, number: int) -> Tournament:
        """Return what the file has."""
        snapshot = await self.store.load(number)
        assert snapshot is not None
        return load_record(snapshot.body)

    async def check(self, number: int) -> None:
        """Hold memory, file, and the fold of the file's inputs against each other."""
        snapshot = await self.store.load(number)
        assert snapshot is not None
        rows = [(row.at_ms, load_input(row.input)) for row in await self.store.log(number)]
        record, _ = replay(snapshot.seed, rows)
        assert record is not None
        assert dump_record(record) == snapshot.body
        assert record == await self.door.look(number)

    async def serve(self, number: int) -> None:
        """Carry out what is wanted, tables of our own numbering."""
        while True:
            record = await self.door.look(number)
            wanted = [order for order in orders(record) if isinstance(order, Pair | Place | OpenTable)]
            if not wanted:
                return
            match wanted[0]:
                case Pair() as order:
                    await self.do(number, i.Paired(proposal=propose(order.request)))
                case Place() as order:
                    await self.do(number, i.Placed(**_at(order), channel_id=900 + order.pod))
                case OpenTable() as order:
                    await self.do(number, i.Opened(**_at(order), table_id=100 * order.round + order.pod))


def _at(order: Place | OpenTable) -> dict[str, int]:
    return {"round": order.round, "pod": order.pod, "attempt": order.attempt}


@pytest.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Ballroom]:
    """Give an empty ballroom."""
    store = await SqliteStore.open(tmp_path / "game.sqlite3")
    ballroom = Ballroom(store)
    yield ballroom
    await ballroom.door.close()
    await store.close()


async def refused(call: Awaitable[Any]) -> str:
    """Await what must be refused; return the code."""
    with pytest.raises(Refusal) as caught:
        await call
    return caught.value.code


async def started(hall: Ballroom, people: int = 8, **fields: Any) -> int:
    """Start a tournament of so many people, its tables open."""
    number = await hall.create(**fields)
    for one in range(people):
        await hall.do(number, i.Join(user_id=100 + one, name=f"Dancer {one}"))
    await hall.do(number, i.Start(user_id=BOSS, staff=True, players=people))
    await hall.serve(number)
    return number


def result(pod: Any, number: int = 1) -> i.Result:
    """Return the report of a table that has ended."""
    places = tuple(range(1, len(pod.players) + 1))
    about = {"round": number, "pod": pod.number, "attempt": pod.attempt, "table_id": pod.table_id}
    return i.Result(**about, places=places, scores=places[::-1], reason="finished")


async def test_what_is_stored_is_what_the_log_leads_to_at_any_time(hall: Ballroom) -> None:
    """After every input of a whole tournament."""
    number = await started(hall)
    for _ in (1, 2):
        await hall.check(number)
        record = await hall.door.look(number)
        for pod in record.rounds[-1].pods:
            for one in pod.players:
                await hall.do(number, i.Here(user_id=record.entrant(one).user_id))
                await hall.check(number)
        await hall.serve(number)
        for pod in (await hall.door.look(number)).rounds[-1].pods:
            await hall.do(number, result(pod, len(record.rounds)))
            await hall.check(number)
        if len(record.rounds) == 1:
            await hall.do(number, i.Next(user_id=BOSS, staff=True, round=1))
            await hall.serve(number)
    await hall.do(number, i.Finish(user_id=BOSS, staff=True))
    await hall.check(number)

    assert "finished" == (await hall.stored(number)).phase
    assert [] == list(await hall.store.find(guild_id=7, kind=TOURNAMENT))
    assert [number] == list(await hall.store.find(guild_id=7, live=False, kind=TOURNAMENT))
    assert [] == list(await hall.store.find(guild_id=7, live=False))


async def test_a_crowd_at_once_leaves_nobody_out(hall: Ballroom) -> None:
    """Sixty people join in one moment, each twice: sixty entrants, told in the order of commits."""
    number = await hall.create()
    acts = [i.Join(user_id=100 + one, name="Somebody") for one in range(CROWD)] * 2
    results = await asyncio.gather(*(hall.do(number, act) for act in acts), return_exceptions=True)
    codes = Counter(one.code for one in results if isinstance(one, Refusal))

    assert {"already_entered": CROWD} == codes
    assert CROWD == len((await hall.stored(number)).entrants)
    assert [update.record.seq for update in hall.told] == list(range(1, CROWD + 2))
    await hall.check(number)


async def test_results_of_one_moment_close_the_round_once(hall: Ballroom) -> None:
    """Both tables report together, each of them twice."""
    number = await started(hall)
    record = await hall.door.look(number)
    for who in record.entrants:
        await hall.do(number, i.Here(user_id=who.user_id))
    await hall.serve(number)
    pods = (await hall.door.look(number)).rounds[-1].pods
    reports = [result(pod) for pod in pods] * 2
    codes = [
        one.code if isinstance(one, Refusal) else "done"
        for one in await asyncio.gather(*(hall.do(number, each) for each in reports), return_exceptions=True)
        if isinstance(one, Refusal | Tournament)
    ]
    told = [event.what for event in await hall.door.history(number)]

    assert 2 == codes.count("done") == told.count("result")
    assert 1 == told.count("round_over")
    assert "provisional" == (await hall.stored(number)).rounds[-1].phase


@pytest.mark.parametrize("turn", list(permutations(range(3))))
async def test_check_d4_in_whatever_order_tables_finish_the_next_round_starts(
    hall: Ballroom, turn: tuple[int, ...]
) -> None:
    """Three tables, six orders: the round is over with the last of them, not before, and the next one is paired."""
    number = await started(hall, 12)
    for who in (await hall.door.look(number)).entrants:
        await hall.do(number, i.Here(user_id=who.user_id))
    await hall.serve(number)
    pods = (await hall.door.look(number)).rounds[-1].pods
    for at in turn:
        assert "tables_open" == await refused(hall.do(number, i.Next(user_id=BOSS, staff=True, round=1)))
        await hall.do(number, result(pods[at]))
    await hall.do(number, i.Next(user_id=BOSS, staff=True, round=1))
    await hall.serve(number)

    assert 3 == len((await hall.stored(number)).rounds[1].pods)


async def test_a_repeated_interaction_changes_nothing(hall: Ballroom) -> None:
    """Discord delivers it again: the first outcome stands, and nobody is told twice."""
    number = await hall.create()
    cause = hall.cause()
    join = i.Join(user_id=100, name="Ana")
    await hall.door.submit(number, join, cause)
    seq, told = (await hall.stored(number)).seq, len(hall.told)
    assert "already_entered" == await refused(hall.door.submit(number, join, cause))
    repeated = await hall.door.submit(number, i.Join(user_id=101, name="Bea"), cause)

    assert seq == repeated.record.seq == (await hall.stored(number)).seq
    assert told == len(hall.told)
    assert () == repeated.events
    act = i.Create(user_id=BOSS, staff=True, setup=SETUP, guild_id=7, channel_id=8)
    assert "already_done" == await refused(hall.door.create(act, cause))


async def test_a_refusal_changes_nothing(hall: Ballroom) -> None:
    """Neither in memory nor in the file nor for those who listen."""
    number = await started(hall)
    before, told = await hall.stored(number), len(hall.told)
    for act in (
        i.Join(user_id=999, name="Late"),
        i.Next(user_id=BOSS, staff=True, round=1),
        i.Next(user_id=100, round=1),
        i.Finish(user_id=BOSS, staff=True),
        i.Expire(name="pod-1"),
        i.Moved(round=1, pod=9, attempt=1, table_id=5),
        i.Create(user_id=BOSS, staff=True, setup=SETUP, guild_id=7, channel_id=8),
    ):
        await refused(hall.do(number, act))

    assert before == await hall.stored(number) == await hall.door.look(number)
    assert told == len(hall.told)
    assert "no_tournament" == await refused(hall.door.look(99))


async def test_deadlines_pass_once_however_often_one_wakes(hall: Ballroom) -> None:
    """Too early does nothing; at the moment, all at once and twice, each deadline passes once; a restart loses none."""
    number = await started(hall, no_show_ms=5 * MINUTE_MS)
    due_ms = min(deadlines(await hall.door.look(number)).values())
    assert due_ms == (await hall.store.due(TOURNAMENT))[0].due_ms
    assert [] == list(await hall.store.due())
    hall.now_ms = due_ms - 1
    await hall.door.wake(number)
    assert 0 == [event.what for event in await hall.door.history(number)].count("stuck")
    hall.now_ms = due_ms
    hall.door = hall.new_door()
    await asyncio.gather(*(hall.door.wake(number) for _ in range(5)))

    assert 2 == [event.what for event in await hall.door.history(number)].count("stuck")
    assert [] == list(await hall.store.due(TOURNAMENT))
    await hall.check(number)


async def test_calls_are_owed_until_they_are_settled(hall: Ballroom) -> None:
    """They are saved with what brings them about, each with a nonce of its own that Discord takes."""
    number = await started(hall)
    owed = await hall.store.owed(TOURNAMENT)
    calls = [call_of(one) for one in owed]

    assert [] == list(await hall.store.owed())
    assert [("seats", 1, 1), ("seats", 1, 2)] == [(call.kind, call.round, call.pod) for call in calls]
    assert 2 == len({call.nonce for call in calls})
    assert all(len(f"{call.nonce}-0") <= 25 for call in calls)
    await hall.store.settle(calls[0].nonce)
    assert calls[1:] == [call_of(one) for one in await hall.store.owed(TOURNAMENT)]
    assert number == owed[0].table_id


async def test_a_subscriber_that_fails_keeps_nothing_from_the_others(hall: Ballroom) -> None:
    """The step stands, and who listens after it hears of it."""
    number = await hall.create()
    heard: list[int] = []

    def broken(_update: Update) -> None:
        raise RuntimeError("no")

    hall.door.subscribe(broken)
    hall.door.subscribe(lambda update: heard.append(update.record.seq))
    await hall.do(number, i.Join(user_id=100, name="Ana"))

    assert [2] == heard
    assert 1 == len((await hall.stored(number)).entrants)


async def test_nothing_happens_while_it_is_held(hall: Ballroom) -> None:
    """A step waits for the job that rewrites, and then sees what it wrote; listeners see it as well."""
    number, other = await hall.create(), await hall.create()
    entered, leave = asyncio.Event(), asyncio.Event()

    async def job() -> str:
        entered.set()
        await leave.wait()
        return "done"

    holding = asyncio.ensure_future(hall.door.hold([other, number, number], job))
    await entered.wait()
    step = asyncio.ensure_future(hall.do(number, i.Join(user_id=100, name="Ana")))
    await asyncio.sleep(0)
    assert not step.done()
    told = len(hall.told)
    leave.set()

    assert "done" == await holding
    assert 1 == len((await step).entrants)
    assert {number, other} == {update.record.tournament_id for update in hall.told[told:]}
    assert "no_tournament" == await refused(hall.door.look(77))
    assert "held" == await hall.door.hold([77], lambda: _said("held"))


async def _said(word: str) -> str:
    return word


async def test_tables_and_tournaments_are_numbered_together_and_kept_apart(hall: Ballroom) -> None:
    """Neither door opens what is the other's."""
    tables = Tables(games(), hall.store, lambda: hall.now_ms, lambda: bytes(range(16)), 0)
    hall.door = Tournaments(hall.store, lambda: hall.now_ms, lambda: bytes(range(16)), tables.new_number)
    number = await hall.create()
    opening = Open(game="lets_dance", guild_id=7, channel_id=8, host=Person(5, "Ana"))
    table = (await tables.open(opening, hall.cause())).table

    assert (number, table.table_id) == (1, 2)
    assert "no_table" == await refused(tables.glance(number))
    assert "no_tournament" == await refused(hall.door.look(table.table_id))
    assert 2 == await hall.store.last_table_id()
    await tables.close()


async def test_a_record_of_a_newer_bot_is_refused(hall: Ballroom) -> None:
    """What an older one has written comes back as it was."""
    number = await started(hall)
    body = dump_record(await hall.door.look(number))

    assert load_record(body) == await hall.door.look(number)
    newer = body.replace(f'"version":{len(UPGRADES) + 1}'.encode(), b'"version":99', 1)
    with pytest.raises(Exception, match="version 99"):
        load_record(newer)


async def test_the_history_is_the_same_after_a_restart(hall: Ballroom) -> None:
    """It is folded from the log each time; who did what is in it."""
    number = await started(hall)
    before = await hall.door.history(number)
    after = await hall.new_door().history(number)

    assert before == after
    assert ["created", "joined"] == [event.what for event in before[:2]]
    assert BOSS == before[0].user_id

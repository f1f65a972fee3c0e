"""The async door on a real database, with a clock, ids and seeds that are known."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import count
from typing import Any

from db import SqliteStore
from rules.core.codec import load_record
from rules.core.contract import Game
from rules.core.ports import Write
from rules.core.rng import SEED_BYTES
from rules.core.table import Happening, Join, Open, Person, Record, Start, Table
from rules.core.tables import Cause, Tables, Update
from tests.core.helpers import ANA, NOW_MS, Count
from tests.helpers import games

GUILD_ID, CHANNEL_ID = 7, 8


class HallStore(SqliteStore):
    """
    The real store, which notes what it saves, and can be held up or made to fail.

    Attributes:
        saved: table and `seq` of every commit, in order.
        failures: errors for the next commits, raised before anything is written.
        gate: commits wait until it is open.
        waiting: set once a commit waits.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.saved: list[tuple[int, int]] = []
        self.failures: list[Exception] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting = asyncio.Event()

    async def commit(self, write: Write) -> None:
        """Save one step, unless told to fail."""
        self.waiting.set()
        await self.gate.wait()
        if self.failures:
            raise self.failures.pop()
        await super().commit(write)
        self.saved.append((write.table_id, write.row.seq))


class Hall:
    """
    Tables of the tests' game and of every game found.

    Attributes:
        now_ms: the time.
        told: every update, in the order of telling.
    """

    def __init__(self, store: HallStore, games_: Mapping[str, Game] | None = None, last_id: int = 0) -> None:
        self.store = store
        self.now_ms = NOW_MS
        self.games: Mapping[str, Game] = games_ or {**games(), "count": Count()}
        self.told: list[Update] = []
        self._ids = count(1)
        self._seeds = count(1)
        self.tables = self.door(last_id)

    def door(self, last_id: int = 0) -> Tables:
        """Open another door to the same store, as a restart would."""
        tables = Tables(self.games, self.store, lambda: self.now_ms, self.new_seed, last_id)
        tables.subscribe(self.told.append)
        return tables

    def new_seed(self) -> bytes:
        """Give the next seed."""
        return next(self._seeds).to_bytes(SEED_BYTES, "big")

    def press(self) -> Cause:
        """Return a press that was never seen before."""
        return Cause(self.now_ms, next(self._ids))

    async def open(self, game: str = "count", **others: Any) -> int:
        """Open a table and return its number."""
        given: dict[str, Any] = {"clock_ms": 0, "host": ANA, **others}
        opening = Open(game=game, guild_id=GUILD_ID, channel_id=CHANNEL_ID, **given)
        update = await self.tables.open(opening, self.press())
        return update.table.table_id

    async def submit(self, table_id: int, happening: Happening) -> Update:
        """Submit an input as a new press."""
        return await self.tables.submit(table_id, happening, self.press())

    async def playing(self, *guests: Person, game: str = "count", **others: Any) -> int:
        """Open a table, have *guests* join it, start it, and return its number."""
        table_id = await self.open(game, **others)
        for guest in guests:
            await self.submit(table_id, Join(guest))
        await self.submit(table_id, Start(ANA.user_id))
        return table_id

    async def table(self, table_id: int) -> Table:
        """Return the public part of a table."""
        return (await self.tables.glance(table_id)).table

    async def user(self, table_id: int, seat: int) -> int:
        """Return who sits there, who must be a person."""
        user_id = (await self.table(table_id)).sittings[seat].user_id
        assert user_id is not None
        return user_id

    async def stored(self, table_id: int) -> Record:
        """Return a table as the database has it."""
        snapshot = await self.store.load(table_id)
        assert snapshot
        return load_record(self.games[snapshot.game], snapshot.body)

    async def length(self, table_id: int) -> int:
        """Return how many inputs are in the log."""
        return len(await self.store.log(table_id))

    async def until_over(self, table_id: int) -> Table:
        """Move the clock from one deadline of a table to the next until it is over."""
        while (table := await self.table(table_id)).phase != "over":
            assert table.next_due_ms is not None, "nothing would ever happen"
            self.now_ms = max(self.now_ms, table.next_due_ms)
            await self.tables.wake(table_id)
        return table

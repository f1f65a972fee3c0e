"""Settings, and what is kept about people, on a real file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db import SqliteStore
from rules.core.ports import Change, Departed, LogRow, Opened, Registry, Stay
from tests.db.helpers import ANA, BO, CHANNEL, CY, GUILD, contents, opening, step

pytestmark = pytest.mark.asyncio

OTHER = GUILD + 5
DORA = 1_300_000_000_000_000_004
"""Somebody whose id is long enough to be found by its digits."""


def stand_in(bodies: Sequence[bytes], user_id: int, alias: int) -> Sequence[bytes]:
    """Rewrite what the tests write."""
    return [body.replace(b"<%d Dora>" % user_id, b"<%d Somebody>" % alias) for body in bodies]


def holding(body: bytes, rows: Sequence[LogRow], user_id: int) -> Mapping[str, Any] | None:
    """Find a person in what the tests write."""
    mark = b"<%d Dora>" % user_id
    return {"inputs": [row.seq for row in rows if mark in row.input]} if mark in body else None


async def with_dora(store: SqliteStore, table_id: int, *, live: bool, seated: bool = True) -> None:
    """Save a table at which Dora joined with the second input."""
    mark = b"<%d Dora>" % DORA
    await store.commit(opening(table_id, live=live))
    joining = LogRow(2, 2_000, None, b"join " + mark)
    people = (ANA, DORA) if seated else (ANA,)
    await store.commit(step(2, table_id, row=joining, body=b"table of " + mark, live=live, players=people))


def everything(path: Path) -> bytes:
    """Return all bytes of the database, those of its WAL included."""
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name))


async def test_it_is_the_registry_of_the_kernel(store: SqliteStore) -> None:
    """It can be used as that port; the type checker compares the methods."""
    registry: Registry = store

    assert {} == await registry.server_settings(GUILD)
    assert [] == await registry.server_changes(GUILD, 5)
    assert None is await registry.pings_of(ANA)
    assert [] == await registry.left()
    assert [] == await registry.known_guilds()


async def test_settings_survive_a_restart(path: Path) -> None:
    """A server's settings and a person's ping style are there again, the last value of each."""
    async with await SqliteStore.open(path) as store:
        await store.set_server(GUILD, "idle", "1", user_id=ANA, at_ms=10)
        await store.set_server(GUILD, "idle", "2", user_id=BO, at_ms=20)
        await store.set_server(OTHER, "pings", "off", user_id=ANA, at_ms=30)
        await store.set_pings(ANA, "dm")
        await store.set_pings(ANA, "none")
    async with await SqliteStore.open(path) as store:
        assert {"idle": "2"} == await store.server_settings(GUILD)
        assert {"pings": "off"} == await store.server_settings(OTHER)
        assert "none" == await store.pings_of(ANA)
        assert None is await store.pings_of(BO)


async def test_who_changed_what_is_told_newest_first(store: SqliteStore) -> None:
    """Each change is logged with who and when, even two in one millisecond, and as many as asked are returned."""
    for number in range(4):
        await store.set_server(GUILD, "idle", str(number), user_id=ANA + number, at_ms=10)
    await store.set_server(OTHER, "idle", "9", user_id=ANA, at_ms=11)

    changes = await store.server_changes(GUILD, 2)

    assert [Change(GUILD, 10, ANA + 3, "idle", "3"), Change(GUILD, 10, ANA + 2, "idle", "2")] == changes


async def test_a_setting_and_its_log_are_saved_together(store: SqliteStore) -> None:
    """When the change cannot be logged, the setting stays as it was."""
    with pytest.raises(sqlite3.IntegrityError):
        await store.set_server(GUILD, "idle", "1", user_id=None, at_ms=10)  # type: ignore[arg-type]

    assert {} == await store.server_settings(GUILD)


async def test_the_first_removal_counts_until_the_bot_is_back(store: SqliteStore) -> None:
    """A removal told twice keeps its first time; coming back cancels it."""
    await store.mark_left(GUILD, 500)
    await store.mark_left(GUILD, 900)
    await store.mark_left(OTHER, 300)

    assert [Departed(OTHER, 300), Departed(GUILD, 500)] == await store.left()

    await store.mark_joined(GUILD)
    await store.mark_joined(GUILD)

    assert [Departed(OTHER, 300)] == await store.left()


async def test_check_f9_a_purge_takes_all_of_one_server_and_nothing_else(path: Path, store: SqliteStore) -> None:
    """Tables, logs, seats, messages owed, settings and changes of a server go; another server keeps its own."""
    elsewhere = Opened("hopscotch", OTHER, b"seed of sixteen.")
    await store.commit(opening(1))
    await store.commit(step(2, 1))
    await store.commit(opening(2, opened=elsewhere))
    await store.commit(step(2, 2))
    for guild_id in (GUILD, OTHER):
        await store.set_server(guild_id, "idle", "1", user_id=ANA, at_ms=10)
    await store.mark_left(GUILD, 20)
    assert [GUILD, OTHER] == await store.known_guilds()

    await store.purge(GUILD)

    assert [OTHER] == await store.known_guilds()
    assert {} == await store.server_settings(GUILD)
    assert [] == await store.server_changes(GUILD, 5)
    assert [] == await store.left()
    left = contents(path)
    assert {2} == {row[0] for row in left["tables"]} == {row[0] for row in left["log"]}
    assert {2} == {row[1] for row in left["players"]} == {row[1] for row in left["outbox"]}
    assert 1 == len(await store.server_changes(OTHER, 5))
    assert 2 == await store.last_table_id()


async def test_seats_and_mentions_are_those_of_live_tables_anywhere(store: SqliteStore) -> None:
    """Live tables where somebody sits are found in every server, and those that only remember them as well."""
    await with_dora(store, 1, live=True)
    await with_dora(store, 2, live=False)
    await with_dora(store, 3, live=True, seated=False)
    await store.commit(opening(4, players=(ANA,)))

    assert [1] == await store.seats(DORA)
    assert [1, 3] == await store.mentions(DORA)
    assert [1, 3, 4] == await store.seats(ANA)


async def test_check_n2_somebody_is_forgotten_everywhere(path: Path, store: SqliteStore) -> None:
    """No byte of the database has the id or name any more; others' rows, seats and settings are as before."""
    await with_dora(store, 1, live=False)
    await with_dora(store, 2, live=True, seated=False)
    await store.commit(opening(3))
    await store.set_server(GUILD, "idle", "1", user_id=DORA, at_ms=10)
    await store.set_server(GUILD, "idle", "2", user_id=ANA, at_ms=20)
    await store.set_pings(DORA, "dm")
    await store.set_pings(ANA, "dm")
    assert b"Dora" in everything(path)

    assert await store.forget(DORA, stand_in, held=[2])

    assert b"Dora" not in everything(path)
    assert str(DORA).encode() not in everything(path)
    assert DORA.to_bytes(8, "big") not in everything(path)
    assert None is await store.pings_of(DORA)
    assert "dm" == await store.pings_of(ANA)
    assert [ANA, -1] == [change.user_id for change in await store.server_changes(GUILD, 5)]
    for table_id in (1, 2):
        snapshot = await store.load(table_id)
        assert snapshot is not None
        assert (2, b"table of <-1 Somebody>") == (snapshot.seq, snapshot.body)
        assert [b"open", b"join <-1 Somebody>"] == [row.input for row in await store.log(table_id)]
    assert [(ANA, 1), (ANA, 2)] == contents(path)["players"]
    assert [None] * 5 == [row[5] for row in contents(path)["log"]]


async def test_two_who_are_forgotten_do_not_become_one(path: Path) -> None:
    """Aliases are never given twice, not even after a restart."""
    async with await SqliteStore.open(path) as store:
        await store.set_server(GUILD, "idle", "1", user_id=DORA, at_ms=10)
        await store.forget(DORA, stand_in, held=[])
    async with await SqliteStore.open(path) as store:
        await store.set_server(GUILD, "idle", "2", user_id=DORA + 1, at_ms=20)
        await store.forget(DORA + 1, stand_in, held=[])

        assert [-2, -1] == [change.user_id for change in await store.server_changes(GUILD, 5)]


async def test_nobody_is_forgotten_under_the_hands_of_players(path: Path, store: SqliteStore) -> None:
    """While a live table that knows somebody is not held still, nothing at all is changed."""
    await with_dora(store, 1, live=True)
    await with_dora(store, 2, live=True, seated=False)
    await store.set_pings(DORA, "dm")
    before = contents(path)

    assert not await store.forget(DORA, stand_in, held=[1])

    assert before == contents(path)
    assert "dm" == await store.pings_of(DORA)


async def test_forgetting_is_all_or_nothing(path: Path, store: SqliteStore) -> None:
    """An error at the second table takes back what was done to the first."""
    await with_dora(store, 1, live=False)
    await with_dora(store, 2, live=False)
    await store.set_pings(DORA, "dm")
    before = contents(path)
    calls: list[int] = []

    def failing(bodies: Sequence[bytes], user_id: int, alias: int) -> Sequence[bytes]:
        calls.append(alias)
        if len(calls) > 1:
            raise ValueError("cannot read that")
        return stand_in(bodies, user_id, alias)

    with pytest.raises(ValueError, match="cannot read that"):
        await store.forget(DORA, failing, held=[])

    assert before == contents(path)
    assert "dm" == await store.pings_of(DORA)


async def test_all_that_is_kept_about_somebody(store: SqliteStore) -> None:
    """Ping style, changed settings and tables of all servers are found, of that person alone."""
    await with_dora(store, 1, live=False, seated=False)
    await store.commit(opening(2, body=b"a longer number: %d9" % DORA))
    await store.set_server(GUILD, "idle", "1", user_id=DORA, at_ms=10)
    await store.set_server(GUILD, "idle", "2", user_id=CY, at_ms=20)
    await store.set_pings(DORA, "dm")

    kept = await store.data_of(DORA, holding)

    assert "dm" == kept.pings
    assert (Change(GUILD, 10, DORA, "idle", "1"),) == kept.changes
    assert (Stay(1, "hopscotch", GUILD, CHANNEL, 1_000, False, {"inputs": [2]}),) == kept.stays


async def test_about_a_stranger_nothing_is_kept(store: SqliteStore) -> None:
    """Whoever never did anything gets an empty answer, and can be forgotten all the same."""
    await with_dora(store, 1, live=True)

    kept = await store.data_of(DORA + 1, holding)

    assert (None, (), ()) == (kept.pings, kept.changes, kept.stays)
    assert await store.forget(DORA + 1, stand_in, held=[])


async def test_the_schema_before_keeps_its_tables(path: Path) -> None:
    """A database of the first schema is brought forward with its tables as they were."""
    with closing(sqlite3.connect(path)) as connection:
        first = Path(__file__).parents[2] / "db" / "migrations" / "0001_tables.sql"
        connection.executescript(first.read_text(encoding="utf-8"))
        connection.execute(
            "INSERT INTO tables VALUES (7, 'hopscotch', 1, 2, 1, 1, NULL, NULL, 0, 0, NULL, x'01', x'02')"
        )
        connection.commit()

    async with await SqliteStore.open(path) as store:
        snapshot = await store.load(7)
        await store.set_pings(ANA, "dm")

        assert snapshot is not None
        assert (7, b"\x02", b"\x01") == (snapshot.table_id, snapshot.body, snapshot.seed)

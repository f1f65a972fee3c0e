"""A store opens alone on its database, or not at all and leaves nothing behind."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db import DatabaseInUse, NewerDatabase, SqliteStore
from db.migrate import Migration
from tests.db.helpers import WAIT_S, child, on_statement, opening, seqs

pytestmark = pytest.mark.asyncio

HOLD = """
import asyncio, sys
from db import SqliteStore

async def main():
    async with await SqliteStore.open(sys.argv[1]):
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fail when a test leaves a thread that would keep the process alive."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("asyncio"):  # the loop's own helpers end with the loop
            continue
        thread.join(WAIT_S)
        assert not thread.is_alive()


async def test_a_second_bot_is_refused(path: Path) -> None:
    """Who opens a database in use is told so and by which name; after a close it is free."""
    async with await SqliteStore.open(path) as store:
        with pytest.raises(DatabaseInUse, match=f"^Another bot is running on {re.escape(str(path))}. Stop it first"):
            await SqliteStore.open(path)
        await store.commit(opening())

    async with await SqliteStore.open(path) as store:
        assert 1 == await store.last_table_id()


async def test_two_names_of_a_database_are_one(path: Path) -> None:
    """A link to a database in use is refused as well."""
    link = path.with_name("link.sqlite")
    link.symlink_to(path)

    async with await SqliteStore.open(path):
        with pytest.raises(DatabaseInUse):
            await SqliteStore.open(link)


async def test_two_databases_in_a_folder_do_not_meet(path: Path) -> None:
    """Bots on different databases run side by side."""
    async with await SqliteStore.open(path), await SqliteStore.open(path.with_name("other.sqlite")) as other:
        assert 0 == await other.last_table_id()


async def test_a_killed_bot_frees_its_database(path: Path) -> None:
    """A database is refused while another process has it, and free once that one was killed."""
    with child(HOLD, path) as other:
        try:
            assert other.stdout is not None
            assert "open\n" == other.stdout.readline()
            with pytest.raises(DatabaseInUse):
                await SqliteStore.open(path)
        finally:
            other.kill()

    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
    assert {1: 1} == seqs(path)


async def test_the_connection_is_set_to_lose_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each commit reaches the disk, rows refer to rows that exist, and a busy file is waited for."""
    connections: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def shared(database: Path, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(database, **{**options, "check_same_thread": False})
        connections.append(connection)
        return connection

    monkeypatch.setattr(sqlite3, "connect", shared)
    async with await SqliteStore.open(path):
        _lock, connection = connections
        full, on, ten_seconds = 2, 1, 10_000
        assert (full,) == connection.execute("PRAGMA synchronous").fetchone()
        assert (on,) == connection.execute("PRAGMA foreign_keys").fetchone()
        assert (ten_seconds,) == connection.execute("PRAGMA busy_timeout").fetchone()
        assert ("wal",) == connection.execute("PRAGMA journal_mode").fetchone()


async def test_a_newer_database_is_refused_untouched(path: Path) -> None:
    """A database of a later version is not changed by a byte, nor kept locked."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    before = path.read_bytes()

    for _ in range(2):
        with pytest.raises(NewerDatabase):
            await SqliteStore.open(path)

    assert before == path.read_bytes()


async def test_a_failed_migration_frees_the_database(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a script that fails, the database is as before and opens with the right script."""
    bad = Migration(1, "0001_bad.sql", "BEGIN; CREATE TABLE tables (a); nonsense;")
    with monkeypatch.context() as patch:
        patch.setattr("db.sqlite.read_migrations", lambda: (bad,))
        with pytest.raises(sqlite3.OperationalError):
            await SqliteStore.open(path)

    async with await SqliteStore.open(path) as store:
        assert 0 == await store.last_table_id()


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    """A file of something else is not overwritten."""
    path.write_text("Dear diary, " * 100)

    for _ in range(2):
        with pytest.raises(sqlite3.DatabaseError, match="file is not a database"):
            await SqliteStore.open(path)

    assert "Dear diary, " * 100 == path.read_text()


async def test_a_missing_folder_is_not_taken_for_a_second_bot(path: Path) -> None:
    """A folder that does not exist is an error of its own."""
    with pytest.raises(sqlite3.OperationalError, match="unable to open database file"):
        await SqliteStore.open(path / "nowhere" / "dance.sqlite")


async def test_a_lock_file_with_something_in_it_is_not_taken_for_a_second_bot(path: Path) -> None:
    """A file of something else in the lock's place is an error of its own."""
    path.with_name("dance.sqlite.lock").write_text("Dear diary, " * 100)

    with pytest.raises(sqlite3.DatabaseError, match="file is not a database"):
        await SqliteStore.open(path)


async def test_a_file_that_cannot_be_opened_frees_the_lock(path: Path) -> None:
    """When the database itself cannot be opened, the place is free for the next try."""
    path.mkdir()
    with pytest.raises(sqlite3.OperationalError):
        await SqliteStore.open(path)
    path.rmdir()

    async with await SqliteStore.open(path) as store:
        assert 0 == await store.last_table_id()


async def test_a_cancelled_start_frees_the_database(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot stopped while it migrates leaves no thread and no lock, and the next start succeeds."""
    reached, opened = threading.Event(), threading.Event()

    def gate(statement: str) -> None:
        if "CREATE TABLE log (" in statement and not reached.is_set():
            reached.set()
            opened.wait(WAIT_S)

    with monkeypatch.context() as patch:
        on_statement(patch, gate)
        start = asyncio.create_task(SqliteStore.open(path))
        assert await asyncio.to_thread(reached.wait, WAIT_S)
        start.cancel()
        await asyncio.sleep(0)  # one turn of the loop: the start learns of it
        opened.set()
        with pytest.raises(asyncio.CancelledError):
            await start

    async with await SqliteStore.open(path) as store:
        assert 0 == await store.last_table_id()

"""Copies are whole, of one moment, and nobody else's to read; the way back loses nothing."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db import DatabaseInUse, NewerDatabase, SqliteStore
from db.backup import SPARE_TABLES, BadBackup, back_up, look, restore
from db.migrate import Migration, read_migrations
from tests.db.helpers import opening, seqs, step

pytestmark = pytest.mark.asyncio
MOMENT = "20260101T000000Z"


async def fill(path: Path, tables: int) -> None:
    """Write a database with so many tables."""
    async with await SqliteStore.open(path) as store:
        first = await store.last_table_id() + 1
        for table_id in range(first, first + tables):
            await store.commit(opening(table_id))


def files(path: Path) -> set[str]:
    """Return what lies beside the database, without its lock."""
    return {file.name for file in path.parent.iterdir()} - {f"{path.name}.lock"}


async def test_a_backup_while_the_bot_runs(path: Path) -> None:
    """What is committed is in it, though it is still in the WAL alone; one file, for its owner's eyes only."""
    target = path.with_name("copy")
    async with await SqliteStore.open(path) as store:
        await store.commit(opening(1))
        await store.commit(step(2))
        found = back_up(path, target)
        await store.commit(opening(2))

    assert (len(read_migrations()), 1, 1, "") == (found.schema, found.tables, found.live, found.fault)
    assert {1: 2} == seqs(target)
    assert 0o600 == stat.S_IMODE(target.stat().st_mode)
    assert {"copy", path.name} == files(path)


@pytest.mark.parametrize("target", ["copy", "dance.sqlite"])
async def test_a_backup_overwrites_nothing(path: Path, target: str) -> None:
    """Neither another file nor the database itself."""
    await fill(path, 1)
    path.with_name("copy").write_text("Dear diary")

    with pytest.raises(BadBackup, match="exists already"):
        back_up(path, path.with_name(target))

    assert "Dear diary" == path.with_name("copy").read_text()
    assert {1: 1} == seqs(path)


async def test_there_is_nothing_to_back_up(path: Path) -> None:
    """A missing database, a folder that is not there: a sentence, and no file."""
    with pytest.raises(BadBackup, match="does not exist"):
        back_up(path, path.with_name("copy"))
    await fill(path, 1)
    with pytest.raises(BadBackup, match="cannot be written: No such file or directory"):
        back_up(path, path.parent / "nowhere" / "copy")

    assert {path.name} == files(path)


async def test_restore_puts_it_back_and_keeps_what_was_there(path: Path) -> None:
    """Also what had not yet left the WAL; no number of a table opened since is given out again."""
    copy = path.with_name("copy")
    await fill(path, 2)
    back_up(path, copy)
    await fill(path, 5)
    await kill_while_open(path)

    kept = restore(copy, path, MOMENT)

    assert kept == path.with_name(f"{path.name}.replaced-{MOMENT}")
    assert dict.fromkeys((1, 2), 1) == seqs(path)
    assert dict.fromkeys(range(1, 9), 1) == seqs(kept)
    async with await SqliteStore.open(path) as store:
        assert 8 == await store.last_table_id()


async def kill_while_open(path: Path) -> None:
    """Leave the database as a killed bot does: with one more table in the WAL and not in the file."""
    store = await SqliteStore.open(path)
    await store.commit(opening(await store.last_table_id() + 1))
    saved = {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal")}
    await store.close()
    for suffix, content in saved.items():
        Path(f"{path}{suffix}").write_bytes(content)


async def test_restore_where_there_is_nothing_or_nothing_sound(path: Path) -> None:
    """On a new machine, and over a damaged file: numbers that may have been given out since are left out."""
    copy = path.with_name("copy")
    await fill(path, 2)
    back_up(path, copy)
    path.write_bytes(b"not a database any more" * 100)
    Path(f"{path}-wal").write_bytes(b"of the old one")

    kept = restore(copy, path, MOMENT)
    assert Path(f"{kept}-wal").exists()
    assert not Path(f"{path}-wal").exists()
    path.unlink()
    none = restore(copy, path, MOMENT)

    assert kept is not None
    assert kept.read_bytes().startswith(b"not a database")
    assert none is None
    async with await SqliteStore.open(path) as store:
        assert 2 + SPARE_TABLES == await store.last_table_id()
        assert 1 == len(await store.log(1))


async def test_restore_refuses_while_the_bot_runs(path: Path) -> None:
    """The lock says so; nothing is changed."""
    copy = path.with_name("copy")
    async with await SqliteStore.open(path) as store:
        await store.commit(opening(1))
        back_up(path, copy)
        await store.commit(opening(2))
        with pytest.raises(DatabaseInUse):
            restore(copy, path, MOMENT)
        assert 2 == await store.last_table_id()


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        ("missing", BadBackup),
        ("text", BadBackup),
        ("empty", BadBackup),
        ("other", BadBackup),
        ("newer", NewerDatabase),
        ("torn", BadBackup),
        ("orphans", BadBackup),
    ],
)
async def test_restore_refuses_what_is_no_sound_backup(path: Path, damage: str, error: type[Exception]) -> None:
    """It is checked before anything is touched; the next start finds the database as it was."""
    copy = path.with_name("copy")
    await fill(path, 20)
    back_up(path, copy)
    before = path.read_bytes()
    spoil(copy, damage)

    with pytest.raises(error):
        restore(copy, path, MOMENT)

    assert before == path.read_bytes()
    assert {path.name, "copy"} - ({"copy"} if damage == "missing" else set()) == files(path)


def spoil(copy: Path, damage: str) -> None:
    """Damage a backup."""
    statements = {
        "other": ("PRAGMA user_version = 0",),
        "newer": ("PRAGMA user_version = 9999",),
        "orphans": ("PRAGMA foreign_keys = OFF", "DELETE FROM tables WHERE table_id = 3"),
    }
    match damage:
        case "missing":
            copy.unlink()
        case "text":
            copy.write_text("Dear diary, " * 1000)
        case "empty":
            copy.write_bytes(b"")
        case "torn":
            content = bytearray(copy.read_bytes())
            content[8192:-4096] = bytes(len(content) - 8192 - 4096)
            copy.write_bytes(content)
        case _:
            with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
                for statement in statements[damage]:
                    connection.execute(statement)


async def test_a_migration_keeps_what_was_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named with both versions, one file that restores by hand; a new database and one up to date need none."""
    known = read_migrations()
    await fill(path, 1)
    async with await SqliteStore.open(path):
        pass
    assert {path.name} == files(path)

    for number in range(1, 5):
        migrations = (*known, *(later(len(known) + add) for add in range(1, number + 1)))
        monkeypatch.setattr("db.sqlite.read_migrations", lambda migrations=migrations: migrations)
        await fill(path, 1)

    new = len(known) + 4
    kept = [f"{path.name}.schema-{schema:04d}-before-{schema + 1:04d}" for schema in (new - 2, new - 1)]
    assert {path.name, *kept} == files(path)
    assert dict.fromkeys(range(1, 5), 1) == seqs(path.with_name(kept[1]))
    with closing(sqlite3.connect(path.with_name(kept[1]))) as connection:
        assert (new - 1,) == connection.execute("PRAGMA user_version").fetchone()


def later(version: int) -> Migration:
    """Return a migration of some later version."""
    sql = f"BEGIN; CREATE TABLE later_{version} (a); PRAGMA user_version = {version}; COMMIT;"
    return Migration(version, f"{version:04d}_later.sql", sql)


async def test_without_the_copy_there_is_no_migration(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it cannot be written the start fails and the database stays as it was."""
    known = read_migrations()
    await fill(path, 1)
    before = path.read_bytes()
    monkeypatch.setattr("db.sqlite.read_migrations", lambda: (*known, later(len(known) + 1)))

    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("db.backup._copy", full)
        with pytest.raises(sqlite3.OperationalError, match="full"):
            await SqliteStore.open(path)

    assert before == path.read_bytes()
    assert {path.name} == files(path)


async def test_a_look_changes_nothing(path: Path) -> None:
    """It counts tables, and finds damage that counting does not."""
    await fill(path, 3)
    before = files(path), path.read_bytes()

    assert (3, 3, "") == (look(path).tables, look(path).live, look(path).fault)
    assert before == (files(path), path.read_bytes())
    spoil(path, "orphans")
    assert "rows refer to rows that are not there" == look(path).fault

"""
Copies of a database, made while it is in use, and the way back.

SQLite's own online backup reads one moment of the database, whatever is written meanwhile. A copy is
one file, readable by its owner alone: hidden cards and people's ids are in it. A file takes its name
when it is complete and was checked, not before.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import msgspec

from db.lock import DatabaseLock
from db.migrate import NewerDatabase, read_migrations, schema_version

KEPT_BEFORE_MIGRATIONS = 2
SPARE_TABLES = 1_000
"""Numbers of tables left out after a restore when it cannot be known which were given out since the backup."""

_SUFFIXES = ("", "-wal", "-shm")


class BadBackup(Exception):
    """A file cannot be restored, or not be written; the text is one sentence for the host."""


class Look(msgspec.Struct, frozen=True):
    """
    What a look into a database tells.

    Attributes:
        schema: number of its last migration.
        tables: how many games are in it, those that are over included.
        live: how many are not over.
        fault: what SQLite finds wrong with the file, empty when nothing.
    """

    schema: int
    tables: int
    live: int
    fault: str = ""


def look(path: Path) -> Look:
    """
    Look into the database at *path* without changing it.

    Raises:
        BadBackup: it cannot be read, or is no database of this bot.
        NewerDatabase: it was written by a newer version of the bot.
    """
    if not path.is_file():
        raise BadBackup(f"{path} does not exist.")
    try:
        with closing(_reading(path)) as connection:
            schema, newest = schema_version(connection), len(read_migrations())
            if schema > newest:
                raise NewerDatabase(
                    f"{path} has schema {schema}, but this version of the bot knows schemas up to {newest}. "
                    "Update the bot first."
                )
            if not schema:
                raise BadBackup(f"{path} is no database of this bot.")
            (fault,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if fault == "ok" and connection.execute("PRAGMA foreign_key_check").fetchone():
                fault = "rows refer to rows that are not there"
            tables, live = connection.execute("SELECT count(*), coalesce(sum(live), 0) FROM tables").fetchone()
    except sqlite3.Error as error:
        raise BadBackup(f"{path} cannot be read as a database: {error}.") from None
    return Look(schema, tables, live, "" if fault == "ok" else fault)


def back_up(database: Path, target: Path) -> Look:
    """
    Copy *database*, which may be in use, to the new file *target* and check the copy.

    Raises:
        BadBackup: there is nothing to copy, *target* exists or cannot be written, or the copy is not sound.
        NewerDatabase: the database was written by a newer version of the bot.
    """
    look(database)
    if target.exists():
        raise BadBackup(f"{target} exists already: name another file, or delete it first.")
    with _arriving(target) as part:
        copy(database, part)
        return _sound(part)


def restore(backup: Path, database: Path, moment: str) -> Path | None:
    """
    Put a checked copy of *backup* in the place of *database*, which no bot may have open.

    Args:
        backup: stays as it is.
        database: is kept under another name.
        moment: goes into that name.

    Returns:
        where the replaced database is now, `None` when there was none.

    Raises:
        DatabaseInUse: a bot is running on it.
        BadBackup: *backup* is no sound database of this bot.
        NewerDatabase: *backup* was written by a newer version of the bot.
    """
    lock = DatabaseLock(database)
    try:
        _sound(backup)
        kept = database.with_name(f"{database.name}.replaced-{moment}")
        there = database.exists()
        if there and kept.exists():
            raise BadBackup(f"{kept} exists already: wait a second, then try again.")
        with _arriving(database) as part:
            copy(backup, part)
            _skip_numbers(part, database if there else None)
            _sound(part)
            for suffix in _SUFFIXES if there else ():  # what is not yet in the file itself is in these
                with suppress(FileNotFoundError):
                    Path(f"{database}{suffix}").rename(f"{kept}{suffix}")
        return kept if there else None
    finally:
        lock.release()


def before_migration(connection: sqlite3.Connection, database: Path, newest: int) -> Path | None:
    """
    Keep a copy of *database* when a migration is about to change it; return where.

    Args:
        connection: to the database.
        database: its path. Copies lie beside it; the oldest beyond `KEPT_BEFORE_MIGRATIONS` are deleted.
        newest: the schema it is brought to.

    Raises:
        sqlite3.Error: the copy could not be made, such as for want of space.
    """
    schema = schema_version(connection)
    if not 0 < schema < newest:
        return None
    kept = database.with_name(f"{database.name}.schema-{schema:04d}-before-{newest:04d}")
    with _arriving(kept) as part:
        _copy(connection, part)
    copies = sorted(database.parent.glob(f"{database.name}.schema-[0-9]*-before-[0-9]*[0-9]"))
    for old in copies[:-KEPT_BEFORE_MIGRATIONS]:
        old.unlink()
    return kept


def copy(source: Path, target: Path) -> None:
    """Copy one moment of the database *source* into the empty file *target*."""
    with closing(_reading(source)) as connection:
        _copy(connection, target)


def _copy(source: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        source.backup(connection)
        connection.execute("PRAGMA journal_mode = DELETE")  # one file, not three


def _reading(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """
    Open a database that exists, to read.

    With `rw` what SQLite needs beside it is tidied away at the end; with `ro` nothing is, not even what is broken.
    """
    uri = f"file:{quote(str(path.resolve()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=10, isolation_level=None)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _sound(path: Path) -> Look:
    found = look(path)
    if found.fault:
        raise BadBackup(f"{path} is damaged: {found.fault}.")
    return found


@contextmanager
def _arriving(target: Path) -> Iterator[Path]:
    """Give the path of an empty file that becomes *target* when all went well and goes away when not."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)  # of a copy that was broken off
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise BadBackup(f"{target} cannot be written: {error.strerror}.") from None
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _skip_numbers(restored: Path, replaced: Path | None) -> None:
    """
    See to it that no number of a table is given out a second time.

    Buttons of tables that were opened after the backup still stand in channels and name their number.
    """
    last = None
    if replaced is not None:
        with suppress(sqlite3.Error), closing(_reading(replaced, "ro")) as connection:
            last = _last_number(connection)
    with closing(sqlite3.connect(restored, isolation_level=None)) as connection:
        own = _last_number(connection)
        last = own + SPARE_TABLES if last is None else max(own, last)
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'tables'")
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('tables', ?1)", (last,))


def _last_number(connection: sqlite3.Connection) -> int:
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'tables'").fetchone()
    return int(last)

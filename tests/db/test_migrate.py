"""The schema moves forward whole, never back."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from db.migrate import Migration, NewerDatabase, migrate, read_migrations, schema_version

MIGRATIONS = read_migrations()


def numbered(version: int, sql: str) -> Migration:
    """Return a well-formed migration that runs *sql*."""
    script = f"BEGIN; {sql}; PRAGMA user_version = {version}; COMMIT;"
    return Migration(version, f"{version:04d}_test.sql", script)


def schema(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return what is defined in the database."""
    return connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection to an empty file, foreign keys on as in the running bot."""
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        opened.execute("PRAGMA foreign_keys = ON")
        yield opened


@pytest.mark.parametrize("migration", MIGRATIONS, ids=lambda migration: migration.name)
def test_every_migration_is_one_transaction_with_a_reason(migration: Migration) -> None:
    """A migration says why it exists, and commits its number together with its changes."""
    code = " ".join(re.sub(r"--.*", "", migration.sql).split())

    assert re.match(r"-- Reason: \S", migration.sql)
    assert code.startswith("BEGIN; ")
    assert code.endswith(f" PRAGMA user_version = {migration.version}; COMMIT;")
    assert 1 == code.count("COMMIT")


def test_the_chain_runs_from_empty(connection: sqlite3.Connection) -> None:
    """Each migration in turn takes an empty database to its own number, the last to strict tables alone."""
    for number in range(len(MIGRATIONS) + 1):
        migrate(connection, MIGRATIONS[:number])
        assert number == schema_version(connection)

    tables = connection.execute("SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%'").fetchall()
    assert {"tables", "log", "players", "outbox"} <= {name for name, _ in tables}
    assert {1} == {strict for _, strict in tables}


def test_a_second_run_changes_nothing(connection: sqlite3.Connection) -> None:
    """A database that is up to date stays as it is."""
    migrate(connection, MIGRATIONS)
    before = schema(connection)

    migrate(connection, MIGRATIONS)

    assert before == schema(connection)


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("CREATE TABLE half (a); CREATE TABLE half (a)", sqlite3.OperationalError),
        ("CREATE TABLE half (a); INSERT INTO kept VALUES (NULL)", sqlite3.IntegrityError),
        ("CREATE TABLE half (a); nonsense", sqlite3.OperationalError),
    ],
)
def test_a_failed_migration_leaves_version_and_schema(
    connection: sqlite3.Connection, sql: str, error: type[Exception]
) -> None:
    """A script that fails half-way leaves nothing of itself; the one before it stays."""
    first = numbered(1, "CREATE TABLE kept (a NOT NULL)")

    with pytest.raises(error):
        migrate(connection, [first, numbered(2, sql), numbered(3, "CREATE TABLE late (a)")])

    assert 1 == schema_version(connection)
    assert [("kept", "CREATE TABLE kept (a NOT NULL)")] == schema(connection)
    assert not connection.in_transaction


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("BEGIN; CREATE TABLE half (a); PRAGMA user_version = 1;", id="no commit"),
        pytest.param("BEGIN; PRAGMA user_version = 2; COMMIT;", id="another number"),
        pytest.param("BEGIN; CREATE TABLE half (a); COMMIT;", id="no number"),
    ],
)
def test_a_malformed_migration_is_refused(connection: sqlite3.Connection, script: str) -> None:
    """A script that forgets its number or its commit is named."""
    with pytest.raises(ValueError, match=r"^0001_test\.sql must end with PRAGMA user_version = 1; COMMIT;$"):
        migrate(connection, [Migration(1, "0001_test.sql", script)])

    assert not connection.in_transaction


def test_a_newer_database_is_refused(connection: sqlite3.Connection) -> None:
    """A database of a later version is left untouched, and the sentence says what to do."""
    later = [*MIGRATIONS, numbered(len(MIGRATIONS) + 1, "CREATE TABLE later (a)")]
    migrate(connection, later)
    before = schema(connection)

    with pytest.raises(NewerDatabase, match=r"has schema \d+, but .* Update the bot, or restore the backup"):
        migrate(connection, MIGRATIONS)

    assert before == schema(connection)
    assert len(later) == schema_version(connection)


def test_a_rebuilt_table_keeps_the_rows_that_refer_to_it(connection: sqlite3.Connection) -> None:
    """Dropping a table under a new shape does not take its log along, though deleting its rows would."""
    parents = numbered(1, "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id REFERENCES a ON DELETE CASCADE)")
    rebuild = numbered(2, "CREATE TABLE c (id INTEGER PRIMARY KEY); DROP TABLE a; ALTER TABLE c RENAME TO a")
    migrate(connection, [parents])
    connection.execute("INSERT INTO a VALUES (5)")
    connection.execute("INSERT INTO b VALUES (5)")
    connection.execute("PRAGMA foreign_keys = ON")

    migrate(connection, [parents, rebuild])

    assert [(5,)] == connection.execute("SELECT id FROM b").fetchall()


def test_migrations_are_read_in_order(tmp_path: Path) -> None:
    """Scripts come by number, and other files are left alone."""
    for name in ("0002_b.sql", "0001_a.sql", "README"):
        (tmp_path / name).write_text(name)

    expected = (Migration(1, "0001_a.sql", "0001_a.sql"), Migration(2, "0002_b.sql", "0002_b.sql"))

    assert expected == read_migrations(tmp_path)


@pytest.mark.parametrize(
    "names",
    [("0002_b.sql",), ("0001_a.sql", "0003_c.sql"), ("0001_a.sql", "0001_b.sql"), ("1_a.sql",), ("0001.sql",)],
    ids=str,
)
def test_gaps_twins_and_misnamed_scripts_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Two branches that both add a migration of the same number are noticed at the first start."""
    for name in names:
        (tmp_path / name).touch()

    with pytest.raises(ValueError, match=r"^expected migration \d{4}_reason\.sql, found "):
        read_migrations(tmp_path)

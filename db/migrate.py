"""
Bring a database to the newest schema.

A migration is a file `NNNN_reason.sql` in `migrations/`, numbered from 0001 without gaps. It is one
transaction that ends by setting `PRAGMA user_version` to its number, so that a crash or an error
leaves the schema and its number as they were.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

MIGRATIONS = files("db") / "migrations"
_FILE_NAME = re.compile(r"(\d{4})_\w+\.sql")


class NewerDatabase(Exception):
    """The database was written by a newer version of the bot."""


class Migration(msgspec.Struct, frozen=True):
    """
    One step of the schema.

    Attributes:
        version: the schema's number afterwards, from 1.
        name: the file's name.
        sql: the whole script, `BEGIN` and `COMMIT` included.
    """

    version: int
    name: str
    sql: str


def read_migrations(folder: Traversable = MIGRATIONS) -> tuple[Migration, ...]:
    """
    Return the migrations in *folder* in order. Files of another ending are left alone.

    Raises:
        ValueError: a script is misnamed, or the numbers are not 1, 2, 3 and so on.
    """
    found: list[Migration] = []
    for name in sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql")):
        match = _FILE_NAME.fullmatch(name)
        if match is None or int(match[1]) != len(found) + 1:
            raise ValueError(f"expected migration {len(found) + 1:04d}_reason.sql, found {name}")
        found.append(Migration(len(found) + 1, name, (folder / name).read_text(encoding="utf-8")))
    return tuple(found)


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the number of the last migration applied, 0 for an empty database."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """
    Apply the *migrations* that the database lacks, each in its own transaction.

    Args:
        connection: in autocommit mode, with nothing open. Foreign keys are off afterwards.
        migrations: all there are, in order.

    Raises:
        NewerDatabase: the database has more migrations than these; nothing was touched.
        sqlite3.Error: a script failed; it left nothing, those before it stay.
        ValueError: a script does not set its own number, or leaves its transaction open.
    """
    version = schema_version(connection)
    if version > len(migrations):
        raise NewerDatabase(
            f"The database has schema {version}, but this version of the bot knows schemas up to {len(migrations)}. "
            "Update the bot, or restore the backup made before the last update."
        )
    # With foreign keys on, DROP TABLE deletes the rows first and takes those that refer to them along:
    # rebuilding `tables` under a new shape would silently empty the log.
    connection.execute("PRAGMA foreign_keys = OFF")
    for migration in migrations[version:]:
        try:
            connection.executescript(migration.sql)
            if connection.in_transaction or schema_version(connection) != migration.version:
                raise ValueError(f"{migration.name} must end with PRAGMA user_version = {migration.version}; COMMIT;")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

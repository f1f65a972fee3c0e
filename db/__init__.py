"""Storage of tables in one SQLite file. Knows what the kernel asks of it, and no game."""

from db.backup import BadBackup
from db.lock import DatabaseInUse
from db.migrate import NewerDatabase
from db.sqlite import SqliteStore

__all__ = ["BadBackup", "DatabaseInUse", "NewerDatabase", "SqliteStore"]

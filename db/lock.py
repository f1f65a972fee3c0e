"""
One bot a database.

Two bots on one database would both answer a press and both post the board. What keeps the second
out is a lock of the operating system on a file beside the database, taken by SQLite: the kernel
drops it with the process, even after `SIGKILL`, so there is no stale lock to clear by hand.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path


class DatabaseInUse(Exception):
    """Another process has this database open."""


class DatabaseLock:
    """
    The right to use a database, from construction to `release`.

    The file is empty and stays where it is: deleting it would let a third bot lock a new file of
    that name while a second still waits at the old one. Nothing else in this process may open it,
    since closing any descriptor of a file drops the process's locks on it.

    Args:
        database: the database's own path; links are followed, so that two names of one file meet
            at one lock.

    Raises:
        DatabaseInUse: another holder has it.
        sqlite3.Error: the folder does not exist or cannot be written, or the lock file holds something.
    """

    def __init__(self, database: Path) -> None:
        self.database = database.resolve()
        path = self.database.with_name(f"{self.database.name}.lock")
        # No timeout: a bot that waited here would come up at an odd moment, long after its start was given up.
        self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._connection.close()
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise DatabaseInUse(
                    f"Another bot is running on {self.database}. Stop it first, or give this one a database of its own."
                ) from None
            raise

    def release(self) -> None:
        """Let the next one in. Does nothing the second time."""
        self._connection.close()

"""
The one thread that touches the database.

aiosqlite does the work of a connection on one thread, in the order it was asked. Whoever stores or
reads hands that thread one job, and a job is a whole transaction. So nothing comes between `BEGIN`
and `COMMIT`, neither a second `BEGIN` nor a read of rows not yet committed, and a caller who is
cancelled gives up the answer but not the job: the thread is the one writer, its queue the lock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aiosqlite

T = TypeVar("T")

for _name in ("_execute", "_conn"):
    if not hasattr(aiosqlite.Connection, _name):
        raise ImportError(f"this aiosqlite has no Connection.{_name}; see db.worker.Worker")


class Worker(aiosqlite.Connection):
    """aiosqlite's thread with its connection, given whole jobs."""

    async def run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """
        Do *job* on the thread and return its result.

        aiosqlite has no public call for this, and its public ones are a thread hop a statement, with
        room for others in between. *job* should be a closure rather than a `partial`: aiosqlite logs
        the `repr` of what it runs, and that of a `partial` would show the secrets of a table.
        """
        queue: Callable[..., Awaitable[T]] = self._execute
        return await queue(job, self._conn)


def in_transaction(connection: sqlite3.Connection, work: Callable[[], T]) -> T:
    """Do *work* in one transaction, rolled back unless all of it and the commit succeed."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = work()
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return done

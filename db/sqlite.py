"""
The kernel's `Store` and `Registry` on SQLite, through aiosqlite.

Every method is one job of `db.worker` and so one transaction. The tables are here, settings and
privacy in `db.registry`.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from db.backup import before_migration
from db.lock import DatabaseLock
from db.migrate import migrate, read_migrations, schema_version
from db.registry import SqliteRegistry
from db.worker import Worker, in_transaction
from rules.core.ports import TABLE, Conflict, Due, LogRow, Owed, Posted, Repeated, Snapshot, Write

_LOG = logging.getLogger(__name__)

BUSY_TIMEOUT_S = 10
"""How long to wait for another process, such as a backup, that holds the file for a moment."""

_CURSOR_CHUNK = 64  # aiosqlite asks for it; we never read through its cursors

_FIND = """
    SELECT table_id FROM tables
    WHERE guild_id = ?1
        AND (?2 IS NULL OR channel_id = ?2)
        AND (?3 IS NULL OR table_id IN (SELECT table_id FROM players WHERE user_id = ?3))
        AND (live OR NOT ?4)
        AND (?5 IS NULL OR kind = ?5)
    ORDER BY table_id DESC
"""

# A table that moves to another channel leaves its messages behind.
_UPDATE = """
    UPDATE tables SET
        seq = ?2, body = ?3, due_ms = ?4, live = ?5, channel_id = ?6,
        board_id = CASE WHEN channel_id = ?6 THEN board_id END,
        ping_id = CASE WHEN channel_id = ?6 THEN ping_id END
    WHERE table_id = ?1 AND seq = ?2 - 1
"""

_POSTED = "SELECT table_id, seq, rendered_seq, channel_id, board_id, posted_ms, ping_id FROM tables"


class SqliteStore(SqliteRegistry):
    """
    All that is kept, in one SQLite file. Open it with `await SqliteStore.open(path)`, close it in any case.

    aiosqlite's thread keeps the process alive until `close`.
    """

    def __init__(self, worker: Worker, lock: DatabaseLock) -> None:
        self._worker = worker
        self._lock = lock
        self._closing = asyncio.Lock()

    @classmethod
    async def open(cls, path: str | Path) -> Self:
        """
        Open the database at *path*, made when there is none, and bring its schema up to date.

        Before a migration changes anything a copy is kept beside it.

        Raises:
            BadBackup: that copy cannot be written.
            DatabaseInUse: another process has it open.
            NewerDatabase: it was written by a newer version of the bot.
            sqlite3.Error: the file cannot be opened, is not a database, or a migration failed.
        """
        lock = DatabaseLock(Path(path))
        try:
            # isolation_level None: no BEGIN but ours.
            connect = partial(sqlite3.connect, lock.database, timeout=BUSY_TIMEOUT_S, isolation_level=None)
            worker = Worker(connect, _CURSOR_CHUNK)
            await worker
            try:
                await worker.run(lambda connection: _prepare(connection, lock.database))
                _LOG.info("opened %s: %s", lock.database, await worker.run(_summary))
            except BaseException:
                await worker.close()
                raise
        except BaseException:
            lock.release()
            raise
        return cls(worker, lock)

    async def close(self) -> None:
        """Finish what was asked, close the file, end the thread, let another process in. May be repeated."""
        # Two at once would leave the later one waiting for an answer of a thread that has ended.
        async with self._closing:
            try:
                await self._worker.close()
            finally:
                self._lock.release()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def last_table_id(self) -> int:
        """Return the highest table id ever used, 0 when there is none."""
        ((last,),) = await self._rows("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'tables'")
        return int(last)

    async def load(self, table_id: int) -> Snapshot | None:
        """Return the table as last saved, `None` when there is no such table."""
        rows = await self._rows("SELECT table_id, game, seq, body, seed FROM tables WHERE table_id = ?1", table_id)
        return Snapshot(*rows[0]) if rows else None

    async def commit(self, write: Write) -> None:
        """
        Save one step in one transaction.

        A caller cancelled while waiting does not learn whether the step was saved; whatever it asks
        next is answered after it.

        Raises:
            Conflict: the stored `seq` is not `write.row.seq - 1`.
            Repeated: `write.interaction_id` is in the log already.
            sqlite3.Error: nothing was written; two equal *players*, a full disk.
        """
        await self._worker.run(lambda connection: in_transaction(connection, lambda: _save(connection, write)))

    async def log(self, table_id: int) -> Sequence[LogRow]:
        """Return every input of the table in order."""
        rows = await self._rows("SELECT seq, at_ms, seat, input FROM log WHERE table_id = ?1 ORDER BY seq", table_id)
        return [LogRow(*row) for row in rows]

    async def due(self, kind: str = TABLE) -> Sequence[Due]:
        """Return what has a deadline, the next one first."""
        rows = await self._rows(
            """
            SELECT table_id, due_ms, game FROM tables
            WHERE due_ms IS NOT NULL AND kind = ?1 ORDER BY due_ms, table_id
            """,
            kind,
        )
        return [Due(*row) for row in rows]

    async def find(
        self,
        *,
        guild_id: int,
        channel_id: int | None = None,
        user_id: int | None = None,
        live: bool = True,
        kind: str | None = TABLE,
    ) -> Sequence[int]:
        """
        Return ids of tables in a server, the newest first.

        Args:
            guild_id: the server.
            channel_id: only those in this channel.
            user_id: only those where this person sits.
            live: only those still in the lobby or under way; otherwise the finished ones as well.
            kind: only those, `None` for all kinds.
        """
        rows = await self._rows(_FIND, guild_id, channel_id, user_id, live, kind)
        return [table_id for (table_id,) in rows]

    async def of_origin(self, origin: str) -> int | None:
        """Return the id of the table that was opened for *origin*, `None` when there is none."""
        rows = await self._rows("SELECT table_id FROM tables WHERE origin = ?1", origin)
        return int(rows[0][0]) if rows else None

    async def posted(self, table_id: int) -> Posted | None:
        """Return where the table's messages stand, `None` when there is no such table."""
        rows = await self._rows(f"{_POSTED} WHERE table_id = ?1", table_id)
        return Posted(*rows[0]) if rows else None

    async def behind(self, kind: str = TABLE) -> Sequence[Posted]:
        """Return those whose board shows less than what is saved, the oldest table first."""
        sql = f"{_POSTED} WHERE rendered_seq < seq AND kind = ?1 ORDER BY table_id"
        return [Posted(*row) for row in await self._rows(sql, kind)]

    async def mark_board(self, table_id: int, *, rendered_seq: int, board_id: int | None, posted_ms: int) -> None:
        """Remember what the board message shows and which message it is. Does nothing when there is no such table."""
        await self._rows(
            "UPDATE tables SET rendered_seq = ?2, board_id = ?3, posted_ms = ?4 WHERE table_id = ?1",
            table_id,
            rendered_seq,
            board_id,
            posted_ms,
        )

    async def mark_ping(self, table_id: int, ping_id: int | None) -> None:
        """Remember the table's one ping message. Does nothing when there is no such table."""
        await self._rows("UPDATE tables SET ping_id = ?2 WHERE table_id = ?1", table_id, ping_id)

    async def owed(self, kind: str = TABLE) -> Sequence[Owed]:
        """Return every message not yet sent, the oldest first."""
        rows = await self._rows(
            """
            SELECT nonce, table_id, outbox.kind, seat FROM outbox JOIN tables USING (table_id)
            WHERE tables.kind = ?1 ORDER BY outbox.rowid
            """,
            kind,
        )
        return [Owed(*row) for row in rows]

    async def settle(self, nonce: str) -> None:
        """Forget an owed message: it was sent, or nobody can be told any more. May be repeated."""
        await self._rows("DELETE FROM outbox WHERE nonce = ?1", nonce)


def _prepare(connection: sqlite3.Connection, database: Path) -> None:
    """Bring the schema up to date and set what the connection keeps for its life."""
    migrations = read_migrations()
    kept = before_migration(connection, database, len(migrations))
    if kept is not None:
        _LOG.info("kept the database as it was before the update: %s", kept)
    migrate(connection, migrations)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # a step that was spoken of survives a power cut
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is erased is zeroed, not left lying in the file


def _summary(connection: sqlite3.Connection) -> str:
    """Return for the log what is in the database, in counts alone."""
    counts = connection.execute(
        """
        SELECT
            (SELECT count(*) FROM tables), (SELECT count(*) FROM tables WHERE live), (SELECT count(*) FROM log),
            (SELECT count(*) FROM outbox)
        """
    ).fetchone()
    text = "schema {}, {} tables of which {} live, {} inputs, {} messages owed"
    return text.format(schema_version(connection), *counts)


def _save(connection: sqlite3.Connection, write: Write) -> None:
    """
    Write one step, inside a transaction.

    Raises:
        Conflict: the stored `seq` is not the expected one, or the id of a new table is taken.
        Repeated: the interaction is in the log, be it of another table.
    """
    if not _save_table(connection, write):
        # The first delivery of a press moves `seq` on, so its repeat usually meets both reasons. Repeated says more.
        if _logged(connection, write.interaction_id):
            raise Repeated(f"interaction {write.interaction_id} is in the log")
        raise Conflict(f"table {write.table_id} is not at input {write.row.seq - 1}")
    row = write.row
    inserted = connection.execute(
        """
        INSERT INTO log (table_id, seq, at_ms, seat, input, interaction_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (interaction_id) WHERE interaction_id IS NOT NULL DO NOTHING
        """,
        (write.table_id, row.seq, row.at_ms, row.seat, row.input, write.interaction_id),
    )
    if not inserted.rowcount:
        raise Repeated(f"interaction {write.interaction_id} is in the log")
    if write.players is not None:
        connection.execute("DELETE FROM players WHERE table_id = ?1", (write.table_id,))
        connection.executemany(
            "INSERT INTO players (user_id, table_id) VALUES (?1, ?2)",
            [(user_id, write.table_id) for user_id in write.players],
        )
    # A nonce owed already is the same message: Discord would drop the second just so.
    connection.executemany(
        "INSERT INTO outbox (nonce, table_id, kind, seat) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (nonce) DO NOTHING",
        [(owed.nonce, owed.table_id, owed.kind, owed.seat) for owed in write.owed],
    )


def _save_table(connection: sqlite3.Connection, write: Write) -> bool:
    """Write the table's own row and return whether it stood as *write* expects."""
    if write.opened is None:
        saved = connection.execute(
            _UPDATE,
            (write.table_id, write.row.seq, write.body, write.due_ms, write.live, write.channel_id),
        )
        return saved.rowcount == 1
    if write.row.seq != 1:
        return False
    opened = write.opened
    saved = connection.execute(
        """
        INSERT INTO tables (table_id, game, guild_id, channel_id, live, seq, due_ms, seed, body, origin, kind)
        VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, nullif(?9, ''), ?10)
        ON CONFLICT (table_id) DO NOTHING
        """,
        (
            write.table_id,
            opened.game,
            opened.guild_id,
            write.channel_id,
            write.live,
            write.due_ms,
            opened.seed,
            write.body,
            opened.origin,
            opened.kind,
        ),
    )
    return saved.rowcount == 1


def _logged(connection: sqlite3.Connection, interaction_id: int | None) -> bool:
    """Return whether an input of this interaction is in the log."""
    found = connection.execute("SELECT 1 FROM log WHERE interaction_id = ?1", (interaction_id,)).fetchone()
    return found is not None

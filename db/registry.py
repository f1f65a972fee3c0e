"""
The kernel's `Registry` on SQLite: settings, and what is kept about people.

What a table says is bytes to this layer. It finds the tables of a person by the digits of their id
in those bytes and leaves the rest to the functions it is given; they know what they read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from db.worker import Worker, in_transaction
from rules.core.ports import TABLE, About, Change, Departed, Kept, LogRow, Pseudonymise, Stay

T = TypeVar("T")

_PURGES = (
    "DELETE FROM tables WHERE guild_id = ?1",  # log, players and outbox go along
    "DELETE FROM settings WHERE guild_id = ?1",
    "DELETE FROM changes WHERE guild_id = ?1",
    "DELETE FROM departed WHERE guild_id = ?1",
)

# ?1 the id, ?2 its digits (perhaps part of a longer number: whoever reads the bytes knows), ?3 for live tables alone.
_MENTIONS = """
    SELECT table_id FROM tables
    WHERE (live OR NOT ?3) AND table_id IN (
        SELECT table_id FROM tables WHERE instr(body, ?2)
        UNION SELECT table_id FROM log WHERE instr(input, ?2)
        UNION SELECT table_id FROM players WHERE user_id = ?1
    )
    ORDER BY table_id
"""

_CHANGES = "SELECT guild_id, at_ms, user_id, key, value FROM changes"


class SqliteRegistry:
    """The half of `SqliteStore` that keeps settings and answers for people's data."""

    _worker: Worker

    async def server_settings(self, guild_id: int) -> Mapping[str, str]:
        """Return the settings of a server that were ever set."""
        return dict(await self._rows("SELECT key, value FROM settings WHERE guild_id = ?1", guild_id))

    async def set_server(self, guild_id: int, key: str, value: str, *, user_id: int, at_ms: int) -> None:
        """Set one setting of a server and log who did it when."""

        def job(connection: sqlite3.Connection) -> None:
            connection.execute(
                """
                INSERT INTO settings (guild_id, key, value) VALUES (?1, ?2, ?3)
                ON CONFLICT (guild_id, key) DO UPDATE SET value = excluded.value
                """,
                (guild_id, key, value),
            )
            connection.execute(
                "INSERT INTO changes (guild_id, at_ms, user_id, key, value) VALUES (?1, ?2, ?3, ?4, ?5)",
                (guild_id, at_ms, user_id, key, value),
            )

        await self._worker.run(lambda connection: in_transaction(connection, lambda: job(connection)))

    async def server_changes(self, guild_id: int, limit: int) -> Sequence[Change]:
        """Return the last changes of a server's settings, the newest first."""
        sql = f"{_CHANGES} WHERE guild_id = ?1 ORDER BY change_id DESC LIMIT ?2"
        return [Change(*row) for row in await self._rows(sql, guild_id, limit)]

    async def pings_of(self, user_id: int) -> str | None:
        """Return how a person wants to be called, `None` when they never said."""
        rows = await self._rows("SELECT pings FROM people WHERE user_id = ?1", user_id)
        return str(rows[0][0]) if rows else None

    async def set_pings(self, user_id: int, style: str) -> None:
        """Set how a person wants to be called."""
        await self._rows(
            """
            INSERT INTO people (user_id, pings) VALUES (?1, ?2)
            ON CONFLICT (user_id) DO UPDATE SET pings = excluded.pings
            """,
            user_id,
            style,
        )

    async def mark_left(self, guild_id: int, at_ms: int) -> None:
        """Remember that the bot was removed from a server; the first time counts until it is back."""
        await self._rows(
            "INSERT INTO departed (guild_id, left_ms) VALUES (?1, ?2) ON CONFLICT (guild_id) DO NOTHING",
            guild_id,
            at_ms,
        )

    async def mark_joined(self, guild_id: int) -> None:
        """Forget that the bot was ever removed from a server."""
        await self._rows("DELETE FROM departed WHERE guild_id = ?1", guild_id)

    async def left(self) -> Sequence[Departed]:
        """Return the servers the bot was removed from, the longest ago first."""
        return [Departed(*row) for row in await self._rows("SELECT guild_id, left_ms FROM departed ORDER BY left_ms")]

    async def known_guilds(self) -> Sequence[int]:
        """Return the servers of which anything is kept."""
        rows = await self._rows(
            "SELECT guild_id FROM tables UNION SELECT guild_id FROM settings UNION SELECT guild_id FROM departed"
        )
        return [guild_id for (guild_id,) in rows]

    async def purge(self, guild_id: int) -> None:
        """Erase everything kept of a server: tables with their logs, settings, changes."""

        def job(connection: sqlite3.Connection) -> None:
            for sql in _PURGES:
                connection.execute(sql, (guild_id,))

        await self._worker.run(lambda connection: _erasing(connection, lambda: job(connection)))

    async def seats(self, user_id: int, kind: str = TABLE) -> Sequence[int]:
        """Return the live tables of any server where a person sits."""
        rows = await self._rows(
            """
            SELECT table_id FROM players JOIN tables USING (table_id)
            WHERE user_id = ?1 AND live AND kind = ?2 ORDER BY table_id
            """,
            user_id,
            kind,
        )
        return [table_id for (table_id,) in rows]

    async def mentions(self, user_id: int) -> Sequence[int]:
        """Return everything live, of any kind and server, that may hold a person's id anywhere."""
        return await self._worker.run(lambda connection: _mentions(connection, user_id, live=True))

    async def data_of(self, user_id: int, about: About) -> Kept:
        """Return everything kept about a person."""

        def job(connection: sqlite3.Connection) -> Kept:
            pings = connection.execute("SELECT pings FROM people WHERE user_id = ?1", (user_id,)).fetchone()
            changes = connection.execute(f"{_CHANGES} WHERE user_id = ?1 ORDER BY change_id", (user_id,)).fetchall()
            stays = (_stay(connection, table_id, user_id, about) for table_id in _mentions(connection, user_id))
            return Kept(
                pings[0] if pings else None,
                tuple(Change(*row) for row in changes),
                tuple(stay for stay in stays if stay),
            )

        return await self._worker.run(job)

    async def forget(self, user_id: int, pseudonymise: Pseudonymise, held: Collection[int]) -> bool:
        """
        Erase a person, or put an alias below 0 in their place where others' games need it.

        Args:
            user_id: the person.
            pseudonymise: rewrites what a table says.
            held: tables at which nothing happens meanwhile. When a live one that is not among them
                may hold the id, nothing is done.

        Returns:
            Whether it was done.
        """

        def job(connection: sqlite3.Connection) -> bool:
            if not set(held).issuperset(_mentions(connection, user_id, live=True)):
                return False
            number = connection.execute("INSERT INTO aliases DEFAULT VALUES").lastrowid
            connection.execute("DELETE FROM aliases")
            alias = -int(number or 0)
            for table_id in _mentions(connection, user_id):
                _rewrite(connection, table_id, user_id, alias, pseudonymise)
            connection.execute("UPDATE changes SET user_id = ?2 WHERE user_id = ?1", (user_id, alias))
            connection.execute("DELETE FROM players WHERE user_id = ?1", (user_id,))
            connection.execute("DELETE FROM people WHERE user_id = ?1", (user_id,))
            return True

        return await self._worker.run(lambda connection: _erasing(connection, lambda: job(connection)))

    async def _rows(self, sql: str, *parameters: int | str | None) -> list[tuple[Any, ...]]:
        """Run one statement, a transaction by itself, and return its rows."""
        return await self._worker.run(lambda connection: connection.execute(sql, parameters).fetchall())


def _mentions(connection: sqlite3.Connection, user_id: int, *, live: bool = False) -> list[int]:
    """Return the tables that may hold a person's id, perhaps only those that are live."""
    rows = connection.execute(_MENTIONS, (user_id, str(user_id).encode(), live)).fetchall()
    return [table_id for (table_id,) in rows]


def _stay(connection: sqlite3.Connection, table_id: int, user_id: int, about: About) -> Stay | None:
    """Return what a table holds about a person, `None` when it is nothing."""
    game, guild_id, channel_id, live, body = connection.execute(
        "SELECT game, guild_id, channel_id, live, body FROM tables WHERE table_id = ?1", (table_id,)
    ).fetchone()
    rows = _log(connection, table_id)
    found = about(body, rows, user_id)
    return None if found is None else Stay(table_id, game, guild_id, channel_id, rows[0].at_ms, bool(live), found)


def _log(connection: sqlite3.Connection, table_id: int) -> list[LogRow]:
    rows = connection.execute("SELECT seq, at_ms, seat, input FROM log WHERE table_id = ?1 ORDER BY seq", (table_id,))
    return [LogRow(*row) for row in rows]


def _rewrite(
    connection: sqlite3.Connection, table_id: int, user_id: int, alias: int, pseudonymise: Pseudonymise
) -> None:
    """Put an alias in a person's place in one table and its log; which interactions were theirs goes as well."""
    (body,) = connection.execute("SELECT body FROM tables WHERE table_id = ?1", (table_id,)).fetchone()
    rows = _log(connection, table_id)
    new_body, *inputs = pseudonymise([body, *(row.input for row in rows)], user_id, alias)
    if new_body != body:
        connection.execute("UPDATE tables SET body = ?2 WHERE table_id = ?1", (table_id, new_body))
    connection.executemany(
        "UPDATE log SET input = ?3, interaction_id = NULL WHERE table_id = ?1 AND seq = ?2",
        [(table_id, row.seq, new) for row, new in zip(rows, inputs, strict=True) if new != row.input],
    )


def _erasing(connection: sqlite3.Connection, work: Callable[[], T]) -> T:
    """Do *work* in one transaction, then empty the WAL, in which what it took away would still be read."""
    done = in_transaction(connection, work)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return done

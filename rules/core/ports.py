"""
What is asked of storage. `db` answers it with SQLite; the kernel never sees SQL, `db` never a game.

`Store` keeps the tables. Everything a game says is bytes there. One `Write` is one transaction:
after a crash either all of it is there or none. `Registry` keeps settings and answers for people's
data; where it must look into what a game says, it is given a function that can.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import msgspec


class Conflict(Exception):
    """Somebody else wrote this table first: its `seq` is no longer the expected one."""


class Repeated(Exception):
    """The interaction is in the log already; nothing was written."""


class Owed(msgspec.Struct, frozen=True):
    """
    A message that must reach Discord once, whatever crashes in between.

    Attributes:
        nonce: at most 25 characters, the same at every attempt, so that Discord drops a repeat.
        table_id: the table it speaks of.
        kind: what to say; the words are found when it is sent.
        seat: whom it concerns, `None` for the whole table.
    """

    nonce: str
    table_id: int
    kind: str
    seat: int | None = None


class LogRow(msgspec.Struct, frozen=True):
    """One input of a table, as it was applied."""

    seq: int
    at_ms: int
    seat: int | None
    input: bytes


class Snapshot(msgspec.Struct, frozen=True):
    """A table as last saved: its bytes, the number of inputs in them, and its secret."""

    table_id: int
    game: str
    seq: int
    body: bytes
    seed: bytes


TABLE, TOURNAMENT = "table", "tournament"
"""Kinds of what is stored: each belongs to one door, and all are numbered together."""


class Opened(msgspec.Struct, frozen=True):
    """
    What is known of a table for good once it is opened.

    Attributes:
        game: key of its game.
        guild_id: the server.
        seed: its secret.
        origin: what it was opened for; no two have the same one, save the empty one.
        kind: `TABLE` or `TOURNAMENT`.
    """

    game: str
    guild_id: int
    seed: bytes
    origin: str = ""
    kind: str = TABLE


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """
    One step of one table.

    Attributes:
        row: the input that was applied; `row.seq - 1` must be what is stored, 0 for a new table.
        interaction_id: Discord's id of the press or command, `None` when nobody pressed.
        body: the table after the step.
        due_ms: the table's next deadline, UTC ms, `None` when nothing is pending.
        live: whether the table still needs anybody (lobby or game under way).
        channel_id: where its messages stand.
        opened: game key, server and seed of a new table, else `None`.
        players: the people at the table when they changed in this step, else `None`.
        owed: messages to be sent after the commit.
    """

    table_id: int
    row: LogRow
    interaction_id: int | None
    body: bytes
    due_ms: int | None
    live: bool
    channel_id: int
    opened: Opened | None = None
    players: tuple[int, ...] | None = None
    owed: tuple[Owed, ...] = ()


class Due(msgspec.Struct, frozen=True):
    """A table with a deadline, UTC ms, and the key of its game."""

    table_id: int
    due_ms: int
    game: str


class Posted(msgspec.Struct, frozen=True):
    """
    Where a table's messages stand on Discord.

    Attributes:
        table_id: the table.
        seq: inputs applied so far.
        rendered_seq: inputs shown by the board message.
        channel_id: where the board is.
        board_id: the board message, `None` before the first.
        posted_ms: when that message was sent, UTC ms.
        ping_id: the last ping message, `None` when there is none.
    """

    table_id: int
    seq: int
    rendered_seq: int
    channel_id: int
    board_id: int | None
    posted_ms: int
    ping_id: int | None


class Store(Protocol):
    """Storage of tables. Every method may be awaited by many at once."""

    async def last_table_id(self) -> int:
        """Return the highest table id ever used, 0 when there is none."""
        ...

    async def load(self, table_id: int) -> Snapshot | None:
        """Return the table as last saved, `None` when there is no such table."""
        ...

    async def commit(self, write: Write) -> None:
        """
        Save one step in one transaction.

        Raises:
            Conflict: the stored `seq` is not `write.row.seq - 1`.
            Repeated: `write.interaction_id` is in the log already.
        """
        ...

    async def log(self, table_id: int) -> Sequence[LogRow]:
        """Return every input of the table in order."""
        ...

    async def due(self, kind: str = TABLE) -> Sequence[Due]:
        """Return what has a deadline, the next one first."""
        ...

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
            live: only those still in the lobby or under way; else the ones that are over as well.
            kind: only those, `None` for all kinds.
        """
        ...

    async def of_origin(self, origin: str) -> int | None:
        """Return the id of the table that was opened for *origin*, `None` when there is none."""
        ...

    async def posted(self, table_id: int) -> Posted | None:
        """Return where the table's messages stand, `None` when there is no such table."""
        ...

    async def behind(self, kind: str = TABLE) -> Sequence[Posted]:
        """Return those whose board shows less than what is saved."""
        ...

    async def mark_board(self, table_id: int, *, rendered_seq: int, board_id: int | None, posted_ms: int) -> None:
        """Remember what the board message shows and which message it is."""
        ...

    async def mark_ping(self, table_id: int, ping_id: int | None) -> None:
        """Remember the table's one ping message."""
        ...

    async def owed(self, kind: str = TABLE) -> Sequence[Owed]:
        """Return every message not yet sent, the oldest first."""
        ...

    async def settle(self, nonce: str) -> None:
        """Forget an owed message: it was sent, or nobody can be told any more."""
        ...


class Change(msgspec.Struct, frozen=True):
    """One change of a server's setting; *user_id* is below 0 when whoever made it was forgotten."""

    guild_id: int
    at_ms: int
    user_id: int
    key: str
    value: str


class Departed(msgspec.Struct, frozen=True):
    """A server that the bot was removed from, and when, UTC ms."""

    guild_id: int
    left_ms: int


class Stay(msgspec.Struct, frozen=True):
    """
    What a table holds about one person.

    Attributes:
        table_id: the table.
        game: key of its game.
        guild_id: the server.
        channel_id: where it is or was.
        opened_ms: when it was opened, UTC ms.
        live: whether it is still a lobby or a game under way.
        about: what an `About` found.
    """

    table_id: int
    game: str
    guild_id: int
    channel_id: int
    opened_ms: int
    live: bool
    about: Mapping[str, Any]


class Kept(msgspec.Struct, frozen=True):
    """Everything kept about one person: own ping style, settings of servers they changed, tables."""

    pings: str | None
    changes: tuple[Change, ...]
    stays: tuple[Stay, ...]


About = Callable[[bytes, Sequence[LogRow], int], Mapping[str, Any] | None]
"""Finds what a table (its body, its inputs) holds about a person; `None` when it is nothing."""

Pseudonymise = Callable[[Sequence[bytes], int, int], Sequence[bytes]]
"""Rewrites all that is kept of one table (its body, its inputs): a person's id becomes the alias, the name goes."""


class Registry(Protocol):
    """Storage of settings, and of what people may ask about themselves."""

    async def server_settings(self, guild_id: int) -> Mapping[str, str]:
        """Return the settings of a server that were ever set."""
        ...

    async def set_server(self, guild_id: int, key: str, value: str, *, user_id: int, at_ms: int) -> None:
        """Set one setting of a server and log who did it when."""
        ...

    async def server_changes(self, guild_id: int, limit: int) -> Sequence[Change]:
        """Return the last changes of a server's settings, the newest first."""
        ...

    async def pings_of(self, user_id: int) -> str | None:
        """Return how a person wants to be called, `None` when they never said."""
        ...

    async def set_pings(self, user_id: int, style: str) -> None:
        """Set how a person wants to be called."""
        ...

    async def mark_left(self, guild_id: int, at_ms: int) -> None:
        """Remember that the bot was removed from a server; the first time counts until it is back."""
        ...

    async def mark_joined(self, guild_id: int) -> None:
        """Forget that the bot was ever removed from a server."""
        ...

    async def left(self) -> Sequence[Departed]:
        """Return the servers the bot was removed from, the longest ago first."""
        ...

    async def known_guilds(self) -> Sequence[int]:
        """Return the servers of which anything is kept."""
        ...

    async def purge(self, guild_id: int) -> None:
        """Erase everything kept of a server: tables with their logs, settings, changes."""
        ...

    async def seats(self, user_id: int, kind: str = TABLE) -> Sequence[int]:
        """Return the live tables of any server where a person sits."""
        ...

    async def mentions(self, user_id: int) -> Sequence[int]:
        """Return everything live, of any kind and server, that may hold a person's id anywhere."""
        ...

    async def data_of(self, user_id: int, about: About) -> Kept:
        """Return everything kept about a person."""
        ...

    async def forget(self, user_id: int, pseudonymise: Pseudonymise, held: Collection[int]) -> bool:
        """
        Erase a person, or put an alias below 0 in their place where others' games need it.

        Args:
            user_id: the person.
            pseudonymise: rewrites what a table says.
            held: tables at which nothing happens meanwhile. A live one that is not among them must
                not be rewritten under its players' hands: then nothing is done.

        Returns:
            Whether it was done.
        """
        ...

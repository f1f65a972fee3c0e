"""What a server's admins and each person may choose, read from the database once and then from memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from cogs.ui.words import span
from rules.core.ports import Change, Registry
from rules.core.table import CLOCKS_MS, DAY_MS, DEFAULT_CLOCK_MS, DEFAULT_IDLE_MS

Pings = Literal["channel", "dm", "none"]

MOST_PEOPLE = 10_000
"""People whose ping style is kept in memory; the longest known gives way."""

PING_STYLES: Mapping[Pings, str] = {
    "channel": "In the table's channel",
    "dm": "By direct message",
    "none": "Not at all",
}
"""Ways of being called, in words; the first is the default."""


class ServerSettings(msgspec.Struct, frozen=True):
    """
    Settings of one server.

    Attributes:
        clock_ms: turn clock of a new table, 0 for none.
        threads: whether a new table gets a thread of its own.
        idle_ms: how long a new table may lie untouched, 0 for ever.
        pings: whether anybody is called at all.
    """

    clock_ms: int = DEFAULT_CLOCK_MS
    threads: bool = False
    idle_ms: int = DEFAULT_IDLE_MS
    pings: bool = True


class Setting(msgspec.Struct, frozen=True):
    """
    One setting of a server.

    Attributes:
        key: its name in the database.
        field: its field in `ServerSettings`.
        title: its name for people.
        values: what it may be, by the text in the database.
        words: the same texts in words.
    """

    key: str
    field: str
    title: str
    values: Mapping[str, Any]
    words: Mapping[str, str]

    def text(self, settings: ServerSettings) -> str:
        """Return the text that stands for the value it has in *settings*."""
        now = getattr(settings, self.field)
        return next(text for text, value in self.values.items() if value == now)


IDLE_MS = (DAY_MS, 3 * DAY_MS, 7 * DAY_MS, DEFAULT_IDLE_MS, 30 * DAY_MS, 0)
_SWITCH = {"on": True, "off": False}

SERVER = {
    setting.key: setting
    for setting in (
        Setting(
            "turn_clock",
            "clock_ms",
            "Turn clock",
            {str(clock_ms): clock_ms for clock_ms in CLOCKS_MS},
            {str(clock_ms): span(clock_ms) for clock_ms in CLOCKS_MS},
        ),
        Setting(
            "threads",
            "threads",
            "Threads",
            _SWITCH,
            {"on": "one for each table", "off": "none, tables stay in the channel"},
        ),
        Setting(
            "idle",
            "idle_ms",
            "Untouched tables close",
            {str(idle_ms): idle_ms for idle_ms in IDLE_MS},
            {str(idle_ms): f"after {span(idle_ms)}" if idle_ms else "never" for idle_ms in IDLE_MS},
        ),
        Setting("pings", "pings", "Pings", _SWITCH, {"on": "on", "off": "off, nobody is called"}),
    )
}
"""The settings of a server by key, in the order in which they are shown."""


class Settings:
    """
    All settings.

    Args:
        registry: where they are kept.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._servers: dict[int, ServerSettings] = {}
        self._people: dict[int, Pings] = {}

    async def server(self, guild_id: int) -> ServerSettings:
        """Return the settings of a server; what was never set, or is not understood, has its default."""
        kept = self._servers.get(guild_id)
        if kept is None:
            stored = await self._registry.server_settings(guild_id)
            known = ((SERVER[key], text) for key, text in stored.items() if key in SERVER)
            kept = ServerSettings(
                **{setting.field: setting.values[text] for setting, text in known if text in setting.values}
            )
            self._servers[guild_id] = kept
        return kept

    async def set_server(self, guild_id: int, key: str, text: str, *, by: int, at_ms: int) -> None:
        """
        Change one setting of a server; nothing is logged when it has that value already.

        Raises:
            ValueError: there is no such setting, or it cannot be that.
        """
        setting = SERVER.get(key)
        if setting is None or text not in setting.values:
            raise ValueError(f"unknown setting {key}={text}")
        if setting.text(await self.server(guild_id)) == text:
            return
        await self._registry.set_server(guild_id, key, text, user_id=by, at_ms=at_ms)
        self._servers.pop(guild_id, None)

    async def changes(self, guild_id: int, limit: int) -> Sequence[Change]:
        """Return the last changes of a server's settings, the newest first."""
        return await self._registry.server_changes(guild_id, limit)

    async def pings_of(self, user_id: int) -> Pings:
        """Return how a person wants to be called."""
        if user_id not in self._people:
            stored = await self._registry.pings_of(user_id)
            default: Pings = "channel"
            self._people[user_id] = next((style for style in PING_STYLES if style == stored), default)
            if len(self._people) > MOST_PEOPLE:
                del self._people[next(iter(self._people))]
        return self._people[user_id]

    async def set_pings(self, user_id: int, style: str) -> None:
        """
        Change how a person wants to be called.

        Raises:
            ValueError: there is no such way.
        """
        if style not in PING_STYLES:
            raise ValueError(f"unknown ping style {style}")
        await self._registry.set_pings(user_id, style)
        self._people.pop(user_id, None)

    def drop(self, *, guild_id: int | None = None, user_id: int | None = None) -> None:
        """Read a server's or a person's settings afresh next time: they were changed past this class."""
        self._servers.pop(guild_id or 0, None)
        self._people.pop(user_id or 0, None)

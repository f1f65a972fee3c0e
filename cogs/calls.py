"""Messages that call people: turns, warnings, seats taken over, tables closed."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Any

import discord
import msgspec
from discord import ui

from cogs import places
from cogs.ui.screens import call
from rules.core.contract import Refusal
from rules.core.ports import Owed, Posted
from rules.core.table import Leave, Table
from rules.core.tables import Cause

if TYPE_CHECKING:
    from cogs.app import Dancefloor

log = logging.getLogger(__name__)

DM_NOTE = "-# You asked for direct messages. To stop them: `/settings` in the server."


class Calls:
    """
    Sends what is owed to people, one message a table at a time.

    Args:
        bot: has opened its tables, store, settings, clock and faces.
    """

    def __init__(self, bot: Dancefloor) -> None:
        self._bot = bot

    async def hush(self, channel: Any, table: Table, posted: Posted) -> Posted:
        """Take away a call that is answered, where it would be in the way of the result or while time presses."""
        return await self._unping(channel, posted) if table.phase == "over" or table.deadlines else posted

    async def send(self, channel: Any, table: Table, posted: Posted, owed_now: list[Owed]) -> None:
        """
        Send the messages that still hold and take them off *owed_now*; each takes the place of the one before.

        What comes to be owed meanwhile is not known to *table* and waits for the next time.

        Raises:
            discord.HTTPException: one of them could not be sent and is owed still.
        """
        waiting = tuple(owed_now)
        before_id = posted.ping_id
        failed: discord.HTTPException | None = None
        for owed in waiting:
            later = owed_now[owed_now.index(owed) + 1 :]
            said = owed.kind == "away" and posted.ping_id not in (None, before_id)  # by the call just sent
            if not said and all(other.seat != owed.seat for other in later):  # no burst of what was missed meanwhile
                try:
                    posted = await self._call(channel, table, posted, owed)
                except discord.HTTPException as error:
                    if places.is_ill(error):
                        raise
                    failed = error  # the next one may want a direct message
                    continue
            await self._bot.store.settle(owed.nonce)
            owed_now.remove(owed)
        if failed is not None:
            raise failed

    async def _call(self, channel: Any, table: Table, posted: Posted, owed: Owed) -> Posted:
        """Send one message where its person wants it; whoever has left the server gets up instead."""
        url = f"https://discord.com/channels/{table.guild_id}/{posted.channel_id}/{posted.board_id}"
        face = self._bot.faces[table.game]
        message = call(face, table, owed, url)
        if message is None:
            return posted
        view, user_id = message
        mentions = discord.AllowedMentions.none()
        if user_id is not None:
            if await places.has_left(self._bot, table.guild_id, user_id):
                await self.get_up(table.table_id, user_id)
                return posted
            style = await self._style(table.guild_id, user_id)
            private = call(face, table, owed, url, DM_NOTE) if style == "dm" else None
            if style == "none" or (private and await self._whisper(user_id, private[0])):
                return await self._unping(channel, posted)
            mentions = discord.AllowedMentions(users=[discord.Object(user_id)])
        posted = await self._unping(channel, posted)
        sent = await channel.send(view=view, nonce=owed.nonce, allowed_mentions=mentions)
        if table.phase == "over":
            return posted
        await self._bot.store.mark_ping(table.table_id, sent.id)
        return msgspec.structs.replace(posted, ping_id=sent.id)

    async def _style(self, guild_id: int, user_id: int) -> str:
        """Return how a person is called: in the "channel", by "dm", or "none" at all."""
        if not (await self._bot.settings.server(guild_id)).pings:
            return "none"
        return await self._bot.settings.pings_of(user_id)

    async def _whisper(self, user_id: int, view: ui.LayoutView) -> bool:
        """Send a direct message; tell whether it went, for many people take none."""
        try:
            user = self._bot.get_user(user_id) or await self._bot.fetch_user(user_id)
            await user.send(view=view)
        except discord.HTTPException as error:
            log.info("a direct message did not go: %s", error.code)
            return False
        return True

    async def _unping(self, channel: Any, posted: Posted) -> Posted:
        if posted.ping_id is None:
            return posted
        await places.delete(channel, posted.ping_id)
        await self._bot.store.mark_ping(posted.table_id, None)
        return msgspec.structs.replace(posted, ping_id=None)

    async def get_up(self, table_id: int, user_id: int) -> None:
        """Free the seat of somebody who has left the server."""
        with contextlib.suppress(Refusal):  # up already, or the table is over
            await self._bot.tables.submit(table_id, Leave(user_id), Cause(self._bot.clock()))

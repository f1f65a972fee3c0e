"""Servers that the bot was removed from: their tables rest, and after a month they are forgotten."""

from __future__ import annotations

import logging

import discord
from discord.ext import commands

from cogs.app import Dancefloor
from rules.core.codec import NewerState
from rules.core.contract import Refusal
from rules.core.table import DAY_MS, Resume
from rules.core.tables import Cause

log = logging.getLogger(__name__)

FORGET_AFTER_MS = 30 * DAY_MS


class Departures(commands.Cog, name="departures"):
    """
    Finds servers that the bot was removed from, and forgets them; `Boards` lets their tables rest.

    An outage is no removal: Discord says which it is, and discord.py calls `on_guild_remove` for the latter alone.
    """

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot
        self._returning: set[int] = set()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Take up the servers left before, and find those that removed the bot while it was away."""
        with self.bot.answering():  # a stop waits
            await self._look_around()

    async def _look_around(self) -> None:
        here = {guild.id for guild in self.bot.guilds}
        left = {departed.guild_id: departed.left_ms for departed in await self.bot.store.left()}
        for guild_id in await self.bot.store.known_guilds():
            if guild_id in here and guild_id in left:
                await self._back(guild_id, left[guild_id])
            elif guild_id not in here:
                await self._gone(guild_id, left.get(guild_id))

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Begin to wait until a server that the bot was removed from is forgotten."""
        await self._gone(guild.id, None)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Let the tables of a server go on that took the bot back in time."""
        await self._back(guild.id, await self._left_ms(guild.id))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Show what could not be shown during an outage; a server that was thought left is back as well."""
        left_ms = await self._left_ms(guild.id)
        if left_ms is not None:
            await self._back(guild.id, left_ms)
        else:
            self.bot.boards.retry(guild.id)

    async def _gone(self, guild_id: int, left_ms: int | None) -> None:
        if left_ms is None:
            left_ms = self.bot.clock()
            await self.bot.store.mark_left(guild_id, left_ms)
            log.info("server %d is gone; it is forgotten in 30 days", guild_id)

        async def forget() -> None:
            ids = await self.bot.store.find(guild_id=guild_id, live=False, kind=None)

            async def purge() -> None:
                await self.bot.store.purge(guild_id)

            async def hold() -> None:
                await self.bot.tournaments.hold(ids, purge)

            await self.bot.tables.hold(ids, hold)
            self.bot.boards.drop(ids)
            self.bot.settings.drop(guild_id=guild_id)
            log.info("server %d is forgotten", guild_id)

        self.bot.scheduler.at(("forget", guild_id), left_ms + FORGET_AFTER_MS, forget)

    async def _left_ms(self, guild_id: int) -> int | None:
        """Return when a server removed the bot, `None` when it did not."""
        return next((each.left_ms for each in await self.bot.store.left() if each.guild_id == guild_id), None)

    async def _back(self, guild_id: int, left_ms: int | None) -> None:
        """Take up a server again; at the tables that rested nobody has lost time by it."""
        if guild_id in self._returning:
            return  # Discord tells of a return in more than one way
        self._returning.add(guild_id)
        try:
            self.bot.scheduler.drop(("forget", guild_id))
            for table_id in await self.bot.store.find(guild_id=guild_id) if left_ms is not None else ():
                await self._rested(table_id, left_ms or 0)
            await self.bot.store.mark_joined(guild_id)
            await self.bot.boards.unpark(guild_id)
        finally:
            self._returning.discard(guild_id)

    async def _rested(self, table_id: int, left_ms: int) -> None:
        try:
            await self.bot.tables.submit(table_id, Resume(left_ms, rested=True), Cause(self.bot.clock()))
        except (Refusal, NewerState) as error:
            log.info("table %d does not go on: %s", table_id, type(error).__name__)


async def setup(bot: Dancefloor) -> None:
    """Add the cog."""
    await bot.add_cog(Departures(bot))

"""
Tournaments on Discord.

`office` finds the tournament and applies acts; `presses`, `players` and `organisers` are what people do;
`pages`, `staff_pages` and `rulebook` are what they see, in `words` and `log_words`; `steward` carries out what
tournaments want, and `posts` says it in the channels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from cogs.app import Desk
from cogs.tournaments import group, parts, refusals
from cogs.tournaments.office import Office
from cogs.tournaments.organisers import OrganiserCommands
from cogs.tournaments.players import PlayerCommands
from cogs.tournaments.presses import Presses

if TYPE_CHECKING:
    from cogs.app import Dancefloor


class Tournaments(PlayerCommands, OrganiserCommands, name=parts.KEY):
    """The desk where everything of tournaments comes in."""

    tournament = group.tournament

    def __init__(self, bot: Dancefloor) -> None:
        self.office = Office(bot)
        self.presses = Presses(self.office)
        bot.desks[parts.KEY] = Desk(self.presses.on_press, refusals.REFUSALS)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        """Give a table whose thread is gone another one."""
        await self.office.steward.on_place_gone(event.guild_id, event.thread_id)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """Bring back the public message of a tournament."""
        self.office.steward.on_message_gone(event.message_id)

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Bring back the public message of a tournament."""
        for message_id in event.message_ids:
            self.office.steward.on_message_gone(message_id)

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Go on with the tournaments of a server that could not be reached."""
        await self.office.steward.take_up(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Go on with the tournaments of a server that took the bot back."""
        await self.office.steward.take_up(guild.id)


async def setup(bot: Dancefloor) -> None:
    """Add the cog, and go on with what runs."""
    cog = Tournaments(bot)
    await bot.add_cog(cog)
    await cog.office.steward.resume()

"""What happened at a table: its log for reading, and its replay file for checking."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import discord
from discord.ext import commands

from cogs.app import Dancefloor
from cogs.ui.answers import Interaction, Reply, refused
from cogs.ui.history import log_page, told_lines
from cogs.ui.ids import HOUSE, Press
from cogs.ui.layout import ACCENT_HOUSE, button, page, rows, text
from cogs.ui.screens import fingerprint
from rules.core.contract import Refusal
from rules.core.table import Table

MAX_CHOICES = 10
LOOK_BACK = 20
"""Tables of a channel among which the last game is looked for."""

_PAGE = re.compile(r"(\d{1,6})\.(\d{1,6})")


class Log(commands.Cog, name="log"):
    """Presses on the pages of a log; `/table log` and `/table replay` stand with the other table commands."""

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot
        bot.verbs |= {
            "log": (self.on_log, False),
            "log_back": (self.on_log, False),
            "log_on": (self.on_log, False),
            "replay": (self.on_replay, False),
        }

    async def on_log(self, interaction: Interaction, press: Press) -> Reply:
        """Show a page of a log."""
        table = await _visible(self.bot, interaction, press.table_id)
        found = _PAGE.fullmatch(press.arg)
        return await _log(self.bot, table, *(map(int, found.groups()) if found else (1, None)))

    async def on_replay(self, interaction: Interaction, press: Press) -> Reply:
        """Hand over a replay file."""
        return await _replay(self.bot, await _visible(self.bot, interaction, press.table_id))


async def show_log(bot: Dancefloor, interaction: Interaction, number: int | None) -> Reply:
    """Answer `/table log`: the newest page of the table asked for, of one's own, or of the one here."""
    if number is not None:
        return await _log(bot, await _visible(bot, interaction, number))
    tables = await _live(bot, interaction) or (await _finished(bot, interaction))[:1]
    if not tables:
        return refused("No table has been played in this channel. `number:` brings one from elsewhere.")
    if len(tables) > 1:
        return _which(bot, "Whose log?", "log", tables)
    return await _log(bot, tables[0])


async def give_replay(bot: Dancefloor, interaction: Interaction, number: int | None) -> Reply:
    """Answer `/table replay`: the file of the table asked for, or of the last one that ended here."""
    if number is not None:
        return await _replay(bot, await _visible(bot, interaction, number))
    tables = (await _finished(bot, interaction))[:1] or await _live(bot, interaction)
    if not tables:
        return refused("No table has been played in this channel. `number:` brings one from elsewhere.")
    return await _replay(bot, tables[0])


async def _log(bot: Dancefloor, table: Table, number: int = 1, total: int | None = None) -> Reply:
    told = await bot.tables.history(table.table_id)
    face = bot.faces[table.game]
    return Reply(log_page(face, table, told_lines(face, told), number, total))


async def _replay(bot: Dancefloor, table: Table) -> Reply:
    body = await bot.tables.export(table.table_id)
    name = f"{table.game.replace('_', '-')}-table-{table.table_id}.json"
    return Reply(
        sentence=(
            f"💾 Table {table.table_id} to check: seed, every move, result. `python bot.py verify {name}` plays it "
            f"again; its fingerprint must be the one from the lobby, `{fingerprint(table)}…`."
        ),
        file=discord.File(io.BytesIO(body), name),
    )


# --- which table ---------------------------------------------------------------------------------


async def _visible(bot: Dancefloor, interaction: Interaction, table_id: int) -> Table:
    """
    Return a table whose channel this person can see.

    Raises:
        Refusal: `no_table`.
    """
    table = (await bot.tables.glance(table_id)).table
    if table.guild_id != interaction.guild_id or not _sees(interaction, table):
        raise Refusal("no_table")
    return table


def _sees(interaction: Interaction, table: Table) -> bool:
    member, guild = interaction.user, interaction.guild
    if table.channel_id == interaction.channel_id or table.seat_of(member.id) is not None:
        return True
    channel = guild.get_channel_or_thread(table.channel_id) if guild else None
    in_vain = channel is None or (isinstance(channel, discord.Thread) and channel.parent is None)
    if channel is None or in_vain or not isinstance(member, discord.Member):
        return interaction.permissions.manage_guild
    granted = channel.permissions_for(member)
    private = isinstance(channel, discord.Thread) and channel.is_private()
    return granted.view_channel and (granted.manage_threads or not private)


async def _live(bot: Dancefloor, interaction: Interaction) -> list[Table]:
    """Return the live tables a command may mean: one's own here, else those here, else one's own elsewhere."""
    guild_id, user_id = interaction.guild_id or 0, interaction.user.id
    mine = await bot.store.find(guild_id=guild_id, user_id=user_id)
    here = await bot.store.find(guild_id=guild_id, channel_id=interaction.channel_id or 0)
    ids = [table_id for table_id in here if table_id in mine] or here or mine
    return [(await bot.tables.glance(table_id)).table for table_id in ids[:MAX_CHOICES]]


async def _finished(bot: Dancefloor, interaction: Interaction) -> list[Table]:
    """Return the tables of this channel whose game was dealt and is over, the newest first."""
    ids = await bot.store.find(guild_id=interaction.guild_id or 0, channel_id=interaction.channel_id or 0, live=False)
    tables = [(await bot.tables.glance(table_id)).table for table_id in ids[:LOOK_BACK]]
    return [table for table in tables if table.phase == "over" and table.seed]


def _which(bot: Dancefloor, question: str, verb: str, tables: Sequence[Table]) -> Reply:
    lines = [f"**Table {table.table_id}** · {bot.faces[table.game].title}" for table in tables]
    knobs = [button(f"Table {table.table_id}", Press(HOUSE, verb, table.table_id)) for table in tables]
    return Reply(page(ACCENT_HOUSE, text(f"## {question}", *lines), *rows(knobs)))


async def setup(bot: Dancefloor) -> None:
    """Add the cog."""
    await bot.add_cog(Log(bot))

"""What every game's own commands share: open a lobby, show the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import discord
from discord import app_commands

from cogs.places import close_thread, open_thread
from cogs.ui.answers import Interaction, Reply, cause, person, respond
from cogs.ui.layout import said
from cogs.ui.names import plain
from cogs.ui.screens import rules_page
from cogs.ui.words import span
from rules.core.contract import Refusal
from rules.core.table import CLOCKS_MS, MINUTE_MS, Open

if TYPE_CHECKING:
    from cogs.app import Dancefloor

NEEDED_FOR_THREADS = "I need **Create Public Threads** and **Send Messages in Threads**, and a normal text channel"
CLOCK_CHOICES = [app_commands.Choice(name=span(clock_ms), value=clock_ms // MINUTE_MS) for clock_ms in CLOCKS_MS]
"""Turn clocks as a command offers them, in minutes."""


async def open_lobby(
    bot: Dancefloor,
    interaction: Interaction,
    game: str,
    *,
    computers: int,
    clock: int | None,
    thread: bool | None = None,
    options: Mapping[str, str | None],
) -> None:
    """
    Answer a game's `new` command: open a lobby in this channel.

    Args:
        bot: the bot.
        interaction: the command.
        game: key of the game.
        computers: how many of them sit in from the start.
        clock: turn clock in minutes, `None` for the server's default.
        thread: whether the table gets a thread of its own, `None` for the server's default.
        options: the game's own options; `None` stands for the default.
    """

    async def work() -> Reply:
        if interaction.guild_id is None or interaction.channel_id is None:
            raise Refusal("old_button")
        missing = missing_permissions(interaction)
        if missing:
            return Reply(sentence=said(cannot_post(missing)))
        settings = await bot.settings.server(interaction.guild_id)
        wanted = settings.threads if thread is None else thread
        granted = interaction.app_permissions
        allowed = granted.create_public_threads and granted.send_messages_in_threads
        name = _thread_name(bot, game, interaction)
        place = await open_thread(interaction.channel, name) if wanted and allowed else None
        opening = Open(
            game=game,
            guild_id=interaction.guild_id,
            channel_id=place.id if place else interaction.channel_id,
            host=person(interaction),
            options={key: value for key, value in options.items() if value is not None},
            clock_ms=settings.clock_ms if clock is None else clock * MINUTE_MS,
            idle_ms=settings.idle_ms,
            computers=computers,
        )
        try:
            update = await bot.tables.open(opening, cause(interaction))
        except Refusal:
            if place is not None:
                await close_thread(place)
            raise
        where = f" in {place.mention}" if place else ""
        sorry = "" if place or not wanted else f"\n-# No thread could be opened: {NEEDED_FOR_THREADS}."
        return Reply(
            sentence=f"Table {update.table.table_id} is open{where}, and you are its host. "
            f"Press **Start** once everybody is in; **Add computer** fills the gaps.{sorry}"
        )

    bot.clock.hear(interaction.created_at)
    await respond(interaction, work(), bot.words_for(game))


async def show_rules(bot: Dancefloor, interaction: Interaction, game: str) -> None:
    """Answer a game's `rules` command with the first section."""

    async def work() -> Reply:
        return Reply(rules_page(bot.faces[game], 0))

    bot.clock.hear(interaction.created_at)
    await respond(interaction, work(), bot.words_for(game))


def _thread_name(bot: Dancefloor, game: str, interaction: Interaction) -> str:
    return f"{bot.games[game].spec.title} with {plain(interaction.user.display_name)}"


def cannot_post(missing: Sequence[str]) -> str:
    """Return the sentence about the permissions that the bot lacks here."""
    return f"I may not post here. Ask an admin to allow me: {', '.join(missing)}."


def missing_permissions(interaction: Interaction) -> list[str]:
    """Name what the bot needs in this channel and may not do."""
    granted = interaction.app_permissions
    in_thread = isinstance(interaction.channel, discord.Thread)
    needed = {
        "View Channel": granted.view_channel,
        "Send Messages in Threads" if in_thread else "Send Messages": (
            granted.send_messages_in_threads if in_thread else granted.send_messages
        ),
    }
    return [name for name, has in needed.items() if not has]


def trouble(bot: Dancefloor, table_id: int, interaction: Interaction | None = None) -> str:
    """Return what keeps the bot from showing a table, empty when nothing does; it tries again."""
    missing = missing_permissions(interaction) if interaction else []
    known = bot.boards.trouble(table_id)
    if known:
        bot.boards.refresh(table_id)  # somebody is here: perhaps it has been mended
    return cannot_post(missing) if missing else known

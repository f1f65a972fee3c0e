"""Channels and messages of ours, and what can be wrong with them."""

from __future__ import annotations

import logging
from typing import Any

import discord
from discord import ui

log = logging.getLogger(__name__)

UNKNOWN_CHANNEL = 10003
UNKNOWN_MEMBER = 10007
UNKNOWN_MESSAGE = 10008
UNKNOWN_USER = 10013
OLD_MESSAGE = 30046
NO_ACCESS = 50001
NO_DIRECT_MESSAGES = (50007, 50278)
NO_PERMISSION = 50013
ARCHIVED = 50083
LOCKED = 160005
SERVER_FAULT = 500

TROUBLE = {
    UNKNOWN_CHANNEL: "The channel of this table is gone. `/table move` brings the table to another one.",
    NO_ACCESS: "I cannot see the channel of this table: an admin can allow me **View Channel** there.",
    NO_PERMISSION: "I may not write in the channel of this table: an admin can allow me **Send Messages** "
    "(in a thread **Send Messages in Threads**), or `/table move` it.",
    ARCHIVED: "The thread of this table is archived and I cannot open it: unarchive it, or `/table move`.",
    LOCKED: "The thread of this table is locked: unlock it, or `/table move` to another channel.",
}
"""What to tell people by Discord's error code; others are told the code."""


UNREACHABLE = "Discord cannot be reached just now; the board follows as soon as it can."


def trouble(error: discord.HTTPException) -> str:
    """Return what is wrong and what to do, for people."""
    return TROUBLE.get(error.code, f"Discord does not let me show the board now (error {error.code or error.status}).")


async def channel_of(client: discord.Client, channel_id: int) -> Any:
    """
    Return a channel that takes messages.

    Raises:
        discord.HTTPException: it is gone, or out of sight.
    """
    return client.get_channel(channel_id) or await client.fetch_channel(channel_id)


async def edit(channel: Any, message_id: int, view: ui.LayoutView) -> None:
    """
    Edit a message of ours, opening an archived thread for it.

    Raises:
        discord.HTTPException: it cannot be done.
    """
    message = channel.get_partial_message(message_id)
    try:
        await message.edit(view=view)
    except discord.HTTPException as error:
        if error.code != ARCHIVED or not isinstance(channel, discord.Thread):
            raise
        await channel.edit(archived=False)
        await message.edit(view=view)


async def delete(channel: Any, message_id: int | None) -> None:
    """Delete a message of ours; one that is gone or out of reach does no harm."""
    if message_id is None:
        return
    try:
        await channel.get_partial_message(message_id).delete()
    except discord.HTTPException as error:
        log.info("a message could not be deleted: %s", error.code)


async def has_left(client: discord.Client, guild_id: int, user_id: int) -> bool:
    """
    Tell whether somebody is no longer in the server, or does not exist any more.

    Asked at their turn only, so the bot needs no list of members. When Discord does not say, they are there.
    """
    guild = client.get_guild(guild_id)
    if guild is None:
        return False
    try:
        await guild.fetch_member(user_id)
    except discord.HTTPException as error:
        return error.code in (UNKNOWN_MEMBER, UNKNOWN_USER)
    return False


async def open_thread(channel: Any, name: str) -> discord.Thread | None:
    """Open a public thread below *channel*; `None` where that is not possible or not allowed."""
    if not isinstance(channel, discord.TextChannel):
        return None
    try:
        return await channel.create_thread(name=name, type=discord.ChannelType.public_thread)
    except discord.HTTPException as error:
        log.info("a thread could not be opened: %s", error.code)
        return None

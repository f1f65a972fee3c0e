"""What a test arranges that a person could not: states, presses in flight, buttons of unknown ids, admins."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import Any

import discord
import msgspec
from simcord.backend import serializers
from simcord.backend.models import Message
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType
from simcord.interactions import base_payload
from simcord.results import InteractionResult, ResponseMessage

from rules.core.codec import dump_record, load_record
from rules.core.table import Record
from tests.cogs.world import World, words

COMPONENT_PRESS = 3
ROW, BUTTON, SELECT, TEXT = 1, 2, 3, 10
LAYOUT_FLAG = 1 << 15
EPHEMERAL_FLAG = 1 << 6


# --- states --------------------------------------------------------------------------------------


async def stage(here: World, state: Any, table_id: int = 1, **fields: Any) -> None:
    """
    Put a state of our own in place of the running game, as if it had come to this, and restart.

    Args:
        here: the server; the table has as many seats as *state*.
        state: a state of the table's game.
        table_id: the table.
        fields: further fields of the `Table` to be changed.
    """

    def changed(record: Record) -> Record:
        turn = (state.turn,) if state.turn >= 0 else ()
        versions = tuple(version + 1 for version in record.table.versions)
        table = msgspec.structs.replace(record.table, **{"to_act": turn, "versions": versions, **fields})
        return Record(table, state, record.recent)

    await rewrite(here, changed, table_id)


async def rewrite(here: World, change: Any, table_id: int = 1) -> None:
    """Stop the bot, change the saved table, and start again; its board is behind then."""
    key = (await here.bot.tables.glance(table_id)).table.game
    await here.bot.close()
    with closing(sqlite3.connect(here.path)) as database, database:
        (body,) = database.execute("SELECT body FROM tables WHERE table_id = ?1", (table_id,)).fetchone()
        game = here.bot.games[key]
        new = dump_record(game, change(load_record(game, body)))
        database.execute("UPDATE tables SET body = ?1, rendered_seq = seq - 1 WHERE table_id = ?2", (new, table_id))
    await here.restart()


async def sitting(here: World, table_id: int = 1) -> list[int]:
    """Return the index of the person in each seat, -1 for a computer."""
    table = (await here.bot.tables.glance(table_id)).table
    ids = [person.id for person in here.people]
    return [ids.index(who.user_id) if who.user_id in ids else -1 for who in table.sittings]


async def snapshot(here: World, table_id: int = 1) -> bytes:
    """Return what is saved of a table."""
    saved = await here.bot.store.load(table_id)
    assert saved is not None
    return saved.body


def said(message: Any) -> str:
    """Return all text of a message, without the empty line that a layout begins with."""
    return words(message).strip()


# --- presses -------------------------------------------------------------------------------------


class Pressed:
    """A press in flight: what Discord sends, and what comes back."""

    def __init__(self, here: World, who: int, message: Any, custom_id: str, values: Sequence[str] = ()) -> None:
        backend = here.env.backend
        stored = backend.get_message(here.channel.id, message.id)
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": SELECT if values else BUTTON}
        if values:
            data["values"] = list(values)
        self.here = here
        self.record, self.payload = base_payload(
            backend,
            type=COMPONENT_PRESS,
            channel_id=here.channel.id,
            guild_id=here.guild.id,
            user_id=here.people[who].id,
            data=data,
        )
        self.payload["message"] = dict(serializers.message_payload(backend, stored))
        self.record.source_message_id = stored.id

    def emit(self) -> None:
        """Have Discord deliver it, without waiting for an answer; may be repeated."""
        self.here.env.backend.emit("INTERACTION_CREATE", self.payload)

    @property
    def response(self) -> ResponseMessage:
        """What came back: a new message, or the pressed one as it is now."""
        found = InteractionResult(self.here.env, self.record).response
        assert found is not None, "the press was not answered"
        return found


async def press_id(here: World, who: int, message: Any, custom_id: str, values: Sequence[str] = ()) -> ResponseMessage:
    """Press *custom_id* on a message that the presser need not see, and return the answer."""
    pressed = Pressed(here, who, message, custom_id, values)
    pressed.emit()
    await here.env.settle(idle=0.001)
    return pressed.response


def plant(here: World, custom_ids: Iterable[str], *, private: bool = False, menu: bool = False) -> Message:
    """Have a message of the bot stand in the channel with a button (or select) for each id, whoever put it there."""
    rows = []
    for custom_id in custom_ids:
        knob: dict[str, Any] = {"type": BUTTON, "style": 2, "label": "?", "custom_id": custom_id}
        if menu:
            options = [{"label": value, "value": value} for value in ("sense", "non:sense", "clock:x")]
            knob = {"type": SELECT, "custom_id": custom_id, "options": options}
        rows.append({"type": ROW, "components": [knob]})
    return here.env.backend.create_message(
        here.channel.id,
        here.env.backend.bot_user.id,
        components=[{"type": TEXT, "content": "Old buttons"}, *rows],
        flags=LAYOUT_FLAG | (EPHEMERAL_FLAG if private else 0),
    )


# --- the server ----------------------------------------------------------------------------------


def admin(here: World, name: str = "Robin") -> Any:
    """Return a new member who may manage the server."""
    role = here.guild.create_role("Admin", permissions=discord.Permissions(manage_guild=True))
    return here.guild.add_member(here.env.create_user(name.lower(), global_name=name), roles=[role])


def remove_bot(here: World) -> Callable[..., None]:
    """Remove the bot from the server; what is returned takes it back, as *joined* or as one never seen to leave."""
    backend, guild_id = here.env.backend, here.guild.id
    guild = backend.guilds[guild_id]
    ids = [*guild.channel_ids, *guild.thread_ids]
    channels = {channel_id: backend.channels[channel_id] for channel_id in ids}
    messages = {channel_id: backend.messages[channel_id] for channel_id in ids}
    backend.remove_guild(guild_id)

    def take_back(*, joined: bool = True) -> None:
        backend.guilds[guild_id] = guild
        backend.channels.update(channels)
        backend.messages.update(messages)
        payload = dict(serializers.guild_create_payload(backend, guild))
        if joined:
            del payload["unavailable"]
        backend.emit("GUILD_CREATE", payload)

    return take_back


def forbid(here: World, **permissions: bool) -> None:
    """Take permissions in the channel away from the bot (`send_messages=False`); without any, give all back."""
    bot_id = here.env.backend.bot_user.id
    if not permissions:
        here.env.backend.delete_overwrite(here.channel.id, bot_id)
        return
    allow, deny = discord.PermissionOverwrite(**permissions).pair()
    overwrite = Overwrite(target_id=bot_id, type=OverwriteType.MEMBER, allow=allow.value, deny=deny.value)
    here.env.backend.set_overwrite(here.channel.id, overwrite)


def sent(here: World, method: str, path: str, start: int = 0) -> list[Any]:
    """Return the bot's requests since number *start* whose path holds *path*."""
    return [request for request in here.env.http_requests[start:] if request.method == method and path in request.path]

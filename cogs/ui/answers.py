"""The one way a press or command is answered: in time, once, and always."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import discord
import msgspec
from discord import ui

from cogs.ui.layout import ready, said
from rules.core.contract import Refusal
from rules.core.table import Person
from rules.core.tables import Cause

log = logging.getLogger(__name__)

PATIENCE_MS = 1_500
"""Discord waits three seconds for a first answer; past this we ask for more time."""

GONE = frozenset({10008, 10015, 10062, 40060, 50027})
"""The interaction or its message is no more: too late, answered already, token dead."""

BROKEN = "Something went wrong on our side; nothing is lost. Please try once more."

Interaction = discord.Interaction[Any]
Sent = Callable[[], None]


class Reply(msgspec.Struct, frozen=True):
    """
    An answer: a layout, or one sentence.

    Attributes:
        view: the layout, `None` when *sentence* says it all.
        sentence: bare text, always private and never over a panel.
        sent: called once the layout has reached Discord.
        file: comes with *sentence*.
        files: several of them.
    """

    view: ui.LayoutView | None = None
    sentence: str = ""
    sent: Sent | None = None
    file: discord.File | None = None
    files: tuple[discord.File, ...] = ()

    @property
    def attached(self) -> list[discord.File]:
        """All files that come with it."""
        return [*self.files, *([self.file] if self.file else [])]


Words = Callable[[Refusal], str]


def refused(sentence: str) -> Reply:
    """Return a refusal: its real reason and what to do."""
    return Reply(sentence=said(sentence))


def person(interaction: Interaction) -> Person:
    """Return who pressed, under the name this server knows."""
    return Person(interaction.user.id, interaction.user.display_name)


def is_admin(interaction: Interaction) -> bool:
    """Tell whether whoever pressed may manage the server."""
    return interaction.permissions.manage_guild


def cause(interaction: Interaction) -> Cause:
    """Return the press as the kernel wants it: Discord's time of it, and its id."""
    return Cause(round(interaction.created_at.timestamp() * 1000), interaction.id)


def on_panel(interaction: Interaction) -> bool:
    """Tell whether the press was made on a private message, which its answer then replaces."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def respond(
    interaction: Interaction, work: Coroutine[Any, Any, Reply], words: Words, *, replace: bool = False
) -> None:
    """
    Answer with what *work* returns: at once, or after asking for time when it takes long.

    Args:
        interaction: the press or command, not yet answered.
        work: makes the answer; a `Refusal` from it becomes one private sentence.
        words: finds the sentence for a refusal.
        replace: whether the answer takes the place of the pressed message rather than standing below it.
    """
    task = asyncio.ensure_future(_outcome(work, words))
    with interaction.client.answering():
        await _answer_in_time(interaction, task, replace=replace)


async def _answer_in_time(interaction: Interaction, task: asyncio.Task[Reply], *, replace: bool) -> None:
    await _done_or_late(interaction, task)
    try:
        if task.done():
            await _answer(interaction, task.result(), replace=replace)
        else:
            if replace:
                await interaction.response.defer()
            else:
                await interaction.response.defer(ephemeral=True, thinking=True)
            await _follow(interaction, await task, replace=replace)
    except discord.HTTPException as error:
        if error.code not in GONE:
            raise
        log.info("an answer came too late: %s", error.code)
        await task


async def _done_or_late(interaction: Interaction, task: asyncio.Task[Reply]) -> None:
    """Wait until *task* is done, or until Discord wants a word from us, whichever comes first."""
    await asyncio.sleep(0)
    if task.done():  # it had to wait for nothing, as most looks at a hand
        return
    scheduler = interaction.client.scheduler
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stop(_: object = None) -> None:
        if not over.done():
            over.set_result(None)

    async def late() -> None:
        stop()

    task.add_done_callback(stop)
    scheduler.at(("answer", interaction.id), scheduler.clock() + PATIENCE_MS, late)
    await over
    scheduler.drop(("answer", interaction.id))


async def _outcome(work: Coroutine[Any, Any, Reply], words: Words) -> Reply:
    try:
        return await work
    except Refusal as refusal:
        return refused(words(refusal))
    except Exception as error:  # noqa: BLE001 - every press gets an answer
        # No traceback: an error's message could hold a card. Type and place find it.
        place = error.__traceback__
        while place and place.tb_next:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
        log.error("no answer could be made: %s at %s", type(error).__name__, where)  # noqa: TRY400
        return refused(BROKEN)


async def _answer(interaction: Interaction, reply: Reply, *, replace: bool) -> None:
    response = interaction.response
    view = _ready(interaction, reply)
    if view is None:
        await response.send_message(reply.sentence, ephemeral=True, files=reply.attached)
    elif replace:
        await response.edit_message(view=view)
    else:
        await response.send_message(view=view, ephemeral=True)
    _tell(reply)


async def _follow(interaction: Interaction, reply: Reply, *, replace: bool) -> None:
    view = _ready(interaction, reply)
    if view is not None:
        await interaction.edit_original_response(view=view)
    elif replace:
        await interaction.followup.send(reply.sentence, ephemeral=True, files=reply.attached)
    else:
        await interaction.edit_original_response(content=reply.sentence, attachments=reply.attached)
    _tell(reply)


def _ready(interaction: Interaction, reply: Reply) -> ui.LayoutView | None:
    return reply.view and ready(reply.view, interaction.client.clock())


def _tell(reply: Reply) -> None:
    if reply.sent:
        reply.sent()

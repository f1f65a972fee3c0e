"""
Keeps what stands in the channels true: boards, and the messages that call people.

Told of each commit, it redraws from the newest state: at most one edit of a board at a time and one
a second, the last state never lost. What was owed when the bot died is sent at the next start.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import msgspec
from discord import ui

from cogs import places
from cogs.panels import Panels
from cogs.ui.screens import board, call
from rules.core.contract import Refusal
from rules.core.ports import Owed, Posted
from rules.core.table import Leave, Table
from rules.core.tables import Cause, Glance, Update

if TYPE_CHECKING:
    from cogs.app import Dancefloor

log = logging.getLogger(__name__)

SPACING_MS = 1_000
REPOST_AFTER_MS = 50 * 60_000
REPOST_BURIED = 20
RETRY_MS = 5_000
RETRIES = 5
DM_NOTE = "-# You asked for direct messages. To stop them: `/settings` in the server."
"""How often a board is tried again while Discord has troubles of its own."""


class _Board:
    """What is remembered of one table's messages while the bot runs."""

    __slots__ = (
        "buried",
        "busy",
        "drawn_ms",
        "glance",
        "owed",
        "retries",
        "stale",
        "trouble",
        "turn",
        "turn_posted",
        "unseen_ms",
    )

    def __init__(self) -> None:
        self.glance: Glance | None = None
        self.busy = False
        self.drawn_ms = 0
        self.stale = False
        self.retries = 0
        self.trouble = ""
        self.owed: list[Owed] = []
        self.turn = 0  # counts up whenever others come to act
        self.turn_posted = -1
        self.buried = 0  # what the channel's count was when the board was posted
        self.unseen_ms: int | None = None  # since when something is saved and not shown


class Boards:
    """
    The public messages of all tables.

    Args:
        bot: has opened its tables, store, settings, scheduler, clock and faces.
    """

    def __init__(self, bot: Dancefloor) -> None:
        self._bot = bot
        self._tables = bot.tables
        self._store = bot.store
        self._scheduler = bot.scheduler
        self._clock = bot.clock
        self._boards: dict[int, _Board] = {}
        self._heard: Counter[int] = Counter()
        self._parked: set[int] = set()
        self.panels = Panels(bot.scheduler, bot.clock, bot.faces, lambda table_id: self._board(table_id).glance)
        bot.tables.subscribe(self._on_update)

    async def resume(self) -> None:
        """Take up what was owed when the bot last stopped: boards that are behind, messages, deadlines."""
        for owed in await self._store.owed():
            self._board(owed.table_id).owed.append(owed)
        behind = {posted.table_id for posted in await self._store.behind()}
        for table_id in behind | set(self._boards):
            self._redraw(table_id, self._clock())
        await self.rearm()

    async def rearm(self) -> None:
        """Wait for the deadlines that stand in the database."""
        for due in await self._store.due():
            self._await_deadline(due.table_id, due.due_ms)

    def park(self, guild_id: int) -> None:
        """Let the tables of a server rest: the bot was removed from it."""
        self._parked.add(guild_id)

    async def unpark(self, guild_id: int) -> None:
        """Let the tables of a server go on."""
        self._parked.discard(guild_id)
        await self.rearm()
        for table_id in await self._store.find(guild_id=guild_id):
            self.refresh(table_id)

    def render(self, glance: Glance) -> ui.LayoutView:
        """Return the public message of a table: lobby, board or result."""
        return board(self._bot.faces[glance.table.game], self._tables.games[glance.table.game].spec, glance)

    def trouble(self, table_id: int) -> str:
        """Return why the table's board cannot be shown and what to do about it, empty when it can."""
        state = self._boards.get(table_id)
        return state.trouble if state else ""

    def answered(self, update: Update) -> Callable[[], None]:
        """Return what to call once an answer has put the update's board in place of the pressed message."""

        async def mark() -> None:
            posted = await self._store.posted(update.table.table_id)
            if posted and posted.rendered_seq < update.table.seq:
                await self._mark(posted, update.table, posted.board_id, posted.posted_ms)

        def sent() -> None:
            now_ms = self._clock()
            state = self._board(update.table.table_id)
            calm = now_ms - state.drawn_ms > 2 * SPACING_MS
            state.drawn_ms = now_ms
            state.unseen_ms = None
            latest = state.glance is not None and state.glance.table.seq == update.table.seq
            if calm and latest and not state.owed and not state.busy:
                self._scheduler.at(("board", update.table.table_id), now_ms, mark)
            else:  # answers may overtake each other on their way, so draw once more
                self._redraw(update.table.table_id, now_ms + SPACING_MS)

        return sent

    def refresh(self, table_id: int) -> None:
        """Show the board again, posting it anew should its message be gone."""
        state = self._board(table_id)
        state.stale = True
        state.retries = 0
        self._redraw(table_id, max(self._clock(), state.drawn_ms + SPACING_MS))

    async def forget(self, posted: Posted) -> None:
        """Take away the messages of a table where it no longer is."""
        try:
            channel = await places.channel_of(self._bot, posted.channel_id)
        except discord.HTTPException:
            return  # gone with its channel
        await places.delete(channel, posted.board_id)
        await places.delete(channel, posted.ping_id)

    def heard(self, channel_id: int) -> None:
        """Count a message that may bury a board."""
        self._heard[channel_id] += 1

    # --- commits -----------------------------------------------------------------------------

    def _board(self, table_id: int) -> _Board:
        return self._boards.setdefault(table_id, _Board())

    def _on_update(self, update: Update) -> None:
        table = update.table
        state = self._board(table.table_id)
        # A press on a lobby is answered with the board in its place; `answered` calls this redraw off.
        answering = update.pressed and state.glance is not None and state.glance.table.phase == "lobby"
        if state.glance is None or state.glance.table.to_act != table.to_act:
            state.turn += 1
        state.glance = update.glance
        state.owed.extend(update.owed)
        state.retries = 0
        now_ms = self._clock()
        if state.unseen_ms is None:
            state.unseen_ms = now_ms
        self._await_deadline(table.table_id, table.next_due_ms)
        wanted_ms = state.unseen_ms + SPACING_MS if answering else now_ms
        self._redraw(table.table_id, max(wanted_ms, state.drawn_ms + SPACING_MS))
        self.panels.on_update(update)

    def _await_deadline(self, table_id: int, due_ms: int | None) -> None:
        if due_ms is None:
            self._scheduler.drop(("table", table_id))
            return

        async def wake() -> None:
            try:
                if (await self._tables.glance(table_id)).table.guild_id not in self._parked:
                    await self._tables.wake(table_id)
            except Refusal:
                log.info("table %d cannot be woken: its game is not here any more", table_id)
            except Exception:
                self._await_deadline(table_id, self._clock() + RETRY_MS)
                raise

        self._scheduler.at(("table", table_id), due_ms, wake)

    # --- drawing -----------------------------------------------------------------------------

    def _redraw(self, table_id: int, due_ms: int) -> None:
        async def draw() -> None:
            state = self._board(table_id)
            if state.busy:
                return  # whoever draws now looks again when done
            state.busy = True
            try:
                await self._draw(table_id, state)
                state.trouble = ""
                state.retries = 0
            except discord.HTTPException as error:
                self._failed(table_id, state, places.trouble(error), ill=error.status >= places.SERVER_FAULT)
            except (aiohttp.ClientError, OSError):
                self._failed(table_id, state, places.UNREACHABLE, ill=True)
            finally:
                state.busy = False

        self._scheduler.at(("board", table_id), due_ms, draw)

    def _failed(self, table_id: int, state: _Board, trouble: str, *, ill: bool) -> None:
        """Remember what is wrong; try again only where Discord itself is ill, and not for ever."""
        state.trouble = trouble
        log.warning("table %d cannot be shown: %s", table_id, trouble)
        if ill and state.retries < RETRIES:
            state.retries += 1
            self._redraw(table_id, self._clock() + RETRY_MS * 2 ** (state.retries - 1))

    async def _draw(self, table_id: int, state: _Board) -> None:
        if state.glance is None:
            try:
                state.glance = await self._tables.glance(table_id)
            except Refusal:
                return
        glance = state.glance
        state.unseen_ms = None
        posted = await self._store.posted(table_id)
        if posted is None or glance.table.guild_id in self._parked:
            return
        channel = await places.channel_of(self._bot, posted.channel_id)
        if state.stale or posted.rendered_seq < glance.table.seq or posted.board_id is None:
            posted = await self._show(channel, glance, posted, state)
            state.stale = False
        await self._send_owed(channel, glance.table, posted, state)
        state.drawn_ms = self._clock()
        if state.glance.table.seq > glance.table.seq or state.owed:
            self._redraw(table_id, state.drawn_ms + SPACING_MS)
        elif glance.table.phase == "over":
            self._boards.pop(table_id, None)

    async def _show(self, channel: Any, glance: Glance, posted: Posted, state: _Board) -> Posted:
        """Edit the board message, or post it anew when it is gone, old or buried."""
        table = glance.table
        view = self.render(glance)
        if posted.board_id is not None and not self._outlived(table, posted, state):
            try:
                await places.edit(channel, posted.board_id, view)
                return await self._mark(posted, table, posted.board_id, posted.posted_ms)
            except discord.HTTPException as error:
                if error.code not in (places.UNKNOWN_MESSAGE, places.OLD_MESSAGE):
                    raise
        message = await channel.send(view=view, nonce=f"board-{table.table_id}-{table.seq}")
        state.turn_posted = state.turn
        state.buried = self._heard[posted.channel_id]
        shown = await self._mark(posted, table, message.id, self._clock())
        await places.delete(channel, posted.board_id)
        return shown

    def _outlived(self, table: Table, posted: Posted, state: _Board) -> bool:
        """Tell whether the board is better posted anew: old or far up, and at most once a turn."""
        if state.turn == state.turn_posted and table.phase == "playing":
            return False
        old = self._clock() - posted.posted_ms > REPOST_AFTER_MS
        return old or self._heard[posted.channel_id] - state.buried > REPOST_BURIED

    async def _mark(self, posted: Posted, table: Table, board_id: int | None, posted_ms: int) -> Posted:
        await self._store.mark_board(table.table_id, rendered_seq=table.seq, board_id=board_id, posted_ms=posted_ms)
        return msgspec.structs.replace(posted, rendered_seq=table.seq, board_id=board_id, posted_ms=posted_ms)

    # --- calling people ----------------------------------------------------------------------

    async def _send_owed(self, channel: Any, table: Table, posted: Posted, state: _Board) -> None:
        """Send the messages that still hold; each takes the place of the one before."""
        if table.phase == "over" and posted.ping_id is not None:
            posted = await self._unping(channel, posted)
        while state.owed:
            owed = state.owed[0]
            if all(later.seat != owed.seat for later in state.owed[1:]):  # no burst of what was missed meanwhile
                posted = await self._call(channel, table, posted, owed)
            await self._store.settle(owed.nonce)
            state.owed.pop(0)

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
                await self._tables.submit(table.table_id, Leave(user_id), Cause(self._clock()))
                return posted
            style = await self._style(table.guild_id, user_id)
            private = call(face, table, owed, url, DM_NOTE) if style == "dm" else None
            if style == "none" or (private and await self._whisper(user_id, private[0])):
                return posted
            mentions = discord.AllowedMentions(users=[discord.Object(user_id)])
        posted = await self._unping(channel, posted)
        sent = await channel.send(view=view, nonce=owed.nonce, allowed_mentions=mentions)
        if table.phase == "over":
            return posted
        await self._store.mark_ping(table.table_id, sent.id)
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
        await self._store.mark_ping(posted.table_id, None)
        return msgspec.structs.replace(posted, ping_id=None)

"""
Keeps what stands in the channels true: boards, and the messages that call people.

Told of each commit, it redraws from the newest state: at most one edit of a board at a time and as
many as its game allows, the last state never lost. What was owed when the bot died is sent at the next start.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import msgspec
from discord import ui

from cogs import places
from cogs.calls import Calls
from cogs.panels import Panels
from cogs.ui.screens import board
from rules.core.contract import Refusal
from rules.core.ports import Owed, Posted
from rules.core.table import HOUR_MS, Table
from rules.core.tables import Glance, Update

if TYPE_CHECKING:
    from cogs.app import Dancefloor

log = logging.getLogger(__name__)

REPOST_AFTER_MS = 50 * 60_000
REPOST_BURIED = 20
RETRY_MS = 5_000
RETRIES = 5
"""How often a board is tried again while Discord has troubles of its own."""
LOOK_MS = HOUR_MS
"""Where no clock runs, how often to look whether whoever the table waits for is still in the server."""


class _Board:
    """What is remembered of one table's messages while the bot runs."""

    __slots__ = (
        "buried",
        "busy",
        "drawn_ms",
        "glance",
        "missed",
        "owed",
        "retries",
        "shown",
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
        self.shown = ""  # what the message holds, as far as it is known
        self.trouble = ""
        self.owed: list[Owed] = []
        self.turn = 0  # counts up whenever others come to act
        self.turn_posted = -1
        self.missed = -1  # the turn in which a deleted board was last brought back
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
        self._calls = Calls(bot)
        self._boards: dict[int, _Board] = {}
        self._heard: Counter[int] = Counter()
        self._looking: set[int] = set()  # tables at which people are looked up within the hour
        self._standing: dict[int, int] = {}  # by message, the live table whose board it is
        self.panels = Panels(bot.scheduler, bot.clock, bot.faces, self._latest)
        bot.tables.subscribe(self._on_update)
        bot.add_listener(self._on_delete, "on_raw_message_delete")
        bot.add_listener(self._on_bulk_delete, "on_raw_bulk_message_delete")

    async def resume(self) -> None:
        """Take up what was owed when the bot last stopped: boards that are behind, messages, deadlines."""
        for owed in await self._store.owed():
            self._board(owed.table_id).owed.append(owed)
        behind = {posted.table_id for posted in await self._store.behind()}
        for table_id in behind | set(self._boards):
            self._redraw(table_id, self._clock())
        for guild_id in await self._store.known_guilds():
            for table_id in await self._store.find(guild_id=guild_id):
                await self._watch(table_id)
        await self._rearm()

    async def _rearm(self) -> None:
        """Wait for the deadlines that stand in the database."""
        for due in await self._store.due():
            self._await_deadline(due.table_id, due.due_ms)

    async def unpark(self, guild_id: int) -> None:
        """Let the tables of a server go on, which rested while the bot was not in it."""
        await self._rearm()
        for table_id in await self._store.find(guild_id=guild_id):
            await self._watch(table_id)
            self.refresh(table_id)

    def retry(self, guild_id: int) -> None:
        """Show the boards of a server that could not be shown: it can be reached again."""
        for table_id, state in tuple(self._boards.items()):
            if state.trouble and state.glance is not None and state.glance.table.guild_id == guild_id:
                self.refresh(table_id)

    def drop(self, table_ids: Iterable[int]) -> None:
        """Forget tables that are no more, or have nothing left to show."""
        gone = set(table_ids)
        for table_id in gone:
            self._boards.pop(table_id, None)
        self._standing = {board_id: table_id for board_id, table_id in self._standing.items() if table_id not in gone}

    def render(self, glance: Glance, note: str = "") -> ui.LayoutView:
        """Return the public message of a table, lobby, board or result; *note* says what is wrong with it."""
        return board(self._bot.faces[glance.table.game], self._tables.games[glance.table.game].spec, glance, note)

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
            if update.table.phase == "over":
                self.drop([update.table.table_id])

        def sent() -> None:
            now_ms = self._clock()
            state = self._board(update.table.table_id)
            spacing_ms = self._spacing_ms(update.table)
            calm = now_ms - state.drawn_ms > 2 * spacing_ms
            state.drawn_ms = now_ms
            state.unseen_ms = None
            state.shown = ""
            latest = state.glance is not None and state.glance.table.seq == update.table.seq
            if calm and latest and not (state.owed or state.busy or state.stale):
                self._scheduler.at(("board", update.table.table_id), now_ms, mark)
            else:  # answers may overtake each other on their way, so draw once more
                self._redraw(update.table.table_id, now_ms + spacing_ms)

        return sent

    def refresh(self, table_id: int) -> None:
        """Show the board again, posting it anew should its message be gone."""
        state = self._board(table_id)
        state.stale = True
        state.retries = 0
        spacing_ms = self._spacing_ms(state.glance.table) if state.glance else 0
        self._redraw(table_id, max(self._clock(), state.drawn_ms + spacing_ms))

    async def forget(self, posted: Posted) -> None:
        """Take away the messages of a table where it no longer is."""
        self._standing.pop(posted.board_id or 0, None)
        try:
            channel = await places.channel_of(self._bot, posted.channel_id)
        except (discord.HTTPException, aiohttp.ClientError, OSError):
            return  # gone with its channel, or out of reach
        await places.delete(channel, posted.board_id)
        await places.delete(channel, posted.ping_id)

    def heard(self, channel_id: int) -> None:
        """Count a message that may bury a board; where there is none, nothing is kept."""
        if channel_id in self._heard:
            self._heard[channel_id] += 1

    async def _on_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        self._missing([event.message_id])

    async def _on_bulk_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        self._missing(event.message_ids)

    def _missing(self, message_ids: Iterable[int]) -> None:
        """Bring back a board that somebody deleted: once a turn, lest two bots quarrel for ever."""
        for message_id in message_ids:
            table_id = self._standing.pop(message_id, None)
            if table_id is None:
                continue
            state = self._board(table_id)
            if state.missed != state.turn:
                state.missed = state.turn
                self.refresh(table_id)

    # --- commits -----------------------------------------------------------------------------

    def _board(self, table_id: int) -> _Board:
        return self._boards.setdefault(table_id, _Board())

    def _spacing_ms(self, table: Table) -> int:
        return self._bot.faces[table.game].spacing_ms

    def _latest(self, table_id: int) -> Glance | None:
        state = self._boards.get(table_id)
        return state.glance if state else None

    def _on_update(self, update: Update) -> None:
        table = update.table
        state = self._board(table.table_id)
        self._heard.setdefault(table.channel_id, 0)
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
        self._await_people(table)
        spacing_ms = self._spacing_ms(table)
        wanted_ms = state.unseen_ms + spacing_ms if answering else now_ms
        self._redraw(table.table_id, max(wanted_ms, state.drawn_ms + spacing_ms))
        self.panels.on_update(update)

    def _await_deadline(self, table_id: int, due_ms: int | None) -> None:
        if due_ms is None:
            self._scheduler.drop(("table", table_id))
            return

        async def wake() -> None:
            try:
                if not self._rests((await self._tables.glance(table_id)).table):
                    await self._tables.wake(table_id)
            except Refusal:
                log.info("table %d cannot be woken: its game is not here any more", table_id)
            except Exception:
                self._await_deadline(table_id, self._clock() + RETRY_MS)
                raise

        self._scheduler.at(("table", table_id), due_ms, wake)

    def _rests(self, table: Table) -> bool:
        """Tell whether the bot is not in the table's server any more; in an outage it still is."""
        return self._bot.get_guild(table.guild_id) is None

    async def _watch(self, table_id: int) -> None:
        """Keep an eye on the board and the people of a table found in the database."""
        posted = await self._store.posted(table_id)
        if posted and posted.board_id:
            self._standing[posted.board_id] = table_id
            self._heard.setdefault(posted.channel_id, 0)
        self._look_later(table_id)

    def _await_people(self, table: Table) -> None:
        """See to it that nobody who has left the server holds up a table without a clock."""
        if _awaited(table):
            self._look_later(table.table_id)

    def _look_later(self, table_id: int) -> None:
        if table_id not in self._looking:
            self._looking.add(table_id)
            self._scheduler.at(("look", table_id), self._clock() + LOOK_MS, lambda: self._look(table_id))

    async def _look(self, table_id: int) -> None:
        self._looking.discard(table_id)
        try:
            table = (await self._tables.glance(table_id)).table
        except Refusal:
            return  # its game is not here any more
        if self._rests(table):
            return
        self._await_people(table)
        try:
            for user_id in _awaited(table):
                if await places.has_left(self._bot, table.guild_id, user_id):
                    await self._calls.get_up(table_id, user_id)
        except (aiohttp.ClientError, OSError):
            log.info("nobody can be looked up now")

    # --- drawing -----------------------------------------------------------------------------

    def _redraw(self, table_id: int, due_ms: int) -> None:
        async def draw() -> None:
            state = self._board(table_id)
            if state.busy:
                return  # whoever draws now looks again when done
            if state.glance is not None:
                next_ms = state.drawn_ms + self._spacing_ms(state.glance.table)
                if self._clock() < next_ms:  # another one was quicker
                    self._redraw(table_id, next_ms)
                    return
            state.busy = True
            try:
                await self._draw(table_id, state)
                state.trouble = ""
                state.retries = 0
            except discord.HTTPException as error:
                ill = places.is_ill(error)
                self._failed(table_id, state, places.trouble(error), ill=ill)
                if state.glance is not None and state.glance.table.phase == "over" and not ill:
                    await self._let_go(state.glance.table, state, gone=error.code == places.UNKNOWN_CHANNEL)
            except (aiohttp.ClientError, OSError):
                self._failed(table_id, state, places.UNREACHABLE, ill=True)
            finally:
                state.busy = False

        self._scheduler.at(("board", table_id), due_ms, draw)

    def _failed(self, table_id: int, state: _Board, trouble: str, *, ill: bool) -> None:
        """Remember what is wrong; try again only where Discord itself is ill, and not for ever."""
        if trouble != state.trouble:  # said once, not at every move
            log.warning("table %d cannot be shown: %s", table_id, trouble)
        state.trouble = trouble
        if ill and state.retries < RETRIES:
            state.retries += 1
            self._redraw(table_id, self._clock() + RETRY_MS * 2 ** (state.retries - 1))

    async def _let_go(self, table: Table, state: _Board, *, gone: bool) -> None:
        """Owe nothing more for a table that is over and cannot be shown; with its channel *gone* it never can."""
        while state.owed:
            await self._store.settle(state.owed.pop(0).nonce)
        if gone:
            await self._store.mark_board(table.table_id, rendered_seq=table.seq, board_id=None, posted_ms=0)
        self.drop([table.table_id])

    async def _draw(self, table_id: int, state: _Board) -> None:
        if state.glance is None:
            try:
                state.glance = await self._tables.glance(table_id)
            except Refusal:
                return
        glance = state.glance
        state.unseen_ms = None
        posted = await self._store.posted(table_id)
        if posted is None or self._rests(glance.table):
            return
        try:
            channel = await places.channel_of(self._bot, posted.channel_id)
            # Before the board is noted as shown: a start looks at no table whose last board stands.
            posted = await self._calls.hush(channel, glance.table, posted)
            if state.stale or posted.rendered_seq < glance.table.seq or posted.board_id is None:
                posted = await self._show(channel, glance, posted, state)
                state.stale = False
            await self._calls.send(channel, state.glance.table, posted, state.owed)
        except discord.HTTPException:
            if state.glance.table.seq > glance.table.seq:  # whatever came meanwhile left it to this one
                self._redraw(table_id, self._clock() + self._spacing_ms(glance.table))
            raise
        state.drawn_ms = self._clock()
        if state.glance.table.seq > glance.table.seq or state.owed:
            self._redraw(table_id, state.drawn_ms + self._spacing_ms(glance.table))
        elif glance.table.phase == "over":
            self.drop([table_id])

    async def _show(self, channel: Any, glance: Glance, posted: Posted, state: _Board) -> Posted:
        """Edit the board message if it would change, or post it anew when it is gone, old or buried."""
        table = glance.table
        view = self.render(glance)
        before, state.shown = state.shown, ""
        shown = repr(view.to_components())  # type: ignore[no-untyped-call]
        if posted.board_id is not None and not self._outlived(table, posted, state):
            try:
                if shown != before or state.stale:
                    await places.edit(channel, posted.board_id, view)
                state.shown = shown
                return await self._mark(posted, table, posted.board_id, posted.posted_ms)
            except discord.HTTPException as error:
                if error.code not in (places.UNKNOWN_MESSAGE, places.OLD_MESSAGE):
                    raise
        if posted.board_id is not None:
            # Cut off before the new one is noted, it is done again: Discord drops the repeat, one successor a message.
            await self._store.mark_board(
                table.table_id, rendered_seq=table.seq - 1, board_id=posted.board_id, posted_ms=0
            )
        message = await channel.send(view=view, nonce=f"b{table.table_id:x}-{posted.board_id or posted.channel_id:x}")
        if not posted.posted_ms and table.seq > 1:  # what came of the nonce may be from before a stop, and older
            await places.edit(channel, message.id, view)
        state.shown = shown
        state.turn_posted = state.turn
        state.buried = self._heard[posted.channel_id]
        self._standing.pop(posted.board_id or 0, None)
        await places.delete(channel, posted.board_id)
        return await self._mark(posted, table, message.id, self._clock())

    def _outlived(self, table: Table, posted: Posted, state: _Board) -> bool:
        """Tell whether the board is better posted anew: old or far up, once a turn, not while time presses."""
        if not posted.posted_ms:
            return True  # that was begun before a stop
        if table.deadlines or (state.turn == state.turn_posted and table.phase == "playing"):
            return False
        old = self._clock() - posted.posted_ms > REPOST_AFTER_MS
        return old or self._heard[posted.channel_id] - state.buried > REPOST_BURIED

    async def _mark(self, posted: Posted, table: Table, board_id: int | None, posted_ms: int) -> Posted:
        await self._store.mark_board(table.table_id, rendered_seq=table.seq, board_id=board_id, posted_ms=posted_ms)
        self._standing.pop(posted.board_id or 0, None)
        if board_id is not None:
            self._standing[board_id] = table.table_id
        return msgspec.structs.replace(posted, rendered_seq=table.seq, board_id=board_id, posted_ms=posted_ms)


def _awaited(table: Table) -> list[int]:
    """Return the people for whom a table waits without any end."""
    if table.phase != "playing" or table.deadlines:
        return []
    people = (table.sittings[seat].user_id for seat in table.to_act if table.due_ms[seat] is None)
    return [user_id for user_id in people if user_id is not None]

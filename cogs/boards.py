"""
Keeps what stands in the channels true: boards, pings, open hand panels.

Told of each commit, it redraws from the newest state: at most one edit of a board at a time and one
a second, the last state never lost. What was owed when the bot died is sent at the next start.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import msgspec
from discord import ui

from cogs.timing import Clock, Scheduler
from cogs.ui.answers import GONE, Interaction
from cogs.ui.layout import ACCENT_HOUSE, page
from cogs.ui.screens import board, ping
from rules.core.contract import Event, Refusal
from rules.core.ports import Owed, Posted, Store
from rules.core.table import Table
from rules.core.tables import Glance, Tables, Update

if TYPE_CHECKING:
    from cogs.ui.face import Face

log = logging.getLogger(__name__)

SPACING_MS = 1_000
REPOST_AFTER_MS = 50 * 60_000
REPOST_BURIED = 20
PANEL_LIFE_MS = 14 * 60_000
RETRY_MS = 5_000
OLD_MESSAGE = 30046
SERVER_FAULT = 500
UNKNOWN_MESSAGE = 10008


class _Board:
    """What is remembered of one table's messages while the bot runs."""

    __slots__ = ("buried", "busy", "drawn_ms", "glance", "owed", "stale", "turn", "turn_posted", "unseen_ms")

    def __init__(self) -> None:
        self.glance: Glance | None = None
        self.busy = False
        self.drawn_ms = 0
        self.stale = False
        self.owed: list[Owed] = []
        self.turn = 0  # counts up whenever others come to act
        self.turn_posted = -1
        self.buried = 0  # what the channel's count was when the board was posted
        self.unseen_ms: int | None = None  # since when something is saved and not shown


class _Panel(msgspec.Struct, frozen=True):
    """
    An open hand.

    Attributes:
        interaction: can edit it still.
        until_ms: how long it can, UTC ms.
        version: of the hand that it shows.
        told: what happened to its owner since they opened it or pressed something there.
    """

    interaction: Any
    until_ms: int
    version: int
    told: tuple[Event, ...] = ()


class Boards:
    """
    The messages of all tables.

    Args:
        client: fetches channels and sends.
        tables: the async door.
        store: remembers which message is whose.
        scheduler: wakes the redraws.
        clock: the time.
        faces: the games' looks by key.
    """

    def __init__(
        self,
        client: discord.Client,
        tables: Tables,
        store: Store,
        scheduler: Scheduler,
        clock: Clock,
        faces: Mapping[str, Face],
    ) -> None:
        self._client = client
        self._tables = tables
        self._store = store
        self._scheduler = scheduler
        self._clock = clock
        self._faces = faces
        self._boards: dict[int, _Board] = {}
        self._panels: dict[tuple[int, int], _Panel] = {}
        self._heard: Counter[int] = Counter()
        tables.subscribe(self._on_update)

    async def resume(self) -> None:
        """Take up what was owed when the bot last stopped: boards that are behind, pings, deadlines."""
        for due in await self._store.due():
            self._await_deadline(due.table_id, due.due_ms)
        for owed in await self._store.owed():
            self._board(owed.table_id).owed.append(owed)
        behind = {posted.table_id for posted in await self._store.behind()}
        for table_id in behind | set(self._boards):
            self._redraw(table_id, self._clock())

    def render(self, glance: Glance) -> ui.LayoutView:
        """Return the public message of a table: lobby, board or result."""
        return board(self._faces[glance.table.game], self._tables.games[glance.table.game].spec, glance)

    def answered(self, update: Update) -> Callable[[], None]:
        """Return what to call once an answer has put the update's board in place of the pressed message."""

        async def mark() -> None:
            posted = await self._store.posted(update.table.table_id)
            if posted and posted.rendered_seq < update.table.seq:
                await self._store.mark_board(
                    posted.table_id,
                    rendered_seq=update.table.seq,
                    board_id=posted.board_id,
                    posted_ms=posted.posted_ms,
                )

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

    def opened(self, interaction: Interaction, table: Table, seat: int) -> Callable[[], None]:
        """Return what to call once a hand panel has been sent, so that it is kept current while it can be."""
        panel = _Panel(interaction, self._clock() + PANEL_LIFE_MS, table.versions[seat])

        def sent() -> None:
            now_ms = self._clock()
            for key in [key for key, old in self._panels.items() if old.until_ms <= now_ms]:
                del self._panels[key]
            self._panels[table.table_id, interaction.user.id] = panel
            latest = self._board(table.table_id).glance
            if latest is not None and latest.table.seq > table.seq:  # something happened while it was on its way
                self._refresh(table.table_id, interaction.user.id, latest)

        return sent

    def refresh(self, table_id: int) -> None:
        """Show the board again, posting it anew should its message be gone."""
        state = self._board(table_id)
        state.stale = True
        self._redraw(table_id, max(self._clock(), state.drawn_ms + SPACING_MS))

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
        now_ms = self._clock()
        if state.unseen_ms is None:
            state.unseen_ms = now_ms
        self._await_deadline(table.table_id, table.next_due_ms)
        wanted_ms = state.unseen_ms + SPACING_MS if answering else now_ms
        self._redraw(table.table_id, max(wanted_ms, state.drawn_ms + SPACING_MS))
        answered = table.sittings[update.seat].user_id if update.pressed and update.seat is not None else None
        concerned = {table.sittings[seat].user_id for seat in update.raised}
        for at, user_id in list(self._panels):
            if at == table.table_id and user_id != answered and (user_id in concerned or table.phase == "over"):
                self._refresh(at, user_id, update.glance, update.told(table.seat_of(user_id)))

    def _await_deadline(self, table_id: int, due_ms: int | None) -> None:
        if due_ms is None:
            self._scheduler.drop(("table", table_id))
            return

        async def wake() -> None:
            try:
                await self._tables.wake(table_id)
            except Refusal:
                log.info("table %d cannot be woken: its game is not here any more", table_id)
            except Exception:
                self._await_deadline(table_id, self._clock() + RETRY_MS)
                raise

        self._scheduler.at(("table", table_id), due_ms, wake)

    # --- open hands --------------------------------------------------------------------------

    def _refresh(self, table_id: int, user_id: int, glance: Glance, told: tuple[Event, ...] = ()) -> None:
        async def refresh() -> None:
            panel = self._panels.get((table_id, user_id))
            scene = glance.seen_by(user_id)
            if panel is None or scene.seat is None or panel.until_ms <= self._clock():
                return
            version = scene.table.versions[scene.seat]
            if panel.version >= version and scene.table.phase != "over":
                return
            panel = msgspec.structs.replace(panel, version=version, told=panel.told + told)
            self._panels[table_id, user_id] = panel
            view = self._faces[scene.table.game].hand(scene, panel.told)
            try:
                await panel.interaction.edit_original_response(view=view)
            except discord.HTTPException as error:
                self._panels.pop((table_id, user_id), None)  # closed or out of date: the board has My hand
                if error.code not in GONE:
                    log.info("a hand panel could not be refreshed: %s", error.code)

        self._scheduler.at(("panel", table_id, user_id), self._clock(), refresh)

    # --- boards and pings --------------------------------------------------------------------

    def _redraw(self, table_id: int, due_ms: int) -> None:
        async def draw() -> None:
            state = self._board(table_id)
            if state.busy:
                return  # whoever draws now looks again when done
            state.busy = True
            try:
                await self._draw(table_id, state)
            except discord.HTTPException as error:
                log.warning("table %d cannot be shown: %s %s", table_id, error.status, error.code)
                if error.status >= SERVER_FAULT:
                    self._redraw(table_id, self._clock() + RETRY_MS)
            except (aiohttp.ClientError, OSError) as error:
                log.warning("table %d cannot be shown: %s", table_id, type(error).__name__)
                self._redraw(table_id, self._clock() + RETRY_MS)
            finally:
                state.busy = False

        self._scheduler.at(("board", table_id), due_ms, draw)

    async def _draw(self, table_id: int, state: _Board) -> None:
        if state.glance is None:
            try:
                state.glance = await self._tables.glance(table_id)
            except Refusal:
                return
        glance = state.glance
        state.unseen_ms = None
        posted = await self._store.posted(table_id)
        if posted is None:
            return
        if state.stale or posted.rendered_seq < glance.table.seq or posted.board_id is None:
            state.stale = False
            posted = await self._show(glance, posted, state)
        await self._send_owed(glance.table, posted, state)
        state.drawn_ms = self._clock()
        if state.glance.table.seq > glance.table.seq or state.owed:
            self._redraw(table_id, state.drawn_ms + SPACING_MS)
        elif glance.table.phase == "over":
            self._boards.pop(table_id, None)

    async def _channel(self, channel_id: int) -> discord.abc.Messageable:
        found = self._client.get_channel(channel_id) or await self._client.fetch_channel(channel_id)
        if not isinstance(found, discord.abc.Messageable):
            raise TypeError(f"channel {channel_id} takes no messages")
        return found

    async def _show(self, glance: Glance, posted: Posted, state: _Board) -> Posted:
        """Edit the board message, or post it anew when it is gone, old or buried."""
        table = glance.table
        channel = await self._channel(posted.channel_id)
        view = self.render(glance)
        old = self._handle(channel, posted.board_id)
        if old is not None and not self._outlived(table, posted, state):
            try:
                await old.edit(view=view)
                return await self._mark(posted, table, posted.board_id, posted.posted_ms)
            except discord.HTTPException as error:
                if error.code not in (UNKNOWN_MESSAGE, OLD_MESSAGE):
                    raise
        message = await channel.send(view=view, nonce=f"board-{table.table_id}-{table.seq}")
        state.turn_posted = state.turn
        state.buried = self._heard[posted.channel_id]
        shown = await self._mark(posted, table, message.id, self._clock())
        if old is not None:
            await _delete(old)
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

    async def _send_owed(self, table: Table, posted: Posted, state: _Board) -> None:
        """Send the pings that still hold; each takes the place of the one before."""
        if table.phase == "over" and posted.ping_id is not None:
            await self._unping(posted)
        while state.owed:
            owed = state.owed[0]
            seat = owed.seat
            holds = seat in table.to_act and all(later.seat != seat for later in state.owed[1:])
            user_id = table.sittings[seat].user_id if seat is not None and holds else None
            if user_id is not None and seat is not None:
                posted = await self._unping(posted)
                channel = await self._channel(posted.channel_id)
                sent = await channel.send(
                    view=ping(self._faces[table.game], table, seat, self._board_url(table, posted)),
                    nonce=owed.nonce,
                    allowed_mentions=discord.AllowedMentions(users=[discord.Object(user_id)]),
                )
                await self._store.mark_ping(table.table_id, sent.id)
                posted = msgspec.structs.replace(posted, ping_id=sent.id)
            await self._store.settle(owed.nonce)
            state.owed.pop(0)

    async def _unping(self, posted: Posted) -> Posted:
        if posted.ping_id is None:
            return posted
        old = self._handle(await self._channel(posted.channel_id), posted.ping_id)
        if old is not None:
            await _delete(old)
        await self._store.mark_ping(posted.table_id, None)
        return msgspec.structs.replace(posted, ping_id=None)

    def _handle(self, channel: discord.abc.Messageable, message_id: int | None) -> discord.PartialMessage | None:
        if message_id is None or not isinstance(channel, discord.TextChannel | discord.Thread | discord.VoiceChannel):
            return None
        return channel.get_partial_message(message_id)

    def _board_url(self, table: Table, posted: Posted) -> str:
        return f"https://discord.com/channels/{table.guild_id}/{posted.channel_id}/{posted.board_id}"


async def _delete(message: discord.PartialMessage) -> None:
    """Delete a message of ours; one that is gone or out of reach does no harm."""
    try:
        await message.delete()
    except discord.HTTPException as error:
        log.info("a message could not be deleted: %s", error.code)


def sorry(sentence: str) -> ui.LayoutView:
    """Return a grey message with one sentence."""
    return page(ACCENT_HOUSE, ui.TextDisplay(sentence))

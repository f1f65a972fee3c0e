"""Open hand panels, kept current while Discord lets us edit them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import discord
import msgspec

from cogs.ui.answers import GONE, Interaction
from cogs.ui.layout import ready
from rules.core.contract import Event
from rules.core.table import Table
from rules.core.tables import Glance, Update

if TYPE_CHECKING:
    from cogs.timing import Clock, Scheduler
    from cogs.ui.face import Face

log = logging.getLogger(__name__)

PANEL_LIFE_MS = 14 * 60_000
"""An interaction's token lives 15 minutes; the last one is left for the way there."""

MOST_TOLD = 200
"""Events that an open hand remembers, more than it ever shows: a game that plays on by itself has no end of them."""


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


class Panels:
    """
    The open hands of all tables; in memory alone, for the tokens that could edit them die within minutes.

    Args:
        scheduler: runs the refreshes.
        clock: the time.
        faces: the games' looks by key.
        latest: gives the last known moment of a table.
    """

    def __init__(
        self, scheduler: Scheduler, clock: Clock, faces: Mapping[str, Face], latest: Callable[[int], Glance | None]
    ) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._faces = faces
        self._latest = latest
        self._open: dict[tuple[int, int], _Panel] = {}

    def opened(self, interaction: Interaction, table: Table, seat: int) -> Callable[[], None]:
        """Return what to call once a hand panel has been sent, so that it is kept current while it can be."""
        panel = _Panel(interaction, self._clock() + PANEL_LIFE_MS, table.versions[seat])

        def sent() -> None:
            now_ms = self._clock()
            self._open.pop((table.table_id, interaction.user.id), None)
            self._open[table.table_id, interaction.user.id] = panel  # the last one: they stand by their end
            while (first := next(iter(self._open.items())))[1].until_ms <= now_ms:
                del self._open[first[0]]
            latest = self._latest(table.table_id)
            if latest is not None and latest.table.seq > table.seq:  # something happened while it was on its way
                self._refresh((table.table_id, interaction.user.id), latest)

        return sent

    def on_update(self, update: Update) -> None:
        """Refresh the panels whose seats' own cards, turn or choices changed, save the one just pressed."""
        table = update.table
        answered = table.sittings[update.seat].user_id if update.pressed and update.seat is not None else None
        concerned = {table.sittings[seat].user_id for seat in update.raised}
        over = table.phase == "over"
        for key in [key for key in self._open if key[0] == table.table_id]:
            user_id = key[1]
            if user_id == answered:
                if over:
                    del self._open[key]
            elif user_id in concerned or over:
                self._refresh(key, update.glance, update.told(table.seat_of(user_id)))

    def _refresh(self, key: tuple[int, int], glance: Glance, told: tuple[Event, ...] = ()) -> None:
        async def refresh() -> None:
            panel = self._open.get(key)
            scene = glance.seen_by(key[1])
            if panel is None or scene.seat is None or panel.until_ms <= self._clock():
                self._open.pop(key, None)
                return
            version = scene.table.versions[scene.seat]
            over = scene.table.phase == "over"
            if panel.version >= version and not over:
                return
            panel = msgspec.structs.replace(panel, version=version, told=(panel.told + told)[-MOST_TOLD:])
            if over:
                del self._open[key]  # nothing will happen any more
            else:
                self._open[key] = panel
            view = ready(self._faces[scene.table.game].hand(scene, panel.told), self._clock())
            try:
                await panel.interaction.edit_original_response(view=view)
            except discord.HTTPException as error:
                self._open.pop(key, None)  # closed or out of date: the board has My hand
                if error.code not in GONE:
                    log.info("a hand panel could not be refreshed: %s", error.code)
            self._overtaken(key, panel)

        self._scheduler.at(("panel", *key), self._clock(), refresh)

    def _overtaken(self, key: tuple[int, int], drawn: _Panel) -> None:
        """Draw a panel once more on which a press was answered while an older state was on its way there."""
        panel = self._open.get(key)
        latest = self._latest(key[0])
        if panel is not None and latest is not None and panel.version > drawn.version:
            self._open[key] = msgspec.structs.replace(panel, version=drawn.version)
            self._refresh(key, latest, panel.told)

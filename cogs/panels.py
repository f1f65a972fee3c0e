"""Open hand panels, kept current while Discord lets us edit them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import discord
import msgspec

from cogs.ui.answers import GONE, Interaction
from rules.core.table import Table
from rules.core.tables import Update

if TYPE_CHECKING:
    from cogs.timing import Clock, Scheduler
    from cogs.ui.face import Face

log = logging.getLogger(__name__)

PANEL_LIFE_MS = 14 * 60_000
"""An interaction's token lives 15 minutes; the last one is left for the way there."""


class _Panel(msgspec.Struct, frozen=True):
    """An open hand: the interaction that can still edit it, until when, and the version it shows."""

    interaction: Any
    until_ms: int
    version: int


class Panels:
    """
    The open hands of all tables; in memory alone, for the tokens that could edit them die within minutes.

    Args:
        scheduler: runs the refreshes.
        clock: the time.
        faces: the games' looks by key.
    """

    def __init__(self, scheduler: Scheduler, clock: Clock, faces: Mapping[str, Face]) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._faces = faces
        self._open: dict[tuple[int, int], _Panel] = {}

    def opened(self, interaction: Interaction, table: Table, seat: int) -> Callable[[], None]:
        """Return what to call once a hand panel has been sent, so that it is kept current while it can be."""
        panel = _Panel(interaction, self._clock() + PANEL_LIFE_MS, table.versions[seat])

        def sent() -> None:
            now_ms = self._clock()
            for key in [key for key, old in self._open.items() if old.until_ms <= now_ms]:
                del self._open[key]
            self._open[table.table_id, interaction.user.id] = panel

        return sent

    def on_update(self, update: Update) -> None:
        """Refresh the panels whose seats' own cards, turn or choices changed, save the one just pressed."""
        table = update.table
        for seat in update.raised:
            user_id = table.sittings[seat].user_id
            key = (table.table_id, user_id or 0)
            if key in self._open and not (update.pressed and seat == update.seat):
                self._refresh(key, update)

    def _refresh(self, key: tuple[int, int], update: Update) -> None:
        async def refresh() -> None:
            panel = self._open.get(key)
            scene = update.glance.seen_by(key[1])
            if panel is None or scene.seat is None or panel.until_ms <= self._clock():
                return
            version = scene.table.versions[scene.seat]
            if panel.version >= version:
                return
            self._open[key] = msgspec.structs.replace(panel, version=version)
            view = self._faces[scene.table.game].hand(scene, update.told(scene.seat))
            try:
                await panel.interaction.edit_original_response(view=view)
            except discord.HTTPException as error:
                self._open.pop(key, None)  # closed or out of date: the board has My hand
                if error.code not in GONE:
                    log.info("a hand panel could not be refreshed: %s", error.code)

        self._scheduler.at(("panel", *key), self._clock(), refresh)

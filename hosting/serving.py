"""The life of the bot's process: log in, serve, and stop when told."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import discord

from cogs.app import Dancefloor
from hosting.heartbeat import beating

log = logging.getLogger(__name__)


async def serve(bot: Dancefloor, token: str, database: Path) -> None:
    """Connect and serve until told to stop, by `SIGTERM` or Ctrl-C; then finish what is under way."""
    serving = asyncio.ensure_future(_serve(bot, token, database))

    def stop() -> None:
        if not serving.cancelling():  # a second one would cut off the tidying up
            serving.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows; there Ctrl-C is all there is, and Python does it
            asyncio.get_running_loop().add_signal_handler(number, stop)
    try:
        await asyncio.wait([serving])
    finally:
        stop()
    if not serving.cancelled():
        serving.result()
    log.info("stopped")


async def _serve(bot: Dancefloor, token: str, database: Path) -> None:
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody talks here
    async with bot:
        await bot.login(token)
        # All that is loaded now stays; the collector, whose pauses are the longest there are, need not look at it.
        gc.collect()
        gc.freeze()
        async with beating(bot, database):
            await bot.connect()


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes an event loop of uvloop where that is installed, `None` elsewhere."""
    if find_spec("uvloop") is None:
        return None
    made: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    return made

"""
The heartbeat: a small file beside the database that says how the bot is.

A health check reads it and needs neither the database nor Discord, nor anything that is not in the standard library:
`python hosting/heartbeat.py DATABASE` is `python bot.py health` in a tenth of the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cogs.app import Dancefloor

EVERY_S = 15
ROUND_TRIP_S = 10
SILENT_S = 60
"""A bot that has written nothing for so long hangs or is dead."""
DATABASE_S = 60
GATEWAY_S = 120
"""Longer than discord.py needs to notice a dead connection and to come back."""


def path_of(database: Path) -> Path:
    """Return where the heartbeat of the bot on *database* is."""
    return database.with_name(f"{database.name}.heartbeat")


class Heartbeat:
    """
    What the file says. Ages rather than moments: a wall clock that is set wrong heals with the next beat.

    Args:
        path: of the file.
        monotonic: gives seconds that never jump.
        wall: gives seconds since 1970.
    """

    def __init__(
        self, path: Path, monotonic: Callable[[], float] = time.monotonic, wall: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self._monotonic = monotonic
        self._wall = wall
        self._up = 0
        self._gateway_s = self._database_s = monotonic()

    def beat(self, *, up: int, wanted: int, database: bool) -> None:
        """
        Write the file.

        Args:
            up: connections to Discord that stand.
            wanted: how many there should be; while their number grows, the bot is starting and fine.
            database: whether it has just answered.
        """
        now_s = self._monotonic()
        if up >= wanted or up > self._up:
            self._gateway_s = now_s
        if database:
            self._database_s = now_s
        self._up = up
        says = {
            "at": self._wall(),
            "connections": f"{up}/{wanted}",
            "gateway_down_s": round(now_s - self._gateway_s, 3),
            "database_silent_s": round(now_s - self._database_s, 3),
        }
        new = self.path.with_name(f"{self.path.name}.new")
        new.write_text(json.dumps(says), encoding="utf-8")
        new.replace(self.path)


def ailing(path: Path, now_s: float) -> str:
    """Return what is wrong by the heartbeat at *path*, empty when nothing is."""
    try:
        says = json.loads(path.read_text(encoding="utf-8"))
        age_s = max(0.0, now_s - says["at"])
        down_s, silent_s = says["gateway_down_s"] + age_s, says["database_silent_s"] + age_s
    except FileNotFoundError:
        return "no bot is running here: there is no heartbeat"
    except (OSError, ValueError, TypeError, KeyError):
        return "the heartbeat cannot be read"
    if age_s > SILENT_S:
        return f"the bot has given no sign of life for {age_s:.0f} s"
    if down_s > GATEWAY_S:
        return f"the connection to Discord has been down for {down_s:.0f} s"
    if silent_s > DATABASE_S:
        return f"the database has not answered for {silent_s:.0f} s"
    return ""


def health(database: Path) -> int:
    """Say how the bot on *database* is; return the exit status."""
    wrong = ailing(path_of(database), time.time())
    sys.stdout.write(f"Not well: {wrong}.\n" if wrong else "Well.\n")
    return 1 if wrong else 0


async def look(bot: Dancefloor, heartbeat: Heartbeat) -> None:
    """Ask the database and the connections, and write down what they say."""
    database = False
    with contextlib.suppress(Exception):
        async with asyncio.timeout(ROUND_TRIP_S):
            await bot.store.last_table_id()
            database = True
    up = sum(not shard.is_closed() for shard in bot.shards.values())
    heartbeat.beat(up=up, wanted=len(bot.shard_ids or range(bot.shard_count or 1)), database=database)


@contextlib.asynccontextmanager
async def beating(bot: Dancefloor, database: Path) -> AsyncIterator[None]:
    """Keep the heartbeat of *bot* going; at the end the file goes, for then nobody is at home."""
    heartbeat = Heartbeat(path_of(database))

    async def forever() -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            with contextlib.suppress(OSError):  # a full disk is noticed by the file growing old
                await look(bot, heartbeat)

    await look(bot, heartbeat)
    task = asyncio.create_task(forever())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        heartbeat.path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(
        health(Path(*(sys.argv[1:2] or [os.environ.get("DANCEFLOOR_DATABASE") or "dancefloor.sqlite3"])).resolve())
    )

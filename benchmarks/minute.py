"""
Measure a Dance Off of Breakdancing Meeples at many tables at once.

Twenty tables of four crews, all in one process, and every crew presses Roll each 1.5 seconds for a whole minute. The
payloads are handed over at their time, whether or not the ones before have been answered, so waiting in line counts.
Time is real here; Discord is simcord, an in-process stand-in, so no network is in the figures. Each roll is saved,
synced to the disk, before it is answered. Beside it: how many rolls the rules alone make in a second.

Goals: p95 from payload to answer below 100 ms, no press unanswered and no roll lost, and no board edited twice
within 3 s.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, perf_counter_ns
from typing import Any

from simcord.types import HttpLogEntry

from benchmarks.report import Line, Result, percentile, span
from rules.breakdancing_meeples import GAME, Ready, Roll
from rules.core.contract import Ctx
from rules.core.rng import SEED_BYTES, Rng
from tests.cogs.staging import Pressed
from tests.cogs.world import NAMES, World, world

TABLES = 20
CREWS = 4
GAP_S = 1.505
"""Between two presses of a crew: a little more than the least interval between two rolls."""
MINUTE_S = 60.0
COUNT_IN_S = 4.5
SPACING_S = 3.0
AFTER_S = 1.0
"""For the last answers."""
JITTER_S = 0.05
"""A timer of the loop comes a little early or late."""
GOAL_NS = 100_000_000
ROLLS = 40_000
LEAST_ROLLS_A_SECOND = 20_000
COMMAND = "meeples new"
_ROLL = re.compile(r":roll:\d+\"")
_BOARD = re.compile(r"/channels/\d+/messages/(\d+)$")


class Requests(list[HttpLogEntry]):
    """
    What the bot asks of Discord: kept is when each press was answered, and when each board was edited.

    Args:
        clock: Discord's, by which the bot spaces its edits.
    """

    def __init__(self, clock: Any) -> None:
        super().__init__()
        self._clock = clock
        self.answered_ns: dict[int, int] = {}
        self.edited_s: defaultdict[str, list[float]] = defaultdict(list)

    def append(self, entry: HttpLogEntry) -> None:
        """Note a request."""
        _, kind, number, *_ = [*entry.path.split("/"), "", ""]
        if kind == "interactions":
            self.answered_ns.setdefault(int(number), perf_counter_ns())
        elif entry.method == "PATCH" and (board := _BOARD.search(entry.path)):
            self.edited_s[board[1]].append(self._clock.elapsed)


async def ready(here: World) -> dict[tuple[int, int], Any]:
    """Open all tables, have everybody be ready, and return the panel of each crew by table and person."""
    panels: dict[tuple[int, int], Any] = {}
    for table_id in range(1, TABLES + 1):
        await here.open(COMMAND, thread=False)
        await here.start(CREWS, table_id)
    await here.env.advance_time(2 * SPACING_S)
    for table_id in range(1, TABLES + 1):
        for who in range(CREWS):
            panels[table_id, who] = (await here.press(who, here.board(table_id), "Ready")).response
    return panels


def roll(here: World, who: int, panel: Any, number: int) -> Pressed:
    """Return the press that rolls for the time *number*, from 0, whether or not the panel shows that already."""
    pressed = Pressed(here, who, panel, "")
    text = json.dumps(pressed.payload["message"])
    message = json.loads(_ROLL.sub(f':roll:{number}"', text))
    ids = (part["custom_id"] for row in message["components"] for part in _parts(row) if "custom_id" in part)
    pressed.payload["message"] = message
    pressed.payload["data"]["custom_id"] = next(one for one in ids if ":roll:" in one)
    return pressed


def _parts(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield part
    for inner in part.get("components", ()):
        yield from _parts(inner)


async def dance(path: Path) -> tuple[list[int], int, int, int, int]:
    """Dance one minute; return the times in ns, presses, answers, rolls saved, and edits that came too soon."""
    async with world(path, NAMES[:CREWS]) as here:
        panels = await ready(here)
        await here.env.advance_time(COUNT_IN_S)
        clock = here.env.backend.clock
        requests = here.env.backend.http_requests = Requests(clock)
        begun, at = perf_counter(), clock.elapsed
        sent: dict[int, int] = {}
        keys = list(panels)
        for wave in range(int(MINUTE_S / GAP_S)):
            for number, (table_id, who) in enumerate(keys):
                due = begun + GAP_S * (wave + number / len(keys))
                await asyncio.sleep(max(0.0, due - perf_counter()))
                # Pressed exactly on time, however late this loop comes to deliver it.
                clock.elapsed = at + due - begun
                pressed = roll(here, who, panels[table_id, who].message, wave)
                clock.elapsed = max(clock.elapsed, at + perf_counter() - begun)
                sent[pressed.record.id] = perf_counter_ns()
                pressed.emit()
        await asyncio.sleep(AFTER_S)
        took = [requests.answered_ns[one] - start for one, start in sent.items() if one in requests.answered_ns]
        rolls = 0
        for table_id in range(1, TABLES + 1):
            public = (await here.bot.tables.glance(table_id)).seen_by(None).view.public
            rolls += sum(crew.round_rolls for crew in public.crews)
        soon = sum(
            later - earlier < SPACING_S - JITTER_S
            for edits in requests.edited_s.values()
            for earlier, later in pairwise(edits)
        )
        await here.env.settle(timeout=60)
        return took, len(sent), len(took), rolls, soon


def rolls_a_second() -> int:
    """Roll one crew again and again; return how many times a second the rules do it."""
    ctx = Ctx(0, Rng(bytes(SEED_BYTES), "deal"))
    state = GAME.setup(2, {}, ctx).state
    for seat in range(2):
        state = GAME.apply(state, seat, Ready(1), ctx).state
    state = GAME.expire(state, "go", Ctx(state.starts_ms, ctx.rng)).state
    now_ms = state.starts_ms
    start = perf_counter()
    for number in range(ROLLS):
        rolled = GAME.apply(state, 0, Roll(0), Ctx(now_ms, Rng(bytes(SEED_BYTES), f"step {number}")))
        if not rolled.events:
            raise AssertionError("nothing was rolled")
    return int(ROLLS / (perf_counter() - start))


def measure() -> Result:
    """Dance a minute at all tables, then roll as fast as the rules can."""
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:  # not the system's, which may be no disk
        took, sent, answered, rolls, soon = asyncio.run(dance(Path(folder) / "minute.sqlite3"))
    rate = rolls_a_second()
    where = f"{TABLES} tables of {CREWS} rolling"
    return Result(
        (
            Line(name=f"{where}: answer, p50", ours=span(percentile(took, 50))),
            Line(
                name=f"{where}: answer, p95",
                ours=span(percentile(took, 95)),
                goal="below 100 ms",
                met=percentile(took, 95) < GOAL_NS,
            ),
            Line(
                name=f"{where}: answers and rolls",
                ours=f"{answered} and {rolls}",
                reference=f"{sent} presses",
                ratio=rolls / sent,
                goal="none lost",
                met=answered == rolls == sent,
            ),
            Line(name=f"{where}: boards edited too soon", ours=str(soon), goal="none within 3 s", met=soon == 0),
            Line(
                name="Breakdancing Meeples, rolls by the rules",
                ours=f"{rate:,} a second",
                goal=f"at least {LEAST_ROLLS_A_SECOND:,}",
                met=rate >= LEAST_ROLLS_A_SECOND,
            ),
        )
    )

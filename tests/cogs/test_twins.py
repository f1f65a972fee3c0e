"""
The canary for leaks: two tables that differ only in what one person cannot know.

Whatever that person presses, both answer alike to the byte: text, ids, order, button states, odds.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules.core.codec import dump_record, load_record
from rules.core.rng import Rng
from tests.cogs.world import World, knobs, selects, world

SEED = bytes(range(16))


async def walk_panels(here: World, who: int) -> list[Any]:
    """Press everything that only chooses or shows, all the way down, and return what came back."""
    seen: list[Any] = [msgspec.to_builtins(board_parts(here))]
    seen += [
        (await here.people[who].slash(here.channel, command)).response.components
        for command in ("hand", "table show", "help")
    ]
    seen += [(await here.press(who, here.board(), label)).response.components for label in ("Scores", "Rules")]
    hand = await here.hand(who)
    seen.append(hand.components)
    for first in [knob for knob in knobs(hand) if ":first:" in knob["custom_id"]]:
        page = (await here.people[who].click(hand.message, custom_id=first["custom_id"])).response
        seen.append(page.components)
        for menu in selects(page):
            for option in menu["options"][:: max(1, len(menu["options"]) // 4)]:
                plan = (await here.choose(who, page, menu, option["value"])).response
                seen.append(plan.components)
                page = (await here.press(who, plan, "Choose again")).response
                page = (await here.people[who].click(page.message, custom_id=first["custom_id"])).response
        hand = await here.hand(who)
    return seen


def board_parts(here: World) -> list[Any]:
    """Return the board as Discord has it."""
    return [component.to_dict() for component in here.board().components]


async def resample(here: World, seat: int) -> None:
    """Put another world in place of this one that *seat* cannot tell from it."""
    await here.bot.close()
    with closing(sqlite3.connect(here.path)) as database, database:
        (body,) = database.execute("SELECT body FROM tables WHERE table_id = 1").fetchone()
        game = here.bot.games["lets_dance"]
        record = load_record(game, body)
        other = msgspec.structs.replace(record, state=game.resample(record.state, seat, Rng(SEED, "another world")))
        assert other.state != record.state
        database.execute("UPDATE tables SET body = ?1 WHERE table_id = 1", (dump_record(game, other),))


@pytest.mark.parametrize("moves", [0, 6, 21])
async def test_nothing_tells_two_worlds_apart(tmp_path: Path, moves: int) -> None:
    """After some moves of computers one person sees and presses all there is, with other cards in other hands."""
    seen = []
    for name in ("one", "other"):
        async with world(tmp_path / f"{name}.sqlite3", new_seed=lambda: SEED) as here:
            await here.open(computer_players=2, turn_clock=1)
            await here.press(0, here.board(), "Start")
            glance = await here.bot.tables.glance(1)
            while glance.table.seq < 5 + moves or glance.table.to_act != (glance.table.seat_of(here.people[0].id),):
                await here.env.advance_time(1)
                glance = await here.bot.tables.glance(1)
                assert glance.table.phase == "playing"
            await here.env.advance_time(5)
            if name == "other":
                await resample(here, glance.table.to_act[0])
                await here.restart()
            else:
                await here.restart()
            board_id = str(here.board().id)  # simcord numbers messages as they come, answer or board first
            seen.append(json.dumps(await walk_panels(here, 0)).replace(board_id, "BOARD"))

    assert seen[0].count("Your floor") > 1
    assert seen[0] == seen[1]

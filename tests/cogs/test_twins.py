"""
The canary for leaks: two tables that differ only in what one person cannot know.

Whatever that person presses, both answer alike to the byte: text, ids, order, button states, odds.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules.core.codec import dump_record, load_record
from rules.core.rng import Rng
from tests.cogs.crews import Dancers, public
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
    key = (await here.bot.tables.glance(1)).table.game
    await here.bot.close()
    with closing(sqlite3.connect(here.path)) as database, database:
        (body,) = database.execute("SELECT body FROM tables WHERE table_id = 1").fetchone()
        game = here.bot.games[key]
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


async def test_nothing_tells_the_next_remix_before_it_is_dealt(tmp_path: Path) -> None:
    """
    Two tables of Breakdancing Meeples with another order of the deck: a Dance Off is the same to the byte.

    Rolls, placings, panels, board, log. As a proof that this can fail, the Remix then differs.
    """
    heard = []
    for name in ("one", "other"):
        async with world(tmp_path / f"{name}.sqlite3", new_seed=lambda: SEED) as here:
            await here.open("meeples new", computer_players=1)
            await here.start(2)
            await here.env.advance_time(2)
            if name == "other":
                await resample(here, 0)
            await here.restart()
            dancers = Dancers(here, [0, 1], random.Random(4), beats=8)
            seen: list[Any] = []
            start = len(here.env.http_requests)
            await dancers.ready()
            await here.env.advance_time(4)
            seen.append([crew.panel.components for crew in dancers.crews])
            await dancers.minute()
            seen.append([crew.panel.components for crew in dancers.crews])
            seen += [
                (await here.people[0].slash(here.channel, command)).response.components
                for command in ("hand", "table show", "table log")
            ]
            assert "placing" == (await public(here)).phase
            seen.append([(each.method, each.path, each.json) for each in here.env.http_requests[start:]])
            board = json.dumps(board_parts(here))
            await here.env.advance_time(40)
            dealt = json.dumps(board_parts(here))
            heard.append((re.sub(r"simcord_interaction_\d+|\d{17,}", "ID", json.dumps([seen, board])), dealt))

    assert len(heard[0][0]) > 20_000
    assert heard[0][0] == heard[1][0]
    assert "Remix 1 of 3" in heard[0][1]
    assert heard[0][1] != heard[1][1]

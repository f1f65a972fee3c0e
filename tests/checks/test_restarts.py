"""B: restarts, deadlines, and tables that must not be there for ever; `test_kill` kills the process itself."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cogs.ui.ids import parse
from rules.core.codec import dump_record, load_record
from rules.core.contract import Refusal
from rules.core.discovery import find_games
from rules.core.table import DEFAULT_IDLE_MS, LOBBY_IDLE_MS, Act, AddComputer, Expire, Leave, Play
from rules.lets_dance import State, StepOnToes
from tests.cogs.players import random_turn
from tests.cogs.staging import admin, said, sent, stage
from tests.cogs.world import World, knobs, labels, world
from tests.core.helpers import ANA, BO, Driver
from tests.rules.lets_dance.build import after, final, table

SEED = bytes(range(16))
MINUTE, HOUR = 60, 3600
DECK = "Y M C A Worm " * 9
BOARD = "/messages/"


async def playing(here: World, people: int = 2, **options: Any) -> None:
    """Start a game of so many people."""
    await here.open(**options)
    await here.start(people)
    await here.env.advance_time(2)


async def inputs(here: World) -> int:
    """Return how many inputs table 1 has taken."""
    return len(await here.bot.store.log(1))


def now_ms(here: World) -> int:
    """Return the time in that world, UTC ms."""
    return round(here.env.now().timestamp() * 1000)


async def test_check_b1_every_button_says_in_its_id_all_it_means(tmp_path: Path) -> None:
    """Through some turns no button or select is sent whose id our grammar cannot read without memory."""
    dice = random.Random(8)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 3)
        for _ in range(6):
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(31)
        ids = {custom_id for request in here.env.http_requests for custom_id in _ids(request.json)}
        old = here.board()
        await here.restart()
        answer = (await here.press(here.to_act(), old, "My hand")).response

    assert len(ids) > 20
    assert [] == [custom_id for custom_id in ids if parse(custom_id) is None]
    assert "-# Table 1 · your move" in said(answer)


def _ids(body: Any) -> list[str]:
    """Return every `custom_id` in a JSON value."""
    if isinstance(body, dict):
        own = [body["custom_id"]] if body.get("custom_id") else []
        return own + [found for value in body.values() for found in _ids(value)]
    return [found for value in body for found in _ids(value)] if isinstance(body, list) else []


async def test_check_b3_boards_that_are_behind_are_edited_and_nothing_is_posted(tmp_path: Path) -> None:
    """Two tables moved before the bot died: each board is edited once at the start, in its place; a third is left."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        for table_id in (1, 2, 3):
            await here.open(who=table_id, computer_players=1, turn_clock=0)
            await here.press(table_id, here.board(table_id), "Start")
        await here.env.advance_time(10)
        before = [here.board(table_id).id for table_id in (1, 2, 3)]
        await here.bot.close()
        with closing(sqlite3.connect(here.path)) as database, database:
            database.execute("UPDATE tables SET rendered_seq = seq - 1 WHERE table_id IN (1, 2)")
        start = len(here.env.http_requests)
        await here.restart()
        await here.env.advance_time(5)

        assert before == [here.board(table_id).id for table_id in (1, 2, 3)]
        assert 2 == len(sent(here, "PATCH", BOARD, start))
        assert [] == sent(here, "POST", "/messages", start)


@pytest.mark.parametrize("down", [1, HOUR], ids=["five seconds before", "an hour after"])
async def test_check_b4_a_turn_that_runs_out_over_a_restart_is_moved_once(tmp_path: Path, down: int) -> None:
    """Restarted before the moment it passes then, restarted after it at once; the next one has a whole turn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2, turn_clock=2)
        await stage(here, table("Y Worm", "Y Worm", deck=DECK))
        due = (await here.bot.tables.glance(1)).table.due_ms[0]
        assert due is not None
        await here.env.advance_time((due - now_ms(here)) / 1000 - 5)
        count = await inputs(here)
        await here.bot.close()
        here.env.backend.advance_clock(down)
        await here.restart()
        early = await inputs(here) - count
        await here.env.advance_time(6)
        moved = await inputs(here) - count
        later = (await here.bot.tables.glance(1)).table
        await here.env.advance_time(MINUTE / 2)

        assert (0 if down == 1 else 1) == early
        assert 1 == moved
        assert (1,) == later.to_act
        assert later.due_ms[1] is not None
        assert 0 <= now_ms(here) + 2 * MINUTE * 1000 - later.due_ms[1] <= 40_000
        assert count + 1 == await inputs(here)


@pytest.mark.parametrize("key", sorted(find_games()))
@pytest.mark.parametrize("seed", range(3))
def test_check_b5_what_is_saved_comes_back_after_every_input(key: str, seed: int) -> None:
    """Lobby, deal, moves of people and computers, a leaver, the end: each record is read back as it was written."""
    game = find_games()[key]
    dice = random.Random(seed)
    driver = Driver(game)
    seen = 0

    def check() -> None:
        nonlocal seen
        body = dump_record(game, driver.record)
        back = load_record(game, body)
        assert driver.record == back
        assert body == dump_record(game, back)
        seen += 1

    check()
    for step in (lambda: driver.join(BO), lambda: driver.do(AddComputer(ANA.user_id)), driver.start):
        step()
        check()
    while driver.table.phase == "playing":
        driver.now_ms += 1_000
        overdue = [name for name, due_ms in driver.table.deadlines.items() if due_ms <= driver.now_ms]
        if seen == 12 and BO.user_id in driver.table.people:
            driver.do(Leave(BO.user_id))
        elif overdue:
            driver.do(Expire(overdue[0]))
        elif driver.table.to_act:
            seat = dice.choice(driver.table.to_act)
            who = driver.table.sittings[seat].user_id
            moves = [move for move in game.legal(driver.record.state, seat) if type(move) not in game.spec.host_actions]
            act = dice.choice(moves)
            try:
                driver.do(Play(seat, act, "computer") if who is None else Act(who, act))
            except Refusal as refusal:
                if not {"wait_ms", "bell_ms"} & refusal.facts.keys():
                    raise  # not for its time, of which `legal` knows nothing
        check()

    assert seen > 15
    assert "finished" == driver.table.ended


PHASES: dict[str, State] = {
    "a turn": table("Y Worm", "Y Worm", deck=DECK),
    "toes to choose from": after(table("Toes Y", "Y M", floors=["", "Y"], deck=DECK), StepOnToes(1)),
    "an open line": table("Y", "Conga M C", floors=["Conga"], conga=(0,), turn=1, deck=DECK),
    "the final round": final("Y Spin", "M"),
}


@pytest.mark.parametrize("phase", PHASES)
async def test_check_b5_every_phase_is_taken_up_and_can_be_ended(tmp_path: Path, phase: str) -> None:
    """After a restart in the middle of it the next move can be made, and the host can end it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        await stage(here, PHASES[phase])
        await here.env.advance_time(2)
        count = await inputs(here)
        await here.restart()
        await random_turn(here, here.to_act(), random.Random(1))
        moved = await inputs(here) - count
        await here.restart()
        asked = (await here.people[0].slash(here.channel, "table end")).response
        told = said((await here.press(0, asked, "End it")).response)

        assert 1 == moved
        assert "✅ Table 1 has ended." == told


async def test_check_b6_a_table_that_nobody_touches_closes_with_a_word(tmp_path: Path) -> None:
    """A lobby after an hour, a game after a fortnight, each over restarts; the channel is free again."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.open(who=1, turn_clock=0)
        await here.press(2, here.board(2), "Join")
        await here.press(1, here.board(2), "Start")
        await here.env.advance_time(LOBBY_IDLE_MS / 1000 - 10)
        open_still = (await here.bot.tables.glance(1)).table.ended
        await here.restart()
        await here.env.advance_time(20)
        lobby = (await here.bot.tables.glance(1)).table.ended
        await here.env.advance_time(DEFAULT_IDLE_MS / 1000 - 2 * HOUR)
        going = (await here.bot.tables.glance(2)).table.ended
        await here.restart()
        await here.env.advance_time(3 * HOUR)
        left = said((await here.people[3].slash(here.channel, "table show")).response)

        assert ("", "idle") == (open_still, lobby)
        assert ("", "forgotten") == (going, (await here.bot.tables.glance(2)).table.ended)
        assert "Nobody has touched this table for a long time" in said(here.board(2))
        assert left.startswith("✋ No table runs in this channel.")


@pytest.mark.parametrize("phase", ["lobby", "game"])
@pytest.mark.parametrize("gone", ["nothing", "message", "channel", "players"])
async def test_check_b6_an_admin_ends_a_table_whatever_is_gone(tmp_path: Path, phase: str, gone: str) -> None:
    """By its number from another channel, in lobby or game; nothing is left that runs."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        here.people.append(admin(here))
        office = here.guild.create_text_channel("office")
        await here.open()
        await here.press(1, here.board(), "Join")
        if phase == "game":
            await here.press(0, here.board(), "Start")
        await here.env.advance_time(2)
        if gone == "message":
            here.env.backend.delete_message(here.channel.id, here.board().id)
        elif gone == "channel":
            here.env.backend.delete_channel(here.channel.id)
        elif gone == "players":
            for person in here.people[:2]:
                here.guild.remove_member(person)
        await here.env.advance_time(2)
        asked = (await here.people[6].slash(office, "table end", number=1)).response
        knob = next(knob for knob in knobs(asked) if knob["label"] == "End it")
        told = said((await here.people[6].click(asked.message, custom_id=knob["custom_id"])).response)
        await here.env.advance_time(HOUR)

        assert "✅ Table 1 has ended." == told
        assert [] == list(await here.bot.store.due())
        if gone in ("nothing", "players"):
            assert [] == labels(here.board())


async def test_check_b6_most_of_the_players_end_it(tmp_path: Path) -> None:
    """Two of three people are enough, one is not."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 3)
        told = []
        for who in (1, 2):
            asked = (await here.people[who].slash(here.channel, "table end")).response
            told.append(said((await here.press(who, asked, "End it")).response))

        assert ["✅ Your vote is counted: 1 of 2 needed.", "✅ Table 1 has ended."] == told

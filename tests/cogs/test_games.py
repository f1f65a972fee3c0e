"""Whole games as people play them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.cogs.players import random_turn
from tests.cogs.world import labels, selects, words, world

SEED = bytes(range(16))


@pytest.mark.parametrize("people", [2, 6])
async def test_a_whole_game_from_lobby_to_final_score(tmp_path: Path, people: int) -> None:
    """Whatever people press, nobody is refused, every message fits, and the result explains itself."""
    dice = random.Random(people)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.start(people)
        moves = 0
        while not here.over():
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(1)
            moves += 1
            assert moves < 500
        result = words(here.board())
        here.check_sizes()

    assert "🏆" in result
    assert "TOTAL" in result
    assert SEED.hex() in result
    assert labels(here.board()) == []


async def test_restart_at_every_step_of_a_whole_game(tmp_path: Path) -> None:
    """The bot is stopped and started before each press; the old board's button goes on as if nothing were."""
    dice = random.Random(7)
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.restart()
        await here.press(1, here.board(), "Join")
        await here.restart()
        await here.press(0, here.board(), "Start")
        for _ in range(500):
            await here.env.advance_time(1)
            if here.over():
                break
            old_board, who = here.board(), here.to_act()
            await here.restart()
            panel = (await here.press(who, old_board, "My hand")).response
            await random_turn(here, who, dice, panel=panel, between=here.restart)

        assert "🏆" in words(here.board())
        boards = [message for message in here.messages() if "Table 1" in words(message) or "🏆" in words(message)]
        assert 1 == len([message for message in boards if "your turn at" not in words(message)])


async def test_a_game_with_computers_needs_no_one_else(tmp_path: Path) -> None:
    """One person and three computers: the computers move by themselves, marked as what they are."""
    dice = random.Random(3)
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=3)
        await here.press(0, here.board(), "Start")
        for _ in range(400):
            await here.env.advance_time(3)
            if here.over():
                break
            if (
                "Ana Banana to dance" in words(here.board())
                or "Ana Banana: follow" in words(here.board())
                or ("Ana Banana chooses" in words(here.board()))
            ):
                await random_turn(here, 0, dice)

        assert "🏆" in words(here.board())
        assert "(computer)" in words(here.board())
        here.check_sizes()


async def test_the_turn_clock_moves_for_whoever_sleeps(tmp_path: Path) -> None:
    """With a clock of a minute a computer moves when it runs out, and the board says for whom."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(turn_clock=1)
        await here.start(2)
        sleeper = here.to_act()

        await here.env.advance_time(62)

        assert "Time ran out" in words(here.board())
        assert here.to_act() != sleeper or "chooses" in words(here.board())


async def test_options_can_be_changed_by_the_host_alone(tmp_path: Path) -> None:
    """The host gets selects that act at once, everybody else gets the options in words."""
    async with world(tmp_path / "game.sqlite3") as here:
        lobby = await here.open()
        panel = (await here.press(0, lobby, "Options")).response
        menu = next(menu for menu in selects(panel) if any("1 hour" in o["label"] for o in menu["options"]))
        hour = next(option["value"] for option in menu["options"] if option["label"] == "Turn clock: 1 hour")
        await here.choose(0, panel, menu, hour)
        await here.env.advance_time(2)
        others = (await here.press(1, here.board(), "Options")).response

        assert "Turn clock: 1 hour" in words(here.board())
        assert "Only the host" in words(others)
        assert [] == selects(others)

"""Selects in private panels: a client sends nothing when the line that it shows as chosen is chosen once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cogs.ui.ids import MARK
from tests.cogs.world import parts, selects, words, world

SEED = bytes(range(16))
COMPUTER_BEGINS = bytes([1]) * 16


def lines(message: Any) -> set[str | int]:
    """Return the ids of all selects, and the values of their lines as they were sent."""
    menus = [part for part in parts(message) if part["type"] == 3]
    return {menu["id"] for menu in menus} | {option["value"] for menu in menus for option in menu["options"]}


async def test_a_line_can_be_chosen_again(tmp_path: Path) -> None:
    """A panel that is drawn anew has no line that a client takes for the one chosen before, and each is understood."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        panel = (await here.press(0, await here.open(), "Options")).response
        for _ in range(3):
            before = lines(panel)
            await here.env.advance_time(1)
            panel = (await here.choose(0, panel, selects(panel)[0], "clock:60000")).response
            assert "✋" not in words(panel)
            assert before
            assert not before & lines(panel)
        assert 60_000 == (await here.bot.tables.glance(1)).table.clock_ms


async def test_so_can_one_that_comes_back(tmp_path: Path) -> None:
    """A card is chosen, then another one is to be: the first can be chosen again."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open("lambada new")
        await here.start(2)
        table = (await here.bot.tables.glance(1)).table
        (seat,) = table.to_act
        who = next(n for n, person in enumerate(here.people) if person.id == table.sittings[seat].user_id)
        hand = await here.hand(who)
        before, menu = lines(hand), selects(hand)[0]
        plan = (await here.choose(who, hand, menu, menu["options"][0]["value"])).response
        await here.env.advance_time(1)
        back = (await here.press(who, plan, "Choose again")).response
        assert selects(hand) == selects(back)
        assert not before & lines(back)


async def test_a_hand_that_is_kept_current_has_marks_as_well(tmp_path: Path) -> None:
    """The computer lays and passes; then the open hand of the other shows what they can lay."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: COMPUTER_BEGINS) as here:
        await here.open("lambada new", computer_players=1)
        await here.press(0, here.board(), "Start")
        hand = await here.hand(0)
        assert not lines(hand)
        for _ in range(30):
            await here.env.advance_time(1)
            if lines(hand.message):
                break
        assert lines(hand.message)
        assert all(MARK in value for value in lines(hand.message) if isinstance(value, str))

"""D: presses that arrive at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.cogs.staging import Pressed, said, sitting, stage
from tests.cogs.world import NAMES, World, knobs, world
from tests.rules.lets_dance.build import table

SEED = bytes(range(16))
DECK = "Y M C A Worm " * 9
CROWD = 200
CLICKS = 50


def knob(message: object, label: str) -> str:
    """Return the id of the button with this label."""
    return str(next(knob["custom_id"] for knob in knobs(message) if knob["label"] == label))


async def emit(here: World, presses: list[Pressed]) -> None:
    """Deliver presses together, before any is answered."""
    for each in presses:
        each.emit()
    await here.env.settle(timeout=60, idle=0.001)


async def test_check_d1_fifty_joins_of_one_person_are_one_seat(tmp_path: Path) -> None:
    """One is in, the other presses are told that they sit there already."""
    async with world(tmp_path / "game.sqlite3") as here:
        lobby = await here.open()
        joins = [Pressed(here, 1, lobby, knob(lobby, "Join")) for _ in range(CLICKS)]
        await emit(here, joins)
        told = Counter(said(each.response) for each in joins if each.response.ephemeral)

        assert 2 == len((await here.bot.tables.glance(1)).table.sittings)
        assert Counter({"✋ You sit at this table already.": CLICKS - 1}) == told


async def test_check_d1_two_hundred_people_never_take_more_than_the_seats(tmp_path: Path) -> None:
    """Five join the host, all others are told that the table is full and what to do; the lobby shows six."""
    async with world(tmp_path / "game.sqlite3", tuple(f"Dancer {number}" for number in range(CROWD + 1))) as here:
        lobby = await here.open()
        joins = [Pressed(here, who, lobby, knob(lobby, "Join")) for who in range(1, CROWD + 1)]
        await emit(here, joins)
        full = [each for each in joins if each.response.ephemeral]
        await here.env.advance_time(3)

        assert CROWD - 5 == len(full)
        assert {"✋ All seats are taken. Open a second table: there is room for more than one."} == {
            said(each.response) for each in full
        }
        assert 6 == len((await here.bot.tables.glance(1)).table.sittings)
        assert "6 of 6" in said(here.board())


async def test_check_d2_two_equal_moves_at_once_are_one(tmp_path: Path) -> None:
    """The second is told that it is done; one card went, one was drawn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.start(2)
        await stage(here, table("Y Y Worm", "Y", deck=DECK))
        seats = await sitting(here)
        page = (await here.press(seats[0], await here.hand(seats[0]), "2× Y")).response
        count = len(await here.bot.store.log(1))
        presses = [Pressed(here, seats[0], page, knob(page, "Dance Y")) for _ in range(2)]
        await emit(here, presses)

        assert count + 1 == len(await here.bot.store.log(1))
        assert "✋ That is done already: one press was enough." in said(presses[1].response)


@pytest.mark.parametrize(("label", "who"), [("Start", (0, 0)), ("Cancel", (0, 0)), ("Join", (2, 2)), ("Leave", (1, 1))])
async def test_check_d2_two_equal_presses_on_a_lobby_are_one(tmp_path: Path, label: str, who: tuple[int, int]) -> None:
    """Started, closed, joined or left once; the second press has its reason."""
    async with world(tmp_path / "game.sqlite3", NAMES, new_seed=lambda: SEED) as here:
        await here.open()
        lobby = here.board()
        await here.press(1, lobby, "Join")
        count = len(await here.bot.store.log(1))
        presses = [Pressed(here, one, lobby, knob(lobby, label)) for one in who]
        await emit(here, presses)

        assert count + 1 == len(await here.bot.store.log(1))
        assert "✋" in said(presses[1].response)
        assert [] == here.env.errors

"""H: what Discord limits, and how people are called; more of it in tests/cogs/test_boards.py."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.cogs.players import random_turn
from tests.cogs.staging import Pressed, said, sent, sitting, stage
from tests.cogs.test_settings import admin, pick, settings
from tests.cogs.world import World, knobs, labels, parts, world
from tests.rules.lets_dance.build import table

SEED = bytes(range(16))
MINUTE = 60
BOARD = "/messages/"
DECK = "Down Cowboy Y M C A " * 12


async def calm(here: World, people: int = 2, **options: Any) -> list[int]:
    """Have a game go on in which every move is a whole turn; return who sits where."""
    await here.open(**options)
    await here.start(people)
    await here.env.advance_time(2)
    await stage(here, table(*["Y M C A Worm"] * people, deck=DECK))
    await here.env.advance_time(MINUTE)
    return await sitting(here)


async def mover(here: World) -> int:
    """Return the index of the person whose turn it is."""
    (seat,) = (await here.bot.tables.glance(1)).table.to_act
    return (await sitting(here))[seat]


async def move(here: World, wait: float = MINUTE) -> None:
    """Make some move for whoever's turn it is."""
    who = await mover(here)
    panel = (await here.people[who].slash(here.channel, "hand")).response
    await random_turn(here, who, random.Random(5), panel=panel)
    await here.env.advance_time(wait)


def calls(here: World, start: int = 0) -> list[Any]:
    """Return the payloads of the calls that were posted since request *start*."""
    return [r.json for r in sent(here, "POST", "/messages", start) if "your turn at" in str(r.json)]


def boards(here: World) -> list[int]:
    """Return the ids of the messages that show the table."""
    return [message.id for message in here.messages() if "Table 1 ·" in said(message)]


async def test_check_h1_edits_are_one_a_second_and_end_with_the_last_state(tmp_path: Path) -> None:
    """Sixty presses on a lobby, a dozen together every half a second: few edits, and the truth at the end."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        lobby = await here.open()
        await here.env.advance_time(3)
        ids = {label: next(k["custom_id"] for k in knobs(lobby) if k["label"] == label) for label in labels(lobby)}
        start = len(here.env.http_requests)
        edits = []
        for _ in range(5):
            for label in ("Add computer", "Add computer", "Remove computer", "Add computer") * 3:
                Pressed(here, 0, lobby, ids[label]).emit()
            await here.env.settle(idle=0.001)
            await here.env.advance_time(0.5)
            edits.append(len(sent(here, "PATCH", f"/channels/{here.channel.id}{BOARD}", start)))
        await here.env.advance_time(3)
        saved = (await here.bot.tables.glance(1)).table

        assert edits[-1] <= 4
        assert f"On the floor: {len(saved.sittings)} of 6" in said(here.board())


async def test_check_h1_quick_moves_make_few_edits(tmp_path: Path) -> None:
    """Ten moves in a second of the world: two or three edits, and the board shows the last one."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here)
        start = len(here.env.http_requests)
        for _ in range(10):
            await move(here, wait=0.1)
        edits = len(sent(here, "PATCH", f"/channels/{here.channel.id}{BOARD}", start))
        await here.env.advance_time(2)

        assert 1 <= edits <= 3
        assert here.to_act() == await mover(here)


async def test_check_h2_a_board_that_cannot_be_edited_is_posted_anew(tmp_path: Path) -> None:
    """Discord limits edits of old messages: the new board stands alone, and the next move edits it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here)
        (old,) = boards(here)
        here.env.inject_error("PATCH", f"/channels/*{BOARD}{old}", status=429, code=30046)
        await move(here, wait=2)
        (new,) = boards(here)
        start = len(here.env.http_requests)
        await move(here, wait=2)

        assert old != new
        assert [new] == boards(here)
        assert [] == [r for r in sent(here, "POST", "/messages", start) if "Table 1 ·" in str(r.json)]
        assert here.to_act() == await mover(here)


async def test_check_h2_an_old_board_is_posted_anew(tmp_path: Path) -> None:
    """Before the hour is full, and the old one goes."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here)
        (old,) = boards(here)
        await here.env.advance_time(54 * MINUTE)
        await move(here, wait=2)

        assert 1 == len(boards(here))
        assert [old] != boards(here)


async def test_check_h4_one_call_a_turn(tmp_path: Path) -> None:
    """Over eight turns of three people each turn calls its person once; a turn of two moves calls nobody twice."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here, 3)
        found = []
        for _ in range(8):
            start = len(here.env.http_requests)
            await move(here)
            who = str(here.people[await mover(here)].id)
            found.append(
                [[str(user) for user in call["allowed_mentions"]["users"]] == [who] for call in calls(here, start)]
            )
        await stage(here, table("Toes Y M", "Y M", "Y", floors=["Y", "M", "C"], deck=DECK))
        await here.env.advance_time(MINUTE)
        who, start = await mover(here), len(here.env.http_requests)
        panel = (await here.press(who, await here.hand(who), "Step on Toes")).response
        await here.press(who, panel, labels(panel)[0])
        await here.env.advance_time(MINUTE)

        assert [[True]] * 8 == found
        assert who == await mover(here)
        assert [] == calls(here, start)


@pytest.mark.parametrize(
    ("style", "letters", "posts"), [("In the table's channel", 0, 1), ("By direct message", 1, 0), ("Not at all", 0, 0)]
)
async def test_check_h5_a_call_says_which_game_and_goes_where_it_is_wanted(
    tmp_path: Path, style: str, letters: int, posts: int
) -> None:
    """Game, table, deadline and the way to the board; in the channel, by direct message, or not at all."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here, turn_clock=60)
        other = seats[1]
        await pick(here, other, await settings(here, other), "Your pings", style)
        start = len(here.env.http_requests)
        await move(here)
        there = here.people[other].user.dm_channel.history() if letters else []
        found = [*there, *here.pings()]

        assert letters + posts == len(found) == len(calls(here, start))
        assert letters == len(there)
        for call in found:
            assert "your turn at 💃 Let's Dance, table 1. Turn ends <t:" in said(call)
            board = f"https://discord.com/channels/{here.guild.id}/{here.channel.id}/{boards(here)[0]}"
            assert board in [part.get("url") for part in parts(call)]


async def test_check_h6_letters_go_to_those_who_asked_and_one_a_turn(tmp_path: Path) -> None:
    """Of three people one has asked: ten turns bring letters to that one alone, and never two for one turn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here, 3)
        await pick(here, seats[1], await settings(here, seats[1]), "Your pings", "By direct message")
        turns = 0
        for _ in range(9):
            await move(here)
            turns += await mover(here) == seats[1]
        opened = sent(here, "POST", "/users/@me/channels")
        letters = here.people[seats[1]].user.dm_channel.history()

        assert {str(here.people[seats[1]].id)} == {str(request.json["recipient_id"]) for request in opened}
        assert turns == len(letters) >= 3


async def test_check_h7_nobody_gets_a_letter_unasked(tmp_path: Path) -> None:
    """By default there is none; whoever asked reads in each how to stop them, and with that they stop."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here)
        await move(here)
        await move(here)
        default = len(sent(here, "POST", "/users/@me/channels"))
        await pick(here, seats[1], await settings(here, seats[1]), "Your pings", "By direct message")
        await move(here)
        (letter,) = here.people[seats[1]].user.dm_channel.history()
        await pick(here, seats[1], await settings(here, seats[1]), "Your pings", "Not at all")
        await move(here)
        await move(here)

        assert 0 == default
        assert "To stop them: `/settings` in the server." in said(letter)
        assert 1 == len(here.people[seats[1]].user.dm_channel.history())


async def test_check_h7_a_server_can_have_no_calls_at_all(tmp_path: Path) -> None:
    """Switched off by an admin, neither channel nor letters call anybody."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        boss = admin(here)
        await pick(here, boss, await settings(here, boss), "Pings", "Pings: off, nobody is called")
        await here.bot.settings.set_pings(here.people[1].id, "dm")
        await calm(here)
        for _ in range(3):
            await move(here)

        assert [] == calls(here)
        assert [] == sent(here, "POST", "/users/@me/channels")

"""E: people come and go, and the others dance on; more of it in tests/cogs/test_people.py."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

from tests.cogs.players import random_turn
from tests.cogs.staging import said, sitting, stage
from tests.cogs.world import World, labels, selects, words, world
from tests.rules.lets_dance.build import table

SEED = bytes(range(16))
MINUTE, HOUR = 60, 3600
PAUSE_S = 31
DECK = "Down Cowboy Y M C A " * 12


async def calm(here: World, people: int = 2, **options: Any) -> list[int]:
    """Have a game go on in which every move is a whole turn; return who sits where."""
    await here.open(**options)
    await here.start(people)
    await here.env.advance_time(2)
    await stage(here, table(*["Y M C A Worm"] * people, deck=DECK))
    await here.env.advance_time(2)
    return await sitting(here)


async def mover(here: World, table_id: int = 1) -> int:
    """Return the index of the person whose turn it is, -1 for a computer or nobody."""
    to_act = (await here.bot.tables.glance(table_id)).table.to_act
    return (await sitting(here, table_id))[to_act[0]] if to_act else -1


async def play_out(here: World, wait: float = PAUSE_S) -> None:
    """Let everybody who is there play to the end."""
    dice = random.Random(6)
    for _ in range(400):
        await here.env.advance_time(2)
        if here.over():
            return
        who = await mover(here)
        if who >= 0:
            await random_turn(here, who, dice)
        await here.env.advance_time(wait)
    raise AssertionError("the game does not end")


async def confirmed(here: World, who: int, command: str, label: str) -> str:
    """Type a command that asks first, confirm it, and return the last words."""
    asked = (await here.people[who].slash(here.channel, command)).response
    return said((await here.press(who, asked, label)).response)


async def test_check_e1_with_somebody_gone_the_game_ends_as_any_other(tmp_path: Path) -> None:
    """Nobody tells the bot, and it asks for no list of members: at their turn a computer takes over, ranked last."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here, 3, turn_clock=0)
        gone = seats[2]
        here.env.inject_error("GET", f"/guilds/*/members/{here.people[gone].id}", status=404, code=10007, times=None)
        await play_out(here)

        assert not here.bot.intents.members
        assert gone not in await sitting(here)
        assert "🏆" in words(here.board())
        assert re.search(r"3\\\. .* \(computer\), for somebody who left", words(here.board()))


async def test_check_e2_a_leaver_ends_no_game_of_three(tmp_path: Path) -> None:
    """A computer dances on at once, the others play to the end, the leaver is last."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here, 3)
        told = await confirmed(here, seats[0], "table leave", "Leave it")
        await here.env.advance_time(2)
        board = said(here.board())
        await play_out(here, wait=1)

        assert "✅ You have left table 1. Come back any time." == told
        assert f"{here.names[seats[0]]} left; " in board
        assert (3, "finished") == (
            (await here.bot.tables.glance(1)).table.places[0],
            (await here.bot.tables.glance(1)).table.ended,
        )


async def test_check_e2_a_game_of_two_has_a_defined_end(tmp_path: Path) -> None:
    """The first to leave is replaced, with the second the game ends without a ranking."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here)
        await confirmed(here, seats[0], "table leave", "Leave it")
        going = (await here.bot.tables.glance(1)).table.phase
        await confirmed(here, seats[1], "table leave", "Leave it")
        await here.env.advance_time(2)

        assert "playing" == going
        assert "Everybody has left: the game ends without a ranking." in said(here.board())


async def test_check_e3_a_substitute_takes_hand_and_score(tmp_path: Path) -> None:
    """Cards and points stay with the seat, and the newcomer plays from it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here)
        for _ in range(2):
            await random_turn(here, await mover(here), random.Random(2))
            await here.env.advance_time(2)
        leaver = seats[0]
        before = said(await here.hand(leaver)).splitlines()[-4:]
        score = re.findall(rf"{re.escape(here.names[leaver][:8])}.*?: (-?\d+)\*\*", said(here.board()))
        swap = {"seat": 1, "newcomer": here.people[4]}
        told = said((await here.people[0].slash(here.channel, "table substitute", **swap)).response)
        await here.env.advance_time(2)
        after = said(await here.hand(4)).splitlines()[-4:]
        inherited = re.findall(r"sir\\_dances.*?: (-?\d+)\*\*", said(here.board()))
        await random_turn(here, 4, random.Random(1))

        assert "sits in seat 1 of table 1 now." in told
        assert before == after
        assert score == inherited
        assert [4, seats[1]] == await sitting(here)


async def test_check_e3_a_lobby_where_nobody_comes_is_closed(tmp_path: Path) -> None:
    """After an hour nobody's name stands in a lobby that never began."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.press(1, here.board(), "Join")
        await here.env.advance_time(HOUR + 5)

        assert "Nobody came for an hour: the lobby is closed." in said(here.board())
        assert [] == labels(here.board())


async def test_check_e5_who_came_first_has_the_hosts_controls(tmp_path: Path) -> None:
    """In the lobby the heir changes options and starts; in the game the next heir ends it at once."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        for who in (3, 1, 2):
            await here.press(who, here.board(), "Join")
        await here.press(0, here.board(), "Leave")
        panel = (await here.press(3, here.board(), "Options")).response
        menus = len(selects(panel))
        await here.press(3, here.board(), "Start")
        await here.env.advance_time(2)
        await confirmed(here, 3, "table leave", "Leave it")
        told = await confirmed(here, 1, "table end", "End it")

        assert menus >= 1
        assert "✅ Table 1 has ended." == told


async def test_check_e5_the_last_one_out_closes_the_lobby(tmp_path: Path) -> None:
    """Computers do not wait for anybody."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(computer_players=2)
        await here.press(0, here.board(), "Leave")
        await here.env.advance_time(2)

        assert "The lobby was closed before the game began." in said(here.board())
        assert "over" == (await here.bot.tables.glance(1)).table.phase


async def test_check_e6_seen_warned_moved_for_and_back(tmp_path: Path) -> None:
    """
    The deadline stands in the board's text, half-time is told once, a legal move comes at its end.

    After three in a row a computer keeps the seat, until its owner is back.
    """
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await calm(here, turn_clock=60)
        sleeper, other = seats
        turns = (await here.bot.tables.glance(1)).table
        seen = said(here.board())
        await here.env.advance_time(HOUR / 2 + 2)
        warned = sum("half your time is gone" in said(message) for message in here.messages())
        count = len(await here.bot.store.log(1))
        await here.env.advance_time(HOUR / 2)
        moved = len(await here.bot.store.log(1)) - count
        told = said(here.board())
        for _ in range(2):
            await random_turn(here, other, random.Random(3))
            await here.env.advance_time(HOUR + 2)
        away = (await here.bot.tables.glance(1)).table.away(0)
        back = said((await here.press(sleeper, here.board(), "I'm back")).response)

        assert (0,) == turns.to_act
        assert f"<t:{(turns.due_ms[0] or 0) // 1000}:R>" in seen
        assert 1 == warned
        assert moved >= 1
        assert "Time ran out, so a computer moved" in told
        assert away
        assert "Table 1 ·" in back
        assert not (await here.bot.tables.glance(1)).table.away(0)


async def test_check_e6_without_a_clock_nobody_is_moved_for(tmp_path: Path) -> None:
    """Off is off: no deadline on the board, and days later it is still the same turn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(turn_clock=0)
        await here.start(2)
        await here.env.advance_time(2)
        who, count = await mover(here), len(await here.bot.store.log(1))
        await here.env.advance_time(3 * 24 * HOUR)

        assert ":R>" not in said(here.board())
        assert (who, count) == (await mover(here), len(await here.bot.store.log(1)))


async def test_check_e7_computers_fill_the_table_and_are_marked(tmp_path: Path) -> None:
    """Added and removed in the lobby, marked wherever they stand; one person and they play to the end."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        lobby = await here.open()
        for label in ("Add computer", "Add computer", "Add computer", "Remove computer"):
            await here.press(0, lobby, label)
        await here.env.advance_time(2)
        filled = said(here.board())
        await here.press(0, lobby, "Start")
        await here.env.advance_time(2)
        board = said(here.board())
        scores = said((await here.press(0, here.board(), "Scores")).response)
        await play_out(here, wait=3)
        result = words(here.board())

        assert "3 of 6" in filled
        assert [2, 2, 2] == [len(set(re.findall(r"(\w+) \(computer\)", text))) for text in (filled, board, scores)]
        assert "🏆" in result
        assert 2 == len(set(re.findall(r"(\w+) \(computer\)", result)))


async def test_check_e9_anybody_watches_the_board_and_nothing_else(tmp_path: Path) -> None:
    """An outsider sees the board move, opens scores, rules and log, and gets no hand."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.start(2)
        await here.env.advance_time(2)
        before = said(here.board())
        await random_turn(here, await mover(here), random.Random(1))
        await here.env.advance_time(2)
        after = said(here.board())
        watched = [
            said((await here.press(5, here.board(), label)).response) for label in ("Scores", "Rules", "My hand")
        ]
        log = said((await here.people[5].slash(here.channel, "table log", number=1)).response)

        assert before != after
        assert "scores so far" in watched[0]
        assert "📖" in watched[1]
        assert watched[2].startswith("✋ You do not sit at this table.")
        assert "## 📜 Log" in log

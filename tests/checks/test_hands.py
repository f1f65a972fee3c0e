"""C: the private hand: always at hand, never out of date unnoticed, never seen by anybody else."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules.core.codec import load_record
from rules.core.rng import Rng
from rules.core.tables import Glance
from rules.lets_dance import GAME
from tests.cogs.players import random_turn
from tests.cogs.staging import said, sent, sitting, snapshot, stage
from tests.cogs.world import World, knobs, labels, world
from tests.rules.lets_dance.build import table

SEED = bytes(range(16))
MINUTE = 60
WEEK = 7 * 24 * 3600
DECK = "Y M C A Worm " * 9
PAUSE_S = 31
ORIGINAL = "/messages/@original"


async def staged(here: World, state: Any, **fields: Any) -> list[int]:
    """Have this game go on, and return who sits where."""
    await here.open(turn_clock=0)
    await here.start(state.players)
    await here.env.advance_time(2)
    await stage(here, state, due_ms=(None,) * state.players, **fields)
    await here.env.advance_time(2)
    return await sitting(here)


async def hand(here: World, who: int) -> Any:
    """Open the hand by command."""
    return (await here.people[who].slash(here.channel, "hand")).response


async def dance(here: World, who: int, card: str, panel: Any = None) -> Any:
    """Dance one card and return what stands on the panel then."""
    page = (await here.press(who, panel or await hand(here, who), card)).response
    return (await here.press(who, page, f"Dance {card}")).response


async def whole(here: World, people: int, seed: int = 5, **options: Any) -> None:
    """Play a whole game at a slow pace, so that everybody is called."""
    dice = random.Random(seed)
    await here.open(**options)
    await here.start(people)
    await here.env.advance_time(PAUSE_S)
    for _ in range(300):
        if here.over():
            return
        await random_turn(here, here.to_act(), dice)
        await here.env.advance_time(PAUSE_S)
    raise AssertionError("the game does not end")


async def test_check_c1_a_panel_is_refreshed_for_its_own_sake_alone(tmp_path: Path) -> None:
    """Of three open hands the one whose turn begins is edited, the third is left."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("Y Worm", "Y Worm", "Y Worm", deck=DECK))
        mine, next_one, third = [await hand(here, who) for who in seats]
        start, before = len(here.env.http_requests), said(third)
        await dance(here, seats[0], "Y", mine)
        await here.env.advance_time(2)

        assert 1 == len(sent(here, "PATCH", ORIGINAL, start))
        assert "Which card goes first?" in said(next_one)
        assert before == said(third)


@pytest.mark.parametrize("age", [16 * MINUTE, WEEK], ids=["sixteen minutes", "a week"])
async def test_check_c1_a_panel_leads_on_however_old_it_is(tmp_path: Path, age: int) -> None:
    """Pressed long after its token died, with a restart between, it leads to the move it names."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("Y Worm", "Y Worm", deck=DECK))
        panel = await hand(here, seats[0])
        await here.env.advance_time(age)
        await here.restart()
        told = said(await dance(here, seats[0], "Y", panel))

        assert "You danced Y" in told
        assert [] == here.env.errors


@pytest.mark.parametrize(("status", "code"), [(401, 50027), (404, 10008), (404, 10015)])
async def test_check_c1_a_refresh_that_fails_is_dropped(tmp_path: Path, status: int, code: int) -> None:
    """Tried once, complained of nowhere; the board still opens the hand."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("Y Worm", "Y Worm", deck=DECK))
        await hand(here, seats[1])
        mine = (await here.press(seats[0], await hand(here, seats[0]), "Y")).response
        here.env.inject_error("PATCH", f"/webhooks/*{ORIGINAL}", status=status, code=code, times=None)
        start = len(here.env.http_requests)
        await here.press(seats[0], mine, "Dance Y")
        await here.env.advance_time(MINUTE)

        assert 1 == len(sent(here, "PATCH", ORIGINAL, start))
        assert "Which card goes first?" in said(await here.hand(seats[1]))
        assert [] == here.env.errors


async def test_check_c2_the_door_is_always_there(tmp_path: Path) -> None:
    """In every turn the board has My hand, and /hand from another channel opens the same."""
    dice = random.Random(9)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        elsewhere = here.guild.create_text_channel("elsewhere")
        await here.open()
        await here.start(3)
        pairs = []
        for _ in range(5):
            await here.env.advance_time(2)
            for who in range(3):
                there = (await here.people[who].slash(elsewhere, "hand")).response
                pairs.append((said(await here.hand(who)), said(there)))
            await random_turn(here, here.to_act(), dice)

        assert 15 == len(pairs)
        assert all(mine == theirs and "-# Table 1 ·" in mine for mine, theirs in pairs)


async def test_check_c3_the_older_of_two_hands_plays_nothing(tmp_path: Path) -> None:
    """A move from it is refused with the hand as it is; every card is where it was."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("Y Worm Down", "Y Worm", deck=DECK))
        old = (await here.press(seats[0], await hand(here, seats[0]), "The Worm")).response
        await dance(here, seats[0], "Y")
        await here.env.advance_time(5)
        await dance(here, seats[1], "Y")
        await here.env.advance_time(5)
        before = load_record(GAME, await snapshot(here)).state
        told = said((await here.press(seats[0], old, "Dance The Worm")).response)
        state = load_record(GAME, await snapshot(here)).state

        assert "✋ This panel is old: here is your hand as it is now, nothing was played." in told
        assert before == state
        assert Counter(state.hands[0])["worm"] == 1
        assert GAME.census(before) == GAME.census(state)


async def test_check_c5_a_whole_game_while_every_direct_message_fails(tmp_path: Path) -> None:
    """All have asked for direct messages and take none: they are called in the channel, and the game ends."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        here.env.inject_error("POST", "/users/@me/channels", status=403, code=50007, times=None)
        for person in here.people:
            await here.bot.settings.set_pings(person.id, "dm")
        await whole(here, 3)
        tried = len(sent(here, "POST", "/users/@me/channels"))
        called = sum("your turn at" in str(request.json) for request in sent(here, "POST", "/messages"))

        assert "🏆" in said(here.board())
        assert 5 < tried <= called + 1
        assert [] == here.env.errors


async def test_check_c6_a_whole_game_sends_no_direct_message(tmp_path: Path) -> None:
    """What is private comes as an answer that only its reader sees; nothing private stands in the channel."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await whole(here, 2)
        public = {message.id for message in here.messages()}
        hidden = [message for message in here.channel.history(viewer=here.people[0]) if message.id not in public]

        assert [] == sent(here, "POST", "/users/@me/channels")
        assert hidden
        assert all(message.flags.ephemeral for message in hidden)
        assert "Your hand" not in " ".join(said(message) for message in here.messages())


async def test_check_c7_nothing_public_depends_on_a_hidden_card(tmp_path: Path) -> None:
    """
    After every move of a whole game all hidden cards are redrawn: the board would look the same to the byte.

    No file, picture or embed is sent, and calls name no card.
    """
    dice = random.Random(3)
    looks = redrawn = 0
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.start(3)
        while not here.over():
            await here.env.advance_time(PAUSE_S)
            record = load_record(GAME, await snapshot(here))
            other = msgspec.structs.replace(record, state=GAME.resample(record.state, None, Rng(SEED, f"look {looks}")))
            boards = [here.bot.boards.render(Glance(GAME, each)).to_components() for each in (record, other)]
            assert json.dumps(boards[0]) == json.dumps(boards[1])
            looks += 1
            redrawn += record.state.hands != other.state.hands
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(2)
        spoken = [
            r.json for r in here.env.http_requests if f"/channels/{here.channel.id}/messages" in r.path and r.json
        ]
        calls = [json.dumps(body) for body in spoken if "your turn at" in json.dumps(body)]

        assert looks > 20
        assert redrawn > looks / 2
        assert [] == [body for body in spoken if body.get("attachments") or body.get("embeds") or body.get("content")]
        assert len(calls) > 10
        assert [] == [call for call in calls if any(sign in call for sign in ("`", "Worm", "Spin", "Fever"))]


async def test_check_c7_no_public_id_names_a_card(tmp_path: Path) -> None:
    """Buttons that all can see lead to the same place for everybody."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("Y Worm", "Y Worm", deck=DECK))
        await dance(here, seats[0], "Y")
        await here.env.advance_time(2)

        assert ["My hand", "Scores", "Rules"] == labels(here.board())
        assert all(knob["custom_id"].split(":")[3] == "0" for knob in knobs(here.board()))

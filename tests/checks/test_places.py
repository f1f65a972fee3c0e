"""F: channels, threads, permissions, servers; more of it in tests/cogs/test_boards.py and test_settings.py."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.cogs.players import random_turn
from tests.cogs.staging import forbid, said, sent, sitting
from tests.cogs.world import NAMES, World, knobs, labels, words, world

SEED = bytes(range(16))
MINUTE, HOUR = 60, 3600
DAY = 24 * HOUR


async def mover(here: World, table_id: int = 1) -> int:
    """Return the index of the person whose turn it is."""
    (seat,) = (await here.bot.tables.glance(table_id)).table.to_act
    return (await sitting(here, table_id))[seat]


async def playing(here: World, people: int = 2, **options: Any) -> None:
    """Start a game of so many people."""
    await here.open(**options)
    await here.start(people)
    await here.env.advance_time(2)


async def move(here: World, table_id: int = 1, channel: Any = None) -> None:
    """Make some move for whoever's turn it is, from `/hand`."""
    who = await mover(here, table_id)
    panel = (await here.people[who].slash(channel or here.channel, "hand")).response
    if "Whose hand?" in said(panel):
        panel = (await here.press(who, panel, f"Table {table_id}")).response
    await random_turn(here, who, random.Random(5), panel=panel)
    await here.env.advance_time(3)


async def inputs(here: World, table_id: int = 1) -> int:
    """Return how many inputs a table has taken."""
    return len(await here.bot.store.log(table_id))


async def in_thread(here: World) -> Any:
    """Start a game of two in a thread of its own, make the thread the place of this world, and return it."""
    await here.people[0].slash(here.channel, "letsdance new", thread=True)
    (thread,) = here.channel.threads
    here.channel = thread
    await here.start(2)
    await here.env.advance_time(2)
    return thread


@pytest.mark.parametrize("step", range(4))
async def test_check_f1_a_deleted_board_comes_again_at_any_step(tmp_path: Path, step: int) -> None:
    """Deleted in the lobby or after some moves, the table has its one board again, with live buttons."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.press(1, here.board(), "Join")
        await here.env.advance_time(2)
        if step:
            await here.press(0, here.board(), "Start")
            await here.env.advance_time(2)
        for _ in range(step - 1):
            await move(here)
        old = here.board().id
        here.env.backend.delete_message(here.channel.id, old)
        await here.people[0].slash(here.channel, "table show")
        await here.env.advance_time(2)
        standing = [message.id for message in here.messages() if "Table 1 ·" in said(message)]

        assert 1 == len(standing)
        assert old not in standing
        assert ("My hand" if step else "Join") in labels(here.board())


@pytest.mark.parametrize("place", ["channel", "thread"])
async def test_check_f1_a_table_whose_place_is_gone_moves(tmp_path: Path, place: str) -> None:
    """No loop of attempts; the host brings it here with `/table move`, and it goes on where it was."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        refuge = here.guild.create_text_channel("refuge")
        if place == "thread":
            await in_thread(here)
        else:
            await playing(here)
        count = await inputs(here)
        here.env.backend.delete_channel(here.channel.id)
        await move(here, channel=refuge)
        start = len(here.env.http_requests)
        await here.env.advance_time(HOUR)
        tried = len(here.env.http_requests) - start
        told = said((await here.people[0].slash(refuge, "table move", number=1)).response)
        await here.env.advance_time(2)
        here.channel = refuge
        await move(here)

        assert tried < 10
        assert "✅ Table 1 goes on here." == told
        assert count + 3 == await inputs(here)
        assert ["My hand", "Scores", "Rules"] == labels(here.board())
        assert [] == here.env.errors


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (403, 50001)])
async def test_check_f2_a_permission_taken_away_stops_nothing_else(tmp_path: Path, status: int, code: int) -> None:
    """The game goes on by hand, another table too; the hand says what is missing; given back, all is shown."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        elsewhere = here.guild.create_text_channel("elsewhere")
        await here.people[3].slash(elsewhere, "letsdance new", computer_players=1)
        await here.press(3, elsewhere.last_message, "Start")
        for method in ("POST", "PATCH"):
            here.env.inject_error(
                method, f"/channels/{here.channel.id}/messages*", status=status, code=code, times=None
            )
        count = await inputs(here)
        for _ in range(3):
            await move(here)
        told = said((await here.people[0].slash(here.channel, "hand")).response)
        other = said(elsewhere.history()[0])
        here.env.backend.faults.clear()
        await move(here)
        await here.env.advance_time(MINUTE)

        assert count + 4 == await inputs(here)
        assert "⚠️" in told
        assert ("View Channel" if code == 50001 else "Send Messages") in told
        assert "round" in other
        assert here.to_act() == await mover(here)
        assert [] == here.env.errors


async def test_check_f3_without_embeds_and_files_a_game_is_played(tmp_path: Path) -> None:
    """Neither permission is needed from lobby to result."""
    dice = random.Random(2)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        forbid(here, embed_links=False, attach_files=False, use_external_emojis=False)
        await playing(here)
        for _ in range(200):
            if here.over():
                break
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(2)

        assert "🏆" in words(here.board())
        assert [] == here.env.errors


@pytest.mark.parametrize("lacking", ["create_public_threads", "send_messages_in_threads"])
async def test_check_f4_without_the_permission_the_table_stays_in_the_channel(tmp_path: Path, lacking: str) -> None:
    """The lobby opens here, and the host is told what it would have taken."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        forbid(here, **{lacking: False})
        told = said((await here.people[0].slash(here.channel, "letsdance new", thread=True)).response)
        await here.start(2)
        await here.env.advance_time(2)

        assert "No thread could be opened: I need **Create Public Threads** and **Send Messages in Threads**" in told
        assert [] == here.channel.threads
        assert "My hand" in labels(here.board())


@pytest.mark.parametrize(("status", "code"), [(403, 50001), (403, 50013), (400, 160006)])
async def test_check_f4_a_thread_that_discord_refuses_is_done_without(tmp_path: Path, status: int, code: int) -> None:
    """Whatever Discord's reason, the game is in the channel, and says so."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        here.env.inject_error("POST", "/channels/*/threads", status=status, code=code)
        told = said((await here.people[0].slash(here.channel, "letsdance new", thread=True)).response)

        assert "No thread could be opened" in told
        assert "Join" in labels(here.board())


async def test_check_f5_an_archived_thread_is_opened_for_the_board(tmp_path: Path) -> None:
    """An edit that Discord refuses for it is made once the thread is open again."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        thread = await in_thread(here)
        (board,) = [message.id for message in here.messages() if "Table 1 ·" in said(message)]
        here.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
        here.env.inject_error("PATCH", f"/channels/{thread.id}/messages/*", status=400, code=50083)
        start = len(here.env.http_requests)
        await move(here)
        await here.env.advance_time(2)
        opened = [r.json for r in sent(here, "PATCH", f"/channels/{thread.id}", start) if "/messages" not in r.path]

        assert [False] == [body["archived"] for body in opened]
        assert board in [message.id for message in here.messages()]
        assert here.to_act() == await mover(here)


async def test_check_f5_of_a_locked_thread_people_are_told(tmp_path: Path) -> None:
    """No storm of attempts; the hand says what to do, and the table can be moved out."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        hall = here.channel
        thread = await in_thread(here)
        for method in ("POST", "PATCH"):
            here.env.inject_error(method, f"/channels/{thread.id}/messages*", status=403, code=160005, times=None)
        await move(here)
        start = len(here.env.http_requests)
        await here.env.advance_time(HOUR)
        tried = len(sent(here, "PATCH", "/messages/", start))
        told = said((await here.people[0].slash(hall, "hand")).response)
        moved = said((await here.people[0].slash(hall, "table move", number=1)).response)
        here.channel = hall
        await here.env.advance_time(2)

        assert tried <= 2
        assert "locked" in told
        assert "`/table move`" in told
        assert "✅ Table 1 goes on here." == moved
        assert "My hand" in labels(here.board())


async def test_check_f6_every_press_reaches_its_own_table(tmp_path: Path) -> None:
    """Two games in each of ten channels, all with the same two people: random presses, each moves its table alone."""
    dice = random.Random(20)
    async with world(tmp_path / "game.sqlite3", NAMES[:2], new_seed=lambda: SEED) as here:
        channels = [here.channel, *(here.guild.create_text_channel(f"floor-{number}") for number in range(9))]
        for table_id in range(1, 21):
            here.channel = channels[table_id % 10]
            await here.open()
            await here.press(1, here.board(table_id), "Join")
            await here.press(0, here.board(table_id), "Start")
        await here.env.advance_time(3)
        counts = {table_id: await inputs(here, table_id) for table_id in range(1, 21)}
        wrong = []
        for _ in range(60):
            table_id = dice.randrange(1, 21)
            here.channel = channels[table_id % 10]
            who = await mover(here, table_id)
            await random_turn(here, who, dice, panel=await here.hand(who, table_id))
            await here.env.advance_time(2)
            counts[table_id] += 1
            now = {each: await inputs(here, each) for each in counts}
            wrong += [(table_id, counts, now)] if now != counts else []

        assert [] == wrong
        assert len(set(counts.values())) > 1
        assert [] == here.env.errors


async def test_check_f8_an_outage_is_no_removal(tmp_path: Path) -> None:
    """The server is unavailable for a while and comes back: nothing is forgotten, and the game goes on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        await here.bot.settings.set_server(here.guild.id, "turn_clock", "3600000", by=1, at_ms=1)
        here.env.backend.emit("GUILD_DELETE", {"id": str(here.guild.id), "unavailable": True})
        await here.env.settle(idle=0.001)
        await here.env.advance_time(40 * MINUTE)
        left = await here.bot.store.left()
        await here.restart()
        await here.env.advance_time(2)
        count = await inputs(here)
        await move(here)

        assert [] == list(left)
        assert 3_600_000 == (await here.bot.settings.server(here.guild.id)).clock_ms
        assert count + 1 == await inputs(here)
        assert here.to_act() == await mover(here)


async def test_check_f9_a_removal_parks_frees_and_forgets(tmp_path: Path) -> None:
    """Its tables rest, its people play elsewhere, and after thirty days nothing of it is kept."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, turn_clock=5)
        gone = here.guild.id
        here.env.backend.remove_guild(gone)
        await here.env.settle(idle=0.001)
        count, start = await inputs(here), len(here.env.http_requests)
        await here.env.advance_time(DAY)
        rested = await inputs(here)
        requests = len(here.env.http_requests) - start
        other = here.env.create_guild("Elsewhere")
        floor = other.create_text_channel("floor")
        away = other.add_member(here.people[0].user)
        await away.slash(floor, "letsdance new", computer_players=1)
        start_knob = next(knob for knob in knobs(floor.last_message) if knob["label"] == "Start")
        await away.click(floor.last_message, custom_id=start_knob["custom_id"])
        elsewhere = said((await away.slash(floor, "hand")).response)
        await here.env.advance_time(28 * DAY)
        kept = list(await here.bot.store.find(guild_id=gone, live=False))
        await here.env.advance_time(2 * DAY)

        assert count == rested
        assert requests < 5
        assert "-# Table 2 ·" in elsewhere
        assert [1] == kept
        assert [] == list(await here.bot.store.find(guild_id=gone, live=False))
        assert await here.bot.store.load(1) is None
        assert await here.bot.store.load(2) is not None

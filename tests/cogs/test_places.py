"""Where tables are: threads, moves, channels and messages that go, permissions, servers that go and return."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from simcord.backend import serializers

from rules.core.table import Table
from tests.cogs.players import random_turn
from tests.cogs.staging import admin, forbid, remove_bot, said, sent, sitting, stage
from tests.cogs.test_settings import pick, settings
from tests.cogs.world import World, knobs, labels, world
from tests.rules.lets_dance.build import table as build

SEED = bytes(range(16))
MINUTE = 60
HOUR = 3600
DAY = 24 * HOUR
BOARD = "/messages/"


@pytest.fixture(autouse=True)
def no_job_fails(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever happens to places, nothing breaks behind people's backs."""
    yield
    broken = [r.getMessage() for r in caplog.get_records("call") if r.levelname == "ERROR"]
    assert [] == broken


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the log warned of."""
    return [r.getMessage() for r in caplog.records if r.levelname == "WARNING" and "cannot be shown" in r.getMessage()]


async def table(here: World, table_id: int = 1) -> Table:
    """Return the table as it is."""
    return (await here.bot.tables.glance(table_id)).table


async def mover(here: World, table_id: int = 1) -> int:
    """Return the index of the person whose turn it is."""
    (seat,) = (await table(here, table_id)).to_act
    return (await sitting(here, table_id))[seat]


async def calm(here: World, people: int = 2, table_id: int = 1) -> int:
    """Start an open lobby and have every move be a whole turn; return whose turn it is."""
    await here.start(people, table_id)
    await here.env.advance_time(2)
    await stage(here, build(*["Y M C A Worm"] * people, deck="Down Cowboy Y M C A " * 12), table_id)
    await here.env.advance_time(2)
    return await mover(here, table_id)


async def move(here: World, who: int, channel: Any = None, table_id: int = 1, wait: float = 2) -> None:
    """Have somebody make a move from `/hand`."""
    panel = (await here.people[who].slash(channel or here.channel, "hand")).response
    if "Whose hand?" in said(panel):
        panel = (await here.press(who, panel, f"Table {table_id}")).response
    await random_turn(here, who, random.Random(5), panel=panel)
    await here.env.advance_time(wait)


async def command(here: World, who: int, name: str, channel: Any = None, **options: Any) -> str:
    """Type a command and return what the answer says."""
    return said((await here.people[who].slash(channel or here.channel, name, **options)).response)


async def end(here: World, who: int, channel: Any = None, **options: Any) -> str:
    """Type `/table end`, confirm, and return the last words."""
    asked = (await here.people[who].slash(channel or here.channel, "table end", **options)).response
    return said((await here.press(who, asked, "End it")).response)


async def into_thread(here: World) -> Any:
    """Open a table in a thread, look at the thread from then on, and return the channel above it."""
    above = here.channel
    await here.people[0].slash(above, "letsdance new", thread=True)
    (here.channel,) = above.threads
    return above


def boards(here: World, table_id: int = 1) -> list[int]:
    """Return the ids of the messages that show a table in the channel looked at."""
    return [m.id for m in here.messages() if m.components and f"Table {table_id} ·" in said(m)]


def fault(here: World, method: str, path: str, status: int, code: int) -> None:
    """Have Discord refuse some requests from now on."""
    here.env.inject_error(method, path, status=status, code=code, times=None)


def close_thread(here: World, *, locked: bool = False) -> None:
    """Archive the thread looked at, as Discord does: nothing in it can be changed until it is opened again."""
    backend, thread_id = here.env.backend, here.channel.id
    backend.edit_channel(thread_id, {}, thread_metadata={"archived": True, "locked": locked})
    for method in ("PATCH", "DELETE"):
        fault(here, method, f"/channels/{thread_id}/messages/*", 400, 50083)
    if locked:
        fault(here, "PATCH", f"/channels/{thread_id}", 403, 50013)
        fault(here, "POST", f"/channels/{thread_id}/messages", 403, 160005)

    def reopened(event: str, payload: Mapping[str, Any]) -> None:
        if event == "THREAD_UPDATE" and not payload["thread_metadata"]["archived"]:
            backend.faults.clear()

    backend.subscribers.append(reopened)


def kept(here: World) -> int:
    """Return how many rows of anything a closed database holds."""
    tables = ("tables", "log", "players", "outbox", "settings", "changes", "departed")
    with closing(sqlite3.connect(here.path)) as database:
        return sum(database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables)


# --- threads -------------------------------------------------------------------------------------


async def test_a_table_in_a_thread_from_lobby_to_move(tmp_path: Path) -> None:
    """With the option on everything happens in a thread named after game and host; the channel stays quiet."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        above = await into_thread(here)
        who = await calm(here)
        await here.env.advance_time(MINUTE)
        await move(here, who)
        other = await mover(here)
        (call,) = here.pings()
        hand = (await here.press(other, call, "My hand")).response

        assert "Let's Dance with Ana Banana" in here.channel.name
        assert [] == [message for message in above.history() if message.components]
        assert 1 == len(boards(here))
        assert other != who
        assert "Your hand" in said(hand)
        assert f"/{here.channel.id}/{here.board().id}" in str(call.components[-1].to_dict())
        here.check_sizes()


async def test_the_answer_leads_to_the_thread(tmp_path: Path) -> None:
    """Whoever opened it is told where it is."""
    async with world(tmp_path / "game.sqlite3") as here:
        told = await command(here, 0, "letsdance new", thread=True)
        (thread,) = here.channel.threads

        assert f"Table 1 is open in <#{thread.id}>" in told
        assert "No thread" not in told


async def test_the_server_says_whether_there_are_threads(tmp_path: Path) -> None:
    """An admin turns them on for new tables, the command's own option goes before it, off is the default."""
    async with world(tmp_path / "game.sqlite3") as here:
        here.people.append(admin(here))
        await here.open()
        before = len(here.channel.threads)
        await pick(here, 6, await settings(here, 6), "Threads", "Threads: one for each table")
        await here.people[0].slash(here.channel, "letsdance new")
        on = len(here.channel.threads)
        await here.people[0].slash(here.channel, "letsdance new", thread=False)

        assert [0, 1, 1] == [before, on, len(here.channel.threads)]
        assert [1] == [len(boards(here, 3))]


@pytest.mark.parametrize("flag", ["create_public_threads", "send_messages_in_threads"])
async def test_check_f4_without_the_permission_the_table_is_in_the_channel(tmp_path: Path, flag: str) -> None:
    """Also where a thread could be opened and not spoken in: the lobby stands in the channel, the answer says why."""
    async with world(tmp_path / "game.sqlite3") as here:
        forbid(here, **{flag: False})
        told = await command(here, 0, "letsdance new", thread=True)

        assert "Table 1 is open, and you are its host." in told
        assert "I need **Create Public Threads** and **Send Messages in Threads**" in told
        assert [] == here.channel.threads
        assert 1 == len(boards(here))


@pytest.mark.parametrize(("status", "code"), [(403, 50001), (403, 50013), (400, 160006), (500, 0)])
async def test_check_f4_when_discord_refuses_a_thread(tmp_path: Path, status: int, code: int) -> None:
    """Whatever the reason, the game starts in the channel and says so."""
    async with world(tmp_path / "game.sqlite3") as here:
        fault(here, "POST", "/channels/*/threads", status, code)
        told = await command(here, 0, "letsdance new", thread=True)

        assert "No thread could be opened" in told
        assert 1 == len(boards(here))


async def test_no_thread_in_a_thread(tmp_path: Path) -> None:
    """Where Discord knows no threads the table is right here."""
    async with world(tmp_path / "game.sqlite3") as here:
        await into_thread(here)
        told = await command(here, 0, "letsdance new", thread=True)

        assert "and a normal text channel" in told
        assert 1 == len(boards(here, 2))


async def test_a_command_delivered_twice_opens_one_table(tmp_path: Path) -> None:
    """There is one lobby, and one thread."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.people[0].slash(here.channel, "letsdance new", thread=True)
        (payload,) = [body for _, event, body in here.env.backend.transcript if event == "INTERACTION_CREATE"]
        here.env.backend.emit("INTERACTION_CREATE", payload)
        await here.env.settle(idle=0.001)

        assert [1] == list(await here.bot.store.find(guild_id=here.guild.id))
        assert 1 == len(here.channel.threads)


async def test_check_f5_an_archived_thread_is_opened_for_the_board(tmp_path: Path) -> None:
    """A game that rested goes on: the board is edited where it stands, and the thread is open again."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        above = await into_thread(here)
        who = await calm(here)
        (old,) = boards(here)
        close_thread(here)
        await move(here, who, above)

        assert [old] == boards(here)
        assert here.to_act() == await mover(here)
        assert not here.env.backend.channels[here.channel.id].thread_metadata.archived


async def test_check_f5_a_locked_thread_is_named_and_the_table_moved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No storm and one warning; /hand says what is wrong, and the table goes on where it is moved to."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        above = await into_thread(here)
        who = await calm(here)
        close_thread(here, locked=True)
        start = len(here.env.http_requests)
        for _ in range(3):
            await move(here, await mover(here), above)
        await here.env.advance_time(10 * MINUTE)
        tried = len(sent(here, "PATCH", "", start))
        told = await command(here, who, "hand", above)
        moved = await command(here, 0, "table move", above)
        await here.env.advance_time(2)
        here.channel = above
        (board,) = boards(here)
        mended = await command(here, who, "hand", above)

        assert tried <= 20
        assert 1 == len(warnings(caplog))
        assert "⚠️ The thread of this table is closed or locked" in told
        assert "`/table move`" in told
        assert "✅ Table 1 goes on here." == moved
        assert "⚠️" not in mended
        assert here.to_act() == await mover(here)
        assert board


async def test_a_deleted_thread_is_named(tmp_path: Path) -> None:
    """The table lives on without a place, says so, and comes back by a move."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        above = await into_thread(here)
        who = await calm(here)
        here.env.backend.delete_channel(here.channel.id)
        here.channel = above
        await move(here, who)
        other = await mover(here)
        told = await command(here, other, "hand")
        await command(here, 0, "table move")
        await here.env.advance_time(2)

        assert "⚠️ The channel of this table is gone. `/table move` brings the table to another one." in told
        assert 1 == len(boards(here))
        assert here.to_act() == other


# --- /table move ---------------------------------------------------------------------------------


@pytest.mark.parametrize("who", [0, 6])
async def test_host_and_admin_move_a_table(tmp_path: Path, who: int) -> None:
    """Board and calls stand in the new channel, the old messages are deleted, buttons work there."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        here.people.append(admin(here))
        await here.open()
        first = await calm(here)
        await here.env.advance_time(MINUTE)
        await move(here, first)
        other = await mover(here)
        old = here.channel
        before = [m for m in old.history() if m.components]
        here.channel = here.guild.create_text_channel("elsewhere")
        told = await command(here, who, "table move", number=1)
        await here.env.advance_time(2)
        hand = await here.hand(other)
        await here.env.advance_time(MINUTE)
        await move(here, other)
        (call,) = here.pings()

        assert 2 == len(before)
        assert "✅ Table 1 goes on here." == told
        assert [] == [m for m in old.history() if m.components]
        assert 1 == len(boards(here))
        assert "Your hand" in said(hand)
        assert f"<@{here.people[first].id}> your turn at" in said(call)


async def test_a_lobby_moves_as_well(tmp_path: Path) -> None:
    """People join in the new channel."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        old = here.channel
        here.channel = here.guild.create_text_channel("elsewhere")
        await command(here, 0, "table move")
        await here.env.advance_time(2)
        await here.press(1, here.board(), "Join")

        assert [] == [m for m in old.history() if m.components]
        assert "2 of 6" in said(here.board())


async def test_a_table_moves_into_a_thread_and_out_again(tmp_path: Path) -> None:
    """Any place that takes messages will do."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        above = here.channel
        await here.open()
        await calm(here)
        here.env.backend.create_thread(above.id, "corner", here.people[0].id)
        (here.channel,) = above.threads
        await command(here, 0, "table move")
        await here.env.advance_time(2)
        inside = boards(here)
        await move(here, await mover(here))
        thread, here.channel = here.channel, above
        await command(here, 0, "table move")
        await here.env.advance_time(2)

        assert 1 == len(inside)
        assert 1 == len(boards(here))
        assert [] == [message for message in thread.history() if message.components]


async def test_who_cannot_move_a_table(tmp_path: Path) -> None:
    """Others, to where it is already, to where the bot may not post, and from another server."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await calm(here)
        away = here.env.create_guild("Elsewhere", owner=here.people[0].user)
        far = away.create_text_channel("far-away")
        same = await command(here, 0, "table move")
        old = here.channel
        here.channel = here.guild.create_text_channel("elsewhere")
        other = await command(here, 1, "table move")
        forbid(here, send_messages=False)
        mute = await command(here, 0, "table move")
        there = said((await away.add_member(here.people[0].user).slash(far, "table move", number=1)).response)

        assert "✋ The table is in this channel already." == same
        assert "✋ Only the host of this table can do that." == other
        assert "✋ I may not post here. Ask an admin to allow me: Send Messages." == mute
        assert there.startswith("✋ There is no such table any more.")
        assert old.id == (await table(here)).channel_id


async def test_a_moved_board_is_not_taken_for_a_deleted_one(tmp_path: Path) -> None:
    """The bot deletes the old board itself: one message is posted for a move, not two."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await calm(here)
        here.channel = here.guild.create_text_channel("elsewhere")
        start = len(here.env.http_requests)
        await command(here, 0, "table move")
        await here.env.advance_time(MINUTE)

        assert 1 == len(sent(here, "POST", "/messages", start))
        assert 1 == len(boards(here))


# --- deleted messages ----------------------------------------------------------------------------


@pytest.mark.parametrize("started", [False, True])
async def test_check_f1_a_deleted_board_comes_back_by_itself(tmp_path: Path, started: bool) -> None:
    """Within seconds, without a move, after a restart too, in the lobby and in a game."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        if started:
            await calm(here)
        await here.restart()
        (old,) = boards(here)
        here.env.backend.delete_message(here.channel.id, old)
        await here.env.advance_time(2)
        (new,) = boards(here)

        assert old != new
        assert ("My hand" if started else "Join") in labels(here.board())


async def test_somebody_who_always_deletes_the_board_starts_no_quarrel(tmp_path: Path) -> None:
    """It returns once a turn: after the second deletion the next move brings it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        who = await calm(here)
        start = len(here.env.http_requests)
        for _ in range(5):
            for message_id in boards(here):
                here.env.backend.delete_message(here.channel.id, message_id)
            await here.env.advance_time(5)
        stopped = boards(here)
        posted = len(sent(here, "POST", "/messages", start))
        await move(here, who)

        assert [] == stopped
        assert 1 == posted
        assert 1 == len(boards(here))


async def test_a_deleted_result_stays_deleted(tmp_path: Path) -> None:
    """Nobody needs a board of a table that is over."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await calm(here)
        await end(here, 0)
        await here.env.advance_time(2)
        (old,) = boards(here)
        here.env.backend.delete_message(here.channel.id, old)
        await here.env.advance_time(MINUTE)

        assert [] == boards(here)


async def test_a_purge_of_the_channel_brings_every_board_back(tmp_path: Path) -> None:
    """Deleted in bulk, the boards of two tables both return."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.open(who=1)
        ids = [*boards(here, 1), *boards(here, 2)]
        for message_id in ids:
            del here.env.backend.messages[here.channel.id][message_id]
        where = {"channel_id": str(here.channel.id), "guild_id": str(here.guild.id)}
        here.env.backend.emit("MESSAGE_DELETE_BULK", {"ids": [str(each) for each in ids], **where})
        await here.env.advance_time(2)

        assert [1, 1] == [len(boards(here, 1)), len(boards(here, 2))]
        assert not {*ids} & {*boards(here, 1), *boards(here, 2)}


# --- channels and permissions that go ------------------------------------------------------------


async def test_check_f1_a_deleted_channel_owes_nothing_for_ever(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning; the table ends by number from elsewhere, and neither message nor redraw waits after it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        who = await calm(here)
        here.env.backend.delete_channel(here.channel.id)
        here.channel = here.guild.create_text_channel("elsewhere")
        for _ in range(3):
            await here.env.advance_time(MINUTE)
            await move(here, await mover(here))
        told = await command(here, who, "hand")
        waiting = len(await here.bot.store.owed())
        ended = await end(here, 0, number=1)
        await here.env.advance_time(2)
        start = len(here.env.http_requests)
        await here.restart()
        await here.env.advance_time(HOUR)

        assert 1 == len(warnings(caplog))
        assert "⚠️ The channel of this table is gone." in told
        assert 1 <= waiting
        assert "✅ Table 1 has ended." == ended
        assert [] == list(await here.bot.store.owed())
        assert [] == [r for r in here.env.http_requests[start:] if r.path.startswith("/channels/")]


async def test_a_lobby_whose_channel_is_gone_closes_without_a_word(tmp_path: Path) -> None:
    """There is nobody to tell, and nothing stays in the outbox."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        here.env.backend.delete_channel(here.channel.id)
        await here.env.advance_time(2 * HOUR)

        assert "over" == (await table(here)).phase
        assert [] == list(await here.bot.store.owed())


@pytest.mark.parametrize(("code", "hint"), [(50001, "**View Channel**"), (50013, "**Send Messages**")])
async def test_check_f2_a_permission_taken_away_in_a_game(
    tmp_path: Path, code: int, hint: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning and no storm; the next hand names it, the table can be ended; given back, the board follows."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await calm(here)
        fault(here, "*", f"/channels/{here.channel.id}/messages*", 403, code)
        start = len(here.env.http_requests)
        for _ in range(3):
            await move(here, await mover(here))
        await here.env.advance_time(HOUR)
        tried = len([r for r in here.env.http_requests[start:] if r.path.startswith("/channels/")])
        told = await command(here, await mover(here), "hand")
        await here.env.advance_time(2)
        warned = warnings(caplog)
        here.env.backend.faults.clear()
        await command(here, await mover(here), "hand")
        await here.env.advance_time(2)
        waiting, shown = await mover(here), here.to_act()
        fault(here, "*", f"/channels/{here.channel.id}/messages*", 403, code)
        ended = await end(here, 0, number=1)

        assert 1 == len(warned)
        assert tried <= 20
        assert "⚠️" in told
        assert hint in told
        assert waiting == shown
        assert "✅ Table 1 has ended." == ended


async def test_check_f2_a_channel_out_of_sight_and_back(tmp_path: Path) -> None:
    """With View Channel taken away /hand elsewhere names it, the table can be moved, and ended by number."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        who = await calm(here)
        forbid(here, view_channel=False)
        here.channel = here.guild.create_text_channel("elsewhere")
        await move(here, who)
        told = await command(here, 1 - who, "hand")
        moved = await command(here, 0, "table move")
        await here.env.advance_time(2)
        shown, waiting = here.to_act(), await mover(here)
        ended = await end(here, 0, number=1)

        assert "⚠️ I cannot see the channel of this table: an admin can allow me **View Channel** there." in told
        assert "✅ Table 1 goes on here." == moved
        assert waiting == shown
        assert "✅ Table 1 has ended." == ended


async def test_check_f2_a_move_says_that_its_board_does_not_follow(tmp_path: Path) -> None:
    """From the second move on the panel itself tells what is wrong."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        who = await calm(here)
        panels = {who: await here.hand(who), 1 - who: await here.hand(1 - who)}
        fault(here, "*", f"/channels/{here.channel.id}/messages*", 403, 50013)
        for person in (who, 1 - who):
            await random_turn(here, person, random.Random(5), panel=panels[person])
            await here.env.advance_time(2)

        assert "⚠️ I may not write in the channel of this table" in said(panels[1 - who])


async def test_check_f2_a_press_in_the_lobby_names_what_is_missing(tmp_path: Path) -> None:
    """The pressed lobby shows it to everyone, and no longer once it is given back."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        forbid(here, send_messages=False)
        await here.press(1, here.board(), "Join")
        lobby = said(here.board())
        await here.press(0, here.board(), "Start")
        game = said(here.board())
        forbid(here)
        await here.env.advance_time(2)
        await move(here, await mover(here))

        assert "2 of 6" in lobby
        assert "⚠️ I may not post here. Ask an admin to allow me: Send Messages." in lobby
        assert "⚠️ I may not post here. Ask an admin to allow me: Send Messages." in game
        assert "⚠️" not in said(here.board())


async def test_check_f2_one_closed_channel_harms_no_other(tmp_path: Path) -> None:
    """While one table cannot be shown the other is played in time."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await calm(here)
        closed, here.channel = here.channel, here.guild.create_text_channel("elsewhere")
        fault(here, "*", f"/channels/{closed.id}/messages*", 403, 50013)
        await here.people[2].slash(here.channel, "letsdance new", computer_players=1)
        await here.press(2, here.board(2), "Start")
        await here.env.advance_time(4)
        for _ in range(3):
            await move(here, await mover(here, 1), closed)
            await move(here, 2)
            await here.env.advance_time(4)

        assert here.to_act(2) == 2
        assert "⚠️" not in await command(here, 2, "hand")


# --- several tables ------------------------------------------------------------------------------


async def test_check_f6_every_press_reaches_its_table(tmp_path: Path) -> None:
    """One person at two tables of a channel and one in another server: each board opens its own hand and moves it."""
    async with world(tmp_path / "game.sqlite3") as here:
        for table_id in (1, 2):
            await here.open(computer_players=1)
            await here.press(0, here.board(table_id), "Start")
        other = here.env.create_guild("Elsewhere", owner=here.people[1].user)
        far = other.create_text_channel("far-away")
        twin = other.add_member(here.people[0].user)
        await twin.slash(far, "letsdance new", computer_players=1)
        (lobby,) = [message for message in far.history() if message.components]
        await twin.click(lobby, custom_id=next(k["custom_id"] for k in knobs(lobby) if k["label"] == "Start"))
        await here.env.advance_time(30)
        hands = [said(await here.hand(0, table_id)) for table_id in (1, 2)]
        (board, *_) = [message for message in far.history() if "Table 3 ·" in said(message)]
        knob = next(k["custom_id"] for k in knobs(board) if k["label"] == "My hand")
        third = said((await twin.click(board, custom_id=knob)).response)
        before = [(await table(here, table_id)).seq for table_id in (1, 2, 3)]
        await random_turn(here, 0, random.Random(1), panel=await here.hand(0, 2))
        after = [(await table(here, table_id)).seq for table_id in (1, 2, 3)]

        assert ["-# Table 1 ·", "-# Table 2 ·"] == [
            line[:12] for h in hands for line in h.splitlines() if "Table" in line
        ]
        assert "-# Table 3 ·" in third
        assert [before[0], before[1] + 1, before[2]] == after


async def test_check_f6_hand_and_leave_ask_which(tmp_path: Path) -> None:
    """Two tables here: both commands ask and reach the one chosen; the other server's own is never among them."""
    async with world(tmp_path / "game.sqlite3") as here:
        for table_id in (1, 2):
            await here.open(computer_players=1)
            await here.press(0, here.board(table_id), "Start")
        other = here.env.create_guild("Elsewhere", owner=here.people[1].user)
        far = other.create_text_channel("far-away")
        twin = other.add_member(here.people[0].user)
        await twin.slash(far, "letsdance new", computer_players=1)

        asked = (await here.people[0].slash(here.channel, "table leave")).response
        choices = set(labels(asked))
        sure = (await here.press(0, asked, "Table 2")).response
        sentence = said(sure)
        left = said((await here.press(0, sure, "Leave it")).response)
        alone = said((await twin.slash(far, "table leave")).response)
        hand = await command(here, 0, "hand")

        assert {"Table 1", "Table 2"} == choices
        assert "Leave table 2?" in sentence
        assert "✅ You have left table 2. Come back any time." == left
        assert "Leave table 3?" in alone
        assert "-# Table 1 ·" in hand


async def test_commands_that_cannot_know_ask_for_a_number(tmp_path: Path) -> None:
    """The host of two tables says which one is meant; the number goes before everything."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.open()
        await here.press(1, here.board(1), "Join")
        await here.press(1, here.board(2), "Join")

        which = await command(here, 0, "table kick", player=here.people[1])
        done = await command(here, 0, "table kick", player=here.people[1], number=1)
        await here.env.advance_time(2)

        assert which.startswith("✋ There are several tables: say which one with `number:`.")
        assert "✅ Bea has left table 1." == done
        assert ["1 of 6", "2 of 6"] == [f"{len((await table(here, table_id)).sittings)} of 6" for table_id in (1, 2)]


# --- servers that go and return ------------------------------------------------------------------


async def test_check_f8_an_outage_changes_nothing(tmp_path: Path) -> None:
    """The server is unavailable for a day: deadlines go on, nothing is forgotten, and the board is right after it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(turn_clock=60)
        who = await calm(here)
        backend = here.env.backend
        backend.emit("GUILD_DELETE", {"id": str(here.guild.id), "unavailable": True})
        fault(here, "*", f"/channels/{here.channel.id}/*", 503, 0)
        await here.env.advance_time(HOUR + 10 * MINUTE)
        left = list(await here.bot.store.left())
        during = await mover(here)
        backend.faults.clear()
        backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, backend.guilds[here.guild.id]))
        await here.env.advance_time(2)

        assert [] == left
        assert who != during
        assert here.to_act() == during


@pytest.mark.parametrize("joined", [True, False])
async def test_check_f9_a_removal_lets_tables_rest_and_a_return_wakes_them(tmp_path: Path, joined: bool) -> None:
    """While removed nothing is sent and nobody's time runs, for 20 days; taken back, the table goes on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(turn_clock=60)
        who = await calm(here)
        seq = (await table(here)).seq
        take_back = remove_bot(here)
        start = len(here.env.http_requests)
        await here.env.advance_time(10 * DAY)
        await here.restart()
        await here.env.advance_time(10 * DAY)
        quiet = [r for r in here.env.http_requests[start:] if r.path.startswith(("/channels/", "/guilds/"))]
        rested = (await table(here)).seq
        take_back(joined=joined)
        await here.env.advance_time(2)
        left = list(await here.bot.store.left())
        after = await mover(here)
        shown = here.to_act()
        await here.env.advance_time(HOUR + MINUTE)
        clocked = await mover(here)
        await move(here, clocked)
        await here.env.advance_time(20 * DAY)

        assert [] == quiet
        assert seq == rested
        assert [] == left
        assert who == after == shown
        assert who != clocked
        assert await here.bot.store.load(1) is not None


async def test_check_f9_after_30_days_a_server_is_forgotten(tmp_path: Path) -> None:
    """Tables, log, outbox and settings of it are gone, those of another server stay."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        here.people.append(admin(here))
        await pick(here, 6, await settings(here, 6), "Turn clock", "Turn clock: 1 hour")
        await here.open()
        await calm(here)
        other = here.env.create_guild("Elsewhere", owner=here.people[1].user)
        far = other.create_text_channel("far-away")
        await other.add_member(here.people[0].user).slash(far, "letsdance new")
        take_back = remove_bot(here)
        await here.env.advance_time(30 * DAY - HOUR)
        before = await here.bot.store.load(1)
        await here.env.advance_time(2 * HOUR)
        after = [await here.bot.store.load(table_id) for table_id in (1, 2)]
        known = list(await here.bot.store.known_guilds())
        take_back()
        await here.env.advance_time(2)
        hand = await command(here, 0, "hand")
        again = await command(here, 0, "letsdance new")

        assert before is not None
        assert [None, 2] == [found and found.table_id for found in after]
        assert [other.id] == known
        assert hand.startswith("✋ You sit at no table here.")
        assert again.startswith("Table 3 is open")


async def test_check_f9_a_removal_while_the_bot_was_off_is_found_at_the_start(tmp_path: Path) -> None:
    """A deadline that passed meanwhile does not fire, and the month begins to run."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(turn_clock=60)
        await calm(here)
        seq = (await table(here)).seq
        await here.bot.close()
        remove_bot(here)
        here.env.backend.advance_clock(2 * HOUR)
        start = len(here.env.http_requests)
        await here.restart()
        await here.env.advance_time(MINUTE)
        rested = (await table(here)).seq
        left = [departed.guild_id for departed in await here.bot.store.left()]
        quiet = [r for r in here.env.http_requests[start:] if r.path.startswith(("/channels/", "/guilds/"))]
        await here.env.advance_time(30 * DAY)
        await here.bot.close()

        assert seq == rested
        assert [here.guild.id] == left
        assert [] == quiet
        assert 0 == kept(here)


async def test_a_removal_during_a_month_of_restarts_counts_once(tmp_path: Path) -> None:
    """Restarts do not put off the end of the month."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        remove_bot(here)
        for _ in range(3):
            await here.env.advance_time(9 * DAY)
            await here.restart()
        await here.env.advance_time(4 * DAY)

        assert await here.bot.store.load(1) is None
        assert [] == list(await here.bot.store.known_guilds())

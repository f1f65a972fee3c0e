"""What the bot keeps true in a channel: one board a table, one call a turn, whatever happens to the messages."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import discord
import pytest

from tests.cogs.players import random_turn
from tests.cogs.staging import forbid, said, sent, sitting, stage
from tests.cogs.world import World, labels, parts, selects, world
from tests.rules.lets_dance.build import final, table

SEED = bytes(range(16))
MINUTE = 60
HOUR = 3600
BOARD = "/messages/"


async def mover(here: World, table_id: int = 1) -> int:
    """Return the index of the person whose turn it is, whatever the board shows."""
    seats = await sitting(here, table_id)
    (seat,) = (await here.bot.tables.glance(table_id)).table.to_act
    return seats[seat]


async def move(here: World, table_id: int = 1, wait: float = 2) -> int:
    """Make some move for whoever's turn it is, let *wait* seconds pass, and return who it was."""
    who = await mover(here, table_id)
    panel = (await here.people[who].slash(here.channel, "hand")).response
    if "Whose hand?" in said(panel):
        panel = (await here.press(who, panel, f"Table {table_id}")).response
    await random_turn(here, who, random.Random(5), panel=panel)
    await here.env.advance_time(wait)
    return who


async def turn(here: World, table_id: int = 1, wait: float = 2) -> None:
    """Move until it is somebody else's turn."""
    who = await mover(here, table_id)
    while await mover(here, table_id) == who:
        await move(here, table_id, wait)


async def playing(here: World, people: int = 2, **options: Any) -> None:
    """Start a game of so many people."""
    await here.open(**options)
    await here.start(people)
    await here.env.advance_time(2)


async def calm(here: World, people: int = 2) -> None:
    """Have a game go on in which every move is a whole turn: no toes, no Conga Line."""
    await playing(here, people)
    await stage(here, table(*["Y M C A Worm"] * people, deck="Down Cowboy Y M C A " * 12))
    await here.env.advance_time(2)


def boards(here: World, table_id: int = 1) -> list[int]:
    """Return the ids of the messages that show a table."""
    return [m.id for m in here.messages() if m.components and f"Table {table_id} ·" in said(m)]


def pings(here: World) -> list[str]:
    """Return the texts of the calls that stand in the channel."""
    return [said(message) for message in here.pings()]


def calls(here: World, start: int = 0) -> list[Any]:
    """Return the payloads of the calls that were posted since request *start*."""
    return [r.json for r in sent(here, "POST", "/messages", start) if "your turn at" in str(r.json)]


async def chatter(here: World, lines: int) -> None:
    """Have somebody talk a lot in the channel."""
    for number in range(lines):
        here.env.backend.create_message(here.channel.id, here.people[5].id, f"blah {number}")
    await here.env.settle(idle=0.001)


# --- where the board is --------------------------------------------------------------------------


async def test_a_deleted_board_is_posted_anew(tmp_path: Path) -> None:
    """After the next move the table has its one board again, with live buttons."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        (old,) = boards(here)
        here.env.backend.delete_message(here.channel.id, old)

        await move(here)
        (new,) = boards(here)

        assert old != new
        assert ["My hand", "Scores", "Rules"] == labels(here.board())


async def test_an_old_board_is_posted_anew_and_the_old_one_deleted(tmp_path: Path) -> None:
    """After 50 minutes the next move brings it down to where people read; a young one is edited."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here)
        (first,) = boards(here)
        await turn(here, wait=40 * MINUTE)
        (young,) = boards(here)
        await here.env.advance_time(15 * MINUTE)

        await turn(here)
        (new,) = boards(here)

        assert first == young
        assert first != new


async def test_a_buried_board_is_posted_anew(tmp_path: Path) -> None:
    """Under more than 20 messages it comes down again, under a dozen it stays."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here)
        (first,) = boards(here)
        await chatter(here, 12)
        await turn(here)
        (stayed,) = boards(here)
        await chatter(here, 12)

        await turn(here)
        (new,) = boards(here)

        assert first == stayed
        assert first != new
        assert [] == [m for m in here.messages() if m.id > new and m.author.id == here.people[5].id]


async def test_each_table_of_a_channel_counts_for_itself(tmp_path: Path) -> None:
    """Two boards buried by the same talk both come down, not only the one that moves first."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        await here.open()
        await here.press(1, here.board(2), "Join")
        await here.press(0, here.board(2), "Start")
        await here.env.advance_time(2)
        (one,), (two,) = boards(here, 1), boards(here, 2)
        await chatter(here, 25)

        await turn(here, 1)
        await turn(here, 2)

        assert [one] != boards(here, 1)
        assert [two] != boards(here, 2)


async def test_a_board_moves_at_most_once_a_turn(tmp_path: Path) -> None:
    """Buried a second time within one turn it stays where it is until the next one begins."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 5)
        seen = [boards(here)]
        for voter in (1, 2):  # a vote is shown on the board and is nobody's turn
            await chatter(here, 25)
            asked = (await here.people[voter].slash(here.channel, "table end")).response
            await here.press(voter, asked, "End it")
            await here.env.advance_time(2)
            seen.append(boards(here))
        await turn(here)
        seen.append(boards(here))
        start, first, second, third = seen

        assert start != first
        assert first == second
        assert second != third
        assert [1, 1, 1, 1] == [len(each) for each in seen]


async def test_it_moves_in_every_turn_that_needs_it(tmp_path: Path) -> None:
    """The turn for which it was last posted is that one turn, not every turn of the same player."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here)
        await turn(here, wait=1)
        await chatter(here, 25)
        await turn(here, wait=10 * MINUTE)
        (first,) = boards(here)
        await turn(here, wait=45 * MINUTE)
        (second,) = boards(here)

        await turn(here)
        (third,) = boards(here)

        assert first == second
        assert second != third


async def test_boards_that_are_behind_at_the_start_are_edited(tmp_path: Path) -> None:
    """A move saved by a bot that died before it could show it stands on the same message after the start."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        (old,) = boards(here)
        start = len(here.env.http_requests)
        await stage(here, final("Y M", "A C", floors=["Y", "Spin"]))
        await here.env.advance_time(1)

        assert [old] == boards(here)
        assert "final round" in said(here.board())
        assert [] == sent(here, "POST", "/messages", start)
        assert 1 == len(sent(here, "PATCH", BOARD, start))


async def test_a_start_with_nothing_to_show_says_nothing(tmp_path: Path) -> None:
    """Restarting three times in a row neither posts nor edits."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        start = len(here.env.http_requests)
        for _ in range(3):
            await here.restart()
            await here.env.advance_time(2)

        assert [] == sent(here, "POST", "/messages", start)
        assert [] == sent(here, "PATCH", BOARD, start)


# --- how often -----------------------------------------------------------------------------------


async def test_at_most_one_edit_a_second_and_the_last_state_is_never_lost(tmp_path: Path) -> None:
    """Forty changes in four seconds make a handful of edits, and the last change stands on the board."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        lobby = await here.open()
        panel = (await here.press(0, lobby, "Options")).response
        clocks = next(menu for menu in selects(panel) if "Turn clock" in menu["options"][0]["label"])
        await here.env.advance_time(3)
        start = len(here.env.http_requests)
        edits = []
        for step in range(40):
            option = clocks["options"][step % len(clocks["options"])]
            await here.choose(0, panel, clocks, option["value"])
            await here.env.advance_time(0.1)
            edits.append(len(sent(here, "PATCH", BOARD, start)))
        await here.env.advance_time(2)
        windows = [later - earlier for earlier, later in zip(edits, edits[9:], strict=False)]

        assert 3 <= edits[-1] <= 5
        assert max(windows) <= 1
        assert option["label"] in said(here.board())


async def test_presses_that_rain_on_a_lobby_end_in_the_truth(tmp_path: Path) -> None:
    """Computers added and removed as fast as anyone can press: the lobby shows what is saved."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        lobby = await here.open()
        start = len(here.env.http_requests)
        for label in ("Add computer", "Add computer", "Remove computer", "Add computer", "Add computer") * 2:
            await here.press(0, lobby, label)
        await here.env.advance_time(3)
        saved = (await here.bot.tables.glance(1)).table

        assert len(sent(here, "PATCH", BOARD, start)) <= 3
        assert f"On the floor: {len(saved.sittings)} of 6" in said(here.board())


# --- calls ---------------------------------------------------------------------------------------


async def test_one_call_when_a_turn_begins(tmp_path: Path) -> None:
    """It names person, game, table and deadline, leads to the board, mentions nobody else, and is the only one."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 3)
        await here.env.advance_time(MINUTE)
        start = len(here.env.http_requests)

        await turn(here)
        who = await mover(here)
        (call,) = calls(here, start)
        (text,) = pings(here)
        links = [part["url"] for part in parts(here.pings()[0]) if part.get("url")]

        assert text.startswith(f"<@{here.people[who].id}> your turn at 💃 Let's Dance, table 1. Turn ends <t:")
        assert [f"https://discord.com/channels/{here.guild.id}/{here.channel.id}/{here.board().id}"] == links
        assert ["My hand"] == labels(here.pings()[0])
        assert {"parse": [], "users": [str(here.people[who].id)]} == {
            key: [str(one) for one in value]
            for key, value in call["allowed_mentions"].items()
            if key in {"parse", "users", "roles"}
        }


async def test_each_call_takes_the_place_of_the_last(tmp_path: Path) -> None:
    """Over many slow turns each person is called once a turn, and one call stands in the channel at a time."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 3)
        await here.env.advance_time(MINUTE)
        called = []
        for _ in range(6):
            start = len(here.env.http_requests)
            await turn(here, wait=MINUTE)
            standing = pings(here)
            who = await mover(here)
            called.append((len(calls(here, start)), len(standing), f"<@{here.people[who].id}>" in standing[0]))

        assert [(1, 1, True)] * 6 == called


async def test_no_call_for_whoever_is_there(tmp_path: Path) -> None:
    """In a quick game, a move within half a minute of one's own last, nobody is called."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2)
        await turn(here)
        await turn(here)
        start = len(here.env.http_requests)
        for _ in range(4):
            await turn(here)

        assert [] == calls(here, start)


async def test_no_call_for_the_host_who_just_started(tmp_path: Path) -> None:
    """Whoever pressed Start looks at the table; anybody else who begins is called."""
    called = {}
    for number in range(6):
        async with world(tmp_path / f"{number}.sqlite3", new_seed=lambda number=number: bytes([number] * 16)) as here:
            await playing(here, 2)
            called.setdefault(await mover(here), []).append(len(calls(here)))

    assert {0, 1} == called.keys()
    assert {0} == set(called[0])
    assert {1} == set(called[1])


async def test_no_second_call_while_the_same_player_goes_on(tmp_path: Path) -> None:
    """Step on Toes and then choosing a card is one turn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2)
        await stage(here, table("Toes Y M", "Spin Fever Down", floors=["Y", "M"], deck="Y M C A Spin Spin"))
        await here.env.advance_time(5 * MINUTE)
        who = await mover(here)
        start = len(here.env.http_requests)
        panel = (await here.press(who, await here.hand(who), "Step on Toes")).response
        await here.press(who, panel, labels(panel)[0])
        await here.env.advance_time(5 * MINUTE)

        assert who == await mover(here)
        assert [] == calls(here, start)


async def test_no_call_for_computers(tmp_path: Path) -> None:
    """Between people's turns computers move; each turn of a person makes one call, to that person."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2, computer_players=2)
        await here.env.advance_time(MINUTE)
        called = []
        for _ in range(4):
            start = len(here.env.http_requests)
            await turn(here, wait=MINUTE)
            who = str(here.people[await mover(here)].id)
            users = [str(user) for call in calls(here, start) for user in call["allowed_mentions"]["users"]]
            called.append([who] == users)

        assert [True] * 4 == called


async def test_no_call_once_the_game_is_over(tmp_path: Path) -> None:
    """The last move calls nobody, and the last call goes."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2)
        await stage(here, final("", ""))
        await here.env.advance_time(MINUTE)
        await here.press(await mover(here), await here.hand(await mover(here)), "Pass")
        await here.env.advance_time(MINUTE)
        called = pings(here)
        start = len(here.env.http_requests)
        await here.press(await mover(here), await here.hand(await mover(here)), "Pass")
        await here.env.advance_time(2)

        assert 1 == len(called)
        assert here.over()
        assert [] == pings(here)
        assert [] == calls(here, start)


async def test_a_call_that_was_owed_when_the_bot_died_is_made_once(tmp_path: Path) -> None:
    """Saved but not sent, it is sent at the next start under the same nonce, and never again."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2)
        await here.env.advance_time(MINUTE)
        here.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
        start = len(here.env.http_requests)
        await turn(here)
        unsent = pings(here)
        tried = [call["nonce"] for call in calls(here, start)]

        for _ in range(3):
            await here.restart()
            await here.env.advance_time(2)
        made = [call["nonce"] for call in calls(here, start)][len(tried) :]

        assert [] == unsent
        assert 1 == len(pings(here))
        assert tried == made
        assert 1 == len(made)


async def test_a_call_that_no_longer_holds_is_dropped(tmp_path: Path) -> None:
    """What was owed for a turn that has passed meanwhile is not sent at the start."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2)
        who = await mover(here)
        seat = (await sitting(here)).index(who)
        await here.bot.close()
        with closing(sqlite3.connect(here.path)) as database, database:
            database.execute("INSERT INTO outbox VALUES ('1-99-0', 1, 'turn', ?1)", (1 - seat,))
        start = len(here.env.http_requests)
        await here.restart()
        await here.env.advance_time(2)

        assert [] == calls(here, start)


async def test_turns_that_passed_unseen_make_one_call(tmp_path: Path) -> None:
    """While the bot may not post, turns go by; allowed again, it calls whose turn it is, and not one a turn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2)
        forbid(here, send_messages=False)
        for _ in range(4):
            await here.env.advance_time(MINUTE)
            await turn(here)
        await here.env.advance_time(MINUTE)
        forbid(here)
        start = len(here.env.http_requests)

        await turn(here)
        who = await mover(here)

        assert 1 <= len(calls(here, start)) <= 2
        assert [f"<@{here.people[who].id}>"] == [text.split()[0] for text in pings(here)]


# --- Discord says no -----------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (403, 50001), (404, 10003), (400, 50035)])
async def test_a_refused_edit_stops_nothing(tmp_path: Path, status: int, code: int) -> None:
    """Moves go on by hand, another table is untouched, no storm of attempts; once allowed the board is true again."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        elsewhere = here.guild.create_text_channel("elsewhere")
        await here.people[3].slash(elsewhere, "letsdance new", computer_players=1)
        lobby = elsewhere.last_message
        here.env.inject_error("PATCH", f"/channels/{here.channel.id}/*", status=status, code=code, times=None)
        start = len(here.env.http_requests)
        for _ in range(4):
            await turn(here)
        await here.press(3, lobby, "Start")
        await here.env.advance_time(10 * MINUTE)
        tried = len(sent(here, "PATCH", f"/channels/{here.channel.id}/messages", start))
        here.env.backend.faults.clear()
        await turn(here)

        assert tried <= 10
        assert "to dance" in " ".join(said(message) for message in elsewhere.history())
        assert here.to_act() == await mover(here)


async def test_a_fault_of_discord_is_waited_out(tmp_path: Path) -> None:
    """While it answers 500 the bot tries now and then, and shows the last state once it can, without a further move."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        here.env.inject_error("PATCH", f"/channels/{here.channel.id}/*", status=500, times=None)
        start = len(here.env.http_requests)
        await turn(here)
        await turn(here)
        await here.env.advance_time(2 * MINUTE)
        tried = len(sent(here, "PATCH", BOARD, start))
        here.env.backend.faults.clear()
        await here.env.advance_time(MINUTE)

        assert 2 <= tried <= 40
        assert "round 2" in said(here.board())
        assert here.to_act() == await mover(here)


async def test_a_network_that_fails_is_waited_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the connection breaks for a while, the last state is shown once it is back, without a further move."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        request = here.bot.http.request
        broken = True

        async def flaky(route: discord.http.Route, **options: Any) -> Any:
            if broken and route.method == "PATCH" and "/messages/" in route.path:
                raise ConnectionResetError
            return await request(route, **options)

        monkeypatch.setattr(here.bot.http, "request", flaky)
        await turn(here)
        await here.env.advance_time(10)
        broken = False
        await here.env.advance_time(10)

        assert here.to_act() == await mover(here)


async def test_without_permission_the_next_command_names_it(tmp_path: Path) -> None:
    """A bot that may not post here any more says what it lacks, to whoever asks for a table."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        forbid(here, send_messages=False)
        shown = said((await here.people[1].slash(here.channel, "table show")).response)
        opened = said((await here.people[1].slash(here.channel, "letsdance new")).response)
        forbid(here, view_channel=False, send_messages=False)
        hidden = said((await here.people[1].slash(here.channel, "letsdance new")).response)

        assert "I may not post here. Ask an admin to allow me: Send Messages." in shown
        assert "✋ I may not post here. Ask an admin to allow me: Send Messages." == opened
        assert "✋ I may not post here. Ask an admin to allow me: View Channel, Send Messages." == hidden


async def test_a_deleted_channel_harms_no_other_table(tmp_path: Path) -> None:
    """With its channel gone a game can still be ended by number, and other tables play on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        elsewhere = here.guild.create_text_channel("elsewhere")
        await here.people[3].slash(elsewhere, "letsdance new", computer_players=1)
        await here.press(3, elsewhere.last_message, "Start")
        here.env.backend.delete_channel(elsewhere.id)
        await here.env.advance_time(MINUTE)
        await here.open(who=1)
        await here.press(2, here.board(2), "Join")
        asked = (await here.people[3].slash(here.channel, "table end", number=1)).response
        ended = said((await here.press(3, asked, "End it")).response)
        await here.env.advance_time(MINUTE)
        start = len(here.env.http_requests)
        await here.env.advance_time(HOUR / 2)

        assert "✅ Table 1 has ended." == ended
        assert "2 of 6" in said(here.board(2))
        assert [] == sent(here, "PATCH", BOARD, start)

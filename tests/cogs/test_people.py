"""People at a table as users see it: warned, away, back, kicked, substituted, gone, called where they like."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.core.table import Table
from tests.cogs.players import random_turn
from tests.cogs.staging import admin, forbid, said, sent, sitting, stage
from tests.cogs.test_settings import pick, settings
from tests.cogs.world import World, knobs, labels, selects, words, world
from tests.rules.lets_dance.build import table as build

SEED = bytes(range(16))
MINUTE = 60
HOUR = 3600
DAY = 24 * HOUR


@pytest.fixture(autouse=True)
def no_job_fails(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever people do, nothing breaks behind their backs."""
    yield
    broken = [r.getMessage() for r in caplog.get_records("call") if r.levelname == "ERROR"]
    assert [] == broken


async def table(here: World, table_id: int = 1) -> Table:
    """Return the table as it is."""
    return (await here.bot.tables.glance(table_id)).table


async def mover(here: World, table_id: int = 1) -> int:
    """Return the index of the person whose turn it is, -1 for a computer."""
    (seat,) = (await table(here, table_id)).to_act
    return (await sitting(here, table_id))[seat]


async def calm(here: World, people: int = 2, *, computers: int = 0, **options: Any) -> int:
    """Have a game go on in which every move is a whole turn; return whose turn it is."""
    await here.open(computer_players=computers, **options)
    await here.start(people)
    await here.env.advance_time(2)
    hands = ["Y M C A Worm"] * (people + computers)
    await stage(here, build(*hands, deck="Down Cowboy Y M C A " * 12))
    await here.env.advance_time(2)
    return await mover(here)


async def move(here: World, who: int, wait: float = 2) -> None:
    """Have somebody make a move from `/hand`."""
    panel = (await here.people[who].slash(here.channel, "hand")).response
    await random_turn(here, who, random.Random(5), panel=panel)
    if wait:
        await here.env.advance_time(wait)


async def fall_asleep(here: World, who: int, clock: float = HOUR) -> None:
    """Let the clock end three turns of somebody in a row, while the others move; it is another's turn then."""
    seat = (await sitting(here)).index(who)
    for _ in range(20):
        if (await table(here)).away(seat):
            return
        actor = await mover(here)
        if actor == who:
            await here.env.advance_time(clock + 1)
        elif actor < 0:
            await here.env.advance_time(3)
        else:
            await move(here, actor)
    raise AssertionError("nobody goes away")


def posts(here: World, text: str, start: int = 0) -> list[Any]:
    """Return the payloads of the messages with these words that were posted since request *start*."""
    return [request.json for request in sent(here, "POST", "/messages", start) if text in str(request.json)]


def called(payload: Any) -> list[str]:
    """Return the ids of whom a payload pings."""
    return [str(user_id) for user_id in payload["allowed_mentions"].get("users", [])]


def standing(here: World, text: str) -> Any:
    """Return the one message with these words that stands in the channel."""
    (found,) = [message for message in here.messages() if text in said(message)]
    return found


async def command(here: World, who: int, name: str, **options: Any) -> str:
    """Type a command and return what the answer says."""
    return said((await here.people[who].slash(here.channel, name, **options)).response)


async def direct(here: World, who: int) -> None:
    """Have somebody choose to be called by direct message."""
    await pick(here, who, await settings(here, who), "Your pings", "By direct message")


# --- half-time -----------------------------------------------------------------------------------


async def test_half_the_time_is_one_ping_on_a_long_clock(tmp_path: Path) -> None:
    """On an hour's clock the person is called once in place of the first call, even if the bot restarts."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await move(here, who)
        other = await mover(here)
        await here.env.advance_time(25 * MINUTE)
        early = posts(here, "half your time")
        await here.env.advance_time(10 * MINUTE)
        await here.restart()
        await here.env.advance_time(10 * MINUTE)
        warnings = posts(here, "half your time")
        shown = standing(here, "half your time")

        assert [] == early
        assert [[str(here.people[other].id)]] == [called(payload) for payload in warnings]
        assert "A computer moves for you <t:" in said(shown)
        assert [] == here.pings()
        assert "⏳ Half the time is gone. A computer moves <t:" in said(here.board())


async def test_a_warning_that_came_due_while_the_bot_was_off_comes_at_its_start(tmp_path: Path) -> None:
    """Half-time passes during the stop: one warning, late."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here, turn_clock=60)
        await here.bot.close()
        here.env.backend.advance_clock(40 * MINUTE)
        await here.restart()
        await here.env.advance_time(2)

        assert 1 == len(posts(here, "half your time"))


async def test_half_the_time_is_a_line_on_the_board_of_a_short_clock(tmp_path: Path) -> None:
    """On five minutes nobody is called; the board says it, and a move wipes it away."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=5)
        before = said(here.board())
        await here.env.advance_time(3 * MINUTE)
        half = said(here.board())
        await move(here, who)

        assert "Half the time" not in before
        assert "⏳ Half the time is gone. A computer moves <t:" in half
        assert "Half the time" not in said(here.board())
        assert [] == posts(here, "half your time")


# --- away and back -------------------------------------------------------------------------------


async def test_a_computer_moves_when_the_clock_ends(tmp_path: Path) -> None:
    """The board says why, the next person is called, and the seat stays a person's."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await here.env.advance_time(HOUR + 2)

        assert who != await mover(here)
        assert "Time ran out, so a computer moved" in said(here.board())
        assert "(away)" not in said(here.board())
        assert who in await sitting(here)


async def test_the_clock_ends_once_though_the_bot_was_off(tmp_path: Path) -> None:
    """A turn that ended during a stop is moved at the start, and the next one has its whole time."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await here.bot.close()
        here.env.backend.advance_clock(5 * HOUR)
        await here.restart()
        await here.env.advance_time(2)
        after = await mover(here)
        await here.env.advance_time(HOUR - 10)

        assert who != after
        assert after == await mover(here)


async def test_after_three_turns_the_computer_keeps_the_seat(tmp_path: Path) -> None:
    """The board marks it and offers I'm back, a message says so; the computer plays at its pace without a ping."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await fall_asleep(here, who)
        await here.env.advance_time(2)
        board, buttons = said(here.board()), labels(here.board())
        back = [
            message for message in here.messages() if message.id != here.board().id and "I'm back" in labels(message)
        ]
        start = len(here.env.http_requests)
        other = await mover(here)
        await move(here, other, wait=4)

        assert f"{here.names[who]} (away)" in board
        assert "I'm back" in buttons
        assert 1 == len(back)
        assert other == await mover(here)
        assert [] == [call for call in posts(here, "your turn at", start) if str(here.people[who].id) in called(call)]
        here.check_sizes()


async def test_the_call_of_the_next_person_stays(tmp_path: Path) -> None:
    """When one goes away and another's turn begins, one message says both; no call is deleted by the news."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        other = 1 - who
        await fall_asleep(here, who)
        await here.env.advance_time(2)
        (call,) = here.pings()

        assert f"<@{here.people[other].id}> your turn at" in said(call)
        assert f"A computer plays for {here.names[who]} until they are back." in said(call)
        assert "I'm back" in labels(call)


async def test_news_of_somebody_away_comes_alone_when_nobody_is_called(tmp_path: Path) -> None:
    """With pings off by choice of the next person the message stands by itself."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        other = 1 - who
        await pick(here, other, await settings(here, other), "Your pings", "Not at all")
        await fall_asleep(here, who)
        await here.env.advance_time(2)
        news = standing(here, "Three turns of")

        assert f"A computer keeps the seat until {here.names[who]} is back." in said(news)
        assert ["I'm back"] == labels(news)
        assert [] == here.pings()


@pytest.mark.parametrize("where", ["message", "board"])
async def test_im_back_gives_the_seat_back(tmp_path: Path, where: str) -> None:
    """Pressed below the message or the board, even after a restart: the hand opens, the clock runs anew."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await fall_asleep(here, who)
        await here.env.advance_time(2)
        await here.restart()
        await here.env.advance_time(2)
        pressed = here.board() if where == "board" else here.pings()[0]

        hand = (await here.press(who, pressed, "I'm back")).response
        await here.env.advance_time(2)
        again = said((await here.press(who, pressed, "I'm back")).response) if where == "message" else ""
        await move(here, await mover(here))
        await here.env.advance_time(HOUR / 4)

        assert hand.ephemeral
        assert "Your hand" in said(hand)
        assert "(away)" not in said(here.board())
        assert "I'm back" not in labels(here.board())
        assert who == await mover(here)
        assert again in ("", "✋ You are not away: your seat is yours.")


async def test_im_back_is_for_whoever_is_away(tmp_path: Path) -> None:
    """Others are refused, at the table or not, and the seat stays the computer's."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await fall_asleep(here, who)
        await here.env.advance_time(2)

        other = said((await here.press(1 - who, here.board(), "I'm back")).response)
        stranger = said((await here.press(5, here.board(), "I'm back")).response)

        assert "✋ You are not away: your seat is yours." == other
        assert stranger.startswith("✋ You do not sit at this table.")
        assert "(away)" in said(here.board())


async def test_whoever_moves_is_back(tmp_path: Path) -> None:
    """A move before the computer's ends being away as well."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await fall_asleep(here, who)
        await here.env.advance_time(2)
        await move(here, 1 - who, wait=0)

        await move(here, who)

        assert "(away)" not in said(here.board())
        assert f"{here.names[who]} is back." in said(here.board())


async def test_everybody_away_the_game_plays_itself_out(tmp_path: Path) -> None:
    """Computers finish what people forgot, and nobody is called any more."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(turn_clock=1)
        await here.start(2)
        for _ in range(60):
            if here.over():
                break
            await here.env.advance_time(5 * MINUTE)

        assert here.over()
        assert "Party's over!" in said(here.board())
        assert [] == labels(here.board())
        assert [] == here.pings()


# --- kick ----------------------------------------------------------------------------------------


async def test_the_host_kicks(tmp_path: Path) -> None:
    """A computer dances on, the board says that they had to go, and their hand is closed to them."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.start(3)
        told = await command(here, 0, "table kick", player=here.people[2])
        await here.env.advance_time(2)

        assert "✅ Kapitän Wackelknie has left table 1." == told
        assert "Kapitän Wackelknie had to go; Disco Dot (computer) dances on." in said(here.board())
        assert 2 not in await sitting(here)
        assert (await command(here, 2, "hand")).startswith("✋ You sit at no table here.")


async def test_an_admin_kicks_the_host(tmp_path: Path) -> None:
    """Whoever manages the server may, without sitting there; the next person is host then."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.start(3)
        here.people.append(admin(here))

        told = await command(here, 6, "table kick", player=here.people[0])

        assert "✅ Ana Banana has left table 1." == told
        assert here.people[1].id == (await table(here)).host_id


async def test_others_cannot_kick(tmp_path: Path) -> None:
    """Players and strangers are refused, and nobody goes."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.start(3)

        player = await command(here, 1, "table kick", player=here.people[2])
        stranger = await command(here, 5, "table kick", player=here.people[2])

        assert ["✋ Only the host of this table can do that."] * 2 == [player, stranger]
        assert 2 in await sitting(here)


async def test_nobody_kicks_themselves_or_somebody_who_is_not_there(tmp_path: Path) -> None:
    """The refusals say what to do instead."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.start(2)

        own = await command(here, 0, "table kick", player=here.people[0])
        absent = await command(here, 0, "table kick", player=here.people[4])

        assert "✋ To go yourself, use `/table leave`." == own
        assert "✋ They do not sit at this table." == absent


async def test_a_kick_in_the_lobby_frees_the_seat(tmp_path: Path) -> None:
    """The lobby shows it, and they may come back."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(1, here.board(), "Join")
        await command(here, 0, "table kick", player=here.people[1])
        await here.env.advance_time(2)
        empty = said(here.board())
        await here.press(1, here.board(), "Join")

        assert "1 of 6" in empty
        assert "Bea" not in empty
        assert "2 of 6" in said(here.board())


async def test_somebody_who_has_left_the_server_can_be_kicked(tmp_path: Path) -> None:
    """Discord still knows them by id."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(turn_clock=0)
        await here.start(3)
        gone = here.people[2].user
        here.guild.remove_member(here.people[2])

        told = await command(here, 0, "table kick", player=gone)

        assert "✅ Kapitän Wackelknie has left table 1." == told


# --- substitute ----------------------------------------------------------------------------------


async def seat_of(here: World, who: int) -> int:
    """Return the number before somebody's name on the board."""
    return (await sitting(here)).index(who) + 1


async def test_a_substitute_gets_hand_score_and_a_call(tmp_path: Path) -> None:
    """The newcomer is called and sees the very cards; the old owner's panel is refused and learns nothing."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        leaver = await calm(here)
        panel = await here.hand(leaver)
        cards = [knob["label"] for knob in knobs(panel)]
        (knob, *_) = knobs(panel)
        seat = await seat_of(here, leaver)

        told = await command(here, 0, "table substitute", seat=seat, newcomer=here.people[4])
        await here.env.advance_time(2)
        (call,) = here.pings()
        hand = await here.hand(4)
        old = said((await here.people[leaver].click(panel.message, custom_id=knob["custom_id"])).response)
        fresh = said((await here.press(leaver, here.board(), "My hand")).response)

        assert told.endswith(f"sits in seat {seat} of table 1 now.")
        assert f"<@{here.people[4].id}> your turn at" in said(call)
        assert cards == [knob["label"] for knob in knobs(hand)]
        assert old.startswith("✋ You do not sit at this table.")
        assert fresh.startswith("✋ You do not sit at this table.")
        assert 4 in await sitting(here)


async def test_a_substitute_whose_turn_it_is_not_is_called_as_well(tmp_path: Path) -> None:
    """Once, with a door to the hand, and the others' call is not lost for it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        other = 1 - await calm(here)
        seat = await seat_of(here, other)
        await command(here, 0, "table substitute", seat=seat, newcomer=here.people[4])
        await here.env.advance_time(2)
        call = standing(here, "you take over a seat at")
        hand = (await here.press(4, call, "My hand")).response

        assert f"<@{here.people[4].id}> you take over a seat at" in said(call)
        assert [[str(here.people[4].id)]] == [called(payload) for payload in posts(here, "you take over")]
        assert "Your hand" in said(hand)


async def test_a_substitute_whose_turn_it_is_has_the_whole_clock(tmp_path: Path) -> None:
    """Called for the turn at once, with a fresh deadline."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await here.env.advance_time(50 * MINUTE)
        await command(here, 0, "table substitute", seat=await seat_of(here, who), newcomer=here.people[4])
        await here.env.advance_time(20 * MINUTE)
        (call,) = here.pings()

        assert f"<@{here.people[4].id}> your turn at" in said(call)
        assert 4 == await mover(here)


async def test_a_substitute_for_a_computer(tmp_path: Path) -> None:
    """The computer's seat becomes a person's, who may act from then on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here, 1, computers=1)
        seat = await seat_of(here, -1)

        await command(here, 0, "table substitute", seat=seat, newcomer=here.people[3])
        await here.env.advance_time(2)

        assert "(computer)" not in said(here.board()).split("Just now")[0]
        assert "Your hand" in said(await here.hand(3))


async def test_a_substitute_for_the_host(tmp_path: Path) -> None:
    """An admin may; the rights go to whoever came first, not to the newcomer."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here, 3)
        here.people.append(admin(here))

        await command(here, 6, "table substitute", seat=await seat_of(here, 0), newcomer=here.people[4])
        newcomer = await command(here, 4, "table kick", player=here.people[2])
        heir = await command(here, 1, "table kick", player=here.people[2])

        assert "✋ Only the host of this table can do that." == newcomer
        assert heir.startswith("✅")


async def test_who_cannot_take_a_seat(tmp_path: Path) -> None:
    """Bots, people from outside or there already, seats that do not exist, lobbies, askers without the right."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        early = await command(here, 0, "table substitute", seat=1, newcomer=here.people[4])
        await here.start(2)
        absent = here.env.create_user("nobody", global_name="Nobody")
        machine = here.guild.add_member(here.env.create_user("beep", bot=True))
        before = await sitting(here)

        bot = await command(here, 0, "table substitute", seat=2, newcomer=machine)
        stranger = await command(here, 0, "table substitute", seat=2, newcomer=absent)
        twice = await command(here, 0, "table substitute", seat=2, newcomer=here.people[1])
        wrong = await command(here, 0, "table substitute", seat=3, newcomer=here.people[4])
        other = await command(here, 1, "table substitute", seat=1, newcomer=here.people[4])

        assert early.startswith("✋ The game has not begun yet")
        assert "✋ A bot cannot dance. For a computer player use `/table kick`." == bot
        assert "✋ They are not in this server. Invite them first." == stranger
        assert twice.startswith("✋")
        assert "already" in twice
        assert "✋ There is no such seat at this table." == wrong
        assert "✋ Only the host of this table can do that." == other
        assert before == await sitting(here)


async def test_a_substitute_for_somebody_away_plays_at_once(tmp_path: Path) -> None:
    """The seat is a person's again: no mark, no I'm back, and the newcomer is called when the turn comes."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await fall_asleep(here, who)
        here.people.append(admin(here))
        await command(here, 6, "table substitute", seat=await seat_of(here, who), newcomer=here.people[4])
        await here.env.advance_time(MINUTE)
        await move(here, 1 - who)
        (call,) = here.pings()

        assert "(away)" not in said(here.board())
        assert "I'm back" not in [*labels(here.board()), *labels(call)]
        assert f"<@{here.people[4].id}> your turn at" in said(call)


# --- the host ------------------------------------------------------------------------------------


async def test_check_e5_the_host_hands_over_in_the_lobby(tmp_path: Path) -> None:
    """Whoever joined first of the others starts the game; the last one out closes the lobby."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(1, here.board(), "Join")
        await here.press(2, here.board(), "Join")
        await here.press(0, here.board(), "Leave")
        late = said((await here.press(2, here.board(), "Start")).response)
        lobby = said(here.board())
        await here.press(1, here.board(), "Start")
        started = said(here.board())

        assert "✋ Only the host of this table can do that." == late
        assert "host Bea" in lobby
        assert "👉" in started


# --- gone from the server ------------------------------------------------------------------------


async def test_check_e1_at_their_turn_somebody_gone_is_replaced(tmp_path: Path) -> None:
    """With the clock on, the lookup at the turn finds it: a computer takes over within seconds, nobody is pinged."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, 3, turn_clock=720)
        seats = await sitting(here)
        gone = seats[1]
        here.guild.remove_member(here.people[gone])
        start = len(here.env.http_requests)
        await move(here, who, wait=6)

        assert seats[2] == await mover(here)
        assert gone not in await sitting(here)
        assert f"{here.names[gone]} left; Disco Dot (computer) dances on." in said(here.board())
        assert [] == [call for call in posts(here, "<@", start) if str(here.people[gone].id) in str(call)]


async def test_check_e1_without_a_clock_nobody_gone_stalls_the_table(tmp_path: Path) -> None:
    """Also whoever left in the middle of their own turn is found within the hour, after a restart too."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, 3, turn_clock=0)
        seats = await sitting(here)
        here.guild.remove_member(here.people[who])
        await here.restart()
        await here.env.advance_time(HOUR + 10)

        assert who not in await sitting(here)
        assert seats[1] == await mover(here)


async def test_check_e1_somebody_who_moved_and_left_is_found_without_a_call(tmp_path: Path) -> None:
    """Whoever moved a moment ago gets no call, so nobody looks at the turn; the later look finds it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=0)
        other = 1 - who
        await move(here, who)
        here.guild.remove_member(here.people[who])
        await move(here, other)
        waiting = await mover(here)
        await here.env.advance_time(HOUR + 10)

        assert who == waiting
        assert other == await mover(here)


async def test_with_everybody_gone_the_table_ends(tmp_path: Path) -> None:
    """One after the other is found to be gone, and the last one closes it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here, turn_clock=0)
        for who in (0, 1):
            here.guild.remove_member(here.people[who])
        await here.env.advance_time(3 * HOUR)

        assert "Everybody has left: the game ends without a ranking." in said(here.board())


async def test_somebody_here_is_never_taken_for_gone(tmp_path: Path) -> None:
    """A day of waiting without a clock, and Discord failing at the lookup, cost nobody the seat."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=0)
        here.env.inject_error("GET", "/guilds/*/members/*", status=500, times=8)
        here.env.inject_error("GET", "/guilds/*/members/*", status=403, code=50001, times=2)
        await here.env.advance_time(DAY)

        assert who == await mover(here)


async def test_a_deleted_user_is_replaced(tmp_path: Path) -> None:
    """Discord says *unknown user*, and the game goes on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, 3, turn_clock=0)
        gone = (await sitting(here))[1]
        path = f"/guilds/*/members/{here.people[gone].id}"
        here.env.inject_error("GET", path, status=404, code=10013, times=None)
        await move(here, who, wait=6)

        assert gone not in await sitting(here)
        assert (await sitting(here))[2] == await mover(here)


# --- called where they like ----------------------------------------------------------------------


async def test_a_call_by_direct_message(tmp_path: Path) -> None:
    """It comes with how to stop it and opens the hand; the channel's last call is taken away, none is added."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        other = 1 - who
        await direct(here, other)
        start = len(here.env.http_requests)
        await here.env.advance_time(MINUTE)
        await move(here, who)
        (letter,) = here.people[other].user.dm_channel.history()
        knob = next(knob for knob in knobs(letter) if knob["label"] == "My hand")
        hand = (await here.people[other].user.click(letter, custom_id=knob["custom_id"])).response

        assert "your turn at 💃 Let's Dance, table 1. Turn ends <t:" in said(letter)
        assert "To stop them: `/settings` in the server." in said(letter)
        assert [] == here.pings()
        assert "Your hand" in said(hand)
        assert 1 == len(posts(here, "your turn at", start))


async def test_a_warning_goes_the_same_way(tmp_path: Path) -> None:
    """Half-time is told by direct message as well."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await direct(here, who)
        await here.env.advance_time(31 * MINUTE)
        (letter,) = here.people[who].user.dm_channel.history()

        assert "half your time is gone" in said(letter)
        assert "To stop them" in said(letter)
        assert [] == [message for message in here.messages() if "half your time" in said(message)]


async def test_check_h7_closed_direct_messages_fall_back_to_the_channel(tmp_path: Path) -> None:
    """When nobody takes direct messages everyone is called in the channel, and the game goes on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, 3, turn_clock=60)
        seats = await sitting(here)
        for person in seats:
            await direct(here, person)
            path = f"/channels/{here.people[person].user.dm_channel.id}/messages"
            here.env.inject_error("POST", path, status=403, code=50007, times=None)
        heard = []
        for person in (who, *seats[1:]):
            await here.env.advance_time(MINUTE)
            await move(here, person)
            (call,) = here.pings()
            heard.append(next(other for other in seats if f"<@{here.people[other].id}>" in said(call)))

        assert [seats[1], seats[2], seats[0]] == heard


async def test_whoever_wants_no_call_gets_none(tmp_path: Path) -> None:
    """Neither for the turn nor at half-time, and nobody else's call is left standing for them."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        other = 1 - who
        await move(here, who)
        await here.env.advance_time(MINUTE)
        await pick(here, who, await settings(here, who), "Your pings", "Not at all")
        start = len(here.env.http_requests)
        await move(here, other)
        await here.env.advance_time(40 * MINUTE)

        assert who == await mover(here)
        assert [] == posts(here, "<@", start)
        assert [] == here.pings()


async def test_a_server_without_pings_calls_nobody(tmp_path: Path) -> None:
    """The server's *off* goes before what people chose."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=60)
        await direct(here, 1 - who)
        here.people.append(admin(here))
        await pick(here, 6, await settings(here, 6), "Pings", "Pings: off, nobody is called")
        start = len(here.env.http_requests)
        await here.env.advance_time(MINUTE)
        await move(here, who)
        await here.env.advance_time(40 * MINUTE)

        assert [] == posts(here, "<@", start)


async def test_a_channel_closed_to_the_bot_keeps_no_direct_message_back(tmp_path: Path) -> None:
    """A call that cannot go to the channel stands in nobody else's way, and is made up for later."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, 3, turn_clock=60)
        _, other, third = await sitting(here)
        await direct(here, other)
        forbid(here, send_messages=False)
        await command(here, 0, "table substitute", seat=await seat_of(here, third), newcomer=here.people[4])
        await here.env.advance_time(MINUTE)
        await move(here, who)
        letters = here.people[other].user.dm_channel.history()
        forbid(here)
        await command(here, other, "hand")
        await here.env.advance_time(2)

        assert 1 == len(letters)
        assert "your turn at" in said(letters[0])
        assert f"<@{here.people[4].id}> you take over" in said(standing(here, "you take over"))


# --- forgotten -----------------------------------------------------------------------------------


async def test_a_game_that_nobody_touches_is_closed_with_a_word(tmp_path: Path) -> None:
    """After 14 days a message in the channel says so, the board has no buttons, and no call stands."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        who = await calm(here, turn_clock=0)
        await here.env.advance_time(DAY)
        await move(here, who)
        await here.env.advance_time(13 * DAY)
        running = not here.over()
        await here.restart()
        await here.env.advance_time(DAY + MINUTE)
        word = [message for message in here.messages() if "table 1: Nobody has touched this table" in said(message)]

        assert running
        assert 1 == len(word)
        assert [] == labels(here.board())
        assert [] == here.pings()


async def test_a_game_forgotten_while_the_bot_was_off_is_closed_at_the_start(tmp_path: Path) -> None:
    """Turn clock and idle time ended both meanwhile: the board is the closed one, and the word comes once."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await calm(here, turn_clock=60)
        await here.bot.close()
        here.env.backend.advance_clock(15 * DAY)
        await here.restart()
        await here.env.advance_time(MINUTE)

        assert 1 == len(posts(here, "table 1: Nobody has touched this table"))
        assert [] == labels(here.board())
        assert [] == list(await here.bot.store.owed())


async def test_a_lobby_that_nobody_joins_is_closed_with_a_word(tmp_path: Path) -> None:
    """An hour after the last one came; its buttons are gone."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.env.advance_time(50 * MINUTE)
        await here.press(1, here.board(), "Join")
        await here.env.advance_time(50 * MINUTE)
        opened = labels(here.board())
        await here.env.advance_time(11 * MINUTE)
        word = [message for message in here.messages() if "table 1: Nobody came for an hour" in said(message)]

        assert "Join" in opened
        assert 1 == len(word)
        assert "Table 1 · closed" in "".join(words(message) for message in here.messages())
        assert [] == [knob for message in here.messages() for knob in (*knobs(message), *selects(message))]

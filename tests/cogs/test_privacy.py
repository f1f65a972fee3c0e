"""What people can learn and erase about themselves."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules.core.codec import dump_record
from rules.core.replay import replay
from rules.core.table import Join, Person
from rules.core.tables import Cause
from tests.cogs.players import random_turn
from tests.cogs.world import World, labels, words, world

NAMES = ("Ana Banana", "Bea Bossanova", "Kapitän Wackelknie", "Dora Dancefever")
ANA, BEA, CAP, DORA = range(4)
SEED = bytes(range(16))


async def my_data(here: World, who: int) -> tuple[Any, dict[str, Any]]:
    """Type `/my-data` and return the answer and the content of its file."""
    answer = (await here.people[who].slash(here.channel, "my-data")).response
    (file,) = answer.attachments
    return answer, json.loads(await file.read())


async def forget(here: World, who: int) -> Any:
    """Type `/forget-me`, press the red button and return what came back."""
    asked = (await here.people[who].slash(here.channel, "forget-me")).response
    return (await here.press(who, asked, "Forget me")).response


async def some_turns(here: World, count: int, seed: int = 1) -> None:
    """Have people dance at table 1."""
    dice = random.Random(seed)
    for _ in range(count):
        if not here.over():
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(1)


def everything(path: Path) -> bytes:
    """Return all bytes of the database, those of its WAL included."""
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name))


async def check_replays(here: World, table_id: int) -> None:
    """Play a table again from its log and compare it with what is kept, to the byte."""
    snapshot = await here.bot.store.load(table_id)
    assert snapshot is not None
    game = here.bot.games[snapshot.game]
    rows = await here.bot.store.log(table_id)
    assert snapshot.body == dump_record(game, replay(game, rows, snapshot.seed))


async def test_privacy_says_what_is_kept_and_how_to_be_rid_of_it(tmp_path: Path) -> None:
    """One private page names the data, the place, the time and both commands."""
    async with world(tmp_path / "game.sqlite3", NAMES) as here:
        answer = (await here.people[ANA].slash(here.channel, "privacy")).response

        assert answer.ephemeral
        for word in ("user id", "database", "30 days", "/my-data", "/forget-me"):
            assert word in words(answer)
        here.check_sizes()


async def test_check_n2_my_data_is_all_of_mine_and_nothing_of_others(tmp_path: Path) -> None:
    """The file has role, name, settings and every own input; no other person's id or name, no secret of the table."""
    async with world(tmp_path / "game.sqlite3", NAMES, new_seed=lambda: SEED) as here:
        await here.open()
        await here.start(3)
        await some_turns(here, 8)
        await here.bot.settings.set_pings(here.people[BEA].id, "none")

        answer, data = await my_data(here, BEA)

        assert answer.ephemeral
        assert "dancefloor-my-data.json" == answer.attachments[0].filename
        assert str(here.people[BEA].id) == data["user"]
        assert "none" == data["pings"]
        (table,) = data["tables"]
        assert (1, "player", ["Bea Bossanova"], True) == (
            table["table"],
            table["role"],
            table["names"],
            table["running"],
        )
        own = [row for row in await here.bot.store.log(1) if str(here.people[BEA].id).encode() in row.input]
        assert len(own) == len(table["inputs"]) > 2
        assert {"Join", "Act"} == {entry["input"]["type"] for entry in table["inputs"]}
        text = json.dumps(data, ensure_ascii=False)
        for other in (ANA, CAP, DORA):
            assert str(here.people[other].id) not in text
            assert NAMES[other] not in text
        assert SEED.hex() not in text


async def test_my_data_of_a_stranger_is_empty(tmp_path: Path) -> None:
    """Whoever only watched finds nothing but their own id."""
    async with world(tmp_path / "game.sqlite3", NAMES) as here:
        await here.open()
        await here.start(2)

        _, data = await my_data(here, DORA)

        expected = {"user": str(here.people[DORA].id), "pings": None, "server_settings_changed": [], "tables": []}
        assert expected == data


async def test_asking_to_be_forgotten_does_nothing_yet(tmp_path: Path) -> None:
    """The command says what will happen and how much, and waits for the red button."""
    async with world(tmp_path / "game.sqlite3", NAMES) as here:
        await here.open()
        await here.start(2)

        asked = (await here.people[BEA].slash(here.channel, "forget-me")).response

        assert asked.ephemeral
        assert ["Forget me"] == labels(asked)
        assert "You leave the one table" in words(asked)
        assert "cannot be undone" in words(asked)
        assert here.people[BEA].id in (await here.bot.tables.glance(1)).table.people


async def test_check_n2_forgotten_in_the_middle_of_a_game(tmp_path: Path) -> None:
    """A computer takes over, the board knows Somebody, no byte knows who it was, and the others dance to the end."""
    path = tmp_path / "game.sqlite3"
    async with world(path, NAMES) as here:
        await here.open()
        await here.start(3)
        await some_turns(here, 4)
        await here.bot.settings.set_pings(here.people[BEA].id, "none")
        bea = here.people[BEA].id

        done = await forget(here, BEA)
        await here.env.advance_time(3)

        assert "you are forgotten" in words(done)
        assert "left the one table" in words(done)
        assert [] == labels(done)
        assert "Bea" not in words(here.board())
        assert "Somebody left" in words(here.board())
        assert "channel" == await here.bot.settings.pings_of(bea)
        assert {"user": str(bea), "pings": None, "server_settings_changed": [], "tables": []} == (
            await my_data(here, BEA)
        )[1]

        dice = random.Random(5)
        for _ in range(300):
            if here.over():
                break
            await here.env.advance_time(3)
            if not here.over() and "(computer)" not in _turn(here):
                await random_turn(here, here.to_act(), dice)
        await here.env.advance_time(3)

        assert "🏆" in words(here.board())
        assert "Bea" not in words(here.board())
        await check_replays(here, 1)
        assert b"Bossanova" not in everything(path)
        assert str(bea).encode() not in everything(path)
        assert NAMES[CAP].encode() in everything(path)


def _turn(here: World) -> str:
    """Return the line of the board that says whose turn it is."""
    return next((row for row in words(here.board()).splitlines() if row.startswith("###")), "")


async def test_check_n2_forgotten_after_the_end(tmp_path: Path) -> None:
    """A finished game keeps its result with Somebody in it, and can still be replayed and checked."""
    path = tmp_path / "game.sqlite3"
    async with world(path, NAMES) as here:
        await here.open()
        await here.start(2)
        await some_turns(here, 400)
        before = (await here.bot.tables.glance(1)).table
        ana = here.people[ANA].id

        done = await forget(here, ANA)
        after = (await here.bot.tables.glance(1)).table

        assert "left" not in words(done).split("Done")[1].split("Your settings")[0]
        assert here.over()
        assert (before.places, before.scores, before.seed) == (after.places, after.scores, after.seed)
        assert {"Somebody", NAMES[BEA]} == {who.name for who in after.sittings}
        assert -1 == after.host_id
        await check_replays(here, 1)
        assert b"Ana Banana" not in everything(path)
        assert str(ana).encode() not in everything(path)


async def test_the_last_one_out_is_forgotten_as_well(tmp_path: Path) -> None:
    """Alone with computers, or in a lobby, the table closes and its message names nobody any more."""
    path = tmp_path / "game.sqlite3"
    async with world(path, NAMES) as here:
        await here.open(computer_players=2)
        await here.press(ANA, here.board(), "Start")
        await here.env.advance_time(3)
        await here.open()

        done = await forget(here, ANA)
        await here.env.advance_time(3)

        assert "left the 2 tables" in words(done)
        for table_id in (1, 2):
            assert "over" == (await here.bot.tables.glance(table_id)).table.phase
            assert "Ana" not in words(here.board(table_id))
            await check_replays(here, table_id)
        assert b"Ana Banana" not in everything(path)


async def test_forgotten_in_every_server_and_by_direct_message(tmp_path: Path) -> None:
    """Said to the bot alone, it goes for all servers: seats are left there and the log of settings knows nobody."""
    path = tmp_path / "game.sqlite3"
    async with world(path, NAMES) as here:
        second = here.env.create_guild("The Other Hall")
        floor = second.create_text_channel("floor")
        abroad = second.add_member(here.people[ANA].user)
        await here.open()
        await here.press(BEA, here.board(), "Join")
        await abroad.slash(floor, "letsdance new")
        await here.bot.settings.set_server(second.id, "pings", "off", by=abroad.id, at_ms=1_000)
        user = here.people[ANA].user

        data = (await user.slash("my-data")).response
        asked = (await user.slash("forget-me")).response
        (knob,) = [part for row in asked.components[0]["components"] for part in row.get("components", ())]
        done = await user.click(asked.message, custom_id=knob["custom_id"])

        kept = json.loads(await data.attachments[0].read())
        assert [str(here.guild.id), str(second.id)] == [table["server"] for table in kept["tables"]]
        assert [str(second.id)] == [change["server"] for change in kept["server_settings_changed"]]
        assert "left the 2 tables" in words(done.response)
        assert (here.people[BEA].id,) == (await here.bot.tables.glance(1)).table.people
        assert "over" == (await here.bot.tables.glance(2)).table.phase
        assert [-1] == [change.user_id for change in await here.bot.settings.changes(second.id, 5)]
        assert b"Ana Banana" not in everything(path)


async def test_whoever_sits_down_meanwhile_gets_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A press that slips in between leaves no half-forgotten seat behind: it is left as well."""
    path = tmp_path / "game.sqlite3"
    async with world(path, NAMES) as here:
        await here.open(who=ANA)
        await here.open(who=CAP)
        await here.press(BEA, here.board(1), "Join")
        bea = here.people[BEA].id
        look = here.bot.store.mentions
        slipped: list[int] = []

        async def joining(user_id: int) -> Any:
            found = await look(user_id)
            if not slipped:
                slipped.append(2)
                await here.bot.tables.submit(2, Join(Person(bea, NAMES[BEA])), Cause(here.bot.clock()))
            return found

        monkeypatch.setattr(here.bot.store, "mentions", joining)
        done = await forget(here, BEA)

        assert "left the 2 tables" in words(done)
        for table_id in (1, 2):
            assert 1 == len((await here.bot.tables.glance(table_id)).table.people)
            await check_replays(here, table_id)
        assert b"Bossanova" not in everything(path)


async def test_a_move_after_the_forgetting_brings_nothing_back(tmp_path: Path) -> None:
    """What the bot holds in memory forgets too: the next moves and a restart write no old name."""
    path = tmp_path / "game.sqlite3"
    async with world(path, NAMES) as here:
        await here.open()
        await here.start(3)
        await forget(here, ANA)
        for _ in range(6):
            await here.env.advance_time(3)
            if not here.over() and "(computer)" not in _turn(here):
                await random_turn(here, here.to_act(), random.Random(2))
        moved = (await here.bot.tables.glance(1)).table.seq
        await here.restart()
        await random_turn_if_any(here)

        assert moved > 6
        await check_replays(here, 1)
        assert b"Ana Banana" not in everything(path)
        assert "Ana" not in msgspec.json.encode((await here.bot.tables.glance(1)).table).decode()


async def random_turn_if_any(here: World) -> None:
    """Make one more move when a person is to act."""
    await here.env.advance_time(3)
    if not here.over() and "(computer)" not in _turn(here):
        await random_turn(here, here.to_act(), random.Random(3))


async def test_forgotten_twice_and_back_again(tmp_path: Path) -> None:
    """Whoever comes back is somebody new; forgotten once more, they get an alias of their own."""
    async with world(tmp_path / "game.sqlite3", NAMES) as here:
        await here.open()
        await here.press(BEA, here.board(), "Join")
        await forget(here, BEA)
        await here.press(BEA, here.board(), "Join")
        await forget(here, BEA)
        again = await forget(here, BEA)

        inputs = [msgspec.json.decode(row.input) for row in await here.bot.store.log(1)]
        joined = [entry["person"]["user_id"] for entry in inputs if entry["type"] == "Join"]
        assert [-1, -2] == joined
        assert "you are forgotten" in words(again)
        await check_replays(here, 1)

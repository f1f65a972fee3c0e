"""The lobby as people use it: seats, computers, the host's buttons, its end."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.core.table import Record
from tests.cogs.staging import Pressed, admin, press_id, rewrite, said
from tests.cogs.world import World, knobs, labels, selects, world


async def answer(here: World, who: int, label: str) -> str:
    """Press a button of the lobby and return what the presser alone is told."""
    return said((await here.press(who, here.board(), label)).response)


async def test_whoever_joins_stands_in_the_lobby(tmp_path: Path) -> None:
    """A press on Join takes the next seat, and the lobby shows it at once."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()

        await here.press(1, here.board(), "Join")

        assert "On the floor: 2 of 6" in said(here.board())
        assert "1\\. Ana Banana, host\n2\\. Bea\n3\\. *free" in said(here.board())


async def test_nobody_sits_twice(tmp_path: Path) -> None:
    """A second Join is answered and changes nothing."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(1, here.board(), "Join")

        again = await answer(here, 1, "Join")
        hosts = await answer(here, 0, "Join")

        assert "✋ You sit at this table already." == again
        assert again == hosts
        assert 1 == said(here.board()).count("Bea")


async def test_many_joins_at_once_make_one_seat(tmp_path: Path) -> None:
    """Twenty joins of one person that arrive together, before any is answered, take one seat."""
    async with world(tmp_path / "game.sqlite3") as here:
        lobby = await here.open()
        join = next(knob["custom_id"] for knob in knobs(lobby) if knob["label"] == "Join")
        joins = [Pressed(here, 1, lobby, join) for _ in range(20)]
        for each in joins:
            each.emit()
        await here.env.settle(idle=0.001)
        refused = [each for each in joins if each.response.ephemeral]

        assert 19 == len(refused)
        assert {"✋ You sit at this table already."} == {said(each.response) for each in refused}
        assert "On the floor: 2 of 6" in said(here.board())


async def test_the_seventh_person_finds_no_seat(tmp_path: Path) -> None:
    """With six people in, a seventh is told so and where else to go."""
    async with world(tmp_path / "game.sqlite3", (*[f"Dancer {n}" for n in range(6)], "Late")) as here:
        await here.open()
        for who in range(1, 6):
            await here.press(who, here.board(), "Join")

        late = await answer(here, 6, "Join")

        assert "✋ All seats are taken. Open a second table: there is room for more than one." == late
        assert "6 of 6" in said(here.board())
        assert "*free" not in said(here.board())


async def test_a_person_takes_a_computers_seat_when_all_are_taken(tmp_path: Path) -> None:
    """With five computers in, a newcomer takes the place of one of them."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=5)
        full = said(here.board())

        await here.press(1, here.board(), "Join")

        assert 5 == full.count("(computer)")
        assert 4 == said(here.board()).count("(computer)")
        assert "Bea" in said(here.board())
        assert "6 of 6" in said(here.board())


async def test_whoever_leaves_frees_the_seat(tmp_path: Path) -> None:
    """Leave gives the seat back; who does not sit there is told so."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(1, here.board(), "Join")

        await here.press(1, here.board(), "Leave")
        again = await answer(here, 1, "Leave")

        assert "1 of 6" in said(here.board())
        assert "Bea" not in said(here.board())
        assert again.startswith("✋ You do not sit at this table.")


async def test_when_the_host_leaves_the_first_to_have_joined_is_host(tmp_path: Path) -> None:
    """The mark moves to the earliest joined, and so do the powers."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(2, here.board(), "Join")
        await here.press(1, here.board(), "Join")

        await here.press(0, here.board(), "Leave")
        lobby = said(here.board())
        refused = await answer(here, 1, "Add computer")
        await here.press(2, here.board(), "Add computer")
        added = said(here.board())
        panel = (await here.press(2, here.board(), "Options")).response
        await here.press(2, here.board(), "Start")

        assert "host Kapitän Wackelknie" in lobby
        assert "1\\. Kapitän Wackelknie, host" in lobby
        assert "✋ Only the host of this table can do that." == refused
        assert 1 == added.count("(computer)")
        assert selects(panel)
        assert "to dance" in said(here.board())


async def test_the_host_is_a_person_even_when_a_computer_came_first(tmp_path: Path) -> None:
    """When the host leaves computers behind, the next person is host, not a computer."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=2)
        await here.press(3, here.board(), "Join")

        await here.press(0, here.board(), "Leave")

        assert "host Maximiliane\\-Theodor…" in said(here.board())


async def test_the_last_one_out_closes_the_lobby(tmp_path: Path) -> None:
    """With nobody but computers left the lobby is closed and has no buttons."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=1)

        await here.press(0, here.board(), "Leave")

        assert "closed" in said(here.board())
        assert [] == labels(here.board())


async def test_computers_come_and_go_as_the_host_likes(tmp_path: Path) -> None:
    """Add and Remove fill and free a seat, marked in words; with nothing to add or remove they say so."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        counts = []
        for label in ["Add computer"] * 5 + ["Remove computer"] * 5:
            await here.press(0, here.board(), label)
            counts.append(said(here.board()).count("(computer)"))
            if label == "Add computer" and counts[-1] == 5:
                full = await answer(here, 0, label)
        none = await answer(here, 0, "Remove computer")

        assert [1, 2, 3, 4, 5, 4, 3, 2, 1, 0] == counts
        assert full.startswith("✋ All seats are taken.")
        assert "✋ There is no computer to remove." == none


@pytest.mark.parametrize("label", ["Add computer", "Remove computer", "Start", "Cancel"])
@pytest.mark.parametrize("who", [1, 2])
async def test_the_hosts_buttons_are_the_hosts(tmp_path: Path, label: str, who: int) -> None:
    """Others, seated or not, are told whose they are, and nothing changes."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=1)
        await here.press(1, here.board(), "Join")
        before = said(here.board())

        told = await answer(here, who, label)

        assert "✋ Only the host of this table can do that." == told
        assert before == said(here.board())


async def test_one_alone_cannot_start(tmp_path: Path) -> None:
    """Start with too few says how many are missing and what to do."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()

        told = await answer(here, 0, "Start")

        assert "✋ One player is missing: wait for people, or press **Add computer**." == told
        assert "1 of 6" in said(here.board())


async def test_the_host_cancels(tmp_path: Path) -> None:
    """Cancel closes the lobby at once."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()

        await here.press(0, here.board(), "Cancel")

        assert "closed before the game began" in said(here.board())
        assert [] == labels(here.board())


async def test_an_admin_cancels_without_sitting_there(tmp_path: Path) -> None:
    """Whoever may manage the server closes any lobby."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        here.people.append(admin(here))

        await here.press(6, here.board(), "Cancel")

        assert "closed before the game began" in said(here.board())


async def test_each_option_acts_at_once_and_stands_in_the_lobby(tmp_path: Path) -> None:
    """Every choice of every select in the host's panel shows in the lobby a second later, and in the panel itself."""
    async with world(tmp_path / "game.sqlite3") as here:
        lobby = await here.open()
        panel = (await here.press(0, lobby, "Options")).response
        chosen = []
        for place in range(len(selects(panel))):
            for option in selects(panel)[place]["options"]:
                panel = (await here.choose(0, panel, selects(panel)[place], option["value"])).response
                await here.env.advance_time(1)
                marked = [each["label"] for each in selects(panel)[place]["options"] if each.get("default")]
                chosen.append((option["label"] in said(here.board()), [option["label"]] == marked))

        assert len(chosen) > 10
        assert {(True, True)} == set(chosen)


async def test_options_from_before_the_start_change_nothing_after_it(tmp_path: Path) -> None:
    """A select left open while the game began is answered, and the clock stays as it was."""
    async with world(tmp_path / "game.sqlite3") as here:
        lobby = await here.open(computer_players=1)
        panel = (await here.press(0, lobby, "Options")).response
        await here.press(0, here.board(), "Start")
        clock = next(menu for menu in selects(panel) if "Turn clock" in menu["options"][0]["label"])

        late = await here.choose(0, panel, clock, clock["options"][1]["value"])
        table = (await here.bot.tables.glance(1)).table

        assert "✋ The game has begun already. `/table show` brings its board." == said(late.response)
        assert 12 * 3_600_000 == table.clock_ms


async def test_a_table_of_a_tournament_has_nothing_to_press_before_it_is_dealt(tmp_path: Path) -> None:
    """It is no lobby: who sits there, the fingerprint, and that the game begins in a moment."""

    def arranged(record: Record) -> Record:
        return Record(replace(record.table, origin="t9-r1-1-0"), record.state, record.recent)

    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(1, here.board(), "Join")
        await rewrite(here, arranged)
        await here.env.advance_time(3)
        shown = here.board()

        assert "All are there: the game begins in a moment.\n1\\. Ana Banana\n2\\. Bea\n" in said(shown)
        assert "fingerprint is" in said(shown)
        assert [] == knobs(shown)


async def test_a_lobby_where_nobody_comes_closes_with_a_word(tmp_path: Path) -> None:
    """An hour after the last change it is closed, not sooner; joining puts that off."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.env.advance_time(1800)
        await here.press(1, here.board(), "Join")
        await here.env.advance_time(3590)
        open_still = labels(here.board())
        await here.env.advance_time(12)

        assert "Join" in open_still
        assert "Nobody came for an hour" in said(here.board())
        assert [] == labels(here.board())


async def test_an_idle_lobby_closes_over_a_restart(tmp_path: Path) -> None:
    """The hour is counted while the bot is away."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.bot.close()
        await here.env.advance_time(4000)
        await here.restart()
        await here.env.advance_time(1)

        assert "Nobody came for an hour" in said(here.board())


async def test_the_buttons_of_a_closed_lobby_only_answer(tmp_path: Path) -> None:
    """Whoever still has an old picture of the lobby is told that it is over, whatever they press."""
    async with world(tmp_path / "game.sqlite3") as here:
        lobby = await here.open()
        old = knobs(lobby)
        copy = here.env.backend.create_message(
            here.channel.id,
            here.env.backend.bot_user.id,
            components=[component.to_dict() for component in lobby.components],
            flags=lobby.flags.value,
        )
        await here.press(0, lobby, "Cancel")
        answers = {
            knob["label"]: said(await press_id(here, 1, copy, knob["custom_id"]))
            for knob in old
            if knob["label"] != "Rules"
        }

        assert 7 == len(answers)
        assert {"✋ This table is over. Start a new one with the game's `new` command."} == set(answers.values())


async def test_the_fingerprint_of_the_lobby_fits_the_seed_of_the_result(tmp_path: Path) -> None:
    """What the lobby promised is the hash of what the finished board reveals; before the end it is revealed nowhere."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: bytes(range(16))) as here:
        lobby = said(await here.open(computer_players=1))
        await here.press(0, here.board(), "Start")
        seen = " ".join(said(message) for message in here.messages())
        asked = (await here.people[0].slash(here.channel, "table end")).response
        await here.press(0, asked, "End it")
        await here.env.advance_time(2)
        promised = re.search(r"fingerprint is `([0-9a-f]+)", lobby)
        revealed = re.search(r"seed `([0-9a-f]{32})`", said(here.board()))

        assert promised is not None
        assert revealed is not None
        assert hashlib.sha256(bytes.fromhex(revealed[1])).hexdigest().startswith(promised[1])
        assert revealed[1] not in seen

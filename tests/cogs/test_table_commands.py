"""The commands about a table, the help and the rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.cogs.staging import admin, said, sitting, stage
from tests.cogs.world import World, knobs, labels, selects, world
from tests.rules.lets_dance.build import final


async def command(here: World, who: int, name: str, channel: Any = None, **options: Any) -> Any:
    """Type a command and return the answer."""
    result = await here.people[who].slash(channel or here.channel, name, **options)
    assert result.response is not None
    assert result.response.ephemeral
    return result.response


async def end(here: World, who: int, channel: Any = None, **options: Any) -> str:
    """Type `/table end`, confirm, and return the last words."""
    asked = await command(here, who, "table end", channel, **options)
    return said((await here.press(who, asked, "End it")).response)


async def playing(here: World, people: int = 3) -> None:
    """Start a game of so many people."""
    await here.open()
    await here.start(people)
    await here.env.advance_time(2)


# --- /table show ---------------------------------------------------------------------------------


async def test_show_finds_what_runs_in_this_channel(tmp_path: Path) -> None:
    """Every table of the channel stands there with its number, state and a link that leads to its board."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(0, here.board(), "Cancel")
        await here.open()
        await here.open(computer_players=1)
        await here.press(0, here.board(3), "Start")
        await here.env.advance_time(2)

        shown = said(await command(here, 4, "table show"))
        links = re.findall(r"channels/\d+/\d+/(\d+)", shown)

        assert "Table 1" not in shown
        assert re.search(r"\*\*Table 2\*\* · 💃 Let's Dance · lobby", shown)
        assert re.search(r"\*\*Table 3\*\* · 💃 Let's Dance · 2 dancing", shown)
        assert [str(here.board(3).id), str(here.board(2).id)] == links


async def test_show_says_that_nothing_runs(tmp_path: Path) -> None:
    """An empty channel gets a sentence with what to do."""
    async with world(tmp_path / "game.sqlite3") as here:
        shown = await command(here, 0, "table show")

        assert "✋ No table runs in this channel. `/help` tells how to open one." == said(shown)


async def test_show_opens_the_hand(tmp_path: Path) -> None:
    """The button under the list shows the presser's own hand."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 2)
        shown = await command(here, 1, "table show")

        hand = (await here.press(1, shown, "My hand at table 1")).response

        assert "Your hand" in said(hand)


async def test_show_keeps_to_its_limits_and_says_so(tmp_path: Path) -> None:
    """Of a dozen tables ten are listed, and the rest are counted."""
    async with world(tmp_path / "game.sqlite3") as here:
        for _ in range(12):
            await here.open()

        shown = said(await command(here, 0, "table show"))

        assert 10 == shown.count("**Table ")
        assert "2 more" in shown
        here.check_sizes()


async def test_show_brings_back_a_board_that_somebody_deleted(tmp_path: Path) -> None:
    """When a board's message is gone, asking for it posts it anew and the link leads there."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 2)
        old = here.board()
        here.env.backend.delete_message(here.channel.id, old.id)

        await command(here, 1, "table show")
        await here.env.advance_time(2)
        shown = said(await command(here, 1, "table show"))

        assert old.id != here.board().id
        assert "My hand" in labels(here.board())
        assert f"/{here.board().id})" in shown


# --- /table end ----------------------------------------------------------------------------------


async def test_the_host_ends_a_game_at_once(tmp_path: Path) -> None:
    """After asking once the game is over, without a ranking, its board without buttons."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here)

        asked = said(await command(here, 0, "table end"))
        still = here.over()
        told = await end(here, 0)
        await here.env.advance_time(2)

        assert "It ends at once and without a ranking." in asked
        assert not still
        assert "✅ Table 1 has ended." == told
        assert "The host ended the game: no ranking." in said(here.board())
        assert [] == labels(here.board())


async def test_an_admin_ends_any_table_from_anywhere(tmp_path: Path) -> None:
    """By its number, from another channel, without sitting there."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here)
        here.people.append(admin(here))
        elsewhere = here.guild.create_text_channel("office")

        told = await end(here, 6, elsewhere, number=1)
        await here.env.advance_time(2)

        assert "✅ Table 1 has ended." == told
        assert "An admin ended the game: no ranking." in said(here.board())


async def test_most_of_the_players_end_a_game(tmp_path: Path) -> None:
    """Two of four votes are counted and told, the third ends it; the same vote counts once."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 4)

        first = await end(here, 1)
        again = await end(here, 1)
        second = await end(here, 2)
        still = here.over()
        third = await end(here, 3)
        await here.env.advance_time(2)

        assert "✅ Your vote is counted: 1 of 3 needed." == first
        assert "✋ Your vote is counted: 1 of 3 needed to end the game." == again
        assert "✅ Your vote is counted: 2 of 3 needed." == second
        assert not still
        assert "✅ Table 1 has ended." == third
        assert "Most players wanted to stop" in said(here.board())


async def test_a_vote_is_seen_by_the_others(tmp_path: Path) -> None:
    """The board says that somebody wants to stop, and how many more it takes."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 3)

        await end(here, 1)
        await here.env.advance_time(2)

        assert "1 of 2 votes to end the game. For it? `/table end`" in said(here.board())


async def test_others_cannot_end_a_game(tmp_path: Path) -> None:
    """Whoever does not sit there is refused before they are asked anything."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here)

        named = said(await command(here, 5, "table end", number=1))
        plain = said(await command(here, 5, "table end"))

        assert named.startswith("✋ You do not sit at this table.")
        assert plain.startswith("✋ You sit at no table here.")


async def test_a_table_that_is_no_more_cannot_be_ended(tmp_path: Path) -> None:
    """Numbers of finished tables, and of none, get their sentence."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(0, here.board(), "Cancel")

        over = said(await command(here, 0, "table end", number=1))
        none = said(await command(here, 0, "table end", number=77))

        assert over.startswith("✋ This table is over.")
        assert none.startswith("✋ There is no such table any more.")


async def test_tables_of_other_servers_are_out_of_reach(tmp_path: Path) -> None:
    """An admin of one server, even the host of the table, cannot reach it from another server."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here)
        other = here.env.create_guild("Elsewhere", owner=here.people[0].user)
        channel = other.create_text_channel("far-away")
        away = other.add_member(here.people[0].user)

        answers = [
            said((await away.slash(channel, name, **options)).response)
            for name, options in (("table end", {"number": 1}), ("table show", {}), ("hand", {}), ("table leave", {}))
        ]

        assert answers[0].startswith("✋ There is no such table any more.")
        assert answers[1].startswith("✋ No table runs in this channel.")
        assert answers[2].startswith("✋ You sit at no table here.")
        assert answers[3].startswith("✋ You sit at no table here.")


# --- /table leave --------------------------------------------------------------------------------


async def leave(here: World, who: int) -> str:
    """Type `/table leave`, confirm, and return the last words."""
    asked = await command(here, who, "table leave")
    told = said((await here.press(who, asked, "Leave it")).response)
    await here.env.advance_time(1)
    return told


async def test_leaving_a_lobby_by_command_frees_the_seat(tmp_path: Path) -> None:
    """It asks first, in the words of a lobby."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        await here.press(1, here.board(), "Join")

        asked = said(await command(here, 1, "table leave"))
        await leave(here, 1)

        assert "Your seat becomes free again." in asked
        assert "1 of 6" in said(here.board())


async def test_a_computer_dances_on_for_whoever_leaves(tmp_path: Path) -> None:
    """The board names who left and who dances on; the computer moves by itself; the old panel only answers."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 3)
        leaver = here.to_act()
        panel = await here.hand(leaver)
        card = next(knob["label"] for knob in knobs(panel))

        told = await leave(here, leaver)
        board = said(here.board())
        await here.env.advance_time(3)
        old = said((await here.press(leaver, panel, card)).response)

        assert "✅ You have left table 1. Come back any time." == told
        assert f"{here.names[leaver]} left; Disco Dot (computer) dances on." in board
        assert "👉 Disco Dot" not in said(here.board())
        assert old.startswith("✋ You do not sit at this table.")


async def test_the_host_passes_on_in_a_game(tmp_path: Path) -> None:
    """After the host has left a game the next person ends it at once."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 3)
        seats = await sitting(here)
        await leave(here, 0)
        table = (await here.bot.tables.glance(1)).table
        heir = next(who for who in seats if here.people[who].id == table.host_id)

        told = await end(here, heir)

        assert heir != 0
        assert "✅ Table 1 has ended." == told


async def test_the_last_person_out_ends_the_game_unranked(tmp_path: Path) -> None:
    """Computers do not dance for nobody."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 2)

        await leave(here, 1)
        going = here.over()
        await leave(here, 0)
        await here.env.advance_time(2)

        assert not going
        assert "Everybody has left: the game ends without a ranking." in said(here.board())
        assert [] == labels(here.board())


async def test_a_leaver_is_ranked_last(tmp_path: Path) -> None:
    """The final board puts the seat of somebody who left behind everyone who stayed, whatever it scored."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 3)
        seats = await sitting(here)
        await leave(here, seats[2])
        floors = ["Y", "M", "Shuffle Shuffle Shuffle Shuffle Shuffle"]
        await stage(here, final("", "", "", floors=floors, turn=0))
        for who in (seats[0], seats[1]):
            panel = await here.hand(who)
            await here.press(who, panel, "Pass")
            await here.env.advance_time(1)
        await here.env.advance_time(4)
        result = said(here.board())

        assert "Party's over!" in result
        assert re.search(r"3\\\. Disco Dot \(computer\), for somebody who left: \*\*\d+\*\*", result), result


# --- /hand ---------------------------------------------------------------------------------------


async def test_hand_with_no_table_says_what_to_do(tmp_path: Path) -> None:
    """A sentence, not an empty panel."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 2)

        told = said(await command(here, 4, "hand"))

        assert "✋ You sit at no table here. Join one, or open your own: `/help` tells how." == told


async def test_hand_of_the_one_table(tmp_path: Path) -> None:
    """It opens at once, also from another channel of the server."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 2)
        elsewhere = here.guild.create_text_channel("elsewhere")

        here_ = said(await command(here, 1, "hand"))
        there = said(await command(here, 1, "hand", elsewhere))

        assert "Your hand" in here_
        assert here_ == there


async def test_hand_asks_which_of_several_tables(tmp_path: Path) -> None:
    """With two games here each has its button, and it leads to the hand of that table."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=1)
        await here.press(0, here.board(1), "Start")
        await here.open(computer_players=2)
        await here.press(0, here.board(2), "Start")

        asked = await command(here, 0, "hand")
        question, choices = said(asked), labels(asked)
        second = (await here.press(0, asked, "Table 2")).response

        assert "Whose hand?" in question
        assert {"Table 1", "Table 2"} == set(choices)
        assert "-# Table 2 ·" in said(second)


async def test_hand_prefers_the_table_of_this_channel(tmp_path: Path) -> None:
    """With a table in each of two channels there is nothing to ask in either."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=1)
        await here.press(0, here.board(1), "Start")
        elsewhere = here.guild.create_text_channel("elsewhere")
        await here.people[0].slash(elsewhere, "letsdance new", computer_players=1)
        lobby = elsewhere.last_message
        await here.press(0, lobby, "Start")

        first = said(await command(here, 0, "hand"))
        second = said(await command(here, 0, "hand", elsewhere))

        assert "-# Table 1 ·" in first
        assert "-# Table 2 ·" in second


async def test_hand_in_a_lobby_says_that_it_has_not_begun(tmp_path: Path) -> None:
    """There is no hand before the deal."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()

        told = said(await command(here, 0, "hand"))

        assert "✋ The game has not begun yet: the host presses **Start**." == told


# --- help and rules ------------------------------------------------------------------------------


async def test_help_and_each_of_its_topics(tmp_path: Path) -> None:
    """One select leads to every topic; each has a title of its own, words, and the way to the others."""
    async with world(tmp_path / "game.sqlite3") as here:
        page = await command(here, 3, "help")
        first = said(page)
        (menu,) = selects(page)
        titles = {}
        for option in menu["options"]:
            page = (await here.choose(3, page, selects(page)[0], option["value"])).response
            titles[option["label"]] = said(page)

        assert "`/letsdance new` Let's Dance, 2 to 6" in first
        offered = re.findall("`/(\\w+) new`", first)
        assert sorted(offered) == offered
        assert "**Tournaments**\n`/tournament me`" in first
        assert len(titles) >= 5
        assert all(text.startswith(f"## {title}\n") and len(text) > 80 for title, text in titles.items())
        here.check_sizes()


async def test_help_names_only_commands_that_exist(tmp_path: Path) -> None:
    """Every command in the help, its topics and the rules can be typed."""
    async with world(tmp_path / "game.sqlite3") as here:
        page = await command(here, 3, "help")
        seen = said(page)
        for option in selects(page)[0]["options"]:
            page = (await here.choose(3, page, selects(page)[0], option["value"])).response
            seen += said(page)
        named = set(re.findall(r"`/([a-z -]+)`", seen))

        assert len(named) >= 5
        assert set() == named - set(here.people[3].available_commands(here.channel))


async def test_rules_are_paged_and_jumped_through(tmp_path: Path) -> None:
    """On leads through all sections to the last, Back to the first, the select anywhere; the ends go no further."""
    async with world(tmp_path / "game.sqlite3") as here:
        page = await command(here, 2, "letsdance rules")
        titles = [said(page).splitlines()[0]]
        while "On" in labels(page):
            page = (await here.press(2, page, "On")).response
            titles.append(said(page).splitlines()[0])
        back = 1
        while "Back" in labels(page):
            page = (await here.press(2, page, "Back")).response
            back += 1
        (menu,) = selects(page)
        page = (await here.choose(2, page, menu, menu["options"][4]["value"])).response

        assert len(titles) == len(set(titles)) == back == len(menu["options"])
        assert titles[4] == said(page).splitlines()[0]
        assert ["Back", "On"] == labels(page)
        here.check_sizes()


async def test_rules_mark_what_is_ours(tmp_path: Path) -> None:
    """House values are marked as such somewhere in the rules."""
    async with world(tmp_path / "game.sqlite3") as here:
        page = await command(here, 2, "letsdance rules")
        seen = said(page)
        while "On" in labels(page):
            page = (await here.press(2, page, "On")).response
            seen += said(page)

        assert "🏠 House value: " in seen


async def test_the_rules_button_of_a_board_answers_its_presser_alone(tmp_path: Path) -> None:
    """The board stays where it is."""
    async with world(tmp_path / "game.sqlite3") as here:
        await playing(here, 2)
        before = said(here.board())

        page = (await here.press(5, here.board(), "Rules")).response

        assert page.ephemeral
        assert "📖" in said(page)
        assert before == said(here.board())


# --- outside a server ----------------------------------------------------------------------------


async def test_no_command_outside_a_server(tmp_path: Path) -> None:
    """In a private chat with the bot there are one's own data and which bot it is; in the server there is the rest."""
    async with world(tmp_path / "game.sqlite3") as here:
        inside = here.people[0].available_commands(here.channel)

        assert {"letsdance new", "letsdance rules", "hand", "help", "table show", "table end", "table leave"} <= set(
            inside
        )
        assert {"about", "privacy", "my-data", "forget-me"} == set(here.people[0].user.available_commands())

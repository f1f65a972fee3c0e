"""Settings of a server and of a person, and the setup check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import discord
import pytest

from cogs.settings import ServerSettings
from rules.core.table import DAY_MS, DEFAULT_CLOCK_MS, DEFAULT_IDLE_MS, HOUR_MS
from tests.cogs.world import World, selects, words, world

ANA, BEA = 0, 1


def admin(here: World) -> int:
    """Add somebody who may manage the server and return their index."""
    role = here.guild.create_role("Floor managers", permissions=discord.Permissions(manage_guild=True))
    here.people.append(here.guild.add_member(here.env.create_user("boss", global_name="Bossa Nova"), roles=[role]))
    return len(here.people) - 1


async def settings(here: World, who: int) -> Any:
    """Type `/settings` and return the panel."""
    return (await here.people[who].slash(here.channel, "settings")).response


def menu(panel: Any, placeholder: str) -> dict[str, Any]:
    """Return the select with this placeholder."""
    return next(menu for menu in selects(panel) if menu["placeholder"] == placeholder)


def chosen(panel: Any, placeholder: str) -> str:
    """Return the label that a select shows as chosen."""
    (option,) = [option for option in menu(panel, placeholder)["options"] if option.get("default")]
    return str(option["label"])


async def pick(here: World, who: int, panel: Any, placeholder: str, label: str) -> Any:
    """Choose the option with this label and return what came back."""
    knob = menu(panel, placeholder)
    value = next(option["value"] for option in knob["options"] if option["label"] == label)
    return (await here.choose(who, panel, knob, value)).response


async def test_everybody_chooses_how_they_are_called(tmp_path: Path) -> None:
    """A person has one select, it acts at once and for them alone, and a restart keeps it."""
    async with world(tmp_path / "game.sqlite3") as here:
        panel = await settings(here, ANA)
        before = chosen(panel, "Your pings")
        after = await pick(here, ANA, panel, "Your pings", "By direct message")
        await here.restart()

        assert ["Your pings"] == [knob["placeholder"] for knob in selects(panel)]
        assert "In the table's channel" == before
        assert "By direct message" == chosen(after, "Your pings") == chosen(await settings(here, ANA), "Your pings")
        assert "In the table's channel" == chosen(await settings(here, BEA), "Your pings")
        assert "dm" == await here.bot.settings.pings_of(here.people[ANA].id)
        assert panel.ephemeral
        here.check_sizes()


async def test_who_may_not_manage_the_server_reads_its_settings(tmp_path: Path) -> None:
    """Others see the server's values in words."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)
        await pick(here, boss, await settings(here, boss), "Turn clock", "Turn clock: 1 hour")

        shown = words(await settings(here, ANA))

        assert "Turn clock: 1 hour" in shown
        assert "Threads: none, tables stay in the channel" in shown
        assert "Untouched tables close: after 14 days" in shown
        assert "Pings: on" in shown
        assert "Last changes" not in shown


async def test_an_admin_sets_what_new_tables_begin_with(tmp_path: Path) -> None:
    """Clock and idle time go for the next table, not for one that is there, and survive a restart."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)
        await here.open()
        panel = await pick(here, boss, await settings(here, boss), "Turn clock", "Turn clock: 1 hour")
        panel = await pick(here, boss, panel, "Untouched tables close", "Untouched tables close: after 3 days")
        await here.restart()
        await here.open()
        old, new = [(await here.bot.tables.glance(number)).table for number in (1, 2)]

        assert "Turn clock: 1 hour" == chosen(panel, "Turn clock")
        assert "Untouched tables close: after 3 days" == chosen(panel, "Untouched tables close")
        assert (DEFAULT_CLOCK_MS, DEFAULT_IDLE_MS) == (old.clock_ms, old.idle_ms)
        assert (HOUR_MS, 3 * DAY_MS) == (new.clock_ms, new.idle_ms)
        assert "Turn clock: 1 hour" in words(here.board(2))
        here.check_sizes()


async def test_never_closing_is_a_choice(tmp_path: Path) -> None:
    """With *never* a new table has no idle time at all."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)
        await pick(here, boss, await settings(here, boss), "Untouched tables close", "Untouched tables close: never")
        await here.open()

        assert 0 == (await here.bot.tables.glance(1)).table.idle_ms


async def test_the_last_changes_say_who_and_when(tmp_path: Path) -> None:
    """The newest of five changes is told first, with its author and Discord's own time; no-changes are not told."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)
        panel = await settings(here, boss)
        before = words(panel)
        for label in ("1 hour", "6 hours", "1 hour", "1 hour", "1 day", "3 days", "7 days"):
            panel = await pick(here, boss, panel, "Turn clock", f"Turn clock: {label}")
        told = [line for line in words(panel).splitlines() if f"<@{here.people[boss].id}>" in line]

        assert "Last changes" not in before
        assert 5 == len(told)
        assert told[0].startswith("-# Turn clock: 7 days, by <@")
        assert told[4].startswith("-# Turn clock: 6 hours, by <@")
        assert all(":R>" in line for line in told)
        assert 6 == len(await here.bot.settings.changes(here.guild.id, 99))


async def test_whoever_is_no_longer_an_admin_changes_nothing(tmp_path: Path) -> None:
    """The right is checked at the press, not when the panel was opened."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)
        panel = await settings(here, boss)
        role = here.guild.roles["Floor managers"]
        here.env.backend.remove_member_role(here.guild.id, here.people[boss].id, role.id)
        knob = menu(panel, "Pings")

        answer = await here.choose(boss, panel, knob, "server_set:pings=off")

        said = "".join(map(words, [answer.response, *answer.followups]))
        assert "Manage Server" in said
        assert (await here.bot.settings.server(here.guild.id)).pings
        assert [] == await here.bot.settings.changes(here.guild.id, 9)


async def test_two_servers_have_settings_of_their_own(tmp_path: Path) -> None:
    """What is set in one server does not go for another."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)
        await pick(here, boss, await settings(here, boss), "Pings", "Pings: off, nobody is called")

        assert not (await here.bot.settings.server(here.guild.id)).pings
        assert ServerSettings() == await here.bot.settings.server(here.guild.id + 1)
        assert "pings off" in words(await settings(here, ANA))


async def test_values_that_nobody_understands_are_the_default(tmp_path: Path) -> None:
    """A value or key of another version of the bot does no harm."""
    async with world(tmp_path / "game.sqlite3") as here:
        for key, value in (("turn_clock", "soon"), ("threads", "maybe"), ("idle", "-1"), ("colour", "pink")):
            await here.bot.store.set_server(here.guild.id, key, value, user_id=1, at_ms=1)
        await here.bot.store.set_server(here.guild.id, "pings", "off", user_id=1, at_ms=1)
        await here.bot.store.set_pings(here.people[ANA].id, "pigeon")

        assert ServerSettings(pings=False) == await here.bot.settings.server(here.guild.id)
        assert "channel" == await here.bot.settings.pings_of(here.people[ANA].id)
        assert "In the table's channel" == chosen(await settings(here, ANA), "Your pings")
        with pytest.raises(ValueError, match="turn_clock=soon"):
            await here.bot.settings.set_server(here.guild.id, "turn_clock", "soon", by=1, at_ms=1)


async def test_check_f3_the_setup_check_ticks_what_is_there(tmp_path: Path) -> None:
    """With all permissions every line is a tick, and it says so."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)

        shown = words((await here.people[boss].slash(here.channel, "setup check")).response)

        assert 4 == shown.count("✅")
        assert "❌" not in shown
        assert "nothing is missing" in shown


@pytest.mark.parametrize(
    ("flag", "name", "lacking"),
    [
        ("send_messages", "Send Messages", "no lobby"),
        ("create_public_threads", "Create Public Threads", "thread of its own"),
        ("send_messages_in_threads", "Send Messages in Threads", "in a thread"),
    ],
)
async def test_check_f3_the_setup_check_names_what_is_missing(
    tmp_path: Path, flag: str, name: str, lacking: str
) -> None:
    """A missing permission is named as Discord names it, with what does not work without it."""
    async with world(tmp_path / "game.sqlite3") as here:
        boss = admin(here)
        assert here.env.bot.user is not None
        denied = discord.PermissionOverwrite(**{flag: False})
        quiet = here.guild.create_text_channel("quiet", overwrites={here.env.bot.user: denied})

        shown = words((await here.people[boss].slash(quiet, "setup check")).response)

        (missing,) = [line for line in shown.splitlines() if "❌" in line]
        assert missing.startswith(f"❌ **{name}**: ")
        assert lacking in missing
        assert "Edit Channel" in shown


async def test_the_setup_check_is_for_admins(tmp_path: Path) -> None:
    """Others do not even see it, and whoever a server lets see it is told whom it is for."""
    async with world(tmp_path / "game.sqlite3") as here:
        hidden = here.people[ANA].available_commands(here.channel)
        command = next(command for command in await here.bot.tree.fetch_commands() if command.name == "setup")
        here.guild.set_command_permissions(command, {here.people[ANA]: True})

        shown = words((await here.people[ANA].slash(here.channel, "setup check")).response)

        assert "settings" in hidden
        assert "setup check" not in hidden
        assert "Manage Server" in shown
        assert "✅" not in shown

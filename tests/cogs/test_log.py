"""What happened at a table, as people read it, and the file with which they check it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import msgspec
import pytest

import bot
from cogs.ui import answers
from cogs.ui.history import PAGE_LINES, Line, log_page
from cogs.ui.layout import MAX_OPTIONS
from rules.core.contract import Event
from rules.core.table import Join, Person
from rules.core.tables import Cause, Update
from rules.lets_dance import CARD
from tests.cogs.world import World, knobs, labels, selects, words, world

ROOT = Path(__file__).parents[2]
SEED = bytes(range(16))
WAIT_S = 60
MAX_PAGES = 20
DEFERRED = 5
"""Type of the answer that asks Discord for time."""


async def start(here: World, *, computers: int = 2) -> None:
    """Open a table of one person and some computers, and start it; whoever sleeps has a minute a turn."""
    lobby = await here.open(computer_players=computers, turn_clock=1)
    await here.press(0, lobby, "Start")


async def finish(here: World, table_id: int = 1) -> None:
    """Let the clock play until the table is over."""
    for _ in range(60):
        if (await here.bot.tables.glance(table_id)).table.phase == "over":
            break
        await here.env.advance_time(60)
    await here.env.advance_time(5)
    assert here.over(table_id)


async def command(here: World, who: int, name: str, channel: Any = None, **options: Any) -> Any:
    """Type a command and return the answer."""
    return (await here.people[who].slash(channel or here.channel, name, **options)).response


def lines(message: Any) -> list[str]:
    """Return the lines of a page of a log; the next page takes its place, so ask before turning it."""
    return [line for line in words(message).splitlines() if re.match(r"<t:\d+:t> ", line)]


async def all_lines(here: World, who: int, page: Any) -> list[str]:
    """Press On from *page* to the end and return all lines on the way."""
    found = lines(page)
    turned = 0
    while "On" in labels(page):
        page = (await here.press(who, page, "On")).response
        found += lines(page)
        turned += 1
        assert turned < MAX_PAGES
    return found


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def cards_in(events: list[Event]) -> Counter[str]:
    """Count the cards that events name."""
    return Counter(text for event in events for text in strings(msgspec.to_builtins(event)) if text in CARD)


# --- /table log ----------------------------------------------------------------------------------


async def test_anyone_here_can_read_the_log_newest_first(tmp_path: Path) -> None:
    """Its first line is that of the board's *Just now*, twelve a page, privately, with times in the reader's zone."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await start(here)
        await here.env.advance_time(240)
        newest = re.search(r"\*\*Just now\*\*\n-# (.+)", words(here.board()))
        page = await command(here, 3, "table log")
        head, first = words(page), lines(page)
        found = await all_lines(here, 3, page)
        here.check_sizes()

    assert newest
    assert newest[1] == first[0].partition(":t> ")[2]
    assert PAGE_LINES == len(first)
    assert "page 1 of" in head
    assert page.message.flags.ephemeral
    assert found[:PAGE_LINES] == first
    times = [int(time) for time in re.findall(r"<t:(\d+):t>", " ".join(found))]
    assert sorted(times, reverse=True) == times
    assert len(found) > 2 * PAGE_LINES
    both = r"Time ran out, .*: Ana Banana .*(danced|sat|fell|stepped|drew|followed).*a computer keeps the seat"
    assert 1 == sum(bool(re.search(both, line)) for line in found)


async def test_its_pages_are_turned_one_by_one_or_picked(tmp_path: Path) -> None:
    """On leads to older lines, Back to newer ones, the select to any page; each door is shut where it leads nowhere."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await start(here)
        await finish(here)
        first = await command(here, 3, "table log")
        newest, doors = lines(first), labels(first)
        (menu,) = selects(first)
        last = (await here.choose(3, first, menu, menu["options"][-1]["value"])).response
        oldest, last_doors = lines(last), labels(last)
        picked = [option["label"] for option in selects(last)[0]["options"] if option["default"]]
        before = (await here.press(3, last, "Back")).response
        again = lines((await here.press(3, before, "On")).response)

    assert ["On"] == doors
    assert ["Back"] == last_doors
    assert [menu["options"][-1]["label"]] == picked
    assert not set(newest) & set(oldest)
    assert oldest == again


async def test_pages_stay_put_while_the_game_goes_on(tmp_path: Path) -> None:
    """Whoever reads on sees each line once, however much happens meanwhile; asking again brings the new ones."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await start(here)
        await here.env.advance_time(240)
        expected = await all_lines(here, 3, await command(here, 3, "table log"))
        page = await command(here, 3, "table log")
        await here.env.advance_time(70)
        found = await all_lines(here, 3, page)
        later = await all_lines(here, 3, await command(here, 3, "table log"))

    assert expected == found
    assert expected == later[-len(expected) :]
    assert len(later) > len(expected)


async def test_an_old_page_turns_after_a_restart(tmp_path: Path) -> None:
    """All that a button needs is in its id."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await start(here)
        await finish(here)
        page = await command(here, 3, "table log")
        expected = lines((await here.press(3, page, "On")).response)
        page = await command(here, 3, "table log")
        await here.restart()

        assert expected == lines((await here.press(3, page, "On")).response)


async def test_no_hidden_card_is_in_the_log(tmp_path: Path) -> None:
    """No card is named more often than in public events, after a game full of private ones."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        updates: list[Update] = []
        here.bot.tables.subscribe(updates.append)
        await start(here, computers=4)
        dealt = await command(here, 3, "table log")
        await finish(here)
        found = await all_lines(here, 3, await command(here, 3, "table log"))

    events = [event for update in updates for event in update.events]
    public = cards_in([event for event in events if event.audience is None])
    hidden = cards_in([event for event in events if event.audience is not None])
    told = re.sub(r"A Conga Line|Conga Line|Party's Over", "", " ".join(found))
    named = Counter({key: len(re.findall(rf"\b{re.escape(card.short)}\b", told)) for key, card in CARD.items()})

    assert "Nothing has happened yet." in words(dealt)
    assert sum(hidden.values()) > 50
    assert sum(named.values()) > 50
    assert Counter() == named - public


async def test_a_lobby_has_nothing_to_tell(tmp_path: Path) -> None:
    """Before the deal the log is empty and says so, without buttons."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open()
        page = await command(here, 0, "table log")

    assert "Nothing has happened yet." in words(page)
    assert [] == [*knobs(page), *selects(page)]


@pytest.mark.parametrize("count", [0, 1, 12, 13, 24, 300, 301, 1000, 5000])
async def test_a_log_of_any_length_fits(tmp_path: Path, count: int) -> None:
    """However long a log is, its select has at most 25 lines, which lead to every page in order."""
    async with world(tmp_path / "game.sqlite3") as here:
        await start(here)
        table = (await here.bot.tables.glance(1)).table
        face = here.bot.faces[table.game]
        log = [Line(1_767_225_600_000 + 1000 * number, "x" * 240) for number in range(count)]
        pages = max(1, -(-count // PAGE_LINES))

        for number in {1, pages // 2, pages, pages + 1, 0}:
            view = log_page(face, table, log, number)  # raises should Discord refuse it
            menus = selects(SimpleNamespace(components=view.to_components()))
            spans = [re.findall(r"\d+", option["label"]) for menu in menus for option in menu["options"]]
            covered = [page for span in spans for page in range(int(span[0]), int(span[-1]) + 1)]

            assert (list(range(1, pages + 1)) if pages > 1 else []) == covered
            assert len(spans) <= MAX_OPTIONS
            assert all(1 == sum(option["default"] for option in menu["options"]) for menu in menus)


async def test_telling_a_game_leaves_the_loop_free(tmp_path: Path) -> None:
    """The game is played again on another thread than the one that answers presses."""
    threads: set[int] = set()

    class Watched:
        def __init__(self, game: Any) -> None:
            self.game = game

        def __getattr__(self, name: str) -> Any:
            threads.add(threading.get_ident())
            return getattr(self.game, name)

    async with world(tmp_path / "game.sqlite3") as here:
        await start(here)
        await here.env.advance_time(60)
        here.bot.tables.games = {key: Watched(game) for key, game in here.bot.games.items()}
        told = await here.bot.tables.history(1)

    assert told
    assert threads
    assert threading.get_ident() not in threads


# --- which table ---------------------------------------------------------------------------------


async def test_without_a_number_ones_own_table_comes_first(tmp_path: Path) -> None:
    """With two tables here their players read their own, others are asked; a number names either."""
    async with world(tmp_path / "game.sqlite3") as here:
        await start(here)
        await here.open(who=1)
        own = await command(here, 0, "table log")
        asked = await command(here, 3, "table log")
        offered = labels(asked)
        chosen = (await here.press(3, asked, "Table 2")).response
        named = await command(here, 3, "table log", number=1)
        none = await command(here, 3, "table log", number=77)

    assert "Table 1 " in words(own)
    assert ["Table 2", "Table 1"] == offered
    assert "Table 2 " in words(chosen)
    assert "Table 1 " in words(named)
    assert "no such table" in words(none)


async def test_after_the_end_the_channels_last_game_is_told(tmp_path: Path) -> None:
    """
    A lobby that never began does not stand before it; a channel where nothing was played says so.

    Once another table is open here, that one's log is meant, but still the finished one's file.
    """
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        nothing = [await command(here, 3, name) for name in ("table log", "table replay")]
        await start(here)
        await finish(here)
        await here.press(1, await here.open(who=1), "Cancel")
        page = await command(here, 3, "table log")
        file = await command(here, 3, "table replay")
        await here.open(who=2)
        live = [await command(here, 3, name) for name in ("table log", "table replay")]

    assert ["Table 3 ", "Table 1 "] == [re.search(r"Table \d+ ", words(answer))[0] for answer in live]
    assert all("No table has been played" in words(answer) for answer in nothing)
    assert "Table 1 " in words(page)
    assert "Table 1 " in words(file)


async def test_a_table_out_of_sight_is_no_table(tmp_path: Path) -> None:
    """Its log and file are for those who see its channel or sit at it, and never for other servers."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        shut = discord.PermissionOverwrite(view_channel=False)
        secret = here.guild.create_text_channel("secret", overwrites={here.people[1]: shut, here.people[3]: shut})
        await here.people[0].slash(secret, "letsdance new", computer_players=1, turn_clock=1)
        await here.bot.tables.submit(1, Join(Person(here.people[1].id, "Bea")), Cause(here.bot.clock()))
        elsewhere = here.env.create_guild("Elsewhere")
        boss = elsewhere.create_role("boss", permissions=discord.Permissions.all())
        admin = elsewhere.add_member(here.people[3].user, roles=[boss])
        away = elsewhere.create_text_channel("dance-floor")
        table = (await here.bot.tables.glance(1)).table
        found = {who: words(await command(here, who, "table log", number=1)) for who in (0, 1, 2, 3)}
        unasked = {who: words(await command(here, who, "table log")) for who in (0, 1, 2, 3)}
        file = words(await command(here, 3, "table replay", number=1))
        abroad = words((await admin.slash(away, "table log", number=1)).response)

    assert secret.id == table.channel_id
    assert [True, True, True, False] == ["Table 1 " in found[who] for who in range(4)]
    assert [True, True, False, False] == ["Table 1 " in unasked[who] for who in range(4)]
    assert all("no such table" in answer for answer in (found[3], file, abroad))
    assert "No table has been played" in unasked[3]


# --- /table replay and bot.py verify -------------------------------------------------------------


def run_bot(*given: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `python bot.py` as somebody who checks a file would."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, ROOT / "bot.py", *given],
        env={**kept, "PYTHON_DOTENV_DISABLED": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )


async def test_before_the_end_there_is_no_file(tmp_path: Path) -> None:
    """Neither in the lobby nor during the game, whoever asks: it would show every hand."""
    async with world(tmp_path / "game.sqlite3") as here:
        await here.open(computer_players=1)
        lobby = await command(here, 0, "table replay")
        await here.press(0, here.board(), "Start")
        playing = [await command(here, who, "table replay", number=1) for who in (0, 3)]

    for answer in (lobby, *playing):
        assert "This table is not over" in words(answer)
        assert [] == answer.attachments


async def test_the_file_of_a_finished_game_is_found_fine(tmp_path: Path) -> None:
    """Anybody gets it privately, and `python bot.py verify` says that it is right; nobody's id is in it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await start(here)
        lobby_print = (await here.bot.tables.glance(1)).table.fingerprint[:16]
        await finish(here)
        answer = await command(here, 3, "table replay")
        (attached,) = answer.attachments
        body = await attached.read()
        ids = [here.guild.id, here.channel.id, *(person.id for person in here.people)]
    file = tmp_path / attached.filename
    file.write_bytes(body)
    ran = run_bot("verify", file)

    assert answer.message.flags.ephemeral
    assert "lets-dance-table-1.json" == attached.filename
    assert f"python bot.py verify {attached.filename}" in words(answer)
    assert lobby_print in words(answer)
    assert not any(str(known).encode() in body for known in ids)
    assert b"Ana Banana" in body
    assert (0, "") == (ran.returncode, ran.stderr)
    first, _, last = ran.stdout.splitlines()
    assert "Let's Dance, table 1: fine." == first
    assert lobby_print in last

    whole = json.loads(body)
    whole["result"]["scores"][0] += 1
    file.write_text(json.dumps(whole))
    ran = run_bot("verify", file)
    assert (1, "") == (ran.returncode, ran.stderr)
    assert "NOT fine" in ran.stdout
    assert "result" in ran.stdout


async def test_a_file_that_takes_long_comes_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the database answers after the bot has asked Discord for time, the same file arrives."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await start(here)
        await finish(here)
        (soon,) = (await command(here, 3, "table replay")).attachments
        quick = await soon.read()
        before = len(here.env.http_requests)

        monkeypatch.setattr(answers, "PATIENCE_MS", 0)
        (late,) = (await command(here, 3, "table replay")).attachments

        assert DEFERRED in [(request.json or {}).get("type") for request in here.env.http_requests[before:]]
        assert quick == await late.read()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """One line and status 2, for a folder as well."""
    for path in (tmp_path / "nothing.json", tmp_path):
        ran = run_bot("verify", path)

        assert (2, "") == (ran.returncode, ran.stdout)
        assert str(path) in ran.stderr
        assert 1 == len(ran.stderr.splitlines())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "no replay file"),
        (b"\x00\xff", "no replay file"),
        (b'{"format": 2, "game": "lets_dance", "rules_version": 1}', "of this kind"),
        (b'{"format": 1, "game": "foxtrot", "rules_version": 1}', "does not know the game"),
        (b'{"format": 1, "game": "lets_dance", "rules_version": 99}', "version 99"),
    ],
)
def test_what_cannot_be_checked_is_said_in_two_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: bytes, says: str
) -> None:
    """Status 1, what is wrong, what to do."""
    file = tmp_path / "file.json"
    file.write_bytes(body)

    status = bot.main(["verify", str(file)])

    said = capsys.readouterr()
    assert (1, "") == (status, said.err)
    assert 2 == len(said.out.splitlines())
    assert says in said.out


def test_verify_stands_beside_the_other_options() -> None:
    """What was on the command line before is read as before."""
    chosen = bot.arguments(["--sandbox", "--port", "8080", "--no-open"])

    assert (True, 8080, True, None) == (chosen.sandbox, chosen.port, chosen.no_open, chosen.command)
    chosen = bot.arguments(["verify", "x.json"])

    assert ("verify", Path("x.json"), False) == (chosen.command, chosen.file, chosen.sandbox)

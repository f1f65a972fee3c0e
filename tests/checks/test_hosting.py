"""J and N: the database under load, commands, people's data, the token; `test_kill` has J4."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import discord
import pytest

import bot
from cogs.ui.answers import BROKEN
from rules.core.codec import dump_record
from rules.core.replay import replay, verify
from tests.cogs.players import random_turn
from tests.cogs.staging import Pressed, said
from tests.cogs.world import World, knobs, world

ROOT = Path(__file__).parents[2]
SEED = bytes(range(16))
TABLES = 25
TOKEN = "mistyped-on-purpose"  # noqa: S105 - no token of anybody


async def test_check_j1_two_hundred_moves_beside_a_backup_and_a_query(tmp_path: Path) -> None:
    """Eight presses at each of 25 lobbies arrive together: all are answered and saved; copy and sums are whole."""
    path, copy = tmp_path / "game.sqlite3", tmp_path / "copy.sqlite3"
    labels = ("Add computer", "Remove computer") * 4

    def back_up() -> int:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target, pages=1)
            (inputs,) = source.execute("SELECT count(*) FROM log JOIN tables USING (table_id) WHERE live").fetchone()
        return int(inputs)

    async with world(path, new_seed=lambda: SEED) as here:
        lobbies = [await here.open() for _ in range(TABLES)]
        ids = [{knob["label"]: knob["custom_id"] for knob in knobs(lobby)} for lobby in lobbies]
        presses = [
            Pressed(here, 0, lobby, known[label]) for label in labels for lobby, known in zip(lobbies, ids, strict=True)
        ]
        for each in presses:
            each.emit()
        counted = await asyncio.to_thread(back_up)
        await here.env.settle(timeout=60, idle=0.001)
        told = [said(each.response) for each in presses]
        await here.env.advance_time(5)
        inputs = [len(await here.bot.store.log(table_id)) for table_id in range(1, TABLES + 1)]

    with closing(sqlite3.connect(copy)) as database:
        sound = database.execute("PRAGMA integrity_check").fetchall()
        (copied,) = database.execute("SELECT count(*) FROM log").fetchone()
    assert 200 == len(presses)
    assert [] == [text for text in told if not text or BROKEN in text or "✋" in text]
    assert [1 + len(labels)] * TABLES == inputs
    assert [("ok",)] == sound
    assert TABLES <= copied <= sum(inputs)
    assert TABLES <= counted <= sum(inputs)


async def test_check_n1_commands_are_registered_once(tmp_path: Path) -> None:
    """One request, for all servers and none for a single one; a reconnect, resumed or anew, sends nothing."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        first = syncs(here)
        for event in ("disconnect", "resumed", "connect", "ready"):
            here.bot.dispatch(event)
            await here.env.settle(idle=0.001)
        await here.env.advance_time(3600)

        assert [f"PUT /applications/{here.env.backend.application_id}/commands"] == first
        assert first == syncs(here)
        assert len(await here.bot.tree.fetch_commands()) <= 100


def syncs(here: World) -> list[str]:
    """Return the requests that change which commands there are."""
    return [f"{r.method} {r.path}" for r in here.env.http_requests if "/commands" in r.path and r.method != "GET"]


async def test_check_n2_data_comes_and_goes_and_the_game_can_still_be_checked(tmp_path: Path) -> None:
    """Out of a game that is over one of two people is erased: not a byte knows them, and the replay still verifies."""
    dice = random.Random(3)
    path = tmp_path / "game.sqlite3"
    async with world(path, new_seed=lambda: SEED) as here:
        await here.open()
        await here.start(2)
        await here.env.advance_time(2)
        for _ in range(200):
            if here.over():
                break
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(2)
        (file,) = (await here.people[1].slash(here.channel, "my-data")).response.attachments
        data = json.loads(await file.read())
        asked = (await here.people[1].slash(here.channel, "forget-me")).response
        await here.press(1, asked, "Forget me")
        (later,) = (await here.people[1].slash(here.channel, "my-data")).response.attachments
        nothing = json.loads(await later.read())
        snapshot = await here.bot.store.load(1)
        assert snapshot is not None
        game, rows = here.bot.games["lets_dance"], await here.bot.store.log(1)
        again = dump_record(game, replay(game, rows, snapshot.seed))
        (replayed,) = (await here.people[0].slash(here.channel, "table replay")).response.attachments
        verdict = verify(here.bot.games, await replayed.read())
        digits = str(here.people[1].id).encode()

    assert len(data["tables"][0]["inputs"]) > 5
    assert [] == nothing["tables"]
    assert again == snapshot.body
    assert "fine" == verdict.code
    assert [] == [
        one.name for one in tmp_path.iterdir() if one.name.startswith(path.name) and digits in one.read_bytes()
    ]


def test_check_n3_the_token_stands_in_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """However much is logged; where Discord cannot be reached the start ends by itself, with a reason."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("PYTHON_DOTENV_DISABLED", "1")
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    monkeypatch.setattr(discord.http.Route, "BASE", "http://127.0.0.1:9")
    status = bot.main(["--database", str(tmp_path / "dance.sqlite3")])
    told = capfd.readouterr()

    assert 1 == status
    assert "Discord cannot be reached" in told.err
    assert TOKEN not in caplog.text + told.out + told.err


def test_check_n3_without_a_token_the_start_says_where_it_goes(tmp_path: Path) -> None:
    """From the environment or .env alone: no option takes it, and the file is kept out of the repository."""
    ran = subprocess.run(
        [sys.executable, ROOT / "bot.py", "--database", tmp_path / "dance.sqlite3"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHON_DOTENV_DISABLED": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()

    assert 2 == ran.returncode
    assert ".env" in ran.stderr
    assert ".env" in ignored
    assert not any("token" in option for option in vars(bot.arguments([])))

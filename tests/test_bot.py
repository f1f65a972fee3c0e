"""The command line: what is missing is said in plain words, and the process ends."""

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import discord
import pytest

import bot
from db import DatabaseInUse, SqliteStore

ROOT = Path(__file__).parents[1]
WAIT_S = 60
TOKEN = "mistyped-on-purpose"  # noqa: S105 - no token of anybody

ME = {"id": "1", "username": "dancefloor", "discriminator": "0", "avatar": None}
APPLICATION = {
    "id": "1",
    "name": "dancefloor",
    "description": "",
    "icon": None,
    "bot_public": True,
    "bot_require_code_grant": False,
    "owner": ME,
    "verify_key": "",
}
Answer = tuple[int, Any]
Discord = Callable[[dict[str, Answer]], list[str]]


def start(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run `python bot.py` as a host would, in *folder*, with nothing but *settings* in its environment."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, ROOT / "bot.py"],
        cwd=folder,
        # dotenv looks beside bot.py: whoever works here may keep a real token there
        env={**kept, "PYTHON_DOTENV_DISABLED": "1", "PYTHONDONTWRITEBYTECODE": "1", **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )


def workers() -> set[threading.Thread]:
    """Return the threads that would keep the process alive: databases left open, above all."""
    return {thread for thread in threading.enumerate() if not thread.daemon}


@pytest.fixture
def discord_says(monkeypatch: pytest.MonkeyPatch) -> Iterator[Discord]:
    """Give a function that sets the answers of a Discord on this machine; what it is asked is in the list returned."""
    answers: dict[str, Answer] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer what was set for this path."""
            asked.append(self.path)
            status, body = answers[self.path]
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    def says(these: dict[str, Answer]) -> list[str]:
        answers.update(these)
        return asked

    monkeypatch.setenv("PYTHON_DOTENV_DISABLED", "1")
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        monkeypatch.setattr(discord.http.Route, "BASE", f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield says
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "settings", [{}, {"DISCORD_TOKEN": ""}, {"DISCORD_TOKEN": "  "}], ids=["none", "empty", "blank"]
)
def test_without_a_token_it_tells_what_to_do(tmp_path: Path, settings: dict[str, str]) -> None:
    """Three lines: where the token goes, where it comes from, what works without; status 2, no traceback."""
    ran = start(tmp_path, **settings)

    assert 2 == ran.returncode
    assert "" == ran.stdout
    where, how, instead = ran.stderr.splitlines()
    assert "DISCORD_TOKEN" in where
    assert ".env" in where
    assert "https://discord.com/developers/applications" in how
    assert "--sandbox" in instead
    assert [] == list(tmp_path.iterdir())


def test_a_refused_token_ends_it(
    tmp_path: Path, discord_says: Discord, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Three lines and status 2 after one try; the token is in no line, and no thread is left behind."""
    caplog.set_level(logging.DEBUG)
    asked = discord_says({"/users/@me": (401, {"message": "401: Unauthorized", "code": 0})})
    before = workers()

    status = bot.main(["--database", str(tmp_path / "dance.sqlite3")])

    assert 2 == status
    assert ["/users/@me"] == asked
    said = capfd.readouterr().err.splitlines()
    assert 3 == len(said)
    assert "refused" in said[0]
    assert "Reset Token" in said[1]
    assert ".env" in said[2]
    assert TOKEN not in "\n".join(said) + caplog.text
    assert before >= workers()


@pytest.mark.parametrize("named", ["option", "variable"])
def test_a_database_in_use_ends_it(
    tmp_path: Path,
    discord_says: Discord,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    named: str,
) -> None:
    """One sentence and status 2, whether the database was named by option or by variable."""
    discord_says({"/users/@me": (200, ME), "/oauth2/applications/@me": (200, APPLICATION)})
    path = tmp_path / "dance.sqlite3"
    if named == "variable":
        monkeypatch.setenv("DANCEFLOOR_DATABASE", str(path))
    lock = sqlite3.connect(f"{path}.lock", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    before = workers()

    status = bot.main(["--database", str(path)] if named == "option" else [])
    lock.close()

    assert 2 == status
    assert f"Another bot is running on {path.resolve()}" in capfd.readouterr().err
    assert before >= workers()
    assert not path.exists()


async def test_a_start_that_fails_late_lets_go_of_the_database(tmp_path: Path) -> None:
    """A game without a cog is found out when the database is open already; it is closed, its thread ends."""
    path = tmp_path / "dance.sqlite3"
    before = workers()

    async with bot.build(path, cog_packages=()) as dancefloor:
        with pytest.raises(RuntimeError, match="have no cog"):
            await dancefloor.setup_hook()
        with pytest.raises(DatabaseInUse):
            await SqliteStore.open(path)

    assert before >= workers()
    await (await SqliteStore.open(path)).close()


def test_every_setting_is_in_the_example() -> None:
    """What bot.py reads from the environment is explained in .env.example, and nothing else is."""
    read = set(re.findall(r'environ(?:\.get\(|\[)"(\w+)"', (ROOT / "bot.py").read_text(encoding="utf-8")))
    example = (ROOT / ".env.example").read_text(encoding="utf-8")

    assert {"DISCORD_TOKEN", "DANCEFLOOR_DATABASE"} == read
    assert read == set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    assert f"DANCEFLOOR_DATABASE={bot.DATABASE}\n" in example


def test_the_invite_link_asks_for_what_is_needed() -> None:
    """The number in the README is these permissions and no more."""
    needed = discord.Permissions(
        view_channel=True, send_messages=True, create_public_threads=True, send_messages_in_threads=True
    )
    links = re.findall(r"&permissions=(\d+)", (ROOT / "README.md").read_text(encoding="utf-8"))

    assert [str(needed.value)] == links

"""The command line: what is missing is said in plain words, and the process ends."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import discord
import pytest

import bot
from db import DatabaseInUse, SqliteStore
from hosting.settings import DATABASE, VARIABLES, read
from tests.discord_fake import APPLICATION, ME, TOKEN, Discord

ROOT = Path(__file__).parents[1]
WAIT_S = 60


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


def left(before: set[threading.Thread]) -> set[threading.Thread]:
    """Return the threads that were not there before and do not end by themselves."""
    for thread in workers() - before:
        thread.join(5)
    return workers() - before


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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_the_sandbox_ends_cleanly_when_it_is_told_to(tmp_path: Path) -> None:
    """By SIGTERM as by Ctrl-C: a farewell, status 0, and the throw-away folder is gone."""
    command = [sys.executable, "bot.py", "--sandbox", "--no-open"]
    kept = {**os.environ, "TMPDIR": str(tmp_path)}
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=kept, **piped) as it:
        assert it.stdout is not None
        assert any("http://" in row for row in it.stdout)
        it.terminate()
        told = it.stdout.read()

    assert 0 == it.returncode, told
    assert "The party is over" in told
    assert [] == list(tmp_path.iterdir())


def test_without_its_packages_it_says_which_file_lists_them() -> None:
    """Two lines for whoever starts it with another Python than the one that has them."""
    code = "import sys; sys.modules['discord'] = None; import bot"

    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert 1 == ran.returncode
    what, how = ran.stderr.splitlines()
    assert "the package discord" in what
    assert "requirements.txt" in how


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
    assert set() == left(before)


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
    assert set() == left(before)
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

    assert set() == left(before)
    await (await SqliteStore.open(path)).close()


def test_every_setting_is_in_the_example() -> None:
    """Each variable is explained in .env.example, and nothing else is; a copy of it as it is changes nothing."""
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = re.findall(r"^#? ?([A-Z_]+)=", example, re.MULTILINE)
    active = dict(re.findall(r"^([A-Z_]+)=(.*)$", example, re.MULTILINE))

    assert sorted([*VARIABLES, "BREAKDANCING_MEEPLES_DECK"]) == sorted(named)
    assert read({}) == read(active)
    assert f"DANCEFLOOR_DATABASE={DATABASE}\n" in example


def test_the_invite_link_asks_for_what_is_needed() -> None:
    """The number in the README is these permissions and no more."""
    needed = discord.Permissions(
        view_channel=True, send_messages=True, create_public_threads=True, send_messages_in_threads=True
    )
    links = re.findall(r"&permissions=(\d+)", (ROOT / "README.md").read_text(encoding="utf-8"))

    assert [str(needed.value)] == links

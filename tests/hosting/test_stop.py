"""A stop finishes what is under way, within ten seconds, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cogs import app
from cogs.app import Dancefloor
from cogs.ui.answers import BROKEN, Interaction, Reply
from cogs.ui.ids import HOUSE, Press
from hosting import serving
from rules.core.ports import Write
from tests.cogs.staging import Pressed, plant, said
from tests.cogs.world import knobs, world

ROOT = Path(__file__).parents[2]

CHILD = """
import asyncio, sys
from pathlib import Path
import bot
from cogs.app import Dancefloor
from hosting.settings import read
from rules.core.discovery import find_games

async def login(self, token):
    self.store = await self._open_store()

async def connect(self):
    self.store_closed = False
    print("up", flush=True)
    await asyncio.Event().wait()

async def close(self):
    print("closing", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await self.store.close()
    print("closed", flush=True)

Dancefloor.login, Dancefloor.connect, Dancefloor.close = login, connect, close
sys.exit(bot.main(["--database", sys.argv[1]]))
"""


async def test_an_answer_under_way_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told to stop while an answer is being made, the bot gives it before it hangs up."""
    async with world(tmp_path / "dance.sqlite3") as here:
        gate, asked = asyncio.Event(), asyncio.Event()
        answered: list[bool] = []
        hang_up = here.bot.http.close

        async def slow(_: Interaction, __: Press) -> Reply:
            asked.set()
            await gate.wait()
            return Reply(sentence="Here you are.")

        async def hanging_up() -> None:
            answered.append(press.record.responded)
            await hang_up()

        here.bot.verbs["slow"] = (slow, False)
        monkeypatch.setattr(here.bot.http, "close", hanging_up)
        custom_id = Press(HOUSE, "slow").encode()
        press = Pressed(here, 0, plant(here, [custom_id]), custom_id)
        press.emit()
        await asked.wait()
        stop = asyncio.ensure_future(here.bot.close())
        for _ in range(50):
            await asyncio.sleep(0)
        waiting = not stop.done()
        gate.set()
        await stop
        await here.restart()

    assert waiting
    assert [True] == answered
    assert "Here you are." == said(press.response)


async def test_a_move_under_way_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told to stop while the database is slow, the bot saves the press and answers it, then closes."""
    async with world(tmp_path / "dance.sqlite3") as here:
        lobby = await here.open()
        gate, asked = asyncio.Event(), asyncio.Event()
        commit = here.bot.store.commit

        async def slow(write: Write) -> None:
            asked.set()
            await gate.wait()
            await commit(write)

        monkeypatch.setattr(here.bot.store, "commit", slow)
        (knob,) = (knob for knob in knobs(lobby) if knob["label"] == "Add computer")
        press = Pressed(here, 0, lobby, knob["custom_id"])
        press.emit()
        await asked.wait()
        stop = asyncio.ensure_future(here.bot.close())
        for _ in range(5):
            await asyncio.sleep(0)
        gate.set()
        await stop
        await here.restart()
        seats = len((await here.bot.tables.glance(1)).table.sittings)

    assert BROKEN not in said(press.response)
    assert 2 == seats


async def test_what_takes_too_long_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers and jobs that never end do not keep the bot: it goes, and the database is free."""
    for name in ("ANSWERS_S", "JOBS_S", "STEPS_S", "GOODBYE_S"):
        monkeypatch.setattr(app, name, 0.01)
    async with world(tmp_path / "dance.sqlite3") as here:
        never = asyncio.Event()

        async def answer() -> None:
            with here.bot.answering():
                await never.wait()

        async def job() -> None:
            await never.wait()

        stuck = asyncio.ensure_future(answer())
        here.bot.scheduler.at("stuck", 0, job)
        await asyncio.sleep(0)
        started = time.monotonic()
        await here.bot.close()
        took = time.monotonic() - started
        never.set()
        await stuck
        await here.restart()

    assert took < 5


def test_all_waits_together_are_under_ten_seconds() -> None:
    """What is promised to a service manager."""
    assert app.ANSWERS_S + app.JOBS_S + app.STEPS_S + app.GOODBYE_S < 10


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_ends_the_process_in_order(tmp_path: Path, number: signal.Signals) -> None:
    """The bot is closed, the status is 0, the log says so, the heartbeat is gone; a second signal cuts nothing off."""
    path = tmp_path / "dance.sqlite3"
    env = {**os.environ, "PYTHON_DOTENV_DISABLED": "1", "DISCORD_TOKEN": "x", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, path],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        up = child.stdout.readline()
        beating = path.with_name(f"{path.name}.heartbeat").exists()
        child.send_signal(number)
        closing = child.stdout.readline()
        child.send_signal(number)
        out, err = child.communicate("\n", timeout=30)

    assert ("up\n", "closing\n", "closed\n", 0) == (up, closing, out, child.returncode), err
    assert beating
    assert not path.with_name(f"{path.name}.heartbeat").exists()
    assert "stopped" in err
    assert "Traceback" not in err


async def test_the_loop_is_uvloops_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it Python's own is taken."""
    monkeypatch.setattr(serving, "find_spec", lambda _: None)
    assert serving.fast_loop() is None

    class Module:
        new_event_loop = staticmethod(asyncio.new_event_loop)

    monkeypatch.setattr(serving, "find_spec", lambda _: True)
    monkeypatch.setattr(serving, "import_module", lambda _: Module)
    assert asyncio.new_event_loop is serving.fast_loop()


async def test_what_is_loaded_is_frozen_before_serving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the login and before the first connection."""
    done: list[str] = []

    async def login(_: Dancefloor, __: str) -> None:
        done.append("login")

    async def connect(_: Dancefloor) -> None:
        done.append("connect")

    monkeypatch.setattr(Dancefloor, "login", login)
    monkeypatch.setattr(Dancefloor, "connect", connect)
    monkeypatch.setattr(Dancefloor, "store", None, raising=False)
    monkeypatch.setattr(serving.gc, "collect", lambda: done.append("collect"))
    monkeypatch.setattr(serving.gc, "freeze", lambda: done.append("freeze"))
    async with asyncio.timeout(10):
        await serving.serve(Dancefloor(None, {}, bytes), "x", tmp_path / "dance.sqlite3")  # type: ignore[arg-type]

    assert ["login", "collect", "freeze", "connect"] == done

"""The heartbeat tells a health check how the bot is, without the database."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import simcord

import bot
from hosting.heartbeat import DATABASE_S, GATEWAY_S, SILENT_S, Heartbeat, ailing, beating, look, path_of

ROOT = Path(__file__).parents[2]


class Time:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


@pytest.fixture
def clock() -> Time:
    """Give a clock."""
    return Time()


@pytest.fixture
def heart(tmp_path: Path, clock: Time) -> Heartbeat:
    """Give a heartbeat that has not beaten."""
    return Heartbeat(path_of(tmp_path / "dance.sqlite3"), clock, clock)


def test_a_bot_that_is_well(heart: Heartbeat, clock: Time) -> None:
    """Fine at once, and for as long as a beat may take; then it is thought dead."""
    heart.beat(up=2, wanted=2, database=True)

    assert "dance.sqlite3.heartbeat" == heart.path.name
    assert "" == ailing(heart.path, clock())
    assert "" == ailing(heart.path, clock() + SILENT_S)
    assert "no sign of life" in ailing(heart.path, clock() + SILENT_S + 1)


def test_a_gateway_that_is_down_for_two_minutes(heart: Heartbeat, clock: Time) -> None:
    """One connection of several is enough; back for a moment, it counts anew."""
    heart.beat(up=2, wanted=2, database=True)
    told = []
    for up in (1, 1, 1, 1, 2, 1):
        clock.now_s += GATEWAY_S / 3
        heart.beat(up=up, wanted=2, database=True)
        told.append(ailing(heart.path, clock()))

    assert ["", "", "", "", ""] == [*told[:3], *told[4:]]
    assert told[3] == f"the connection to Discord has been down for {GATEWAY_S * 4 // 3} s"


def test_a_start_with_many_shards_is_no_illness(heart: Heartbeat, clock: Time) -> None:
    """While one after another connects, it is starting; one that never connects is ill after two minutes."""
    told = []
    for up in (1, 2, 3, 4, 4):
        clock.now_s += GATEWAY_S / 2
        heart.beat(up=up, wanted=9, database=True)
        told.append(ailing(heart.path, clock()))
    clock.now_s += GATEWAY_S
    heart.beat(up=4, wanted=9, database=True)

    assert [""] * 5 == told
    assert "Discord" in ailing(heart.path, clock())


def test_a_database_that_does_not_answer(heart: Heartbeat, clock: Time) -> None:
    """The bot beats, but what it saves nobody knows."""
    heart.beat(up=1, wanted=1, database=True)
    clock.now_s += DATABASE_S + 1
    heart.beat(up=1, wanted=1, database=False)
    silent = ailing(heart.path, clock())
    heart.beat(up=1, wanted=1, database=True)

    assert "database has not answered" in silent
    assert "" == ailing(heart.path, clock())


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"at": "noon"}'])
def test_no_heartbeat_is_no_health(tmp_path: Path, text: str | None) -> None:
    """Missing, half written, of another kind."""
    path = tmp_path / "heart"
    if text is not None:
        path.write_text(text)

    assert ailing(path, 0.0)


async def test_a_running_bot_beats(tmp_path: Path) -> None:
    """It counts its connections and asks its database; a connection or a database that is gone is told."""
    database = tmp_path / "dance.sqlite3"
    dancefloor = bot.build(database, shard_count=2)
    heart = Heartbeat(path_of(database))

    async def said() -> tuple[str, bool]:
        await look(dancefloor, heart)
        says = json.loads(heart.path.read_text())
        return says["connections"], says["database_silent_s"] == 0

    try:
        async with simcord.run(dancefloor) as env:
            well = await said()
            shard = dancefloor.shards[1]
            await shard.disconnect()
            half = await said()
            await shard.reconnect()
            await env.settle()
            again = await said()
            await dancefloor.store.close()
            closed = await said()
    finally:
        await dancefloor.close()

    assert [("2/2", True), ("1/2", True), ("2/2", True), ("2/2", False)] == [well, half, again, closed]


async def test_the_file_comes_at_the_start_and_goes_at_the_end(tmp_path: Path) -> None:
    """`bot.py health`, and the script that a container runs, say so by their exit status."""
    database = tmp_path / "dance.sqlite3"
    script = [sys.executable, "-S", str(ROOT / "hosting" / "heartbeat.py"), str(database)]  # -S: no packages at all
    dancefloor = bot.build(database)

    def script_says() -> tuple[int, str]:
        ran = subprocess.run(script, capture_output=True, text=True, check=False, cwd=tmp_path)
        return ran.returncode, ran.stdout

    try:
        async with simcord.run(dancefloor), beating(dancefloor, database):
            running = bot.main(["--database", str(database), "health"]), *script_says()
    finally:
        await dancefloor.close()

    assert (0, 0, "Well.\n") == running
    assert 1 == bot.main(["--database", str(database), "health"])
    assert (1, "Not well: no bot is running here: there is no heartbeat.\n") == script_says()

"""
A bot killed with SIGKILL at any moment of a whole tournament: it goes on to the same end.

As in `test_kill`, a child process runs it on a real file and stops dead at one of its points; here its
server has threads. Nothing may be opened, counted or said twice, and nothing may be lost.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import pytest
import simcord.http.router
from simcord.backend.models import Message
from simcord.backend.models.channel import Channel, ThreadMetadata

from rules.core.discovery import find_games
from rules.tournaments.codec import load_record
from rules.tournaments.model import Round, Tournament
from tests.checks.test_kill import KEPT, ROOT, SEED, Stop, remember_nonces
from tests.cogs.evening import DANCERS, MINUTE_S, Evening
from tests.cogs.world import World, words, world

GAMES = sorted(find_games())
"""One a round."""
PEOPLE = 14
ENTER = 13
"""How many sign up; the last of the people enters late."""
CONFIRM = 11
"""How many confirm by themselves; an organiser checks one more in, and one misses it."""
DROPS = 3
SETTINGS = ("Turn clock: off", "A round lasts: 30 minutes", "Time over: computers finish",
            "Late entry: until round 2")  # fmt: skip
MOST_STEPS = 200
THREAD = ("id", "type", "name", "guild_id", "parent_id", "owner_id")
STEPS = ("step unsaved", "step saved")
"""Before anything of an input of the tournament is written, and after its commit, before anybody hears of it."""
WHOLE = (*STEPS, "thread unsent", "thread sent", "post unsent", "post sent", "delete unsent", "delete sent")
"""Killed at every number of these, at some forty of each other kind."""
POINTS = (*WHOLE, "COMMIT", "INSERT INTO outbox", "DELETE FROM outbox", "UPDATE tables SET rendered_seq",
          "answer sent", "edit sent")  # fmt: skip


# --- the tournament that is played -----------------------------------------------------------------


async def go_through(night: Evening) -> None:
    """Run a Swiss with all games to its podium from wherever it is; what people do depends on what is stored alone."""
    await night.wait(8)
    await found(night)
    if not night.number:
        await night.create(game=", ".join(GAMES), rounds=3, table_size=4, final=4, check_in="first")
    for choice in SETTINGS:
        if (await night.record()).phase == "signup":
            panel = await night.click(night.boss, await night.boss_says("settings"), "People and time")
            await night.choose(night.boss, panel, choice)
    for _ in range(MOST_STEPS):
        await night.wait(8)
        record = await night.record()
        if record.phase == "finished":
            return
        if record.round is None:
            await before(night, record)
        elif record.round.phase == "playing":
            await during(night, record, record.round)
        elif record.round.phase == "provisional":
            await after(night, record, record.round)
    raise AssertionError("the tournament does not end")


async def found(night: Evening) -> None:
    """Find the tournament, if there is one already."""
    ids = await night.here.bot.store.find(guild_id=night.here.guild.id, live=False, kind="tournament")
    night.number = ids[0] if ids else 0


async def before(night: Evening, record: Tournament) -> None:
    """Sign up, confirm, start: one step of it."""
    entered = {person.user_id: person for person in record.entrants}
    ids = [person.id for person in night.here.people[:ENTER]]
    outside = [who for who, user_id in enumerate(ids) if user_id not in entered]
    late = [who for who, user_id in enumerate(ids) if user_id in entered and not entered[user_id].checked]
    if record.check == "" and outside:
        await night.press(outside[0], night.post(), "Join")
    elif record.check == "":
        await night.click(night.boss, await night.boss_says("status"), "Open the check-in")
    elif record.check == "open" and late[0] < CONFIRM:
        await night.press(late[0], night.post(), "I'm here")
    elif record.check == "open" and late[0] == CONFIRM:
        await night.choose(night.boss, await night.boss_says("status"), DANCERS[CONFIRM])
    elif record.check == "open":
        await night.click(night.boss, await night.boss_says("status"), "End the check-in")
    else:
        await night.click(night.boss, await night.boss_says("start"), "Start with")


async def during(night: Evening, record: Tournament, played: Round) -> None:
    """Choose seats, come to the tables save for one, let one in late, and let computers play on: one step of it."""
    stays_away = played.pods[0].seats[0] if played.number == 1 else 0
    coming = [one for pod in played.pods for one in pod.players if one not in (*pod.here, stays_away)]
    stages = {pod.stage for pod in played.pods}
    if "picking" in stages:
        await night.pick_seats()
    elif coming:
        await night.press(await night.who(coming[0]), night.post(), "I'm here")
    elif "stuck" in stages:
        await night.choose(night.boss, await night.boss_says("status"), "Go on without who is missing")
    elif "gathering" in stages:
        await night.wait(11 * MINUTE_S)
    elif len(record.entrants) < PEOPLE:
        await night.press(PEOPLE - 1, night.post(), "Join")
    elif all(pod.live for pod in played.pods):
        await night.wait(31 * MINUTE_S)


async def after(night: Evening, record: Tournament, played: Round) -> None:
    """Drop one after the first round, confirm: one step of it."""
    leaver = night.here.people[DROPS]
    entrant = record.entrant_of(leaver.id)
    if entrant is not None and entrant.status == "in":
        await night.boss_says("drop", player=leaver)
    elif played.kind == "final":
        await night.boss_says("finish")
    else:
        await night.boss_says("next")


def outcome(path: Path) -> dict[str, Any]:
    """Return what came of it: rounds with their results, how often anything happened, tables by what opened them."""
    with closing(sqlite3.connect(path)) as database:
        (body,) = database.execute("SELECT body FROM tables WHERE kind = 'tournament'").fetchone()
        inputs = [json.loads(row) for (row,) in database.execute(
            "SELECT input FROM log JOIN tables USING (table_id) WHERE kind = 'tournament'")]  # fmt: skip
        origins = [row[0] for row in database.execute("SELECT origin FROM tables WHERE kind = 'table' ORDER BY origin")]
        owed = database.execute("SELECT count(*) FROM outbox").fetchone()[0]
    record = load_record(body)
    return {
        "rounds": [[(pod.seats, pod.places, pod.scores) for pod in played.pods] for played in record.rounds],
        "rows": [[(row.entrant, row.place, row.points) for row in played.rows] for played in record.rounds],
        "inputs": Counter(value["type"] for value in inputs if value["type"] != "Configure"),
        "origins": origins,
        "owed": owed,
    }


def said_in(here: World) -> Counter[str]:
    """Return what stands in the channel and its threads for all to see, without ids and moments."""
    floor = here.guild.text_channels[0] if hasattr(here.guild, "text_channels") else here.channel
    places = [floor, *floor.threads]
    told = [words(message) for place in places for message in place.history() if not message.flags.ephemeral]
    told = [one for one in told if not re.search("· lobby ·|your turn at", one)]  # a table's own: see `test_kill`
    return Counter(re.sub(r"<t:\d+:[Rt]>|\d{15,}|seed `\w+`", "…", one) for one in told)


# --- the child -------------------------------------------------------------------------------------


class EveningStop(Stop):
    """Knows threads, and the inputs of the tournament, as well."""

    _saving: Literal["", "written", "committed"] = ""

    def at(self, name: str) -> None:
        """Pass a point; the first one after the commit of a step is where it is saved and nobody has heard of it."""
        if self._saving == "committed":
            self._saving = ""
            super().at("step saved")
        elif self._saving and name == "COMMIT":
            self._saving = "committed"
        super().at(name)

    def _statement(self, statement: str) -> None:
        if re.match(r"\s*INSERT INTO log .* VALUES \(1,", statement):
            self.at("step unsaved")
            self._saving = "written"
        super()._statement(statement)

    def _dump(self, here: World) -> dict[str, Any]:
        backend = here.env.backend
        threads = [one for one in backend.channels.values() if one.is_thread]
        places = [here.channel.id, *(one.id for one in threads)]
        stored = [one for place in places for one in backend.messages[place].values() if not one.is_ephemeral]
        return {
            **super()._dump(here),
            "threads": [
                {**{name: getattr(one, name) for name in THREAD}, "thread_metadata": asdict(one.thread_metadata)}
                for one in threads
                if one.thread_metadata is not None
            ],
            "messages": [{name: getattr(one, name) for name in KEPT} for one in stored],
        }

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have the opening of threads pass by here, too."""
        super().watch(monkeypatch)
        dispatch = simcord.http.router.dispatch

        def heard(backend: Any, method: str, path: str, **options: Any) -> Any:
            if method != "POST" or not path.endswith("/threads"):
                return dispatch(backend, method, path, **options)
            self.at("thread unsent")
            done = dispatch(backend, method, path, **options)
            self.at("thread sent")
            return done

        monkeypatch.setattr(simcord.http.router, "dispatch", heard)


async def be_the_child(path: Path, name: str, number: int) -> None:
    """Run the whole tournament, or until stopped; tell what stood there and how often each point was passed."""
    stop = EveningStop(name, number)
    with pytest.MonkeyPatch.context() as monkeypatch:
        stop.watch(monkeypatch)
        async with world(path, DANCERS[:PEOPLE], new_seed=lambda: SEED) as here:
            night = Evening(here)
            stop.here = here
            await go_through(night)
            await night.wait(60)
            stop.here = None
            print(json.dumps({"said": said_in(here), "passed": stop.passed}))  # noqa: T201 - the way to the parent


CHILD = """
import asyncio, sys
from pathlib import Path
import tests.conftest
from tests.checks.test_kill_tournament import be_the_child
asyncio.run(be_the_child(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
"""


def run_child(path: Path, name: str = "", number: int = 0) -> dict[str, Any]:
    """Have a child run it until it stops at a point, kill it there, and return what it told."""
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(path), name, str(number)]
    kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=kept) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        if name:
            child.send_signal(signal.SIGKILL)
    assert line, "the child died by itself"
    assert (-signal.SIGKILL if name else 0) == child.returncode
    told: dict[str, Any] = json.loads(line)
    return told


# --- going on --------------------------------------------------------------------------------------


def rebuild(here: World, left: dict[str, Any]) -> None:
    """Have the server as the killed bot left it."""
    backend = here.env.backend
    backend.advance_clock(left["elapsed"] + 1)
    for stored in left["threads"]:
        meta = ThreadMetadata(**stored.pop("thread_metadata"))
        thread = Channel(**stored, thread_metadata=meta)
        thread.thread_members[backend.bot_user.id] = meta.create_timestamp
        backend.channels[thread.id] = thread
        backend.guilds[here.guild.id].thread_ids.append(thread.id)
        backend.reserve_id(thread.id)
        backend.messages.setdefault(thread.id, {})
    for stored in left["messages"]:
        backend.messages[stored["channel_id"]][stored["id"]] = Message(**stored)
        backend.reserve_id(stored["id"])


async def killed_at(folder: Path, unkilled: dict[str, Any], name: str, number: int) -> None:
    """Kill a bot at the point, go on without it, compare the end."""
    folder.mkdir(exist_ok=True)
    path = folder / "game.sqlite3"
    left = await asyncio.to_thread(run_child, path, name, number)
    if "channel" not in left:  # how often a message is edited hangs on time: this run was over before that point
        assert name not in WHOLE
        return
    with pytest.MonkeyPatch.context() as monkeypatch:
        async with world(folder / "nobody.sqlite3", DANCERS[:PEOPLE], new_seed=lambda: SEED) as here:
            night = Evening(here)
            assert left["channel"] == here.channel.id
            assert left["people"] == [person.id for person in here.people]
            rebuild(here, left)
            remember_nonces(monkeypatch, left["nonces"])
            here.path = path
            await here.restart()
            await go_through(night)
            await night.wait(60)
            said = said_in(here)
            errors = [repr(error) for error in here.env.errors]
    assert unkilled["outcome"] == outcome(path)
    assert unkilled["said"] == said
    assert [] == errors


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give the same tournament as it goes when nobody kills the bot."""
    path = tmp_path_factory.mktemp("unkilled") / "game.sqlite3"
    told = run_child(path)
    return {**told, "outcome": outcome(path)}


@pytest.mark.parametrize(
    ("name", "share"),
    [("post sent", 0.01), ("step saved", 0.3), ("thread sent", 0.5), ("post unsent", 0.4), ("step unsaved", 0.8)],
)
async def test_check_b1_a_tournament_killed_between_two_steps_goes_on(
    tmp_path: Path, unkilled: dict[str, Any], name: str, share: float
) -> None:
    """No table is opened twice, no call is said twice, no result is counted twice, and none of them is lost."""
    await killed_at(tmp_path / "killed", unkilled, name, math.ceil(share * unkilled["passed"][name]))


@pytest.mark.soak
@pytest.mark.parametrize("name", POINTS)
async def test_check_b1_a_tournament_killed_at_every_point(tmp_path: Path, unkilled: dict[str, Any], name: str) -> None:
    """Each request, and each statement outside the games themselves, one after the other."""
    count = unkilled["passed"].get(name, 0)
    assert count
    failed = {}
    for number in range(1, count + 1, 1 if name in WHOLE else max(1, count // 40)):
        try:
            await killed_at(tmp_path / str(number), unkilled, name, number)
        except AssertionError as wrong:  # one run tells every point that is not right
            failed[number] = str(wrong)
    assert {} == failed

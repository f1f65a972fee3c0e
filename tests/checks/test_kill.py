"""
A bot killed with SIGKILL at any moment of a whole game: the game goes on from an old button to the same end.

A child process plays on a real file and stops dead at one of its points: before a statement of SQL, or
before or after Discord hears something. It hands over what stands in its channel and is killed. Then
that server is built again here, a new bot starts on the same file, and the people go on.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest
import simcord.http.router
from simcord.backend import serializers
from simcord.backend.models import Message

from rules.core.discovery import find_games
from rules.core.replay import verify
from tests.cogs.crews import Dancers
from tests.cogs.players import random_turn
from tests.cogs.staging import Pressed
from tests.cogs.world import World, knobs, words, world

ROOT = Path(__file__).parents[2]
SEED = bytes(range(16))
ANA, BEA = 0, 1
PAUSE_S = 31
"""Between two moves: long enough that whoever comes to act is called."""
MOST_MOVES = 300
KEPT = ("id", "channel_id", "author_id", "content", "timestamp", "edited_timestamp", "flags", "components")
"""What of a message stands in a channel for all to see."""

STATEMENTS = (
    "BEGIN",
    "UPDATE tables SET seq",
    "INSERT INTO log",
    "INSERT INTO outbox",
    "COMMIT",
    "UPDATE tables SET rendered_seq",
    "UPDATE tables SET ping_id",
    "DELETE FROM outbox",
)
REQUESTS = {
    ("POST", "callback"): "answer",
    ("POST", "messages"): "post",
    ("PATCH", "messages"): "edit",
    ("DELETE", "messages"): "delete",
}
HEARD = tuple(f"{name} {when}" for name in REQUESTS.values() for when in ("unsent", "sent"))
POINTS = (*STATEMENTS, *HEARD)


# --- the game that is played ---------------------------------------------------------------------


async def play_on(here: World) -> None:
    """Play table 1 to its end from wherever it is; what people do depends on what they see and on nothing else."""
    await here.env.advance_time(2)
    if not here.messages():
        await here.people[ANA].slash(here.channel, "letsdance new")
        await here.env.advance_time(2)
    for label, who in (("Join", BEA), ("Start", ANA)):
        table = (await here.bot.tables.glance(1)).table
        if table.phase == "lobby" and (label != "Join" or len(table.sittings) == 1):
            await here.press(who, here.board(), label)
            await here.env.advance_time(2)
    for _ in range(MOST_MOVES):
        if here.over():
            return
        seq = (await here.bot.tables.glance(1)).table.seq
        await random_turn(here, here.to_act(), random.Random(seq))
        await here.env.advance_time(PAUSE_S)
    raise AssertionError("the game does not end")


async def dance_on(here: World) -> None:
    """Play table 1, of Breakdancing Meeples, to its end from wherever it is; a computer has a crew as well."""
    await here.env.advance_time(3)
    if not here.messages():
        await here.people[ANA].slash(here.channel, "meeples new", computer_players=1)
        await here.env.advance_time(3)
    for label, who in (("Join", BEA), ("Start", ANA)):
        table = (await here.bot.tables.glance(1)).table
        if table.phase == "lobby" and (label != "Join" or len(table.people) == 1):
            await here.press(who, here.board(), label)
            await here.env.advance_time(3)
    dancers = Dancers(here, [ANA, BEA], random.Random(1), beats=6)
    for crew in dancers.crews:
        await crew.open()
    await dancers.game()
    assert [] == dancers.refused


GAMES = {"lets_dance": play_on, "breakdancing_meeples": dance_on}


def moves(path: Path) -> list[tuple[Any, ...]]:
    """Return every input that the database has, without its time."""
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT table_id, seq, seat, input FROM log ORDER BY table_id, seq").fetchall()


# --- the child -----------------------------------------------------------------------------------


class Stop:
    """Counts the points that a bot passes, and stops it dead at one of them."""

    def __init__(self, name: str, number: int) -> None:
        self.passed: Counter[str] = Counter()
        self.nonces: dict[str, int] = {}
        self.deleted: list[int] = []
        self.here: World | None = None
        self._name = name
        self._number = number
        self._stopped = threading.Event()

    def at(self, name: str) -> None:
        """Pass a point; from the chosen one on nobody passes any more, on whatever thread."""
        if self.here is None:
            return
        if self._stopped.is_set():
            self._wait()
        self.passed[name] += 1
        if name == self._name and self.passed[name] == self._number:
            self._stopped.set()
            print(json.dumps(self._dump(self.here)), flush=True)  # noqa: T201 - the way to the parent
            self._wait()

    def _wait(self) -> NoReturn:
        while True:
            signal.pause() if threading.current_thread() is threading.main_thread() else threading.Event().wait()

    def _dump(self, here: World) -> dict[str, Any]:
        stored = list(here.env.backend.messages[here.channel.id].values())
        return {
            "elapsed": here.env.backend.clock.elapsed,
            "channel": here.channel.id,
            "people": [person.id for person in here.people],
            "messages": [{name: getattr(one, name) for name in KEPT} for one in stored if not one.is_ephemeral],
            "nonces": self.nonces,
        }

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have every statement of SQL and every request of the bot pass by here."""
        connect, dispatch = sqlite3.connect, simcord.http.router.dispatch

        def traced(path: Path, **options: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(path, **options)
            if Path(path).suffix != ".lock":
                connection.set_trace_callback(self._statement)
            return connection

        def heard(backend: Any, method: str, path: str, **options: Any) -> Any:
            name = REQUESTS.get((method, next((part for part in ("callback", "messages") if part in path), "")))
            if name is None:
                return dispatch(backend, method, path, **options)
            if name == "delete":
                self.deleted.append(int(path.rpartition("/")[2]))
            self.at(f"{name} unsent")
            done = dispatch(backend, method, path, **options)
            body = options.get("json")
            if isinstance(body, dict) and body.get("nonce"):
                self.nonces[body["nonce"]] = int(done["id"])
            self.at(f"{name} sent")
            return done

        monkeypatch.setattr(sqlite3, "connect", traced)
        monkeypatch.setattr(simcord.http.router, "dispatch", heard)

    def _statement(self, statement: str) -> None:
        shown = " ".join(statement[:60].split())
        for name in STATEMENTS:
            if shown.startswith(name):
                self.at(name)


async def be_the_child(path: Path, name: str, number: int, game: str) -> None:
    """Play the whole game, or until stopped; tell the result and how often each point was passed."""
    stop = Stop(name, number)
    with pytest.MonkeyPatch.context() as monkeypatch:
        stop.watch(monkeypatch)
        async with world(path, new_seed=lambda: SEED) as here:
            stop.here = here
            await GAMES[game](here)
            result = words(here.board())
            stop.here = None
            told = {"result": result, "passed": stop.passed, "sent": stop.nonces, "deleted": stop.deleted}
            print(json.dumps(told))  # noqa: T201


CHILD = """
import asyncio, sys
from pathlib import Path
import tests.conftest
from tests.checks.test_kill import be_the_child
asyncio.run(be_the_child(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]))
"""


def run_child(path: Path, name: str = "", number: int = 0, game: str = "lets_dance") -> dict[str, Any]:
    """Have a child play until it stops at a point, kill it there, and return what it told."""
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(path), name, str(number), game]
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


# --- going on ------------------------------------------------------------------------------------


def remember_nonces(monkeypatch: pytest.MonkeyPatch, known: dict[str, int]) -> list[str]:
    """Have Discord answer a nonce it has heard with the message from then; return the list of those it drops."""
    dispatch = simcord.http.router.dispatch
    dropped: list[str] = []

    def heard(backend: Any, method: str, path: str, **options: Any) -> Any:
        body = options.get("json")
        nonce = body.get("nonce") if isinstance(body, dict) else None
        old = backend.messages[int(path.split("/")[2])].get(known.get(nonce)) if nonce else None
        if old is not None:
            dropped.append(str(nonce))
            return dict(serializers.message_payload(backend, old))
        done = dispatch(backend, method, path, **options)
        if nonce:
            known[nonce] = int(done["id"])
        return done

    monkeypatch.setattr(simcord.http.router, "dispatch", heard)
    return dropped


class Rest(NamedTuple):
    """
    How it went on.

    Attributes:
        result: the board at the end.
        dropped: nonces that Discord dropped.
        calls: calls after the start.
        errors: of the bot.
        first: the board after the start.
        replay: the replay file.
    """

    result: str
    dropped: list[str]
    calls: int
    errors: list[str]
    first: str
    replay: bytes


async def go_on(
    folder: Path, left: dict[str, Any], monkeypatch: pytest.MonkeyPatch, game: str = "lets_dance", down: int = 1
) -> Rest:
    """Build the server of a killed bot again, start a new one there, press an old button and play to the end."""
    async with world(folder / "nobody.sqlite3", new_seed=lambda: SEED) as here:
        assert left["channel"] == here.channel.id
        assert left["people"] == [person.id for person in here.people]
        backend = here.env.backend
        backend.advance_clock(left["elapsed"] + down)
        for stored in left["messages"]:
            backend.messages[here.channel.id][stored["id"]] = Message(**stored)
            backend.reserve_id(stored["id"])
        dropped = remember_nonces(monkeypatch, left["nonces"])
        buttons = {
            knob["label"]: (message, knob["custom_id"])
            for message in here.messages()
            if "your turn at" not in words(message)
            for knob in knobs(message)
        }
        doors = (("Join", BEA), ("My hand", ANA), ("My crew", ANA))
        presses = [Pressed(here, who, *buttons[label]) for label, who in doors if label in buttons]
        here.path = folder / "game.sqlite3"
        await here.restart()
        calls = len(here.pings())
        for pressed in presses:  # while the new bot came up, before it could touch the message
            pressed.emit()
            await here.env.settle(idle=0.001)
            assert words(pressed.response).strip()
        first = words(here.board()) if here.messages() else ""
        await GAMES[game](here)
        last = here.messages()
        assert 1 == len(last), [words(message) for message in last]
        errors = [repr(error) for error in here.env.errors]
        return Rest(words(here.board()), dropped, calls, errors, first, await here.bot.tables.export(1))


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give the same game as it goes when nobody kills the bot."""
    path = tmp_path_factory.mktemp("unkilled") / "game.sqlite3"
    told = run_child(path)
    return {**told, "moves": moves(path)}


async def killed_at(folder: Path, unkilled: dict[str, Any], name: str, number: int) -> Rest:
    """Kill a bot at the point, go on without it, and compare the end with that of the bot that lived."""
    folder.mkdir(exist_ok=True)
    path = folder / "game.sqlite3"
    left = await asyncio.to_thread(run_child, path, name, number)
    half = moves(path)
    assert half == unkilled["moves"][: len(half)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        rest = await go_on(folder, left, monkeypatch)

    assert unkilled["moves"] == moves(path)
    assert unkilled["result"] == rest.result
    assert [] == rest.errors
    return rest


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("post sent", 0.01),
        ("INSERT INTO log", 0.04),
        ("COMMIT", 0.2),
        ("answer unsent", 0.35),
        ("answer sent", 0.5),
        ("edit sent", 0.65),
        ("post sent", 0.8),
        ("UPDATE tables SET seq", 1),
    ],
)
async def test_check_b1_killed_between_two_steps_the_old_button_goes_on(
    tmp_path: Path, unkilled: dict[str, Any], name: str, share: float
) -> None:
    """In the middle of a commit, between commit and answer, between a message and the note that it went."""
    await killed_at(tmp_path / "killed", unkilled, name, math.ceil(share * unkilled["passed"][name]))


@pytest.mark.parametrize(("name", "drops"), [("post unsent", 0), ("post sent", 1)])
async def test_check_j4_what_was_owed_when_the_bot_died_is_said_once(
    tmp_path: Path, unkilled: dict[str, Any], name: str, drops: int
) -> None:
    """A call that never went is made at the start; one that went, unnoted, is repeated under its nonce and dropped."""
    rest = await killed_at(tmp_path / "killed", unkilled, name, unkilled["passed"][name] // 2)

    assert drops == len(rest.dropped)
    assert 1 == rest.calls


async def test_check_b1_killed_before_the_last_call_is_taken_away_none_is_left(
    tmp_path: Path, unkilled: dict[str, Any]
) -> None:
    """The result is shown and the game is over, yet the next start sees to it."""
    await killed_at(tmp_path / "killed", unkilled, "delete unsent", unkilled["passed"]["delete unsent"])


@pytest.mark.parametrize("name", ["post sent", "delete unsent", "delete sent"])
async def test_check_b1_killed_while_a_board_is_posted_anew_one_board_is_left(
    tmp_path: Path, unkilled: dict[str, Any], name: str
) -> None:
    """Until the new board is noted: the next start finds it by its nonce and takes the old one away."""
    boards = [nonce for nonce in unkilled["sent"] if nonce.startswith("b")]
    sent = 1 + list(unkilled["sent"]).index(boards[1])
    deleted = 1 + unkilled["deleted"].index(unkilled["sent"][boards[0]])

    rest = await killed_at(tmp_path / "killed", unkilled, name, sent if name == "post sent" else deleted)

    assert 1 == len(rest.dropped)


async def test_check_b1_a_first_board_that_was_pressed_before_it_was_noted_stays_the_only_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before Discord's answer, with a press saved meanwhile: the start finds that message and brings it up."""
    remember_nonces(monkeypatch, {})
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        lobby = await here.open()
        stored = here.env.backend.messages[here.channel.id][lobby.id]
        before = stored.components
        await here.press(BEA, lobby, "Join")
        await here.env.advance_time(2)
        await here.bot.close()
        stored.components = before  # nobody was left to show it
        with closing(sqlite3.connect(here.path)) as database, database:
            database.execute("UPDATE tables SET board_id = NULL, posted_ms = 0, rendered_seq = 0")
        await here.restart()
        await here.env.advance_time(2)

        (board,) = here.messages()
        assert lobby.id == board.id
        assert "Bea" in words(board)


async def killed_in_the_minute(folder: Path, name: str, number: int, down: int) -> Rest:
    """Kill a bot at a table of Breakdancing Meeples, be away for so long, go on, and check the whole game."""
    folder.mkdir(exist_ok=True)
    path = folder / "game.sqlite3"
    left = await asyncio.to_thread(run_child, path, name, number, "breakdancing_meeples")
    half = moves(path)
    with pytest.MonkeyPatch.context() as monkeypatch:
        rest = await go_on(folder, left, monkeypatch, "breakdancing_meeples", down)

    assert half == moves(path)[: len(half)]
    assert "fine" == verify(find_games(), rest.replay).code
    assert [] == rest.errors
    assert re.search(r"### (🏆|🤝)", rest.result)
    return rest


@pytest.mark.parametrize(
    ("name", "number", "down", "says"),
    [
        ("answer unsent", 12, 5, r"The bot was away for [5-9](\.\d)? s; the bell keeps its time"),
        ("INSERT INTO log", 25, 40, "it is danced anew"),
    ],
    ids=["short", "long"],
)
async def test_check_i5_killed_in_the_middle_of_a_minute(
    tmp_path: Path, name: str, number: int, down: int, says: str
) -> None:
    """Short or long, the board says what becomes of the Dance Off, and the game has an end that can be checked."""
    rest = await killed_in_the_minute(tmp_path / "killed", name, number, down)

    assert re.search(says, rest.first)


@pytest.mark.soak
@pytest.mark.parametrize("name", POINTS)
async def test_check_i5_killed_at_many_points_of_a_whole_dance(tmp_path: Path, name: str) -> None:
    """Each seventh of its statements and requests, with a stop that is short or long."""
    passed = run_child(tmp_path / "game.sqlite3", game="breakdancing_meeples")["passed"].get(name, 0)
    for number in range(1, passed + 1, 7):
        await killed_in_the_minute(tmp_path / str(number), name, number, 30 if number % 2 else 3)


@pytest.mark.soak
@pytest.mark.parametrize("name", POINTS)
async def test_check_b1_killed_at_every_point_of_a_whole_game(
    tmp_path: Path, unkilled: dict[str, Any], name: str
) -> None:
    """Each statement and each request of the game, one after the other."""
    count = unkilled["passed"].get(name, 0)
    assert count
    for number in range(1, count + 1):
        await killed_at(tmp_path / str(number), unkilled, name, number)

"""A: every interaction is answered, in time, once, and with the true reason."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import simcord.http.router

from cogs.ui import answers
from cogs.ui.ids import HOUSE, Press, parse
from db import DatabaseInUse, SqliteStore
from rules.lets_dance import State
from tests.cogs.players import ACTS, random_turn
from tests.cogs.staging import Pressed, admin, plant, press_id, said, sitting, snapshot, stage
from tests.cogs.world import NAMES, World, knobs, labels, parts, selects, words, world
from tests.rules.lets_dance.build import final, table

SEED = bytes(range(16))
DISCORD_WAITS_MS = 3_000
DEFERS = (5, 6)
BOSS = len(NAMES)
DECK = "Y M C A Worm " * 9


async def playing(here: World, people: int = 2) -> None:
    """Start a game of so many people."""
    await here.open()
    await here.start(people)
    await here.env.advance_time(2)


async def staged(here: World, state: State) -> list[int]:
    """Have this game go on, and return who sits where."""
    await playing(here, state.players)
    await stage(here, state)
    await here.env.advance_time(2)
    return await sitting(here)


# --- slow databases ------------------------------------------------------------------------------


class Slow:
    """
    Has the database answer a question only once Discord was asked for time.

    It then does not matter how slow it is: whoever waits for it before the first answer waits for ever.
    """

    def __init__(self, here: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.here = here
        self.asked = asyncio.Event()
        self.asked.set()
        self.deferred: list[str] = []
        self.pressed: set[str] = set()
        for name, method in inspect.getmembers(here.bot.store, inspect.iscoroutinefunction):
            if not name.startswith("_") and name not in ("close", "open"):
                monkeypatch.setattr(here.bot.store, name, self._slow(method))
        dispatch = simcord.http.router.dispatch

        def heard(backend: Any, method: str, path: str, **options: Any) -> Any:
            done = dispatch(backend, method, path, **options)
            if path.endswith("/callback") and options["json"]["type"] in DEFERS:
                self.deferred.append(path)
                self.asked.set()
            return done

        monkeypatch.setattr(simcord.http.router, "dispatch", heard)
        monkeypatch.setattr(answers, "PATIENCE_MS", 0)

    def _slow(self, method: Any) -> Any:
        async def call(*given: Any, **named: Any) -> Any:
            await self.asked.wait()
            return await method(*given, **named)

        return call

    async def watch(self, work: Any) -> Any:
        """Do one press while the database sleeps, and look at its answer."""
        before = len(self.deferred)
        self.asked.clear()
        try:
            result = await work
        finally:
            self.asked.set()
        answer = getattr(result, "response", result)
        assert answer is not None
        assert words(answer).strip() or answer.attachments, "asked for time, and then nothing came"
        assert len(self.deferred) <= before + 1
        return result


class Patient:
    """Somebody all of whose presses are watched."""

    def __init__(self, actor: Any, slow: Slow) -> None:
        self.actor = actor
        self._slow = slow

    def __getattr__(self, name: str) -> Any:
        return getattr(self.actor, name)

    async def slash(self, channel: Any, name: str, /, **options: Any) -> Any:
        """Type a command."""
        self._slow.pressed.add(f"/{name}")
        return await self._slow.watch(self.actor.slash(channel, name, **options))

    async def click(self, message: Any, *, custom_id: str) -> Any:
        """Press a button."""
        self._slow.pressed.add(_verb(custom_id))
        return await self._slow.watch(self.actor.click(message, custom_id=custom_id))

    async def select(self, message: Any, values: list[str], *, custom_id: str) -> Any:
        """Choose from a select."""
        self._slow.pressed.add(values[0].partition(":")[0])
        return await self._slow.watch(self.actor.select(message, values, custom_id=custom_id))


def _verb(custom_id: str) -> str:
    press = parse(custom_id)
    return press.verb if press else ""


def given(here: World, name: str) -> dict[str, Any]:
    """Return what a command is given."""
    kim, last = (getattr(here.people[who], "actor", here.people[who]) for who in (2, 5))
    about_kim = {"player": kim, "reason": "A test"}
    options: dict[str, dict[str, Any]] = {
        "tournament create": {"name": "Friday Floor", "game": "lets_dance"},
        "tournament add": {"people": f"<@{kim.id}>"},
        "tournament seed": {"people": f"<@{kim.id}>"},
        "tournament table": {"people": f"<@{kim.id}>"},
        "tournament drop": {"player": kim},
        "tournament undrop": {"player": kim},
        "tournament note": {"player": kim},
        "tournament disqualify": about_kim,
        "tournament substitute": {**about_kim, "newcomer": last},
        "tournament seat": {**about_kim, "table": 1},
        "tournament swap": {"one": kim, "other": last, "reason": "A test"},
        "tournament correct": {"table": 1, "result": f"<@{kim.id}> 3", "reason": "A test"},
        **{f"tournament {name}": {"reason": "A test"} for name in ("cancel", "reopen", "repair")},
        "letsdance new": {"computer_players": 1},
        "table kick": {"player": kim, "number": 1},
        "table substitute": {"seat": 1, "newcomer": last, "number": 1},
    }
    return options.get(name, {})


async def test_check_a1_every_command_and_button_answers_before_a_slow_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each gets its first answer without the database, and then the whole one; from lobby to the middle of a game."""
    assert DISCORD_WAITS_MS > answers.PATIENCE_MS + 1_000
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        here.people.append(admin(here))
        slow = Slow(here, monkeypatch)
        here.people[:] = [Patient(person, slow) for person in here.people]
        lobby = await here.open()
        for who, label in ((1, "Join"), (2, "Join"), (2, "Leave"), (2, "Join"), (0, "Add computer")):
            await here.press(who, lobby, label)
        await here.press(0, lobby, "Remove computer")
        panel = (await here.press(0, lobby, "Options")).response
        for menu in selects(panel):
            panel = (await here.choose(0, panel, menu, menu["options"][1]["value"])).response
        await here.press(0, lobby, "Start")
        await here.env.advance_time(2)
        dice = random.Random(4)
        for _ in range(8):
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(2)
        for label in ("Scores", "Rules", "My hand"):
            await here.press(0, here.board(), label)
        typed = {}
        for name in here.people[BOSS].available_commands(here.channel):
            typed[name] = await here.people[BOSS].slash(here.channel, name, **given(here, name))
            await here.env.advance_time(2)
        verbs = [Press(HOUSE, verb, 1).encode() for verb in sorted(here.bot.verbs)]
        for who in (1, BOSS):
            for custom_id in verbs:
                await slow.watch(press_id(here, who, plant(here, [custom_id]), custom_id))
                await here.env.advance_time(2)

    assert len(typed) >= 16
    assert {"first", "dance", "join", "start", "add", "clock", "option", "hand"} <= slow.pressed
    assert len(slow.deferred) > 50


async def test_check_a1_an_answer_that_comes_too_late_loses_nothing(tmp_path: Path) -> None:
    """Discord takes the answer no more: the move is saved once, the board shows it, and the next press works."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("Y Worm", "Y Worm", deck=DECK))
        page = (await here.press(seats[0], await here.hand(seats[0]), "Y")).response
        dance = next(knob["custom_id"] for knob in knobs(page) if knob["label"] == "Dance Y")
        count = len(await here.bot.store.log(1))
        here.env.inject_error("POST", "/interactions/*/callback", status=404, code=10062)
        Pressed(here, seats[0], page, dance).emit()
        await here.env.settle(idle=0.001)
        await here.env.advance_time(2)
        moved = len(await here.bot.store.log(1)) - count
        shown = here.to_act()
        again = said((await here.press(seats[0], page, "Dance Y")).response)
        theirs = (await here.press(seats[1], await here.hand(seats[1]), "Y")).response
        await here.press(seats[1], theirs, "Dance Y")

        assert 1 == moved
        assert seats[1] == shown
        assert "✋" in again
        assert count + 2 == len(await here.bot.store.log(1))
        assert [] == here.env.errors


# --- twice ---------------------------------------------------------------------------------------


async def test_check_a2_an_interaction_that_arrives_twice_counts_once(tmp_path: Path) -> None:
    """A join delivered again, at once and later, seats nobody twice and raises nothing."""
    async with world(tmp_path / "game.sqlite3") as here:
        lobby = await here.open()
        join = next(knob["custom_id"] for knob in knobs(lobby) if knob["label"] == "Join")
        pressed = Pressed(here, 1, lobby, join)
        pressed.emit()
        pressed.emit()
        await here.env.settle(idle=0.001)
        await here.env.advance_time(60)
        pressed.emit()
        await here.env.settle(idle=0.001)

        assert 2 == len((await here.bot.tables.glance(1)).table.sittings)
        assert 2 == len(await here.bot.store.log(1))
        assert [] == here.env.errors


async def test_check_a2_a_second_process_does_not_start(tmp_path: Path) -> None:
    """While a bot runs on a database, nobody else opens it; afterwards anybody does."""
    async with world(tmp_path / "game.sqlite3"):
        with pytest.raises(DatabaseInUse):
            await SqliteStore.open(tmp_path / "game.sqlite3")
    await (await SqliteStore.open(tmp_path / "game.sqlite3")).close()


# --- all of them ---------------------------------------------------------------------------------


async def test_check_a3_three_hundred_random_presses_are_answered(tmp_path: Path) -> None:
    """Players and outsiders press whatever button they can see: each press has an answer, and every message fits."""
    dice = random.Random(300)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 4)
        seen: dict[int, Any] = {}
        silent = []
        for number in range(300):
            who = dice.randrange(6) if dice.random() < 0.3 or here.over() else here.to_act()
            panel = seen.pop(who, None) if dice.random() < 0.8 else None
            message = panel if panel is not None and (knobs(panel) or selects(panel)) else here.board()
            menus = selects(message)
            acting = [knob for knob in knobs(message) if knob["style"] in ACTS]
            if menus and not acting and dice.random() < 0.4:
                menu = dice.choice(menus)
                result = await here.choose(who, message, menu, dice.choice(menu["options"])["value"])
            else:
                custom_id = dice.choice(acting or knobs(message))["custom_id"]
                result = await here.people[who].click(getattr(message, "message", message), custom_id=custom_id)
            if not result.acknowledged or result.response is None or not words(result.response).strip():
                silent.append((number, who, labels(message)))
            elif result.response.ephemeral:
                seen[who] = result.response
            await here.env.advance_time(dice.choice((0, 2)))
        here.check_sizes()

        assert [] == silent
        assert len(await here.bot.store.log(1)) > 30
        assert [] == here.env.errors


async def test_check_a4_outsiders_and_whoever_is_not_to_move_are_told_so(tmp_path: Path) -> None:
    """One private sentence; the board stays."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("Y Worm", "Y Worm", deck=DECK))
        version = (await here.bot.tables.glance(1)).table.versions[1]
        dance = f"d:lets_dance:1:{version}:dance:y"
        board, before = said(here.board()), await snapshot(here)
        outsider = await here.hand(4)
        early = await press_id(here, seats[1], plant(here, [dance]), dance)

        assert outsider.ephemeral
        assert early.ephemeral
        assert said(outsider).startswith("✋ You do not sit at this table.")
        assert "✋ It is not your turn yet: the board shows who is dancing." in said(early)
        assert (board, before) == (said(here.board()), await snapshot(here))


async def test_check_a4_a_finished_game_has_no_buttons_and_its_old_ones_answer(tmp_path: Path) -> None:
    """The result has nothing to press; a copy of an earlier button says that it is over."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, final("", "", turn=1))
        old = [knob["custom_id"] for knob in knobs(here.board()) if knob["label"] != "Rules"]
        await here.press(seats[1], await here.hand(seats[1]), "Pass")
        await here.env.advance_time(2)
        told = [said(await press_id(here, who, plant(here, [one]), one)) for one in old for who in (seats[0], 5)]

        assert here.over()
        assert [] == [part for part in parts(here.board()) if part.get("custom_id")]
        assert 4 == len(told)
        assert all(one.startswith("✋ This table is over.") for one in told)


GIVEN: dict[str, tuple[State, int, str, str]] = {
    "not your turn": (table("Y", "Y Worm", deck=DECK), 1, "dance:y", "It is not your turn yet"),
    "not in hand": (table("Y", "Y", deck=DECK), 0, "dance:worm", "You do not hold those cards any more."),
    "does not match": (table("Y Worm", "Y", deck=DECK), 0, "dance:y.worm", "Cards of one dance belong to one family."),
    "too many": (table("Spin Spin Spin Fever", "Y", deck=DECK), 0, "dance:spin.spin.spin.fever", "At most three cards"),
    "two extras": (table("Y Fever Euphoria", "Y", deck=DECK), 0, "dance:y.fever.euphoria", "Only one Euphoria"),
    "toes are no dance": (table("Toes Y", "Y", deck=DECK), 0, "dance:toes", "Step on Toes is not danced"),
    "nobody there": (table("Toes Y", "Y M", floors=["", "Y"], deck=DECK), 0, "toes:5", "Nobody sits there."),
    "own toes": (table("Toes Y", "Y M", floors=["Y", "Y"], deck=DECK), 0, "toes:0", "Your own toes?"),
    "no toes": (table("Toes Y", "Y M", deck=DECK), 0, "toes:1", "no toes to step on"),
    "a full hand": (table("Y M C A Worm", "Y", deck=DECK), 0, "replenish:", "there is nothing to replenish"),
    "no passing": (table("Y", "Y", deck=DECK), 0, "pass:", "There is no passing now"),
    "the end is near": (final("Y", "Y"), 0, "replenish:", "In the final round nobody draws"),
    "a line is open": (table("Y", "Y", floors=["Conga"], conga=(0,), turn=1, deck=DECK), 1, "dance:y", "A Conga Line"),
    "no line": (table("Conga Y", "Y", deck=DECK), 0, "follow:", "The Conga Line is over already"),
}


@pytest.mark.parametrize("reason", GIVEN)
async def test_check_a5_a_refusal_gives_its_true_reason(tmp_path: Path, reason: str) -> None:
    """A move that cannot be made is answered with why, beside the hand as it is, and changes nothing."""
    state, seat, move, sentence = GIVEN[reason]
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, state)
        version = (await here.bot.tables.glance(1)).table.versions[seat]
        before = await snapshot(here)
        custom_id = f"d:lets_dance:1:{version}:{move}"
        told = said(await press_id(here, seats[seat], plant(here, [custom_id]), custom_id))

        assert 1 == told.count("✋")
        assert sentence in told
        assert before == await snapshot(here)


async def test_check_a5_every_refusal_has_its_own_sentence(tmp_path: Path) -> None:
    """No two reasons share their words, in a game's own."""
    async with world(tmp_path / "game.sqlite3") as here:
        facts: Any = {"most": 5, "missing": 1, "votes": 1, "needed": 2, "wait_ms": 1, "bell_ms": 1, "at_ms": 1}
        said_ = [[say(facts) for say in face.refusals.values()] for face in here.bot.faces.values()]

    assert [len(sentences) for sentences in said_] == [len(set(sentences)) for sentences in said_]
    assert all(len(sentences) >= 20 for sentences in said_)


# --- no way out without an answer ----------------------------------------------------------------


def methods(store: Any) -> Iterator[str]:
    """Yield the names of what a store is asked."""
    for name, _ in inspect.getmembers(store, inspect.iscoroutinefunction):
        if not name.startswith("_") and name not in ("close", "open"):
            yield name


async def test_check_a6_whatever_fails_inside_there_is_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a database that fails at everything, each command and each button of ours says that nothing is lost."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        here.people.append(admin(here))
        await playing(here, 3)
        before = await snapshot(here)
        with monkeypatch.context() as patch:

            async def broken(*_given: Any, **_named: Any) -> Any:
                raise OSError("disk on fire")

            for name in methods(here.bot.store):
                patch.setattr(here.bot.store, name, broken)
            silent, excuses = [], 0
            for name in here.people[BOSS].available_commands(here.channel):
                result = await here.people[BOSS].slash(here.channel, name, **given(here, name))
                told = said(result.response) if result.response else ""
                silent += [name] if not told else []
                excuses += answers.BROKEN in told
            for verb in sorted(here.bot.verbs):
                custom_id = Press(HOUSE, verb, 1).encode()
                told = said(await press_id(here, 0, plant(here, [custom_id]), custom_id))
                silent += [verb] if not told else []
                excuses += answers.BROKEN in told
        await here.env.advance_time(30)

        assert [] == silent
        assert excuses > 10
        assert before == await snapshot(here)
        assert [] == here.env.errors

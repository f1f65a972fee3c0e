"""Words: each reason and each event has its own, they read like sentences, and none names a hidden card."""

from __future__ import annotations

import ast
import json
import random
import re
import typing
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from discord import app_commands

import cogs
import rules.core
from cogs.breakdancing_meeples import words as crews
from cogs.lets_dance.words import happened, told
from cogs.ui.words import ENDED, REFUSALS, kernel_words
from rules.breakdancing_meeples import GAME as MEEPLES
from rules.breakdancing_meeples import CardScore, CrewScore, Resumed, Sheet
from rules.core.contract import Event
from rules.core.discovery import find_games
from rules.core.rng import Rng
from rules.core.table import Entry, Record, SeatTaken, Sitting, Table, TableEnded
from rules.lets_dance import CARDS, GAME
from tests.cogs.players import random_turn
from tests.cogs.staging import rewrite, said, sitting, stage
from tests.cogs.world import World, knobs, labels, parts, selects, world
from tests.rules.lets_dance.build import final, table

SEED = bytes(range(16))
GAMES = tuple(find_games())
OWN: Mapping[str, Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    key: import_module(f"cogs.{key}.words").REFUSALS for key in GAMES
}
"""By game: what the codes that its rules refuse with are said as."""
EVENTS: tuple[type[Event], ...] = typing.get_args(GAME.spec.event_type)
TABLE = Table(
    table_id=1,
    game="lets_dance",
    guild_id=1,
    channel_id=1,
    host_id=10,
    fingerprint="",
    sittings=(Sitting("Ana", user_id=10), Sitting("Bea", user_id=11)),
)
SILENT_IN_PUBLIC = {"Grabbed", "Kept", "KeptCard", "Drew", "DrewCards", "Ended"}
"""Private ones; the choice that `Discarded` tells; draws, seen in the hand sizes; the end, told by the result."""
SILENT_TO_THE_OWNER = {"Kept", "Drew", "Ended", "Discarded", "LineEnded", "Reshuffled"}
"""What another event tells the same person, or the board shows."""
SENTENCE = re.compile(r"[A-Z0-9✋🛑🪑*].*(?:[.!?]|`)$", re.DOTALL)


def codes(package: Any, *, without: str = "") -> set[str]:
    """Return every code that a module of *package* refuses with, one of its folders left out."""
    found = set()
    for path in Path(next(iter(package.__path__))).rglob("*.py"):
        if path.parent.name == without:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal":
                found |= set(strings(node.args[0]))
    return found


def strings(node: ast.expr) -> Iterator[str]:
    """Yield the values that an expression may have: a constant, or either side of a choice."""
    if isinstance(node, ast.IfExp):
        yield from strings(node.body)
        yield from strings(node.orelse)
    elif isinstance(node, ast.Constant):
        yield str(node.value)


def sentences(catalogue: Mapping[str, Callable[[Mapping[str, Any]], str]]) -> dict[str, str]:
    """Return what each code is said as."""
    facts: Mapping[str, Any] = defaultdict(lambda: 2)
    return {code: words(facts) for code, words in catalogue.items()}


def sample(kind: type[Event], seat: int = 0) -> Event:
    """Return an event of *kind* done by *seat* to the other one, with something in every field."""
    values: dict[str, Any] = {"seat": seat, "victim": 1 - seat, "card": "worm", "reason": "stumble", "seats": (0, 1)}
    values |= dict.fromkeys(("cards", "tried", "shown", "returned", "dropped"), ("spin", "worm"))
    values |= {"grabbed": 2, "line": 2, "worth": 2, "closes": 2, "drew": 2, "count": 2, "gained": 3}
    values |= {"places": (1, 2), "scores": (2, 1)}
    known = {field: values[field] for field in kind.__struct_fields__ if field in values}
    if kind.__name__ == "Reshuffled":
        known["cards"] = 2
    return kind(**known)


# --- commands ------------------------------------------------------------------------------------


async def test_every_option_of_a_command_says_what_to_give(tmp_path: Path) -> None:
    """Discord shows "…" for one that nobody has described, and refuses more than 100 letters."""
    async with world(tmp_path / "dance.sqlite3") as here:
        told = {
            f"{command.qualified_name} {option.name}": str(option.description)
            for command in here.bot.tree.walk_commands()
            if isinstance(command, app_commands.Command)
            for option in command.parameters
        }

    assert len(told) > 70
    assert {} == {option: says for option, says in told.items() if says.strip() in ("", "…") or len(says) > 100}


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", GAMES)
def test_every_refusal_of_a_game_has_its_sentence(key: str) -> None:
    """No code without words, no words without a code."""
    assert set(import_module(f"rules.{key}").REFUSALS) == set(OWN[key])


def test_every_refusal_of_the_table_has_its_sentence() -> None:
    """Whatever kernel and cogs refuse with can be said, and nothing is kept that nobody says."""
    raised = codes(rules.core) | codes(cogs, without="tournaments")

    assert len(raised) > 15
    assert raised - {code for own in OWN.values() for code in own} == set(REFUSALS)


@pytest.mark.parametrize("catalogue", [*OWN.values(), REFUSALS], ids=[*GAMES, "the table"])
def test_every_reason_has_words_of_its_own(catalogue: Mapping[str, Any]) -> None:
    """No two codes share a sentence; each is a short whole sentence without code words."""
    spoken = sentences(catalogue)

    assert len(spoken) == len(set(spoken.values()))
    assert {} == {code: text for code, text in spoken.items() if not SENTENCE.match(text)}
    plain = {code: re.sub(r"<t:\d+:T>", "a time", text) for code, text in spoken.items()}
    assert {} == {code: text for code, text in plain.items() if re.search(r"[a-z]_[a-z]|[{}<>]|None|\d{3}", text)}
    assert {} == {code: text for code, text in spoken.items() if len(text) > 120}


@pytest.mark.parametrize(("missing", "words"), [(1, "One player is missing"), (2, "2 players are missing")])
def test_counts_are_said_right(missing: int, words: str) -> None:
    """One player is, two players are."""
    assert REFUSALS["too_few"]({"missing": missing}).startswith(words)


# --- events --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_is_told_to_everyone_or_silent_on_purpose(kind: type[Event]) -> None:
    """A line for the board that ends like a sentence, or one of the few that have none."""
    line = happened(Entry(0, "person", (sample(kind),)), TABLE)

    assert (kind.__name__ in SILENT_IN_PUBLIC) == (line == "")
    assert not line or SENTENCE.match(line)
    assert not re.search(r"[a-z]_[a-z]|[{}]|None", line)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_is_told_to_its_owner_or_silent_on_purpose(kind: type[Event]) -> None:
    """Who did it, or suffered it, reads it in their panel."""
    lines = told([sample(kind), sample(kind, 1)], TABLE, 0)

    assert (kind.__name__ in SILENT_TO_THE_OWNER) == (lines == [])
    assert all(SENTENCE.match(line) for line in lines)


QUIET = {
    "GameBegan",
    "CrewReady",
    "Rolled",
    "Placed",
    "Swapped",
    "CrewDone",
    "Reserved",
    "PicksNext",
    "RemixOver",
    "GameOver",
}
"""What the board of Breakdancing Meeples shows by itself, or would show too often."""
LOUD = {"Rolled", "Placed", "Swapped", "Completed", "RallyCube", "CrewReady", "CrewDone"} | {
    "Took",
    "Bought",
    "ReturnedCard",
    "SkippedPick",
}
"""What a crew reads about itself on its panel."""
CREW_EVENTS: tuple[type[Event], ...] = typing.get_args(MEEPLES.spec.event_type)


def happening(kind: type[Event], **more: Any) -> Event:
    """Return an event of Breakdancing Meeples with something in every field, done by seat 0."""
    cards = (CardScore("pigeon_parade", "Pigeon Parade", 2, 6),)
    values: dict[str, Any] = dict.fromkeys(kind.__struct_fields__, 2)
    values |= {"audience": None, "seat": 0, "card": "pigeon_parade", "name": "Pigeon Parade", "stance": "feet"}
    values |= {"pair": "head", "forced": (1,), "seats": (0, 1), "cards": ("pigeon_parade",), "rallies": ()}
    values |= {"reason": "draw", "places": (1, 1), "scores": (2, 2), "timeout": False, "beneath": "nobody_naps"}
    values |= {"sheet": Sheet(2, (CrewScore(cards, 6, 9), CrewScore((), 0, 9))), "lost_ms": 16_000} | more
    return kind(**{name: values[name] for name in kind.__struct_fields__})


@pytest.mark.parametrize("kind", CREW_EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_of_a_dance_off_is_told_or_silent_on_purpose(kind: type[Event]) -> None:
    """To everyone and to the crew itself, in sentences, however its cards are called."""
    shouted = {"name": "Nobody Naps!"} if "name" in kind.__struct_fields__ else {}
    for event in (happening(kind), happening(kind, timeout=True), happening(kind, **shouted)):
        board = crews.happened(Entry(0, "person", (event,)), TABLE)
        panel = crews.told([event], 0)

        assert (kind.__name__ in QUIET) == (board == "")
        assert (kind.__name__ in LOUD) == (panel != "")
        assert "" == crews.told([event], 1)
        for line in filter(None, (board, panel)):
            assert re.fullmatch(r"[A-Z0-9📣🎁🔔🏆💿🍒].*[.!?*]", line), line
            assert not re.search(r"[a-z]_[a-z]|[{}]|None|[.!?][.:]", line), line


def test_a_roll_that_came_too_late_is_told_why() -> None:
    """After the bell both moments and by how much; before it that it was on its way for too long."""
    bell = {"bell_ms": 1_767_225_666_000}
    late = crews.REFUSALS["too_late"](bell | {"at_ms": 1_767_225_666_300})
    closed = crews.REFUSALS["bell_rang"](bell | {"at_ms": 1_767_225_669_000})
    slow = crews.REFUSALS["bell_rang"](bell | {"at_ms": 1_767_225_665_600})

    assert "<t:1767225666:T>, 0.3 s late" in late
    assert "<t:1767225669:T>, 3 s late" in closed
    assert "before the bell at <t:1767225666:T>, yet it came too late" in slow


def test_a_stop_says_what_becomes_of_the_time() -> None:
    """A Dance Off ends when it would have; placing and picks begin anew."""
    stops = [Resumed(lost_ms=20_000, until_ms=1, anew=anew) for anew in (False, True)]
    dance, picks = (crews.happened(Entry(None, "clock", (stop,)), TABLE) for stop in stops)

    assert "The bot was away for 20 s; the bell keeps its time." == dance
    assert "The bot was away for 20 s; the time begins anew." == picks


def test_every_end_of_a_table_is_told() -> None:
    """Each reason and each change of seats has its own line."""
    lines = [kernel_words(TableEnded(reason=reason), TABLE) for reason in ENDED]
    taken = kernel_words(SeatTaken(seat=0, leaver="Ana", computer="Disco Dot"), TABLE)

    assert len(lines) == len(set(lines))
    assert all(SENTENCE.match(line) for line in (*lines, taken))


@pytest.mark.parametrize(("drew", "expected"), [(0, "drew no cards"), (1, "drew 1 card"), (2, "drew 2 cards")])
def test_what_was_drawn_is_counted_in_words(drew: int, expected: str) -> None:
    """No cards, a card, cards."""
    kinds = {kind.__name__: kind for kind in EVENTS}
    lines = [
        happened(Entry(0, "person", (msgspec.structs.replace(sample(kinds[name]), drew=drew),)), TABLE)
        for name in ("Replenished", "Renewed")
    ]

    assert all(line.endswith(f"{expected}.") for line in lines), lines


# --- a whole game --------------------------------------------------------------------------------


async def test_nothing_in_a_whole_game_reads_like_code(tmp_path: Path) -> None:
    """No text, label or option has keys, ids or half-made sentences; no public id names a card."""
    dice = random.Random(11)
    ids: set[str] = set()
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(computer_players=1)
        await here.start(2)
        while not here.over():
            glance = (await here.bot.tables.glance(1)).table
            who = (await sitting(here))[glance.to_act[0]] if glance.to_act else -1
            ids |= {knob["custom_id"] for message in here.messages() for knob in knobs(message)}
            if who >= 0:
                await random_turn(here, who, dice)
            await here.env.advance_time(2)
        texts = set()
        for request in here.env.http_requests:
            body = request.json if isinstance(request.json, dict) else {}
            payload = body.get("data") if isinstance(body.get("data"), dict) else body
            texts |= set(shown(payload)) if isinstance(payload, dict) and "components" in payload else set()
    keys = {card.key for card in CARDS if not card.key.isalpha() or len(card.key) > 4} - {"spin", "conga", "fever"}
    code = re.compile(r"None|\bself\b|[{}]|[a-z]_[a-z]|\bd:|  \S|\( | \)|\.\.(?!\.)|,\.|: \.| ,")
    key = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(keys)})(?![A-Za-z])")
    odd = [text for text in texts if key.search(text) or (code.search(text) and "```" not in text)]

    assert {"d:house:1:0:hand:", "d:house:1:0:rules:lets_dance", "d:lets_dance:1:0:scores:"} == ids
    assert len(texts) > 200
    assert [] == odd


def shown(payload: Mapping[str, Any]) -> Iterator[str]:
    """Yield what can be read in a message."""

    class Sent:
        components = payload["components"] or ()

    for part in parts(Sent):
        yield from (str(part[field]) for field in ("content", "label", "placeholder") if part.get(field))
        for option in part.get("options", ()):
            yield from (str(option[field]) for field in ("label", "description") if option.get(field))


# --- secrets -------------------------------------------------------------------------------------


def public(here: World, start: int) -> str:
    """Return all that the bot said to everyone in the channel since request *start*, ids and all."""
    place = f"/channels/{here.channel.id}/"
    spoken = [r.json for r in here.env.http_requests[start:] if place in r.path and r.method in ("POST", "PATCH")]
    board = [component.to_dict() for component in here.board().components]
    return json.dumps([spoken, board]).replace(str(here.board().id), "BOARD")  # simcord numbers them as they come


HIDDEN = {
    "replenish": (("Worm", "Y"), ("Fever", "Spin"), "Replenish: draw 4"),
    "a dance draws": (("Y Worm", "Y"), ("Y Fever", "Spin"), "Y", "Dance Y"),
    "renew": (("Worm Spin Fever Conga Down", "Y"), ("Y M C A Cowboy", "Spin"), 0, "…or renew", "Renew"),
    "toes": (("Toes Worm", "Y M C A"), ("Toes Fever", "Down Cowboy Robot Spin"), "Step on Toes", 0),
    "sit out": (("Worm Spin", "Y"), ("Fever Cowboy", "Spin"), "…or sit out", "Sit out"),
    "pass": (("Worm", "Y"), ("Fever", "Spin"), "Pass"),
}


@pytest.mark.parametrize("what", HIDDEN)
async def test_everyone_reads_the_same_whatever_cards_are_hidden(tmp_path: Path, what: str) -> None:
    """Two worlds with other cards in hands and deck, the same move: what is public is the same to the byte."""
    one, other, *presses = HIDDEN[what]
    heard = []
    for hands, deck, name in ((one, "Worm M Worm M " * 3, "one"), (other, "Fever Conga Down A " * 3, "other")):
        async with world(tmp_path / f"{name}.sqlite3", new_seed=lambda: SEED) as here:
            await here.open()
            await here.start(2)
            await here.env.advance_time(2)
            more: dict[str, Any] = {"floors": ["Y", "Y"], "deck": deck}
            if what == "sit out":
                more |= {"floors": ["Y", "Conga"], "conga": (1,)}
            await stage(here, final(*hands, floors=["Y", "Y"]) if what == "pass" else table(*hands, **more))
            await here.env.advance_time(60)
            start = len(here.env.http_requests)
            who = (await sitting(here))[0]
            panel = await here.hand(who)
            for step in presses:
                if isinstance(step, str) and step.startswith("…"):
                    menu = next(menu for menu in selects(panel) if menu["placeholder"].startswith(step))
                    panel = (await here.choose(who, panel, menu, menu["options"][0]["value"])).response
                else:
                    label = labels(panel)[step] if isinstance(step, int) else step
                    panel = (await here.press(who, panel, label)).response
            assert "✋" not in said(panel)
            await here.env.advance_time(60)
            heard.append(public(here, start))

    assert len(heard[0]) > 500
    assert heard[0] == heard[1]


async def test_a_spectator_cannot_tell_the_world_from_another(tmp_path: Path) -> None:
    """Through a random game all hidden cards are redrawn again and again: board and scores stay to the byte."""
    dice = random.Random(2)
    looks = 0
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        await here.start(3)
        await here.env.advance_time(2)
        while looks < 6:
            for _ in range(4):
                await random_turn(here, here.to_act(), dice)
                await here.env.advance_time(1)
            before = await seen_by_all(here)
            moved = []

            def other(record: Record, moved: list[bool] = moved, looks: int = looks) -> Record:
                state = GAME.resample(record.state, None, Rng(SEED, f"look {looks}"))
                moved.append(state != record.state)
                return msgspec.structs.replace(record, state=state)

            await rewrite(here, other)
            await here.env.advance_time(1)
            after = await seen_by_all(here)
            looks += 1

            assert [True] == moved
            assert before == after


async def seen_by_all(here: World) -> str:
    """Return board, scores and list of tables as an outsider gets them."""
    board = [component.to_dict() for component in here.board().components]
    scores = (await here.press(5, here.board(), "Scores")).response.components
    listed = (await here.people[5].slash(here.channel, "table show")).response.components
    return json.dumps([board, scores, listed])
